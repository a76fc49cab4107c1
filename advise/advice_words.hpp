#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advise/advice.hpp"

/// Advice in words, the same for a terminal and a page.
namespace scattergate::advise {

/// "shop.orders": its commands, when, its present key.
[[nodiscard]] std::string head_text(const collection_advice& of);

/// What stands in a candidate's row; texts by the columns.
struct column {
  std::string_view name;
  bool is_number = false;
};
inline constexpr std::array<column, 10> columns = {{
    {"rank", true},
    {"shards/command", true},
    {"one shard", true},
    {"several", true},
    {"all", true},
    {"hottest", true},
    {"in a minute", true},
    {"safe"},
    {"from"},
    {"key"},
}};
[[nodiscard]] std::array<std::string, columns.size()> row_of(std::size_t rank,
                                                             const candidate& of);

/// The places of those that are told at length, the best first: the best, the present one,
/// those named; and of those in the table, the first too.
[[nodiscard]] std::vector<std::size_t> told_in_table(const collection_advice& of);
[[nodiscard]] std::vector<std::size_t> told_at_length(const collection_advice& of);

/// What is to be said of one, by name; some names come several times.
using fact = std::pair<std::string_view, std::string>;
[[nodiscard]] std::vector<fact> facts_of(const candidate& of);

}  // namespace scattergate::advise
