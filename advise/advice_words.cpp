#include "advise/advice_words.hpp"

#include <algorithm>

#include "advise/conclusion.hpp"
#include "advise/figures.hpp"
#include "digest/number_text.hpp"
#include "routing/shape/shape.hpp"
#include "text/time_text.hpp"
#include "text/utf8.hpp"

namespace scattergate::advise {
namespace {

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
