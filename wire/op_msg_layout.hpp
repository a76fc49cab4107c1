#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "wire/limits.hpp"

/// The layout of an OP_MSG (specifications: message/OP_MSG.md):
///
///     header  flagBits  { kind  section }...  [ checksum ]
namespace scattergate::wire {

/// The flagBits of an OP_MSG. Of the unknown bits, 0 to 15 are errors, and 16 to 31 are
/// ignored.
namespace msg_flag {
inline constexpr std::uint32_t checksum_present = 1U << 0;  ///< a CRC-32C ends the message
inline constexpr std::uint32_t more_to_come = 1U << 1;      ///< request: no reply is expected;
                                                            ///< reply: another follows
inline constexpr std::uint32_t exhaust_allowed = 1U << 16;  ///< the server may send several
                                                            ///< replies
}  // namespace msg_flag

/// The known kinds of section.
namespace section_kind {
inline constexpr std::byte body{0};       ///< the command's document, exactly once
inline constexpr std::byte sequence{1};   ///< a field of the command that is a list of
                                          ///< documents
inline constexpr std::byte token{2};      ///< a security token
inline constexpr std::byte telemetry{3};  ///< the client's trace context
}  // namespace section_kind

/// The form of a message's kind-2 sections: a BSON document, or a NUL-terminated string.
enum class token_form : std::uint8_t { document, text };

/// The contents of a section, after the byte with the section's kind.
enum class section_frame : std::uint8_t {
  document,  ///< one BSON document
  sequence,  ///< the length in bytes (an int32 that counts itself), a NUL-terminated name, and
             ///< documents
  token,     ///< a document or a NUL-terminated string; see token_form
  unknown,   ///< assumed to begin with the length in bytes (an int32 that counts itself)
};

/// One kind of section.
struct section_layout {
  std::byte kind;       ///< a constant of section_kind, or an unknown kind
  section_frame frame;  ///< the contents of sections of this kind
  bool is_command;      ///< whether the section belongs to the command
};

/// The table of the known kinds of section, indexed by kind.
inline constexpr std::array section_layouts{
    section_layout{section_kind::body, section_frame::document, true},
    section_layout{section_kind::sequence, section_frame::sequence, true},
    section_layout{section_kind::token, section_frame::token, false},
    section_layout{section_kind::telemetry, section_frame::document, false},
};

/// The layout of sections of this kind. For an unknown kind: the layout that scattergate
/// assumes.
[[nodiscard]] constexpr section_layout layout_of_section(std::byte kind) noexcept {
  const auto row = std::to_integer<std::size_t>(kind);
  if (row < section_layouts.size()) return section_layouts[row];
  return {kind, section_frame::unknown, false};
}

consteval bool are_section_layouts_by_kind() {
  for (std::size_t i = 0; i < section_layouts.size(); ++i) {
    if (section_layouts[i].kind != std::byte{static_cast<unsigned char>(i)}) return false;
  }
  return true;
}
static_assert(are_section_layouts_by_kind());

namespace op_msg_layout {

/// Offset of the flagBits in the message.
inline constexpr std::size_t flags_at = limits::header_bytes;
inline constexpr std::size_t flags_bytes = sizeof(std::uint32_t);
/// Offset of the first section in the message.
inline constexpr std::size_t sections_at = flags_at + flags_bytes;
/// Size of a section's kind, in bytes.
inline constexpr std::size_t kind_bytes = 1;
/// Size of the length prefix of a document, a sequence and an unknown section, in bytes.
inline constexpr std::size_t length_bytes = sizeof(std::uint32_t);
inline constexpr std::size_t checksum_bytes = sizeof(std::uint32_t);

/// Offset of the body's first field from the start of its section.
inline constexpr std::size_t first_field = kind_bytes + length_bytes;
/// Offset of a sequence's name from the start of its section.
inline constexpr std::size_t sequence_name = kind_bytes + length_bytes;

/// Size of the smallest OP_MSG, in bytes: one section with an empty document.
inline constexpr std::size_t min_message_bytes =
    sections_at + kind_bytes + limits::min_document_bytes;

static_assert(sections_at == limits::op_msg_head_bytes);

}  // namespace op_msg_layout

}  // namespace scattergate::wire
