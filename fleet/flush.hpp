#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "digest/table.hpp"
#include "fleet/database.hpp"
#include "fleet/documents.hpp"
#include "fleet/stored_ledger.hpp"
#include "text/problem.hpp"

namespace scattergate::fleet {

/// The kinds of statistics that a flush (adding a sidecar's counts to the fleet's database)
/// writes, each to its own collection.
enum class statistics_kind : std::uint8_t { shapes, callers };
/// All kinds, in the order in which a flush writes them.
inline constexpr std::array statistics{statistics_kind::shapes, statistics_kind::callers};
/// The name of the collection for this kind of statistics.
[[nodiscard]] std::string_view collection_of(statistics_kind kind) noexcept;

/// The update statements that write a frozen delta (the counts of one flush;
/// fleet/stored_ledger.hpp): one list for each kind of statistics. The order in each list
/// depends only on the delta, so a flush that resumes after a crash can continue by index.
class flush_plan {
 public:
  /// The maximum number of statements in a batch.
  static constexpr std::size_t most_statements = 500;
  /// The maximum size of a batch's statements, in bytes. A single larger statement is a batch
  /// of its own.
  static constexpr std::size_t most_bytes = 8UL << 20;

  /// Parses the rows of a delta. Returns a problem if the rows are invalid.
  [[nodiscard]] static text::result<flush_plan> of(const frozen_delta& delta);

  flush_plan(flush_plan&&) = default;
  flush_plan& operator=(flush_plan&&) = default;

  /// The number of statements of this kind.
  [[nodiscard]] std::size_t size(statistics_kind kind) const noexcept;

  /// Builds the statement at `index`, for the flush and the logical shard (one of a shape's
  /// documents) in `at`. `missing`: whether the statement creates a missing document.
  /// REQUIRES: index < size(kind).
  [[nodiscard]] std::vector<std::byte> statement(statistics_kind kind, std::size_t index,
                                                 const flush_place& at,
                                                 when_missing missing) const;

  /// Builds the statements of one batch, starting at index `from`: as many as fit, at least
  /// one. The statements create missing documents. REQUIRES: from < size(kind).
  [[nodiscard]] std::vector<std::vector<std::byte>> batch(statistics_kind kind,
                                                          std::size_t from,
                                                          const flush_place& at) const;

  /// The name of a statement's shape; see shape_name(). `index`: the statement's index among
  /// the statements of the kind `shapes`. REQUIRES: index < size(statistics_kind::shapes).
  [[nodiscard]] std::string shape(std::size_t index) const;

 private:
  explicit flush_plan(const digest::table& delta);

  std::vector<digest::row> rows_;  // sorted by key
  rowless_counts rowless_;
  bool has_rowless_ = false;            // whether rowless_ counts anything
  std::vector<caller_counts> callers_;  // point to rows_
};

/// Removes expired marks from a few documents of the collection `shapes`. A mark records in a
/// document that a flush has counted there. Chooses the documents at random among those that
/// the flush `of` has written to the logical shard in `at`, so that repeated calls cover all of
/// them. `now`: the server's time. Ignores errors; a later flush retries.
void prune_marks(database& db, const flush_plan& of, const flush_place& at,
                 digest::wall_time now);

/// How long the database keeps the records of a flush after its delta has expired. A flush adds
/// a delta (one sidecar's counts since the previous delta) to the database. The flush's records
/// are marks in documents, or the lock document; they show whether the delta was counted.
inline constexpr std::chrono::hours records_outlive_delta{24};

/// Identifies the sidecar (scattergate daemon) and the process that run a flush, and limits the
/// flush's time.
struct flush_identity {
  std::string uuid;   ///< the sidecar's uuid, from its state file
  std::string token;  ///< the process's random token. If the sidecar's document has another
                      ///< token, another process has taken over, and the flush fails
  /// flush() calls this before each batch. Returns false once the time for the flush or the
  /// lease on the sidecar's name has ended. Then flush() fails; a later call of flush() resumes
  /// the flush. Empty: no limit.
  std::function<bool()> may_go_on{};
};

/// The outcome of a flush.
enum class flush_end : std::uint8_t {
  acknowledged,  ///< the database has counted the delta, in this attempt or an earlier attempt
  superseded,    ///< a flush of another delta, with the same or a higher number, has begun or
                 ///< ended: the state file is a stale copy; nothing was written
  expired,       ///< the delta has expired, so it is unknown whether an earlier attempt counted
                 ///< it; nothing was written
};

/// Adds a frozen delta to the database, or resumes an earlier attempt to add it. The database
/// counts the delta exactly once, however often the flush is retried. A new flush uses
/// transactions if the server supports them; otherwise each document stores a mark of the
/// flush. A resumed flush continues in the way in which it began. Fails if another process has
/// taken over the sidecar's name. `now`: the server's time. REQUIRES: the sidecar's document
/// exists; see write_facts().
[[nodiscard]] config::mongo_result<flush_end> flush(database& to,
                                                    const flush_identity& identity,
                                                    const frozen_delta& delta,
                                                    digest::wall_time now);

/// Whether a sidecar's state file is up to date, according to the database. Only for a file
/// without a frozen delta; for any other file, flush() finds out.
enum class file_standing : std::uint8_t {
  current,     ///< the database has a flush of this sidecar, but none with a number above
               ///< `acknowledged`
  superseded,  ///< the database has a flush of this sidecar with a number above
               ///< `acknowledged`: the file is a stale copy
  unknown,     ///< the database has no flush of this sidecar at all: the sidecar or the
               ///< database is new, or the sidecar's document has expired
};
/// Asks the database whether a sidecar's state file is up to date. `uuid`: the sidecar's uuid.
/// `acknowledged`: the number of the last flush that the database has acknowledged, according
/// to the file.
[[nodiscard]] config::mongo_result<file_standing> standing_of(database& db,
                                                              const std::string& uuid,
                                                              std::uint64_t acknowledged);

}  // namespace scattergate::fleet
