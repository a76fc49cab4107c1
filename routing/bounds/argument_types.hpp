#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "wire/bson.hpp"

/// The arguments whose values make scattergate predict an error, and their types. scattergate
/// predicts an error only from a value that mongos reads according to this table. It ignores
/// any other value, which mongos ignores or rejects.
namespace scattergate::routing {

/// A type of MongoDB's IDL: the BSON types that it accepts. For each, mongos ignores null and
/// undefined, as if the argument were absent (mongo: idl/idl_parser.cpp, checkAndAssertType).
enum class idl_type : std::uint8_t {
  boolean,        ///< bool: only a boolean
  safe_boolean,   ///< safeBool: a boolean or any number
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
[[nodiscard]] std::span<const argument_row> argument_table() noexcept;

/// Whether mongos reads the value: its type is one that the argument accepts.
[[nodiscard]] bool is_given(argument of, const wire::element& value) noexcept;

/// The integer that mongos reads from a safe_integer or exact_integer (mongo:
/// bson/bsonelement.h, safeNumberLong, parseIntegerElementToLong); std::nullopt if mongos
/// doesn't read the value.
[[nodiscard]] std::optional<std::int64_t> integer_of(argument of,
                                                     const wire::element& value) noexcept;

/// The double that mongos reads from an any_number (mongo: bson/bsonelement.h, numberDouble).
[[nodiscard]] double double_of(const wire::element& value) noexcept;

}  // namespace scattergate::routing
