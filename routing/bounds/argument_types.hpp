#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "wire/bson.hpp"
#include "wire/label_table.hpp"

/// The arguments whose values make scattergate predict an error, and their types. scattergate
/// predicts an error only from a value that mongos reads according to this table. It ignores
/// any other value, which mongos ignores or rejects.
namespace scattergate::routing {

/// A type of MongoDB's IDL: the BSON types that it accepts. For each, mongos ignores null and
/// undefined, as if the argument were absent (mongo: idl/idl_parser.cpp, checkAndAssertType).
enum class idl_type : std::uint8_t {
  boolean,        ///< bool, optionalBool: only a boolean
  safe_integer,   ///< safeInt, safeInt64: any number, rounded and clamped
  exact_integer,  ///< any number that is an integer in int64's range
  any_number,     ///< a double; 0 if the value isn't a number, also for null and undefined
  object,         ///< object: only a document
};

/// An argument of a command or statement.
enum class argument : std::uint8_t {
  autocommit,       ///< of any command
  raw_data,         ///< of any command
  skip,             ///< of a find or count
  limit,            ///< of a find
  ordered,          ///< of a batch; true if absent
  sort,             ///< of a findAndModify
  constants,        ///< of an update statement or operation
  upsert,           ///< of an update statement or operation
  delete_limit,     ///< of a delete statement
  namespace_index,  ///< of an operation of a bulkWrite
  type_code,        ///< the operand of a $type, or a member of it
};

/// An argument's names and type.
struct argument_row {
  argument is;
  std::string_view name;
  idl_type type;
};

/// All arguments, in the order of `argument`.
inline constexpr std::array<argument_row, wire::enum_count<argument>()> argument_table{{
    // mongo: logical_session_id.idl, generic_argument.idl, basic_types.h (OptionalBool)
    {argument::autocommit, "autocommit", idl_type::boolean},
    {argument::raw_data, "rawData", idl_type::boolean},
    // mongo: find_command.idl, count_command.idl; before 5.0 query_request.cpp
    {argument::skip, "skip", idl_type::safe_integer},
    {argument::limit, "limit", idl_type::safe_integer},
    // mongo: write_ops.idl, WriteCommandBase; bulk_write.idl
    {argument::ordered, "ordered", idl_type::boolean},
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

/// The type of an argument.
[[nodiscard]] constexpr idl_type type_of(argument of) noexcept {
  return argument_table[static_cast<std::size_t>(of)].type;
}

/// Whether mongos reads the value: its type is one that the argument accepts.
[[nodiscard]] inline bool is_given(argument of, const wire::element& value) noexcept {
  switch (type_of(of)) {
    case idl_type::boolean:
      return value.type() == wire::bson_type::boolean;
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

/// The integer that mongos reads from a safe_integer or exact_integer (mongo:
/// bson/bsonelement.h, safeNumberLong, parseIntegerElementToLong); std::nullopt if mongos
/// doesn't read the value.
[[nodiscard]] std::optional<std::int64_t> integer_of(argument of,
                                                     const wire::element& value) noexcept;

/// The double that mongos reads from an any_number (mongo: bson/bsonelement.h, numberDouble).
[[nodiscard]] double double_of(const wire::element& value) noexcept;

}  // namespace scattergate::routing
