#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace scattergate::wire {

/// Finds out whether an OP_MSG's sections are valid for a server that reads kind-2 sections
/// (security tokens) as NUL-terminated strings. Checks only where sections begin and end.
/// message_digest uses it while the bytes arrive.
class section_scan {
 public:
  /// A scan that ignores all bytes; is_whole() stays false.
  section_scan() = default;

  /// Starts in a section of kind 2. `at`: the offset of the section's text in the message.
  /// `end`: the offset after the message's last section.
  section_scan(std::size_t at, std::size_t end) noexcept
      : at_(at), end_(end), next_(part::text) {}

  /// Scans bytes that start at offset `at` of the message. Ignores bytes before the scan's
  /// start and after the last section.
  void feed(std::span<const std::byte> bytes, std::size_t at) noexcept;

  /// Whether all sections were valid, and the last section ended at the expected offset.
  [[nodiscard]] bool is_whole() const noexcept { return next_ == part::kind && at_ == end_; }

 private:
  /// The part of the message that the next byte belongs to.
  enum class part : std::uint8_t { kind, length, content, text, broken };

  void take(std::span<const std::byte>& bytes) noexcept;
  void take_length(std::byte next) noexcept;
  void take_text(std::span<const std::byte>& bytes) noexcept;

  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::size_t content_rest_ = 0;
  std::uint32_t length_ = 0;
  std::uint32_t length_bits_ = 0;  ///< bits of length_ read so far
  part next_ = part::broken;
};

}  // namespace scattergate::wire
