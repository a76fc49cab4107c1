#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/error.hpp"
#include "wire/limits.hpp"

/// The header of MongoDB messages.
namespace scattergate::wire {

/// MongoDB's opCodes (wire protocol, "Opcodes").
enum class opcode : std::int32_t {
  reply = 1,
  update = 2001,
  insert = 2002,
  query = 2004,
  get_more = 2005,
  delete_ = 2006,
  kill_cursors = 2007,
  compressed = 2012,
  msg = 2013,
};

/// The standard message header, in host byte order.
struct message_header {
  std::int32_t length = 0;       ///< size of the whole message in bytes, including this header
  std::int32_t request_id = 0;   ///< the number that the sender has given to this message
  std::int32_t response_to = 0;  ///< in a reply: the request_id of the message that it answers
  opcode op{};                   ///< may be a value that `opcode` doesn't list
};

/// Parses a header. Errors: bad_length (not within 16 to 48,000,000). Accepts any opCode; check
/// it with is_known().
[[nodiscard]] result<message_header> parse_header(
    std::span<const std::byte, limits::header_bytes> bytes) noexcept;

/// Writes a header in wire format.
void serialize_header(const message_header& header,
                      std::span<std::byte, limits::header_bytes> bytes) noexcept;

/// Whether any version of MongoDB has this opCode.
[[nodiscard]] bool is_known(opcode op) noexcept;

}  // namespace scattergate::wire
