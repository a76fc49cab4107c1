#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/values/value.hpp"
#include "wire/bson.hpp"

/// Between received bytes and owned values.
namespace scattergate::sim {

/// What one message may cost to read: a tree costs some thirty times its smallest bytes.
inline constexpr std::uint32_t decode_nodes = 6'000'000;
/// mongod's limit on nesting (BSONDepth::kDefaultMaxAllowableDepth is 200).
inline constexpr std::uint32_t decode_depth = 180;

/// Reads `bytes` into a tree, paying from `budget`.
/// Throws command_failure: InvalidBSON as bad_value; overflow when too deep or too large.
[[nodiscard]] document decode(wire::document_view bytes, wire::inspect_budget& budget);

/// The same with a budget of its own.
[[nodiscard]] document decode(wire::document_view bytes);

/// Appends `content` to `out` as BSON.
void encode(const document& content, std::string& out);
[[nodiscard]] std::string encode(const document& content);

/// The BSON bytes of a value alone, without type and name.
void encode_value(const value& content, std::string& out);

/// The size of `content` as BSON.
[[nodiscard]] std::size_t encoded_bytes(const document& content);

/// Relaxed or canonical Extended JSON v2, on one line.
[[nodiscard]] std::string to_json(const document& content, bool canonical = false);

}  // namespace scattergate::sim
