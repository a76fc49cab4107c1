#pragma once

#include <cstddef>
#include <string_view>

#include "config/text/problem_log.hpp"
#include "config/text/text_tree.hpp"

/// Parses YAML and JSON to a text_tree. Memory is bounded, even for hostile text.
namespace scattergate::config {

/// The nesting limit of YAML: a fifth of what yaml-cpp can handle.
inline constexpr std::size_t max_yaml_depth = 100;

/// The nesting limit of JSON: more than MongoDB's 200, so that a command that is too deep for
/// MongoDB is still parsed and judged.
inline constexpr std::size_t max_json_depth = 300;

/// Parses one YAML document. The tree is empty if the text has no value. Returns a problem for
/// bad syntax, more than one document, bytes that aren't UTF-8, and control characters.
/// Aliases, anchors and tags are problems, too: no file needs them, and aliases can multiply a
/// file's size.
[[nodiscard]] parse_result<text_tree> parse_yaml(std::string_view text);

/// Parses exactly one JSON value, on one line: every line number in the tree is 1. Returns a
/// problem for bad syntax.
[[nodiscard]] parse_result<text_tree> parse_json(std::string_view text);

}  // namespace scattergate::config
