#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/mongosh/shell_scanner.hpp"

/// mongosh's methods as commands.
namespace scattergate::config {

/// A collection on which a method is called.
struct shell_collection {
  std::string database;
  std::string name;
  /// Whether it came from collection(), as in the Node driver: find's second argument then has
  /// options, not a projection.
  bool is_of_driver = false;
};

/// Whether collections have this method.
[[nodiscard]] bool is_collection_method(std::string_view method) noexcept;

/// The commands that a collection's method sends, without `$db`: one, or for bulkWrite one per
/// operation. Throws shell_error (without a line) if there is no such method, or if arguments
/// are wrong; the text says what it would take.
[[nodiscard]] std::vector<shell_value> commands_of(const shell_collection& of,
                                                   std::string_view method,
                                                   std::vector<shell_value> arguments);

/// Applies a cursor's method to the command that opened the cursor: sort, limit, count, ...
/// Throws shell_error as commands_of() does.
void apply_to_cursor(shell_value& command, std::string_view method,
                     std::vector<shell_value> arguments);

/// Whether a cursor's method only reads results, so that its arguments, such as functions,
/// don't matter: toArray, forEach, ...
[[nodiscard]] bool only_reads(std::string_view method) noexcept;

}  // namespace scattergate::config
