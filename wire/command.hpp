#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "wire/bson.hpp"
#include "wire/error.hpp"
#include "wire/namespace_view.hpp"
#include "wire/op_msg.hpp"
#include "wire/op_query.hpp"

namespace scattergate::wire {

/// A parsed database command, from an OP_MSG, an OP_QUERY or a plain document. A view, valid as
/// long as the message's bytes. Thread-safety: immutable.
struct command {
  std::string_view name;      ///< the name of the body's first field
  std::string_view database;  ///< the value of `$db`, empty if absent; for an OP_QUERY, the
                              ///< database in its collection name
  /// The value of the body's first field, or of `collection` for a getMore; empty unless it is
  /// a string or symbol.
  std::string_view collection;
  element first;                 ///< the body's first field
  document_view body;            ///< the command's document, without document sequences
  sequence_range sequences;      ///< the OP_MSG's document sequences (kind-1 sections)
  std::int32_t request_id = 0;   ///< the requestID in the message's header
  bool more_to_come = false;     ///< the client expects no reply (moreToCome, for w: 0)
  bool exhaust_allowed = false;  ///< the server may send several replies

  /// The command's namespace: `database` and `collection`, which may be empty.
  [[nodiscard]] namespace_view ns() const noexcept { return {database, collection}; }

  /// The size of all sections of the OP_MSG, in bytes. If the command isn't from an OP_MSG:
  /// the body's size.
  [[nodiscard]] std::size_t size_bytes() const noexcept {
    return std::max(body.size_bytes(), sequences.sections_bytes());
  }
};

/// Parses the command in an OP_MSG. Errors: bad_bson (also if `$db` isn't a string),
/// empty_command, duplicate_field, too_many_nodes (more than limits::command_fields). The last
/// two count a document sequence as a field.
[[nodiscard]] result<command> command_of(const op_msg& message) noexcept;

/// Parses the command in an OP_QUERY to `<db>.$cmd`. If the document's first field is `$query`
/// or `query`, the command is in that field. Errors: legacy_opcode if the collection isn't
/// `$cmd`; hidden_arguments if a field `$queryOptions`, of the document or of the command in
/// it, is anything but a document with only `$readPreference`: mongos before 8.1 appends the
/// fields of `$queryOptions` to the command (mongo: rpc/metadata.cpp, upconvertRequest;
/// SERVER-92023); those of command_of(op_msg).
[[nodiscard]] result<command> command_of(const op_query& message) noexcept;

/// Parses the command in a complete request message. Decompress a compressed message first
/// (wire/compressed.hpp). Errors: those of parse_op_msg, parse_op_query and command_of;
/// compressed; legacy_opcode; unexpected_opcode.
[[nodiscard]] result<command> parse_command(const message_header& header,
                                            std::span<const std::byte> message) noexcept;

/// Parses a command that is only a document, such as a command from a file. The database is
/// the value of `$db`; empty if absent. Errors: those of command_of(op_msg).
[[nodiscard]] result<command> command_of(document_view body) noexcept;

/// Reads the command's name from `start`, the beginning of an OP_MSG. std::nullopt if `start`
/// is too short, or if the body isn't the first section (a telemetry section may precede it).
[[nodiscard]] std::optional<std::string_view> name_of_command(
    std::span<const std::byte> start) noexcept;

/// The beginning of a large command: its body, and the part of its first document sequence that
/// has arrived. A view into the message's bytes.
struct started_command {
  command what;                ///< the command, without the document sequence
  document_sequence sequence;  ///< the part of the sequence that has arrived; its last
                               ///< document may be incomplete
  std::size_t begins_at = 0;   ///< the offset of the sequence's first document in the message
};

/// Reads the body and the first document sequence from `start`, the beginning of an OP_MSG.
/// std::nullopt if `start` doesn't contain the body and the sequence's name, or if the body
/// isn't a command. Also std::nullopt if body and sequence aren't the message's first two
/// sections, apart from a telemetry section before them.
[[nodiscard]] std::optional<started_command> started_command_in(
    std::span<const std::byte> start) noexcept;

/// Whether a command's argument controls only how the command runs: session, transaction, read
/// and write concern, time limit, cursor, hint. True for every name that starts with `$`.
[[nodiscard]] bool controls_execution(std::string_view argument) noexcept;

/// Builds a document of the command without the arguments that only control how it runs (see
/// controls_execution()), such as the session. Keeps the first field, which has the command's
/// name. Document sequences become arrays, and `$db` comes last. Returns no bytes if the body
/// or the result would exceed `max_bytes`, or if the command is corrupt. Allocates.
[[nodiscard]] std::vector<std::byte> bare_command_of(const command& command,
                                                     std::size_t max_bytes);

/// Builds a document of the complete command: the body, followed by the document sequences as
/// arrays. Returns no bytes if the result would exceed `max_bytes`, or if a document sequence
/// is corrupt. Allocates.
[[nodiscard]] std::vector<std::byte> whole_command_of(const command& command,
                                                      std::size_t max_bytes);

}  // namespace scattergate::wire
