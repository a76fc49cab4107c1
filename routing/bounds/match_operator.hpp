#pragma once

#include <cstdint>
#include <string_view>

/// MongoDB's query operators, classified by their effect on index bounds (mongo:
/// matcher/expression_parser.cpp, query/indexability.h).
namespace scattergate::routing {

/// An operator at the position of a field's name: {$or: [...]}.
enum class tree_operator : std::uint8_t {
  unknown,  ///< mongos rejects the command
  and_,
  or_,
  nor,
  expr,
  text,  ///< mongos ignores all conditions next to it, except equalities on the whole shard key
  always_false,
  neutral,  ///< valid, but without effect on bounds: $where, $comment, $jsonSchema, ...
};

/// An operator on the value of a field: {a: {$gt: 5}}.
enum class field_operator : std::uint8_t {
  unknown,  ///< mongos rejects the command
  eq,
  ne,
  gt,
  gte,
  lt,
  lte,
  in,
  nin,
  not_,
  exists,
  type,
  mod,
  regex,
  all,
  elem_match,
  near,     ///< gives no bounds; $near, $nearSphere, and options such as $maxDistance
  options,  ///< $options, which belongs to a $regex
  neutral,  ///< valid, but gives no bounds: $size, $geoWithin, $bitsAllSet, ...
};

/// The operator with this name, such as "$or"; `unknown` if there is none. `neutral` for names
/// that only MongoDB's own processes send ("$_internal...").
[[nodiscard]] tree_operator tree_operator_of(std::string_view name) noexcept;
/// The operator with this name, such as "$gt"; `unknown` if there is none. `neutral` for names
/// that only MongoDB's own processes send ("$_internal...").
[[nodiscard]] field_operator field_operator_of(std::string_view name) noexcept;

}  // namespace scattergate::routing
