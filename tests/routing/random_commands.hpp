#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "routing/verdict.hpp"
#include "tests/wire/messages.hpp"

/// Random commands, and catalogs with many kinds of shard keys to judge them by.
namespace scattergate::routing_tests {

/// A command as Extended JSON, in one or two parts.
struct given_command {
  std::string body;       ///< the command without the statements of a batch
  std::string statement;  ///< the statement of a batch; empty: the command isn't a batch
};

/// The OP_MSG of `given`. Without `$db`, the database is `db`.
[[nodiscard]] wire_tests::bytes message_of(const given_command& given);

/// Formats a verdict and `shape`, the hash of the command's shape, as a text to compare. The
/// text has the number of shards, but not their names.
[[nodiscard]] std::string verdict_text(const routing::verdict& made, std::uint64_t shape);

/// Catalogs as JSON for catalog_of(). In them, db.c has various shard keys, or is unsharded,
/// unknown, a view or a time series.
[[nodiscard]] const std::vector<std::string>& key_catalogs();

/// Makes random commands on the collection c. Many commands differ only in their values. The
/// same seed gives the same commands.
class command_source {
 public:
  explicit command_source(std::uint32_t seed) : random_(seed) {}

  /// The next random command.
  [[nodiscard]] given_command next();
  /// The last result of next(), for a failure message.
  [[nodiscard]] const std::string& last() const { return last_; }

  // Random parts of commands, each as JSON.
  [[nodiscard]] std::string name();      ///< a field's name, without quotes
  [[nodiscard]] std::string value();     ///< a value
  [[nodiscard]] std::string filter();    ///< a filter
  [[nodiscard]] std::string document();  ///< a document to insert
  [[nodiscard]] std::string rest();  ///< the end of a body: a comma, further fields, and the
                                     ///< closing brace

  /// A random number below `bound`.
  [[nodiscard]] std::size_t below(std::size_t bound) { return random_() % bound; }
  /// A random member of a list.
  [[nodiscard]] std::string pick(const std::vector<std::string>& from) {
    return from[below(from.size())];
  }

 private:
  [[nodiscard]] given_command any();
  [[nodiscard]] std::string predicate();
  [[nodiscard]] std::string update();

  std::mt19937 random_;
  std::string last_;
};

}  // namespace scattergate::routing_tests
