#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace scattergate::wire {

/// Follows nothing but the frames of an OP_MSG's sections while their bytes stream past, those
/// of kind 2 as texts, to tell whether a server that reads them so finds sections to the end.
class section_scan {
 public:
  /// Nothing to follow.
  section_scan() = default;

  /// From the text of a section of kind 2 on; offsets in the message, `end` behind the last
  /// section.
  section_scan(std::size_t at, std::size_t end) noexcept
      : at_(at), end_(end), next_(part::text) {}

  /// Takes bytes that stand at offset `at` of the message. Those before its beginning and
  /// behind its end are passed over.
  void feed(std::span<const std::byte> bytes, std::size_t at) noexcept;

  /// Whether all has been followed, and ended where a section does.
  [[nodiscard]] bool is_whole() const noexcept { return next_ == part::kind && at_ == end_; }

 private:
  /// What the next byte is part of.
  enum class part : std::uint8_t { kind, length, content, text, broken };

  void take(std::span<const std::byte>& bytes) noexcept;
  void take_length(std::byte next) noexcept;
  void take_text(std::span<const std::byte>& bytes) noexcept;

  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::size_t content_rest_ = 0;
  std::uint32_t length_ = 0;
  std::uint32_t length_bits_ = 0;  ///< so many of length_ are there
  part next_ = part::broken;
};

}  // namespace scattergate::wire
