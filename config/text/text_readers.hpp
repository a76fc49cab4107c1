#pragma once

#include <cstddef>
#include <string_view>

#include "config/text/parse_problem.hpp"
#include "config/text/text_tree.hpp"

/// The two syntaxes that a text_tree is read from. Hostile text is refused in bounded memory.
namespace scattergate::config {

/// How deep YAML may nest: a fifth of what yaml-cpp can bear.
inline constexpr std::size_t max_yaml_depth = 100;

/// How deep JSON may nest: more than MongoDB's 200, so that a command which is too deep for it
/// still reaches whoever judges commands.
inline constexpr std::size_t max_json_depth = 300;

/// Reads one YAML document; the tree is empty where the text holds no value at all. Refused
/// beside bad syntax: aliases, anchors and tags (nothing here needs them, and aliases
/// multiply), more than one document, bytes that are not UTF-8 or are control characters.
[[nodiscard]] parse_result<text_tree> parse_yaml(std::string_view text);

/// Reads one JSON value, and nothing behind it. Every line number is 1.
[[nodiscard]] parse_result<text_tree> parse_json(std::string_view text);

}  // namespace scattergate::config
