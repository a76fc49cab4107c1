#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/bson.hpp"

namespace scattergate::routing {

/// The maximum size of a pattern, in bytes; enough for a command with a dozen fields.
inline constexpr std::size_t max_pattern_bytes = 384;

/// The maximum size of a message with a pattern, in bytes. The literals of a longer one might
/// exhaust the scratch memory.
inline constexpr std::size_t max_patterned_message = 64UL * 1024;

/// Recognises OP_MSGs that differ from an earlier one only in literals. A small program that
/// compares a message's bytes after the header and skips the literals, which may have other
/// lengths. write_pattern() makes it (routing/pattern/pattern_writer.hpp). Example:
/// pattern.cpp. Thread-safety: immutable.
class pattern {
 public:
  /// Whether `message` matches. It validates the literals as wire::document_reader does, so a
  /// match can be parsed if the original could. REQUIRES: the message's size is the length in
  /// its header.
  [[nodiscard]] bool matches(std::span<const std::byte> message) const noexcept;

 private:
  friend class pattern_writer;

  /// The next part of the message.
  enum class step : std::uint8_t {
    same,    ///< compare: the count, then that many bytes, follow in the pattern
    skip,    ///< skip as many bytes as the next byte of the pattern says
    value,   ///< skip a value of the type that follows in the pattern
    binary,  ///< skip a binary value of the subtype that follows in the pattern
    enter,   ///< enter a document: an int32 length that counts itself
    leave,   ///< consumes nothing: the document entered last must end here
  };
  static constexpr std::size_t max_depth = 5;

  std::array<std::byte, max_pattern_bytes> steps_;
  std::size_t size_ = 0;
};

}  // namespace scattergate::routing
