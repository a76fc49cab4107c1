#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/values/value.hpp"
#include "wire/compressed.hpp"

namespace scattergate::sim {

/// Parses a comma-separated list of compressors; empty: none. Throws std::runtime_error for an
/// unknown name.
[[nodiscard]] std::vector<wire::compressor> compressors_of(std::string_view list);

/// The compressors in both a hello's `compression` and `enabled`, in the client's order, for
/// the reply.
[[nodiscard]] array agreed_compressors(const document& hello,
                                       const std::vector<wire::compressor>& enabled);

/// Replaces an OP_COMPRESSED by its content; leaves a plain message as it is. Returns its
/// compressor, for the reply; false if that isn't `enabled` or the message is corrupt: then
/// close the connection.
[[nodiscard]] bool unpack(wire::message_header& header, std::vector<std::byte>& message,
                          const std::vector<wire::compressor>& enabled,
                          std::optional<wire::compressor>& by);

/// Compresses a complete message.
[[nodiscard]] std::string pack(const std::string& message, wire::compressor by);

}  // namespace scattergate::sim
