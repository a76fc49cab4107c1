#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/values/value.hpp"
#include "wire/compressed.hpp"

namespace scattergate::sim {

/// The compressors for the reply's field `compression`: the known ones in the hello's field
/// `compression`, in the client's order. Throws command_failure (type_mismatch) if the hello's
/// field isn't an array.
[[nodiscard]] array agreed_compressors(const document& hello);

/// Decompresses an OP_COMPRESSED in place; leaves other messages unchanged. Sets `algorithm`
/// to the message's compressor, or to std::nullopt if it wasn't compressed. Returns false if
/// the compressor is unknown, or the message corrupt; the caller must then close the
/// connection. Thread-safety: call it on one thread only.
[[nodiscard]] bool unpack(wire::message_header& header, std::vector<std::byte>& message,
                          std::optional<wire::compressor>& algorithm);

/// Compresses a complete message; returns an OP_COMPRESSED.
[[nodiscard]] std::string pack(const std::string& message, wire::compressor algorithm);

}  // namespace scattergate::sim
