#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "routing/command_kind.hpp"
#include "routing/scratch.hpp"
#include "wire/command.hpp"
#include "wire/namespace_view.hpp"

/// The canonical form of a command: an application's query has one shape, whatever values it
/// contains (docs/shapes.md has the rules and test vectors).
namespace scattergate::routing {

/// Part of every hash; incremented whenever the rules change a shape.
inline constexpr int shape_version = 2;

/// The maximum size of a shape, in bytes. A longer one is cut and ends with `"...":true`.
inline constexpr std::size_t max_shape_bytes = 8192;

struct hashed_shape {
  std::uint64_t hash = 0;
  std::string_view text;      ///< one line of JSON, in the caller's memory
  bool has_given_up = false;  ///< it was cut because the work budget ran out
};

/// The shape's 64-bit hash: FNV-1a over "<shape version>\n<namespace>\n<command>\n<shape>".
/// Resets `memory`; no heap. For sensitive commands, the hash of the command without fields.
[[nodiscard]] hashed_shape hash_shape(const wire::command& command, scratch& memory) noexcept;

/// The shape's hash, without its text.
[[nodiscard]] std::uint64_t shape_hash(const wire::command& command, scratch& memory) noexcept;

/// The hash of a shape in a namespace, for shapes that are read from a file or reported under
/// another name than the command was sent to.
[[nodiscard]] std::uint64_t shape_hash(wire::namespace_view in, std::string_view command,
                                       std::string_view shape) noexcept;

/// The shape as one line of JSON of at most `max_bytes` (128 to max_shape_bytes; the hash is of
/// the shape with max_shape_bytes). Resets `memory`. Allocates: for findings seen for the first
/// time.
[[nodiscard]] std::string shape_json(const wire::command& command, scratch& memory,
                                     std::size_t max_bytes = max_shape_bytes);

/// 16 lower-case hex digits.
[[nodiscard]] std::string shape_hash_text(std::uint64_t hash);

}  // namespace scattergate::routing
