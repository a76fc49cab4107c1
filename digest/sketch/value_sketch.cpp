#include "digest/sketch/value_sketch.hpp"

#include <algorithm>

namespace scattergate::digest {
namespace {

constexpr std::int64_t seconds_of_minute = 60;

double part_of(std::uint64_t part, std::uint64_t all) noexcept {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

void minute_shares::add(std::uint64_t requests_of_minute, std::uint64_t most_of_one) noexcept {
  add({1, requests_of_minute, most_of_one, most_of_one, requests_of_minute});
}

void minute_shares::add(const minute_shares& other) noexcept {
  minutes += other.minutes;
  requests += other.requests;
  hottest += other.hottest;
  const double own = part_of(worst_count, worst_of);
  const double others = part_of(other.worst_count, other.worst_of);
  // Of equal shares that of more requests, so that the order of adding says nothing.
  if (others > own || (others == own && other.worst_of > worst_of)) {
    worst_count = other.worst_count;
    worst_of = other.worst_of;
  }
}

void value_sketch::add(std::uint64_t hash, std::int64_t second) noexcept {
  ++requests_;
  distinct_.add(hash);
  const std::int64_t minute = second / seconds_of_minute;
  if (minute != minute_) [[unlikely]] {
    if (in_minute_ >= minute_shares::least_requests || minute_ == 0 || minute == 0)
      end_minute();
    minute_ = minute;
  }
  ++in_minute_;
  this_minute_.add(hash);
}

void value_sketch::end_minute() noexcept {
  if (in_minute_ == 0) return;
  if (minute_ != 0 && in_minute_ >= minute_shares::least_requests) {
    minutes_.add(in_minute_, this_minute_.most());
  }
  common_.add(this_minute_);
  this_minute_.clear();
  in_minute_ = 0;
}

value_sketch::parts value_sketch::settled() const noexcept {
  parts made{requests_, distinct_, common_, minutes_, monotonicity()};
  made.common.add(this_minute_);
  if (minute_ != 0 && in_minute_ >= minute_shares::least_requests) {
    made.minutes.add(in_minute_, this_minute_.most());
  }
  return made;
}

void value_sketch::add(const parts& others) noexcept {
  requests_ += others.requests;
  distinct_.add(others.distinct);
  common_.add(others.common);
  minutes_.add(others.minutes);
  if (order_) order_->add(others.order);
}

void value_sketch::add(const value_sketch& other) noexcept {
  add(other.settled());
}

std::vector<value_sketch::share> value_sketch::top_shares() const {
  const parts now = settled();
  std::vector<share> made;
  for (const frequent_value& one : now.common.all()) {
    made.push_back(
        {one.hash, part_of(one.at_least(), requests_), part_of(one.error, requests_)});
  }
  std::ranges::sort(made, [](const share& a, const share& b) {
    return a.share != b.share ? a.share > b.share : a.hash < b.hash;
  });
  return made;
}

std::optional<value_sketch::minute_maximum> value_sketch::per_minute_max_share()
    const noexcept {
  const minute_shares now = settled().minutes;
  if (now.minutes == 0) return std::nullopt;
  return minute_maximum{part_of(now.hottest, now.requests),
                        part_of(now.worst_count, now.worst_of), now.minutes, now.requests};
}

}  // namespace scattergate::digest
