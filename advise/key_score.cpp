#include "advise/key_score.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace scattergate::advise {
namespace {

/// Shard requests per command clearly differ if they differ by more than this part.
constexpr double least_part = 0.01;
/// The shares of the most frequent values clearly differ if they differ by more than this part
/// of a shard's share (1 / shards).
constexpr double least_of_shard = 0.2;

bool asks_clearly_more(const key_score& one, const key_score& than) {
  return one.per_command - than.per_command > least_part * than.per_command;
}

/// The share of a minute's most frequent value. If it is unknown for this key, but known for
/// others: 1, the worst case, because nothing shows that this key is evenly distributed.
double minute_share(const key_score& of, bool is_known_of_others) {
  return of.per_minute.value_or(is_known_of_others ? 1 : 0);
}

bool is_clearly_hotter(double share, double than, const key_score& of) {
  return share - than > least_of_shard / static_cast<double>(of.shards);
}

int sign(bool is_worse, bool is_other_worse) {
  return static_cast<int>(is_worse) - static_cast<int>(is_other_worse);
}

int compare_but_fields(const key_score& one, const key_score& other) {
  if (const int by = sign(one.forbids_unique, other.forbids_unique)) return by;
  if (const int by = sign(one.is_hot(), other.is_hot())) return by;
  if (const int by = sign(asks_clearly_more(one, other), asks_clearly_more(other, one))) {
    return by;
  }
  const bool is_known = one.per_minute || other.per_minute;
  const double mine = minute_share(one, is_known);
  const double its = minute_share(other, is_known);
  return sign(is_clearly_hotter(mine, its, one), is_clearly_hotter(its, mine, one));
}

/// Finds the best of several keys by elimination; see best_first().
class selection {
 public:
  selection(std::span<const key_score> keys, std::vector<std::size_t> places)
      : keys_(keys), places_(std::move(places)) {
    is_minute_known_ = std::ranges::any_of(
        keys, [](const key_score& one) { return one.per_minute.has_value(); });
  }

  std::size_t best(std::optional<std::size_t> preferred) {
    keep_least([](const key_score& of) { return of.forbids_unique; });
    keep_least([](const key_score& of) { return of.is_hot(); });
    const key_score& cheapest = least([](const key_score& of) { return of.per_command; });
    drop([&](const key_score& of) { return asks_clearly_more(of, cheapest); });
    const auto in_minute = [this](const key_score& of) {
      return minute_share(of, is_minute_known_);
    };
    const double coolest = in_minute(least(in_minute));
    drop([&](const key_score& of) { return is_clearly_hotter(in_minute(of), coolest, of); });
    keep_least([](const key_score& of) { return of.fields; });
    if (preferred && std::ranges::count(places_, *preferred) != 0) return *preferred;
    return *std::ranges::min_element(places_, {}, [&](std::size_t place) {
      const key_score& of = keys_[place];
      return std::tuple{of.per_command, in_minute(of), place};
    });
  }

 private:
  template <typename Measure>
  const key_score& least(Measure measure) const {
    return keys_[*std::ranges::min_element(
        places_, {}, [&](std::size_t place) { return measure(keys_[place]); })];
  }
  template <typename IsWorse>
  void drop(IsWorse is_worse) {
    std::erase_if(places_, [&](std::size_t place) { return is_worse(keys_[place]); });
  }
  template <typename Measure>
  void keep_least(Measure measure) {
    const auto smallest = measure(least(measure));
    drop([&](const key_score& of) { return measure(of) > smallest; });
  }

  std::span<const key_score> keys_;
  std::vector<std::size_t> places_;
  bool is_minute_known_ = false;
};

}  // namespace

void class_counts::add(routing::routing_class routing, double times) noexcept {
  switch (routing) {
    case routing::routing_class::not_routed:
    case routing::routing_class::unsharded:
    case routing::routing_class::single_shard:
      single_shard += times;
      break;
    case routing::routing_class::multi_shard:
      multi_shard += times;
      break;
    case routing::routing_class::unknown:
    case routing::routing_class::scatter_gather:
      scatter_gather += times;
      break;
  }
}

void distribution::add(const distribution& other) {
  for (std::size_t i = 0; i < by_command.size(); ++i) by_command[i] += other.by_command[i];
  classes.single_shard += other.classes.single_shard;
  classes.multi_shard += other.classes.multi_shard;
  classes.scatter_gather += other.classes.scatter_gather;
  if (by_range.size() < other.by_range.size()) by_range.resize(other.by_range.size());
  for (std::size_t i = 0; i < other.by_range.size(); ++i) by_range[i] += other.by_range[i];
  key_updates += other.key_updates;
  single_without_key += other.single_without_key;
  multi_without_key += other.multi_without_key;
}

std::optional<double> key_values::hottest() const noexcept {
  if (requests == 0 || common.empty()) return std::nullopt;
  return common.front().frequency / requests;
}

bool key_score::is_hot_in_minutes() const noexcept {
  return per_minute && *per_minute * static_cast<double>(shards) > 1;
}

bool key_score::is_hot() const noexcept {
  return has_few_values || (hottest && *hottest * static_cast<double>(shards) > 1) ||
         is_hot_in_minutes();
}

bool key_score::is_hotter(const key_score& other) const noexcept {
  return hottest && other.hottest && is_clearly_hotter(*hottest, *other.hottest, *this);
}

bool key_score::is_hotter_in_minutes(const key_score& other) const noexcept {
  return per_minute && other.per_minute &&
         is_clearly_hotter(*per_minute, *other.per_minute, *this);
}

bool key_score::asks_more(const key_score& other) const {
  return asks_clearly_more(*this, other);
}

int key_score::compare(const key_score& other) const {
  if (const int by = compare_but_fields(*this, other)) return by;
  return sign(fields > other.fields, fields < other.fields);
}

bool key_score::beats(const key_score& other) const {
  return compare_but_fields(*this, other) < 0;
}

key_score key_score_of(const measures& of, bool forbids_unique, std::size_t fields,
                       std::size_t shards) {
  const double values = of.values.least_distinct;
  return {.forbids_unique = forbids_unique,
          .has_few_values = values > 0 && values < static_cast<double>(shards),
          .hottest = of.values.hottest(),
          .per_command = of.per_command(),
          .per_minute = of.values.per_minute,
          .fields = fields,
          .shards = shards};
}

std::vector<std::size_t> best_first(std::span<const key_score> keys,
                                    std::optional<std::size_t> preferred) {
  std::vector<std::size_t> rest(keys.size());
  std::iota(rest.begin(), rest.end(), std::size_t{0});
  std::vector<std::size_t> made;
  while (!rest.empty()) {
    made.push_back(selection{keys, rest}.best(preferred));
    std::erase(rest, made.back());
  }
  return made;
}

}  // namespace scattergate::advise
