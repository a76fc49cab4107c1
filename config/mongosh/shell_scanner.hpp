#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/text/extended_json.hpp"
#include "config/text/problem_log.hpp"
#include "config/text/text_tree.hpp"

namespace scattergate::config {

/// A value as mongosh writes it, in the form of Extended JSON: ObjectId("...") is a map with
/// the key $oid. Thread-safety: as any value.
struct shell_value {
  node_kind kind = node_kind::scalar;
  bool is_plain = true;             ///< a scalar without quotes: a number, true, false, null
  std::string text{"null"};         ///< a scalar's text
  std::vector<std::string> keys{};  ///< a map's keys, one for each member
  std::vector<shell_value> members{};
  std::size_t line = 1;

  [[nodiscard]] static shell_value plain(std::string text);
  [[nodiscard]] static shell_value quoted(std::string text);
  [[nodiscard]] static shell_value list(std::vector<shell_value> members = {});
  [[nodiscard]] static shell_value map(std::vector<std::pair<std::string, shell_value>> = {});

  [[nodiscard]] bool is_map() const noexcept { return kind == node_kind::map; }
  [[nodiscard]] bool is_list() const noexcept { return kind == node_kind::list; }
  [[nodiscard]] bool is_string() const noexcept {
    return kind == node_kind::scalar && !is_plain;
  }
  [[nodiscard]] bool is_true() const noexcept { return is_plain && text == "true"; }

  /// The member with this key; null if there is none, or if this isn't a map.
  [[nodiscard]] const shell_value* find(std::string_view key) const noexcept;
  /// Adds a member to a map, or replaces it.
  void set(std::string_view key, shell_value value);

  /// The memory of the value and its members, in bytes.
  [[nodiscard]] std::size_t size_bytes() const noexcept;
  /// The levels of maps and lists, itself included; 1 for a scalar.
  [[nodiscard]] std::size_t depth() const noexcept;

  /// The map or list as BSON, as bson_of() reads Extended JSON.
  [[nodiscard]] parse_result<bson_bytes> to_bson() const;
};

/// A problem in mongosh's text, thrown by its parsers. The reader catches it.
struct shell_error : parse_problem {};

/// Reads the tokens of mongosh's text. All functions skip blanks and comments first.
/// Thread-safety: one thread.
class shell_scanner {
 public:
  /// `first_line`: the number of the text's first line.
  shell_scanner(std::string_view text, std::size_t first_line)
      : text_(text), line_(first_line) {}

  [[nodiscard]] bool at_end();
  /// The next character; NUL at the end.
  [[nodiscard]] char peek();
  /// Takes the next character if it is this one.
  [[nodiscard]] bool take(char expected);
  /// Takes the next character, which must be this one, otherwise throws.
  void expect(char expected);
  /// Takes an identifier; empty if there is none.
  [[nodiscard]] std::string_view name();
  /// Takes a text in quotes, without them, with escapes replaced.
  [[nodiscard]] std::string quoted();
  /// Takes a number in JavaScript's syntax, and returns it in JSON's.
  [[nodiscard]] std::string number();
  /// A regular expression between slashes.
  struct regex {
    std::string pattern, flags;
  };
  [[nodiscard]] regex pattern();
  /// Skips everything up to the bracket that closes one that was just taken, and that bracket.
  void skip_brackets();
  /// Skips the rest of the statement: to its semicolon, or to the end of its line.
  void skip_statement();

  /// The line of the next token, from 1.
  [[nodiscard]] std::size_t line();
  /// Throws a shell_error at the current line.
  [[noreturn]] void fail(const std::string& what);
  /// The next characters, quoted, for a message.
  [[nodiscard]] std::string next_words();

 private:
  void skip_blanks();
  void skip_char() noexcept;
  void append_escaped(std::string& to);

  std::string_view text_;
  std::size_t line_;
};

}  // namespace scattergate::config
