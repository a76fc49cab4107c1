#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "routing/command_kind.hpp"
#include "routing/scratch.hpp"
#include "wire/command.hpp"
#include "wire/namespace_view.hpp"

/// The canonical form of a command, in which one query of an application is one shape whatever
/// values it carries (docs/shapes.md has the rules and test vectors).
namespace scattergate::routing {

/// Part of every hash: raised whenever the rules change a shape.
inline constexpr int shape_version = 2;

/// Shapes are no longer than this, in bytes: where a longer one would be, it is cut and ends in
/// `"...":true`.
inline constexpr std::size_t max_shape_bytes = 8192;

struct hashed_shape {
  std::uint64_t hash = 0;
  std::string_view text;      ///< one line of JSON, in the memory that was given
  bool has_given_up = false;  ///< it was cut for the work that it took
};

/// The shape's 64-bit hash: FNV-1a over "<shape version>\n<namespace>\n<command>\n<shape>".
/// Resets `memory`; no heap. The same for sensitive commands as for a command without fields.
[[nodiscard]] hashed_shape hash_shape(const wire::command& command, scratch& memory) noexcept;

/// The hash alone.
[[nodiscard]] std::uint64_t shape_hash(const wire::command& command, scratch& memory) noexcept;

/// The hash that a shape has in a namespace: for what is told under another name than it was
/// sent to, or was read from a file.
[[nodiscard]] std::uint64_t shape_hash(wire::namespace_view in, std::string_view command,
                                       std::string_view shape) noexcept;

/// The shape as one line of JSON, at most `max_bytes` long (from 128 up to max_shape_bytes;
/// only a shape that isn't cut shorter is the text behind the hash). Resets `memory`.
/// Allocates: for findings seen for the first time.
[[nodiscard]] std::string shape_json(const wire::command& command, scratch& memory,
                                     std::size_t max_bytes = max_shape_bytes);

/// 16 lower-case hex digits.
[[nodiscard]] std::string shape_hash_text(std::uint64_t hash);

}  // namespace scattergate::routing
