#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/wire/messages.hpp"

/// Builds BSON for rule walks: requests that try to evade a rule against scatters (see
/// rule_walks.hpp).
namespace scattergate::tests {

/// Types of BSON elements.
inline constexpr int document_type = 0x03;
inline constexpr int array_type = 0x04;
inline constexpr int symbol_type = 0x0e;

/// An array of documents.
[[nodiscard]] inline wire_tests::bytes list(const std::vector<wire_tests::bytes>& members) {
  wire_tests::bytes fields;
  for (std::size_t i = 0; i < members.size(); ++i) {
    fields = wire_tests::joined(
        fields, wire_tests::field(document_type, std::to_string(i), members[i]));
  }
  return wire_tests::document(fields);
}

/// A document with one field `name`. `inner`: the field's value in BSON encoding.
[[nodiscard]] inline wire_tests::bytes only(std::string_view name,
                                            const wire_tests::bytes& inner,
                                            int type = document_type) {
  return wire_tests::document(wire_tests::field(type, name, inner));
}

/// A boolean field.
[[nodiscard]] inline wire_tests::bytes boolean(std::string_view name, bool value) {
  return wire_tests::field(0x08, name, wire_tests::little(static_cast<std::int8_t>(value)));
}

/// The parts of a command, from which make_rule_walk() builds a message.
struct walk_parts {
  wire_tests::bytes fields;  ///< the fields of the body
  /// The lists of statements by name, to be sent in the body or as document sequences.
  std::vector<std::pair<std::string, std::vector<wire_tests::bytes>>> lists;
  std::string database = "db";  ///< the value of `$db`
};

}  // namespace scattergate::tests
