#include "supn/serialization/json.hpp"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "message_of.hpp"

namespace supn {
namespace {

using testing::HasSubstr;

std::string fault_of(std::string_view text) {
  return message_of<JsonError>([&] { parse_json(text); });
}

TEST(Json, ReadsWhatItWrites) {
  const Json json = {{"text", "a\"\\\n\x01 é"},
                     {"number", -0.1},
                     {"whole", 2.0},
                     {"integer", std::numeric_limits<std::int64_t>::min()},
                     {"list", {true, nullptr, Json::object()}}};
  EXPECT_EQ(parse_json(json_text(json)), json) << json_text(json);
  EXPECT_EQ(exact_json_text(json), json_text(json));
}

TEST(Json, KeepsEveryBitOfADouble) {
  std::mt19937_64 engine(1);
  for (int i = 0; i < 10'000; ++i) {
    const double value = std::bit_cast<double>(engine());
    if (!std::isfinite(value)) continue;
    const auto read = value_of<double>(parse_json(exact_json_text(value)), "");
    EXPECT_EQ(std::bit_cast<std::uint64_t>(read), std::bit_cast<std::uint64_t>(value)) << value;
  }
}

TEST(Json, ReadsEscapes) {
  EXPECT_EQ(parse_json(R"("\u0041\u00e9\u20ac\ud83d\ude00\/")"), "Aé€😀/");
}

TEST(Json, KeepsIntegersApartFromReals) {
  EXPECT_EQ(value_of<std::int64_t>(parse_json("12"), ""), 12);
  EXPECT_THROW(value_of<std::int64_t>(parse_json("12.0"), ""), JsonError);
  EXPECT_EQ(value_of<double>(parse_json("12"), ""), 12.0);
  EXPECT_EQ(value_of<double>(parse_json("1e3"), ""), 1000.0);
}

TEST(Json, ReadsIntegersBeyond64BitsAsReals) {
  EXPECT_EQ(value_of<std::int64_t>(parse_json("9223372036854775807"), ""),
            std::numeric_limits<std::int64_t>::max());
  for (const char* text : {"9223372036854775808", "18446744073709551615", "-9223372036854775809"}) {
    EXPECT_TRUE(parse_json(text).is_number_float()) << text;
    EXPECT_THROW(value_of<std::int64_t>(parse_json(text), ""), JsonError) << text;
  }
}

TEST(Json, KeepsTheOrderOfKeys) {
  const std::string text = R"({"b":1,"a":{"d":[],"c":{}}})";
  EXPECT_EQ(json_text(parse_json(text)), text);
}

TEST(Json, FindsMembers) {
  const Json json = parse_json(R"({"a": {"b": [1, 2]}})");
  EXPECT_EQ(value_at<std::vector<std::int64_t>>(member(json, "a"), "b"),
            (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(find_member(json, "c"), nullptr);
  EXPECT_EQ(message_of<JsonError>([&] { member(json, "c"); }), "c is missing");
  EXPECT_EQ(message_of<JsonError>([] { find_member(parse_json("[7]"), "c"); }),
            "c: expected an object that has it, found [7]");
}

TEST(Json, NamesTheKeyWhatWasExpectedAndWhatIsThere) {
  const Json json = parse_json(R"({"s": "x", "n": null, "i": 7, "l": [0.5, false], "o": {}})");
  const auto expected = [](const std::string& message, const auto& call) {
    EXPECT_EQ(message_of<JsonError>(call), message);
  };
  expected("s: expected a number, found \"x\"", [&] { value_at<double>(json, "s"); });
  expected("n: expected a text, found null", [&] { value_at<std::string>(json, "n"); });
  expected("i: expected true or false, found 7", [&] { value_at<bool>(json, "i"); });
  expected("s: expected a whole number, found \"x\"", [&] { value_at<std::int64_t>(json, "s"); });
  expected("o: expected a list, found {}", [&] { value_at<std::vector<double>>(json, "o"); });
  expected("l: expected a number, found false", [&] { value_at<std::vector<double>>(json, "l"); });
  expected("l: expected an object, found [0.5,false]", [&] { object_of(json["l"], "l"); });
  expected("i: expected a whole number in 0 ... 6, found 7",
           [&] { value_in<std::int64_t>(json["i"], "i", 0, 6); });
  expected("i: expected a number in 7.5 ... 8.0, found 7",
           [&] { value_in<double>(json["i"], "i", 7.5, 8.0); });
  EXPECT_EQ(value_in<double>(json["i"], "i", 7.0, 7.0), 7.0);
}

TEST(Json, RefusesWhatIsNotJson) {
  for (const char* text :
       {"",          " ",           "{",           "[1,]",   "{\"a\":1,}", "{\"a\":1 \"b\":2}",
        "{a:1}",     "'a'",         "01",          "+1",     ".5",         "1.2.3",
        "nan",       "Infinity",    "-1e999",      "tru",    "\"a",        "\"\\x\"",
        "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"", "\"\n\"", "// 1\n1",    "/* */ 1",
        "\\",        "1.",          "-.5",         "1.e5",   "2e",         "-"}) {
    EXPECT_THROW(parse_json(text), JsonError) << text;
  }
}

TEST(Json, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(fault_of("{\"a\":\n[1,]}"), HasSubstr("line 2, column 4"));
  EXPECT_EQ(fault_of(R"({"b":{"a":1,"c":2,"a":1}})"), "the key \"a\" is there twice");
  EXPECT_THAT(fault_of("{} []"), HasSubstr("expected end of input"));
  EXPECT_EQ(fault_of(std::string_view("{}\0 []", 6)), "has a NUL as byte 3");
  EXPECT_THAT(fault_of("{\"a\": \"\xC3\x28\"}"), HasSubstr("ill-formed UTF-8 byte"));
  EXPECT_THAT(fault_of("\"\xED\xA0\x80\""), HasSubstr("ill-formed UTF-8 byte"));
  EXPECT_THAT(fault_of("{\"a\": 1e999}"), HasSubstr("1e999"));
  const std::string long_fault = fault_of('"' + std::string(100'000, 'a') + "\n\"");
  EXPECT_LT(long_fault.size(), 300U);
  EXPECT_EQ(long_fault.find('\n'), std::string::npos);
}

TEST(Json, TakesSixtyFourLevels) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_EQ(json_text(parse_json(nested(64))), nested(64));
  EXPECT_EQ(fault_of(nested(65)), "has more than 64 levels");
  EXPECT_EQ(fault_of(std::string(100'000, '[')), "has more than 64 levels");
}

TEST(Json, FindsADuplicateAmongManyKeys) {
  std::string text = "{";
  for (int i = 0; i < 30'000; ++i) text += '"' + std::to_string(i) + "\":0,";
  EXPECT_EQ(parse_json(text + "\"x\":0}").size(), 30'001U);
  EXPECT_EQ(fault_of(text + "\"7\":0}"), "the key \"7\" is there twice");
}

TEST(Json, BecomesTextOrRefusesWhatTextCannotHold) {
  for (const Json& json : {Json{{"a", {std::numeric_limits<double>::quiet_NaN()}}},
                           Json{{"a", -std::numeric_limits<double>::infinity()}},
                           Json("\xFF")}) {
    EXPECT_NO_THROW(parse_json(json_text(json)));
    EXPECT_THROW(exact_json_text(json), JsonError);
  }
  EXPECT_EQ(json_text(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(json_text("\xFF"), "\"\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace supn
