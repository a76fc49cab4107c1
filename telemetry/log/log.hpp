#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "telemetry/log/log_file.hpp"
#include "text/problem.hpp"

/// The daemon's operational log: JSON lines in MongoDB's format ({t, s, c, id, ctx, msg,
/// attr}). The code that forwards commands doesn't log for commands that succeed.
namespace scattergate::telemetry::log {

enum class severity : std::uint8_t { debug, info, warning, error, fatal };

/// The part of the program that writes a line (member `c`).
enum class component : std::uint8_t { proxy, routing, catalog, audit, config, admin };

/// The value of an attribute; std::monostate: the attribute is omitted.
using value = std::variant<std::string, std::int64_t, double, bool, std::vector<std::string>,
                           std::monostate>;
using attributes = std::initializer_list<std::pair<std::string_view, value>>;

/// Opens the log's file; `-` is standard error, which is also used before the first call.
/// `level`: debug, info, warning or error; less severe lines are omitted. Returns a problem if
/// the file can't be opened; the log is then unchanged.
[[nodiscard]] text::result<void> open(const std::string& file, const std::string& level);
void reopen();  ///< reopens the file (SIGUSR1); on failure, keeps the old file and logs an
                ///< error
void set_level(const std::string& level);  ///< sets the lowest severity to log: debug, info,
                                           ///< warning or error (SIGHUP)

/// Whether lines of the log are lost, and how many were.
[[nodiscard]] log_file::state writing();
/// If lines were lost, tries to write how many. Call it about once a second, on one thread.
void write_again();
/// The log's file; `-`: standard error.
[[nodiscard]] std::string file();

/// Sets the name of the calling thread, for the member `ctx` of its lines.
void set_thread_name(std::string name);

/// Writes one line. `id` is the message's stable identifier; `message` may change between
/// versions. Thread-safety: any thread.
void write(severity severity, component component, std::int32_t id, std::string_view message,
           attributes with = {});

}  // namespace scattergate::telemetry::log
