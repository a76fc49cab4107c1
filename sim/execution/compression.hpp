#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/values/value.hpp"
#include "wire/compressed.hpp"

namespace scattergate::sim {

/// Parses a comma-separated list of compressors, which may be empty. Throws std::runtime_error
/// for an unknown name.
[[nodiscard]] std::vector<wire::compressor> compressors_of(std::string_view list);

/// The compressors that both the `compression` of a hello and `enabled` contain, in the
/// client's order: the reply's `compression`.
[[nodiscard]] array agreed_compressors(const document& hello,
                                       const std::vector<wire::compressor>& enabled);

/// Decompresses an OP_COMPRESSED in place; leaves other messages unchanged. Sets `algorithm` to
/// the compressor, for the reply; std::nullopt if the message wasn't compressed. False if the
/// compressor isn't `enabled` or the message is corrupt; the caller must then close the
/// connection.
[[nodiscard]] bool unpack(wire::message_header& header, std::vector<std::byte>& message,
                          const std::vector<wire::compressor>& enabled,
                          std::optional<wire::compressor>& algorithm);

/// Returns a complete message as an OP_COMPRESSED.
[[nodiscard]] std::string pack(const std::string& message, wire::compressor algorithm);

}  // namespace scattergate::sim
