#pragma once

#include <array>
#include <atomic>
#include <string_view>

namespace scattergate::telemetry {

/// The source of /readyz: ready while listening, not draining, and no longer waiting for the
/// first catalog. Thread-safety: any thread.
class health {
 public:
  void set_listening(bool listening) noexcept { listening_ = listening; }
  void set_draining() noexcept { draining_ = true; }
  void set_catalog_settled() noexcept { catalog_settled_ = true; }
  /// Whether this daemon holds its fleet.name. Not a precondition of readiness.
  void set_fleet_name_held(bool held) noexcept { fleet_name_ = held ? 1 : -1; }

  /// Empty when ready; else the reason in one line.
  [[nodiscard]] std::string_view unready_reason() const noexcept {
    if (draining_) return "draining";
    if (!listening_) return "not listening";
    if (!catalog_settled_) return "waiting for the first catalog";
    return {};
  }

  /// One precondition of readiness, or `fleet_name`, which is none.
  struct check {
    std::string_view name;
    bool is_good;
    bool is_shown = true;
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
  std::atomic<int> fleet_name_{0};  // 0: unknown, or no fleet; above: held; below: another's
};

}  // namespace scattergate::telemetry
