#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace scattergate::wire {

/// The frames of zstd that the decompressors read (RFC 8878, sections 3.1.1 and 3.1.2).
enum class zstd_frame : std::uint8_t { data, skippable };

/// The kind of frame that begins here, by its magic number; std::nullopt if none does. The
/// library also reads formats older than 1.0; these are rejected, because it allocates for
/// them.
[[nodiscard]] std::optional<zstd_frame> zstd_frame_at(
    std::span<const std::byte> bytes) noexcept;

}  // namespace scattergate::wire
