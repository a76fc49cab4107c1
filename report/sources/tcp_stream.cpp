#include "report/sources/tcp_stream.hpp"

#include <algorithm>
#include <utility>

#include "wire/header.hpp"
#include "wire/limits.hpp"

namespace scattergate::report {
namespace {

using wire::limits::header_bytes;

/// What may wait behind a gap: more, and the gap is lost.
constexpr std::size_t most_ahead_bytes = 4UL << 20;
constexpr std::size_t most_ahead = 4096;

/// A buffer that was larger once is given back when it is empty.
constexpr std::size_t most_idle_bytes = 16UL << 10;

/// Where counting begins, so that what comes before the first byte has a place too.
constexpr std::uint64_t origin = std::uint64_t{1} << 32U;

/// Whether bytes begin a message that a driver or a server sends.
bool is_plausible(std::span<const std::byte> bytes) {
  const auto header = wire::parse_header(bytes.first<header_bytes>());
  return header && wire::is_known(header->op);
}

/// A record of a TLS handshake, version 3.x (RFC 8446, section 5.1).
bool is_tls(std::span<const std::byte> bytes) {
  return bytes.size() > 1 && bytes[0] == std::byte{22} && bytes[1] == std::byte{3};
}

}  // namespace

void tcp_stream::take(const segment& one) {
  const std::uint32_t number = one.number + (one.begins ? 1 : 0);
  if (is_another(one)) *this = {};
  if (!knows_number_ && (one.begins || !one.bytes.empty())) {
    at_ = origin + number;
    beginning_ = one.number;
    knows_number_ = true;
    knows_beginning_ = is_aligned_ = one.begins;
  }
  if (one.bytes.empty() || what_ == content::tls || what_ == content::foreign) return;
  const auto distance = static_cast<std::int32_t>(number - static_cast<std::uint32_t>(at_));
  if (distance > 0) return keep_ahead(at_ + static_cast<std::uint32_t>(distance), one.bytes);
  // Seen before, at least in part, where it is less than nothing.
  const auto seen = static_cast<std::size_t>(-static_cast<std::int64_t>(distance));
  if (seen >= one.bytes.size()) return;
  deliver(one.bytes.subspan(seen));
  take_ahead();
}

void tcp_stream::keep_ahead(std::uint64_t at, std::span<const std::byte> bytes) {
  std::vector<std::byte>& kept = ahead_[at];
  if (kept.size() < bytes.size()) {
    ahead_bytes_ += bytes.size() - kept.size();
    kept.assign(bytes.begin(), bytes.end());
  }
  while (ahead_bytes_ > most_ahead_bytes || ahead_.size() > most_ahead) skip_gap();
}

void tcp_stream::take_ahead() {
  while (!ahead_.empty() && ahead_.begin()->first <= at_) {
    const auto first = ahead_.begin();
    const std::vector<std::byte> bytes = std::move(first->second);
    const auto seen = static_cast<std::size_t>(at_ - first->first);
    ahead_.erase(first);
    ahead_bytes_ -= bytes.size();
    if (seen < bytes.size()) deliver(std::span{bytes}.subspan(seen));
  }
}

/// What lies before the nearest that waits is lost, and with it the message around it.
void tcp_stream::skip_gap() {
  at_ = ahead_.begin()->first;
  lose();
  take_ahead();
}

void tcp_stream::lose() noexcept {
  ++losses_;
  buffer_.clear();
  used_ = 0;
  is_aligned_ = false;
}

void tcp_stream::lose_rest() noexcept {
  if (used_ < buffer_.size()) lose();
}

/// Makes room where messages were; what was as large as they is given back.
void tcp_stream::forget_used() {
  if (used_ == 0) return;
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(used_));
  used_ = 0;
  if (buffer_.size() < most_idle_bytes && buffer_.capacity() > most_idle_bytes) {
    buffer_.shrink_to_fit();
  }
}

/// Doubles, but takes no more than the message that the buffer begins with is long.
void tcp_stream::make_room(std::size_t bytes) {
  const std::size_t needed = buffer_.size() + bytes;
  if (needed <= buffer_.capacity() || buffer_.size() < header_bytes) return;
  const auto header = wire::parse_header(std::span{buffer_}.first<header_bytes>());
  const std::size_t whole = header ? static_cast<std::size_t>(header->length) : 0;
  buffer_.reserve(std::max(needed, std::min(2 * buffer_.capacity(), whole)));
}

void tcp_stream::deliver(std::span<const std::byte> bytes) {
  at_ += bytes.size();
  if (what_ == content::tls || what_ == content::foreign) return;
  // Behind a gap, and in the middle, it begins where a segment does.
  if (!is_aligned_) is_aligned_ = bytes.size() >= header_bytes && is_plausible(bytes);
  if (!is_aligned_) return;
  forget_used();
  make_room(bytes.size());
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  if (what_ == content::unknown && buffer_.size() >= header_bytes) find_out();
}

/// What the stream is, by its beginning; of what isn't ours, nothing is kept.
void tcp_stream::find_out() {
  what_ = is_plausible(buffer_) ? content::messages
          : is_tls(buffer_)     ? content::tls
                                : content::foreign;
  if (what_ == content::messages) return;
  buffer_ = std::vector<std::byte>{};
  ahead_.clear();
  ahead_bytes_ = 0;
}

std::span<const std::byte> tcp_stream::next() {
  if (used_ == buffer_.size()) forget_used();
  const std::span<const std::byte> rest = std::span{buffer_}.subspan(used_);
  if (rest.size() < header_bytes) return {};
  const auto header = wire::parse_header(rest.first<header_bytes>());
  if (!header || !wire::is_known(header->op)) {
    lose();
    return {};
  }
  const auto length = static_cast<std::size_t>(header->length);
  if (rest.size() < length) return {};
  used_ += length;
  return rest.first(length);
}

void tcp_stream::end() {
  while (!ahead_.empty()) skip_gap();
}

std::uint64_t tcp_stream::take_losses() noexcept {
  return std::exchange(losses_, 0);
}

}  // namespace scattergate::report
