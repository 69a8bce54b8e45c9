#include "supn/serialization/json.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace supn {
namespace {

TEST(Json, ReadsWhatItWrites) {
  const Json json(
      Json::Object{{"text", Json("a\"\\\n\x01 é")},
                   {"number", Json(-0.1)},
                   {"whole", Json(2.0)},
                   {"integer", Json(std::numeric_limits<std::int64_t>::min())},
                   {"list", Json(Json::Array{Json(true), Json(), Json(Json::Object{})})}});
  EXPECT_EQ(Json::parse(json.dump()), json) << json.dump();
}

TEST(Json, ReadsEscapes) {
  EXPECT_EQ(Json::parse(R"("\u0041\u00e9\u20ac\ud83d\ude00\/")").as_string(), "Aé€😀/");
}

TEST(Json, KeepsIntegersApartFromReals) {
  EXPECT_EQ(Json::parse("12").as_int(), 12);
  EXPECT_THROW(Json::parse("12.0").as_int(), JsonError);
  EXPECT_EQ(Json::parse("12").as_double(), 12.0);
  EXPECT_EQ(Json::parse("1e3").as_double(), 1000.0);
}

TEST(Json, FindsMembers) {
  const Json json = Json::parse(R"({"a": {"b": [1, 2]}})");
  EXPECT_EQ(json.at("a").at("b").as_array().size(), 2U);
  EXPECT_EQ(json.find("c"), nullptr);
  EXPECT_THROW(json.at("c"), JsonError);
}

TEST(Json, RefusesWhatIsNotJson) {
  for (const char* text :
       {"",          " ",           "{",           "[1,]",   "{\"a\":1,}", "{\"a\":1 \"b\":2}",
        "{a:1}",     "'a'",         "01",          "+1",     ".5",         "1.2.3",
        "nan",       "Infinity",    "1e999",       "tru",    "\"a",        "\"\\x\"",
        "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"", "\"\n\"", "[] []",      "{\"a\":1,\"a\":2}",
        "\\",        "1.",          "-.5",         "1.e5",   "2e",         "-"}) {
    EXPECT_THROW(Json::parse(text), JsonError) << text;
  }
}

TEST(Json, RefusesBottomlessNesting) {
  EXPECT_THROW(Json::parse(std::string(100'000, '[')), JsonError);
}

TEST(Json, RefusesToStoreWhatIsNotFinite) {
  EXPECT_THROW(Json(std::numeric_limits<double>::quiet_NaN()).dump(), JsonError);
}

}  // namespace
}  // namespace supn
