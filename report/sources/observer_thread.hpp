#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/sources/batch_thread.hpp"
#include "report/sources/observation.hpp"

namespace scattergate::report {

/// An observer on a thread of its own, so that one core reads while another one judges. Batches
/// keep the order (batch_thread). Thread-safety: one thread at a time calls it; the target runs
/// on the second thread, only until finish() has returned.
class observer_thread final : public observer {
 public:
  explicit observer_thread(observer& to);

  void on_command(const observation& seen) override;
  void on_given(observation&& seen) override;
  void on_row(const digest::row& judged) override;
  void on_digest(const digest::table& judged) override;
  void on_skipped(skip_reason why) override;

  /// Waits until the target has received everything. Throws what it threw.
  void finish() { thread_.finish(); }

 private:
  struct batch {
    std::vector<observation> seen;  ///< the first `count` are in use; add() reuses the rest
    std::size_t count = 0;
    std::size_t bytes = 0;
    std::array<std::uint64_t, skip_reason_count> skipped{};

    void add(observation&& one);
    void clear() noexcept;
  };

  void deliver(const batch& what);

  observer& to_;
  batch_thread<batch> thread_;
};

}  // namespace scattergate::report
