#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "routing/verdict.hpp"
#include "tests/wire/messages.hpp"

/// Commands made at random, and catalogs of all sorts of shard keys to judge them by.
namespace scattergate::routing_tests {

/// A command in the shell's notation, with the statements of a batch separate.
struct given_command {
  std::string body;
  std::string statement;  ///< empty: no batch
};

/// The message of `given`, sent to the database `db` unless it names another.
[[nodiscard]] wire_tests::bytes message_of(const given_command& given);

/// All that is counted and audited of a verdict, but the places of its shards.
[[nodiscard]] std::string verdict_text(const routing::verdict& made, std::uint64_t shape);

/// For catalog_of(): db.c under keys of all sorts, or as something else than sharded.
[[nodiscard]] const std::vector<std::string>& key_catalogs();

/// Random commands of few forms and many values, on the collection c.
class command_source {
 public:
  explicit command_source(std::uint32_t seed) : random_(seed) {}

  [[nodiscard]] given_command next();
  /// The last result of next(), for a failure message.
  [[nodiscard]] const std::string& last() const { return last_; }

  // Their words, each as JSON.
  [[nodiscard]] std::string name();  ///< of a field, without quotes
  [[nodiscard]] std::string value();
  [[nodiscard]] std::string filter();
  [[nodiscard]] std::string document();
  [[nodiscard]] std::string rest();  ///< the end of a body, from its comma on

  [[nodiscard]] std::size_t below(std::size_t bound) { return random_() % bound; }
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
