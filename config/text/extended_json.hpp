#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/text/problem_log.hpp"
#include "config/text/text_tree.hpp"
#include "wire/bson.hpp"

namespace scattergate::config {

/// Decodes the texts inside Extended JSON's type wrappers, such as {"$date": ...}.

/// Decodes RFC 4648 base64 with padding; std::nullopt if malformed.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

/// Decodes a UUID with dashes to its 16 bytes; std::nullopt if malformed.
[[nodiscard]] std::optional<std::string> decode_uuid(std::string_view text);

/// Parses an RFC 3339 time, 2024-01-31T12:00:00[.123](Z or +hh:mm), to milliseconds since
/// 1970; std::nullopt if malformed.
[[nodiscard]] std::optional<std::int64_t> parse_time(std::string_view text);

/// A BSON document that owns its bytes.
struct bson_bytes {
  std::vector<std::byte> bytes;

  /// The document. REQUIRES: `bytes` is a complete document.
  [[nodiscard]] wire::document_view view() const;
};

/// Converts a map or a list of Extended JSON v2, canonical or relaxed (specifications:
/// extended-json), to BSON. The text may be JSON or YAML in flow style. A list becomes a
/// document with the keys "0", "1", ... Returns a problem if the value is invalid, or if the
/// document would exceed 16 MiB.
///
/// (libbson's own reader isn't usable: it refuses {a: {$type: 2}} and {a: {$regex: "x", $ne:
/// "y"}}, which are filters.)
///
/// A type wrapper ({"$oid": ...}) is recognised by its keys and must be well-formed. `$regex`,
/// `$options` and `$type` are query operators and stay unchanged, except in the old form
/// {"$binary": ..., "$type": ...}. Wrapped numbers may be unquoted.
///
/// An unquoted scalar may be null, a boolean, or a number in JSON's syntax (an integer becomes
/// an int32 if it fits, else an int64, else a double). An unquoted scalar that is a number in
/// YAML but not in JSON (`007`, `+1`, `.5`, `0x10`) is an error. Every other scalar is a
/// string.
[[nodiscard]] parse_result<bson_bytes> bson_of(const text_tree::node& value);

/// Parses a text of one line of Extended JSON and converts it to BSON, as bson_of() does.
/// Returns a problem if the text is no JSON, or not a valid map or list.
[[nodiscard]] parse_result<bson_bytes> bson_of_json(std::string_view json);

}  // namespace scattergate::config
