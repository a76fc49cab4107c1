#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advise/advice.hpp"

/// Advice as text, shared by the terminal and HTML output.
namespace scattergate::advise {

/// A collection's heading, such as "shop.orders": its commands, the period, its present key.
[[nodiscard]] std::string head_text(const collection_advice& of);

/// A column of the table of candidates: its heading and the text of its cells.
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

/// Indexes of the candidates that appear in the table, and of those described in full; each
/// best first. Described are the best, the present key and those the user named; the table also
/// has the next best.
[[nodiscard]] std::vector<std::size_t> told_in_table(const collection_advice& of);
[[nodiscard]] std::vector<std::size_t> told_at_length(const collection_advice& of);

/// A labelled statement about a candidate; several may have the same label.
using fact = std::pair<std::string_view, std::string>;
[[nodiscard]] std::vector<fact> facts_of(const candidate& of);

}  // namespace scattergate::advise
