#include "advise/conclusion.hpp"

#include <algorithm>

#include "advise/figures.hpp"

namespace scattergate::advise {
namespace {

std::string cost_text(const candidate& of) {
  return number_text(of.all.per_command()) + " shards per command";
}

/// The criteria by which `one` is clearly better than the present key (`is_better`) or clearly
/// worse, most important first.
std::vector<std::string> differences(const candidate& one, const candidate& present,
                                     bool is_better) {
  const merit& better = (is_better ? one : present).worth;
  const merit& worse = (is_better ? present : one).worth;
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

}  // namespace

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

}  // namespace scattergate::advise
