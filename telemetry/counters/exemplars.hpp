#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "wire/trace_context.hpp"

namespace scattergate::telemetry {

/// One command that a series has counted, to look at.
struct exemplar {
  using clock = std::chrono::steady_clock;

  wire::trace_id trace;          ///< of a trace that is kept, or none
  std::uint64_t shape_hash = 0;  ///< 0: none
  std::uint64_t value = 0;       ///< what it added, in the unit of the cells
  clock::time_point at;
  std::uint32_t series = 0;      ///< which one, in the words of who keeps it
  std::int64_t unix_millis = 0;  ///< `at` on the wall; told by the cell that keeps it

  /// So long one that has a trace says more than a newer one without.
  static constexpr std::chrono::minutes traces_stay{1};

  /// Whether this one says more, of two of the same series: a trace, else what is newer.
  [[nodiscard]] bool is_better_than(const exemplar& other) const noexcept {
    if (trace && !other.trace) return other.at - at < traces_stay;
    if (!trace && other.trace) return at - other.at >= traces_stay;
    return at > other.at;
  }
};

/// A place for an exemplar: words under a version that is odd while they are written, so that a
/// reader that met a writer tries again, and nobody waits.
/// Thread-safety: offer() from one thread, read() from any.
class exemplar_cell {
 public:
  /// Keeps a command unless it was written within the last second; one that has a trace gives
  /// way to one of its series without only after a minute, and takes its place at once.
  void offer(const exemplar& one) noexcept {
    if (is_wanted(one)) write(one);
  }

  /// What was kept; none yet, or one that was being written each time.
  [[nodiscard]] std::optional<exemplar> read() const noexcept {
    for (int tries = 0; tries < most_tries; ++tries) {
      const std::uint64_t before = version_.load(std::memory_order_acquire);
      if (before == 0) return std::nullopt;
      std::array<std::uint64_t, words> copy;
      for (std::size_t i = 0; i < words; ++i)
        copy[i] = words_[i].load(std::memory_order_acquire);
      if (before % 2 == 0 && version_.load(std::memory_order_relaxed) == before) {
        return made_of(copy);
      }
    }
    return std::nullopt;
  }

  /// For the writer.
  [[nodiscard]] bool is_empty() const noexcept {
    return kept_.at == exemplar::clock::time_point{};
  }
  [[nodiscard]] const exemplar& kept() const noexcept { return kept_; }

 private:
  static constexpr std::size_t words = 7;
  static constexpr int most_tries = 4;
  static constexpr std::chrono::seconds pause{1};

  [[nodiscard]] bool is_wanted(const exemplar& one) const noexcept {
    if (is_empty()) return true;
    const auto age = one.at - kept_.at;
    if (one.series != kept_.series) return age >= pause;
    if (one.trace && !kept_.trace) return true;
    return age >= (kept_.trace && !one.trace ? exemplar::traces_stay : pause);
  }

  void write(const exemplar& one) noexcept {
    kept_ = one;
    // Once, so that each scrape tells the same.
    kept_.unix_millis = std::chrono::floor<std::chrono::milliseconds>(
                            std::chrono::system_clock::now().time_since_epoch())
                            .count();
    const std::uint64_t version = version_.load(std::memory_order_relaxed);
    const auto at =
        static_cast<std::uint64_t>(std::chrono::nanoseconds{one.at.time_since_epoch()}.count());
    const std::array<std::uint64_t, words> told = {
        one.trace.high,
        one.trace.low,
        one.shape_hash,
        one.value,
        at,
        one.series,
        static_cast<std::uint64_t>(kept_.unix_millis)};
    version_.store(version + 1, std::memory_order_relaxed);
    // Each after the odd version: who reads one of them finds the version changed.
    for (std::size_t i = 0; i < words; ++i) words_[i].store(told[i], std::memory_order_release);
    version_.store(version + 2, std::memory_order_release);
  }

  [[nodiscard]] static exemplar made_of(const std::array<std::uint64_t, words>& told) noexcept {
    const std::chrono::nanoseconds at{static_cast<std::int64_t>(told[4])};
    return {
        {told[0], told[1], told[0] != 0 || told[1] != 0},
        told[2],
        told[3],
        exemplar::clock::time_point{std::chrono::duration_cast<exemplar::clock::duration>(at)},
        static_cast<std::uint32_t>(told[5]),
        static_cast<std::int64_t>(told[6])};
  }

  std::atomic<std::uint64_t> version_{0};
  std::array<std::atomic<std::uint64_t>, words> words_{};
  exemplar kept_;  // the writer's
};

/// Places for the exemplars of some series of many: where there are more, those that were
/// written longest ago give theirs up.
/// Thread-safety: as exemplar_cell.
template <std::size_t Places>
class exemplar_places {
 public:
  void offer(const exemplar& one) noexcept {
    exemplar_cell* oldest = &cells_.front();
    for (exemplar_cell& each : cells_) {
      if (each.is_empty() || each.kept().series == one.series) return each.offer(one);
      if (each.kept().at < oldest->kept().at) oldest = &each;
    }
    oldest->offer(one);
  }

  /// Calls `use(exemplar)` of each.
  template <typename Use>
  void for_each(const Use& use) const {
    for (const exemplar_cell& each : cells_) {
      const auto one = each.read();
      if (one) use(*one);
    }
  }

 private:
  std::array<exemplar_cell, Places> cells_;
};

}  // namespace scattergate::telemetry
