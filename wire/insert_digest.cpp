#include "wire/insert_digest.hpp"

#include <algorithm>
#include <cstring>

#include "wire/endian.hpp"
#include "wire/op_msg.hpp"
#include "wire/value_layout.hpp"

namespace scattergate::wire {
namespace {

constexpr std::size_t length_bytes = sizeof(std::int32_t);
constexpr std::size_t head_bytes = limits::header_bytes + sizeof(std::uint32_t);
constexpr std::byte body_kind{0};
constexpr std::byte sequence_kind{1};

/// Longer field names are nobody's shard key; they are followed all the same.
constexpr std::size_t max_name = 1024;

}  // namespace

std::optional<std::string_view> insert_target(std::span<const std::byte> start) noexcept {
  using namespace std::string_view_literals;
  constexpr auto first_field = "\x02insert\0"sv;  // a string named "insert"
  constexpr std::size_t field_at = head_bytes + 1 + length_bytes;
  constexpr std::size_t value_at = field_at + first_field.size();
  if (start.size() < value_at + length_bytes || start[head_bytes] != body_kind) {
    return std::nullopt;
  }
  if (std::memcmp(start.data() + field_at, first_field.data(), first_field.size()) != 0) {
    return std::nullopt;
  }
  const auto size = load_little<std::uint32_t>(start.data() + value_at);
  const auto text = start.subspan(value_at + length_bytes);
  if (size == 0 || size > text.size() || size > limits::max_namespace_bytes) {
    return std::nullopt;
  }
  return std::string_view{reinterpret_cast<const char*>(text.data()), size - 1};
}

message_header insert_digest::header() const noexcept {
  return *parse_header(std::span{kept_}.first<limits::header_bytes>());
}

bool insert_digest::feed(std::span<const std::byte> bytes) {
  while (!bytes.empty() && next_ != part::broken) {
    if (next_ == part::value) {
      take_value(bytes);
    } else {
      take_part(bytes);
    }
    if (kept_.size() > max_bytes_) fail();
  }
  return next_ != part::broken;
}

/// Whether gathered_ is `wanted` bytes long by now.
bool insert_digest::gather(std::span<const std::byte>& bytes, std::size_t wanted) {
  const std::size_t taken = std::min(wanted - gathered_.size(), bytes.size());
  gathered_.insert(gathered_.end(), bytes.begin(),
                   bytes.begin() + static_cast<std::ptrdiff_t>(taken));
  bytes = bytes.subspan(taken);
  at_ += taken;
  return gathered_.size() == wanted;
}

/// Whether gathered_ ends in its NUL by now. Of what is too long only the beginning is kept.
bool insert_digest::gather_name(std::span<const std::byte>& bytes) {
  const auto nul = std::find(bytes.begin(), bytes.end(), std::byte{0});
  const bool has_ended = nul != bytes.end();
  const auto taken = static_cast<std::size_t>(nul - bytes.begin()) + (has_ended ? 1 : 0);
  const std::size_t room = max_name - std::min(max_name, gathered_.size());
  gathered_.insert(gathered_.end(), bytes.begin(),
                   bytes.begin() + static_cast<std::ptrdiff_t>(std::min(taken, room)));
  bytes = bytes.subspan(taken);
  at_ += taken;
  return has_ended;
}

void insert_digest::take_part(std::span<const std::byte>& bytes) {
  switch (next_) {
    case part::message_head:
      if (!gather(bytes, head_bytes)) return;
      on_message_head();
      break;
    case part::section_kind:
    case part::type: {
      if (!gather(bytes, 1)) return;
      const std::byte first = gathered_.front();
      next_ == part::type ? on_type(first) : on_section_kind(first);
      break;
    }
    case part::section_size:
    case part::document_size:
      if (!gather(bytes, length_bytes)) return;
      next_ == part::section_size ? on_section_size(gathered_number())
                                  : on_document_size(gathered_number());
      break;
    case part::value_size:
      if (!gather(bytes, length_bytes)) return;
      on_value_size(gathered_number());
      break;
    case part::section_name:
      if (!gather_name(bytes)) return;
      on_section_name();
      break;
    case part::name:
      if (!gather_name(bytes)) return;
      on_name();
      break;
    case part::checksum:
      if (!gather(bytes, length_bytes)) return;
      next_ = part::end;
      break;
    case part::value:
    case part::end:  // more bytes than the header said
    case part::broken:
      fail();
      break;
  }
  gathered_.clear();
}

void insert_digest::on_message_head() {
  const auto parsed = parse_header(std::span{gathered_}.first<limits::header_bytes>());
  auto flags = load_little<std::uint32_t>(gathered_.data() + limits::header_bytes);
  if (!parsed || parsed->op != opcode::msg) return fail();
  const bool has_checksum = (flags & msg_flag::checksum_present) != 0;
  message_end_ = static_cast<std::size_t>(parsed->length);
  sections_end_ = message_end_ - (has_checksum ? length_bytes : 0);
  if (sections_end_ <= at_) return fail();
  flags &= ~msg_flag::checksum_present;
  store_little(gathered_.data() + limits::header_bytes, flags);
  keep(gathered_);
  next_ = part::section_kind;
}

void insert_digest::on_section_kind(std::byte kind) {
  keep(gathered_);
  if (kind == body_kind) {
    next_ = part::document_size;
  } else if (kind == sequence_kind) {
    next_ = part::section_size;
  } else {
    fail();
  }
}

void insert_digest::on_section_size(std::size_t size) {
  section_end_ = at_ - length_bytes + size;
  section_kept_at_ = kept_.size();
  keep(gathered_);
  if (size < length_bytes || section_end_ > sections_end_) return fail();
  next_ = part::section_name;
}

void insert_digest::on_section_name() {
  keep(gathered_);
  if (at_ > section_end_) return fail();
  if (at_ == section_end_) return end_section();
  next_ = part::document_size;
}

void insert_digest::on_document_size(std::size_t size) {
  frame opened;
  opened.end = at_ - length_bytes + size;
  opened.kept_at = kept_.size();
  std::size_t limit = section_end_ != 0 ? section_end_ : sections_end_;
  if (depth_ != 0) {
    limit = open_[depth_ - 1].end - 1;
    const bool is_in_body = open_[depth_ - 1].what == frame::kind::body;
    opened.what = is_in_body ? frame::kind::list : frame::kind::item;
  } else if (section_end_ != 0) {
    opened.what = frame::kind::item;
  }
  if (size < limits::min_document_bytes || opened.end > limit) return fail();
  keep(gathered_);
  open_[depth_++] = opened;
  next_ = part::type;
}

void insert_digest::on_type(std::byte type) {
  if (type == std::byte{0}) return close_document();
  if (at_ >= open_[depth_ - 1].end) return fail();
  type_ = static_cast<bson_type>(type);
  names_rest_ = 0;
  next_ = part::name;
}

void insert_digest::close_document() {
  const frame& closed = open_[depth_ - 1];
  if (at_ != closed.end) return fail();
  keep(gathered_);
  patch_length(closed.kept_at);
  --depth_;
  if (depth_ != 0) {
    next_ = part::type;
  } else if (section_end_ != 0 && at_ != section_end_) {
    next_ = part::document_size;
  } else {
    end_section();
  }
}

void insert_digest::end_section() {
  if (section_end_ != 0) patch_length(section_kept_at_);
  section_end_ = 0;
  if (at_ != sections_end_) {
    next_ = part::section_kind;
    return;
  }
  patch_length(0);
  next_ = sections_end_ == message_end_ ? part::end : part::checksum;
}

void insert_digest::on_name() {
  const bool is_cut = gathered_.back() != std::byte{0};
  if (names_rest_ != 0) {  // a regex's pattern or its options
    if (is_kept_) keep(gathered_);
    if (--names_rest_ == 0) next_ = part::type;
    if (is_cut && is_kept_) fail();
    return;
  }
  const auto where = open_[depth_ - 1].what;
  const bool is_list =
      where == frame::kind::body && type_ == bson_type::array && gathered_name() == "documents";
  is_kept_ = where != frame::kind::item || is_wanted();
  if (is_kept_) {
    const auto type = static_cast<std::byte>(type_);
    keep({&type, 1});
    keep(gathered_);
    if (is_cut) return fail();
  }
  if (is_list || where == frame::kind::list) {
    next_ = part::document_size;
    if (where == frame::kind::list && type_ != bson_type::document) fail();
    return;
  }
  begin_value();
}

void insert_digest::begin_value() {
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

void insert_digest::on_value_size(std::size_t size) {
  const value_layout layout = layout_of(type_);
  if (is_kept_) keep(gathered_);
  if (layout.how == value_layout::kind::prefixed) return follow_value(size + layout.bytes);
  if (size < length_bytes) return fail();
  follow_value(size - length_bytes);
}

void insert_digest::follow_value(std::size_t bytes) {
  if (at_ + bytes >= open_[depth_ - 1].end) return fail();
  if (is_kept_ && kept_.size() + bytes > max_bytes_) return fail();
  value_rest_ = bytes;
  next_ = bytes == 0 ? part::type : part::value;
}

void insert_digest::take_value(std::span<const std::byte>& bytes) {
  const std::size_t taken = std::min(value_rest_, bytes.size());
  if (is_kept_) keep(bytes.first(taken));
  bytes = bytes.subspan(taken);
  at_ += taken;
  value_rest_ -= taken;
  if (value_rest_ == 0) next_ = part::type;
}

void insert_digest::keep(std::span<const std::byte> bytes) {
  kept_.insert(kept_.end(), bytes.begin(), bytes.end());
}

/// The length that stands at `at` counts itself and all that was kept behind it.
void insert_digest::patch_length(std::size_t at) noexcept {
  store_little(kept_.data() + at, static_cast<std::int32_t>(kept_.size() - at));
}

std::uint32_t insert_digest::gathered_number() const noexcept {
  return load_little<std::uint32_t>(gathered_.data());
}

std::string_view insert_digest::gathered_name() const noexcept {
  return {reinterpret_cast<const char*>(gathered_.data()), gathered_.size() - 1};
}

bool insert_digest::is_wanted() const noexcept {
  return std::find(wanted_.begin(), wanted_.end(), gathered_name()) != wanted_.end();
}

}  // namespace scattergate::wire
