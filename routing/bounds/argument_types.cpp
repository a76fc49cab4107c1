#include "routing/bounds/argument_types.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "routing/keys/decimal128.hpp"
#include "wire/endian.hpp"
#include "wire/enum_count.hpp"

namespace scattergate::routing {
namespace {

using wire::bson_type;
using wire::element;

constexpr std::array<argument_row, wire::enum_count<argument>()> rows{{
    // mongo: logical_session_id.idl, generic_argument.idl
    {argument::autocommit, "autocommit", idl_type::boolean},
    {argument::raw_data, "rawData", idl_type::safe_boolean},
    // mongo: find_command.idl, count_command.idl; before 5.0 query_request.cpp
    {argument::skip, "skip", idl_type::safe_integer},
    {argument::limit, "limit", idl_type::safe_integer},
    {argument::ordered, "ordered", idl_type::safe_boolean},
    // mongo: write_ops.idl; before 5.0 find_and_modify_request.cpp
    {argument::sort, "sort", idl_type::object},
    // mongo: write_ops.idl, UpdateOpEntry; in a bulkWrite "constants" (bulk_write.idl)
    {argument::constants, "c", idl_type::object},
    {argument::upsert, "upsert", idl_type::boolean},
    // mongo: write_ops.idl, multi_delete_bool; write_ops.cpp, readMultiDeleteProperty
    {argument::delete_limit, "limit", idl_type::any_number},
    // mongo: bulk_write.idl, BulkWriteInsertOp, BulkWriteUpdateOp, BulkWriteDeleteOp
    {argument::namespace_index, "insert", idl_type::safe_integer},
    // mongo: matcher/matcher_type_set.cpp, parseSingleType
    {argument::type_code, "$type", idl_type::exact_integer},
}};

double double_value(const element& value) noexcept {
  return wire::load_little<double>(value.value().data());
}

/// Whether the number is an integer in int64's range.
bool is_integer(const decimal128& number) noexcept {
  if (number.what() != decimal128::kind::finite) return false;
  const auto [magnitude, is_exact] = number.truncate();
  return is_exact && std::trunc(magnitude) == magnitude && magnitude < 0x1p63;
}

std::int64_t clamped(double value) noexcept {
  using limits = std::numeric_limits<std::int64_t>;
  constexpr double bound = 0x1p63;
  if (std::isnan(value)) return 0;
  if (value >= bound) return limits::max();
  return value < -bound ? limits::min() : static_cast<std::int64_t>(value);
}

}  // namespace

std::span<const argument_row> argument_table() noexcept {
  return rows;
}

bool is_given(argument of, const element& value) noexcept {
  switch (rows[static_cast<std::size_t>(of)].type) {
    case idl_type::boolean:
      return value.type() == bson_type::boolean;
    case idl_type::safe_boolean:
      return value.type() == bson_type::boolean || value.is_number();
    case idl_type::safe_integer:
    case idl_type::exact_integer:
      return value.is_number();
    case idl_type::object:
      return value.is_document();
    case idl_type::any_number:
      return true;
  }
  return false;
}

std::optional<std::int64_t> integer_of(argument of, const element& value) noexcept {
  if (!is_given(of, value)) return std::nullopt;
  const bool is_exact = rows[static_cast<std::size_t>(of)].type == idl_type::exact_integer;
  if (value.type() == bson_type::decimal128) {
    const decimal128 number{value.value().first<16>()};
    return is_exact && !is_integer(number) ? std::nullopt : std::optional{number.to_int64()};
  }
  const bool is_rounded = value.type() == bson_type::float64 && !is_exact;
  return is_rounded ? clamped(double_value(value)) : value.as_int64();
}

double double_of(const element& value) noexcept {
  if (value.type() == bson_type::decimal128) {
    return decimal128{value.value().first<16>()}.to_double();
  }
  if (value.type() == bson_type::float64) return double_value(value);
  return static_cast<double>(value.as_int64().value_or(0));
}

}  // namespace scattergate::routing
