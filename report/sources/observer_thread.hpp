#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/sources/batch_thread.hpp"
#include "report/sources/observation.hpp"

namespace scattergate::report {

/// Passes commands in batches to another observer, the target, on a second thread. So one core
/// reads while another one judges. Keeps the order of commands, rows and digests; counts
/// skipped parts after the commands of their batch. Ignores digests of shard requests.
/// Thread-safety: one thread at a time calls this object. Don't use the target elsewhere until
/// finish() has returned.
class observer_thread final : public observer {
 public:
  /// `to`: the target, which must outlive this object.
  explicit observer_thread(observer& to);

  void on_command(const observation& seen) override;
  void on_given(observation&& seen) override;
  void on_row(const digest::row& judged) override;
  void on_digest(const digest::table& judged) override;
  void on_skipped(skip_reason why) override;

  /// Waits until the target has received everything. Rethrows the target's exception, if any.
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
