#include "view/command_text.hpp"

#include <gtest/gtest.h>

namespace supn {
namespace {

TEST(CommandText, QuotesForAShell) {
  ViewArguments arguments;
  arguments.source.checkpoint = "runs/best";
  EXPECT_EQ(command_text(arguments, {.path = "my photo's.jpg", .name = "", .seed_id = ""}),
            "--checkpoint runs/best --image 'my photo'\\''s.jpg'");
}

}  // namespace
}  // namespace supn
