#include "wire/section_scan.hpp"

#include <algorithm>

#include "wire/op_msg_layout.hpp"

namespace scattergate::wire {

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

}  // namespace scattergate::wire
