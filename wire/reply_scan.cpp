#include "wire/reply_scan.hpp"

#include <algorithm>
#include <cstring>

#include "wire/bson.hpp"
#include "wire/endian.hpp"
#include "wire/op_msg.hpp"
#include "wire/op_query.hpp"

namespace scattergate::wire {
namespace {

using op_msg_layout::flags_bytes;
/// The bytes between the header and the first document of an OP_MSG.
constexpr std::size_t msg_head_bytes = flags_bytes + op_msg_layout::kind_bytes;

}  // namespace

void reply_scanner::begin(const message_header& header) noexcept {
  *this = {};
  constexpr auto header_bytes = static_cast<std::int32_t>(limits::header_bytes);
  if (header.length < header_bytes) return;
  const auto payload = static_cast<std::size_t>(header.length - header_bytes);
  std::size_t head = 0;
  if (header.op == opcode::msg) head = payload == flags_bytes ? flags_bytes : msg_head_bytes;
  if (header.op == opcode::reply) head = reply_head_bytes;
  if (head == 0 || payload < head) return;
  head_size_ = static_cast<std::uint8_t>(head);
  next_ = part::head;
  stream_.begin(payload - head);
}

void reply_scanner::feed(std::span<const std::byte> bytes) noexcept {
  if (bytes.empty()) return;
  if (next_ == part::head && hold(bytes, head_size_)) {
    next_ = take_head() ? part::document : part::done;
    held_size_ = 0;
  }
  if (next_ != part::document || bytes.empty()) return;
  stream_.feed(bytes, *this);
  if (stream_.is_open()) return;
  facts_.readable = stream_.has_ended();
  next_ = part::done;
}

void reply_scanner::read(const message_header& header,
                         std::span<const std::byte> message) noexcept {
  begin(header);
  const auto payload = message.subspan(limits::header_bytes);
  if (header.op != opcode::msg || payload.size() < msg_head_bytes) return feed(payload);
  feed(payload.first(msg_head_bytes));
  const auto body = document_view::first_of(payload.subspan(msg_head_bytes));
  if (next_ != part::document || !body) return;
  next_ = part::done;
  facts_.readable = read_fields(*body);
}

/// Reads the fields of a complete document. False if they are corrupt.
bool reply_scanner::read_fields(document_view fields) noexcept {
  document_reader reader{fields};
  for (element field; reader.next(field);) {
    if (field.is_document() && enters(field.key())) {
      if (!read_fields(*field.as_document())) return false;
      level_ = level::top;
    } else if (is_fact(field.type(), field.key())) {
      note_number(field.type(), field.key(), field.value().data());
    }
  }
  return !reader.is_corrupt();
}

/// Whether to read the fields of the nested document `field`. If so, sets level_.
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

/// Reads the bytes before the first document. False if no document follows, or if the first
/// section isn't the body; servers send the body first.
bool reply_scanner::take_head() noexcept {
  if (head_size_ == reply_head_bytes) return load_little<std::int32_t>(held_.data() + 16) > 0;
  facts_.more_to_come =
      (load_little<std::uint32_t>(held_.data()) & msg_flag::more_to_come) != 0;
  return head_size_ == msg_head_bytes && held_[flags_bytes] == section_kind::body;
}

/// Collects bytes in held_; true once it holds the requested number.
bool reply_scanner::hold(std::span<const std::byte>& bytes, std::size_t size) noexcept {
  const std::size_t taken = std::min(size - held_size_, bytes.size());
  std::memcpy(held_.data() + held_size_, bytes.data(), taken);
  held_size_ = static_cast<std::uint8_t>(held_size_ + taken);
  bytes = bytes.subspan(taken);
  return held_size_ == size;
}

void reply_scanner::take_name(std::span<const std::byte> piece) noexcept {
  if (name_size_ + piece.size() > longest_name) {
    name_size_ = longest_name + 1;
    return;
  }
  std::memcpy(name_.data() + name_size_, piece.data(), piece.size());
  name_size_ = static_cast<std::uint8_t>(name_size_ + piece.size());
}

bool reply_scanner::enters() noexcept {
  is_fact_ = is_fact(stream_.type(), name());
  return stream_.type() == bson_type::document && enters(name());
}

bool reply_scanner::take_length(std::uint32_t length) const noexcept {
  const bool counts_itself = layout_of(stream_.type()).how == value_layout::kind::self_counted;
  return !counts_itself || length >= limits::min_document_bytes;
}

void reply_scanner::take_value(std::span<const std::byte> piece) noexcept {
  if (is_fact_) (void)hold(piece, held_.size());
}

void reply_scanner::end_value() noexcept {
  if (is_fact_) note_number(stream_.type(), name(), held_.data());
  held_size_ = 0;
}

bool reply_scanner::is_fact(bson_type type, std::string_view field) const noexcept {
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

std::string_view reply_scanner::name() const noexcept {
  if (name_size_ > longest_name) return {};
  return {name_.data(), name_size_};
}

}  // namespace scattergate::wire
