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

/// The state of the whole fleet, for /fleet and /api/v1/fleet. Reads it from the fleet's
/// database on request, on its own thread, at most once per `kept_for`. Thread-safety: any
/// thread.
class fleet_view {
 public:
  struct settings {
    std::string uri_file;  ///< empty: there is nothing to read
    std::string database;
  };

  explicit fleet_view(settings configured) : settings_(std::move(configured)) {}
  ~fleet_view();
  fleet_view(const fleet_view&) = delete;
  fleet_view& operator=(const fleet_view&) = delete;

  static constexpr std::chrono::seconds kept_for{30};  ///< minimum time between two reads
  static constexpr std::size_t max_rows = 5'000;       ///< maximum number of shapes to read
  static constexpr std::size_t max_shown = 100;        ///< maximum number of findings to show

  /// The last reading as JSON. Requests a new one if that is older than kept_for. Doesn't
  /// block.
  [[nodiscard]] std::string json();
  /// The last reading as HTML. Requests a new one if that is older than kept_for. Doesn't
  /// block.
  [[nodiscard]] std::string html();

 private:
  using clock = std::chrono::steady_clock;

  /// What one read of the database found.
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

/// The fleet view's settings for these options; nothing to read unless fleet.read is on.
[[nodiscard]] fleet_view::settings fleet_view_settings_of(const config::options& from);

}  // namespace scattergate::telemetry
