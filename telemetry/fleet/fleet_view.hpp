#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "digest/row.hpp"
#include "fleet/reading.hpp"

namespace scattergate::config {
struct options;
}  // namespace scattergate::config

namespace scattergate::telemetry {

/// Shows the state of all daemons ("sidecars") of the fleet together, for /fleet and
/// /api/v1/fleet. A thread of its own reads the state from the fleet's database when it is
/// requested, at most once per `kept_for`. Thread-safety: any thread.
class fleet_view {
 public:
  struct settings {
    std::string uri_file;  ///< file with the database's connection string; empty: fleet.read
                           ///< is off
    std::string database;  ///< the name of the fleet's database
  };

  explicit fleet_view(settings configured) : settings_(std::move(configured)) {}
  /// Ends a call to the database.
  ~fleet_view();
  fleet_view(const fleet_view&) = delete;
  fleet_view& operator=(const fleet_view&) = delete;

  static constexpr std::chrono::seconds kept_for{30};  ///< minimum time between two reads
  static constexpr std::size_t max_rows = 5'000;  ///< maximum number of query shapes to keep
  /// The limits of a reading. Beyond them, the answer says that it is incomplete.
  static constexpr fleet::reading_bounds max_read{.sidecars = 5'000,
                                                  .documents = 500'000,
                                                  .read_bytes = std::size_t{512} << 20,
                                                  .kept_bytes = std::size_t{32} << 20};
  static constexpr std::size_t max_shown = 100;  ///< maximum number of findings (shapes to
                                                 ///< report) to show

  /// Returns the last reading as JSON. If there is none or it is older than `kept_for`,
  /// requests a new one, which later calls return. Doesn't wait for it.
  [[nodiscard]] std::string json();
  /// Returns the last reading as HTML. If there is none or it is older than `kept_for`,
  /// requests a new one, which later calls return. Doesn't wait for it.
  [[nodiscard]] std::string html();

 private:
  using clock = std::chrono::steady_clock;

  /// The result of reading the database once.
  struct reading {
    std::optional<fleet::fleet_digest> digest{};
    fleet::fleet_status status{};
    std::optional<text::problem> problem{};  ///< why the database couldn't be read; empty:
                                             ///< `digest` is set
    digest::wall_time at{};
  };

  [[nodiscard]] std::shared_ptr<const reading> ask();
  void run() noexcept;
  [[nodiscard]] std::shared_ptr<const reading> read() const;
  static void append_json(std::string& to, const reading& of);
  static void append_html(std::string& to, const reading& of);

  settings settings_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable wake_;
  std::shared_ptr<const reading> read_;  // null: nothing yet
  clock::time_point read_at_;
  bool is_asked_ = false;
  bool is_ending_ = false;
  std::stop_source stop_;
  std::thread thread_;
};

/// The fleet view's settings for these options. `uri_file` is empty if fleet.read is off.
[[nodiscard]] fleet_view::settings fleet_view_settings_of(const config::options& from);

}  // namespace scattergate::telemetry
