#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "wire/bson.hpp"
#include "wire/error.hpp"
#include "wire/namespace_view.hpp"
#include "wire/op_msg.hpp"
#include "wire/op_query.hpp"

namespace scattergate::wire {

/// A parsed database command, from an OP_MSG or OP_QUERY: the input of routing. A view into the
/// message, valid as long as its bytes. Thread-safety: immutable.
struct command {
  std::string_view name;      ///< the body's first key, as written
  std::string_view database;  ///< `$db`; empty if absent
  /// The first field's value if it is a string or symbol; for getMore its `collection`;
  /// otherwise empty.
  std::string_view collection;
  element first;  ///< the first field itself
  document_view body;
  sequence_range sequences;
  std::int32_t request_id = 0;
  bool more_to_come = false;     ///< no reply follows (w:0)
  bool exhaust_allowed = false;  ///< several replies may follow

  [[nodiscard]] namespace_view ns() const noexcept { return {database, collection}; }

  /// The size of the body and the sequences, in bytes.
  [[nodiscard]] std::size_t size_bytes() const noexcept {
    return body.size_bytes() + sequences.size_bytes();
  }
};

/// Parses the command in an OP_MSG. Reads every top-level field once; document sequences count
/// as fields. Errors: bad_bson (also if `$db` isn't a string), empty_command, duplicate_field,
/// too_many_nodes (more than limits::command_fields).
[[nodiscard]] result<command> command_of(const op_msg& message) noexcept;

/// Parses the command in an OP_QUERY to `<db>.$cmd`; unwraps `$query`. Errors: legacy_opcode if
/// the collection isn't `$cmd`; those of command_of(op_msg).
[[nodiscard]] result<command> command_of(const op_query& message) noexcept;

/// Parses the command in a complete request message. Decompress a compressed message first
/// (wire/decompressor.hpp). Errors: those of parse_op_msg, parse_op_query and command_of;
/// compressed; legacy_opcode; unexpected_opcode.
[[nodiscard]] result<command> parse_command(const message_header& header,
                                            std::span<const std::byte> message) noexcept;

/// Parses a command from its body alone, as for commands from files. The database is the body's
/// `$db`; empty if it is missing. Errors: those of command_of(op_msg).
[[nodiscard]] result<command> command_of(document_view body) noexcept;

/// The name of the command in an OP_MSG, from the beginning of the message. std::nullopt if
/// `start` is too short, or the body isn't the first section after an optional telemetry
/// section.
[[nodiscard]] std::optional<std::string_view> name_of_command(
    std::span<const std::byte> start) noexcept;

/// A command whose document sequence hasn't arrived completely. A view.
struct started_command {
  command what;                ///< without the sequence
  document_sequence sequence;  ///< the first part: its last document may be incomplete
  std::size_t begins_at = 0;   ///< the offset of the first document in the message
};

/// The body and the first sequence, from the beginning of an OP_MSG. std::nullopt if `start` is
/// too short for the body and the sequence's name, if these aren't the first two sections after
/// an optional telemetry section, and if the body isn't a command.
[[nodiscard]] std::optional<started_command> started_command_in(
    std::span<const std::byte> start) noexcept;

}  // namespace scattergate::wire
