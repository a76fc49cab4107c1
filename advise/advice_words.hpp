#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advise/advice.hpp"

/// Advice as text, shared by the terminal and HTML output.
namespace scattergate::advise {

/// A collection's name, number of commands, window and present key.
[[nodiscard]] std::string head_text(const collection_advice& of);

/// Which key to choose, in a sentence or two.
[[nodiscard]] std::string conclusion_text(const collection_advice& of);

/// "and 2 further keys"; empty without any.
[[nodiscard]] std::string further_keys_text(std::size_t keys);

/// A column of the table of candidates.
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

/// The places of the candidates in the table, best first: the first few, the present key and
/// the named ones.
[[nodiscard]] std::vector<std::size_t> places_in_table(const collection_advice& of);

/// The places of the candidates that are described in full, best first: the best, the best safe
/// one, the present key and the named ones.
[[nodiscard]] std::vector<std::size_t> places_in_full(const collection_advice& of);

/// The facts about a candidate, by name. A name may occur several times.
using fact = std::pair<std::string_view, std::string>;
[[nodiscard]] std::vector<fact> facts_of(const candidate& of);

}  // namespace scattergate::advise
