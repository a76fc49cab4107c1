#include "routing/verdict.hpp"

#include <array>
#include <utility>

namespace scattergate::routing {

namespace {

using enum reason;

/// The labels of reasons, in the enum's order.
// clang-format off
constexpr std::array<std::pair<reason, std::string_view>, reason_count> reason_labels{{
    {none, ""}, {missing_key, "missing_key"}, {not_prefix, "not_prefix"},
    {range_on_hashed, "range_on_hashed"}, {unbounded_or, "unbounded_or"},
    {negation, "negation"}, {collation, "collation"}, {no_leading_match, "no_leading_match"},
    {write_without_key, "write_without_key"}, {foreign_scatter, "foreign_scatter"},
    {by_nature, "by_nature"}, {not_indexable, "not_indexable"}, {range, "range"},
    {partial_key, "partial_key"}, {many_values, "many_values"},
    {not_in_catalog, "not_in_catalog"}, {cursor_not_seen, "cursor_not_seen"},
    {unreadable, "unreadable"}, {too_deep, "too_deep"}, {work_budget, "work_budget"},
    {unknown_command, "unknown_command"}, {no_catalog, "no_catalog"},
    {time_series, "time_series"}, {refused, "refused"},
    {unique_index_without_key, "unique_index_without_key"},
    {shard_key_update, "shard_key_update"}, {ambiguous_id, "ambiguous_id"},
    {logical_shard_fanout, "logical_shard_fanout"}}};
// clang-format on

consteval bool is_in_enum_order() {
  for (std::size_t i = 0; i < reason_labels.size(); ++i) {
    if (static_cast<std::size_t>(reason_labels[i].first) != i) return false;
  }
  return true;
}
static_assert(is_in_enum_order());

}  // namespace

verdict verdict::seen_by(const touch& one) const noexcept {
  verdict made = *this;
  made.database = one.database;
  made.collection = one.collection;
  made.judged = one.judged;
  made.missing = one.missing;
  made.routing = one.routing;
  made.bounds = one.bounds;
  made.why = one.why;
  made.lint = one.lint;
  made.refused = one.refused;
  made.touches = {};
  return made;
}

std::string_view label(routing_class routing) noexcept {
  switch (routing) {
    case routing_class::not_routed:
      return "not_routed";
    case routing_class::unsharded:
      return "unsharded";
    case routing_class::single_shard:
      return "single_shard";
    case routing_class::multi_shard:
      return "multi_shard";
    case routing_class::scatter_gather:
      return "scatter_gather";
    case routing_class::unknown:
      return "unknown";
  }
  return {};
}

std::string_view label(bounds_kind bounds) noexcept {
  switch (bounds) {
    case bounds_kind::none:
      return {};
    case bounds_kind::point:
      return "point";
    case bounds_kind::narrowed:
      return "narrowed";
    case bounds_kind::full:
      return "full";
  }
  return {};
}

std::string_view label(reason why) noexcept {
  const auto at = static_cast<std::size_t>(why);
  return at < reason_labels.size() ? reason_labels[at].second : std::string_view{};
}

std::string_view label(refusal refused) noexcept {
  switch (refused) {
    case refusal::none:
      return {};
    case refusal::invalid_options:
      return "InvalidOptions";
    case refusal::shard_key_not_found:
      return "ShardKeyNotFound";
    case refusal::bad_value:
      return "BadValue";
    case refusal::failed_to_parse:
      return "FailedToParse";
    case refusal::unsupported_format:
      return "UnsupportedFormat";
    case refusal::not_single_value_field:
      return "NotSingleValueField";
    case refusal::illegal_operation:
      return "IllegalOperation";
    case refusal::cannot_create_index:
      return "CannotCreateIndex";
    case refusal::invalid_namespace:
      return "InvalidNamespace";
    case refusal::invalid_id_field:
      return "InvalidIdField";
    case refusal::invalid_pipeline_operator:
      return "InvalidPipelineOperator";
    // Errors that MongoDB has given a number only.
    case refusal::expression_form:
      return "Location15983";
    case refusal::unrecognized_stage:
      return "Location40324";
    case refusal::stage_form:
      return "Location40323";
  }
  return {};
}

}  // namespace scattergate::routing
