#include "wire/reply_scan.hpp"

#include <algorithm>
#include <cstring>

#include "wire/endian.hpp"
#include "wire/op_msg_layout.hpp"
#include "wire/value_layout.hpp"

namespace scattergate::wire {
namespace {

constexpr std::uint32_t flags_bytes = op_msg_layout::flags_bytes;
constexpr std::uint32_t reply_head_bytes = 20;
constexpr std::uint32_t length_bytes = op_msg_layout::length_bytes;

/// Where the NUL in `bytes` is, or bytes.size() where there is none.
std::size_t find_nul(std::span<const std::byte> bytes) noexcept {
  const void* const nul = std::memchr(bytes.data(), 0, bytes.size());
  if (nul == nullptr) return bytes.size();
  return static_cast<std::size_t>(static_cast<const std::byte*>(nul) - bytes.data());
}

}  // namespace

void reply_scanner::begin(const message_header& header) noexcept {
  *this = {};
  constexpr auto header_bytes = static_cast<std::int32_t>(limits::header_bytes);
  if (header.length < header_bytes) return;
  left_ = static_cast<std::uint32_t>(header.length - header_bytes);
  if (header.op == opcode::msg) need(state::flags, flags_bytes);
  if (header.op == opcode::reply) need(state::reply_head, reply_head_bytes);
}

void reply_scanner::feed(std::span<const std::byte> bytes) noexcept {
  while (state_ != state::done && !bytes.empty()) {
    switch (state_) {
      case state::name:
        take_name(bytes);
        break;
      case state::regex:
        take_regex(bytes);
        break;
      case state::skip:
        pass_over(bytes);
        break;
      default:
        if (const std::byte* const value = gather(bytes)) take(value);
    }
  }
}

void reply_scanner::read(const message_header& header,
                         std::span<const std::byte> message) noexcept {
  begin(header);
  const auto payload = message.subspan(limits::header_bytes);
  constexpr std::size_t body_at = flags_bytes + op_msg_layout::kind_bytes;
  if (header.op != opcode::msg || payload.size() < body_at) return feed(payload);
  feed(payload.first(body_at));
  const auto body = document_view::first_of(payload.subspan(body_at));
  if (state_ != state::document_length || !body) return;
  state_ = state::done;
  facts_.readable = read_fields(*body);
}

/// False where they are corrupt.
bool reply_scanner::read_fields(document_view fields) noexcept {
  document_reader reader{fields};
  for (element field; reader.next(field);) {
    if (field.is_document() && enters(field.key())) {
      if (!read_fields(*field.as_document())) return false;
      level_ = level::top;
    } else if (is_wanted_number(field.type(), field.key())) {
      note_number(field.type(), field.key(), field.value().data());
    }
  }
  return !reader.is_corrupt();
}

/// Whether a document of this name is one to read the fields of; they are then those that come.
bool reply_scanner::enters(std::string_view field) noexcept {
  if (level_ != level::top) return false;
  if (field == "cursor") {
    level_ = level::cursor;
  } else if (field == "speculativeAuthenticate") {
    level_ = level::speculative;
    facts_.is_speculative = true;
    facts_.sasl_done = false;
    facts_.conversation = 0;
  }
  return level_ != level::top;
}

/// The next wanted_ bytes in one piece, in place where they are; null while some are missing.
const std::byte* reply_scanner::gather(std::span<const std::byte>& bytes) noexcept {
  if (held_size_ == 0 && bytes.size() >= wanted_) {
    const std::byte* const value = bytes.data();
    bytes = bytes.subspan(wanted_);
    return value;
  }
  const std::size_t size = std::min<std::size_t>(wanted_ - held_size_, bytes.size());
  std::memcpy(held_.data() + held_size_, bytes.data(), size);
  held_size_ = static_cast<std::uint8_t>(held_size_ + size);
  bytes = bytes.subspan(size);
  if (held_size_ != wanted_) return nullptr;
  held_size_ = 0;
  return held_.data();
}

void reply_scanner::take(const std::byte* value) noexcept {
  switch (state_) {
    case state::type:
      type_ = std::to_integer<std::uint8_t>(*value);
      if (type_ == 0) return end_document();
      name_size_ = 0;
      state_ = state::name;
      return;
    case state::number:
      return take_number(value);
    case state::value_length:
      return take_length(load_little<std::uint32_t>(value));
    case state::document_length:
      return begin_document(load_little<std::uint32_t>(value));
    default:
      return take_head(value);
  }
}

/// What stands before the first document.
void reply_scanner::take_head(const std::byte* value) noexcept {
  if (state_ == state::flags) {
    facts_.more_to_come = (load_little<std::uint32_t>(value) & msg_flag::more_to_come) != 0;
    return need(state::kind, 1);
  }
  // Servers send the body first; without a first document there is nothing to read.
  const bool has_document = state_ == state::kind ? *value == std::byte{0}
                                                  : load_little<std::int32_t>(value + 16) > 0;
  if (!has_document) {
    state_ = state::done;
    return;
  }
  need(state::document_length, length_bytes);
}

void reply_scanner::take_name(std::span<const std::byte>& bytes) noexcept {
  const std::size_t size = find_nul(bytes);
  const bool ends = size != bytes.size();
  if (!pay(size + (ends ? 1 : 0))) return;
  if (name_size_ + size <= longest_name) {
    std::memcpy(name_.data() + name_size_, bytes.data(), size);
    name_size_ = static_cast<std::uint8_t>(name_size_ + size);
  } else {
    name_size_ = longest_name + 1;
  }
  bytes = bytes.subspan(size + (ends ? 1 : 0));
  if (ends) begin_value();
}

void reply_scanner::take_regex(std::span<const std::byte>& bytes) noexcept {
  const std::size_t size = find_nul(bytes);
  const bool ends = size != bytes.size();
  if (!pay(size + (ends ? 1 : 0))) return;
  bytes = bytes.subspan(size + (ends ? 1 : 0));
  if (ends && --regex_parts_ == 0) need(state::type, 1);
}

void reply_scanner::begin_value() noexcept {
  const value_layout layout = layout_of(static_cast<bson_type>(type_));
  switch (layout.how) {
    case value_layout::kind::fixed:
      if (is_wanted_number(static_cast<bson_type>(type_), name())) {
        return need(state::number, layout.bytes);
      }
      return skip(layout.bytes);
    case value_layout::kind::prefixed:
    case value_layout::kind::self_counted:
      return need(state::value_length, length_bytes);
    case value_layout::kind::regex:
      regex_parts_ = 2;
      state_ = state::regex;
      return;
    case value_layout::kind::unknown:
      state_ = state::done;
  }
}

void reply_scanner::take_length(std::uint32_t length) noexcept {
  const auto type = static_cast<bson_type>(type_);
  if (type == bson_type::document && enters(name())) return begin_document(length);
  const value_layout layout = layout_of(type);
  if (layout.how == value_layout::kind::prefixed) {
    return skip(std::uint64_t{length} + layout.bytes);
  }
  if (length < limits::min_document_bytes) {
    state_ = state::done;
    return;
  }
  skip(length - length_bytes);
}

bool reply_scanner::is_wanted_number(bson_type type, std::string_view field) const noexcept {
  if (level_ == level::cursor) return type == bson_type::int64 && field == "id";
  const bool is_top = level_ == level::top;
  const bool is_of_exchange = !is_top || !facts_.is_speculative;
  switch (type) {
    case bson_type::float64:
    case bson_type::int64:
      return is_top && field == "ok";
    case bson_type::int32:
      return (is_top && (field == "ok" || field == "code")) ||
             (is_of_exchange && field == "conversationId");
    case bson_type::boolean:
      return (is_top && field == "ok") || (is_of_exchange && field == "done");
    default:
      return false;
  }
}

void reply_scanner::take_number(const std::byte* value) noexcept {
  note_number(static_cast<bson_type>(type_), name(), value);
  need(state::type, 1);
}

void reply_scanner::note_number(bson_type type, std::string_view field,
                                const std::byte* value) noexcept {
  switch (type) {
    case bson_type::float64:
      facts_.ok = load_little<double>(value) == 1;
      break;
    case bson_type::int64: {
      const auto number = load_little<std::int64_t>(value);
      if (level_ == level::cursor) {
        facts_.cursor_id = number;
      } else {
        facts_.ok = number == 1;
      }
      break;
    }
    case bson_type::int32: {
      const auto number = load_little<std::int32_t>(value);
      if (field == "ok") {
        facts_.ok = number == 1;
      } else {
        (field == "code" ? facts_.code : facts_.conversation) = number;
      }
      break;
    }
    default:
      (field == "ok" ? facts_.ok : facts_.sasl_done) = *value == std::byte{1};
  }
}

/// Enters the document whose length field was just taken.
void reply_scanner::begin_document(std::uint32_t length) noexcept {
  const std::uint32_t available = left_;
  if (length < limits::min_document_bytes || length - length_bytes > available) {
    state_ = state::done;
    return;
  }
  left_ = length - length_bytes;
  if (level_ != level::top) outer_left_ = available - left_;
  need(state::type, 1);
}

void reply_scanner::end_document() noexcept {
  if (left_ != 0 || level_ == level::top) {
    facts_.readable = left_ == 0;
    state_ = state::done;
    return;
  }
  level_ = level::top;
  left_ = outer_left_;
  need(state::type, 1);
}

void reply_scanner::pass_over(std::span<const std::byte>& bytes) noexcept {
  const std::size_t size = std::min<std::size_t>(skip_, bytes.size());
  bytes = bytes.subspan(size);
  skip_ -= static_cast<std::uint32_t>(size);
  if (skip_ == 0) need(state::type, 1);
}

void reply_scanner::need(state next, std::uint32_t bytes) noexcept {
  if (!pay(bytes)) return;
  wanted_ = static_cast<std::uint8_t>(bytes);
  state_ = next;
}

void reply_scanner::skip(std::uint64_t bytes) noexcept {
  if (bytes == 0) return need(state::type, 1);
  if (!pay(bytes)) return;
  skip_ = static_cast<std::uint32_t>(bytes);
  state_ = state::skip;
}

/// Claims bytes of the current document; ends the scan where it hasn't that many.
bool reply_scanner::pay(std::uint64_t bytes) noexcept {
  if (bytes > left_) {
    state_ = state::done;
    return false;
  }
  left_ -= static_cast<std::uint32_t>(bytes);
  return true;
}

std::string_view reply_scanner::name() const noexcept {
  if (name_size_ > longest_name) return {};
  return {name_.data(), name_size_};
}

}  // namespace scattergate::wire
