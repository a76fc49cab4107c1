#include "telemetry/history/shape_history.hpp"

#include <algorithm>

#include "telemetry/history/history.hpp"

namespace scattergate::telemetry {
namespace {

/// How much busier a shape must be to replace another one, so that equally busy ones stay.
constexpr double clearly = 1.1;

constexpr std::chrono::hours rescale_after{24};

static_assert(shape_history::most * (sizeof(shape_history::series) + 64) <
              shape_history::max_bytes);

std::chrono::seconds seconds_between(shape_history::wall_time from,
                                     shape_history::wall_time to) noexcept {
  return std::chrono::duration_cast<std::chrono::seconds>(to - from);
}

}  // namespace

/// The weight of a command at `now`. Newer commands weigh more, which replaces a decay of all
/// older counts. Once a day, all weights are scaled down.
double shape_history::weight_at(wall_time now) noexcept {
  if (now < began_ || now - began_ >= rescale_after) {
    const double left = history::decay_of_busy(seconds_between(began_, now));
    for (auto& [row, each] : activities_) each.busy *= left;
    least_ *= left;
    began_ = now;
  }
  return 1 / history::decay_of_busy(seconds_between(began_, now));
}

void shape_history::make_room_for(const digest::row& of) {
  if (activities_[&of].place != no_place) return;
  if (places_.size() == places_.capacity())
    places_.reserve(std::min(most, 1 + 2 * places_.size()));
}

void shape_history::count(const digest::row& of, std::uint64_t commands,
                          wall_time now) noexcept {
  const auto known = activities_.find(&of);
  if (known == activities_.end()) return;
  const double weight = weight_at(now);
  activity& how = known->second;
  how.busy += static_cast<double>(commands) * weight;
  if (how.place == no_place) {
    how.place = place_for(how.busy);
    if (how.place == no_place) return;
    places_[how.place] = {&of, &how, {}};
  }
  series& steps = places_[how.place].steps;
  add_to_step(steps.by_minute[minute_ % history::minute_steps], commands);
  add_to_step(steps.by_ten[minute_ / minutes_of_ten % history::ten_minute_steps], commands);
}

/// The index for a new shape: a free one, or that of the least busy shape, which is removed;
/// no_place if `busy` isn't clearly more.
std::size_t shape_history::place_for(double busy) noexcept {
  if (places_.size() < most) {
    places_.emplace_back();
    return places_.size() - 1;
  }
  if (busy <= least_ * clearly) return no_place;
  const auto least =
      std::ranges::min_element(places_, {}, [](const place& each) { return each.how->busy; });
  least_ = least->how->busy;
  if (busy <= least_ * clearly) return no_place;
  least->how->place = no_place;
  return static_cast<std::size_t>(least - places_.begin());
}

void shape_history::forget(const digest::row& gone) {
  const auto known = activities_.find(&gone);
  if (known == activities_.end()) return;
  const std::size_t freed = known->second.place;
  activities_.erase(known);
  if (freed == no_place) return;
  if (freed != places_.size() - 1) {
    places_[freed] = places_.back();
    places_[freed].how->place = freed;
  }
  places_.pop_back();
  least_ = 0;
}

void shape_history::advance(std::uint64_t minute) {
  for (place& each : places_) {
    if (minute < minute_) {
      each.steps = {};
      continue;
    }
    clear_steps(each.steps.by_minute, minute_, minute);
    clear_steps(each.steps.by_ten, minute_ / minutes_of_ten, minute / minutes_of_ten);
  }
  minute_ = minute;
}

std::vector<shape_history::shape> shape_history::ranked() const {
  std::vector<const place*> all;
  all.reserve(places_.size());
  for (const place& each : places_) all.push_back(&each);
  std::ranges::stable_sort(all, std::greater{},
                           [](const place* each) { return each->how->busy; });
  std::vector<shape> busiest;
  busiest.reserve(all.size());
  for (const place* each : all) busiest.push_back({each->of, &each->steps});
  return busiest;
}

}  // namespace scattergate::telemetry
