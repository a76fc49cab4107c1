#include "telemetry/history/history.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "wire/label_table.hpp"

namespace scattergate::telemetry {
namespace {

static_assert((history::most_collections + 1) * (sizeof(history::series) + 1024) <
                  history::max_bytes,
              "names included, which are shorter than that together");

template <std::size_t Size>
void add_steps(std::array<history::step, Size>& to,
               const std::array<history::step, Size>& from) noexcept {
  for (std::size_t i = 0; i < Size; ++i) {
    for (std::size_t kind = 0; kind < command_counts::kinds; ++kind) {
      add_to_step(to[i][kind], from[i][kind]);
    }
  }
}

std::uint64_t minute_of(history::wall_time at) noexcept {
  const auto since =
      std::chrono::duration_cast<std::chrono::minutes>(at.time_since_epoch()).count();
  return static_cast<std::uint64_t>(std::max<std::int64_t>(since, 1));
}

void advance_series(history::series& of, std::uint64_t from, std::uint64_t to) noexcept {
  clear_steps(of.by_minute, from, to);
  clear_steps(of.by_ten, from / minutes_of_ten, to / minutes_of_ten);
}

double commands_in(const history::series& of) noexcept {
  double sum = 0;
  for (const history::step& each : of.by_ten) {
    for (std::size_t kind = 0; kind < routing::routing_class_count; ++kind) sum += each[kind];
    sum += each[command_counts::accepted];
    sum += each[command_counts::get_more];
  }
  return sum;
}

}  // namespace

std::string_view name_of(std::size_t kind) noexcept {
  constexpr std::size_t classes = routing::routing_class_count;
  static constexpr wire::label_table<command_counts::kind, classes> labels{{
      {command_counts::findings, "findings"},
      {command_counts::accepted, "accepted"},
      {command_counts::get_more, "getMore"},
      {command_counts::errors, "errors"},
      {command_counts::wasted, "wastedShardRequests"},
      {command_counts::fanout_known, "fanoutKnown"},
      {command_counts::refused, "refused"},
      {command_counts::scattering, "scattering"},
  }};
  return kind < classes ? label(static_cast<routing::routing_class>(kind))
                        : labels[static_cast<command_counts::kind>(kind)];
}

void history::series::add(const command_counts& counts, std::uint64_t minute) noexcept {
  step& in_minute = by_minute[minute % minute_steps];
  step& in_ten = by_ten[minute / minutes_of_ten % ten_minute_steps];
  for (std::size_t kind = 0; kind < command_counts::kinds; ++kind) {
    add_to_step(in_minute[kind], counts.of[kind]);
    add_to_step(in_ten[kind], counts.of[kind]);
  }
}

void history::series::add(const series& other) noexcept {
  add_steps(by_minute, other.by_minute);
  add_steps(by_ten, other.by_ten);
}

history::history() : others_(std::make_unique<series>()) {}

double history::decay_of_busy(std::chrono::seconds after) noexcept {
  constexpr double day = 24.0 * 60 * 60;
  return std::exp(-std::max(0.0, static_cast<double>(after.count())) / day);
}

void history::advance(wall_time now) {
  const std::uint64_t minute = minute_of(now);
  if (minute + ten_minute_steps * minutes_of_ten < minute_) forget();
  if (minute > minute_) advance_to(minute);
  if (last_ == wall_time{}) last_ = now;
  if (now > last_) {
    const auto passed = std::chrono::duration_cast<std::chrono::seconds>(now - last_);
    for (collection& each : collections_) each.busy *= decay_of_busy(passed);
    last_ += passed;  // keeps the fraction of a second
  }
}

/// Clears everything, because the clock was set back by more than a day: the stored steps are
/// in the future and would never expire.
void history::forget() {
  collections_.clear();
  *others_ = {};
  minute_ = 0;
  last_ = {};
}

void history::advance_to(std::uint64_t minute) {
  for (collection& each : collections_) advance_series(*each.steps, minute_, minute);
  advance_series(*others_, minute_, minute);
  minute_ = minute;
}

void history::add(const history_sample& sample) {
  if (sample.counts == command_counts{}) return;
  collection* const in = place_for(sample);
  if (in == nullptr) return add_others(sample.counts);
  in->busy += static_cast<double>(sample.counts.commands());
  in->steps->add(sample.counts, minute_);
}

history::collection* history::find(std::string_view database, std::string_view name) noexcept {
  const auto found = std::ranges::find_if(collections_, [&](const collection& each) {
    return each.database == database && each.name == name;
  });
  return found == collections_.end() ? nullptr : &*found;
}

history::collection* history::place_for(const history_sample& sample) {
  if (collection* const known = find(sample.database, sample.collection)) return known;
  std::string database{sample.database};
  std::string name{sample.collection};
  if (collections_.size() < most_collections) {
    return &collections_.emplace_back(
        collection{std::move(database), std::move(name), 0, std::make_unique<series>()});
  }
  collection& least = *std::ranges::min_element(collections_, {}, &collection::busy);
  if (sample.busy <= least.busy) return nullptr;
  others_->add(*least.steps);
  *least.steps = {};
  least.database = std::move(database);
  least.name = std::move(name);
  least.busy = sample.busy - static_cast<double>(sample.counts.commands());
  return &least;
}

std::vector<const history::collection*> history::ranked() const {
  std::vector<const collection*> all;
  all.reserve(collections_.size());
  for (const collection& each : collections_) all.push_back(&each);
  std::ranges::stable_sort(all, std::greater{}, &collection::busy);
  return all;
}

void history::add(const history& other, wall_time now) {
  if (other.minute_ > minute_of(now) + minutes_of_ten) return;
  const auto theirs = other.ranked();
  std::vector<collection> begun;
  for (const collection* each : theirs) {
    const bool has_room = collections_.size() + begun.size() < most_collections;
    if (!has_room || find(each->database, each->name) != nullptr) continue;
    begun.push_back({each->database, each->name, 0, std::make_unique<series>()});
  }
  collections_.reserve(collections_.size() + begun.size());
  // Nothing throws from here on.
  std::ranges::move(begun, std::back_inserter(collections_));
  const std::uint64_t newest = std::max(minute_, other.minute_);
  advance_to(newest);
  const auto take = [&](const series& from, series& into) {
    series brought = from;
    advance_series(brought, other.minute_, newest);
    into.add(brought);
  };
  take(*other.others_, *others_);
  for (const collection* each : theirs) {
    collection* const own = find(each->database, each->name);
    take(*each->steps, own != nullptr ? *own->steps : *others_);
    if (own != nullptr) own->busy += each->busy;
  }
}

history::series* history::restore(std::string database, std::string name) {
  if (collections_.size() == most_collections || find(database, name) != nullptr) {
    return nullptr;
  }
  return collections_
      .emplace_back(
          collection{std::move(database), std::move(name), 0, std::make_unique<series>()})
      .steps.get();
}

void history::restored() {
  for (collection& each : collections_) each.busy = commands_in(*each.steps);
}

}  // namespace scattergate::telemetry
