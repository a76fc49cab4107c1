#pragma once

#include <string_view>

#include <bson/bson.h>

#include "config/text/parse_problem.hpp"
#include "config/text/text_tree.hpp"

/// The type wrappers of extended_json.cpp. The only header that includes libbson.
namespace scattergate::config {

/// A value that isn't valid Extended JSON: thrown and caught inside bson_of.
struct value_error : parse_problem {};

/// Throws if libbson couldn't append, which only happens to a document above 2 GiB.
void require(bool appended, const text_tree::node& at);

/// Appends the entries of a map that isn't a wrapper.
void append_document(bson_t& to, const text_tree::node& map);

/// Appends the value that `map` wraps; false if it is an ordinary document. Throws value_error
/// if a wrapper is malformed.
[[nodiscard]] bool append_wrapped(bson_t& to, std::string_view key, const text_tree::node& map);

}  // namespace scattergate::config
