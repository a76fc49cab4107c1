#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "telemetry/shapes/shape_details.hpp"
#include "telemetry/shapes/shape_index.hpp"
#include "telemetry/shapes/shape_tally.hpp"
#include "telemetry/shapes/stranger_places.hpp"

namespace scattergate::telemetry {

/// The shapes that one worker judges, findings or not: a bounded table that counts them as
/// their commands complete, and hands the counts over. Whether a command has earned its shape a
/// place of its own is known at its reply, so that is when a place is taken. A finding that has
/// earned none is counted in one `__failed__`, and one that finds no room in one `__other__`;
/// what is no finding then counts for the digest's totals. A place that nothing was counted in
/// for a while is given back.
class shape_table {
 public:
  using clock = std::chrono::steady_clock;

  /// A command under way. Valid until completed or cancelled; its place isn't given back
  /// before.
  struct ticket {
    std::uint32_t place = 0;
  };

  /// At most `max_shapes` findings, and as many shapes that are none; beside them strangers'
  /// findings, as many as `strangers` has places (null: none). They and their callers are kept
  /// out of `memory`. Both must outlive the table and what it hands over.
  shape_table(std::size_t max_shapes, memory_budget& memory,
              stranger_places* strangers = nullptr);
  ~shape_table();

  /// Begins a command whose shape has a place, or would find no room for one. Nothing where
  /// admit() needs its details: it has no place yet, or what is said of it is to be renewed, as
  /// when a command is routed worse than those before. `fanout`: of the command, without bits
  /// where it isn't known. No heap.
  [[nodiscard]] std::optional<ticket> begin(const shape_key& key,
                                            routing::routing_class routing = {},
                                            const fanout_view& fanout = {}) noexcept;

  /// Begins one more of a shape that has had its place since the last give_back_quiet() that
  /// gave any back, and the last renew_details(); its fan-out is the same as before. No heap.
  [[nodiscard]] ticket begin_again(ticket of) noexcept {
    ++entries_[of.place]->under_way;
    return of;
  }

  /// Begins `__failed__`. No heap.
  [[nodiscard]] ticket begin_failed() noexcept { return begin_at(failed); }
  /// Begins what isn't told apart, and no finding. No heap.
  [[nodiscard]] ticket begin_rowless() noexcept { return begin_at(rowless); }

  /// Begins what begin() gave nothing for, in a place of its own while there is room.
  [[nodiscard]] ticket admit(shape_details details);

  /// Begins a stranger's finding in one of the strangers' places, or where the finding has its
  /// place already; else `__failed__`.
  [[nodiscard]] ticket admit_strangers(shape_details details);

  /// A known client's command is counted there: no stranger's place any more, while there is
  /// room for others.
  void confirm(ticket of) noexcept;

  /// Counts the command, at its reply, its rejection or its disconnect. True where it is the
  /// first finding of its key on this worker: hand over now, the audit log writes it at once;
  /// it is the first that take() gives. No heap where the caller is known too.
  /// `is_strangers`: the caller gets no place among those of a known client's shape.
  [[nodiscard]] bool complete(ticket of, const shape_ending& how, const caller_view& caller,
                              bool is_strangers = false);

  /// The same where all is known: a place of its own, who sent it, and that it isn't the first.
  /// False where it isn't, and nothing is counted. No heap.
  [[nodiscard]] bool complete_known(ticket of, const shape_ending& how,
                                    std::uint64_t caller_id) noexcept {
    entry& shape = *entries_[of.place];
    if (of.place < shared || !shape.tally.count_known(how, caller_id)) return false;
    --shape.under_way;
    return true;
  }

  /// What is said of where a command was counted, which has just been.
  [[nodiscard]] const std::shared_ptr<const shape_details>& details_of(
      ticket of) const noexcept {
    return entries_[of.place]->details;
  }

  /// What was begun is counted elsewhere.
  void cancel(ticket of) noexcept;

  /// Takes the counts of at most `most` places since they were last taken; they start from
  /// zero. Cheap where nothing came. Where memory fails it, what it could take; throws where
  /// that is nothing. The rest stays for the next time.
  [[nodiscard]] std::vector<shape_delta> take(std::size_t most);
  [[nodiscard]] bool has_counts() const noexcept { return !dirty_.empty(); }

  /// Gives back the places in which nothing was counted for `quiet`, whose counts have been
  /// taken and of which no command is under way; looks for them now and then. How many: after
  /// any, tickets that were completed mean nothing to begin_again().
  std::size_t give_back_quiet(clock::time_point now, std::chrono::nanoseconds quiet);

  /// After a reload of the catalog or the rules: what is said of known shapes is stale, and
  /// begin() takes their keys again when admit() has brought it anew.
  void renew_details() noexcept { ++generation_; }

  [[nodiscard]] std::uint64_t overflow_count() const noexcept { return overflow_; }

 private:
  struct entry {
    explicit entry(memory_budget& memory) noexcept : tally(memory) {}

    void take(std::shared_ptr<const shape_details> said);
    void note(const fanout_view& reached) noexcept;
    [[nodiscard]] bool is_stale(std::uint64_t now, routing::routing_class routing,
                                std::string_view why_in_comment) const noexcept;

    shape_tally tally;
    std::uint32_t under_way = 0;  // tickets that neither were completed nor cancelled
    bool was_seen = false;
    bool is_strangers = false;       // only strangers have come
    bool was_counted_lately = true;  // since the last sweep
    clock::time_point quiet_since;
    std::shared_ptr<const shape_details> details;
    std::uint64_t generation = 0;       // of the details
    std::vector<std::uint64_t> fanout;  // of the last command; has room for one of any
  };
  // The shared places.
  static constexpr std::uint32_t other = 0;
  static constexpr std::uint32_t failed = 1;
  static constexpr std::uint32_t rowless = 2;
  static constexpr std::size_t shared = 3;

  [[nodiscard]] bool is_full(bool for_finding) const noexcept {
    return own_[for_finding ? 1 : 0] >= max_shapes_;
  }
  [[nodiscard]] static std::uint32_t shared_place(bool for_finding) noexcept {
    return for_finding ? other : rowless;
  }
  [[nodiscard]] ticket begin_at(std::uint32_t position) noexcept;
  [[nodiscard]] ticket renew(std::uint32_t position, std::shared_ptr<const shape_details> said);
  std::uint32_t add_own(std::shared_ptr<const shape_details> details);
  void give_up_place(const entry& of) noexcept;
  std::uint32_t add_entry(std::shared_ptr<const shape_details> details);
  [[nodiscard]] bool is_quiet(entry& shape, clock::time_point now,
                              std::chrono::nanoseconds quiet) const noexcept;

  shape_index index_;
  std::vector<std::unique_ptr<entry>> entries_;  // null: a place that was given back
  std::vector<std::uint32_t> free_;              // these
  std::vector<std::uint32_t> dirty_;  // entries with a count; has room for all of them
  std::array<std::size_t, 2> own_{};  // how many have a place: no findings, and findings
  std::size_t max_shapes_;
  memory_budget& memory_;
  stranger_places* strangers_;
  std::uint64_t overflow_ = 0;  // counted in `__other__`
  std::uint64_t generation_ = 0;
  clock::time_point swept_;
};

}  // namespace scattergate::telemetry
