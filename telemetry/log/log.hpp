#pragma once

#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "net/unique_fd.hpp"
#include "text/problem.hpp"

/// The daemon's operational log: JSON lines in MongoDB's format ({t, s, c, id, ctx, msg,
/// attr}). The code that forwards commands doesn't log for commands that succeed.

namespace scattergate::telemetry::log {

/// The operational log's file, or standard error. Never waits longer than a second: a line that
/// can't be written by then, because of a full disk or a pipe that isn't read, is lost. After
/// that, lines don't wait until one can be written. If a line was only partly written, its rest
/// is written before the next line. Thread-safety: any thread; all must block SIGPIPE.
class log_file {
 public:
  /// Opens `path` for appending; creates the file for owner and group only. `-`: standard
  /// error.
  [[nodiscard]] static text::result<net::unique_fd> open(const std::string& path);

  /// Uses `opened`, a result of open(), from now on.
  void replace(net::unique_fd opened);

  /// Appends a line, which includes its newline. Returns whether it was written. If not, counts
  /// it as lost if `counts`.
  bool write(const std::string& line, bool counts = true);

  /// Whether lines are lost.
  struct state {
    std::uint64_t lost_lines = 0;            ///< number of lost lines since the start
    std::optional<text::problem> lost_by{};  ///< why the last line couldn't be written; empty:
                                             ///< it was
  };
  [[nodiscard]] state now() const;

 private:
  mutable std::mutex mutex_;  // guards the members below
  net::unique_fd file_;       // empty: standard error
  std::string tail_;          // the rest of a partly written line
  state state_;
};

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

/// Sets the name of the calling thread, for the member `ctx` of its lines: the first 15 bytes
/// of `name`. Doesn't allocate.
void set_thread_name(std::string_view name) noexcept;
/// Begins a thread that only computes and writes files: sets its name, and blocks all signals
/// in it, so that other threads handle them. With SIGPIPE blocked, a write() to a closed pipe
/// returns EPIPE instead of ending the process.
void begin_thread(std::string_view name) noexcept;

/// Writes one line. `id` is the message's stable identifier; `message` may change between
/// versions. Thread-safety: any thread.
void write(severity severity, component component, std::int32_t id, std::string_view message,
           attributes with = {});

}  // namespace scattergate::telemetry::log
