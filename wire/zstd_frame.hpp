#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace scattergate::wire {

/// The kinds of zstd frames (parts of a compressed payload) that the decompressors read (RFC
/// 8878, sections 3.1.1 and 3.1.2).
enum class zstd_frame : std::uint8_t { data, skippable };

/// The kind of the frame at the start of `bytes`, by the frame's magic number; std::nullopt if
/// there is no frame of these kinds. Formats older than zstd 1.0 aren't supported, because the
/// zstd library allocates memory for them.
[[nodiscard]] std::optional<zstd_frame> zstd_frame_at(
    std::span<const std::byte> bytes) noexcept;

}  // namespace scattergate::wire
