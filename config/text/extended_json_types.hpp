#pragma once

#include <string_view>

#include <bson/bson.h>

#include "config/text/parse_problem.hpp"
#include "config/text/text_tree.hpp"

/// Converts the type wrappers ({"$oid": ...}) of Extended JSON to BSON, for extended_json.cpp.
/// The only header that includes libbson.
namespace scattergate::config {

/// A value that isn't valid Extended JSON. Thrown and caught only within bson_of().
struct value_error : parse_problem {};

/// Throws value_error, with the line of `at`, if `appended` is false. `appended`: what a
/// libbson append returned; false means that the document would exceed 2 GiB.
void require(bool appended, const text_tree::node& at);

/// Appends the entries of a map that isn't a type wrapper.
void append_document(bson_t& to, const text_tree::node& map);

/// Appends the value of the type wrapper `map`, with this key. Returns false and appends
/// nothing if `map` is an ordinary document. Throws value_error if the wrapper is malformed.
[[nodiscard]] bool append_wrapped(bson_t& to, std::string_view key, const text_tree::node& map);

}  // namespace scattergate::config
