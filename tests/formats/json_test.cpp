#include "formats/json.h"
#include <doctest/doctest.h>
#include <cmath>
#include <limits>
#include "base/error.h"
#include "base/random.h"
#include "base/utf8.h"

namespace {

std::string error_of(std::string_view text) {
    try {
        parse_json(text, "f");
    } catch (const Error& e) {
        return e.what();
    }
    return "none";
}

std::string repeated(std::string_view text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) result += text;
    return result;
}

}  // namespace

TEST_CASE("every kind of value is read") {
    const Json json = parse_json(
        " {\"null\" : null, \"yes\":true,\t\"no\":false,\r\n\"n\":-1.5e2,\"s\":\"x\","
        "\"list\":[1,[],{}],\"\":{\"deep\":{\"er\":[]}}} \n",
        "f");
    REQUIRE(json.is(Json::Kind::object));
    CHECK(json.object().size() == 7);
    CHECK(json.object()[3].first == "n");
    CHECK(json.find("null")->is(Json::Kind::null));
    CHECK(json.find("yes")->boolean());
    CHECK_FALSE(json.find("no")->boolean());
    CHECK(json.find("n")->number() == -150);
    CHECK(json.find("s")->string() == "x");
    REQUIRE(json.find("list")->array().size() == 3);
    CHECK(json.find("list")->array()[0].number() == 1);
    CHECK(json.find("list")->array()[1].array().empty());
    CHECK(json.find("list")->array()[2].object().empty());
    CHECK(json.find("")->find("deep")->find("er")->array().empty());
    CHECK(json.find("absent") == nullptr);
}

TEST_CASE("a number is the double nearest to its text") {
    for (const auto& [text, value] : std::initializer_list<std::pair<const char*, double>>{
             {"0", 0},
             {"-0", -0.0},
             {"10", 10},
             {"0.1", 0.1},
             {"1E+2", 100},
             {"1e-2", 0.01},
             {"-12.50", -12.5},
             {"9007199254740993", 9007199254740992},
             {"1.7976931348623157e308", 1.7976931348623157e308},
             {"5e-324", 5e-324},
             {"0.00000000000000000000000000000000000000001", 1e-41}}) {
        CHECK(parse_json(text, "f").number() == value);
    }
    CHECK(std::signbit(parse_json("-0", "f").number()));
}

TEST_CASE("escapes in strings and keys mean what RFC 8259 says") {
    CHECK(parse_json(R"("\"\\\/\b\f\n\r\t")", "f").string() == "\"\\/\b\f\n\r\t");
    CHECK(parse_json(R"("a\u0041\u00e9\u20aC\ud83c\udf88z")", "f").string() == "aAé€🎈z");
    CHECK(parse_json("\"naïve 震 🚲 \x7f\"", "f").string() == "naïve 震 🚲 \x7f");
    CHECK(parse_json(R"("\u0000")", "f").string() == std::string(1, '\0'));
    CHECK(parse_json(R"({"\u0061":1})", "f").find("a")->number() == 1);
}

TEST_CASE("text that is not JSON is refused with its place and what was expected there") {
    for (const auto& [text, message] : std::initializer_list<std::pair<std::string, std::string>>{
             {"", "f:1:1: expected a value, found the end of the text"},
             {" \n ", "f:2:2: expected a value, found the end of the text"},
             {"[1,\n 2,]", "f:2:4: expected a value, found ']'"},
             {"[1 2]", "f:1:4: expected ',' or ']', found '2'"},
             {"[", "f:1:2: expected a value, found the end of the text"},
             {"[1", "f:1:3: expected ',' or ']', found the end of the text"},
             {"[1}", "f:1:3: expected ',' or ']', found '}'"},
             {"[,1]", "f:1:2: expected a value, found ','"},
             {"{,}", "f:1:2: expected a key in quotes, found ','"},
             {"{\"a\":1,}", "f:1:8: expected a key in quotes, found '}'"},
             {"{a:1}", "f:1:2: expected a key in quotes, found 'a'"},
             {"{'a':1}", "f:1:2: expected a key in quotes, found '''"},
             {"{\"a\" 1}", "f:1:6: expected ':', found '1'"},
             {"{\"a\":}", "f:1:6: expected a value, found '}'"},
             {"{\"a\":1]", "f:1:7: expected ',' or '}', found ']'"},
             {"1 1", "f:1:3: expected nothing after the value, found '1'"},
             {"{}x", "f:1:3: expected nothing after the value, found 'x'"},
             {"nul", "f:1:1: expected a value, found 'n'"},
             {"True", "f:1:1: expected a value, found 'T'"},
             {"NaN", "f:1:1: expected a value, found 'N'"},
             {"Infinity", "f:1:1: expected a value, found 'I'"},
             {"/* */ 1", "f:1:1: expected a value, found '/'"},
             {"\xef\xbb\xbf{}", "f:1:1: expected a value, found U+FEFF (a byte order mark)"},
             {"[\"é\", ü]", "f:1:7: expected a value, found 'ü' (U+00FC)"},
             {"\x01", "f:1:1: expected a value, found U+0001"},
             {std::string("1\0", 2), "f:1:2: expected nothing after the value, found U+0000"},
             {"+1", "f:1:1: expected a value, found '+'"},
             {".5", "f:1:1: expected a value, found '.'"},
             {"-", "f:1:2: expected a digit, found the end of the text"},
             {"-a", "f:1:2: expected a digit, found 'a'"},
             {"01", "f:1:2: a number does not start with 0"},
             {"1.", "f:1:3: expected a digit, found the end of the text"},
             {"1.e1", "f:1:3: expected a digit, found 'e'"},
             {"1e+", "f:1:4: expected a digit, found the end of the text"},
             {"0x10", "f:1:2: expected nothing after the value, found 'x'"},
             {"1e999", "f:1:1: 1e999 is outside the range of a double"},
             {"[-1e400]", "f:1:2: -1e400 is outside the range of a double"},
             {"1e-400", "f:1:1: 1e-400 is outside the range of a double"}}) {
        CHECK(error_of(text) == message);
    }
}

TEST_CASE("strings that are not clean UTF-8 are refused") {
    for (const auto& [text, message] : std::initializer_list<std::pair<std::string, std::string>>{
             {"\"a", "f:1:3: the string does not end"},
             {"\"a\\",
              "f:1:4: expected one of \"\\/bfnrtu after the backslash, found the end of the "
              "text"},
             {"\"\\x\"", "f:1:3: expected one of \"\\/bfnrtu after the backslash, found 'x'"},
             {"\"a\nb\"", "f:1:3: U+000A in a string must be escaped"},
             {std::string("\"\0\"", 3), "f:1:2: U+0000 in a string must be escaped"},
             {"\"\xff\"", "f:1:2: byte 0xff is not UTF-8"},
             {"\"\xc3(\"", "f:1:2: byte 0xc3 is not UTF-8"},
             {"\"\xed\xa0\x80\"", "f:1:2: byte 0xed is not UTF-8"},
             {"{\"\xc0\x80\":1}", "f:1:3: byte 0xc0 is not UTF-8"},
             {"\"\\u12\"", "f:1:6: expected four hexadecimal digits, found '\"'"},
             {"\"\\u+123\"", "f:1:4: expected four hexadecimal digits, found '+'"},
             {"\"\\ud800\"", "f:1:8: a surrogate without its other half ends here"},
             {"\"\\ud800\\n\"", "f:1:9: a surrogate without its other half ends here"},
             {"\"\\ud800\\u0041\"", "f:1:14: a surrogate without its other half ends here"},
             {"\"\\ude00\"", "f:1:8: a surrogate without its other half ends here"}}) {
        CHECK(error_of(text) == message);
    }
}

TEST_CASE("a key given twice in one object is refused") {
    CHECK(error_of("{\"a\":1,\n\"b\":2, \"a\":3}") ==
          "f:2:13: key \"a\" is given twice in the object that ends here");
    CHECK(error_of(R"([{"a":{"b":1,"\u0062":2}}])") ==
          "f:1:24: key \"b\" is given twice in the object that ends here");
    CHECK(error_of(R"({"a":{"a":{"a":1}},"b":{"a":1}})") == "none");
    std::string many = "{";
    for (int i = 0; i < 100000; ++i) many += cat("\"k", i, "\":0,");
    CHECK(error_of(many + "\"k\":0}") == "none");
    CHECK(error_of(many + "\"k777\":0}")
              .ends_with("key \"k777\" is given twice in the object that ends here"));
}

TEST_CASE("64 levels are read, more are refused, and a million do not recurse") {
    CHECK(error_of(repeated("[", 64) + repeated("]", 64)) == "none");
    CHECK(error_of(repeated("{\"a\":", 64) + "1" + repeated("}", 64)) == "none");
    CHECK(error_of(repeated("[", 65) + repeated("]", 65)) == "f:1:65: more than 64 levels deep");
    CHECK(error_of(repeated("[", 1000000)) == "f:1:65: more than 64 levels deep");
    CHECK(error_of(repeated("[{\"a\":", 1000000)) == "f:1:193: more than 64 levels deep");
}

TEST_CASE("a value of the wrong kind is refused with both kinds") {
    const Json json = parse_json(R"({"n":1,"s":"x"})", "f");
    CHECK_THROWS_WITH_AS(json.find("n")->string(), "expected a string, found a number", Error);
    CHECK_THROWS_WITH_AS(json.find("s")->number(), "expected a number, found a string", Error);
    CHECK_THROWS_WITH_AS(json.find("s")->boolean(), "expected a boolean, found a string", Error);
    CHECK_THROWS_WITH_AS(json.find("s")->find("x"), "expected an object, found a string", Error);
    CHECK_THROWS_WITH_AS(json.array(), "expected an array, found an object", Error);
    CHECK_THROWS_WITH_AS(Json().object(), "expected an object, found null", Error);
}

TEST_CASE("a member that must be there is read, and an error in it has its name") {
    const Json json = parse_json(R"({"n":7,"o":{"s":"x"}})", "f");
    const auto to_nine = [](const Json& n) { return n.integer(8, 9); };
    CHECK(json.require("n", &Json::number) == 7);
    CHECK_THROWS_WITH_AS(json.require("m", &Json::number), "no m", Error);
    CHECK_THROWS_WITH_AS(json.require("n", &Json::string), "n: expected a string, found a number",
                         Error);
    CHECK_THROWS_WITH_AS(json.require("n", to_nine),
                         "n: expected a whole number from 8 to 9, found 7", Error);
    CHECK_THROWS_WITH_AS(
        json.require("o", [](const Json& o) { return o.require("s", &Json::boolean); }),
        "o: s: expected a boolean, found a string", Error);
}

TEST_CASE("an integer is a whole number in bounds") {
    const auto integer = [](const char* text) { return parse_json(text, "f").integer(-5, 1000); };
    CHECK(integer("-5") == -5);
    CHECK(integer("1000") == 1000);
    CHECK(integer("1.0") == 1);
    CHECK(integer("1e3") == 1000);
    CHECK_THROWS_WITH_AS(integer("1.5"), "expected a whole number from -5 to 1000, found 1.5",
                         Error);
    CHECK_THROWS_WITH_AS(integer("1001"), "expected a whole number from -5 to 1000, found 1001",
                         Error);
    CHECK_THROWS_AS(integer("-6"), Error);
    for (const char* text :
         {"9007199254740993", "9223372036854775807", "-1E300"})  // as the file has it
        CHECK_THROWS_WITH_AS(integer(text),
                             cat("expected a whole number from -5 to 1000, found ", text).c_str(),
                             Error);
    CHECK_THROWS_WITH_AS(integer("\"1\""), "expected a number, found a string", Error);
}

TEST_CASE("mutated text is read or refused, and never anything else") {
    const std::string seeds[] = {
        R"({"a":[1,2.5e-3,null,true,false,"x\u00e9\ud83c\udf88\n"],"b":{"c":{},"d":[[],[[]]]}})",
        "[\"na\xc3\xafve \xf0\x9f\x8e\x88\", -0, 1E5, {\"\": \"\\\"\\\\\\/\"}]\n"};
    constexpr std::string_view kBytes = "{}[]\",:\\u0d8eE+-.t \n\x01\x80\xc3\xed\xf0\xff";
    Random random(1);
    int read = 0;
    for (int round = 0; round < 6000; ++round) {
        std::string text = seeds[round % 2];
        for (auto changes = 1 + random.next() % 4; changes > 0 && !text.empty(); --changes) {
            const std::size_t at = random.next() % text.size();
            const char byte = kBytes[random.next() % kBytes.size()];
            switch (random.next() % 4) {
                case 0: text[at] = byte; break;
                case 1: text.insert(at, 1, byte); break;
                case 2: text.erase(at, 1 + random.next() % 8); break;
                default: text.insert(at, text.substr(random.next() % text.size(), 8));
            }
        }
        read += error_of(text) == "none";
    }
    CHECK(read > 100);
    CHECK(read < 5900);
}

TEST_CASE("a quoted string is JSON that reads back the same") {
    CHECK(json_quote("") == "\"\"");
    CHECK(json_quote("say \"é\" \\ 🎈") == "\"say \\\"é\\\" \\\\ 🎈\"");
    CHECK(json_quote(std::string("\0\n\x1f\x7f", 4)) == "\"\\u0000\\u000a\\u001f\x7f\"");
    std::string all;
    for (std::uint32_t code = 0; code < 0x3000; ++code) append_utf8(all, code);
    CHECK(parse_json(json_quote(all), "f").string() == all);
}

TEST_CASE("bytes that are not UTF-8 are quoted as lone surrogates, one for each byte") {
    CHECK(json_quote("a\xff\xfe b\xc3(\xe2\x82") == "\"a\\udcff\\udcfe b\\udcc3(\\udce2\\udc82\"");
    CHECK(json_quote("\xed\xb3\xbf") == "\"\\udced\\udcb3\\udcbf\"");  // U+DCFF itself
}

TEST_CASE("a number is written as the shortest text that reads back the same") {
    CHECK(json_number(0.1) == "0.1");
    CHECK(json_number(-0.0) == "-0");
    CHECK(json_number(1e21) == "1e+21");
    CHECK(json_number(123456789) == "123456789");
    CHECK(json_number(std::numeric_limits<double>::infinity()) == "null");
    CHECK(json_number(std::nan("")) == "null");
    Random random(2);
    for (int i = 0; i < 1000; ++i) {
        const double value = std::ldexp(random.normal(), int(random.next() % 2000) - 1000);
        CHECK(parse_json(json_number(value), "f").number() == value);
    }
}
