#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/mongosh/shell_methods.hpp"
#include "config/mongosh/shell_scanner.hpp"
#include "config/text/problem_log.hpp"

namespace scattergate::config {

/// A command that a statement sends, with `$db`.
struct shell_command {
  shell_value body;
  std::size_t line = 1;  ///< where the statement calls the method
};

/// Reads statements of mongosh (db.orders.find({status: "x"})), and of the Node driver as
/// Compass exports them (`const agg = [...]; coll.aggregate(agg)`), without running JavaScript:
/// values must be literals. Remembers variables and `use` from one text to the next.
/// Thread-safety: one thread.
class shell_reader {
 public:
  /// The database of a collection for which no statement named one; empty: unknown.
  using database_finder = std::function<std::string(std::string_view collection)>;

  explicit shell_reader(database_finder find_database)
      : find_database_(std::move(find_database)) {}

  /// The commands of a text, in the order in which they are sent. `first_line`: the number of
  /// the text's first line. Returns a problem, which says what the reader would take, if a
  /// statement can't be read.
  [[nodiscard]] parse_result<std::vector<shell_command>> read(std::string_view text,
                                                              std::size_t first_line);

  /// A value alone, such as {status: "x", at: ISODate("2026-01-31")}.
  [[nodiscard]] parse_result<shell_value> read_value(std::string_view text,
                                                     std::size_t first_line);

  /// What an expression stands for.
  struct operand {
    enum class kind { value, database, collection, cursor, other };
    kind is = kind::other;
    shell_value value{};
    shell_collection collection{};  ///< for a database: without a name
    std::size_t command = 0;        ///< a cursor's command
  };

 private:
  class parser;

  database_finder find_database_;
  std::string database_;  // named by `use`
  std::map<std::string, operand, std::less<>> variables_;
  std::size_t variable_bytes_ = 0;  // of all values that variables got, and of their copies
};

}  // namespace scattergate::config
