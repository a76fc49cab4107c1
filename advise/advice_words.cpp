#include "advise/advice_words.hpp"

#include <algorithm>

#include "digest/number_text.hpp"
#include "routing/shape/shape.hpp"
#include "text/html_blocks.hpp"
#include "text/time_text.hpp"
#include "text/utf8.hpp"

namespace scattergate::advise {
namespace {

constexpr std::size_t most_of_text = 2'000;

std::string cut(std::string_view text) {
  return text::cut_with_dots(text, most_of_text);
}

void append_table(std::string& html, const collection_advice& of) {
  std::array<text::html_column, columns.size()> heads;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    heads[i] = {.name = columns[i].name, .is_number = columns[i].is_number};
  }
  text::append_table_begin(html, heads, "keys of " + cut(of.name_space));
  const auto places = places_in_table(of);
  for (const std::size_t place : places) {
    const auto cells = row_of(place + 1, of.candidates[place]);
    html += "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      columns[i].is_number ? text::append_number_cell(html, cells[i])
                           : text::append_cell(html, cut(cells[i]));
    }
    html += "</tr>\n";
  }
  text::append_table_end(html);
  if (const auto further = further_keys_text(of.candidates.size() - places.size());
      !further.empty()) {
    html += "<p>" + further + ".</p>\n";
  }
}

void append_heading(std::string& html, int level, std::string_view text) {
  const std::string name = "h" + std::to_string(level);
  html += "<" + name + ">" + text::html_text(cut(text)) + "</" + name + ">\n";
}

void append_candidate(std::string& html, std::size_t rank, const candidate& of,
                      const candidate* present, int heading) {
  append_heading(html, heading, std::to_string(rank) + ". " + key_text(of.key));
  html += "<dl>";
  std::vector<std::string> next;
  for (const auto& [name, text] : facts_of(of, present)) {
    if (name == "next") {
      next.push_back(cut(text));
    } else {
      text::append_fact(html, name, cut(text));
    }
  }
  html += "</dl>\n";
  for (const std::string& command : next) text::append_code(html, command);
  html += "\n";
}

void append_collection(std::string& html, const collection_advice& of, int heading) {
  append_heading(html, heading, head_text(of));
  html += "<p><strong>" + text::html_text(cut(conclusion_text(of))) + "</strong></p>\n";
  if (!of.unknown.empty()) {
    html += "<p>Not known, so no key is called safe:</p>\n<ul>";
    for (const std::string& one : of.unknown) {
      html += "<li>" + text::html_text(cut(one)) + "</li>";
    }
    html += "</ul>\n";
  }
  if (of.candidates.empty()) return;
  append_table(html, of);
  for (const std::size_t place : places_in_full(of)) {
    append_candidate(html, place + 1, of.candidates[place], present_in(of), heading + 1);
  }
}

std::string cost_text(const candidate& of) {
  return number_text(of.all.per_command()) + " shards per command";
}

/// The criteria by which `one` is clearly better than the present key (`is_better`) or clearly
/// worse, most important first.
std::vector<std::string> differences(const candidate& one, const candidate& present,
                                     bool is_better) {
  const key_score& better = (is_better ? one : present).worth;
  const key_score& worse = (is_better ? present : one).worth;
  const key_values& values = one.all.values;
  const key_values& now = present.all.values;
  std::vector<std::string> made;
  const auto add = [&](bool is_so, const std::string& text) {
    if (is_so) made.push_back(text);
  };
  const auto add_shares = [&](bool is_so, const std::optional<double>& share,
                              const std::optional<double>& share_now, const char* of_what) {
    add(is_so, share_text(share) + " of " + of_what + " for its most common value instead of " +
                   share_text(share_now));
  };
  add(worse.forbids_unique && !better.forbids_unique,
      is_better ? "no forbidden unique index" : "a forbidden unique index");
  add(worse.has_few_values && !better.has_few_values, count_text(values.least_distinct) +
                                                          " values instead of " +
                                                          count_text(now.least_distinct));
  add_shares(worse.is_hotter(better), values.hottest(), now.hottest(), "the requests");
  add(worse.asks_more(better),
      cost_text(one) + " instead of " + number_text(present.all.per_command()));
  add_shares(worse.is_hotter_in_minutes(better), values.per_minute, now.per_minute,
             "a minute's requests");
  return made;
}

/// The most important gain over the present key, in parentheses; empty if there is none.
std::string main_gain(const candidate& one, const candidate& present) {
  const auto gains = differences(one, present, true);
  return gains.empty() ? std::string{} : " (" + gains.front() + ")";
}

/// Whether the key that ranks first is hot, and every key that isn't hot forbids a unique
/// index.
bool is_first_for_lack_of_others(const collection_advice& of) {
  const auto is_useful = [](const candidate& one) { return !one.worth.is_hot(); };
  return !of.candidates.front().worth.forbids_unique && !is_useful(of.candidates.front()) &&
         std::ranges::any_of(of.candidates, is_useful);
}

/// "KEY ranks first (...)": for a key that ranks first, but isn't safe.
std::string first_text(const collection_advice& of) {
  const candidate& first = of.candidates.front();
  const candidate* const present = present_in(of);
  std::string made = key_text(first.key);
  if (first.from == key_origin::present) made += ", the present key,";
  made += " ranks first";
  if (present == nullptr) {
    made += " (" + cost_text(first) + ")";
  } else if (first.from != key_origin::present) {
    made += main_gain(first, *present);
  }
  if (is_first_for_lack_of_others(of)) {
    made += " only because each better key forbids a unique index";
  }
  return made;
}

std::string safe_text(const collection_advice& of, const candidate& safe) {
  const candidate& first = of.candidates.front();
  const candidate* const present = present_in(of);
  const std::string name = key_text(safe.key);
  const bool is_first = &safe == &first;
  std::string made;
  if (safe.from == key_origin::present) {
    made = "Keep " + name + ": it is safe, and no safe key is better.";
  } else if (present == nullptr) {
    made = "Choose " + name + ": it is " + (is_first ? "the best key, and safe (" : "safe (") +
           cost_text(safe) + ").";
  } else {
    made = "Choose " + name + ": it is safe, and better than the present key" +
           main_gain(safe, *present) + ".";
    const std::string losses = losses_text(safe, *present);
    if (!losses.empty()) made += " Its price: " + losses + ".";
  }
  if (is_first) return made;
  return made + " " + first_text(of) + ", but " + first.not_safe.front().text + ".";
}

constexpr std::size_t most_in_table = 8;
constexpr std::size_t most_shapes = 5;
constexpr std::size_t most_of_shape = 160;

std::string change_text(const shape_change& one) {
  return count_text(one.commands) + " x " + one.command + " " +
         routing::shape_hash_text(one.shape_hash) + ": " + number_text(one.asked_before) +
         " -> " + number_text(one.asked_after) + " shards  " +
         text::cut_with_dots(one.shape, most_of_shape);
}

void add_changes(std::string_view name, const shape_changes& of, std::vector<fact>& to) {
  const std::size_t listed = std::min(most_shapes, of.listed.size());
  for (std::size_t i = 0; i < listed; ++i) to.emplace_back(name, change_text(of.listed[i]));
  if (listed < of.all) {
    to.emplace_back(name, "and " + digest::with_commas(of.all - listed) + " further shapes");
  }
}

std::string classes_text(const class_counts& of) {
  const double all = of.all();
  if (all == 0) return {};
  return count_text(all) + ": " + share_text(of.single_shard, all) + " ask one shard, " +
         share_text(of.multi_shard, all) + " several, " + share_text(of.scatter_gather, all) +
         " all";
}

std::string changes_text(const candidate& of) {
  const distribution& writes = of.all.write_distribution;
  const double all = writes.classes.all();
  if (all == 0) return {};
  return "of " + count_text(all) + " updates and deletes, " +
         share_text(writes.key_updates, all) + " may change the key's value, " +
         share_text(writes.single_without_key + writes.multi_without_key, all) +
         " don't pin the whole key";
}

std::string values_text(const candidate& of) {
  const key_values& values = of.all.values;
  if (values.requests == 0) return {};
  const bool has_documents = values.documents > 0;
  std::string made =
      things_text(has_documents ? values.distinct_documents : values.distinct, "value") +
      " in " +
      things_text(has_documents ? values.documents : values.pinned,
                  has_documents ? "new document" : "request");
  if (of.is_monotonic) made += ", which grow or shrink with the time";
  return made + "; risk of jumbo chunks: " + std::string{label(of.jumbo)};
}

std::string held_out_text(const candidate& of) {
  if (!of.held_out) return {};
  std::string made = number_text(of.held_out->per_command()) + " shards per command, hottest " +
                     share_text(of.held_out->values.hottest()) + ", in a minute " +
                     share_text(of.held_out->values.per_minute) + ", of " +
                     count_text(of.held_out->commands) + " commands";
  if (of.beats_present_held_out) {
    made += *of.beats_present_held_out ? "; better than the present key"
                                       : "; not better than the present key";
  }
  return made;
}

}  // namespace

void append_advice_html(std::string& html, const advice& of, std::size_t max_bytes,
                        int heading) {
  if (!of.collections.empty()) {
    html += "<p class=\"dim\">" + text::html_text(legend_text(of.shards)) + "</p>\n";
  }
  std::size_t shown = 0;
  for (const collection_advice& one : of.collections) {
    std::string made;
    append_collection(made, one, heading);
    if (html.size() + made.size() > max_bytes) break;
    html += made;
    ++shown;
  }
  if (shown < of.collections.size()) {
    html += "<p>and " + digest::with_commas(of.collections.size() - shown) +
            " further collections.</p>\n";
  }
}

const candidate* present_in(const collection_advice& of) noexcept {
  const auto found = std::ranges::find(of.candidates, key_origin::present, &candidate::from);
  return found == of.candidates.end() ? nullptr : &*found;
}

std::string gains_text(const candidate& one, const candidate& present) {
  return joined(differences(one, present, true), "; ");
}

std::string losses_text(const candidate& one, const candidate& present) {
  auto made = differences(one, present, false);
  if (one.new_scatters > 0) {
    made.push_back(count_text(one.new_scatters) + " more commands scatter to all shards");
  }
  return joined(made, "; ");
}

std::string conclusion_text(const collection_advice& of) {
  if (of.candidates.empty()) return "No filter pins a field by equality, and no key was given.";
  const candidate& first = of.candidates.front();
  if (first.all.commands == 0)
    return "No command on it can be judged, so no key can be ranked.";
  const auto safe = std::ranges::find(of.candidates, true, &candidate::is_safe);
  if (safe != of.candidates.end()) return safe_text(of, *safe);
  if (first.not_safe.empty()) return first_text(of) + ".";
  return std::string{"No key is safe"} +
         (present_in(of) != nullptr ? ": " : ". If the collection must be sharded, ") +
         first_text(of) + ", but " + first.not_safe.front().text + ".";
}

std::string head_text(const collection_advice& of) {
  std::string made = of.name_space + "  " + count_text(of.commands) + " commands";
  if (of.from && of.to) {
    made += ", " + text::time_text(*of.from) + " to " + text::time_text(*of.to);
  }
  return made + (of.present ? ", keyed by " + key_text(*of.present) : ", not sharded");
}

std::string legend_text(std::size_t shards) {
  return "hottest: the share of requests for the key's most common value; in a minute: the "
         "same within a minute; above " +
         share_text(1, static_cast<double>(shards)) +
         " is hot; safe: yes, or the main objection; ?: unknown";
}

std::string further_keys_text(std::size_t keys) {
  if (keys == 0) return {};
  return "and " + digest::with_commas(keys) + (keys == 1 ? " further key" : " further keys");
}

std::array<std::string, columns.size()> row_of(std::size_t rank, const candidate& of) {
  const double all = of.all.commands;
  const auto both = [&](double class_counts::*which) {
    return share_text(of.all.reads.*which + of.all.writes.*which, all);
  };
  return {std::to_string(rank),
          all == 0 ? "-" : number_text(of.all.per_command()),
          both(&class_counts::single_shard),
          both(&class_counts::multi_shard),
          both(&class_counts::scatter_gather),
          share_text(of.all.values.hottest()),
          share_text(of.all.values.per_minute),
          std::string{of.not_safe.empty() ? "yes" : of.not_safe.front().label},
          std::string{label(of.from)},
          key_text(of.key)};
}

std::vector<std::size_t> places_in_table(const collection_advice& of) {
  const auto safe = std::ranges::find(of.candidates, true, &candidate::is_safe);
  const auto best_safe = static_cast<std::size_t>(safe - of.candidates.begin());
  std::vector<std::size_t> made;
  for (std::size_t i = 0; i < of.candidates.size(); ++i) {
    const bool is_asked = of.candidates[i].from != key_origin::proposed;
    if (i < most_in_table || is_asked || i == best_safe) made.push_back(i);
  }
  return made;
}

std::vector<std::size_t> places_in_full(const collection_advice& of) {
  std::vector<std::size_t> made;
  bool has_safe = false;
  for (std::size_t i = 0; i < of.candidates.size(); ++i) {
    const bool is_asked = of.candidates[i].from != key_origin::proposed;
    const bool is_best_safe = of.candidates[i].is_safe && !has_safe;
    has_safe |= is_best_safe;
    if (i == 0 || is_asked || is_best_safe) made.push_back(i);
  }
  return made;
}

std::vector<fact> facts_of(const candidate& of, const candidate* present) {
  std::vector<fact> made;
  const auto add = [&](std::string_view name, std::string text) {
    if (!text.empty()) made.emplace_back(name, std::move(text));
  };
  if (of.is_safe) add("safe", "in every respect considered here");
  for (const objection& why : of.not_safe) add("not safe", why.text);
  if (of.forbidden.size() > 1) add("forbids", joined(of.forbidden, ", "));
  if (present != nullptr && of.from != key_origin::present) {
    add("gain", gains_text(of, *present));
    add("price", losses_text(of, *present));
  }
  add("values", values_text(of));
  add("reads", classes_text(of.all.reads));
  add("writes", classes_text(of.all.writes));
  add("changes", changes_text(of));
  add("last fifth", held_out_text(of));
  if (of.all.refused > 0) add("refused", count_text(of.all.refused) + " commands, by mongos");
  add_changes("better", of.better, made);
  add_changes("worse", of.worse, made);
  add("co-location", joined(of.colocated, ", "));
  for (const std::string& each : of.next) add("next", each);
  return made;
}

}  // namespace scattergate::advise
