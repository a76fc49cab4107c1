#pragma once

#include <string_view>

#include <bson/bson.h>

#include "config/text/parse_problem.hpp"
#include "config/text/text_tree.hpp"

/// The inside of extended_json.cpp: its type wrappers. The only header that includes libbson.
namespace scattergate::config {

/// A value that isn't Extended JSON: thrown and caught inside bson_of.
struct value_error : parse_problem {};

/// Throws where libbson could not append: only a document that would exceed 2 GiB.
void require(bool appended, const text_tree::node& at);

/// Appends the entries of a map that is no wrapper.
void append_document(bson_t& to, const text_tree::node& map);

/// Appends what `map` wraps; false where it is an ordinary document. Throws value_error where
/// a wrapper is malformed.
[[nodiscard]] bool append_wrapped(bson_t& to, std::string_view key, const text_tree::node& map);

}  // namespace scattergate::config
