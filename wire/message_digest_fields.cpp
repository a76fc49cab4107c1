// What becomes of the fields.

#include <algorithm>
#include <limits>

#include "wire/endian.hpp"
#include "wire/message_digest.hpp"
#include "wire/value_layout.hpp"

namespace scattergate::wire {
namespace {

constexpr std::size_t length_bytes = sizeof(std::int32_t);
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

void message_digest::on_type(std::byte type) {
  if (type == std::byte{0}) return close_document();
  if (at_ >= open_[depth_ - 1].end) return fail();
  type_ = static_cast<bson_type>(type);
  names_rest_ = 0;
  field_at_ = kept_.size();
  keep_byte(type);
  next_ = part::name;
}

void message_digest::on_name() {
  if (names_rest_ != 0) {  // a regex's pattern or its options
    if (--names_rest_ == 0) end_value();
    return;
  }
  switch (open_[depth_ - 1].is) {
    case frame::kind::body:
    case frame::kind::statement:
      return on_argument();
    case frame::kind::list:
      return type_ == bson_type::document ? open_item() : begin_value(fate::kept);
    case frame::kind::document:
      return begin_value(is_wanted(kept_name()) ? fate::kept : fate::left_out);
    case frame::kind::replacement:
    case frame::kind::pipeline:
    case frame::kind::nested:
      return on_update_field();
  }
}

/// A field of the command or of one of its statements.
void message_digest::on_argument() {
  const std::string_view name = kept_name();
  if (const digest_part* const found = part_at(name); found && is_container(type_)) {
    return open(found->what);
  }
  if (list_.empty() && type_ == bson_type::array) {
    list_ = list_called(name);
    if (!list_.empty()) return open(frame::kind::list);
  }
  begin_value(fate::kept);
}

void message_digest::on_update_field() {
  frame& in = open_[depth_ - 1];
  const std::string_view name = kept_name();
  if (is_wanted(name)) return begin_value(fate::kept);
  const bool is_operator = name.starts_with('$');
  const bool is_first = field_at_ == in.kept_at + length_bytes;
  if (is_first && is_operator && in.is == frame::kind::replacement) {
    in.is = frame::kind::nested;
    in.room = no_limit;
  }
  const bool may_name_fields = in.is_array && type_ == bson_type::string;
  if (!is_operator && !may_name_fields) {
    if (in.room == 0) return begin_value(fate::left_out);
    --in.room;
  }
  const bool is_replaced = in.is == frame::kind::replacement;
  if (is_container(type_) && !is_replaced && depth_ < max_depth) {
    return open(frame::kind::nested);
  }
  begin_value(fate::abridged);
}

void message_digest::open_item() {
  const digest_part* const item = part_at({});
  item != nullptr ? open(item->what) : open(frame::kind::statement);
}

/// An update is a replacement until its first field says otherwise.
void message_digest::open(digest_part::kind kind) noexcept {
  if (kind == digest_part::kind::document) return open(frame::kind::document);
  open(type_ == bson_type::array ? frame::kind::pipeline : frame::kind::replacement);
}

void message_digest::open(frame::kind kind) noexcept {
  opening_ = kind;
  opening_is_array_ = depth_ != 0 && type_ == bson_type::array;
  next_ = part::document_size;
}

/// How many of its fields are kept though nobody asked for them, where it is of an update.
std::uint32_t message_digest::room_of(const frame& opened) noexcept {
  if (opened.is == frame::kind::replacement) return 1;
  const bool is_list = opened.is_array && opened.is == frame::kind::nested;
  return is_list ? abridged_items : no_limit;
}

void message_digest::begin_value(fate what) {
  fate_ = what;
  if (what == fate::left_out) kept_.resize(field_at_);
  const value_layout layout = layout_of(type_);
  switch (layout.how) {
    case value_layout::kind::fixed:
      return follow_value(layout.bytes);
    case value_layout::kind::prefixed:
    case value_layout::kind::self_counted:
      next_ = part::value_size;
      return;
    case value_layout::kind::regex:
      names_rest_ = 2;
      next_ = part::name;
      return;
    case value_layout::kind::unknown:
      return fail();
  }
}

void message_digest::on_value_size(std::size_t size) {
  const value_layout layout = layout_of(type_);
  const bool counts_itself = layout.how == value_layout::kind::self_counted;
  if (counts_itself && size < length_bytes) return fail();
  const std::size_t rest = counts_itself ? size - length_bytes : size + layout.bytes;
  if (fate_ == fate::abridged && is_container(type_)) {
    keep_number(limits::min_document_bytes);
    keep_byte(std::byte{0});
    fate_ = fate::left_out;
  } else if (fate_ == fate::abridged && size > abridged_bytes && is_abridgeable(type_)) {
    keep_number(abridged_bytes);
    // A text's NUL comes when it ends; a binary's subtype isn't part of its size.
    const std::size_t most = is_text(type_) ? abridged_bytes - 1 : abridged_bytes + 1;
    return follow_value_kept_to(most, rest);
  } else if (fate_ != fate::left_out) {
    keep_number(size);
  }
  follow_value(rest);
}

/// So many bytes of the value are still to come, of which all are kept, or none.
void message_digest::follow_value(std::size_t bytes) {
  if (fate_ == fate::abridged) fate_ = fate::kept;  // it is short enough
  follow_value_kept_to(fate_ == fate::kept ? bytes : 0, bytes);
}

void message_digest::follow_value_kept_to(std::size_t kept_bytes, std::size_t bytes) {
  if (at_ + bytes >= open_[depth_ - 1].end) return fail();
  value_rest_ = bytes;
  kept_rest_ = kept_bytes;
  if (bytes == 0) return end_value();
  next_ = part::value;
}

void message_digest::take_value(std::span<const std::byte>& bytes) {
  const auto taken = bytes.first(std::min(value_rest_, bytes.size()));
  const auto kept = taken.first(std::min(kept_rest_, taken.size()));
  keep(kept);
  bytes = bytes.subspan(taken.size());
  at_ += taken.size();
  value_rest_ -= taken.size();
  kept_rest_ -= kept.size();
  if (value_rest_ != 0) return;
  if (fate_ == fate::abridged) finish_abridged();
  end_value();
}

void message_digest::finish_abridged() {
  if (is_text(type_)) return keep_byte(std::byte{0});
  constexpr std::byte old_binary{2};  // its content begins with its length once more
  std::byte* const content = kept_.data() + kept_.size() - abridged_bytes;
  if (content[-1] != old_binary) return;
  store_little(content, static_cast<std::uint32_t>(abridged_bytes - length_bytes));
}

/// The name that was kept last, without its NUL.
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

/// Its name as some part has it; empty where none has.
std::string_view message_digest::list_called(std::string_view name) const noexcept {
  const auto found = std::ranges::find(rules_.parts, name, &digest_part::list);
  return found != rules_.parts.end() ? found->list : std::string_view{};
}

bool message_digest::is_wanted(std::string_view path) const noexcept {
  return std::ranges::binary_search(rules_.wanted, path.substr(0, path.find('.')));
}

}  // namespace scattergate::wire
