// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>
#include <zlib.h>

#include <fstream>

#include "tests/unit/readers/kineto_fixture.hpp"

namespace kernwatt::readers {
namespace {

using ::testing::HasSubstr;

std::string many_kernels(int count, std::string_view between = ",\n") {
  std::string events;
  for (int i = 0; i < count; ++i) {
    if (i > 0) events += between;
    events += kernel("k" + std::to_string(i % 7) + std::string(static_cast<std::size_t>(i % 61), 'x'),
                     std::to_string(100 + i * 10), "5", i + 1);
  }
  return events;
}

class TemporaryTrace {
 public:
  explicit TemporaryTrace(std::string_view bytes)
      : path_(std::filesystem::temp_directory_path() / ("kernwatt_kineto_" + std::to_string(::getpid()))) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TemporaryTrace() { std::filesystem::remove(path_); }
  TemporaryTrace(const TemporaryTrace&) = delete;
  TemporaryTrace& operator=(const TemporaryTrace&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST(KinetoBadInput, EventsAreFoundWhereverTheReadBlocksEnd) {
  const std::string events = many_kernels(6000);  // over a megabyte: many windows
  for (std::size_t shift = 0; shift < 70; shift += 3) {
    auto trace = read_text(document(std::string(shift, ' ') + events));
    ASSERT_TRUE(trace);
    ASSERT_EQ(trace->launches.size(), 6000U) << shift;
    EXPECT_FALSE(trace->quality.contains("trace.broken-events"));
  }
}

TEST(KinetoBadInput, ATornFileGivesWhatCameBefore) {
  const std::string whole = document(many_kernels(20));
  std::size_t last = 0;
  for (std::size_t cut = 1; cut < whole.size(); cut += 7) {
    auto trace = read_text(whole.substr(0, cut));
    if (!trace) {
      EXPECT_LE(last, 0U) << "once there are events, later cuts have them too: " << trace.error().text();
      EXPECT_FALSE(trace.error().message.empty());
      continue;
    }
    EXPECT_GE(trace->launches.size(), last);
    EXPECT_NE(find_entry(*trace, "trace.torn"), nullptr) << cut;
    EXPECT_EQ(find_entry(*trace, "trace.broken-events"), nullptr) << cut;
    last = trace->launches.size();
  }
  EXPECT_GE(last, 19U);
}

TEST(KinetoBadInput, ATornGzipFileGivesWhatCameBefore) {
  const std::string whole = document(many_kernels(5000));
  std::string packed(compressBound(static_cast<uLong>(whole.size())) + 64, '\0');
  z_stream stream{};
  ASSERT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string in = whole;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  ASSERT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  const TemporaryTrace file(packed.substr(0, packed.size() / 2));
  const auto trace = read_trace(file.path());
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_GT(trace->launches.size(), 1000U);
  EXPECT_LT(trace->launches.size(), 5000U);
  EXPECT_NE(find_entry(*trace, "input.damaged"), nullptr);
  EXPECT_NE(find_entry(*trace, "trace.torn"), nullptr);
}

TEST(KinetoBadInput, TwoConcatenatedTracesAreNamed) {
  const std::string one = document(many_kernels(3));
  const auto trace = read_text(one + "\n" + one);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->launches.size(), 3U);
  EXPECT_THAT(message_of(*trace, "trace.second-document"), HasSubstr("line 4, byte " + std::to_string(one.size() + 1)));
}

TEST(KinetoBadInput, BytesAfterTheDocumentAreNamed) {
  const auto trace = read_text(document(many_kernels(3)) + std::string(100, '\0'));
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->launches.size(), 3U);
  EXPECT_NE(find_entry(*trace, "trace.trailing-bytes"), nullptr);
}

TEST(KinetoBadInput, AMissingQuoteCostsOneEventOnly) {
  for (const std::string_view between : {",\n", ",", ", "}) {
    const std::string text = document(many_kernels(2000, between));
    std::string broken = text;
    const std::size_t quote = broken.find("\"cat\"", broken.size() / 2);
    broken.erase(quote, 1);
    const auto trace = read_text(broken);
    ASSERT_TRUE(trace);
    EXPECT_EQ(trace->launches.size(), 1999U);
    EXPECT_EQ(count_of(*trace, "trace.broken-events"), 1U);
    EXPECT_THAT(message_of(*trace, "trace.broken-events"), HasSubstr("byte " + std::to_string(quote)));
  }
}

TEST(KinetoBadInput, AnEventWithoutItsBraceCostsThatEventOnly) {
  std::string text = document(many_kernels(100));
  text.erase(text.find("}}", text.size() / 2), 1);
  const auto trace = read_text(text);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->launches.size(), 99U);
  EXPECT_EQ(count_of(*trace, "trace.broken-events"), 1U);
}

TEST(KinetoBadInput, ALineEndInsideANameIsRepaired) {
  const auto trace = read_text(document(kernel("a\nb", "1", "5", 1) + ",\n" + kernel("c", "9", "5", 2)));
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->launches.size(), 2U);
  EXPECT_EQ(name_of(*trace, trace->launches[0]), "a\\x0ab");
  EXPECT_EQ(count_of(*trace, "trace.repaired-control-characters"), 1U);
}

TEST(KinetoBadInput, NulsAndQuotesInNamesAreRepaired) {
  const auto trace =
      read_text(document(kernel(std::string("a\0b", 3), "1", "5", 1) + "," + kernel("\\\"q\\\\\\\"", "9", "5", 2)));
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->launches.size(), 2U);
  EXPECT_EQ(name_of(*trace, trace->launches[0]), "a\\x00b");
  EXPECT_EQ(name_of(*trace, trace->launches[1]), "\"q\\\"");
}

TEST(KinetoBadInput, OverflowingTimesAreSetAside) {
  const auto trace =
      read_text(document(kernel("a", "9223372036854775", "9223372036854775", 1) + "," + kernel("b", "1e300", "5", 2) +
                             "," + kernel("c", "\"soon\"", "5", 3) + "," + kernel("d", "9000000000", "5", 4),
                         "\"baseTimeNanoseconds\": 9223372036854000000"));
  ASSERT_TRUE(trace);
  EXPECT_TRUE(trace->launches.empty());
  EXPECT_EQ(count_of(*trace, "trace.unreadable-times"), 4U);
  EXPECT_NE(find_entry(*trace, "trace.no-kernels"), nullptr);
}

TEST(KinetoBadInput, DeepNestingIsABrokenEventNotACrash) {
  const std::string deep = R"({"ph": "X", "cat": "kernel", "a": )" + std::string(200000, '[');
  const auto trace = read_text(
      document(kernel("k", "1", "5", 1) + "," + deep + std::string(200000, ']') + "}, " + kernel("l", "9", "5", 2)));
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->launches.size(), 2U);
  EXPECT_EQ(count_of(*trace, "trace.broken-events"), 0U) << "plain skipping needs no depth";
  const auto odd = read_text(document(kernel("k", "1", "5", 1) + "," + deep + std::string(200000, ']') +
                                      ", \"b\": \"\\\\\"}, " + kernel("l", "9", "5", 2)));
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->launches.size(), 2U);
  EXPECT_THAT(message_of(*odd, "trace.broken-events"), HasSubstr("512 levels"));
  EXPECT_FALSE(read_text(std::string(3000000, '[')).has_value());
}

TEST(KinetoBadInput, AnEndlessEventIsBounded) {
  std::string text = "{\"traceEvents\": [" + kernel("k", "1", "5", 1) + ", {\"name\": \"";
  text.append(12 << 20, 'x');
  const auto endless = read_text(text);
  ASSERT_TRUE(endless);
  EXPECT_EQ(endless->launches.size(), 1U);
  const auto resumed = read_text(text + "}, " + kernel("l", "9", "5", 2) + "]}");
  ASSERT_TRUE(resumed);
  EXPECT_EQ(resumed->launches.size(), 2U);
  EXPECT_EQ(count_of(*resumed, "trace.broken-events"), 1U);
}

TEST(KinetoBadInput, DamageBeforeTheEventsIsSteppedOver) {
  const auto trace =
      read_text("{\"deviceProperties\": [{\"name\": \"GPU\n\"}], \"traceEvents\": [" + kernel("k", "1", "5", 1) + "]}");
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_EQ(trace->launches.size(), 1U);
  EXPECT_NE(find_entry(*trace, "trace.damaged"), nullptr);
}

TEST(KinetoBadInput, WhatIsNoTraceIsAClearError) {
  const auto message = [](std::string text) {
    const auto trace = read_text(std::move(text));
    return trace ? std::string("(read)") : trace.error().text();
  };
  EXPECT_THAT(message("not json at all"), HasSubstr("is not a JSON trace"));
  EXPECT_THAT(message(std::string(1 << 20, '\0')), HasSubstr("NUL bytes"));
  EXPECT_THAT(message("   \n  "), HasSubstr("nothing but white space"));
  EXPECT_THAT(message(R"({"a": 1, "b": {"c": []}})"), HasSubstr("no \"traceEvents\" (its members: a, b)"));
  EXPECT_THAT(message(R"({"schemaVersion": 1, "dev)"), HasSubstr("before any event"));
  EXPECT_THAT(message(R"({"traceEvents": [{"ph": "X", "na)"), HasSubstr("before the end of its first event"));
  EXPECT_THAT(message(R"({"traceEvents": [{"ph": tru}]})"), HasSubstr("none of its events is JSON"));
  EXPECT_THAT(message("\xff\xfe{\0"), HasSubstr("UTF-16"));
  EXPECT_THAT(message("test.json"), HasSubstr("test.json"));
}

TEST(KinetoBadInput, AByteOrderMarkIsNoTrouble) {
  EXPECT_TRUE(read_text("\xef\xbb\xbf" + document(kernel("k", "1", "5", 1))).has_value());
}

TEST(KinetoBadInput, GarbageNeverCrashes) {
  unsigned state = 1;
  for (int round = 0; round < 300; ++round) {
    std::string text = document(many_kernels(5));
    for (int i = 0; i < 1 + round % 20; ++i) {
      state = state * 1664525U + 1013904223U;
      text[(state >> 8U) % text.size()] = static_cast<char>(state >> 24U);
    }
    const auto trace = read_text(text);
    EXPECT_TRUE(trace || !trace.error().message.empty());
  }
}

TEST(ReadTrace, GuessesTheFormatAndSaysSo) {
  const TemporaryTrace file(document(kernel("k", "1", "5", 1)));
  const auto trace = read_trace(file.path());
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->format, "kineto");
  EXPECT_THAT(message_of(*trace, "trace.format"), HasSubstr("told by its content"));
  const auto asked = read_trace(file.path(), {"kineto", {}});
  ASSERT_TRUE(asked);
  EXPECT_THAT(message_of(*asked, "trace.format"), HasSubstr("as asked"));
}

TEST(ReadTrace, ErrorsNameTheFileAndTheWayOut) {
  const TemporaryTrace garbage("\x01\x02\x03\x04garbage");
  const auto unknown = read_trace(garbage.path());
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::bad_data);
  EXPECT_THAT(unknown.error().text(), HasSubstr(garbage.path().string()));
  EXPECT_THAT(unknown.error().text(), HasSubstr("known are: kineto, "));
  const auto format = read_trace(garbage.path(), {"nsys", {}});
  ASSERT_FALSE(format);
  EXPECT_EQ(format.error().code, ErrorCode::invalid_argument);
  EXPECT_FALSE(read_trace(std::filesystem::temp_directory_path()).has_value());
  EXPECT_FALSE(read_trace("does/not/exist").has_value());
}

TEST(ReadTrace, ReportsProgress) {
  const TemporaryTrace file(document(many_kernels(3000)));
  std::uint64_t last = 0;
  std::optional<std::uint64_t> total;
  const auto trace = read_trace(file.path(), {"", [&](std::uint64_t bytes, std::optional<std::uint64_t> all) {
                                                EXPECT_GE(bytes, last);
                                                last = bytes;
                                                total = all;
                                              }});
  ASSERT_TRUE(trace);
  EXPECT_EQ(total, std::filesystem::file_size(file.path()));
  EXPECT_EQ(last, *total);
}

}  // namespace
}  // namespace kernwatt::readers
