#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "digest/sketches/sketch_set.hpp"
#include "text/problem.hpp"

/// Sketches as text, to store them behind a digest (digest/stored.hpp) or to pass them to
/// another program. JSON lines; the last one has the checksum of those before:
///
///     {"type":"scattergate.sketches","schemaVersion":1,"salt":"1c0b...","collections":1}
///     {"database":"shop","collection":"orders","requests":1200,"fields":[{"path":"tenant",
///      "requests":1200,"pinned":1100,"distinct":"AABC...","total":1100,
///      "commonest":[["9f3e1a02",700,0],...],"minutes":[1180,690],
///      "order":[1100,"0.0213",false]},...],"pairs":[{"first":"_id","second":"tenant",...}]}
///     {"end":true,"crc32c":"11892912"}
///
/// "salt" identifies the salt; "distinct" is a HyperLogLog's registers; "commonest" has marks
/// of salted hashes, counts and errors; "minutes" requests, and those for each minute's
/// commonest value; "order" values, correlation, and whether they were inserted.
namespace scattergate::digest {

/// To be raised when older programs would misread the format.
inline constexpr std::uint64_t sketches_schema_version = 1;

inline constexpr std::string_view stored_sketches_begin = R"({"type":"scattergate.sketches",)";

/// Size limit, in bytes.
inline constexpr std::size_t max_stored_sketches_bytes = 8UL << 20;

/// Empty if there are none.
[[nodiscard]] std::string stored_sketches(const sketch_set& of);

/// The part of a stored digest that has its sketches; empty if there is none.
[[nodiscard]] std::string_view sketches_in(std::string_view stored) noexcept;

/// Reads what stored_sketches() writes. The input is untrusted: it is read completely or
/// refused, and takes no more memory than a set may.
[[nodiscard]] text::result<sketch_set> read_stored_sketches(std::string_view text);

}  // namespace scattergate::digest
