#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "routing/command_kind.hpp"
#include "routing/scratch.hpp"
#include "wire/command.hpp"
#include "wire/namespace_view.hpp"

/// The shape of a command: the command without its values, as one line of JSON. Commands that
/// differ only in values have the same shape (rules and test vectors: docs/shapes.md).
namespace scattergate::routing {

/// The version of the shape rules; every hash includes it. Increment it when a change of the
/// rules changes the shape of any command.
inline constexpr int shape_version = 2;

/// The maximum size of a shape, in bytes. A longer one is truncated and ends with `"...":true`.
inline constexpr std::size_t max_shape_bytes = 8192;

/// A shape and its hash.
struct hashed_shape {
  std::uint64_t hash = 0;     ///< the value of shape_hash()
  std::string_view text;      ///< one line of JSON; a view into the caller's scratch memory
  bool has_given_up = false;  ///< the text was truncated because the shape's work budget ran
                              ///< out
};

/// Computes a command's shape and its 64-bit hash: FNV-1a over "<shape
/// version>\n<namespace>\n<command>\n<shape>", where <command> is the kind's name_of(). The
/// shape of a getMore, a killCursors or a sensitive command (is_sensitive()) is the text "{}"
/// (an empty JSON object). Resets `memory`, which then contains the shape; no heap.
[[nodiscard]] hashed_shape hash_shape(const wire::command& command, scratch& memory) noexcept;

/// The hash of a command's shape; see hash_shape(). Resets `memory`.
[[nodiscard]] std::uint64_t shape_hash(const wire::command& command, scratch& memory) noexcept;

/// The hash of a shape given as text, for a command on the namespace `name`. `command`: the
/// kind's name_of(). Used for shapes read from a file, and for a shape that is reported under
/// another namespace than its command's.
[[nodiscard]] std::uint64_t shape_hash(wire::namespace_view name, std::string_view command,
                                       std::string_view shape) noexcept;

/// A command's shape as one line of JSON, truncated to at most `max_bytes` bytes (128 to
/// max_shape_bytes). Truncation to `max_bytes` doesn't affect the shape's hash. Resets
/// `memory`. Allocates, so call this for new findings only.
[[nodiscard]] std::string shape_json(const wire::command& command, scratch& memory,
                                     std::size_t max_bytes = max_shape_bytes);

/// Formats a shape's hash as 16 lower-case hex digits.
[[nodiscard]] std::string shape_hash_text(std::uint64_t hash);

}  // namespace scattergate::routing
