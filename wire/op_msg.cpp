#include "wire/op_msg.hpp"

#include <cstring>

#include "wire/endian.hpp"

namespace scattergate::wire {
namespace {

constexpr std::size_t flags_bytes = 4;
constexpr std::size_t checksum_bytes = 4;
constexpr std::size_t length_bytes = 4;
constexpr std::size_t sections_offset = limits::header_bytes + flags_bytes;
constexpr std::size_t min_message_bytes = sections_offset + 1 + limits::min_document_bytes;
constexpr std::uint32_t required_bits = 0xffff;
constexpr std::byte body_kind{0};
constexpr std::byte sequence_kind{1};

std::size_t length_at(std::span<const std::byte> bytes) noexcept {
  return load_little<std::uint32_t>(bytes.data());
}

/// The document of a kind-0 section, of which `rest` is what follows the kind.
result<document_view> take_body(std::span<const std::byte>& rest) noexcept {
  if (rest.size() < length_bytes || length_at(rest) > rest.size()) {
    return wire_errc::bad_section;
  }
  const auto body = document_view::first_of(rest);
  if (!body) return wire_errc::bad_bson;
  rest = rest.subspan(body->size_bytes());
  return *body;
}

/// A kind-1 section, of which `rest` is what follows the kind: its length (itself included),
/// an identifier closed by NUL, documents.
result<document_sequence> take_sequence(std::span<const std::byte>& rest) noexcept {
  if (rest.size() <= length_bytes) return wire_errc::bad_section;
  const std::size_t length = length_at(rest);
  if (length <= length_bytes || length > rest.size()) return wire_errc::bad_section;
  const auto content = rest.first(length).subspan(length_bytes);
  const void* const end = std::memchr(content.data(), 0, content.size());
  if (end == nullptr) return wire_errc::bad_section;
  const auto name_size =
      static_cast<std::size_t>(static_cast<const std::byte*>(end) - content.data());
  rest = rest.subspan(length);
  return document_sequence{{reinterpret_cast<const char*>(content.data()), name_size},
                           content.subspan(name_size + 1)};
}

}  // namespace

bool sequence_reader::next(document_view& document) noexcept {
  if (rest_.empty() || corrupt_) return false;
  const auto first = document_view::first_of(rest_);
  if (!first) {
    corrupt_ = true;
    return false;
  }
  rest_ = rest_.subspan(first->size_bytes());
  document = *first;
  return true;
}

sequence_range::iterator::iterator(std::span<const std::byte> rest) noexcept
    : rest_(rest), at_end_(false) {
  ++*this;
}

sequence_range::iterator& sequence_range::iterator::operator++() noexcept {
  while (!rest_.empty()) {
    const std::byte kind = rest_.front();
    rest_ = rest_.subspan(1);
    if (kind == sequence_kind) {
      const auto sequence = take_sequence(rest_);
      if (!sequence) break;
      current_ = *sequence;
      return *this;
    }
    if (!take_body(rest_)) break;
  }
  at_end_ = true;
  return *this;
}

result<op_msg> parse_op_msg(const message_header& header,
                            std::span<const std::byte> message) noexcept {
  if (message.size() < min_message_bytes) return wire_errc::short_message;
  op_msg parsed;
  parsed.header = header;
  parsed.flags = load_little<std::uint32_t>(message.data() + limits::header_bytes);
  constexpr std::uint32_t known = msg_flag::checksum_present | msg_flag::more_to_come;
  if ((parsed.flags & required_bits & ~known) != 0) return wire_errc::unknown_flags;

  auto sections = message.subspan(sections_offset);
  if (parsed.has(msg_flag::checksum_present)) {
    if (message.size() < min_message_bytes + checksum_bytes) return wire_errc::short_message;
    sections = sections.first(sections.size() - checksum_bytes);
    parsed.checksum = load_little<std::uint32_t>(sections.data() + sections.size());
  }
  bool has_body = false;
  for (auto rest = sections; !rest.empty();) {
    const std::byte kind = rest.front();
    rest = rest.subspan(1);
    if (kind == body_kind) {
      const auto body = take_body(rest);
      if (!body) return body.error();
      if (has_body) return wire_errc::body_count;
      parsed.body = *body;
      has_body = true;
    } else if (kind == sequence_kind) {
      if (const auto sequence = take_sequence(rest); !sequence) return sequence.error();
    } else {
      return wire_errc::unknown_section;
    }
  }
  if (!has_body) return wire_errc::body_count;
  parsed.sequences = sequence_range{sections};
  return parsed;
}

}  // namespace scattergate::wire
