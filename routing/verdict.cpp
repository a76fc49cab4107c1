#include "routing/verdict.hpp"

namespace scattergate::routing {

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
  switch (why) {
    case reason::none:
      return {};
    case reason::missing_key:
      return "missing_key";
    case reason::not_prefix:
      return "not_prefix";
    case reason::range_on_hashed:
      return "range_on_hashed";
    case reason::unbounded_or:
      return "unbounded_or";
    case reason::negation:
      return "negation";
    case reason::collation:
      return "collation";
    case reason::no_leading_match:
      return "no_leading_match";
    case reason::write_without_key:
      return "write_without_key";
    case reason::foreign_scatter:
      return "foreign_scatter";
    case reason::by_nature:
      return "by_nature";
    case reason::not_indexable:
      return "not_indexable";
    case reason::range:
      return "range";
    case reason::partial_key:
      return "partial_key";
    case reason::many_values:
      return "many_values";
    case reason::not_in_catalog:
      return "not_in_catalog";
    case reason::cursor_not_seen:
      return "cursor_not_seen";
    case reason::unreadable:
      return "unreadable";
    case reason::too_deep:
      return "too_deep";
    case reason::unknown_command:
      return "unknown_command";
    case reason::no_catalog:
      return "no_catalog";
    case reason::time_series:
      return "time_series";
    case reason::refused:
      return "refused";
    case reason::unique_index_without_key:
      return "unique_index_without_key";
    case reason::shard_key_update:
      return "shard_key_update";
    case reason::ambiguous_id:
      return "ambiguous_id";
    case reason::logical_shard_fanout:
      return "logical_shard_fanout";
  }
  return {};
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
  }
  return {};
}

}  // namespace scattergate::routing
