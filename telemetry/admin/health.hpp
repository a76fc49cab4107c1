#pragma once

#include <array>
#include <atomic>
#include <string_view>

namespace scattergate::telemetry {

/// Whether the daemon is ready (/readyz): it listens, isn't draining, and has loaded its first
/// catalog or given up on it. Thread-safety: any thread.
class health {
 public:
  void set_listening(bool listening) noexcept { listening_ = listening; }
  void set_draining() noexcept { draining_ = true; }
  void set_catalog_settled() noexcept { catalog_settled_ = true; }
  /// Sets whether this daemon holds its fleet.name. Doesn't affect readiness.
  void set_fleet_name_held(bool held) noexcept { fleet_name_ = held ? 1 : -1; }

  /// Why the daemon isn't ready, in one line; empty when it is.
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
    bool is_good;
    bool is_shown = true;  ///< false: the check doesn't apply
  };
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
