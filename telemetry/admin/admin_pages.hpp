#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "telemetry/admin/health.hpp"
#include "telemetry/metrics/metrics_collector.hpp"

namespace scattergate::telemetry {

/// An answer of the admin address, before HTTP frames it.
struct admin_reply {
  unsigned status = 200;
  std::string_view content_type = "text/plain; charset=utf-8";
  std::string body;
};

/// What the admin address answers, path by path; no sockets.
/// Thread-safety: any thread.
class admin_pages {
 public:
  admin_pages(const metrics_collector& metrics, const health& health_now, bool has_page)
      : metrics_(metrics), health_(health_now), has_page_(has_page) {}

  /// What /api/v1/samples answers, asked anew each time. Without it, and where the page is off,
  /// there is no such path.
  void show_samples(std::function<std::string()> lines) { samples_ = std::move(lines); }

  /// Whether the answer to `target` is costly to make and may be large, so that whoever waits for
  /// it at the same time should be given the same one.
  [[nodiscard]] static bool is_shared(std::string_view target) noexcept;

  /// The answer to a GET (or HEAD) of `target`, a request target with or without a query;
  /// 405 to any other method.
  [[nodiscard]] admin_reply answer(std::string_view method, std::string_view target) const;

 private:
  const metrics_collector& metrics_;
  const health& health_;
  bool has_page_;
  std::function<std::string()> samples_;
};

}  // namespace scattergate::telemetry
