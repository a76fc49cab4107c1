#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "digest/sketches/sketch_set.hpp"
#include "text/problem.hpp"

/// The text format of sketches (bounded statistics of field values), for the state file and for
/// other programs. In the state file, it follows the digest (digest/stored.hpp). JSON lines;
/// the last one has the checksum of all others:
///
///     {"type":"scattergate.sketches","schemaVersion":1,"salt":"1c0b...","collections":1}
///     {"database":"shop","collection":"orders","requests":1200,"fields":[{"path":"tenant",
///      "requests":1200,"pinned":1100,"distinct":"AABC...","total":1100,
///      "commonest":[["9f3e1a02",700,0],...],"minutes":[1180,690],
///      "order":[1100,"0.0213",false]},...],"pairs":[{"first":"_id","second":"tenant",...}]}
///     {"end":true,"crc32c":"11892912"}
///
/// - "salt": the salt's id.
/// - "requests": the number of statements and new documents of the collection; for a field or
///   pair, only since the sketch began. "pinned": the number of requests that have an equality
///   on the field or pair.
/// - "distinct": the HyperLogLog's registers.
/// - "total": the number of values. "commonest": the most frequent values, each with the first
///   32 bits of the salted hash, the count, and how much too high the count may be.
/// - "minutes": the number of requests in busy minutes, and how many of these requests were for
///   the most frequent value of their minute.
/// - "order": how many values were compared, the correlation of the values with their order of
///   arrival, and whether they are values of new documents.
namespace scattergate::digest {

/// The format's version. Raise it when older programs would misread the format.
inline constexpr std::uint64_t sketches_schema_version = 1;

/// The number of hex digits of a stored 32-bit number: a hash prefix, or the checksum.
inline constexpr std::size_t uint32_hex_digits = 8;
/// The number of hex digits of a stored salt's id.
inline constexpr std::size_t salt_id_digits = 16;

/// How the first line of stored sketches begins.
inline constexpr std::string_view stored_sketches_begin = R"({"type":"scattergate.sketches",)";

/// The size limit of stored sketches, in bytes.
inline constexpr std::size_t max_stored_sketches_bytes = 8UL << 20;

/// Formats sketches as text; empty if there are none.
[[nodiscard]] std::string stored_sketches(const sketch_set& of);

/// The part of a state file that contains its sketches; empty if there is none.
[[nodiscard]] std::string_view sketches_in(std::string_view stored) noexcept;

/// Parses the output of stored_sketches(). Returns a problem if the text is invalid. The text
/// may be untrusted: reading takes at most the memory of a full sketch_set.
[[nodiscard]] text::result<sketch_set> read_stored_sketches(std::string_view text);

}  // namespace scattergate::digest
