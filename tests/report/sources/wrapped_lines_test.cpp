#include "report/sources/wrapped_lines.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "report/sources/input.hpp"
#include "tests/report/sources/kept.hpp"
#include "text/json_writer.hpp"

namespace scattergate::report {
namespace {

const std::string plain =
    R"({"t":{"$date":"2026-11-22T04:51:21.203+00:00"},"s":"I",  "c":"COMMAND",)"
    R"("msg":"Slow query","attr":{"command":{"find":"o\"rders","filter":{"a":"é"}}}})";
const std::string audit =
    R"({"schemaVersion":1,"atype":"scattergate.finding","param":{"ns":"shop.orders"}})";

std::string as_json(const std::string& text) {
  std::string json;
  text::append_json_string(json, text);
  return json;
}

std::string as_bytes(const std::string& text) {
  std::string json = "[";
  for (const char letter : text) {
    if (json.size() > 1) json += ',';
    json += std::to_string(static_cast<unsigned char>(letter));
  }
  return json + "]";
}

/// The lines in lines, and what is left out.
struct taken {
  std::vector<std::string> lines;
  kept left_out;
};

taken take(const std::vector<std::string>& lines) {
  taken all;
  wrapped_lines unwrapped;
  for (const std::string& line : lines) {
    std::string padded = line + std::string(input_lines::padding, '"');
    const std::string_view inner =
        unwrapped.take(std::string_view{padded}.substr(0, line.size()), all.left_out);
    if (!inner.empty()) all.lines.emplace_back(inner);
  }
  unwrapped.finish(all.left_out);
  return all;
}

struct wrapping {
  const char* name;
  std::function<std::string(const std::string&)> around;
};

std::string before(const std::string& prefix, const std::string& line) {
  return prefix + line;
}

const std::vector<wrapping>& wrappings() {
  const auto prefix = [](const std::string& text) {
    return [text](const std::string& line) { return before(text, line); };
  };
  static const std::vector<wrapping> all = {
      {"nothing", prefix("")},
      {"CRI", prefix("2026-11-22T04:51:21.203456789Z stdout F ")},
      {"CRI with an offset and tags", prefix("2026-11-22T04:51:21.2+01:00 stderr F:x ")},
      {"kubectl --prefix", prefix("[pod/mongos-0/mongos] ")},
      {"kubectl --timestamps", prefix("2026-11-22T04:51:21.203456789Z ")},
      {"kubectl with both", prefix("[pod/mongos-0/mongos] 2026-11-22T04:51:21.2Z ")},
      {"Docker Compose", prefix("mongos1-1  | ")},
      {"Docker Compose in colour", prefix("\x1b[36mmongos1-1  | \x1b[0m")},
      {"stern", prefix("mongos-0 mongos ")},
      {"RFC 3164", prefix("<14>Nov 22 04:51:21 db1 mongos[4711]: ")},
      {"RFC 3164 in a file", prefix("Nov  2 04:51:21 db1 mongos: ")},
      {"rsyslog", prefix("2026-11-22T04:51:21.203456+00:00 db1 mongos[4711]: ")},
      {"RFC 5424", prefix("<14>1 2026-11-22T04:51:21.203Z db1 mongos 4711 - - ")},
      {"RFC 5424 with data and a mark",
       prefix("<14>1 2026-11-22T04:51:21Z h a 1 ID [x@1 k=\"v \\] \"][y] \xef\xbb\xbf")},
      {"RFC 5424 behind its length", prefix("312 <14>1 2026-11-22T04:51:21Z h a 1 - - ")},
      {"Docker",
       [](const std::string& line) {
         return R"({"log":)" + as_json(line + "\n") +
                R"(,"stream":"stdout","time":"2026-11-22T04:51:21.203456789Z"})";
       }},
      {"Docker with labels, for a collector",
       [](const std::string& line) {
         return R"({"log":)" + as_json(line) +
                R"(,"stream":"stdout","attrs":{"tag":"mongos"},"time":"2026"})";
       }},
      {"journald",
       [](const std::string& line) {
         return R"({"__CURSOR":"s=1","_PID":"12","MESSAGE":)" + as_json(line) +
                R"(,"PRIORITY":"6"})";
       }},
      {"journald's bytes",
       [](const std::string& line) {
         return R"({"_PID":"12", "MESSAGE" : )" + as_bytes(line) + "}";
       }},
      {"journald over several lines",
       [](const std::string& line) {
         return "{\n\t\"_PID\" : \"12\",\n\t\"MESSAGE\" : " + as_json(line) + "\n}";
       }},
      {"a collector",
       [](const std::string& line) {
         return R"({"@timestamp":"2026","logtag":"F","message":)" + as_json(line) + "}";
       }},
      {"a prefix in JSON",
       [](const std::string& line) {
         return R"({"_PID":"12","MESSAGE":)" + as_json("mongos1  | " + line) + "}";
       }},
  };
  return all;
}

TEST(wrapped_lines, are_taken_out_of_what_is_around_them) {
  for (const auto& [name, around] : wrappings()) {
    const taken all = take({around(plain), around(audit)});
    EXPECT_EQ(all.lines, (std::vector{plain, audit})) << name;
    EXPECT_TRUE(all.left_out.skipped.empty()) << name;
  }
}

TEST(wrapped_lines, leave_all_else_as_it_is) {
  const std::vector<std::string> others = {
      R"({"find":"orders","filter":{"log":"x\n"},"$db":"shop"})",
      R"({"find":"orders","comment":"message","$db":"shop"})",
      R"({"op":"query","ns":"shop.orders","command":{"find":"orders","message":"a"}})",
      R"({"insert":"a","documents":[{"MESSAGE":"b"}],"$db":"d","message":{"$numberInt":"1"}})",
      "2026-11-22T04:51:21.203Z I COMMAND [conn1] command shop.orders",
      "about to fork child process",
      R"({"log":)",
  };
  EXPECT_EQ(take(others).lines, others);
}

/// Each way of splitting a line into parts: the line of a part.
struct splitting {
  const char* name;
  std::function<std::string(const std::string& part, const std::string& stream, bool is_last)>
      around;
};

const std::vector<splitting>& splittings() {
  static const std::vector<splitting> all = {
      {"CRI",
       [](const std::string& part, const std::string& stream, bool is_last) {
         return "2026-11-22T04:51:21.2Z " + stream + (is_last ? " F " : " P ") + part;
       }},
      {"Docker",
       [](const std::string& part, const std::string& stream, bool is_last) {
         return R"({"log":)" + as_json(is_last ? part + "\n" : part) + R"(,"stream":")" +
                stream + R"(","time":"2026"})";
       }},
      {"journald",
       [](const std::string& part, const std::string& stream, bool is_last) {
         return R"({"_STREAM_ID":")" + stream + R"(","MESSAGE":)" + as_json(part) +
                (is_last ? "}" : R"(,"_LINE_BREAK":"line-max"})");
       }},
      {"journald's bytes by process",
       [](const std::string& part, const std::string& stream, bool is_last) {
         return R"({"_PID":")" + stream + R"(","MESSAGE":)" + as_bytes(part) +
                (is_last ? "}" : R"(,"_LINE_BREAK":"line-max"})");
       }},
      {"Docker's driver for journald",
       [](const std::string& part, const std::string& stream, bool is_last) {
         return R"({"CONTAINER_ID_FULL":")" + stream + R"(","MESSAGE":)" + as_json(part) +
                (is_last ? "}" : R"(,"CONTAINER_PARTIAL_MESSAGE":"true"})");
       }},
      {"a collector that keeps CRI's tag",
       [](const std::string& part, const std::string& stream, bool is_last) {
         return R"({"stream":")" + stream + R"(","logtag":")" + (is_last ? "F" : "P") +
                R"(","log":)" + as_json(part) + "}";
       }},
  };
  return all;
}

/// Two streams with alternating parts.
TEST(wrapped_lines, that_were_split_are_joined_by_stream) {
  std::string ascii = plain;  // a part that cuts a character in two is no JSON
  ascii.replace(ascii.find("é"), 2, "e");
  const std::string long_line =
      ascii.substr(0, ascii.size() - 1) + R"(,"x":")" + std::string(50'000, 'x') + R"("})";
  for (const auto& [name, around] : splittings()) {
    for (const std::size_t size : {1UL, 7UL, 16UL << 10}) {
      std::string one = size < 100 ? ascii : long_line;
      std::string other = size < 100 ? audit : audit + std::string(40'000, ' ') + "}";
      const std::vector expected = {one, other};
      std::vector<std::string> lines;
      while (!one.empty() || !other.empty()) {
        for (auto* const each : {&one, &other}) {
          if (each->empty()) continue;
          const std::string part = each->substr(0, size);
          each->erase(0, part.size());
          lines.push_back(around(part, each == &one ? "stdout" : "stderr", each->empty()));
        }
      }
      taken all = take(lines);
      std::ranges::sort(all.lines, std::greater{});
      std::vector sorted = expected;
      std::ranges::sort(sorted, std::greater{});
      EXPECT_EQ(all.lines, sorted) << name << ' ' << size;
      EXPECT_TRUE(all.left_out.skipped.empty()) << name;
    }
  }
}

TEST(wrapped_lines, that_are_cut_are_counted_as_truncated) {
  const std::string cut = plain.substr(0, 120);
  for (const std::string& line :
       {"<14>Nov 22 04:51:21 db1 mongos[4711]: " + cut, R"({"MESSAGE":)" + as_json(cut) + "}",
        std::string{R"({"_PID":"12","MESSAGE":null})"},
        R"({"log":)" + as_json(cut) + R"(,"stream":"stdout"})",
        "2026-11-22T04:51:21Z stdout P " + plain}) {
    const taken all = take({line});
    EXPECT_TRUE(all.lines.empty()) << line;
    EXPECT_EQ(all.left_out.skipped, (std::map<skip_reason, int>{{skip_reason::truncated, 1}}))
        << line;
  }
}

TEST(split_lines, give_up_the_oldest_where_too_many_streams_wait) {
  split_lines split;
  kept left_out;
  for (std::size_t i = 0; i <= split_lines::most_streams; ++i) {
    EXPECT_FALSE(split.take(std::to_string(i), "a", false, left_out));
  }
  EXPECT_EQ(left_out.skipped[skip_reason::truncated], 1);
  EXPECT_EQ(split.take("0", "b", true, left_out), "b");
  EXPECT_EQ(split.take("1", "b", true, left_out), "ab");
}

TEST(split_lines, hold_no_more_than_the_longest_line) {
  split_lines split;
  kept left_out;
  const std::string part(1UL << 20, 'x');
  for (std::size_t bytes = 0; bytes <= input_lines::max_line_bytes; bytes += part.size()) {
    EXPECT_FALSE(split.take("long", part, false, left_out));
  }
  EXPECT_FALSE(split.take("other", "a", false, left_out));
  EXPECT_FALSE(split.take("long", "x", true, left_out));
  EXPECT_EQ(left_out.skipped[skip_reason::too_long], 1);
  EXPECT_EQ(split.take("other", "b", true, left_out), "ab");
}

}  // namespace
}  // namespace scattergate::report
