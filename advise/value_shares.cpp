#include "advise/value_shares.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <unordered_map>

namespace scattergate::advise {
namespace {

/// One value of the key in a request that has a time.
struct sighting {
  std::int64_t minute = 0;  // since 1970; take_periods() replaces it by the period's index
  std::uint64_t value = 0;  // see mixed()
  double weight = 0;
};

/// A value of the key, and the number of requests that have it.
struct counted_value {
  double weight = 0;
  std::vector<std::uint32_t> numbers;  // for each field: the value's index in field_values
};
/// The number of requests in a minute.
struct minute_count {
  double requests = 0;  // including those that a sampled command represents
  double seen = 0;      // only the sampled ones

  void add(double weight, double statements) noexcept {
    requests += weight * statements;
    seen += statements;
  }
};
/// A minute, or several consecutive ones if each has too few requests.
struct period {
  minute_count of;
  double hottest = 0;  // the number of requests that have its most frequent value
};
using value_table = std::unordered_map<std::uint64_t, counted_value>;

/// Identifies a key's value by one number; `numbers` are the indexes of its fields' values.
/// Unique for one or two fields; for more, collisions are rare.
std::uint64_t mixed(std::span<const std::uint32_t> numbers) noexcept {
  if (numbers.size() == 1) return numbers[0];
  std::uint64_t made = numbers[0];
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (i > 1) made *= 0x9e3779b97f4a7c15ULL;
    made = (made << 32 | made >> 32) ^ numbers[i];
  }
  return made;
}

/// Counts the key's values in one part of the traffic.
class part_values {
 public:
  part_values(const key_points& points, std::optional<std::size_t> growing_place,
              double least_of_period)
      : points_(points), growing_place_(growing_place), least_of_period_(least_of_period) {}

  void add(const weighted_command& one) {
    if (one.is_made_up) return;
    requests_ += one.weight * one.statements;
    const std::int64_t minute = minute_of(one);
    if (one.at) in_minute_[minute].add(one.weight, one.statements);
    if (one.is_insert) add_documents(one, minute);
    points_.for_each(one, points_.size(), [&](std::span<const std::uint32_t> numbers) {
      const std::uint64_t value = mixed(numbers);
      note(value, numbers, one.weight, all_);
      if (one.is_insert) note(value, numbers, one.weight, documents_);
      pinned_ += one.weight;
      if (one.at) sightings_.push_back({minute, value, one.weight});
    });
  }

  [[nodiscard]] key_values finish() {
    key_values made;
    made.requests = requests_;
    made.pinned = pinned_;
    made.distinct = static_cast<double>(all_.size());
    made.least_distinct = made.distinct;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const auto of_field = static_cast<double>(points_.field(i).encoded.size());
      made.least_distinct = std::max(made.least_distinct, of_field);
    }
    made.distinct_documents = static_cast<double>(documents_.size());
    for (const auto& [value, of] : documents_) made.documents += of.weight;
    made.common = commonest(all_);
    made.common_documents = commonest(documents_);
    made.per_minute = hottest_in_minutes();
    return made;
  }

 private:
  static std::int64_t minute_of(const weighted_command& one) {
    if (!one.at) return 0;
    return std::chrono::floor<std::chrono::minutes>(*one.at).time_since_epoch().count();
  }

  /// New documents that are equal in the fields before a growing field count as one value,
  /// because they all go to the same chunk: the last with these fields.
  void add_documents(const weighted_command& one, std::int64_t minute) {
    if (!growing_place_ || !one.at) return;
    if (*growing_place_ == 0) {
      at_ends_.push_back({minute, 0, one.weight * one.statements});
      return;
    }
    points_.for_each(one, *growing_place_, [&](std::span<const std::uint32_t> numbers) {
      at_ends_.push_back({minute, mixed(numbers), one.weight});
    });
  }

  static void note(std::uint64_t value, std::span<const std::uint32_t> numbers, double weight,
                   value_table& in) {
    counted_value& of = in[value];
    if (of.numbers.empty()) of.numbers.assign(numbers.begin(), numbers.end());
    of.weight += weight;
  }

  [[nodiscard]] std::vector<common_value> commonest(const value_table& of) const {
    std::vector<const counted_value*> ranked;
    ranked.reserve(of.size());
    for (const auto& [value, one] : of) ranked.push_back(&one);
    const std::size_t most = std::min(most_common_values, ranked.size());
    std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(most),
                      ranked.end(), [](const counted_value* a, const counted_value* b) {
                        return a->weight != b->weight ? a->weight > b->weight
                                                      : a->numbers < b->numbers;
                      });
    std::vector<common_value> made;
    for (std::size_t n = 0; n < most; ++n) {
      common_value one{{}, ranked[n]->weight};
      for (std::size_t i = 0; i < points_.size(); ++i) {
        one.types.push_back(points_.field(i).types[ranked[n]->numbers[i]]);
      }
      made.push_back(std::move(one));
    }
    return made;
  }

  /// Divides the time into periods with enough requests each, and replaces the sightings'
  /// minutes by the periods' indexes. The remainder after the last complete period has an index
  /// beyond the result, and is ignored.
  [[nodiscard]] std::vector<period> take_periods() {
    std::vector<std::int64_t> minutes;
    for (const auto& [minute, of] : in_minute_) minutes.push_back(minute);
    std::ranges::sort(minutes);
    std::vector<period> made;
    std::unordered_map<std::int64_t, std::int64_t> period_of;
    for (const std::int64_t minute : minutes) {
      if (made.empty() || made.back().of.seen >= least_of_period_) made.emplace_back();
      const minute_count& of = in_minute_.at(minute);
      made.back().of.requests += of.requests;
      made.back().of.seen += of.seen;
      period_of[minute] = static_cast<std::int64_t>(made.size()) - 1;
    }
    if (!made.empty() && made.back().of.seen < least_of_period_) made.pop_back();
    for (auto* const all : {&sightings_, &at_ends_}) {
      for (sighting& each : *all) each.minute = period_of.at(each.minute);
    }
    return made;
  }

  /// Raises `hottest` of each period to the count of its most frequent value in `all`.
  static void add_hottest(std::vector<sighting>& all, std::vector<period>& to) {
    std::ranges::sort(all, {}, [](const sighting& one) {
      return std::pair{one.minute, one.value};
    });
    for (std::size_t at = 0; at < all.size();) {
      const sighting first = all[at];
      const auto place = static_cast<std::size_t>(first.minute);
      if (place >= to.size()) return;
      double weight = 0;
      for (; at < all.size() && all[at].minute == first.minute && all[at].value == first.value;
           ++at) {
        weight += all[at].weight;
      }
      to[place].hottest = std::max(to[place].hottest, weight);
    }
  }

  /// Computes key_values::per_minute: the mean over all periods, weighted by their requests.
  [[nodiscard]] std::optional<double> hottest_in_minutes() {
    std::vector<period> periods = take_periods();
    // Without any observed value, nothing shows that the key is evenly distributed.
    if (periods.empty() || sightings_.empty()) return std::nullopt;
    add_hottest(sightings_, periods);
    add_hottest(at_ends_, periods);
    double all = 0;
    double hot = 0;
    for (const period& each : periods) {
      all += each.of.requests;
      hot += std::min(each.of.requests, each.hottest);
    }
    return hot / all;
  }

  const key_points& points_;
  std::optional<std::size_t> growing_place_;
  double least_of_period_;
  double requests_ = 0;
  double pinned_ = 0;
  value_table all_;
  value_table documents_;
  std::vector<sighting> sightings_;
  std::vector<sighting> at_ends_;  // new documents, by the values in front of a growing field
  std::unordered_map<std::int64_t, minute_count> in_minute_;
};

}  // namespace

void count_values(const evaluation_input& input, const key_points& points, evaluation& to) {
  const auto grows = input.sent.growing_place(points.key());
  const double least_of_period = least_per_shard * static_cast<double>(input.shards);
  part_values all{points, grows, least_of_period};
  part_values earlier{points, grows, least_of_period};
  part_values held_out{points, grows, least_of_period};
  for (const weighted_command& each : input.sent.commands()) {
    const bool is_late = input.window && each.at && input.window->is_held_out(*each.at);
    if (to.held_out) (is_late ? held_out : earlier).add(each);
    all.add(each);
  }
  to.all.values = all.finish();
  to.earlier.values = to.held_out ? earlier.finish() : to.all.values;
  if (to.held_out) to.held_out->values = held_out.finish();
}

}  // namespace scattergate::advise
