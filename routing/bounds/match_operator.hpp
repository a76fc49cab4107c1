#pragma once

#include <cstdint>
#include <string_view>

/// The operators of MongoDB's query language, by what they do to index bounds (mongo:
/// matcher/expression_parser.cpp, query/indexability.h).
namespace scattergate::routing {

/// An operator that stands where a field's name could: `{$or: [...]}`.
enum class tree_operator : std::uint8_t {
  unknown,  ///< mongos refuses the command
  and_,
  or_,
  nor,
  expr,
  text,  ///< leaves nothing but a full pin of the key
  always_false,
  neutral,  ///< known, bounds nothing, spoils nothing: $where, $comment, $jsonSchema, ...
};

/// An operator on a field's value: `{a: {$gt: 5}}`.
enum class field_operator : std::uint8_t {
  unknown,  ///< mongos refuses the command
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
  near,     ///< bounds nothing, and leaves the bounds of what stands beside it
  options,  ///< $options, part of $regex
  neutral,  ///< known, bounds nothing: $size, $geoWithin, $bitsAllSet, ...
};

[[nodiscard]] tree_operator tree_operator_of(std::string_view name) noexcept;
[[nodiscard]] field_operator field_operator_of(std::string_view name) noexcept;

}  // namespace scattergate::routing
