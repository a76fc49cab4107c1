#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "digest/row.hpp"
#include "fleet/reading.hpp"

namespace scattergate::config {
struct options;
}  // namespace scattergate::config

namespace scattergate::telemetry {

/// The whole fleet, as its database has it, for /fleet and /api/v1/fleet: read on request, on a
/// thread of its own that starts with the first request, at most once in `kept_for`.
/// Thread-safety: any thread.
class fleet_view {
 public:
  struct settings {
    std::string uri_file;  ///< empty: there is nothing to read
    std::string database;
  };

  explicit fleet_view(settings with) : settings_(std::move(with)) {}
  ~fleet_view();
  fleet_view(const fleet_view&) = delete;
  fleet_view& operator=(const fleet_view&) = delete;

  static constexpr std::chrono::seconds kept_for{30};
  static constexpr std::size_t max_rows = 5'000;  ///< shapes that are read
  static constexpr std::size_t max_shown = 100;   ///< findings that are shown

  /// The answers, for whoever asks: what was read last. Asks for a newer reading if that is
  /// due, and returns at once.
  [[nodiscard]] std::string json();
  [[nodiscard]] std::string html();

 private:
  using clock = std::chrono::steady_clock;

  /// One reading.
  struct reading {
    std::optional<fleet::fleet_digest> digest{};
    fleet::fleet_status status{};
    std::optional<text::problem> problem{};  ///< why there is no digest
    digest::wall_time at{};
  };

  [[nodiscard]] std::shared_ptr<const reading> ask();
  void run() noexcept;
  [[nodiscard]] std::shared_ptr<const reading> read() const;
  static void append_json(std::string& to, const reading& of);
  static void append_html(std::string& to, const reading& of);

  settings settings_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::shared_ptr<const reading> read_;  // null: nothing yet
  clock::time_point read_at_;
  bool is_asked_ = false;
  bool is_ending_ = false;
  std::thread thread_;
};

/// The settings for these options: nothing to read unless fleet.read is on.
[[nodiscard]] fleet_view::settings fleet_view_settings_of(const config::options& from);

}  // namespace scattergate::telemetry
