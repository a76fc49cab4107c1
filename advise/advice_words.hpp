#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advise/advice.hpp"

/// Formats advice as text, for both the terminal and HTML.
namespace scattergate::advise {

/// A collection's heading: its name, number of commands, times of the first and last command,
/// and present key.
[[nodiscard]] std::string head_text(const collection_advice& of);

/// An explanation of the less obvious columns in the table of candidates. `shards`: the assumed
/// number of shards.
[[nodiscard]] std::string legend_text(std::size_t shards);

/// "and 2 further keys"; empty for 0.
[[nodiscard]] std::string further_keys_text(std::size_t keys);

/// A column of the table of candidates.
struct column {
  std::string_view name;   ///< the column's heading
  bool is_number = false;  ///< the cells are numbers
};
/// The columns of the table of candidates, in display order.
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
/// A candidate's row of the table: one text for each of `columns`. `rank`: the candidate's
/// rank, from 1.
[[nodiscard]] std::array<std::string, columns.size()> row_of(std::size_t rank,
                                                             const candidate& of);

/// The candidates to list in the table, best first, as indexes into
/// collection_advice::candidates: the first eight, the best safe one, the present key and the
/// keys that the user named.
[[nodiscard]] std::vector<std::size_t> places_in_table(const collection_advice& of);

/// The candidates to describe in full, best first, as indexes into
/// collection_advice::candidates: the best, the best safe one, the present key and the keys
/// that the user named.
[[nodiscard]] std::vector<std::size_t> places_in_full(const collection_advice& of);

/// One fact about a candidate: the fact's name and text.
using fact = std::pair<std::string_view, std::string>;
/// All facts about the candidate `of`, in display order. Several facts may have the same name.
/// `present`: the present key's candidate; null if the collection isn't sharded.
[[nodiscard]] std::vector<fact> facts_of(const candidate& of, const candidate* present);

}  // namespace scattergate::advise
