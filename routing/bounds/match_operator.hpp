#pragma once

#include <cstdint>
#include <string_view>

/// MongoDB's query operators, classified by their effect on index bounds (mongo:
/// matcher/expression_parser.cpp, query/indexability.h).
namespace scattergate::routing {

/// An operator in place of a field name: `{$or: [...]}`.
enum class tree_operator : std::uint8_t {
  unknown,  ///< mongos rejects the command
  and_,
  or_,
  nor,
  expr,
  text,  ///< next to it, only a pin of the full key has an effect
  always_false,
  neutral,  ///< valid, without effect on bounds: $where, $comment, $jsonSchema, ...
};

/// An operator on a field's value: `{a: {$gt: 5}}`.
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
  near,     ///< has no bounds, but keeps its siblings'
  options,  ///< $options, part of $regex
  neutral,  ///< valid, without bounds: $size, $geoWithin, $bitsAllSet, ...
};

[[nodiscard]] tree_operator tree_operator_of(std::string_view name) noexcept;
[[nodiscard]] field_operator field_operator_of(std::string_view name) noexcept;

}  // namespace scattergate::routing
