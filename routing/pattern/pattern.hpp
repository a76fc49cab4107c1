#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/bson.hpp"

namespace scattergate::routing {

/// The maximum size of a pattern, in bytes; enough for a command with a dozen fields.
inline constexpr std::size_t max_pattern_bytes = 384;

/// The maximum size of a message that matches a pattern, in bytes. Judging the values of a
/// longer message might exhaust the scratch memory, which changes the verdict.
inline constexpr std::size_t max_patterned_message = 64UL * 1024;

/// Recognises OP_MSGs that differ from an original message only in values, so that the
/// original's verdict holds for them. A pattern is a small program that runs over a message's
/// bytes after the header. It compares the bytes, but skips the values that may differ; their
/// lengths may differ too. write_pattern() creates a pattern
/// (routing/pattern/pattern_writer.hpp). Example: pattern.cpp. Thread-safety: immutable.
class pattern {
 public:
  /// Whether `message` matches; false for an empty pattern. Validates the values that it skips
  /// as wire::document_reader does, so a matching message can be parsed if the original could.
  /// REQUIRES: the message's size is the length in its header.
  [[nodiscard]] bool matches(std::span<const std::byte> message) const noexcept;

 private:
  friend class pattern_writer;

  /// What to do with the next bytes of the message.
  enum class step : std::uint8_t {
    same,    ///< compare them with the pattern's: a count and that many bytes follow in the
             ///< pattern
    skip,    ///< skip them; the pattern's next byte is their number
    value,   ///< skip a BSON value; the pattern's next byte is its type
    binary,  ///< skip a binary value; the pattern's next byte is its subtype
    enter,   ///< enter a document: read its int32 length, which includes these 4 bytes
    leave,   ///< check that the document entered last ends here; reads nothing
  };
  static constexpr std::size_t max_depth = 5;

  std::size_t size_ = 0;  // before steps_, so that a short pattern is contiguous with it
  std::array<std::byte, max_pattern_bytes> steps_;
};

}  // namespace scattergate::routing
