#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "wire/label_table.hpp"

namespace scattergate::config {

/// How a driver process failed (metric scattergate_driver_restarts_total{cause}). The next call
/// of a new client starts another process.
enum class driver_end : std::uint8_t {
  crashed,      ///< it ended by a signal, or sent something other than a reply
  hung,         ///< a call exceeded its time limit: libmongoc hangs, or the server sends its
                ///< replies too slowly
  memory,       ///< it reached its memory limit
  not_started,  ///< the system refused to start it
};
inline constexpr std::size_t driver_end_count = wire::enum_count<driver_end>();
/// The cause's label in metrics.
[[nodiscard]] std::string_view label(driver_end how) noexcept;

/// What a program learns about the driver processes of all its clients. The functions are
/// called on the threads that call the clients. Empty (the default): ignored.
struct driver_events {
  /// libmongoc's own warnings and errors.
  std::function<void(bool is_error, std::string_view message)> on_message{};
  /// A driver process has failed. `application`: the application given to mongo_client::open().
  /// `why`: the reason, for people.
  std::function<void(const std::string& application, driver_end how, const std::string& why)>
      on_failure{};
  /// A call has succeeded, for the first time since on_failure() for this application.
  std::function<void(const std::string& application)> on_recovery{};
};

/// Sets the functions for all clients of the program. Thread-safety: any thread; the functions
/// set before may still be running when it returns.
void set_driver_events(driver_events events);

/// Lets all failed driver processes start again at once. Otherwise one that has failed several
/// times in a row rests for up to 10 s.
void end_driver_rests();

}  // namespace scattergate::config
