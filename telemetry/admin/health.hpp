#pragma once

#include <array>
#include <atomic>
#include <string_view>

namespace scattergate::telemetry {

/// Tracks whether the daemon is ready (/readyz): it listens, isn't draining, and no longer
/// waits for its first catalog. Thread-safety: any thread.
class health {
 public:
  /// Sets whether the daemon accepts connections.
  void set_listening(bool listening) noexcept { listening_ = listening; }
  /// Records that the daemon drains: it ends its connections and won't become ready again.
  void set_draining() noexcept { draining_ = true; }
  /// Records that the first catalog is loaded, or that the daemon no longer waits for it.
  void set_catalog_settled() noexcept { catalog_settled_ = true; }
  /// Sets whether this daemon holds its fleet.name (its name, which must be unique among a
  /// fleet of daemons). Doesn't affect readiness.
  void set_fleet_name_held(bool held) noexcept { fleet_name_ = held ? 1 : -1; }

  /// Why the daemon isn't ready, in one line; empty if the daemon is ready.
  [[nodiscard]] std::string_view unready_reason() const noexcept {
    if (draining_) return "draining";
    if (!listening_) return "not listening";
    if (!catalog_settled_) return "waiting for the first catalog";
    return {};
  }

  /// One line of /readyz?verbose: a precondition of readiness, or `fleet_name`, which doesn't
  /// affect readiness.
  struct check {
    std::string_view name;
    bool is_good;          ///< whether the precondition is met, or the name is held
    bool is_shown = true;  ///< false: omit the line, because there is no fleet or the name's
                           ///< holder isn't known yet
  };
  /// The lines of /readyz?verbose, in order.
  [[nodiscard]] std::array<check, 4> checks() const noexcept {
    const int fleet_name = fleet_name_;
    return {{{"listening", listening_},
             {"draining", !draining_},
             {"catalog", catalog_settled_},
             {"fleet_name", fleet_name > 0, fleet_name != 0}}};
  }

 private:
  std::atomic<bool> listening_{false};
  std::atomic<bool> draining_{false};
  std::atomic<bool> catalog_settled_{false};
  std::atomic<int> fleet_name_{0};  // 1: held here; -1: by another daemon; 0: unknown, no fleet
};

}  // namespace scattergate::telemetry
