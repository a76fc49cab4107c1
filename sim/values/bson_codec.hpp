#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/values/value.hpp"
#include "wire/bson.hpp"
#include "wire/endian.hpp"

namespace scattergate::sim {

/// Appends the bytes of a number to `out`, the lowest first.
template <typename T>
void append_little(std::string& out, T number) {
  std::array<char, sizeof(T)> bytes;
  wire::store_little(bytes.data(), number);
  out.append(bytes.data(), bytes.size());
}

// Converts between BSON bytes and trees of values.

/// The maximum number of values in one decoded message. Limits memory, because a decoded tree
/// takes up to about thirty times the memory of its BSON.
inline constexpr std::uint32_t decode_nodes = 6'000'000;
/// The maximum nesting depth; somewhat below mongod's (BSONDepth::kDefaultMaxAllowableDepth is
/// 200).
inline constexpr std::uint32_t decode_depth = 180;

/// Decodes BSON into a tree. Subtracts the number of values from `budget`, so that several
/// documents can share one budget. Throws command_failure: bad_value for invalid BSON, overflow
/// if the BSON is nested too deeply or has too many values.
[[nodiscard]] document decode(wire::document_view bytes, wire::inspect_budget& budget);

/// Decodes BSON with a budget of decode_nodes values and a depth of decode_depth. Throws
/// command_failure.
[[nodiscard]] document decode(wire::document_view bytes);

/// Appends `content` to `out` as BSON.
void encode(const document& content, std::string& out);
/// Returns `content` as BSON.
[[nodiscard]] std::string encode(const document& content);

/// Appends the BSON bytes of a value to `out`, without type and name.
void encode_value(const value& content, std::string& out);

/// The size of `content` as BSON, in bytes.
[[nodiscard]] std::size_t encoded_bytes(const document& content);

/// The document as Extended JSON v2 on one line, relaxed or canonical.
[[nodiscard]] std::string to_json(const document& content, bool canonical = false);

}  // namespace scattergate::sim
