#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "wire/limits.hpp"

/// Where things stand in an OP_MSG (specifications: message/OP_MSG.md): for whoever parses one,
/// follows one while it streams past, or looks at its first bytes.
///
///     header  flagBits  { kind  section }...  [ checksum ]
namespace scattergate::wire {

/// OP_MSG flagBits. Bits 0-15 are required: an unknown one is an error of that message.
/// Bits 16-31 are optional and ignored where unknown.
namespace msg_flag {
inline constexpr std::uint32_t checksum_present = 1U << 0;
inline constexpr std::uint32_t more_to_come = 1U << 1;
inline constexpr std::uint32_t exhaust_allowed = 1U << 16;
}  // namespace msg_flag

/// The kinds of section that we know.
namespace section_kind {
inline constexpr std::byte body{0};
inline constexpr std::byte sequence{1};
inline constexpr std::byte token{2};
inline constexpr std::byte telemetry{3};
}  // namespace section_kind

/// How the sections of kind 2 of one message are read.
enum class token_form : std::uint8_t { document, text };

/// What a section is made of, behind its kind.
enum class section_frame : std::uint8_t {
  document,  ///< one BSON document
  sequence,  ///< its length in bytes, that int32 included; a name closed by NUL; documents
  token,     ///< a document or a text closed by NUL, by token_form
  unknown,   ///< taken to begin with its length, that int32 included
};

/// One kind of section.
struct section_layout {
  std::byte kind;
  section_frame frame;
  bool is_command;  ///< a part of it, not something that comes with it
};

/// The table of them.
inline constexpr std::array section_layouts{
    section_layout{section_kind::body, section_frame::document, true},
    section_layout{section_kind::sequence, section_frame::sequence, true},
    section_layout{section_kind::token, section_frame::token, false},
    section_layout{section_kind::telemetry, section_frame::document, false},
};

/// The row of a kind; of one that we don't know, what it is taken for.
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

inline constexpr std::size_t flags_at = limits::header_bytes;
inline constexpr std::size_t flags_bytes = sizeof(std::uint32_t);
inline constexpr std::size_t sections_at = flags_at + flags_bytes;
inline constexpr std::size_t kind_bytes = 1;
/// The length that a document begins with, a sequence, and what we don't know.
inline constexpr std::size_t length_bytes = sizeof(std::uint32_t);
inline constexpr std::size_t checksum_bytes = sizeof(std::uint32_t);

/// Where the first field of a body begins whose section begins at 0.
inline constexpr std::size_t first_field = kind_bytes + length_bytes;
/// Where the name of a sequence begins whose section begins at 0.
inline constexpr std::size_t sequence_name = kind_bytes + length_bytes;

inline constexpr std::size_t min_message_bytes =
    sections_at + kind_bytes + limits::min_document_bytes;

static_assert(sections_at == limits::op_msg_head_bytes);

}  // namespace op_msg_layout

}  // namespace scattergate::wire
