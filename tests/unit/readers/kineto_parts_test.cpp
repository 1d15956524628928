// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernwatt/readers/assembly/string_pool.hpp"
#include "kernwatt/readers/kineto/careful_event.hpp"
#include "kernwatt/readers/kineto/decimal.hpp"
#include "kernwatt/readers/kineto/event_boundary.hpp"
#include "kernwatt/readers/kineto/plain_event.hpp"
#include "kernwatt/readers/kineto/structural_scan.hpp"
#include "kernwatt/readers/kineto/text_repair.hpp"

namespace kernwatt::readers::kineto {

using namespace assembly;

namespace {

TEST(Decimal, MicrosecondsBecomeNanosecondsExactly) {
  EXPECT_EQ(nanoseconds_from_microseconds("0"), 0);
  EXPECT_EQ(nanoseconds_from_microseconds("5.000"), 5'000);
  EXPECT_EQ(nanoseconds_from_microseconds("253.7"), 253'700);
  EXPECT_EQ(nanoseconds_from_microseconds("1712195495505582.988"), 1'712'195'495'505'582'988);
  EXPECT_EQ(nanoseconds_from_microseconds("-1199"), -1'199'000);
  EXPECT_EQ(nanoseconds_from_microseconds("-0.001"), -1);
  EXPECT_EQ(nanoseconds_from_microseconds("1.5e3"), 1'500'000);
  EXPECT_EQ(nanoseconds_from_microseconds("15E-1"), 1'500);
  EXPECT_EQ(nanoseconds_from_microseconds("1e-9"), 0);
  EXPECT_EQ(nanoseconds_from_microseconds("0e999"), 0);
  EXPECT_EQ(nanoseconds_from_microseconds("9223372036854775.807"), INT64_MAX);
}

TEST(Decimal, DigitsBelowOneNanosecondAreRounded) {
  EXPECT_EQ(nanoseconds_from_microseconds("1.0004999"), 1'000);
  EXPECT_EQ(nanoseconds_from_microseconds("1.0005"), 1'001);
  EXPECT_EQ(nanoseconds_from_microseconds("1712195495505582.9889"), 1'712'195'495'505'582'989);
}

TEST(Decimal, WhatIsNoNumberOrDoesNotFitIsEmpty) {
  for (const std::string_view text : {"", "-", ".", "5.", ".5", "1e", "NaN", "0x10", "1 ", "9223372036854775.808",
                                      "99999999999999999999", "1e300", "--1", "1.2.3"}) {
    EXPECT_FALSE(nanoseconds_from_microseconds(text)) << text;
  }
}

TEST(Decimal, IdsAboveTheSignedRangeStayDistinct) {
  EXPECT_EQ(integer("42"), 42);
  EXPECT_EQ(integer("-1"), -1);
  EXPECT_NE(integer("10159970886766084423"), integer("10159970886766084424"));
  EXPECT_FALSE(integer("99999999999999999999999"));
  EXPECT_FALSE(integer("1.5"));
  EXPECT_FALSE(integer(""));
}

TEST(StructuralScan, AllInstructionSetsSeeTheSame) {
  unsigned seed = 7;
  constexpr std::string_view alphabet = "\"\\{}[]:, \nab\x01\x80";
  for (int round = 0; round < 200; ++round) {
    std::string text(scan_block_size * 5, ' ');
    for (char& byte : text) {
      seed = seed * 1664525U + 1013904223U;
      byte = alphabet[(seed >> 16U) % alphabet.size()];
    }
    std::vector<std::vector<ScannedBlock>> results;
    for (const NamedScan& scan : available_scans()) {
      ScanState state;
      auto& blocks = results.emplace_back(5);
      scan.scan(text.data(), 2, state, blocks.data());
      scan.scan(text.data() + 2 * scan_block_size, 3, state, blocks.data() + 2);
    }
    for (std::size_t i = 1; i < results.size(); ++i) {
      for (std::size_t b = 0; b < 5; ++b) {
        ASSERT_EQ(results[i][b].stops, results[0][b].stops) << available_scans()[i].name;
        ASSERT_EQ(results[i][b].opens, results[0][b].opens) << available_scans()[i].name;
        ASSERT_EQ(results[i][b].flags, results[0][b].flags) << available_scans()[i].name;
      }
    }
  }
}

TEST(StructuralScan, BracketsInStringsAndAfterEscapedQuotesDoNotCount) {
  std::string text = R"({"a\"}": "[\\", "b": []})";
  text.resize(scan_block_size, ' ');
  ScanState state;
  ScannedBlock block;
  available_scans().front().scan(text.data(), 1, state, &block);
  std::string stops;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((block.stops >> i & 1U) != 0) stops += text[i];
  }
  EXPECT_EQ(stops, "{[]}");
  EXPECT_EQ(state.in_string, 0U);
}

TEST(StructuralScan, CountsNewlines) {
  for (const std::size_t size : {0U, 1U, 15U, 16U, 17U, 4080U, 4096U, 10000U}) {
    EXPECT_EQ(count_newlines(std::string(size, '\n')), size);
    EXPECT_EQ(count_newlines(std::string(size, 'x')), 0U);
  }
}

TEST(EventBoundary, IsAnEventsEndAndNotAnInnerObject) {
  const std::string text = R"("x": [{"a": 1}, {"b": 2}]}}, {"ph": "X"})";
  const auto boundary = find_event_boundary(text, 0, false);
  ASSERT_TRUE(boundary);
  EXPECT_EQ(text.substr(boundary->resume), R"({"ph": "X"})");
  EXPECT_FALSE(find_event_boundary(R"({"a": [{"b": 1}] )", 0, false));
  EXPECT_TRUE(find_event_boundary("\"a\"}\n ] }", 0, true));
  EXPECT_TRUE(find_event_boundary("\"a\"}], \"traceName\": 1", 0, false));
  EXPECT_FALSE(find_event_boundary("\"a\"}], \"Input Dims\": 1", 0, false));
}

TEST(PlainEvent, GivesTheSameAsTheCarefulParser) {
  const std::vector<std::string> events{
      R"({"ph":"X","cat":"kernel","name":"k","ts":1.5,"dur":2,"args":{"grid":[1, 2,3],"stream":"7","correlation":5,"x":{"y":[1,"]"]}}})",
      "{\n \"ph\" : \"X\" , \"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"args\":{ },\"ts\":1}",
      R"({"ph":"X","cat":"Operator","name":null,"pid":"a","tid":true,"args":{"Input Dims":[[1,2],[]],"External id":-5}})",
  };
  CarefulEventParser careful;
  PlainEventParser parser;
  for (int round = 0; round < 3; ++round) {  // from the second on, gaps are recognised
    for (const std::string& text : events) {
      EventFields plain;
      EventFields other;
      TextRepairs repairs;
      ASSERT_EQ(parser.parse(text, plain), ParseOutcome::parsed) << text;
      ASSERT_TRUE(careful.parse(text, other, repairs)) << text;
      EXPECT_FALSE(repairs.any());
      EXPECT_EQ(plain.kind, other.kind);
      EXPECT_EQ(plain.name, other.name);
      EXPECT_EQ(plain.start, other.start);
      EXPECT_EQ(plain.grid, other.grid);
      EXPECT_EQ(plain.stream, other.stream);
      EXPECT_EQ(plain.input_shapes, other.input_shapes);
      EXPECT_EQ(plain.external_id, other.external_id);
      EXPECT_EQ(plain.thread, other.thread);
    }
  }
}

TEST(PlainEvent, LeavesWhatItDoesNotUnderstand) {
  EventFields fields;
  PlainEventParser parser;
  for (const std::string_view text :
       {R"({"ph":"X","cat":"kernel","dur":NaN})", R"({"ph":"X" "cat":"kernel"})", R"({"ph":"X","cat":"kernel",})",
        R"({"ph":"X","cat":"kernel"})"
        "}",
        R"({ph:"X"})", R"({"ph":"X","cat":"kernel","a":[1,2})"}) {
    EXPECT_EQ(parser.parse(text, fields), ParseOutcome::irregular) << text;
  }
  EXPECT_EQ(parser.parse(R"({"ph":"s","id":1,"cat":"ac2g"})", fields), ParseOutcome::skipped);
  EXPECT_EQ(parser.parse(R"({"ph":"X","cat":"python_function","name":"f.py(1): g"})", fields), ParseOutcome::skipped);
}

TEST(TextRepair, MendsWhatProfilersWriteWrong) {
  std::string out;
  EXPECT_FALSE(repair_json(R"({"a": "\u00e9\ud83d\ude00\n", "b": [1e5, null]})", out).any());
  EXPECT_TRUE(repair_json(R"("torch\cuda\__init__.py")", out).backslashes);
  EXPECT_EQ(out, R"("torch\\cuda\\__init__.py")");
  EXPECT_TRUE(repair_json(R"("\ud83d alone")", out).backslashes);
  EXPECT_TRUE(repair_json("\"a\xff\"", out).invalid_utf8);
  EXPECT_EQ(out, "\"a\\\\xff\"");
  EXPECT_TRUE(repair_json("\"a\x01\"", out).control_characters);
  EXPECT_TRUE(repair_json("[NaN, -Infinity, Infinity, \"NaN\"]", out).not_numbers);
  EXPECT_EQ(out, "[null, null, null, \"NaN\"]");
  EXPECT_FALSE(repair_json("\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"", out).any());
  for (const std::string_view bad :
       {"\xc0\x80", "\xed\xa0\x80", "\xe0\x80\x80", "\xf5\x80\x80\x80", "\xc3", "\xe2\x82"}) {
    EXPECT_TRUE(repair_json("\"" + std::string(bad) + "\"", out).invalid_utf8);
  }
}

TEST(JsonFault, SaysWhereAndWhatWasExpected) {
  EXPECT_FALSE(find_json_fault(R"({"a": [1, -2.5e3, "x\"y", {}, [], null, true]})"));
  const auto fault = find_json_fault(R"({"a": 1, tid": 0})");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->index, 9U);
  EXPECT_EQ(fault->expected, "a key in double quotes");
  EXPECT_EQ(find_json_fault("[1 2]")->index, 3U);
  EXPECT_EQ(find_json_fault("[1")->index, 2U);
  EXPECT_EQ(find_json_fault("{} x")->index, 3U);
  EXPECT_TRUE(find_json_fault("[tru]"));
  EXPECT_TRUE(find_json_fault("{\"a\": }"));
  EXPECT_TRUE(find_json_fault("[1}"));
  EXPECT_TRUE(find_json_fault(std::string(100000, '[')));
  EXPECT_TRUE(find_json_fault(""));
}

TEST(StringPool, KeepsEachStringOnce) {
  StringPool pool;
  EXPECT_EQ(pool.intern(""), 0U);
  std::vector<std::string> texts;
  for (int i = 0; i < 5000; ++i)
    texts.push_back("name " + std::to_string(i) + std::string(static_cast<std::size_t>(i % 90), 'x'));
  std::vector<std::uint32_t> ids;
  for (const std::string& text : texts) ids.push_back(pool.intern(text));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(pool.intern(texts[i]), ids[i]);
    EXPECT_EQ(pool.at(ids[i]), texts[i]);
  }
  EXPECT_EQ(pool.size(), 5001U);
}

}  // namespace
}  // namespace kernwatt::readers::kineto
