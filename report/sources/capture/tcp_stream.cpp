#include "report/sources/capture/tcp_stream.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "wire/endian.hpp"
#include "wire/header.hpp"
#include "wire/limits.hpp"

namespace scattergate::report {
namespace {

/// The result of begins_message().
enum class message_start : std::uint8_t {
  no,
  maybe,  ///< too few bytes to decide
  yes,
};

using wire::opcode;
using wire::limits::header_bytes;
using bytes_view = std::span<const std::byte>;

/// Reads the rest of a message as far as available; reading beyond it makes the result `maybe`.
class start_reader {
 public:
  start_reader(bytes_view rest, std::size_t whole) : rest_(rest), left_(whole) {}

  [[nodiscard]] message_start answer() const noexcept {
    return is_wrong_ ? message_start::no : is_cut_ ? message_start::maybe : message_start::yes;
  }
  [[nodiscard]] bool goes_on() const noexcept { return !is_wrong_ && !is_cut_; }

  void require(bool holds) noexcept { is_wrong_ = is_wrong_ || (goes_on() && !holds); }

  std::uint32_t number() noexcept {
    return take(4) ? wire::load_little<std::uint32_t>(taken_.data()) : 0;
  }

  std::uint8_t byte() noexcept {
    return take(1) ? std::to_integer<std::uint8_t>(taken_.front()) : 0;
  }

  void skip(std::size_t bytes) noexcept { take(bytes); }

  /// "database.collection" and its NUL.
  void name() noexcept {
    bool has_dot = false;
    for (std::size_t i = 0; goes_on(); ++i) {
      const std::uint8_t one = byte();
      if (!goes_on() || one == 0) break;
      has_dot = has_dot || one == '.';
      require(one >= 0x20 && i < wire::limits::max_namespace_bytes);
    }
    require(has_dot);
  }

  /// A document that leaves at least `behind` bytes of the message; checks its length and first
  /// field.
  void document(std::size_t behind = 0) noexcept {
    const std::size_t most = left_ < behind ? 0 : left_ - behind;
    const std::uint32_t length = number();
    require(length >= wire::limits::min_document_bytes && length <= most);
    const std::uint8_t type = byte();
    if (type == 0) return require(length == wire::limits::min_document_bytes);
    constexpr std::uint8_t last_type = 0x13;
    require(type <= last_type || type == 0x7F || type == 0xFF);
  }

 private:
  bool take(std::size_t bytes) noexcept {
    if (!goes_on()) return false;
    if (bytes > left_) {
      is_wrong_ = true;
    } else if (bytes > rest_.size()) {
      is_cut_ = true;
    } else {
      taken_ = rest_.first(bytes);
      rest_ = rest_.subspan(bytes);
      left_ -= bytes;
      return true;
    }
    return false;
  }

  bytes_view rest_;
  bytes_view taken_;
  std::size_t left_;  ///< bytes of the message
  bool is_wrong_ = false;
  bool is_cut_ = false;
};

void check_msg(start_reader& rest) noexcept {
  constexpr std::uint32_t known_flags = 0x10003;  // checksumPresent, moreToCome, exhaustAllowed
  constexpr std::size_t checksum_bytes = 4;
  const std::uint32_t flags = rest.number();
  rest.require((flags & ~known_flags) == 0);
  const std::uint8_t kind = rest.byte();
  rest.require(kind <= 2);  // body, document sequence, security token
  const std::size_t behind = (flags & 1U) != 0 ? checksum_bytes : 0;
  if (kind != 1) return rest.document(behind);
  rest.number();
  const std::uint8_t first = rest.byte();
  rest.require(first >= 0x20 && first < 0x7F);
}

void check_reply(start_reader& rest) noexcept {
  constexpr std::uint32_t known_flags = 0xF;
  constexpr std::size_t cursor_bytes = 8;
  constexpr std::uint32_t most_documents = 1U << 24U;
  rest.require((rest.number() & ~known_flags) == 0);
  rest.skip(cursor_bytes);
  rest.require(rest.number() < most_documents);
  const std::uint32_t returned = rest.number();
  rest.require(returned < most_documents);
  if (returned != 0) rest.document();
}

void check_compressed(start_reader& rest) noexcept {
  constexpr std::uint8_t last_compressor = 3;
  const auto original = static_cast<opcode>(static_cast<std::int32_t>(rest.number()));
  rest.require(wire::is_known(original) && original != opcode::compressed);
  rest.require(rest.number() <= wire::limits::max_message_bytes);
  rest.require(rest.byte() <= last_compressor);
}

/// Legacy requests: flags or zero, then a collection name.
void check_legacy(start_reader& rest, opcode op) noexcept {
  constexpr std::uint32_t query_flags = 0xFF;
  const std::uint32_t flags = rest.number();
  rest.require(flags <= (op == opcode::query ? query_flags : 1U));
  if (op == opcode::kill_cursors) return rest.require(rest.number() != 0);
  rest.name();
  if (op == opcode::query) rest.skip(8);
  if (op == opcode::update || op == opcode::delete_) rest.skip(4);
  if (op != opcode::get_more) rest.document();
}

/// Checks an incomplete header. The length alone is no reason to wait for more, as most bytes
/// form one.
message_start of_cut_header(bytes_view bytes) noexcept {
  constexpr std::size_t length_bytes = 4;
  if (bytes.size() < length_bytes) return message_start::maybe;
  const auto length = wire::load_little<std::int32_t>(bytes.data());
  const bool is_possible = length > static_cast<std::int32_t>(header_bytes) &&
                           length <= static_cast<std::int32_t>(wire::limits::max_message_bytes);
  return is_possible ? message_start::maybe : message_start::no;
}

/// Whether `bytes` begin a message of MongoDB's wire protocol. Checks the header, the flags,
/// the first section's kind, the first document's length and first field, and the collection
/// name. `yes` for other data is very improbable. Messages of drivers, mongos and mongod never
/// give `no`.
message_start begins_message(bytes_view bytes) noexcept {
  if (bytes.size() < header_bytes) return of_cut_header(bytes);
  const auto header = wire::parse_header(bytes.first<header_bytes>());
  if (!header || !wire::is_known(header->op)) return message_start::no;
  start_reader rest{bytes.subspan(header_bytes),
                    static_cast<std::size_t>(header->length) - header_bytes};
  switch (header->op) {
    case opcode::msg:
      check_msg(rest);
      break;
    case opcode::reply:
      rest.require(header->response_to != 0);
      check_reply(rest);
      break;
    case opcode::compressed:
      check_compressed(rest);
      break;
    default:
      check_legacy(rest, header->op);
  }
  return rest.answer();
}

/// Limit for data after a gap; beyond it the gap counts as lost.
constexpr std::size_t most_ahead_bytes = 4UL << 20;
constexpr std::size_t most_ahead = 4096;

/// A buffer that is larger than this is freed when it is empty.
constexpr std::size_t most_idle_bytes = 16UL << 10;

/// The start of the count, large enough that positions before the first byte aren't negative.
constexpr std::uint64_t origin = std::uint64_t{1} << 32U;

/// Whether bytes begin a message of a driver or a server.
bool is_plausible(std::span<const std::byte> bytes) {
  const auto header = wire::parse_header(bytes.first<header_bytes>());
  return header && wire::is_known(header->op);
}

/// A record of a TLS handshake, version 3.x (RFC 8446, section 5.1).
bool is_tls(std::span<const std::byte> bytes) {
  return bytes.size() > 1 && bytes[0] == std::byte{22} && bytes[1] == std::byte{3};
}

}  // namespace

void tcp_stream::receive(const segment& one) {
  const std::uint32_t number = one.number + (one.begins ? 1 : 0);
  if (is_another(one)) *this = {};
  if (!knows_number_ && (one.begins || !one.bytes.empty())) {
    at_ = origin + number;
    beginning_ = one.number;
    knows_number_ = true;
    knows_beginning_ = is_aligned_ = one.begins;
  }
  if (one.bytes.empty() || !is_ours()) return;
  const auto distance = static_cast<std::int32_t>(number - static_cast<std::uint32_t>(at_));
  if (distance > 0) return keep_ahead(at_ + static_cast<std::uint32_t>(distance), one.bytes);
  // A negative distance: at least part of it was seen before.
  const auto seen = static_cast<std::size_t>(-static_cast<std::int64_t>(distance));
  if (seen >= one.bytes.size()) return;
  deliver(one.bytes.subspan(seen));
  join_ahead();
}

void tcp_stream::acknowledge(std::uint32_t number) {
  if (!knows_number_ || !is_ours()) return;
  const auto distance = static_cast<std::int32_t>(number - static_cast<std::uint32_t>(at_));
  // One byte may be a FIN, which isn't part of the stream.
  if (distance <= (ahead_.empty() ? 1 : 0)) return;
  const std::uint64_t to = at_ + static_cast<std::uint32_t>(distance);
  while (is_ours() && at_ < to) {
    skip_gap(ahead_.empty() ? to : std::min(to, ahead_.begin()->first));
  }
}

void tcp_stream::keep_ahead(std::uint64_t at, std::span<const std::byte> bytes) {
  std::vector<std::byte>& kept = ahead_[at];
  if (kept.size() < bytes.size()) {
    ahead_bytes_ += bytes.size() - kept.size();
    kept.assign(bytes.begin(), bytes.end());
  }
  while (ahead_bytes_ > most_ahead_bytes || ahead_.size() > most_ahead) {
    skip_gap(ahead_.begin()->first);
  }
}

void tcp_stream::join_ahead() {
  while (!ahead_.empty() && ahead_.begin()->first <= at_) {
    const auto first = ahead_.begin();
    const std::vector<std::byte> bytes = std::move(first->second);
    const auto seen = static_cast<std::size_t>(at_ - first->first);
    ahead_.erase(first);
    ahead_bytes_ -= bytes.size();
    if (seen < bytes.size()) deliver(std::span{bytes}.subspan(seen));
  }
}

/// Bytes before `to` are lost, with the messages in them.
void tcp_stream::skip_gap(std::uint64_t to) {
  const std::uint64_t gap = to - at_;
  counts_.missing += gap;
  lose_message(gap);
  at_ = to;
  join_ahead();
}

/// The message around a gap of this size is lost. If its length is known, so is the start of
/// the next one.
void tcp_stream::lose_message(std::uint64_t gap) {
  ++losses_;
  const auto cut = cut_message();
  if (is_aligned_ && cut.size() >= header_bytes) {
    const auto header = wire::parse_header(cut.first<header_bytes>());
    left_of_lost_ = static_cast<std::uint64_t>(header->length) - cut.size();
  }
  const bool knows_next = left_of_lost_ >= gap;
  left_of_lost_ = knows_next ? left_of_lost_ - gap : 0;
  is_aligned_ = knows_next;
  buffer_.resize(whole_);
}

/// Removes used messages from the buffer; frees it if it was large.
void tcp_stream::forget_used() {
  if (used_ == 0) return;
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(used_));
  whole_ -= used_;
  used_ = 0;
  if (buffer_.size() < most_idle_bytes && buffer_.capacity() > most_idle_bytes) {
    buffer_.shrink_to_fit();
  }
}

/// Doubles the buffer, but only up to the length of the cut message.
void tcp_stream::make_room(std::size_t bytes) {
  const auto cut = cut_message();
  const std::size_t needed = buffer_.size() + bytes;
  if (needed <= buffer_.capacity() || !is_aligned_ || cut.size() < header_bytes) return;
  const auto header = wire::parse_header(cut.first<header_bytes>());
  const std::size_t whole = whole_ + static_cast<std::size_t>(header->length);
  buffer_.reserve(std::max(needed, std::min(2 * buffer_.capacity(), whole)));
}

void tcp_stream::deliver(std::span<const std::byte> bytes) {
  at_ += bytes.size();
  if (!is_ours()) return;
  counts_.seen += bytes.size();
  const std::size_t of_lost = std::min<std::uint64_t>(bytes.size(), left_of_lost_);
  left_of_lost_ -= of_lost;
  bytes = bytes.subspan(of_lost);
  if (bytes.empty()) return;
  forget_used();
  make_room(bytes.size());
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  find_messages();
}

/// Finds which messages are complete now.
void tcp_stream::find_messages() {
  while (is_aligned_ || find_start()) {
    const auto cut = cut_message();
    if (cut.size() < header_bytes) return;
    if (what_ == content::unknown) detect_content();
    if (what_ != content::messages) return;
    const auto header = wire::parse_header(cut.first<header_bytes>());
    if (!header || !wire::is_known(header->op)) {
      ++losses_;
      is_aligned_ = false;
      drop(1);
      continue;
    }
    const auto length = static_cast<std::size_t>(header->length);
    if (cut.size() < length) return;
    whole_ += length;
  }
}

/// After a gap, or in the middle of a stream: drops bytes before the next message. True if
/// there is one.
bool tcp_stream::find_start() {
  const auto bytes = cut_message();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const message_start found = begins_message(bytes.subspan(at));
    if (found == message_start::no) continue;
    drop(at);
    is_aligned_ = found == message_start::yes;
    return is_aligned_;
  }
  drop(bytes.size());
  return false;
}

/// Drops the first bytes of the cut message.
void tcp_stream::drop(std::size_t bytes) {
  const auto first = buffer_.begin() + static_cast<std::ptrdiff_t>(whole_);
  buffer_.erase(first, first + static_cast<std::ptrdiff_t>(bytes));
}

/// Detects the stream's content by its beginning. Nothing of a foreign stream is kept.
void tcp_stream::detect_content() {
  what_ = is_plausible(buffer_) ? content::messages
          : is_tls(buffer_)     ? content::tls
                                : content::foreign;
  if (what_ == content::messages) return;
  buffer_ = std::vector<std::byte>{};
  ahead_.clear();
  ahead_bytes_ = 0;
}

std::span<const std::byte> tcp_stream::next() {
  if (used_ == whole_) {
    forget_used();
    return {};
  }
  const std::span<const std::byte> rest = std::span{buffer_}.subspan(used_);
  const auto header = wire::parse_header(rest.first<header_bytes>());
  const auto length = static_cast<std::size_t>(header->length);
  used_ += length;
  return rest.first(length);
}

void tcp_stream::finish() {
  while (!ahead_.empty()) skip_gap(ahead_.begin()->first);
  if (is_aligned_ && !cut_message().empty()) lose_message(0);
}

std::uint64_t tcp_stream::take_losses() noexcept {
  return std::exchange(losses_, 0);
}

}  // namespace scattergate::report
