#include "report/sources/tcp_stream.hpp"

#include <utility>

#include "wire/header.hpp"
#include "wire/limits.hpp"

namespace scattergate::report {
namespace {

using wire::limits::header_bytes;

/// What may wait behind a gap: more, and the gap is lost.
constexpr std::size_t most_ahead_bytes = 4UL << 20;
constexpr std::size_t most_ahead = 4096;

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
  if (one.begins) {
    *this = {};
    next_number_ = one.number + 1;
    knows_number_ = is_aligned_ = true;
    return;
  }
  if (one.bytes.empty() || what_ == content::tls || what_ == content::foreign) return;
  if (!knows_number_) {
    next_number_ = one.number;
    knows_number_ = true;
  }
  const auto distance = static_cast<std::int32_t>(one.number - next_number_);
  std::span<const std::byte> fresh = one.bytes;
  if (distance < 0) {  // seen before, at least in part
    const auto seen = static_cast<std::size_t>(-static_cast<std::int64_t>(distance));
    if (seen >= fresh.size()) return;
    fresh = fresh.subspan(seen);
  } else if (distance > 0) {
    if (ahead_.try_emplace(one.number, fresh.begin(), fresh.end()).second) {
      ahead_bytes_ += fresh.size();
    }
    if (ahead_bytes_ > most_ahead_bytes || ahead_.size() > most_ahead) skip_gap();
    return;
  }
  deliver(fresh);
  take_ahead();
}

/// What waits and comes first; the numbers wrap.
std::map<std::uint32_t, std::vector<std::byte>>::iterator tcp_stream::nearest() {
  auto first = ahead_.begin();
  for (auto at = ahead_.begin(); at != ahead_.end(); ++at) {
    if (static_cast<std::int32_t>(at->first - first->first) < 0) first = at;
  }
  return first;
}

void tcp_stream::take_ahead() {
  while (!ahead_.empty()) {
    const auto first = nearest();
    const auto distance = static_cast<std::int32_t>(first->first - next_number_);
    if (distance > 0) return;
    const std::vector<std::byte> bytes = std::move(first->second);
    ahead_.erase(first);
    ahead_bytes_ -= bytes.size();
    const auto seen = static_cast<std::size_t>(-static_cast<std::int64_t>(distance));
    if (seen < bytes.size()) deliver(std::span{bytes}.subspan(seen));
  }
}

/// What lies before the nearest that waits is lost, and with it the message around it.
void tcp_stream::skip_gap() {
  if (ahead_.empty()) return;
  next_number_ = nearest()->first;
  lose();
  take_ahead();
}

void tcp_stream::lose() noexcept {
  ++losses_;
  buffer_.clear();
  used_ = 0;
  is_aligned_ = false;
}

void tcp_stream::deliver(std::span<const std::byte> bytes) {
  next_number_ += static_cast<std::uint32_t>(bytes.size());
  // Behind a gap, and in the middle, it begins where a segment does.
  const bool begins = bytes.size() >= header_bytes && is_plausible(bytes);
  if (!is_aligned_ && !begins) return;
  is_aligned_ = true;
  if (used_ != 0) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ = 0;
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  if (what_ == content::unknown && buffer_.size() >= header_bytes) find_out();
}

/// What the stream is, by its beginning; of what isn't ours, nothing is kept.
void tcp_stream::find_out() {
  what_ = is_plausible(buffer_) ? content::messages
          : is_tls(buffer_)     ? content::tls
                                : content::foreign;
  if (what_ != content::messages) buffer_.clear();
}

std::span<const std::byte> tcp_stream::next() {
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
