#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "telemetry/audit/audit_totals.hpp"
#include "telemetry/shapes/shape_details.hpp"
#include "telemetry/shapes/shape_index.hpp"

namespace scattergate::telemetry {

/// What all workers' findings add up to since their last lines, key by key: at most
/// `max_shapes` of them, one `__other__` for the rest, and one `__failed__`. However long no
/// line can be written, it grows no further. A finding that nothing came to for a while, and
/// that owes no line, is given back.
/// Thread-safety: one thread adds, another writes; neither waits for what the other does.
class finding_ledger {
 public:
  using clock = std::chrono::steady_clock;

  /// Called for each (namespace, shape) that wasn't there before. Where it throws, it has
  /// counted nothing.
  using on_new_shape =
      std::function<void(std::string_view database, std::string_view collection)>;

  /// One finding, and what came since its last line. Only the writer looks at `owed`.
  struct finding {
    shape_delta owed;  ///< taken over by the writer, and not written yet

   private:
    friend finding_ledger;
    std::shared_ptr<const shape_details> details;  // the latest; never null
    digest::counts incoming;                       // not taken over yet
    std::vector<std::uint64_t> fanout;             // of the last command
    bool has_been_due = false;                     // its first line was due, now or earlier
    bool is_due = false;                           // it is among the due ones
    finding* next_due = nullptr;
    bool was_added_to = true;  // since give_back_quiet() looked last
    clock::time_point quiet_since;
  };

  finding_ledger(std::size_t max_shapes, on_new_shape new_shape, audit_totals& totals);

  /// Adds what a worker hands over, or, where memory fails it, nothing. The latest details
  /// stand. Whether a line is due at once: its finding has none yet.
  bool add(const shape_delta& delta);
  /// The same where it takes no memory: a finding that isn't there counts as `__other__`.
  bool add_plainly(const shape_delta& delta) noexcept;
  /// What is owed of these shapes is due at once. In ascending order. Whether there was any.
  bool make_due(std::span<const std::uint64_t> shape_hashes) noexcept;

  /// For the writer: the first one that is due, with all that came since its last line; null
  /// where none is. It stays due until pop_due().
  [[nodiscard]] finding* first_due();
  void pop_due() noexcept;
  /// The same of all, by their numbers from 0; null behind the last. The shared ones come
  /// first.
  [[nodiscard]] finding* at(std::size_t number);

  /// Gives back the findings that owe nothing and to which nothing came for `quiet`. For the
  /// writer.
  void give_back_quiet(clock::time_point now, std::chrono::nanoseconds quiet) noexcept;

  [[nodiscard]] std::size_t size() const;

 private:
  // The shared findings.
  static constexpr std::size_t other = 0;
  static constexpr std::size_t failed = 1;
  static constexpr std::size_t shared = 2;

  [[nodiscard]] finding* find(const shape_details& details) const noexcept;
  [[nodiscard]] finding& open(const shape_delta& delta);
  void count(const finding& in, const shape_delta& delta) noexcept;
  [[nodiscard]] bool make_first_due(finding& of) noexcept;
  void push_due(finding& of) noexcept;
  static void take_over(finding& of);
  void close(std::size_t position) noexcept;

  std::size_t max_shapes_;
  on_new_shape on_new_shape_;
  audit_totals& totals_;
  mutable std::mutex mutex_;  // guards what follows, but what each one owes
  shape_index index_;
  std::vector<std::unique_ptr<finding>> findings_;
  std::unordered_map<std::uint64_t, std::size_t> shapes_;  // how many findings each has
  finding* first_due_ = nullptr;
  finding* last_due_ = nullptr;
};

}  // namespace scattergate::telemetry
