#include "report/verify/explain_plan.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace scattergate::report {
namespace {

using wire::document_view;
using wire::element;

/// Limit for shards in a reply, more than any cluster has.
constexpr std::size_t most_shards = 10'000;

/// Limit for a shard's name in a reply, in bytes.
constexpr std::size_t longest_name = 256;

/// Limit for texts copied from a reply, in bytes.
constexpr std::size_t longest_text = 4096;

std::string text_of(const std::optional<element>& field) {
  return field ? std::string{field->as_string().substr(0, longest_text)} : std::string{};
}

std::string text_in(document_view document, std::string_view name) {
  return text_of(wire::find_field(document, name));
}

std::optional<document_view> document_in(document_view document, std::string_view name) {
  const auto field = wire::find_field(document, name);
  return field ? field->as_document() : std::nullopt;
}

explain_plan not_readable(std::string why) {
  explain_plan made;
  made.text = std::move(why);
  return made;
}

/// Collects shard names; functions return false if the input can't be a list of shards.
class shard_names {
 public:
  explicit shard_names(explain_plan& to) : to_(to) {}

  /// Adds `winningPlan.shards`: an array of documents with shardName. Other elements appear if
  /// the reply was cut for lack of space.
  [[nodiscard]] bool add_list(const element& list) {
    const auto members = list.as_array();
    if (!members) return false;
    wire::document_reader reader{*members};
    for (element member; reader.next(member);) {
      const auto shard = member.as_document();
      std::string name = shard ? text_in(*shard, "shardName") : std::string{};
      if (name.empty()) {
        to_.is_complete = false;
      } else if (!add(std::move(name))) {
        return false;
      }
    }
    return !reader.is_corrupt();
  }

  /// Adds a pipeline's `shards`: a document whose field names are shard names.
  [[nodiscard]] bool add_names(document_view by_name) {
    wire::document_reader reader{by_name};
    for (element shard; reader.next(shard);) {
      if (shard.key() == "warning" && shard.is_string()) {
        to_.is_complete = false;
      } else if (!shard.is_document() || !add(std::string{shard.key()})) {
        return false;
      }
    }
    return !reader.is_corrupt();
  }

  void finish() {
    std::sort(to_.shards.begin(), to_.shards.end());
    to_.shards.erase(std::unique(to_.shards.begin(), to_.shards.end()), to_.shards.end());
  }

 private:
  [[nodiscard]] bool add(std::string name) {
    if (name.empty() || name.size() > longest_name || to_.shards.size() == most_shards) {
      return false;
    }
    to_.shards.push_back(std::move(name));
    return true;
  }

  explain_plan& to_;
};

/// The plan of a pipeline that mongos split or merged: {mergeType, splitPipeline, shards: {}}.
explain_plan plan_of_pipeline(document_view reply, document_view by_name) {
  explain_plan made;
  made.is = explain_plan::kind::shards;
  made.stage = text_in(reply, "mergeType");
  shard_names names{made};
  if (!names.add_names(by_name)) return not_readable("the plan's shards can't be read");
  names.finish();
  if (made.shards.empty()) return not_readable("the plan names no shard");
  return made;
}

/// The first phase of a two-phase write, which asks for the document: {inputStage:
/// {winningPlan: {stage, shards: []}}}.
std::optional<document_view> first_phase_of(document_view winning_plan) {
  const auto input = document_in(winning_plan, "inputStage");
  return input ? document_in(*input, "winningPlan") : std::nullopt;
}

bool is_end_of_file(document_view winning_plan) {
  const auto inner = document_in(winning_plan, "queryPlan");
  return text_in(inner.value_or(winning_plan), "stage") == "EOF";
}

/// The plan of a shard that mongos passed on unchanged: a pipeline on an unsharded collection,
/// or a query on a view of one (until 7.0).
explain_plan plan_of_one_shard(document_view reply, std::string stage) {
  explain_plan made;
  made.is = explain_plan::kind::one_shard;
  made.stage = std::move(stage);
  if (const auto server = document_in(reply, "serverInfo")) {
    made.text = text_in(*server, "host");
  }
  return made;
}

explain_plan plan_of_query(document_view reply, document_view planner) {
  const auto winning_plan = document_in(planner, "winningPlan");
  if (!winning_plan) return not_readable("the reply has no winningPlan");
  explain_plan made;
  const auto list = wire::find_field(*winning_plan, "shards");
  if (!list) {
    if (!is_end_of_file(*winning_plan)) {
      return plan_of_one_shard(reply, text_in(*winning_plan, "stage"));
    }
    made.is = explain_plan::kind::no_shard;
    made.stage = "EOF";
    return made;
  }
  made.is = explain_plan::kind::shards;
  made.stage = text_in(*winning_plan, "stage");
  const auto first_phase = first_phase_of(*winning_plan);
  const auto asked = first_phase ? wire::find_field(*first_phase, "shards") : list;
  if (first_phase) made.stage += " after " + text_in(*first_phase, "stage");
  made.is_two_phase = first_phase.has_value();
  shard_names names{made};
  if (!asked || !names.add_list(*asked)) {
    return not_readable("the plan's shards can't be read");
  }
  names.finish();
  if (made.shards.empty()) return not_readable("the plan names no shard");
  return made;
}

/// Whether the whole document can be walked; only some of its fields have been read.
bool is_whole(document_view document) {
  wire::document_reader reader{document};
  for (element field; reader.next(field);) {
  }
  return !reader.is_corrupt();
}

}  // namespace

explain_plan read_explain(document_view reply) {
  if (!is_whole(reply)) return not_readable("the reply is not BSON");
  if (const auto ok = wire::find_field(reply, "ok"); ok && !ok->is_truthy()) {
    explain_plan made;
    made.is = explain_plan::kind::refused;
    const auto code = wire::find_field(reply, "code");
    made.code = code ? code->as_int64().value_or(0) : 0;
    made.text = text_in(reply, "errmsg");
    return made;
  }
  if (const auto by_name = document_in(reply, "shards")) {
    return plan_of_pipeline(reply, *by_name);
  }
  if (const auto planner = document_in(reply, "queryPlanner")) {
    return plan_of_query(reply, *planner);
  }
  if (wire::find_field(reply, "mongos")) {
    explain_plan made;
    made.is = explain_plan::kind::no_shard;
    made.stage = "mongos";
    return made;
  }
  if (wire::find_field(reply, "stages")) return plan_of_one_shard(reply, "stages");
  return not_readable("the reply has no plan");
}

}  // namespace scattergate::report
