#include "config/cluster/refresh_pacer.hpp"

#include <algorithm>

namespace scattergate::config {
namespace {

using std::chrono::milliseconds;

/// A thousand daemons that start at once spread their first load over this time.
constexpr milliseconds first_load_within{500};

constexpr milliseconds least_retry{500};
constexpr milliseconds least_ddl_gap{100};
constexpr milliseconds most_ddl_gap{5'000};
constexpr milliseconds least_unknown_gap{1'000};

/// While DDL continues, the loads that it causes take at most about one in this many parts of
/// the time.
constexpr int ddl_share = 10;

/// One in this many loads by the timer is thorough.
constexpr unsigned thorough_every = 10;

bool is_failure(load_result result) {
  // `inconsistent` isn't a failure: contradictory chunks concern only their collection.
  return result != load_result::changed && result != load_result::unchanged &&
         result != load_result::inconsistent;
}

}  // namespace

refresh_pacer::refresh_pacer(milliseconds interval, clock::time_point now, std::uint64_t seed)
    : interval_(interval),
      random_(seed),
      ddl_from_(now),
      unknown_from_(now),
      awaited_from_(now),
      unknown_gap_(least_unknown_gap) {
  regular_ = now + jittered(std::min(first_load_within, interval), 0.0, 1.0);
}

refresh_pacer::duration refresh_pacer::jittered(duration about, double least, double most) {
  std::uniform_real_distribution<double> factor{least, most};
  return std::chrono::duration_cast<duration>(about * factor(random_));
}

refresh_pacer::turn refresh_pacer::next(const refresh_requests& requests) const {
  if (requests.forced) return {clock::time_point::min(), load_trigger::signal};
  turn found{regular_, regular_why_};
  if (requests.awaited && awaited_from_ < found.at) {
    return {awaited_from_, failures_ != 0 ? load_trigger::retry : load_trigger::command};
  }
  // While loads fail, clients' requests wait for the cluster to recover.
  if (failures_ != 0 || regular_why_ == load_trigger::start) return found;
  if (requests.ddl && ddl_from_ < found.at) found = {ddl_from_, load_trigger::ddl};
  if (requests.name_space && unknown_from_ < found.at) {
    // A load must answer all requests that precede it, and DDL requests more.
    found = {unknown_from_, requests.ddl ? load_trigger::ddl : load_trigger::name_space};
  }
  return found;
}

load_depth refresh_pacer::depth_of(load_trigger why) {
  switch (why) {
    case load_trigger::signal:
      return load_depth::everything;
    case load_trigger::start:
    case load_trigger::retry:
      return load_depth::thorough;
    case load_trigger::name_space:
      return load_depth::collections;
    case load_trigger::ddl:
    case load_trigger::command:
      return load_depth::chunks;
    case load_trigger::timer:
      break;
  }
  return ++loads_ % thorough_every == 0 ? load_depth::thorough : load_depth::chunks;
}

void refresh_pacer::ended(load_trigger why, load_result result, clock::time_point now,
                          std::chrono::nanoseconds took) {
  if (is_failure(result)) {
    const auto doubled = least_retry * (1U << std::min(failures_++, 16U));
    regular_ = now + jittered(std::min<duration>(doubled, interval_), 0.75, 1.25);
    regular_why_ = load_trigger::retry;
    awaited_from_ = now + least_retry;
    return;
  }
  failures_ = 0;
  regular_ = now + jittered(interval_, 0.9, 1.1);
  regular_why_ = load_trigger::timer;
  if (why == load_trigger::ddl) {
    ddl_from_ = now + std::clamp<duration>(ddl_share * took, least_ddl_gap, most_ddl_gap);
  }
  if (why == load_trigger::name_space && result != load_result::changed) {
    unknown_from_ = now + jittered(unknown_gap_, 1.0, 1.5);
    unknown_gap_ = std::min<duration>(2 * unknown_gap_, interval_);
  } else if (why == load_trigger::name_space) {
    unknown_gap_ = least_unknown_gap;
    unknown_from_ = now + jittered(unknown_gap_, 1.0, 1.5);
  } else if (why == load_trigger::timer && unknown_from_ + interval_ < now) {
    unknown_gap_ = least_unknown_gap;
  }
}

}  // namespace scattergate::config
