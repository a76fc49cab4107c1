#include "sim/execution/pipeline_checks.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/execution/arguments.hpp"
#include "sim/values/error.hpp"

namespace scattergate::sim {
namespace {

constexpr auto first_stages =
    std::to_array<std::string_view>({"$changeStream", "$collStats", "$search", "$searchMeta",
                                     "$vectorSearch", "$listSearchIndexes"});
constexpr auto last_stages = std::to_array<std::string_view>({"$out", "$merge"});
constexpr auto outside_facets =
    std::to_array<std::string_view>({"$changeStream", "$collStats", "$facet", "$merge", "$out",
                                     "$search", "$searchMeta", "$vectorSearch"});

bool is_among(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool has_text(const value& filter) {
  if (const auto* members = filter.as<array>()) return std::ranges::any_of(*members, has_text);
  const auto* content = filter.as<document>();
  return content != nullptr && std::ranges::any_of(*content, [](const field& each) {
           return each.name == "$text" || has_text(each.content);
         });
}

/// Null if it isn't one field; that is found when it is run.
const field* stage_of(const value& each) {
  const auto* content = each.as<document>();
  return content == nullptr || content->size() != 1 ? nullptr : &content->front();
}

void check(const array& stages, bool in_facet);

/// The pipelines in a stage's arguments are checked together with the stage.
void check_inside(const field& stage) {
  const auto* arguments = stage.content.as<document>();
  if (arguments == nullptr) return;
  if (stage.name == "$facet") {
    for (const field& each : *arguments) {
      if (const auto* inner = each.content.as<array>()) check(*inner, true);
    }
  } else if (stage.name == "$lookup" || stage.name == "$unionWith") {
    const auto* inner = arguments->find_as<array>("pipeline");
    if (inner != nullptr) check(*inner, false);
  }
}

void check(const array& stages, bool in_facet) {
  for (const value& each : stages) {
    const field* stage = stage_of(each);
    if (stage == nullptr) return;
    if (in_facet && is_among(outside_facets, stage->name))
      refuse(40600, stage->name + " is not allowed to be used within a $facet stage");
    check_inside(*stage);
  }
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const field& stage = *stage_of(stages[i]);
    if (i > 0 && is_among(first_stages, stage.name))
      refuse(40602, stage.name + " is only valid as the first stage in a pipeline");
    if (i > 0 && stage.name == "$match" && has_text(stage.content))
      refuse(17313, "$match with $text is only allowed as the first pipeline stage");
    if (i + 1 < stages.size() && is_among(last_stages, stage.name))
      refuse(40601, stage.name + " can only be the final stage in the pipeline");
  }
}

/// The error has a name since 8.0.
void check_unsharded(const context& at, const std::string& ns) {
  const collection* of = at.all.data.find(ns);
  if (of == nullptr || !of->spread) return;
  const bool has_name = at.all.data.simulated_release().is_since("8.0");
  throw command_failure(errc::sharded_foreign,
                        has_name ? "NamespaceCannotBeSharded" : "Location28769",
                        ns + " cannot be sharded");
}

void check_inner(const context& at, const std::string& db, const field& stage) {
  const auto* options = stage.content.as<document>();
  if (options == nullptr) return;
  if (stage.name == "$facet") {
    for (const field& each : *options) {
      if (const auto* inner = each.content.as<array>()) check_foreign(at, db, *inner);
    }
  } else if (const value* inner = options->find("pipeline")) {
    if (inner->is<array>()) check_foreign(at, db, *inner->as<array>());
  }
}

}  // namespace

void check_places(const array& stages) {
  check(stages, false);
}

std::string named_ns(const std::string& db, const value& target) {
  const auto* name = target.as<std::string>();
  const auto* options = target.as<document>();
  if (name == nullptr && options == nullptr)
    refuse(errc::type_mismatch, "the target must be a string or an object");
  if (name != nullptr) return db + "." + *name;
  const std::string other = text_argument(*options, "db");
  return (other.empty() ? db : other) + "." + text_argument(*options, "coll");
}

void check_foreign(const context& at, const std::string& db, const array& stages) {
  const bool joins_sharded = at.all.data.simulated_release().is_since("6.0");
  for (const value& each : stages) {
    const field& stage = each.as<document>()->front();
    if (stage.name == "$out") check_unsharded(at, named_ns(db, stage.content));
    const auto* options = stage.content.as<document>();
    const bool joins = stage.name == "$lookup" || stage.name == "$graphLookup";
    if (joins && !joins_sharded && options != nullptr) {
      check_unsharded(at, db + "." + text_argument(*options, "from"));
    }
    check_inner(at, db, stage);
  }
}

}  // namespace scattergate::sim
