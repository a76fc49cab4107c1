#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "telemetry/audit/audit_file.hpp"
#include "telemetry/audit/finding_ledger.hpp"
#include "telemetry/conditions/condition_board.hpp"

namespace scattergate::telemetry {

/// The audit log's own counters; audit_log::counts says what they mean.
/// Thread-safety: any thread.
struct audit_totals {
  std::atomic<std::uint64_t> lines{0};
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint64_t> write_failures{0};
  std::atomic<std::uint64_t> findings{0};
  std::atomic<std::uint64_t> overflow{0};
  std::atomic<std::uint64_t> outstanding{0};
  std::atomic<std::uint64_t> given_back{0};
};

/// What the audit log's thread does between two waits: keeps the accounts, writes their lines,
/// and remembers what a failing file still owes.
/// Thread-safety: one thread; the totals may be read by any.
class audit_writer {
 public:
  using on_new_shape = std::function<void(std::string_view, std::string_view)>;

  /// `file`: a path, `-` or `off`. Throws std::runtime_error where it can't be opened.
  audit_writer(std::string file, std::size_t max_shapes, on_new_shape new_shape,
               audit_totals& totals, condition_board* conditions = nullptr);

  /// Of these only the findings.
  void add(const std::vector<shape_delta>& deltas);

  /// Writes what is owed of shapes with these hashes: their rows have left the digest.
  void write_of(const std::unordered_set<std::uint64_t>& shape_hashes, std::string_view local);

  /// Writes a line for each finding that has none yet. After a write has failed these wait
  /// for the next write_all().
  void write_first_lines(std::string_view local);

  /// Writes a line for each finding with commands outstanding, until a write fails.
  void write_all(std::string_view local);

  /// Gives back the findings of which nothing came for `quiet` and everything is written.
  void give_back_quiet(std::chrono::nanoseconds quiet);

  /// Whether the last write failed: nothing more is written until the next write_all().
  [[nodiscard]] bool is_failing() const noexcept { return is_failing_; }

  /// Opens the file anew, and tries it again.
  void reopen();

 private:
  using account = finding_ledger::account;

  bool write(account& of, std::string_view local);
  bool finish_tail();
  void note_failure();
  void note_success();
  void count_written(std::uint64_t commands, std::size_t bytes);
  void note_shape(const account& of);

  std::optional<audit_file> file_;  // none: off
  finding_ledger ledger_;
  std::vector<account*> first_lines_;                      // accounts that have no line yet
  std::unordered_map<std::uint64_t, std::size_t> shapes_;  // how many accounts each has
  on_new_shape on_new_shape_;
  audit_totals& totals_;
  condition_board* conditions_;  // null: nobody is told
  std::string name_;             // of the file
  bool is_failing_ = false;
  bool is_told_ = false;             // the board has it
  std::uint64_t tail_commands_ = 0;  // what the line that was cut stands for
  std::size_t tail_bytes_ = 0;
};

}  // namespace scattergate::telemetry
