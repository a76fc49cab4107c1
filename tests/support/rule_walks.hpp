#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/wire/messages.hpp"

/// Requests of an attacker that make mongos ask all shards of db.orders, {tenant: 1}, although
/// a rule rejects that: the same query in every form that a mongos understands.
namespace scattergate::tests {

/// Decisions taken from bytes: the same bytes, the same decisions; zero where they end.
class choices {
 public:
  explicit choices(std::span<const std::uint8_t> from) noexcept : rest_(from) {}

  [[nodiscard]] std::size_t below(std::size_t bound) noexcept {
    if (rest_.empty()) return 0;
    const std::size_t taken = rest_.front();
    rest_ = rest_.subspan(1);
    return taken % bound;
  }
  [[nodiscard]] bool one_in(std::size_t count) noexcept { return below(count) == count - 1; }

 private:
  std::span<const std::uint8_t> rest_;
};

/// One request: its bytes, and its filters on db.orders.
struct rule_walk {
  wire_tests::bytes message;
  std::vector<wire_tests::bytes> filters;  ///< of statements on db.orders
};

/// Makes a request that a mongos sends to all shards of db.orders, or refuses. Next to
/// db.orders there are db.lines, {line: 1}, and db.plain, which isn't sharded.
[[nodiscard]] rule_walk make_rule_walk(std::span<const std::uint8_t> decisions);

/// A filter of tenant and other fields: one that narrows to fewer than eight shards, or none.
[[nodiscard]] wire_tests::bytes make_filter(choices& from);

}  // namespace scattergate::tests
