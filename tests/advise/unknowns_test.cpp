#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/collection_advisor.hpp"
#include "tests/advise/sent_traffic.hpp"

namespace scattergate::advise {
namespace {

using advise_tests::sent_traffic;
using std::chrono::seconds;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* catalog =
    R"({"version": "8.0", "collections": [{"ns": "db.c", "key": {"a": 1}}]})";

std::string find_of(int a) {
  return R"({"find": "c", "filter": {"a": )" + std::to_string(a) + "}}";
}

/// A day of whole commands with times, and the indexes: nothing is unknown.
sent_traffic well_known() {
  sent_traffic made{catalog};
  for (int i = 0; i < 2'000; ++i) made.add(find_of(i), seconds{i * 43});
  made.set_indexes("db.c", "[]");
  return made;
}

std::vector<std::string> unknown_of(const sent_traffic& sent, const input_gaps& gaps = {}) {
  return sent.advice({}, {}, gaps).collections.at(0).unknown;
}

TEST(unknowns, are_none_of_a_day_of_whole_commands) {
  EXPECT_THAT(unknown_of(well_known()), IsEmpty());
}

struct unknown_case {
  const char* what;
  sent_traffic (*sent)();
  input_gaps gaps;
  const char* unknown;
  const char* to_do;
};

class unknown : public testing::TestWithParam<unknown_case> {};

TEST_P(unknown, is_stated_with_what_to_enable_and_nothing_is_safe) {
  const auto& [what, sent, gaps, text, to_do] = GetParam();
  const auto advised = sent().advice({}, {}, gaps).collections.at(0);
  EXPECT_THAT(advised.unknown, Contains(testing::AllOf(HasSubstr(text), HasSubstr(to_do))));
  for (const candidate& one : advised.candidates) EXPECT_FALSE(one.is_safe);
}

INSTANTIATE_TEST_SUITE_P(
    causes, unknown,
    testing::Values(
        unknown_case{"findings_only",
                     well_known,
                     {.is_findings_only = true},
                     "audit log",
                     "state: {file: PATH}"},
        unknown_case{"slow_commands_only",
                     well_known,
                     {.threshold = std::chrono::milliseconds{100}},
                     "from 100 ms on",
                     "slowms: -1"},
        unknown_case{
            "truncated_lines", well_known, {.truncated = 7}, "7 log lines", "maxLogSizeKB"},
        unknown_case{
            "redacted_lines", well_known, {.redacted = 7}, "7 entries", "redactClientLogData"},
        unknown_case{
            "evicted_shapes", well_known, {.evicted_rows = 1}, "evicted", "audit.max_shapes"},
        unknown_case{"shapes_without_values",
                     [] {
                       sent_traffic made = well_known();
                       made.add_shape(R"({"count": "c", "query": {"a": 1}})", 5'000);
                       return made;
                     },
                     {},
                     "5,000 of 7,000 commands have no values",
                     "advise: {sketch: on}"},
        unknown_case{"fleet_without_sketches",
                     [] {
                       sent_traffic made{catalog};
                       made.add_shape(find_of(1), 2'000);
                       return made;
                     },
                     {.has_fleet = true},
                     "a fleet's database has no sketches",
                     "advise: {sketch: on, salt_file: PATH} on the sidecars"},
        unknown_case{"no_times",
                     [] {
                       sent_traffic made{catalog};
                       for (int i = 0; i < 2'000; ++i) made.add(find_of(i));
                       return made;
                     },
                     {},
                     "nothing is held out",
                     "packet capture"},
        unknown_case{"too_little_traffic",
                     [] {
                       sent_traffic made{catalog};
                       for (int i = 0; i < 999; ++i) made.add(find_of(i), seconds{i * 86});
                       return made;
                     },
                     {},
                     "too little traffic (999 commands)",
                     "1,000"},
        unknown_case{"less_than_a_day",
                     [] {
                       sent_traffic made{catalog};
                       for (int i = 0; i < 2'000; ++i) made.add(find_of(i), seconds{i});
                       return made;
                     },
                     {},
                     "shorter than a day",
                     "nightly jobs"},
        unknown_case{"indexes",
                     [] {
                       sent_traffic made{catalog};
                       for (int i = 0; i < 2'000; ++i) made.add(find_of(i), seconds{i * 43});
                       return made;
                     },
                     {},
                     "unique indexes are unknown",
                     "--indexes"},
        unknown_case{"inserts_without_documents",
                     [] {
                       sent_traffic made = well_known();
                       made.add_shape(R"({"insert": "c", "documents": [{"a": 1}]})", 10);
                       return made;
                     },
                     {},
                     "documents of 10 inserts",
                     "capture packets"}),
    [](const auto& of) { return of.param.what; });

/// Sketches of `requests` requests, of 2,000 commands.
std::vector<std::string> unknown_of_sketched(double requests) {
  sent_traffic sent{catalog};
  sent.add_shape(find_of(1), 2'000);
  const statistics_source sketches = [=](std::string_view, const std::vector<std::string>&) {
    value_statistics made;
    made.requests = requests;
    return std::optional{made};
  };
  return sent.advice({}, sketches).collections.at(0).unknown;
}

TEST(unknowns, are_the_commands_that_sketches_have_missed) {
  EXPECT_THAT(unknown_of_sketched(2'000), Each(Not(HasSubstr("sketches"))));
  EXPECT_THAT(unknown_of_sketched(1'000),
              Contains(HasSubstr("only 1,000 requests, for 2,000 commands")));
}

/// Sketches aren't used then.
TEST(unknowns, are_the_values_of_shapes_next_to_whole_commands) {
  sent_traffic sent = well_known();
  sent.add_shape(R"({"count": "c", "query": {"a": 1}})", 5'000);
  const statistics_source sketches = [](std::string_view, const std::vector<std::string>&) {
    value_statistics made;
    made.requests = 9'000;
    return std::optional{made};
  };
  EXPECT_THAT(sent.advice({}, sketches).collections.at(0).unknown,
              Contains(HasSubstr("5,000 of 7,000 commands have no values")));
}

TEST(unknowns, of_a_collection_without_commands_are_that) {
  question asked;
  asked.name_space = "db.other";
  EXPECT_THAT(well_known().advice(asked).collections.at(0).unknown,
              Contains(HasSubstr("no command on it")));
}

}  // namespace
}  // namespace scattergate::advise
