// Many sidecars' flushes against one database, without the sidecars: measures how often each
// document is written.
//
//     fleet_writers URI SIDECARS INTERVAL_SECONDS LOGICAL_SHARDS SHAPES INTERVALS
//
// Each flush adds one command to each shape, so the growth of a document's count is the number
// of times it was written. Prints the largest rate of a document over one interval, and the
// limit that docs/fleet.md states. Exit status 1 if a document is beyond it, or a flush failed.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "digest/stored.hpp"
#include "fleet/bson_parts.hpp"
#include "fleet/database.hpp"
#include "fleet/documents.hpp"
#include "fleet/flush.hpp"
#include "fleet/stored_ledger.hpp"

namespace {

using namespace scattergate;
using clock_type = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::string_view name = "fleet_writers";
constexpr unsigned threads = 8;
constexpr milliseconds patience{10'000};

struct plan {
  std::string uri;
  std::size_t sidecars;
  milliseconds interval;
  std::uint32_t shards;
  std::size_t shapes;
  std::size_t intervals;
};

std::string rows_of(std::size_t shapes) {
  digest::table table{shapes};
  for (std::size_t i = 0; i < shapes; ++i) {
    digest::row row;
    row.database = "shop";
    row.collection = "orders";
    row.command = "find";
    row.shape_hash = i;
    row.count = 1;
    table.add(row);
  }
  return digest::stored_text(table);
}

struct sidecar {
  fleet::flush_identity who{fleet::random_uuid(), fleet::random_id()};
  std::uint64_t flushes = 0;
  clock_type::time_point due;
};

/// Flushes of some of the sidecars, over one connection.
class writer {
 public:
  writer(const plan& of, std::size_t sidecars, clock_type::time_point begin, unsigned seed)
      : plan_(of), rows_(rows_of(of.shapes)), random_(seed), sidecars_(sidecars) {
    std::uniform_int_distribution<std::int64_t> first{0, of.interval.count()};
    for (sidecar& one : sidecars_) one.due = begin + milliseconds{first(random_)};
  }

  void run(clock_type::time_point end) {
    auto opened = fleet::database::open(plan_.uri, std::string{name}, patience);
    if (!opened) {
      ++failures;
      return;
    }
    while (true) {
      sidecar& next = *std::ranges::min_element(sidecars_, {}, &sidecar::due);
      if (next.due >= end) return;
      std::this_thread::sleep_until(next.due);
      late = std::max(late,
                      std::chrono::duration_cast<milliseconds>(clock_type::now() - next.due));
      flush(**opened, next);
      std::uniform_int_distribution<int> percent{95, 105};
      next.due += plan_.interval * percent(random_) / 100;
    }
  }

  std::size_t flushes = 0;
  std::size_t failures = 0;
  milliseconds late{0};

 private:
  void flush(fleet::database& to, sidecar& by) {
    if (by.flushes == 0 && !fleet::write_facts(to, by.who.uuid, by.who.token, {})) ++failures;
    const auto now = std::chrono::system_clock::now();
    const fleet::frozen_delta delta{++by.flushes, fleet::random_id(),          plan_.shards,
                                    now,          now + std::chrono::hours{1}, rows_,
                                    plan_.shapes};
    const auto done = fleet::flush(to, by.who, delta, now);
    done&&* done == fleet::flush_end::acknowledged ? ++flushes : ++failures;
    if (!done) std::fprintf(stderr, "%s\n", done.error().text.c_str());
  }

  const plan& plan_;
  std::string rows_;
  std::minstd_rand random_;
  std::vector<sidecar> sidecars_;
};

using counts = std::map<std::string, std::uint64_t>;

counts counts_in(fleet::database& from) {
  counts found;
  static_cast<void>(from.find_all(fleet::collections::shapes, [&](wire::document_view one) {
    found[fleet::text_in(one, "_id")] = fleet::number_in(one, "count");
    return true;
  }));
  return found;
}

/// The most that a document grew in one interval.
std::uint64_t watch(const plan& of, clock_type::time_point begin) {
  auto opened = fleet::database::open(of.uri, std::string{name}, patience);
  if (!opened) return 0;
  std::uint64_t most = 0;
  counts before = counts_in(**opened);
  for (std::size_t i = 1; i <= of.intervals; ++i) {
    std::this_thread::sleep_until(begin + of.interval * static_cast<int>(i));
    const counts now = counts_in(**opened);
    for (const auto& [id, count] : now) most = std::max(most, count - before[id]);
    before = now;
  }
  return most;
}

int measure(const plan& of) {
  const auto begin = clock_type::now() + std::chrono::seconds{1};
  const auto end = begin + of.interval * static_cast<int>(of.intervals);
  std::vector<writer> writers;
  for (unsigned i = 0; i < threads; ++i)
    writers.emplace_back(of, of.sidecars / threads, begin, i);
  std::vector<std::thread> running;
  for (writer& one : writers) running.emplace_back([&one, end] { one.run(end); });
  const std::uint64_t most = watch(of, begin);
  std::size_t flushes = 0;
  std::size_t failures = 0;
  milliseconds late{0};
  for (std::thread& one : running) one.join();
  for (const writer& one : writers) {
    flushes += one.flushes;
    failures += one.failures;
    late = std::max(late, one.late);
  }
  const double seconds = std::chrono::duration<double>{of.interval}.count();
  const double rate = static_cast<double>(most) / seconds;
  const double limit = 1.5 * static_cast<double>(of.sidecars) / (seconds * of.shards);
  std::printf(
      "%zu flushes, %zu failed, at most %lld ms late; busiest document %.3f writes/s, "
      "limit %.3f\n",
      flushes, failures, static_cast<long long>(late.count()), rate, limit);
  return failures == 0 && rate <= limit ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto served = config::serve_driver_if_asked(argc, argv)) return *served;
  if (argc != 7) {
    std::fprintf(stderr,
                 "fleet_writers URI SIDECARS INTERVAL_SECONDS SHARDS SHAPES INTERVALS\n");
    return 2;
  }
  const auto number = [argv](int at) { return std::strtoul(argv[at], nullptr, 10); };
  return measure({argv[1], number(2), milliseconds{1'000 * number(3)},
                  static_cast<std::uint32_t>(number(4)), number(5), number(6)});
}
