// The choice of the fields to keep, abridge or drop.

#include <algorithm>
#include <limits>

#include "wire/endian.hpp"
#include "wire/message_digest.hpp"
#include "wire/value_layout.hpp"

namespace scattergate::wire {
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
