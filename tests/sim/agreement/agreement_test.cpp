#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>

#include <gtest/gtest.h>

#include "routing/catalog/catalog.hpp"
#include "routing/classify.hpp"
#include "routing/words/describe.hpp"
#include "sim/execution/pipeline_head.hpp"
#include "sim/values/bson_codec.hpp"
#include "tests/sim/agreement/explained.hpp"
#include "tests/sim/agreement/recombined_commands.hpp"
#include "tests/sim/agreement/shrinking.hpp"
#include "tests/sim/recorded_answers.hpp"
#include "tests/support/real_records.hpp"

// The daemon's judgement held against the simulator's, version by version, over commands that
// are put together anew from the parts of recorded ones. Where they differ, explained.hpp says
// why.
namespace scattergate::sim {
namespace {

/// What the daemon says, in the words of a recorded answer; "?" where it doesn't know.
class daemon_judgement {
 public:
  daemon_judgement(const document& layout, std::string_view version)
      : entries_(catalog_of(layout, version)) {}

  [[nodiscard]] std::string answer_to(const document& command) {
    const std::string bytes = encode(command);
    const auto view = wire::document_view::from(std::as_bytes(std::span{bytes})).value();
    wire::command asked = wire::command_of(view).value();
    asked.database = "db";
    routing::scratch memory{block_};
    const routing::verdict verdict = routing::classify(asked, *entries_, memory);
    if (verdict.refused != routing::refusal::none) return std::string{label(verdict.refused)};
    if (!verdict.fanout) return "?";
    std::set<std::string> names;
    for (const auto& each : routing::shard_names(*verdict.fanout, *entries_)) {
      names.insert(std::string{each});
    }
    return recorded_cluster::joined(names);
  }

 private:
  static std::shared_ptr<const routing::catalog> catalog_of(const document& layout,
                                                            std::string_view version) {
    routing::collection entry;
    entry.database = "db";
    entry.name = "c";
    for (const field& each : document_argument(layout, "shardKey")) {
      const bool is_hashed = !each.content.is_number();
      if (is_hashed) entry.hashed_field = static_cast<int>(entry.key.size());
      entry.key.push_back({each.name, is_hashed});
    }
    routing::catalog_builder builder;
    const release as = release_named(version).value();
    builder.set_version({static_cast<std::uint16_t>(as.name.front() - '0'),
                         static_cast<std::uint16_t>(as.name.back() - '0'), as.patch});
    EXPECT_EQ(builder.add(entry), std::nullopt);
    for (const value& each : array_argument(layout, "chunks")) {
      const document& chunk = *each.as<document>();
      const std::string min = encode(document_argument(chunk, "min"));
      const std::string max = encode(document_argument(chunk, "max"));
      EXPECT_EQ(
          builder.add_chunk(wire::document_view::from(std::as_bytes(std::span{min})).value(),
                            wire::document_view::from(std::as_bytes(std::span{max})).value(),
                            text_argument(chunk, "shard")),
          std::nullopt);
    }
    EXPECT_EQ(builder.finish_collection(), std::nullopt);
    return builder.build();
  }

  std::shared_ptr<const routing::catalog> entries_;
  std::vector<std::byte> block_ = std::vector<std::byte>(routing::scratch_bytes);
};

bool names_shards(const std::string& answer) {
  return answer.starts_with('s') || answer == "?";
}

/// How the daemon's answer differs: "wider", "narrower", "other", or the refusals; empty where
/// it doesn't.
std::string difference(const std::string& daemons, const std::string& simulators) {
  if (daemons == simulators) return {};
  if (!names_shards(daemons) || !names_shards(simulators)) {
    const auto word = [](const std::string& each) {
      return names_shards(each) ? "sent" : each;
    };
    return word(daemons) + std::string{" for "} + word(simulators);
  }
  if (daemons == "?") return "unknown";
  if (daemons.size() == simulators.size()) return "other";
  return daemons.size() > simulators.size() ? "wider" : "narrower";
}

struct found_difference {
  judged_difference what;
  int count = 0;
  std::string example;
};

/// Differences by kind and shape.
using found_differences = std::map<std::string, found_difference>;

/// What finds the shards of a command.
filter_node targeting_filter(const document& command, const filter_terms& terms) {
  for (const char* list : {"updates", "deletes"}) {
    for (const value& each : array_argument(command, list)) {
      return read_filter(document_argument(*each.as<document>(), "q"), terms);
    }
  }
  if (command.has("pipeline")) return head_of(array_argument(command, "pipeline"), terms);
  return read_filter(document_argument(command, command.has("filter") ? "filter" : "query"),
                     terms);
}

/// Both judges of one layout, as one version.
class judges {
 public:
  judges(const document& layout, const std::string& version)
      : layout_(layout), version_(version), ours_(layout, version), sims_(layout, version) {}

  void judge(const document& command, found_differences& out) {
    const std::string kind = difference_of(command);
    if (kind.empty()) return;
    const document least =
        shrunk(command, [&](const document& less) { return difference_of(less) == kind; });
    const document& key = document_argument(layout_, "shardKey");
    const std::string shape = shape_of(least, key);
    found_difference& found = out[kind + ": " + shape];
    if (++found.count > 1) return;
    found.what = {version_, kind, shape, is_never_true(least)};
    found.example = to_json(least) + " on " + to_json(key) + ": " + ours_.answer_to(least) +
                    " for " + sims_.answer_to(least);
  }

 private:
  /// Whether one of the pipeline's `$match` lets nothing through.
  static bool has_never_true_stage(const document& command, const filter_terms& terms) {
    return std::ranges::any_of(array_argument(command, "pipeline"), [&](const value& each) {
      const document& match = document_argument(*each.as<document>(), "$match");
      return simplified(read_filter(match, terms), terms.rules).kind ==
             filter_kind::always_false;
    });
  }

  /// Whether the filter, or what it says of the key, lets nothing through.
  [[nodiscard]] bool is_never_true(const document& command) const {
    const filter_terms terms{{}, rules_of(version_)};
    const filter_node filter = simplified(targeting_filter(command, terms), terms.rules);
    if (filter.kind == filter_kind::always_false || has_never_true_stage(command, terms)) {
      return true;
    }
    const shard_key key{document_argument(layout_, "shardKey")};
    const auto bounds = bounds_of_key(filter, key, {!command.has("collation"), terms.rules});
    return bounds && std::ranges::any_of(*bounds, &value_set::is_empty);
  }

  [[nodiscard]] std::string difference_of(const document& command) {
    return difference(ours_.answer_to(command), sims_.answer_to(command));
  }

  const document& layout_;
  std::string version_;
  daemon_judgement ours_;
  recorded_cluster sims_;
};

/// SCATTERGATE_AGREEMENT says how many commands a layout, and that all differences are written.
std::size_t commands_a_layout() {
  const char* asked = std::getenv("SCATTERGATE_AGREEMENT");
  return asked == nullptr ? 12 : std::strtoul(asked, nullptr, 10);
}

found_differences differences_of(const std::string& version) {
  found_differences out;
  std::ifstream lines{tests::real_facts() / "answers.jsonl"};
  unsigned seed = 0;
  for (std::string line; std::getline(lines, line);) {
    const document layout = decode(tests::json_document{line}.view());
    recombined_commands commands{layout, ++seed};
    judges both{layout, version};
    for (std::size_t i = 0; i < commands_a_layout(); ++i) both.judge(commands.next(), out);
  }
  return out;
}

class agreement : public ::testing::TestWithParam<const char*> {};

TEST_P(agreement, with_the_simulator_or_a_reason) {
  for (const auto& [shape, found] : differences_of(GetParam())) {
    const std::string_view reason = reason_of(found.what);
    if (std::getenv("SCATTERGATE_AGREEMENT") != nullptr) {
      std::cout << GetParam() << ' ' << shape << ", " << found.count
                << " times: " << found.example << "\n    " << reason << "\n";
    }
    EXPECT_FALSE(reason.empty()) << GetParam() << ' ' << shape << ", " << found.count
                                 << " times: " << found.example;
  }
}

INSTANTIATE_TEST_SUITE_P(all_versions, agreement,
                         ::testing::Values("4.4.0", "5.0.0", "6.0.0", "6.0.12", "7.0.12",
                                           "8.0.4", "8.1.0", "8.2.0", "9.0.0"));

}  // namespace
}  // namespace scattergate::sim
