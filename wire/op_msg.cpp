#include "wire/op_msg.hpp"

#include <cstring>

#include "wire/crc32c.hpp"
#include "wire/endian.hpp"
#include "wire/trace_context.hpp"

namespace scattergate::wire {
namespace {

using namespace op_msg_layout;

constexpr std::uint32_t required_bits = 0xffff;

std::size_t section_length(std::span<const std::byte> bytes) noexcept {
  return load_little<std::uint32_t>(bytes.data());
}

/// Takes the document of a kind-0 section. `rest` starts after the kind.
result<document_view> take_body(std::span<const std::byte>& rest) noexcept {
  if (rest.size() < length_bytes || section_length(rest) > rest.size()) {
    return wire_errc::bad_section;
  }
  const auto body = document_view::first_of(rest);
  if (!body) return wire_errc::bad_bson;
  rest = rest.subspan(body->size_bytes());
  return *body;
}

/// Takes a kind-1 section: its length (itself included), an identifier closed by NUL,
/// documents. `rest` starts after the kind.
result<document_sequence> take_sequence(std::span<const std::byte>& rest) noexcept {
  if (rest.size() <= length_bytes) return wire_errc::bad_section;
  const std::size_t length = section_length(rest);
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

/// Skips a section of kind 2. `rest` starts after the kind.
bool skip_token(std::span<const std::byte>& rest, token_form form) noexcept {
  if (form == token_form::document) return take_body(rest).has_value();
  if (rest.empty()) return false;
  const void* const end = std::memchr(rest.data(), 0, rest.size());
  if (end == nullptr) return false;
  rest = rest.subspan(
      static_cast<std::size_t>(static_cast<const std::byte*>(end) - rest.data()) + 1);
  return true;
}

/// Skips a section of an unknown kind by the length that it is assumed to begin with.
bool skip_unknown(std::span<const std::byte>& rest) noexcept {
  if (rest.size() < length_bytes) return false;
  const std::size_t length = section_length(rest);
  if (length < length_bytes || length > rest.size()) return false;
  rest = rest.subspan(length);
  return true;
}

/// The sections of a message, with tokens read in one form.
struct contents {
  document_view body;
  std::span<const std::byte> telemetry;
  bool has_body = false;
  bool has_token = false;
  bool has_unknown = false;  ///< there was a section, possibly a token, whose frame was guessed
};

/// Takes one section that isn't part of the command.
wire_errc take_other(std::byte kind, std::span<const std::byte>& rest, token_form form,
                     contents& found) noexcept {
  if (kind == section_kind::telemetry) {
    const auto document = take_body(rest);
    if (!document) return document.error();
    if (!found.telemetry.empty()) return wire_errc::bad_section;
    found.telemetry = document->bytes();
    return {};
  }
  found.has_unknown = true;
  found.has_token = found.has_token || kind == section_kind::token;
  const bool is_passed =
      kind == section_kind::token ? skip_token(rest, form) : skip_unknown(rest);
  return is_passed ? wire_errc{} : wire_errc::unknown_section;
}

wire_errc take_section(std::span<const std::byte>& rest, token_form form,
                       contents& found) noexcept {
  const std::byte kind = rest.front();
  rest = rest.subspan(kind_bytes);
  if (kind == section_kind::sequence) {
    const auto sequence = take_sequence(rest);
    return sequence ? wire_errc{} : sequence.error();
  }
  if (kind != section_kind::body) return take_other(kind, rest, form, found);
  const auto body = take_body(rest);
  if (!body) return body.error();
  if (found.has_body) return wire_errc::body_count;
  found.body = *body;
  found.has_body = true;
  return {};
}

/// Takes all sections. After a section whose frame was guessed, every error is reported as
/// unknown_section, because the guess may be wrong.
wire_errc take_sections(std::span<const std::byte> rest, token_form form,
                        contents& found) noexcept {
  for (std::size_t count = 0; !rest.empty(); ++count) {
    if (count == max_sections) return wire_errc::too_many_nodes;
    if (const auto error = take_section(rest, form, found); error != wire_errc{}) {
      return found.has_unknown ? wire_errc::unknown_section : error;
    }
  }
  if (found.has_body) return {};
  return found.has_unknown ? wire_errc::unknown_section : wire_errc::body_count;
}

/// Takes all sections, with tokens in the form in which the message is valid. unknown_section
/// if it is valid in both forms, or invalid in both.
wire_errc take_either_way(std::span<const std::byte> sections, contents& found,
                          token_form& form) noexcept {
  form = token_form::document;
  const auto error = take_sections(sections, form, found);
  if (!found.has_token) return error;
  contents other;
  const auto other_error = take_sections(sections, token_form::text, other);
  if ((error == wire_errc{}) == (other_error == wire_errc{})) return wire_errc::unknown_section;
  if (error == wire_errc{}) return error;
  found = other;
  form = token_form::text;
  return {};
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

sequence_range::iterator::iterator(std::span<const std::byte> rest, token_form tokens) noexcept
    : rest_(rest), tokens_(tokens), at_end_(false) {
  ++*this;
}

sequence_range::iterator& sequence_range::iterator::operator++() noexcept {
  contents passed;
  while (!rest_.empty()) {
    if (rest_.front() == section_kind::sequence) {
      rest_ = rest_.subspan(kind_bytes);
      const auto sequence = take_sequence(rest_);
      if (!sequence) break;
      current_ = *sequence;
      return *this;
    }
    if (take_section(rest_, tokens_, passed) != wire_errc{}) break;
  }
  at_end_ = true;
  return *this;
}

result<op_msg> parse_op_msg(const message_header& header,
                            std::span<const std::byte> message) noexcept {
  if (message.size() < min_message_bytes) return wire_errc::short_message;
  op_msg parsed;
  parsed.header = header;
  parsed.flags = load_little<std::uint32_t>(message.data() + flags_at);
  constexpr std::uint32_t known = msg_flag::checksum_present | msg_flag::more_to_come;
  if ((parsed.flags & required_bits & ~known) != 0) return wire_errc::unknown_flags;

  auto sections = message.subspan(sections_at);
  if (parsed.has(msg_flag::checksum_present)) {
    if (message.size() < min_message_bytes + checksum_bytes) return wire_errc::short_message;
    sections = sections.first(sections.size() - checksum_bytes);
    parsed.checksum = load_little<std::uint32_t>(sections.data() + sections.size());
  }
  contents found;
  token_form tokens{};
  const auto error = take_either_way(sections, found, tokens);
  if (error != wire_errc{}) return error;
  parsed.body = found.body;
  parsed.telemetry = found.telemetry;
  if (!found.telemetry.empty()) {
    parsed.traceparent = traceparent_of(*document_view::from(found.telemetry));
  }
  parsed.sequences = sequence_range{sections, tokens};
  return parsed;
}

void running_checksum::add(std::span<const std::byte> bytes) noexcept {
  value_ = crc32c(value_, bytes);
}

std::uint32_t checksum_of(std::span<const std::byte> message) noexcept {
  if (message.size() < checksum_bytes) return 0;
  return crc32c(0, message.first(message.size() - checksum_bytes));
}

}  // namespace scattergate::wire
