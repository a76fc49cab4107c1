#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/bson.hpp"

namespace scattergate::routing {

/// The maximum size of a pattern, in bytes: enough for a command with a dozen fields.
inline constexpr std::size_t max_pattern_bytes = 384;

/// The maximum size of a message with a pattern, in bytes: the literals of a longer one might
/// exhaust the scratch memory.
inline constexpr std::size_t max_patterned_message = 64UL * 1024;

/// Recognises OP_MSGs that contain the same command as an earlier one, except for literals: the
/// message's bytes after its header, with gaps. A small program, because a text may have
/// another length in each message. Made by write_pattern()
/// (routing/pattern/pattern_writer.hpp); pattern.cpp has an example. Thread-safety: immutable.
class pattern {
 public:
  /// Whether `message`, whose size is the length in its header, matches. Only bytes in gaps may
  /// differ, and those are validated as wire::document_reader does; so the message can be read
  /// wherever the earlier one could.
  [[nodiscard]] bool matches(std::span<const std::byte> message) const noexcept;

 private:
  friend class pattern_writer;

  /// What comes next in the message.
  enum class step : std::uint8_t {
    same,    ///< the bytes that follow here, after their number
    skip,    ///< as many bytes as the byte that follows here says
    value,   ///< a value of the type that follows here
    binary,  ///< a binary value of the subtype that follows here
    enter,   ///< an int32 length that counts itself
    leave,   ///< nothing: ends what was entered last
  };
  static constexpr std::size_t max_depth = 5;

  std::array<std::byte, max_pattern_bytes> steps_;
  std::size_t size_ = 0;
};

}  // namespace scattergate::routing
