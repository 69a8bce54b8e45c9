#include "supn/io/contact_sheet.hpp"

#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace supn {
namespace {

at::Tensor plain(std::int64_t height, std::int64_t width, int grey) {
  return at::full({height, width, 3}, grey, at::kByte);
}

// Whether any pixel of the rows [top, bottom) is darker than white.
bool is_drawn(const at::Tensor& sheet, std::int64_t top, std::int64_t bottom) {
  return sheet.narrow(0, top, bottom - top).min().item<int>() < 200;
}

TEST(ContactSheet, PutsPicturesOnAGridWithMargins) {
  const std::vector<Panel> panels = {
      {"", plain(40, 300, 10), {}}, {"", plain(40, 300, 20), {}}, {"", plain(40, 300, 30), {}}};

  const at::Tensor sheet = contact_sheet(panels, 2);

  EXPECT_EQ(sheet.sizes(), at::IntArrayRef({8 + 2 * 48, 8 + 2 * 308, 3}));
  EXPECT_EQ(sheet[8][8][0].item<int>(), 10);
  EXPECT_EQ(sheet[47][307][0].item<int>(), 10);
  EXPECT_EQ(sheet[8][8 + 308][0].item<int>(), 20);
  EXPECT_EQ(sheet[8 + 48][8][0].item<int>(), 30);
  EXPECT_EQ(sheet[8 + 48][8 + 308][0].item<int>(), 255);
  EXPECT_EQ(sheet[7][8][0].item<int>(), 255);
}

TEST(ContactSheet, UsesNoMoreColumnsThanPanels) {
  const at::Tensor sheet = contact_sheet({{"", plain(40, 300, 10), {}}}, 5);

  EXPECT_EQ(sheet.size(1), 8 + 308);
}

TEST(ContactSheet, WritesTitleAboveAndBarBelowThePicture) {
  const ColourBar bar{{0.0, 80.0}, ColourMap::kMagma, "m"};

  const at::Tensor sheet = contact_sheet({{"depth", plain(40, 300, 255), bar}}, 1);

  EXPECT_EQ(sheet.size(0), 8 + 22 + 40 + 32 + 8);
  EXPECT_TRUE(is_drawn(sheet, 8, 30));
  EXPECT_FALSE(is_drawn(sheet, 30, 70));
  EXPECT_TRUE(is_drawn(sheet, 74, 84));
  EXPECT_TRUE(is_drawn(sheet, 85, 102));
  // The bar's ends, inside its frame.
  EXPECT_LT(sheet[78][10][2].item<int>(), 10);
  EXPECT_GT(sheet[78][305][0].item<int>(), 245);
}

TEST(ContactSheet, LeavesOutTheMiddleNumberWhereTheUnitIsLong) {
  const auto has_middle = [](const std::string& unit) {
    const ColourBar bar{{0.0, 0.0885}, ColourMap::kViridis, unit};
    const at::Tensor sheet = contact_sheet({map_panel("", at::zeros({40, 300}), bar)}, 1);
    const at::Tensor labels = sheet.narrow(0, sheet.size(0) - 8 - 17, 16);
    return labels.narrow(1, 8 + 140, 20).min().item<int>() < 200;
  };
  EXPECT_TRUE(has_middle("m"));
  EXPECT_FALSE(has_middle("of the depth"));
}

TEST(ContactSheet, EnlargesSmallPicturesByWholeFactors) {
  at::Tensor picture = plain(10, 100, 0);
  picture.select(0, 0).select(0, 0).fill_(200);

  const at::Tensor sheet = contact_sheet({{"", picture, {}}}, 1);

  EXPECT_EQ(sheet.sizes(), at::IntArrayRef({8 + 30 + 8, 8 + 300 + 8, 3}));
  EXPECT_EQ(sheet[8 + 2][8 + 2][0].item<int>(), 200);
  EXPECT_EQ(sheet[8 + 3][8][0].item<int>(), 0);
}

TEST(ContactSheet, ShortensTitlesToTheirCell) {
  const std::string title(300, 'W');
  const std::vector<Panel> panels = {{title, plain(40, 300, 10), {}}};

  const at::Tensor sheet = contact_sheet(panels, 1);

  // Nothing is drawn in the right margin.
  EXPECT_EQ(sheet.narrow(1, 308, 8).min().item<int>(), 255);
  EXPECT_TRUE(is_drawn(sheet, 8, 30));
}

TEST(ContactSheet, RefusesNoPanelsNoColumnsAndOtherPictures) {
  const Panel good{"", plain(40, 300, 10), {}};

  EXPECT_THROW(contact_sheet({}, 1), c10::Error);
  EXPECT_THROW(contact_sheet({good}, 0), c10::Error);
  EXPECT_THROW(contact_sheet({{"", at::zeros({4, 4, 3}), {}}}, 1), c10::Error);
}

}  // namespace
}  // namespace supn
