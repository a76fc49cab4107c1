#include "wire/message_digest.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

#include "wire/bson.hpp"
#include "wire/endian.hpp"
#include "wire/op_msg.hpp"
#include "wire/trace_context.hpp"

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

// Sections other than the command's.

// The choice of the fields to keep, abridge or drop.

namespace scattergate::wire {
namespace {

using op_msg_layout::checksum_bytes;
using op_msg_layout::flags_at;
using op_msg_layout::kind_bytes;
using op_msg_layout::length_bytes;
using op_msg_layout::sections_at;

}  // namespace

void section_scan::feed(std::span<const std::byte> bytes, std::size_t at) noexcept {
  if (next_ == part::broken || at + bytes.size() <= at_) return;
  bytes = bytes.subspan(at_ - std::min(at_, at));
  bytes = bytes.first(std::min(bytes.size(), end_ - at_));
  while (!bytes.empty() && next_ != part::broken) take(bytes);
}

void section_scan::take(std::span<const std::byte>& bytes) noexcept {
  if (next_ == part::text) return take_text(bytes);
  if (next_ == part::content) {
    const std::size_t taken = std::min(content_rest_, bytes.size());
    bytes = bytes.subspan(taken);
    at_ += taken;
    content_rest_ -= taken;
    if (content_rest_ == 0) next_ = part::kind;
    return;
  }
  const std::byte next = bytes.front();
  bytes = bytes.subspan(1);
  ++at_;
  if (next_ == part::length) return take_length(next);
  const bool is_text = layout_of_section(next).frame == section_frame::token;
  next_ = is_text ? part::text : part::length;
}

void section_scan::take_length(std::byte next) noexcept {
  constexpr std::uint32_t all_bits = 32;
  length_ |= std::to_integer<std::uint32_t>(next) << length_bits_;
  length_bits_ += 8;
  if (length_bits_ != all_bits) return;
  using op_msg_layout::length_bytes;
  const std::size_t length = length_;
  length_ = length_bits_ = 0;
  if (length < length_bytes || length - length_bytes > end_ - at_) {
    next_ = part::broken;
    return;
  }
  content_rest_ = length - length_bytes;
  next_ = content_rest_ == 0 ? part::kind : part::content;
}

void section_scan::take_text(std::span<const std::byte>& bytes) noexcept {
  const auto nul = std::find(bytes.begin(), bytes.end(), std::byte{0});
  const bool has_ended = nul != bytes.end();
  const std::size_t taken = static_cast<std::size_t>(nul - bytes.begin()) + (has_ended ? 1 : 0);
  bytes = bytes.subspan(taken);
  at_ += taken;
  if (has_ended) next_ = part::kind;
}

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

namespace {

constexpr std::uint32_t no_limit = std::numeric_limits<std::uint32_t>::max();

bool is_container(bson_type type) noexcept {
  return type == bson_type::document || type == bson_type::array;
}

bool is_text(bson_type type) noexcept {
  return type == bson_type::string || type == bson_type::code || type == bson_type::symbol;
}

bool is_abridgeable(bson_type type) noexcept {
  return is_text(type) || type == bson_type::binary;
}

}  // namespace

void message_digest::begin_document(std::uint32_t length) {
  frame& opened = open_[depth_++];
  opened.is = opening_;
  opened.is_array = opening_is_array_;
  opened.room = room_of(opened);
  opened.kept_at = kept_.size();
  keep_number(length);
}

void message_digest::end_document() {
  const frame& closed = open_[--depth_];
  keep_byte(std::byte{0});
  patch_length(closed.kept_at);
  if (closed.is == frame::kind::list) list_ = {};
}

void message_digest::begin_field() {
  field_at_ = kept_.size();
  keep_byte(static_cast<std::byte>(stream_.type()));
}

/// Decides how to treat the current field, once its name is complete. Returns whether to enter
/// its value.
bool message_digest::enters() {
  keep_byte(std::byte{0});
  switch (open_[depth_ - 1].is) {
    case frame::kind::body:
    case frame::kind::statement:
      return on_argument();
    case frame::kind::list:
      return stream_.type() == bson_type::document ? enter(kind_of_item())
                                                   : pass(treatment::kept);
    case frame::kind::document:
      return pass(is_relevant(kept_name()) ? treatment::kept : treatment::left_out);
    case frame::kind::replacement:
    case frame::kind::pipeline:
    case frame::kind::nested:
      break;
  }
  return on_update_field();
}

/// Handles a field of the command or of one of its statements.
bool message_digest::on_argument() {
  const std::string_view name = kept_name();
  const bson_type type = stream_.type();
  if (const digest_part* const found = part_at(name); found && is_container(type)) {
    return enter(kind_of(found->what));
  }
  if (list_.empty() && type == bson_type::array) {
    list_ = list_called(name);
    if (!list_.empty()) return enter(frame::kind::list);
  }
  return pass(treatment::kept);
}

bool message_digest::on_update_field() {
  frame& in = open_[depth_ - 1];
  const std::string_view name = kept_name();
  const bson_type type = stream_.type();
  if (is_relevant(name)) return pass(treatment::kept);
  const bool is_operator = name.starts_with('$');
  const bool is_first = field_at_ == in.kept_at + prefix_bytes;
  if (is_first && is_operator && in.is == frame::kind::replacement) {
    in.is = frame::kind::nested;
    in.room = no_limit;
  }
  const bool may_name_fields = in.is_array && type == bson_type::string;
  if (!is_operator && !may_name_fields) {
    if (in.room == 0) return pass(treatment::left_out);
    --in.room;
  }
  const bool is_replaced = in.is == frame::kind::replacement;
  if (is_container(type) && !is_replaced && depth_ < max_depth) {
    return enter(frame::kind::nested);
  }
  return pass(treatment::abridged);
}

message_digest::frame::kind message_digest::kind_of_item() const noexcept {
  const digest_part* const item = part_at({});
  return item != nullptr ? kind_of(item->what) : frame::kind::statement;
}

/// An update counts as a replacement until its first field shows an operator.
message_digest::frame::kind message_digest::kind_of(digest_part::kind kind) const noexcept {
  if (kind == digest_part::kind::document) return frame::kind::document;
  const bool is_array = stream_.type() == bson_type::array;
  return is_array ? frame::kind::pipeline : frame::kind::replacement;
}

/// Has the stream enter the next document or array, as one of this kind. Always returns true.
bool message_digest::enter(frame::kind kind) noexcept {
  opening_ = kind;
  opening_is_array_ = depth_ != 0 && stream_.type() == bson_type::array;
  return true;
}

/// How many irrelevant fields of a newly opened part of an update are kept.
std::uint32_t message_digest::room_of(const frame& opened) noexcept {
  if (opened.is == frame::kind::replacement) return 1;
  const bool is_list = opened.is_array && opened.is == frame::kind::nested;
  return is_list ? abridged_items : no_limit;
}

/// Sets how to treat the next value, without entering it. Always returns false.
bool message_digest::pass(treatment what) {
  const bson_type type = stream_.type();
  const bool is_short = !is_container(type) && !is_abridgeable(type);
  treatment_ = what == treatment::abridged && is_short ? treatment::kept : what;
  kept_rest_ = what == treatment::left_out ? 0 : std::numeric_limits<std::size_t>::max();
  if (what == treatment::left_out) kept_.resize(field_at_);
  return false;
}

bool message_digest::take_length(std::uint32_t length) {
  const bson_type type = stream_.type();
  if (treatment_ == treatment::left_out) return true;
  if (treatment_ == treatment::abridged && is_container(type)) {
    keep_number(limits::min_document_bytes);
    keep_byte(std::byte{0});
    treatment_ = treatment::left_out;
    kept_rest_ = 0;
  } else if (treatment_ == treatment::abridged && length > abridged_bytes) {
    keep_number(abridged_bytes);
    // A text's NUL is added when it ends; a binary's subtype isn't part of its size.
    kept_rest_ = is_text(type) ? abridged_bytes - 1 : abridged_bytes + 1;
  } else {
    keep_number(length);
    treatment_ = treatment::kept;
  }
  return true;
}

void message_digest::take_value(std::span<const std::byte> piece) {
  const auto kept = piece.first(std::min(kept_rest_, piece.size()));
  keep(kept);
  kept_rest_ -= kept.size();
}

void message_digest::end_value() {
  if (treatment_ == treatment::abridged) finish_abridged();
}

void message_digest::finish_abridged() {
  if (is_text(stream_.type())) keep_byte(std::byte{0});
}

/// The last name written to kept_, without its NUL.
std::string_view message_digest::kept_name() const noexcept {
  const std::size_t begin = field_at_ + 1;
  return {reinterpret_cast<const char*>(kept_.data() + begin), kept_.size() - begin - 1};
}

const digest_part* message_digest::part_at(std::string_view field) const noexcept {
  const auto found = std::ranges::find_if(rules_.parts, [&](const digest_part& each) {
    return each.list == list_ && each.field == field;
  });
  return found != rules_.parts.end() ? &*found : nullptr;
}

/// The digest_part::list that equals `name`; empty if there is none.
std::string_view message_digest::list_called(std::string_view name) const noexcept {
  const auto found = std::ranges::find(rules_.parts, name, &digest_part::list);
  return found != rules_.parts.end() ? found->list : std::string_view{};
}

bool message_digest::is_relevant(std::string_view path) const noexcept {
  return std::ranges::binary_search(rules_.relevant, path.substr(0, path.find('.')));
}

}  // namespace scattergate::wire
