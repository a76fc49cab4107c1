#include "fleet/flush.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "digest/row.hpp"
#include "digest/stored.hpp"
#include "fleet/bson_parts.hpp"
#include "fleet/database.hpp"

namespace scattergate::fleet {
namespace {

using config::mongo_error;
using config::mongo_failure;
using config::mongo_result;
using wire::bson_writer;
using wire::document_view;

/// The maximum number of rows to read: more than a state file of the maximum size can have.
constexpr std::size_t max_rows = 2'000'000;

bool is_before(const digest::row& a, const digest::row& b) {
  return std::tie(a.database, a.collection, a.command, a.shape_hash) <
         std::tie(b.database, b.collection, b.command, b.shape_hash);
}

/// The maximum number of documents per flush, and of removed marks per document.
constexpr std::size_t most_documents = 4;
constexpr std::size_t most_marks = 1'000;

std::vector<std::string> expired_marks_in(wire::document_view document, digest::wall_time now) {
  std::vector<std::string> found;
  wire::document_reader reader{document_in(document, "marks")};
  for (wire::element one; reader.next(one) && found.size() < most_marks;) {
    const auto mark = one.as_document();
    const auto at = mark ? date_in(*mark, "expiresAt") : std::nullopt;
    if (at && *at < now) found.emplace_back(one.key());
  }
  return found;
}

document key_of(const std::string& shape, std::uint32_t n) {
  bson_writer to;
  to.text("_id", shape_id(shape, n));
  to.text("shape", shape);
  to.int32("n", static_cast<std::int32_t>(n));
  return to.take();
}

/// One statement for each mark. It matches only if the mark is still expired, so it keeps a
/// mark that another flush has written since.
database::statements removals(const document& key, const std::vector<std::string>& sidecars,
                              digest::wall_time now) {
  database::statements all;
  for (const std::string& uuid : sidecars) {
    const std::string path = "marks." + uuid;
    bson_writer filter{view_of(key)};
    filter.open_document(path + ".expiresAt");
    append_date(filter, "$lt", now);
    filter.close();
    bson_writer to;
    to.document("q", view_of(filter.take()));
    to.open_document("u");
    to.open_document("$unset");
    to.boolean(path, true);
    to.close();
    to.close();
    all.push_back(to.take());
  }
  return all;
}

/// A transaction that conflicts is tried this often, with pauses in between. `first_pause` is
/// their base: the pause doubles with each try, times a random factor of 1 to 4.
constexpr int most_tries = 6;
constexpr std::chrono::milliseconds first_pause{5};

constexpr std::string_view by_transactions = "transactions";
constexpr std::string_view by_marks = "marks";

/// The part of a sidecar's document that flushes maintain: the last completed flush, and the
/// last one that began.
struct flush_record {
  std::uint64_t last = 0;   ///< the completed flush's number; 0: none
  std::string last_id;      ///< the id of its delta
  std::uint64_t begun = 0;  ///< the begun flush's number; 0: none
  std::string begun_id;     ///< the id of its delta
  std::string how;          ///< `by_transactions` or `by_marks`, for the begun flush
  document session{};       ///< the id of its transactions' session; empty: none

  /// Whether the begun flush is incomplete and may have left a transaction open.
  [[nodiscard]] bool is_open() const noexcept { return begun != last && !session.empty(); }

  static flush_record of(document_view sidecar) {
    const document_view last = document_in(sidecar, "lastFlush");
    const document_view begun = document_in(sidecar, "begunFlush");
    const document_view session = document_in(begun, "session");
    flush_record made{number_in(last, "number"), text_in(last, "id"),
                      number_in(begun, "number"), text_in(begun, "id"), text_in(begun, "how")};
    if (!session.is_empty()) {
      made.session.assign(session.bytes().begin(), session.bytes().end());
    }
    return made;
  }
};

mongo_error failed(std::string text) {
  return {mongo_failure::command_failed, 0, std::move(text)};
}

mongo_error out_of_time() {
  return failed("the lease or the grace time ended during the flush");
}

mongo_error lost_to_another() {
  return failed("another process has taken over this sidecar's name");
}

/// A failed statement as an error that names its document. Marks the error as transient if two
/// sidecars have created or written the same document at the same time: their transactions
/// conflict, and this one may be retried.
mongo_error failure_of(const failed_statement& one, std::string_view collection,
                       const std::vector<document>& statements) {
  constexpr std::int32_t write_conflict = 112;
  mongo_error error = error_of(one);
  error.text += " (code " + std::to_string(one.code) + ")";
  if (one.index < statements.size()) {
    error.text += ", in the document " +
                  text_in(document_in(view_of(statements[one.index]), "q"), "_id") +
                  " of the collection " + std::string{collection};
  }
  error.is_transient = one.code == duplicate_key || one.code == write_conflict;
  return error;
}

/// A number from 0 to `over` - 1 that depends on `text` only, evenly distributed.
std::uint32_t spread(std::string_view text, std::uint32_t over) {
  std::uint64_t hash = 0;
  for (const char each : text) {
    hash = (hash ^ static_cast<unsigned char>(each)) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29U;
  }
  return static_cast<std::uint32_t>(hash % std::max<std::uint32_t>(over, 1));
}

class flush_run {
 public:
  flush_run(database& to, const flush_identity& identity, const frozen_delta& delta,
            flush_plan plan)
      : to_(to),
        by_(identity),
        delta_(delta),
        plan_(std::move(plan)),
        lock_id_(identity.uuid + ":" + std::to_string(delta.number)) {}

  mongo_result<flush_end> run(digest::wall_time now) {
    const auto found = to_.find_one(collections::sidecars, view_of(by_id(by_.uuid)));
    if (!found) return found.error();
    const auto record = *found ? flush_record::of(view_of(**found)) : flush_record{};
    if (has_later(record)) return flush_end::superseded;
    if (record.last == delta_.number) return flush_end::acknowledged;
    if (now > delta_.expires_at) return flush_end::expired;
    if (record.is_open()) {
      // This must happen before begin() overwrites the session's id, its only record.
      const auto ended = to_.end_session(view_of(record.session));
      if (!ended) return ended.error();
    }
    const bool goes_on = record.begun == delta_.number;
    const bool in_transactions =
        goes_on ? record.how == by_transactions : to_.has_transactions();
    if (in_transactions && !to_.has_transactions()) {
      return failed("this flush began in transactions, which the database no longer supports");
    }
    const auto done = in_transactions ? in_batches() : with_marks();
    if (!done) return done.error();
    if (const auto ended = end(); !ended) return ended.error();
    if (in_transactions) {
      remove_earlier_lock();
    } else {
      prune_marks(to_, plan_, place(true), now);
    }
    return flush_end::acknowledged;
  }

 private:
  /// When the records of this flush expire.
  [[nodiscard]] digest::wall_time keep_until() const {
    return delta_.expires_at + records_outlive_delta;
  }

  [[nodiscard]] bool may_go_on() const { return !by_.may_go_on || by_.may_go_on(); }

  [[nodiscard]] bool has_later(const flush_record& record) const {
    const auto is_later = [this](std::uint64_t number, const std::string& id) {
      return number > delta_.number || (number == delta_.number && id != delta_.id);
    };
    return is_later(record.last, record.last_id) || is_later(record.begun, record.begun_id);
  }

  /// A flush writes to the same logical shard of every shape. With transactions, each delta
  /// gets a random logical shard. With marks, each sidecar always uses the same one, so that a
  /// document contains the marks of few sidecars.
  [[nodiscard]] flush_place place(bool has_marks) const {
    const std::string& text = has_marks ? by_.uuid : delta_.id;
    return {by_.uuid, delta_.number, spread(text, delta_.logical_shards), has_marks,
            keep_until()};
  }

  /// Records in the sidecar's document that this flush has begun. The record shows that an
  /// older copy of the state file is stale. Fails if the document has another token.
  mongo_result<void> begin(std::string_view how, std::optional<document_view> session) {
    bson_writer to;
    to.open_document("q");
    to.text("_id", by_.uuid);
    to.text("token", by_.token);
    to.close();
    to.open_document("u");
    to.open_document("$set");
    to.open_document("begunFlush");
    to.int64("number", static_cast<std::int64_t>(delta_.number));
    to.text("id", delta_.id);
    to.text("how", how);
    if (session) to.document("session", *session);
    to.close();
    to.close();
    to.close();
    return write_sidecar(to.take());
  }

  /// Records in the sidecar's document that this flush is complete. Fails if another flush has
  /// begun since.
  mongo_result<void> end() {
    bson_writer to;
    to.open_document("q");
    to.text("_id", by_.uuid);
    to.text("begunFlush.id", delta_.id);
    to.close();
    to.open_document("u");
    to.open_document("$set");
    to.open_document("lastFlush");
    to.int64("number", static_cast<std::int64_t>(delta_.number));
    to.text("id", delta_.id);
    to.int64("commands", static_cast<std::int64_t>(delta_.commands));
    to.close();
    append_date(to, "flushedUpTo", delta_.at);
    to.close();
    append_server_time(to, "flushedAt");
    to.close();
    return write_sidecar(to.take());
  }

  mongo_result<void> write_sidecar(document statement) {
    const database::statements all{std::move(statement)};
    const auto done = to_.update(collections::sidecars, all);
    if (!done) return done.error();
    if (!done->failed.empty()) {
      return failure_of(done->failed.front(), collections::sidecars, all);
    }
    if (done->matched == 0) return lost_to_another();
    return {};
  }

  // With transactions: each transaction writes one batch, and the progress in the lock
  // document.

  mongo_result<void> in_batches() {
    if (const auto made = make_lock(); !made) return made.error();
    for (const statistics_kind kind : statistics) {
      const auto progress = read_progress(kind);
      if (!progress) return progress.error();
      for (std::size_t at = *progress; at < plan_.size(kind);) {
        const auto next = write_batch(kind, at);
        if (!next) return next.error();
        at = *next;
      }
    }
    return {};
  }

  /// Creates the flush's lock document, with a progress of 0. Succeeds if it exists.
  mongo_result<void> make_lock() {
    bson_writer to;
    to.open_document("q");
    to.text("_id", lock_id_);
    to.close();
    to.open_document("u");
    to.open_document("$setOnInsert");
    to.int32("schemaVersion", schema_version);
    to.text("id", delta_.id);
    for (const statistics_kind kind : statistics) to.int64(collection_of(kind), 0);
    append_date(to, "expiresAt", keep_until());
    to.close();
    to.close();
    to.boolean("upsert", true);
    const database::statements all{to.take()};
    const auto done = to_.update(collections::locks, all);
    if (!done) return done.error();
    if (done->failed.empty() || done->failed.front().code == duplicate_key) return {};
    return failure_of(done->failed.front(), collections::locks, all);
  }

  /// The number of statements that are written, according to the lock document.
  mongo_result<std::size_t> read_progress(statistics_kind kind) {
    const auto found = to_.find_one(collections::locks, view_of(by_id(lock_id_)));
    if (!found) return found.error();
    return *found ? number_in(view_of(**found), collection_of(kind)) : 0;
  }

  /// `{q: {_id: LOCK, KIND: from}, u: {$set: {KIND: next}}}`: advances the progress over a
  /// batch. Matches nothing if an earlier attempt has written the batch.
  [[nodiscard]] document progress_statement(statistics_kind kind, std::size_t from,
                                            std::size_t next) const {
    bson_writer to;
    to.open_document("q");
    to.text("_id", lock_id_);
    to.int64(collection_of(kind), static_cast<std::int64_t>(from));
    to.close();
    to.open_document("u");
    to.open_document("$set");
    to.int64(collection_of(kind), static_cast<std::int64_t>(next));
    to.close();
    to.close();
    return to.take();
  }

  /// Writes one batch in a transaction. Returns the index after it, or a later one that an
  /// earlier attempt has reached. Retries after a conflict with another sidecar.
  mongo_result<std::size_t> write_batch(statistics_kind kind, std::size_t from) {
    const auto batch = plan_.batch(kind, from, place(false));
    const document lock = progress_statement(kind, from, from + batch.size());
    for (int tries = 1;; ++tries) {
      const auto done = try_batch(kind, batch, lock);
      if (done) return from + batch.size();
      if (done.error().kind == mongo_failure::unreachable) return done.error();
      to_.abort();
      if (!done.error().is_transient || tries == most_tries) return done.error();
      std::this_thread::sleep_for(first_pause * (1 << tries) * (1 + spread(random_id(), 4)));
      const auto progress = read_progress(kind);
      if (!progress) return progress.error();
      if (*progress > from) return *progress;
    }
  }

  mongo_result<void> try_batch(statistics_kind kind, const std::vector<document>& batch,
                               const document& lock) {
    if (!may_go_on()) return out_of_time();
    const auto session = to_.begin_transaction();
    if (!session) return session.error();
    if (!is_begun_) {
      if (const auto begun = begin(by_transactions, view_of(*session)); !begun) {
        return begun.error();
      }
      is_begun_ = true;
    }
    const auto locked = to_.update_in_transaction(collections::locks, {lock});
    if (!locked) return locked.error();
    if (!locked->failed.empty()) {
      return failure_of(locked->failed.front(), collections::locks, {lock});
    }
    if (locked->matched == 0) return done_already();
    const auto written = to_.update_in_transaction(collection_of(kind), batch);
    if (!written) return written.error();
    if (!written->failed.empty()) {
      return failure_of(written->failed.front(), collection_of(kind), batch);
    }
    return commit();
  }

  /// The error if an earlier attempt has written the batch. It is transient: write_batch() then
  /// reads the progress again, and continues behind the batch.
  [[nodiscard]] mongo_error done_already() const {
    mongo_error error =
        failed("the progress in the document " + lock_id_ + " of the collection locks changed");
    error.is_transient = true;
    return error;
  }

  /// Commits. Repeats the commit while its outcome is unknown, which is safe: the server
  /// commits a transaction only once.
  mongo_result<void> commit() {
    auto done = to_.commit();
    const auto may_repeat = [&done] {
      return !done && done.error().is_outcome_unknown &&
             done.error().kind != mongo_failure::unreachable;
    };
    for (int tries = 1; may_repeat() && tries < most_tries; ++tries) done = to_.commit();
    return done;
  }

  // Without transactions: each document stores a mark of the flush.

  mongo_result<void> with_marks() {
    if (const auto begun = begin(by_marks, std::nullopt); !begun) return begun.error();
    const flush_place at = place(true);
    for (const statistics_kind kind : statistics) {
      for (std::size_t from = 0; from < plan_.size(kind);) {
        const auto batch = plan_.batch(kind, from, at);
        if (const auto done = write_marked(kind, from, batch, at); !done) return done.error();
        from += batch.size();
      }
    }
    return {};
  }

  /// Writes one batch. A statement fails with DuplicateKey in two cases: its document already
  /// has this flush's mark, or another sidecar has just created the document. Such statements
  /// are repeated without creating a document; in the first case this changes nothing.
  mongo_result<void> write_marked(statistics_kind kind, std::size_t from,
                                  const std::vector<document>& batch, const flush_place& at) {
    if (!may_go_on()) return out_of_time();
    const auto done = to_.update(collection_of(kind), batch, false);
    if (!done) return done.error();
    std::vector<document> again;
    for (const failed_statement& one : done->failed) {
      if (one.code != duplicate_key) return failure_of(one, collection_of(kind), batch);
      if (one.index >= batch.size()) return failed("an error of no statement");
      again.push_back(plan_.statement(kind, from + one.index, at, when_missing::skip));
    }
    if (again.empty()) return {};
    const auto repeated = to_.update(collection_of(kind), again, false);
    if (!repeated) return repeated.error();
    if (!repeated->failed.empty()) {
      return failure_of(repeated->failed.front(), collection_of(kind), again);
    }
    return {};
  }

  /// Deletes the lock document of the flush before this one. Ignores errors: it also expires.
  void remove_earlier_lock() {
    const std::string earlier = by_.uuid + ":" + std::to_string(delta_.number - 1);
    static_cast<void>(to_.remove(collections::locks, view_of(by_id(earlier))));
  }

  database& to_;
  const flush_identity& by_;
  const frozen_delta& delta_;
  flush_plan plan_;
  std::string lock_id_;
  bool is_begun_ = false;
};

}  // namespace

void prune_marks(database& db, const flush_plan& of, const flush_place& at,
                 digest::wall_time now) {
  std::vector<std::size_t> all(of.size(statistics_kind::shapes));
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::size_t> chosen;
  std::minstd_rand random{std::random_device{}()};
  std::ranges::sample(all, std::back_inserter(chosen), most_documents, random);
  for (const std::size_t index : chosen) {
    const document key = key_of(of.shape(index), at.n);
    const auto found = db.find_one(collections::shapes, view_of(key));
    if (!found || !*found) return;
    const auto expired = expired_marks_in(view_of(**found), now);
    if (expired.empty()) continue;
    if (!db.update(collections::shapes, removals(key, expired, now))) return;
  }
}

std::string_view collection_of(statistics_kind kind) noexcept {
  return kind == statistics_kind::shapes ? collections::shapes : collections::callers;
}

text::result<flush_plan> flush_plan::of(const frozen_delta& delta) {
  const digest::stored_digest read = digest::read_stored(delta.rows, max_rows);
  if (read.end) return *read.end;
  return flush_plan{read.rows};
}

flush_plan::flush_plan(const digest::table& delta)
    : rowless_{delta.rowless(), delta.evicted_rows(), delta.error_bound()} {
  for (const digest::row* const one : delta.ranked()) {
    if (one->count != 0) rows_.push_back(*one);
  }
  std::ranges::sort(rows_, is_before);
  has_rowless_ = rowless_.sums.commands != 0 || rowless_.evicted_rows != 0;
  for (const digest::row& one : rows_) {
    for (digest::caller& who : one.who.all()) callers_.push_back({&one, std::move(who), false});
    if (one.who.others() == 0) continue;
    digest::caller others;
    others.count = one.who.others();
    callers_.push_back({&one, std::move(others), true});
  }
}

std::size_t flush_plan::size(statistics_kind kind) const noexcept {
  if (kind == statistics_kind::callers) return callers_.size();
  return rows_.size() + (has_rowless_ ? 1 : 0);
}

std::vector<std::byte> flush_plan::statement(statistics_kind kind, std::size_t index,
                                             const flush_place& at,
                                             when_missing missing) const {
  if (kind == statistics_kind::callers) return caller_statement(callers_[index], at, missing);
  if (index < rows_.size()) return shape_statement(rows_[index], at, missing);
  return rowless_statement(rowless_, at, missing);
}

std::string flush_plan::shape(std::size_t index) const {
  return index < rows_.size() ? shape_name(rows_[index].key()) : std::string{rowless_shape};
}

std::vector<std::vector<std::byte>> flush_plan::batch(statistics_kind kind, std::size_t from,
                                                      const flush_place& at) const {
  std::vector<std::vector<std::byte>> made;
  std::size_t bytes = 0;
  for (std::size_t i = from; i < size(kind) && made.size() < most_statements; ++i) {
    auto one = statement(kind, i, at, when_missing::create);
    bytes += one.size();
    if (bytes > most_bytes && !made.empty()) break;
    made.push_back(std::move(one));
  }
  return made;
}

mongo_result<flush_end> flush(database& to, const flush_identity& identity,
                              const frozen_delta& delta, digest::wall_time now) {
  auto plan = flush_plan::of(delta);
  if (!plan) return failed("the frozen delta can't be read: " + to_string(plan.error()));
  return flush_run{to, identity, delta, *std::move(plan)}.run(now);
}

mongo_result<file_standing> standing_of(database& db, const std::string& uuid,
                                        std::uint64_t acknowledged) {
  const auto found = db.find_one(collections::sidecars, view_of(by_id(uuid)));
  if (!found) return found.error();
  const auto record = *found ? flush_record::of(view_of(**found)) : flush_record{};
  if (record.last > acknowledged || record.begun > acknowledged) {
    return file_standing::superseded;
  }
  return record.begun == 0 ? file_standing::unknown : file_standing::current;
}

}  // namespace scattergate::fleet
