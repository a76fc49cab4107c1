#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advise/advice.hpp"
#include "digest/number_text.hpp"

/// Formats advice as text, for both the terminal and HTML.

namespace scattergate::advise {

/// Appends advice as HTML: an explanation of the columns, then one section per collection.
/// Stops before the section that would make `html` longer than `max_bytes`, and appends how
/// many sections are missing. `heading`: the level of the sections' headings; 2 means <h2>.
void append_advice_html(std::string& html, const advice& of, std::size_t max_bytes,
                        int heading = 2);

/// Rounds and formats a weighted count: "1,234".
[[nodiscard]] inline std::string count_text(double value) {
  return digest::with_commas(static_cast<std::uint64_t>(std::llround(value)));
}

/// Formats a weighted count with a noun, given in the singular: "1 command", "1,234 commands".
[[nodiscard]] inline std::string things_text(double count, const std::string& one) {
  const std::string number = count_text(count);
  return number + " " + one + (number == "1" ? "" : "s");
}

/// Formats a number with two decimals: "1.39".
[[nodiscard]] inline std::string number_text(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", value);
  return text.data();
}

/// Formats a share from 0 to 1 as a percentage: "12.3 %"; "?" if it is unknown (empty).
[[nodiscard]] inline std::string share_text(const std::optional<double>& share) {
  constexpr double million = 1e6;
  if (!share) return "?";
  return digest::percent(static_cast<std::uint64_t>(std::llround(*share * million)),
                         static_cast<std::uint64_t>(million));
}

/// Formats `part` as a percentage of `whole`: "12.3 %"; "-" if `whole` is 0.
[[nodiscard]] inline std::string share_text(double part, double whole) {
  return whole == 0 ? "-" : share_text(part / whole);
}

/// Joins the first eight texts, separated by `between`. Appends "..." if there are more.
[[nodiscard]] inline std::string joined(const std::vector<std::string>& texts,
                                        std::string_view between) {
  constexpr std::size_t most = 8;
  std::string made;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i != 0) made += between;
    if (i == most) return made + "...";
    made += texts[i];
  }
  return made;
}

/// The recommendation for a collection, as sentences. Names the best safe key, with its main
/// gain and its losses against the present key. If another key ranks first, also names that
/// key, and the worst objection to it. If no key is safe, says so. If there is no candidate, or
/// no command can be judged, says why there is no recommendation.
[[nodiscard]] std::string conclusion_text(const collection_advice& of);

/// The criteria by which a key is clearly better than `present`, as text: "1.10 shards per
/// command instead of 1.39". Several are separated by semicolons. Empty: none.
[[nodiscard]] std::string gains_text(const candidate& one, const candidate& present);

/// The criteria by which a key is clearly worse than `present`, as text in the form of
/// gains_text(); then the number of commands that scatter with the key, but not today. Empty:
/// none.
[[nodiscard]] std::string losses_text(const candidate& one, const candidate& present);

/// The present key's candidate; null if the collection isn't sharded.
[[nodiscard]] const candidate* present_in(const collection_advice& of) noexcept;

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
