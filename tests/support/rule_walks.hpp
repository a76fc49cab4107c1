#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/wire/messages.hpp"

/// Rule walks: requests of an attacker who tries to evade a rule. The rule rejects scatters
/// (commands that ask all shards) on db.orders, which is sharded by {tenant: 1}. The requests
/// ask all shards of db.orders in many forms that mongos accepts. For the catalog, see
/// guard.hpp.
namespace scattergate::tests {

/// Makes decisions from bytes, such as a fuzz target's input. The same bytes give the same
/// decisions; after the last byte, each decision is 0.
class choices {
 public:
  explicit choices(std::span<const std::uint8_t> from) noexcept : rest_(from) {}

  /// A number below `bound`. Takes one byte.
  [[nodiscard]] std::size_t below(std::size_t bound) noexcept {
    if (rest_.empty()) return 0;
    const std::size_t taken = rest_.front();
    rest_ = rest_.subspan(1);
    return taken % bound;
  }
  /// True with a chance of one in `count`. Takes one byte; false after the last one.
  [[nodiscard]] bool one_in(std::size_t count) noexcept { return below(count) == count - 1; }

 private:
  std::span<const std::uint8_t> rest_;
};

/// One request of an attacker.
struct rule_walk {
  wire_tests::bytes message;               ///< the whole message
  std::vector<wire_tests::bytes> filters;  ///< the filters of `message` on db.orders; they
                                           ///< exclude no shard
};

/// Makes a request that a mongos either sends to all shards of db.orders, or rejects.
[[nodiscard]] rule_walk make_rule_walk(std::span<const std::uint8_t> decisions);

/// Makes a filter on tenant and other fields. Some filters exclude shards of db.orders, others
/// don't.
[[nodiscard]] wire_tests::bytes make_filter(choices& from);

}  // namespace scattergate::tests
