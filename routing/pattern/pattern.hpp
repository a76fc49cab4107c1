#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/bson.hpp"

namespace scattergate::routing {

/// Longest pattern, in bytes: of a command with a dozen fields.
inline constexpr std::size_t max_pattern_bytes = 384;

/// Longest message that is like any pattern, in bytes: the literals of a longer one might
/// exhaust the scratch.
inline constexpr std::size_t max_patterned_message = 64UL * 1024;

/// What an OP_MSG has to be like to hold the same command as one before it, but for literals:
/// the bytes behind its header, with holes. A small program, since a text may be longer here
/// than it was there. Made by write_pattern() (routing/pattern/pattern_writer.hpp).
/// Thread-safety: immutable.
class pattern {
 public:
  /// Whether `message`, which is as long as its header says, is of this kind. No other bytes
  /// than those in holes are free, and those have passed what wire::document_reader checks: so
  /// it can be read wherever the one before it could.
  [[nodiscard]] bool matches(std::span<const std::byte> message) const noexcept;

 private:
  friend class pattern_writer;

  /// What stands next in the message.
  enum class step : std::uint8_t {
    same,    ///< the bytes that follow here, behind their number
    skip,    ///< as many bytes as the byte that follows here says
    value,   ///< a value of the type that follows here
    binary,  ///< a binary value of the subtype that follows here
    enter,   ///< an int32 length that counts itself
    leave,   ///< nothing: what was entered last ends here
  };
  static constexpr std::size_t max_depth = 5;

  std::array<std::byte, max_pattern_bytes> steps_;
  std::size_t size_ = 0;
};

}  // namespace scattergate::routing
