#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "config/text/text_tree.hpp"

/// The two syntaxes that a text_tree is read from. Hostile text is refused in bounded memory.
namespace scattergate::config {

/// How deep YAML may nest: a fifth of what yaml-cpp can bear.
inline constexpr std::size_t max_yaml_depth = 100;

/// How deep JSON may nest: more than MongoDB's 200, so that a command which is too deep for it
/// still reaches whoever judges commands.
inline constexpr std::size_t max_json_depth = 300;

/// A tree, or why the text isn't one.
struct parsed_text {
  text_tree tree;     ///< empty where the text holds no value at all
  std::string error;  ///< empty where all is well
  std::size_t error_line = 0;
};

/// Reads one YAML document. Refused beside bad syntax: aliases, anchors and tags (nothing here
/// needs them, and aliases multiply), more than one document, bytes that are not UTF-8 or are
/// control characters.
[[nodiscard]] parsed_text parse_yaml(std::string_view text);

/// Reads one JSON value, and nothing behind it. Every line number is 1.
[[nodiscard]] parsed_text parse_json(std::string_view text);

}  // namespace scattergate::config
