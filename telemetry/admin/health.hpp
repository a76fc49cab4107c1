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

  /// Empty when ready; else the reason in one line.
  [[nodiscard]] std::string_view unready_reason() const noexcept {
    if (draining_) return "draining";
    if (!listening_) return "not listening";
    if (!catalog_settled_) return "waiting for the first catalog";
    return {};
  }

  /// One precondition of readiness.
  struct check {
    std::string_view name;
    bool is_good;
  };
  [[nodiscard]] std::array<check, 3> checks() const noexcept {
    return {
        {{"listening", listening_}, {"draining", !draining_}, {"catalog", catalog_settled_}}};
  }

 private:
  std::atomic<bool> listening_{false};
  std::atomic<bool> draining_{false};
  std::atomic<bool> catalog_settled_{false};
};

}  // namespace scattergate::telemetry
