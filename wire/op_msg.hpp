#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "wire/bson.hpp"
#include "wire/error.hpp"
#include "wire/header.hpp"
#include "wire/limits.hpp"

/// Reads OP_MSG, the message of commands and replies (specifications: message/OP_MSG.md).
///
/// Sections of kinds 0 and 1 form the command. Sections of other kinds don't affect how the
/// command is judged:
///   - Kind 2 is a security token: one BSON document on older servers, a NUL-terminated string
///     on newer ones (mongo: rpc/op_msg.cpp). If a message is valid in both forms, its command
///     depends on the server's version. Such a message, and one that is valid in neither form,
///     has the error unknown_section.
///   - Kind 3 is telemetry: a document with the client's trace context, at most once.
///   - A section of an unknown kind is assumed to begin with its length in bytes, an int32 that
///     counts itself, as in kinds 0, 1 and 3. The assumption may be wrong, so any error after
///     such a section is reported as unknown_section.

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

/// The maximum number of sections of an OP_MSG that scattergate reads. Commands need far fewer:
/// mongos accepts only one section of kind 0 and two of kind 1.
inline constexpr std::size_t max_sections = 2 * limits::command_fields;

/// A kind-1 section of an OP_MSG. It stands for a field of the command that is an array of
/// documents. A view into the message.
struct document_sequence {
  std::string_view identifier;           ///< the field's name, such as "documents"
  std::span<const std::byte> documents;  ///< the array's items, one after another
};

/// Iterates over the documents of a sequence.
class sequence_reader {
 public:
  /// `documents`: BSON documents, one after another, such as document_sequence::documents.
  explicit sequence_reader(std::span<const std::byte> documents) noexcept : rest_(documents) {}

  /// Reads the next document. Returns false at the end, and if the remaining bytes don't begin
  /// with a document.
  [[nodiscard]] bool next(document_view& document) noexcept;
  /// Whether next() returned false because the remaining bytes don't begin with a document.
  [[nodiscard]] bool is_corrupt() const noexcept { return corrupt_; }

 private:
  std::span<const std::byte> rest_;
  bool corrupt_ = false;
};

/// A range over a message's document sequences (kind-1 sections), in order. A view of validated
/// sections: doesn't own them. Thread-safety: immutable; use each iterator on one thread.
class sequence_range {
 public:
  sequence_range() = default;
  /// `sections`: all sections of a message. REQUIRES: parse_op_msg() accepted them, with kind-2
  /// sections in the form `tokens`.
  explicit sequence_range(std::span<const std::byte> sections,
                          token_form tokens = token_form::document) noexcept
      : sections_(sections), tokens_(tokens) {}

  class iterator {
   public:
    using value_type = document_sequence;
    using difference_type = std::ptrdiff_t;
    iterator() = default;
    iterator(std::span<const std::byte> rest, token_form tokens) noexcept;
    const document_sequence& operator*() const noexcept { return current_; }
    const document_sequence* operator->() const noexcept { return &current_; }
    iterator& operator++() noexcept;
    void operator++(int) noexcept { ++*this; }
    friend bool operator==(const iterator& it, std::default_sentinel_t) noexcept {
      return it.at_end_;
    }

   private:
    std::span<const std::byte> rest_;
    document_sequence current_;
    token_form tokens_ = token_form::document;
    bool at_end_ = true;
  };

  [[nodiscard]] iterator begin() const noexcept { return iterator{sections_, tokens_}; }
  [[nodiscard]] static std::default_sentinel_t end() noexcept { return {}; }
  /// The size of all sections of the message, not only those of kind 1, in bytes. 0 if there
  /// is no message.
  [[nodiscard]] std::size_t sections_bytes() const noexcept { return sections_.size(); }

 private:
  std::span<const std::byte> sections_;
  token_form tokens_ = token_form::document;
};

/// A parsed OP_MSG. A view into the message.
struct op_msg {
  message_header header;
  std::uint32_t flags = 0;   ///< the flagBits; see msg_flag
  document_view body;        ///< the document of the kind-0 section
  sequence_range sequences;  ///< the kind-1 sections
  /// The document of the kind-3 section; empty if there is none.
  std::span<const std::byte> telemetry;
  /// The traceparent in the telemetry (wire/trace_context.hpp); empty if there is none.
  std::string_view traceparent;
  std::optional<std::uint32_t> checksum;  ///< the CRC-32C that the sender has appended, not
                                          ///< verified; empty if there is none

  /// Whether a flag bit is set. `flag`: a constant of msg_flag.
  [[nodiscard]] bool has(std::uint32_t flag) const noexcept { return (flags & flag) != 0; }
};

/// Parses a complete message, including its header. Checks where all sections begin and end,
/// but not the fields in their documents. Errors: short_message, unknown_flags,
/// unknown_section, bad_section, body_count, bad_bson, too_many_nodes (more than max_sections
/// sections).
[[nodiscard]] result<op_msg> parse_op_msg(const message_header& header,
                                          std::span<const std::byte> message) noexcept;

/// The CRC-32C of a message without its last four bytes, to compare with op_msg::checksum. 0
/// if the message has fewer than four bytes.
[[nodiscard]] std::uint32_t checksum_of(std::span<const std::byte> message) noexcept;

/// Computes the CRC-32C of bytes that arrive in pieces.
class running_checksum {
 public:
  /// Adds the next bytes.
  void add(std::span<const std::byte> bytes) noexcept;
  /// The checksum of all bytes added so far.
  [[nodiscard]] std::uint32_t value() const noexcept { return value_; }

 private:
  std::uint32_t value_ = 0;
};

}  // namespace scattergate::wire
