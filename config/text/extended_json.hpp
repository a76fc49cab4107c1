#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "config/text/parse_problem.hpp"
#include "config/text/text_tree.hpp"
#include "wire/bson.hpp"

namespace scattergate::config {

/// A BSON document that owns its bytes.
struct bson_bytes {
  std::vector<std::byte> bytes;

  /// REQUIRES: the bytes are a document.
  [[nodiscard]] wire::document_view view() const;
};

/// Converts a map or list (a list as an array's document) of Extended JSON v2 to BSON:
/// canonical or relaxed (specifications: extended-json), written as JSON or as YAML in flow
/// style.
///
/// (libbson's own reader isn't usable: it refuses {a: {$type: 2}} and {a: {$regex: "x", $ne:
/// "y"}}, which are filters.)
///
/// A type wrapper ({"$oid": ...}) is recognised by its keys and must be well-formed. `$regex`,
/// `$options` and `$type` are query operators and stay unchanged, except for the old
/// {"$binary": ..., "$type": ...}. Wrapped numbers may be unquoted.
///
/// Plain scalars: null, booleans and numbers as JSON writes them (an integer is an int32, else
/// an int64, otherwise a double). A plain scalar that is a number in YAML but not in JSON
/// (`007`,
/// `+1`, `.5`, `0x10`) is an error; every other plain scalar is a string.
[[nodiscard]] parse_result<bson_bytes> bson_of(const text_tree::node& value);

/// Reads one line of Extended JSON.
[[nodiscard]] parse_result<bson_bytes> bson_of_json(std::string_view json);

}  // namespace scattergate::config
