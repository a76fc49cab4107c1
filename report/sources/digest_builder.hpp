#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "advise/kept_commands.hpp"
#include "digest/breakdown.hpp"
#include "digest/judge.hpp"
#include "digest/table.hpp"
#include "report/sources/observation.hpp"
#include "routing/catalog/catalog.hpp"
#include "routing/scratch.hpp"
#include "wire/command.hpp"

namespace scattergate::report {

/// Judges earlier results again by the report's catalog, and passes everything on to another
/// observer. Earlier results are those of a proxy or of a saved report. A row has the commands
/// of one shape (a command without its values). Rows that can't be judged again keep their
/// verdict; see kept().
class rejudging_observer final : public observer {
 public:
  /// `to`: receives everything; must outlive this object.
  rejudging_observer(std::shared_ptr<const routing::catalog> catalog, observer& to)
      : judge_(std::move(catalog)), to_(to) {}

  void on_command(const observation& seen) override { to_.on_command(seen); }
  void on_given(observation&& seen) override { to_.on_given(std::move(seen)); }
  void on_row(const digest::row& judged) override;
  void on_digest(const digest::table& judged) override;
  /// Passes on a digest (a table of rows) of shard requests without judging it again, and
  /// records all its shapes in kept(). Judging again would be wrong: the number of shard
  /// requests per command depends on where the chunks were at that time.
  void on_request_digest(const digest::table& judged) override;
  void on_skipped(skip_reason why) override { to_.on_skipped(why); }

  /// Hashes of shapes that keep their earlier verdict.
  [[nodiscard]] const std::set<std::uint64_t>& kept() const noexcept { return kept_; }

 private:
  void note(const digest::row& judged, digest::second_judge::outcome result);

  digest::second_judge judge_;
  observer& to_;
  std::set<std::uint64_t> kept_;
};

/// Commands of one shape (a command without its values) for which mongos asked a different
/// number of shards than predicted. All of them have the same predicted and the same actual
/// number of shards. `name_space`, `command` and `routing` are from the first command.
struct disagreement {
  std::string name_space;
  std::string command;
  std::uint64_t shape_hash = 0;
  std::string routing;          ///< scattergate's verdict
  std::uint32_t predicted = 0;  ///< number of shards by scattergate's verdict
  std::uint32_t actual = 0;     ///< number of shards that mongos asked
  std::uint64_t count = 0;      ///< number of commands
};

/// The comparison of verdicts with the number of shards that a source reports.
struct truth {
  std::uint64_t compared = 0;               ///< number of compared commands
  std::uint64_t agreed = 0;                 ///< commands with equal numbers of shards
  std::vector<disagreement> disagreements;  ///< at most most_disagreements
  /// Number of commands with different numbers of shards that `disagreements` doesn't count,
  /// because it is full.
  std::uint64_t further = 0;

  static constexpr std::size_t most_disagreements = 100;
};

/// Judges the commands of all sources by a catalog, and counts them in a digest (the table of
/// shapes).
class digest_builder final : public observer {
 public:
  /// `into` must outlive this object.
  digest_builder(std::shared_ptr<const routing::catalog> catalog, digest::table& into);

  void on_command(const observation& seen) override;
  void on_row(const digest::row& judged) override;
  void on_digest(const digest::table& judged) override;
  void on_request_digest(const digest::table& judged) override;
  void on_skipped(skip_reason why) override;

  /// From now on, also stores complete commands in `kept`, for the advice on shard keys. `kept`
  /// must outlive this object.
  void keep_in(advise::kept_commands& kept) noexcept { kept_ = &kept; }

  /// Counts of the current source, since next_source().
  struct tally {
    std::uint64_t observations = 0;  ///< commands, entries of query statistics, shard requests
    std::uint64_t shard_requests = 0;  ///< part of `observations`
    std::array<std::uint64_t, skip_reason_count> skipped{};
    std::uint64_t rows = 0;  ///< rows that scattergate has judged already: audit lines, shapes
                             ///< of digests
  };
  /// The counts of the current source.
  [[nodiscard]] const tally& of_source() const noexcept { return tally_; }
  void next_source() noexcept { tally_ = {}; }  ///< begins counting for the next source

  /// The comparison of verdicts with the number of shards, for all sources together.
  [[nodiscard]] const report::truth& truth() const noexcept { return truth_; }

  /// The shard requests: requests of routers in the logs of shards. They are counted apart
  /// from commands, because one command causes several.
  [[nodiscard]] const digest::table& shard_requests() const noexcept { return requests_; }

  /// Sums of all commands by hour, collection and sender.
  [[nodiscard]] const digest::breakdown& parts() const noexcept { return parts_; }
  /// Sums of all shard requests by hour, collection and sender.
  [[nodiscard]] const digest::breakdown& request_parts() const noexcept {
    return request_parts_;
  }

 private:
  /// How the report identifies a shape. If the catalog has a pattern for generated database
  /// names, `in` has this pattern instead of the name.
  struct shape_name {
    wire::namespace_view in;
    std::uint64_t hash = 0;
    std::string text;  ///< the shape's text, with the database of `in`; empty if `in` is
                       ///< the command's own namespace: the text is unchanged
  };
  struct judged_shape {
    std::uint64_t hash = 0;
    std::string_view text;
  };
  [[nodiscard]] shape_name reported_name(wire::namespace_view given, std::string_view command,
                                         const judged_shape& shape) const;
  [[nodiscard]] shape_name reported_name(const digest::row& judged) const;

  void add(const digest::row& judged);
  void count(const observation& seen, const wire::command& judged, const std::string& name);
  void compare(const routing::verdict& verdict, const std::string& name,
               std::uint64_t shape_hash, std::uint32_t actual);

  std::shared_ptr<const routing::catalog> catalog_;
  digest::judge judge_;
  digest::table& table_;
  advise::kept_commands* kept_ = nullptr;  ///< null: commands aren't kept
  digest::table requests_;
  digest::breakdown parts_;
  digest::breakdown request_parts_;
  std::vector<std::byte> shape_block_ = std::vector<std::byte>(routing::scratch_bytes);
  routing::scratch shape_memory_{shape_block_};
  tally tally_;
  report::truth truth_;
};

}  // namespace scattergate::report
