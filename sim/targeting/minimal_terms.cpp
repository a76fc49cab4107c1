#include "sim/targeting/minimal_terms.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace scattergate::sim {
namespace {

constexpr std::size_t max_covers = 10'000;

/// Drops terms absorbed by a more general one: x | (x & y) is x.
void drop_absorbed(terms& all) {
  std::vector<std::size_t> order(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {},
                           [&all](std::size_t each) { return count(all[each].mask); });
  std::set<std::size_t> kept;
  for (const std::size_t each : order) {
    const auto absorbs = [&](std::size_t other) {
      return (all[other].mask & all[each].mask) == all[other].mask &&
             (all[each].values & all[other].mask) == all[other].values;
    };
    if (std::ranges::none_of(kept, absorbs)) kept.insert(each);
  }
  terms out;
  for (const std::size_t each : kept) out.push_back(all[each]);
  all = std::move(out);
}

/// A term, and the indexes of the terms that it covers.
struct implicant {
  bits covered = 0;
  bool is_combined = false;
};

/// Terms by their number of true values.
using table = std::map<std::size_t, std::map<term, implicant>>;

table combined(table& from) {
  table out;
  for (auto& [ones, row] : from) {
    const auto next = from.find(ones + 1);
    if (next == from.end()) continue;
    for (auto& [l, left] : row) {
      for (auto& [r, right] : next->second) {
        const bits different = l.values ^ r.values;
        if (l.mask != r.mask || count(different) != 1) continue;
        left.is_combined = right.is_combined = true;
        const term both{l.mask & ~different, l.values & r.values};
        out[count(both.values)].emplace(both, implicant{left.covered | right.covered});
      }
    }
  }
  return out;
}

/// The terms that can't be combined further, with what they cover: (x & y) | (x & !y) is x (the
/// algorithm of Quine and McCluskey).
std::vector<std::pair<term, bits>> prime_terms(const terms& all) {
  table current;
  for (std::size_t i = 0; i < all.size(); ++i) {
    current[count(all[i].values)].emplace(all[i], implicant{bits{1} << i});
  }
  std::vector<std::pair<term, bits>> out;
  std::set<term> seen;
  while (!current.empty()) {
    table next = combined(current);
    for (const auto& [ones, row] : current) {
      for (const auto& [each, what] : row) {
        if (!what.is_combined && seen.insert(each).second) out.emplace_back(each, what.covered);
      }
    }
    current = std::move(next);
  }
  return out;
}

using cover = std::set<std::size_t>;

/// Adds a cover unless it contains another one; drops those that contain it.
void add_cover(std::vector<cover>& all, cover added) {
  const auto holds = [](const cover& whole, const cover& part) {
    return std::ranges::includes(whole, part);
  };
  if (std::ranges::any_of(all, [&](const cover& each) { return holds(added, each); })) return;
  std::erase_if(all, [&](const cover& each) { return holds(each, added); });
  all.push_back(std::move(added));
}

/// The ways to cover all terms with prime ones (Petrick's method); std::nullopt if there are
/// too many, or if the essential ones cover everything.
std::vector<cover> covers_of(const std::vector<std::pair<term, bits>>& primes,
                             std::size_t terms_count) {
  std::vector<cover> choices(terms_count);
  for (std::size_t i = 0; i < primes.size(); ++i) {
    for (std::size_t j = 0; j < terms_count; ++j) {
      if (has(primes[i].second, j)) choices[j].insert(i);
    }
  }
  cover essential;
  for (const cover& each : choices) {
    if (each.size() == 1) essential.insert(*each.begin());
  }
  std::erase_if(choices, [&](const cover& each) {
    return std::ranges::any_of(each, [&](std::size_t i) { return essential.contains(i); });
  });
  if (choices.empty()) return {};
  std::vector<cover> out{essential};
  for (auto each = choices.rbegin(); each != choices.rend(); ++each) {
    std::vector<cover> next;
    for (const cover& so_far : out) {
      for (const std::size_t one : *each) {
        cover more = so_far;
        more.insert(one);
        add_cover(next, std::move(more));
      }
    }
    out = std::move(next);
    if (out.size() > max_covers) return {};
  }
  return out;
}

terms combined_terms(const terms& all) {
  const auto primes = prime_terms(all);
  const auto covers = covers_of(primes, all.size());
  terms out;
  if (covers.size() < 2) {
    for (const auto& [each, covered] : primes) out.push_back(each);
    return out;
  }
  const auto cost = [&primes](const cover& each) {
    std::size_t literals = each.size() * max_predicates;
    for (const std::size_t i : each) literals += count(primes[i].first.mask);
    return literals;
  };
  for (const std::size_t i : *std::ranges::min_element(covers, {}, cost)) {
    out.push_back(primes[i].first);
  }
  return out;
}

}  // namespace

terms minimal(terms all) {
  drop_absorbed(all);
  const bool has_negation =
      std::ranges::any_of(all, [](const term& each) { return each.mask != each.values; });
  return has_negation ? combined_terms(all) : all;
}

}  // namespace scattergate::sim
