#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "routing/command_kind.hpp"
#include "routing/scratch.hpp"
#include "wire/command.hpp"
#include "wire/namespace_view.hpp"

/// The shape of a command: its canonical form without values (rules and test vectors:
/// docs/shapes.md).
namespace scattergate::routing {

/// The version of the shape rules, part of every hash. Increment it when a change of the rules
/// changes a shape.
inline constexpr int shape_version = 2;

/// The maximum size of a shape, in bytes. A longer one is truncated and ends with `"...":true`.
inline constexpr std::size_t max_shape_bytes = 8192;

struct hashed_shape {
  std::uint64_t hash = 0;
  std::string_view text;      ///< one line of JSON, in the caller's memory
  bool has_given_up = false;  ///< it was truncated because the work budget ran out
};

/// Computes a command's shape and its 64-bit hash: FNV-1a over "<shape
/// version>\n<namespace>\n<command>\n<shape>". For sensitive commands, of the command without
/// fields. Resets `memory`; no heap.
[[nodiscard]] hashed_shape hash_shape(const wire::command& command, scratch& memory) noexcept;

/// The hash of a command's shape; see hash_shape().
[[nodiscard]] std::uint64_t shape_hash(const wire::command& command, scratch& memory) noexcept;

/// The hash of a given shape in a namespace: for shapes from a file, or reported under another
/// namespace than the command's.
[[nodiscard]] std::uint64_t shape_hash(wire::namespace_view in, std::string_view command,
                                       std::string_view shape) noexcept;

/// A command's shape as one line of JSON of at most `max_bytes` (128 to max_shape_bytes; the
/// hash is always that of max_shape_bytes). Resets `memory`. Allocates, so call it for new
/// findings only.
[[nodiscard]] std::string shape_json(const wire::command& command, scratch& memory,
                                     std::size_t max_bytes = max_shape_bytes);

/// Formats a shape's hash as 16 lower-case hex digits.
[[nodiscard]] std::string shape_hash_text(std::uint64_t hash);

}  // namespace scattergate::routing
