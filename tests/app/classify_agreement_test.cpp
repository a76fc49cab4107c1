#include <array>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "config/options/load.hpp"
#include "config/text/extended_json.hpp"
#include "config/text/text_readers.hpp"
#include "routing/classify.hpp"
#include "routing/words/describe.hpp"
#include "tests/support/temporary_folder.hpp"

/// `scattergate classify`, through the program, against routing::classify called from here.
namespace scattergate {
namespace {

// A # stands for one of the values below.
constexpr std::array commands = std::to_array<std::string_view>({
    R"({"find": "clients", "filter": {"project_id": #}})",
    R"({"find": "clients", "filter": {"project_id": #, "_id": {"$oid": "57e193d7a9cc81b4027498b5"}}})",
    R"({"find": "clients", "filter": {"_id": {"$gt": #}}, "sort": {"_id": 1}, "limit": 10})",
    R"({"find": "documents", "filter": {"project_id": {"$in": [#, 1]}, "x": #}})",
    R"({"find": "documents", "filter": {"$or": [{"project_id": #}, {"key": #}]}})",
    R"({"find": "changes", "filter": {"doc_id": #, "server_seq": {"$gte": 1, "$lte": 9}}})",
    R"({"find": "changes", "filter": {"doc_id": {"$gt": #}}, "collation": {"locale": "en"}})",
    R"({"find": "users", "filter": {"name": #}})",
    R"({"count": "documents", "query": {"project_id": {"$ne": #}}})",
    R"({"distinct": "documents", "key": "key", "query": {"project_id": #}})",
    R"({"aggregate": "changes", "pipeline": [{"$match": {"doc_id": #}}], "cursor": {}})",
    R"({"aggregate": "clients", "pipeline": [{"$match": {"project_id": #}}, {"$lookup": {
        "from": "documents", "localField": "d", "foreignField": "key", "as": "e"}}]})",
    R"({"insert": "documents", "documents": [{"project_id": #}, {"project_id": 2}]})",
    R"({"update": "documents", "updates": [{"q": {"project_id": #}, "u": {"$set": {"k": #}}}]})",
    R"({"update": "snapshots", "updates": [{"q": {"x": #}, "u": {"y": #}, "upsert": true}]})",
    R"({"delete": "revisions", "deletes": [{"q": {"doc_id": #}, "limit": 1}]})",
    R"({"delete": "revisions", "deletes": [{"q": {"x": #}, "limit": 0}]})",
    R"({"findAndModify": "clients", "query": {"_id": #}, "update": {"$set": {"x": 1}}})",
    R"({"explain": {"find": "schemas", "filter": {"name": #}}})",
    R"({"createIndexes": "documents", "indexes": [{"key": {"x": 1}, "unique": true}]})",
    R"({"getMore": {"$numberLong": "5"}, "collection": "changes"})",
    R"({"ping": 1})",
    R"({"somethingNew": "documents", "x": #})",
});

constexpr std::array values = std::to_array<std::string_view>({
    "1",
    "-7.5",
    R"("text")",
    "null",
    "true",
    R"({"$oid": "57e193d7a9cc81b4027498b5"})",
    R"({"$date": "2024-01-31T12:00:00Z"})",
    R"({"$numberLong": "9007199254740993"})",
    R"({"$numberDecimal": "1.50"})",
    R"({"a": [1, {"b": 2}]})",
    "[1, 2]",
    R"({"$exists": false})",
    R"({"$regex": "^ab"})",
    R"({"$type": 7})",
    R"({"$minKey": 1})",
    R"({"$binary": {"base64": "AQID", "subType": "00"}})",
    R"({"$timestamp": {"t": 5, "i": 1}})",
    R"({"$uuid": "73ffd264-44b3-4c69-90e8-e7d1dfc035d4"})",
    R"("naïve \" \u0000")",
});

constexpr std::array bad_lines = std::to_array<std::string_view>({
    "nonsense",
    "5",
    "{}",
    "[1]",
    R"({"find": "documents"})",
    R"({"ping": 1} {"ping": 1})",
    R"({"find": "documents", "$db": "yorkie-meta", "filter": {"a": {"$oid": "x"}}})",
    "{\"ping\": \"\xff\"}",
});

std::string command_line(std::size_t i) {
  std::string line{commands[i % commands.size()]};
  const std::string_view value = values[i % values.size()];
  for (std::size_t at = 0; (at = line.find('#', at)) != line.npos; at += value.size()) {
    line.replace(at, 1, value);
  }
  std::erase(line, '\n');
  line.pop_back();
  return line + R"(, "$db": "yorkie-meta"})";
}

/// The expected output of the program for a command.
std::string verdict_on(std::string_view line, const routing::catalog& entries) {
  std::vector<std::byte> block(routing::scratch_bytes);
  std::vector<std::byte> shape_block(routing::scratch_bytes);
  routing::scratch memory{block};
  routing::scratch shape_memory{shape_block};
  const config::bson_bytes body = config::bson_of_json(line).value();
  const auto command = wire::command_of(body.view());
  const auto verdict = routing::classify(command.value(), entries, memory);
  return routing::verdict_json(verdict, command.value(), entries, shape_memory);
}

/// The input and the expected output: for a bad line only its number.
struct expectation {
  std::string input;
  std::vector<std::string> verdicts;      ///< empty where the line is bad
  std::vector<std::size_t> line_numbers;  ///< from 1
  std::size_t lines = 0;

  void add(std::string_view line, std::string verdict) {
    input.append(line).push_back('\n');
    verdicts.push_back(std::move(verdict));
    line_numbers.push_back(++lines);
  }
};

expectation mixed(const routing::catalog& entries, bool with_bad_lines) {
  expectation made;
  for (std::size_t i = 0; i < 1'000; ++i) {
    if (with_bad_lines && i % 37 == 0) made.add(bad_lines[i / 37 % bad_lines.size()], "");
    if (with_bad_lines && i % 101 == 0) {
      made.input += " \n";
      ++made.lines;
    }
    const std::string line = command_line(i);
    made.add(line, verdict_on(line, entries));
  }
  return made;
}

void expect_error(const std::string& answer, std::size_t line) {
  const std::string end = ",\"line\":" + std::to_string(line) + "}";
  EXPECT_TRUE(answer.starts_with("{\"error\":\"") && answer.ends_with(end)) << answer;
  const auto parsed = config::parse_json(answer);
  ASSERT_TRUE(parsed) << answer;
  EXPECT_EQ(parsed->root().child_count(), 4U) << answer;
}

/// Runs the program over the input; its exit status.
int run_over(const expectation& expected, std::vector<std::string>& answers) {
  const test::temporary_folder folder;
  const std::string in = folder.write("commands.jsonl", expected.input);
  const std::string out = folder.path_of("verdicts.jsonl");
  const std::string call =
      SCATTERGATE " classify --catalog preset:yorkie --json <'" + in + "' >'" + out + "'";
  const int status = std::system(call.c_str());
  std::ifstream file{out};
  for (std::string line; std::getline(file, line);) answers.push_back(line);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(classify, says_of_a_thousand_commands_what_is_said_in_process) {
  const auto loaded = config::load_catalog("preset:yorkie");
  ASSERT_TRUE(loaded.value);
  for (const bool with_bad_lines : {false, true}) {
    const expectation expected = mixed(*loaded.value, with_bad_lines);
    std::vector<std::string> answers;
    EXPECT_EQ(run_over(expected, answers), 2);  // no command has the name somethingNew
    ASSERT_EQ(answers.size(), expected.verdicts.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (expected.verdicts[i].empty()) {
        expect_error(answers[i], expected.line_numbers[i]);
      } else {
        EXPECT_EQ(answers[i], expected.verdicts[i]);
      }
    }
  }
}

}  // namespace
}  // namespace scattergate
