#pragma once

#include <cstddef>
#include <string_view>

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

#include "wire/label_table.hpp"

namespace scattergate::wire {

/// Errors in received bytes. A framing error ends the connection, because no later byte can be
/// interpreted. Any other error affects one message only: scattergate can't judge the message
/// (predict its shards), and counts it as uninspected.
enum class wire_errc {
  // Framing errors.
  bad_length = 1,  ///< messageLength below 16 or above 48,000,000
  unknown_opcode,  ///< a connection's first message has an opCode that no MongoDB version has
  truncated,       ///< the peer closed the connection in the middle of a message
  http_request,    ///< a client sends HTTP
  tls_hello,       ///< a client uses TLS on a listener without TLS
  not_tls,         ///< a client doesn't use TLS on a listener with TLS
  // Errors of one message.
  short_message,       ///< the message is shorter than its opCode requires
  unknown_flags,       ///< a required flag bit (0-15) that OP_MSG doesn't define
  unknown_section,     ///< a section of kind 2 or of an unknown kind whose end is ambiguous
                       ///< (wire/op_msg.hpp)
  bad_section,         ///< a section that overruns its message, a name without a NUL, or
                       ///< telemetry given twice
  body_count,          ///< not exactly one kind-0 section
  bad_bson,            ///< a document whose length, type or ending is wrong
  too_deep,            ///< nested beyond limits::inspect_depth
  too_many_nodes,      ///< more fields than limits::inspect_nodes or command_fields
  empty_command,       ///< a body without a first field
  duplicate_field,     ///< a command's top-level field or document sequence given twice
  compressed,          ///< an OP_COMPRESSED within an OP_COMPRESSED, or one that the caller
                       ///< hasn't decompressed
  unknown_compressor,  ///< a compressorId that OP_COMPRESSED doesn't define
  bad_compression,     ///< invalid compressed data, or not of the claimed size
  compression_ratio,   ///< claims a size that is too large for its payload
                       ///< (limits::max_compression_ratio)
  legacy_opcode,       ///< an opCode older than OP_MSG, except for a command in an OP_QUERY
  unexpected_opcode,   ///< a reply sent as a request, or an unknown opCode
  hidden_arguments,    ///< an OP_QUERY whose `$queryOptions` mongos would move into the command
  too_large,           ///< too large to be buffered within the setting limits.memory
};

/// The error category of wire_errc; its messages are the metrics' labels (`bad_length`, ...).
[[nodiscard]] const boost::system::error_category& wire_category() noexcept;
[[nodiscard]] boost::system::error_code make_error_code(wire_errc error) noexcept;

/// The label of `error` in scattergate_wire_errors_total and
/// scattergate_uninspected_messages_total.
[[nodiscard]] std::string_view label(wire_errc error) noexcept;

/// The size of a table indexed by wire_errc: the number of values, including 0 (no error).
inline constexpr std::size_t wire_errc_count = enum_count<wire_errc, 1>();

/// A T, or an error that says why there is none.
template <typename T>
using result = boost::system::result<T, wire_errc>;

}  // namespace scattergate::wire

template <>
struct boost::system::is_error_code_enum<scattergate::wire::wire_errc> : std::true_type {};
