#pragma once

#include <cstdint>
#include <string_view>

#include "wire/bson.hpp"
#include "wire/error.hpp"
#include "wire/namespace_view.hpp"
#include "wire/op_msg.hpp"
#include "wire/op_query.hpp"

namespace scattergate::wire {

/// A database command as a client sent it, whichever opCode carried it: what routing judges.
/// Views into the message, valid as long as its bytes are.
/// Thread-safety: immutable.
struct command {
  std::string_view name;        ///< the body's first key, as written
  std::string_view database;    ///< `$db`, empty where there is none
  std::string_view collection;  ///< the first key's value where it is a string or a symbol; for
                                ///< getMore its `collection`; else empty
  element first;                ///< the first field itself
  document_view body;
  sequence_range sequences;
  std::int32_t request_id = 0;
  bool more_to_come = false;     ///< no reply will follow (w:0)
  bool exhaust_allowed = false;  ///< several replies may follow

  [[nodiscard]] namespace_view ns() const noexcept { return {database, collection}; }

  /// The bytes of the body and the sequences.
  [[nodiscard]] std::size_t size_bytes() const noexcept {
    return body.size_bytes() + sequences.size_bytes();
  }
};

/// The command in an OP_MSG. Every top-level field is visited once; its sequences count as
/// fields of the names that they carry.
/// Errors: bad_bson (also a `$db` that is no string), empty_command, duplicate_field,
/// too_many_nodes (more than limits::command_fields).
[[nodiscard]] result<command> command_of(const op_msg& message) noexcept;

/// The command in an OP_QUERY to `<db>.$cmd`, unwrapped from `$query` where it is wrapped.
/// Errors: legacy_opcode where the collection isn't `$cmd`, and those above.
[[nodiscard]] result<command> command_of(const op_query& message) noexcept;

/// The command in a whole request message, by its opCode; a compressed one must have been
/// unpacked (wire/decompressor.hpp).
/// Errors: those of parse_op_msg, parse_op_query and command_of; compressed; legacy_opcode;
/// unexpected_opcode.
[[nodiscard]] result<command> parse_command(const message_header& header,
                                            std::span<const std::byte> message) noexcept;

/// The command that a bare body (no message around it) stands for; for what comes from a file.
/// Its database is the body's `$db`, empty where there is none. Errors as for an OP_MSG.
[[nodiscard]] result<command> command_of(document_view body) noexcept;

}  // namespace scattergate::wire
