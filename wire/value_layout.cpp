#include "wire/value_layout.hpp"

namespace scattergate::wire {

value_layout layout_of(bson_type type) noexcept {
  using kind = value_layout::kind;
  switch (type) {
    case bson_type::undefined:
    case bson_type::null:
    case bson_type::min_key:
    case bson_type::max_key:
      return {kind::fixed, 0};
    case bson_type::boolean:
      return {kind::fixed, 1};
    case bson_type::int32:
      return {kind::fixed, 4};
    case bson_type::float64:
    case bson_type::date:
    case bson_type::timestamp:
    case bson_type::int64:
      return {kind::fixed, 8};
    case bson_type::object_id:
      return {kind::fixed, 12};
    case bson_type::decimal128:
      return {kind::fixed, 16};
    case bson_type::string:
    case bson_type::code:
    case bson_type::symbol:
      return {kind::prefixed, 0};
    case bson_type::binary:
      return {kind::prefixed, 1};
    case bson_type::db_pointer:
      return {kind::prefixed, 12};
    case bson_type::document:
    case bson_type::array:
    case bson_type::code_with_scope:
      return {kind::self_counted, 0};
    case bson_type::regex:
      return {kind::regex, 0};
  }
  return {};
}

}  // namespace scattergate::wire
