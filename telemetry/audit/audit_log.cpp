#include "telemetry/audit/audit_log.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "telemetry/audit/audit_writer.hpp"

namespace scattergate::telemetry {
namespace {

using clock = sink::clock;

/// The delay before a failed write is retried, unless the interval is shorter. It isn't retried
/// at once, because each write to an unread pipe takes a second.
constexpr std::chrono::seconds try_again{2};

}  // namespace

struct audit_log::impl final : sink {
  impl(settings configured, on_new_shape new_shape)
      : ledger(configured.max_shapes, std::move(new_shape), totals),
        writer(configured.file, ledger, totals),
        asked{configured.interval, configured.quiet, std::move(configured.local)},
        thread(*this, {"audit", condition_kind::audit_failing,
                       configured.file == "-" ? "standard output" : configured.file,
                       configured.conditions, &totals.write_failures}) {
    thread.start();
  }

  bool accept(const shape_delta& delta) override {
    return delta.details->is_finding() && ledger.add(delta);
  }
  bool note_evicted(std::span<const std::uint64_t> shape_hashes) noexcept override {
    return ledger.make_due(shape_hashes);
  }
  outcome run_turn(bool is_last) override;

  template <typename Change>
  void change(Change change) {
    {
      const std::lock_guard lock{mutex};
      change();
    }
    thread.wake();
  }

  audit_totals totals;
  finding_ledger ledger;
  audit_writer writer;                          // used only by the thread, after construction
  clock::time_point due = clock::time_point{};  // used only by the thread, after construction

  struct asked_for {
    std::chrono::milliseconds interval;
    std::chrono::nanoseconds quiet;
    std::string local;
    bool is_interval_new = true;
    bool is_reopening = false;
  };
  std::mutex mutex;  // guards the members below, except the thread
  asked_for asked;

  sink_thread thread;
};

sink::outcome audit_log::impl::run_turn(bool is_last) {
  asked_for now;
  {
    const std::lock_guard lock{mutex};
    now = asked;
    asked.is_interval_new = asked.is_reopening = false;
  }
  if (now.is_interval_new) due = clock::now() + now.interval;
  if (now.is_reopening) writer.reopen();
  const std::uint64_t lines = totals.lines;
  text::result<void> written;
  if (is_last || clock::now() >= due) {
    written = writer.write_all(now.local);
    ledger.evict_quiet(finding_ledger::clock::now(), now.quiet);
    due = clock::now() + now.interval;
  } else {
    written = writer.write_due(now.local);
  }
  if (writer.is_failing()) due = std::min(due, clock::now() + try_again);
  const bool is_idle = written && totals.lines == lines;
  return {is_idle ? std::nullopt : std::optional{written}, due};
}

audit_log::audit_log(settings configured, on_new_shape new_shape)
    : impl_(std::make_unique<impl>(std::move(configured), std::move(new_shape))) {}

audit_log::~audit_log() {
  close();
}

sink_thread& audit_log::as_sink() noexcept {
  return impl_->thread;
}

void audit_log::reopen() {
  impl_->change([this] { impl_->asked.is_reopening = true; });
}

void audit_log::set_times(std::chrono::milliseconds interval, std::chrono::nanoseconds quiet) {
  impl_->change([this, interval, quiet] {
    impl_->asked.interval = interval;
    impl_->asked.quiet = quiet;
    impl_->asked.is_interval_new = true;
  });
}

void audit_log::set_local(std::string local) {
  impl_->change([this, &local] { impl_->asked.local = std::move(local); });
}

void audit_log::close() {
  impl_->thread.close();
}

const audit_totals& audit_log::totals() const noexcept {
  return impl_->totals;
}

}  // namespace scattergate::telemetry
