#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/values/value.hpp"
#include "wire/compressed.hpp"

namespace scattergate::sim {

/// The compressors of a list with commas between; empty: none. Throws std::runtime_error for a
/// name that is none.
[[nodiscard]] std::vector<wire::compressor> compressors_of(std::string_view list);

/// What a hello's `compression` and `enabled` have in common, in the client's order: the
/// reply's.
[[nodiscard]] array agreed_compressors(const document& hello,
                                       const std::vector<wire::compressor>& enabled);

/// Puts an OP_COMPRESSED's content in its place; a plain message stays as it is. The compressor
/// that it came in, for the reply; false where that isn't one of `enabled` or the message is
/// spoilt: the connection is then closed.
[[nodiscard]] bool unpack(wire::message_header& header, std::vector<std::byte>& message,
                          const std::vector<wire::compressor>& enabled,
                          std::optional<wire::compressor>& by);

/// A whole message, packed.
[[nodiscard]] std::string pack(const std::string& message, wire::compressor by);

}  // namespace scattergate::sim
