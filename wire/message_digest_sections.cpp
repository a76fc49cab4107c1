// Sections other than the command's.

#include <algorithm>

#include "wire/endian.hpp"
#include "wire/message_digest.hpp"
#include "wire/trace_context.hpp"

namespace scattergate::wire {

using op_msg_layout::length_bytes;

void message_digest::on_other_kind(std::byte kind) {
  const bool is_telemetry = kind == section_kind::telemetry;
  if (!is_telemetry) has_unknown_ = true;
  if (sections_end_ - at_ < length_bytes || (is_telemetry && has_telemetry_)) {
    return fail(wire_errc::bad_section);
  }
  next_ = part::other_size;
}

void message_digest::on_other_size(std::size_t size) {
  const bool is_telemetry = kind_ == section_kind::telemetry;
  const std::size_t least = is_telemetry ? limits::min_document_bytes : length_bytes;
  if (size < least || size - length_bytes > sections_end_ - at_) {
    return fail(wire_errc::bad_section);
  }
  if (is_telemetry) has_telemetry_ = true;
  const bool is_kept = is_telemetry && size <= max_telemetry_bytes;
  if (is_kept) {
    keep_byte(kind_);
    keep_number(size);
  }
  begin_content(size - length_bytes, is_kept);
}

/// Reads a token as a document if its first bytes may be a document's length. Meanwhile
/// otherwise_ reads it as a text; at the message's end, feed() fails if both readings are
/// valid.
void message_digest::on_token() {
  has_unknown_ = true;
  if (at_ == sections_end_) return fail();
  const bool has_head = sections_end_ - at_ >= length_bytes;
  if (!tokens_ && !has_head) tokens_ = token_form::text;
  if (tokens_ == token_form::text) {
    next_ = part::token_text;
    return;
  }
  if (!has_head) return fail();
  if (!tokens_) otherwise_ = section_scan{at_, sections_end_};
  next_ = part::token_head;
}

void message_digest::on_token_head() {
  const std::size_t size = load_little<std::uint32_t>(gathered_.data());
  if (size >= limits::min_document_bytes && size - length_bytes <= sections_end_ - at_) {
    tokens_ = token_form::document;
    return begin_content(size - length_bytes, false);
  }
  if (tokens_) return fail();
  tokens_ = token_form::text;
  otherwise_ = {};
  at_ -= length_bytes;  // reads these bytes again: the text may end within them
  next_ = part::token_text;
  std::array<std::byte, length_bytes> head{};
  std::ranges::copy(std::span{gathered_}.first<length_bytes>(), head.begin());
  for (std::span<const std::byte> rest = head; !rest.empty() && is_valid_so_far();)
    take_part(rest);
}

void message_digest::take_token_text(std::span<const std::byte>& bytes) {
  const auto text = bytes.first(std::min(bytes.size(), sections_end_ - at_));
  const auto nul = std::ranges::find(text, std::byte{0});
  const bool has_ended = nul != text.end();
  const auto taken = static_cast<std::size_t>(nul - text.begin()) + (has_ended ? 1 : 0);
  bytes = bytes.subspan(taken);
  at_ += taken;
  if (has_ended) return end_section();
  if (at_ == sections_end_) fail();
}

}  // namespace scattergate::wire
