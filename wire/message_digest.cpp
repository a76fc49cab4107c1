// message_digest's framing: header, sections, documents. message_digest_fields.cpp decides
// which fields are kept. message_digest_sections.cpp handles the sections that aren't the
// command's.
//
// Invariants between two bytes of input:
//   - at_ is the offset of the next input byte. next_ is the part that this byte belongs to.
//   - kept_ is the beginning of a valid OP_MSG, except for the lengths of the message (at 0),
//     the open section (section_kept_at_) and the open documents (open_[i].kept_at). A length
//     is patched when its message, section or document ends, because the shortened size isn't
//     known earlier.
//   - A field is written to kept_ as it arrives, from field_at_ on. The decision to keep it is
//     made at the end of its name; a field that is dropped is cut off again (pass()).
//   - A number or a head that arrives in several pieces is collected in gathered_ first. Names
//     and values aren't.
//
// Example: the rules shorten each item of `documents` to the relevant field `k`. The message
//
//     insert: "c", $db: "d"   section 1: documents: {_id: 1, k: 7, text: "..."}
//
// keeps the body and the section's name unchanged, then
//
//     {        a length of the input's size, to be patched
//     _id: 1   written up to its name, then cut off
//     k: 7     kept
//     text     written up to its name, then cut off; its value is skipped, whatever its size
//     }        NUL; patches the document's length
//
// and at the section's end patches the section's length, at the message's end the header's.

#include "wire/message_digest.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "wire/endian.hpp"
#include "wire/op_msg_layout.hpp"

namespace scattergate::wire {
namespace {

using op_msg_layout::checksum_bytes;
using op_msg_layout::flags_at;
using op_msg_layout::kind_bytes;
using op_msg_layout::length_bytes;
using op_msg_layout::sections_at;

}  // namespace

message_header message_digest::header() const noexcept {
  return *parse_header(std::span{kept_}.first<limits::header_bytes>());
}

bool message_digest::reserve(std::size_t bytes) {
  try {
    kept_.reserve(bytes);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void message_digest::give_up(wire_errc error) {
  next_ = part::broken;
  error_ = error;
  kept_ = std::vector<std::byte>{};  // `= {}` would keep the memory
}

bool message_digest::feed(std::span<const std::byte> bytes) {
  const auto all = bytes;
  const std::size_t before = at_;
  for (; !bytes.empty() && next_ != part::broken; ++steps_) take_part(bytes);
  otherwise_.feed(all, before);
  if (next_ == part::end && otherwise_.is_whole()) fail(wire_errc::unknown_section);
  return next_ != part::broken;
}

/// Collects bytes in gathered_; true once it holds the requested number.
bool message_digest::gather(std::span<const std::byte>& bytes, std::size_t size) {
  const std::size_t taken = std::min(size - gathered_size_, bytes.size());
  std::memcpy(gathered_.data() + gathered_size_, bytes.data(), taken);
  gathered_size_ += taken;
  bytes = bytes.subspan(taken);
  at_ += taken;
  if (gathered_size_ != size) return false;
  gathered_size_ = 0;
  return true;
}

/// Copies the section's name to kept_; true once the name has ended. Fails if the section ends
/// first.
bool message_digest::take_section_name(std::span<const std::byte>& bytes) {
  const auto nul = std::find(bytes.begin(), bytes.end(), std::byte{0});
  const bool has_ended = nul != bytes.end();
  const auto taken =
      bytes.first(static_cast<std::size_t>(nul - bytes.begin()) + (has_ended ? 1 : 0));
  keep(taken);
  bytes = bytes.subspan(taken.size());
  at_ += taken.size();
  if (at_ > section_end_) fail(wire_errc::bad_section);
  return has_ended && is_valid_so_far();
}

void message_digest::take_part(std::span<const std::byte>& bytes) {
  switch (next_) {
    case part::message_head:
      if (gather(bytes, sections_at)) on_message_head();
      return;
    case part::section_kind:
      if (gather(bytes, kind_bytes)) on_section_kind(gathered_.front());
      return;
    case part::section_size:
      if (gather(bytes, length_bytes))
        on_section_size(load_little<std::uint32_t>(gathered_.data()));
      return;
    case part::other_size:
      if (gather(bytes, length_bytes))
        on_other_size(load_little<std::uint32_t>(gathered_.data()));
      return;
    case part::token_head:
      if (gather(bytes, length_bytes)) on_token_head();
      return;
    case part::token_text:
      return take_token_text(bytes);
    case part::section_name:
      if (take_section_name(bytes)) on_section_name();
      return;
    case part::document:
      return follow_document(bytes);
    case part::content:
      return take_content(bytes);
    case part::checksum:
      if (gather(bytes, checksum_bytes)) next_ = part::end;
      return;
    case part::end:
    case part::broken:
      return fail(wire_errc::bad_length);  // more bytes than the header said
  }
}

void message_digest::on_message_head() {
  const auto parsed = parse_header(std::span{gathered_}.first<limits::header_bytes>());
  auto flags = load_little<std::uint32_t>(gathered_.data() + flags_at);
  if (!parsed || parsed->op != opcode::msg) return fail(wire_errc::unexpected_opcode);
  const bool has_checksum = (flags & msg_flag::checksum_present) != 0;
  message_end_ = static_cast<std::size_t>(parsed->length);
  sections_end_ = message_end_ - (has_checksum ? checksum_bytes : 0);
  if (sections_end_ <= at_) return fail(wire_errc::short_message);
  flags &= ~msg_flag::checksum_present;
  store_little(gathered_.data() + flags_at, flags);
  keep(std::span{gathered_}.first<sections_at>());
  next_ = part::section_kind;
}

void message_digest::on_section_kind(std::byte kind) {
  if (++sections_ > max_sections) return fail(wire_errc::too_many_nodes);
  kind_ = kind;
  if (kind == section_kind::token) return on_token();
  if (!layout_of_section(kind).is_command) return on_other_kind(kind);
  keep({&kind, 1});
  if (kind == section_kind::sequence) {
    next_ = part::section_size;
  } else if (has_body_) {
    fail(wire_errc::body_count);
  } else {
    has_body_ = true;
    follow(frame::kind::body);
  }
}

void message_digest::on_section_size(std::size_t size) {
  section_end_ = at_ - length_bytes + size;
  section_kept_at_ = kept_.size();
  keep_number(size);
  if (size < length_bytes || section_end_ > sections_end_) {
    return fail(wire_errc::bad_section);
  }
  field_at_ = kept_.size() - 1;
  next_ = part::section_name;
}

void message_digest::on_section_name() {
  if (at_ == section_end_) return end_section();
  list_ = list_called(kept_name());
  if (!list_.empty()) return follow(kind_of_item());
  begin_content(section_end_ - at_, true);
}

/// Begins the last `bytes` bytes of a section. `is_kept`: whether to keep them.
void message_digest::begin_content(std::size_t bytes, bool is_kept) {
  content_rest_ = bytes;
  keeps_content_ = is_kept;
  next_ = part::content;
  if (bytes == 0) end_section();
}

void message_digest::take_content(std::span<const std::byte>& bytes) {
  const auto taken = bytes.first(std::min(content_rest_, bytes.size()));
  if (keeps_content_) keep(taken);
  bytes = bytes.subspan(taken.size());
  at_ += taken.size();
  content_rest_ -= taken.size();
  if (content_rest_ == 0) end_section();
}

/// Begins a document that fills the section or, in a sequence, a part of it.
void message_digest::follow(frame::kind kind) {
  (void)enter(kind);
  stream_.begin((section_end_ != 0 ? section_end_ : sections_end_) - at_);
  next_ = part::document;
}

void message_digest::follow_document(std::span<const std::byte>& bytes) {
  const std::size_t before = bytes.size();
  steps_ += stream_.feed(bytes, *this);
  at_ += before - bytes.size();
  if (stream_.is_open()) return;
  if (!stream_.has_ended()) return fail();
  if (section_end_ != 0 && at_ != section_end_) return follow(kind_of_item());
  end_section();
}

void message_digest::end_section() {
  if (section_end_ != 0) patch_length(section_kept_at_);
  section_end_ = 0;
  list_ = {};
  if (at_ != sections_end_) {
    next_ = part::section_kind;
    return;
  }
  end_message();
}

void message_digest::end_message() {
  if (!has_body_) return fail(wire_errc::body_count);
  patch_length(0);
  next_ = sections_end_ == message_end_ ? part::end : part::checksum;
}

void message_digest::keep(std::span<const std::byte> bytes) {
  kept_.insert(kept_.end(), bytes.begin(), bytes.end());
}

void message_digest::keep_byte(std::byte byte) {
  kept_.push_back(byte);
}

void message_digest::keep_number(std::size_t number) {
  std::array<std::byte, length_bytes> bytes{};
  store_little(bytes.data(), static_cast<std::uint32_t>(number));
  keep(bytes);
}

/// Writes a length at offset `at` of kept_. It counts itself and all bytes kept after it.
void message_digest::patch_length(std::size_t at) noexcept {
  store_little(kept_.data() + at, static_cast<std::int32_t>(kept_.size() - at));
}

}  // namespace scattergate::wire
