#include "fleet/reading.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "fleet/bson_parts.hpp"
#include "fleet/documents.hpp"

namespace scattergate::fleet {
namespace {

using config::mongo_result;
using wire::document_view;

/// The amount of data read from one collection, compared with its limits.
class reading_meter {
 public:
  reading_meter(std::string_view collection, std::size_t documents,
                const reading_bounds& most) noexcept
      : collection_(collection),
        documents_{documents, 0},
        read_{most.read_bytes, 0},
        kept_{most.kept_bytes, 0} {}

  /// Counts a document. Returns false if it is beyond a limit; don't use it then.
  [[nodiscard]] bool count(document_view each) {
    return add(documents_, 1, "documents") && add(read_, each.size_bytes(), "bytes");
  }
  /// Counts memory that stays in use. Returns false beyond the limit; stop reading then.
  [[nodiscard]] bool count_kept(std::size_t bytes) {
    return add(kept_, bytes, "bytes to keep");
  }
  /// The limit that was reached; empty: none.
  [[nodiscard]] const std::optional<text::problem>& reached() const noexcept {
    return reached_;
  }

 private:
  struct amount {
    std::size_t most;
    std::size_t seen;
  };
  bool add(amount& to, std::size_t more, std::string_view unit) {
    to.seen += more;
    if (to.seen <= to.most) return true;
    reached_ = text::failure("the collection " + std::string{collection_} + " has more than " +
                             std::to_string(to.most) + " " + std::string{unit} +
                             ", and only these were read");
    return false;
  }

  std::string_view collection_;
  amount documents_;
  amount read_;
  amount kept_;
  std::optional<text::problem> reached_;
};

/// Sums up documents of the collections `shapes` and `callers`.
class digest_reading {
 public:
  explicit digest_reading(std::size_t max_rows) : made_{digest::table{max_rows}} {}

  /// Adds a document of the collection `shapes`. Returns false at a limit.
  [[nodiscard]] bool take_shape(document_view each, reading_meter& meter) {
    if (!meter.count(each)) return false;
    ++made_.documents;
    const auto read = read_shape(each);
    if (!read) return skip(read.error());
    if (!read->is_rowless) {
      // A shape has several documents, one for each logical shard.
      const bool is_new = made_.rows.find(read->row.key()) == nullptr;
      if (is_new && !meter.count_kept(each.size_bytes())) return false;
      made_.rows.add(read->row);
      return true;
    }
    digest::totals sums;
    sums.add(static_cast<const digest::counts&>(read->row));
    made_.rows.count_rowless(sums);
    made_.rows.count_evicted(read->evicted_rows, read->error_bound);
    return true;
  }

  /// Adds a document of the collection `callers`. Returns false at a limit. REQUIRES: all
  /// documents of the collection shapes were added.
  [[nodiscard]] bool take_caller(document_view each, reading_meter& meter) {
    if (!meter.count(each)) return false;
    ++made_.documents;
    const auto read = read_caller(each);
    if (!read) return skip(read.error());
    // The reading table may have evicted the row. Its callers are then ignored.
    const digest::row* const of = made_.rows.find(read->row.key());
    if (of == nullptr) return true;
    digest::callers& who = who_[of];
    const std::size_t before = who.bytes();
    who.add(read->row.who);
    add_sender(made_.senders[of], read->sidecar, read->row.who.count());
    return meter.count_kept(who.bytes() - before);
  }

  /// Adds the callers to their rows. Callers' documents expire, but a shape's don't: commands
  /// whose caller's document has expired count as sent by others.
  fleet_digest finish() {
    for (const digest::row* const one : made_.rows.ranked()) {
      digest::row callers;
      callers.database = one->database;
      callers.collection = one->collection;
      callers.command = one->command;
      callers.shape_hash = one->shape_hash;
      callers.what = one->what;
      callers.who = std::move(who_[one]);
      callers.who.add_others(one->count - std::min(one->count, callers.who.count()));
      made_.rows.merge(callers);
    }
    return std::move(made_);
  }

 private:
  bool skip(const text::problem& why) {
    ++made_.unreadable;
    if (!made_.why) made_.why = why;
    return true;
  }

  static void add_sender(shape_senders& to, const std::string& sidecar, std::uint64_t count) {
    const auto known = to.commands.find(sidecar);
    if (known != to.commands.end()) {
      known->second += count;
    } else if (to.commands.size() < shape_senders::most) {
      to.commands.emplace(sidecar, count);
    } else {
      to.has_more = true;
    }
  }

  fleet_digest made_;
  std::unordered_map<const digest::row*, digest::callers> who_;
};

}  // namespace

mongo_result<fleet_digest> read_digest(database& from, std::size_t max_rows,
                                       const reading_bounds& most) {
  digest_reading reading{max_rows};
  reading_meter of_shapes{collections::shapes, most.documents, most};
  const auto shapes = from.find_all(collections::shapes, [&](document_view each) {
    return reading.take_shape(each, of_shapes);
  });
  if (!shapes) return shapes.error();
  reading_meter of_callers{collections::callers, most.documents, most};
  const auto callers = from.find_all(collections::callers, [&](document_view each) {
    return reading.take_caller(each, of_callers);
  });
  if (!callers) return callers.error();
  fleet_digest made = reading.finish();
  made.incomplete = of_shapes.reached() ? of_shapes.reached() : of_callers.reached();
  return made;
}

mongo_result<fleet_status> read_status(database& from, const reading_bounds& most) {
  fleet_status made;
  const auto clocks = from.read_clocks();
  if (!clocks) return clocks.error();
  made.now = clocks->server;
  reading_meter meter{collections::sidecars, most.sidecars, most};
  const auto done = from.find_all(collections::sidecars, [&](document_view each) {
    if (!meter.count(each)) return false;
    made.sidecars.push_back(read_sidecar(each));
    return true;
  });
  if (!done) return done.error();
  made.incomplete = meter.reached();
  std::ranges::sort(made.sidecars, [](const sidecar_status& a, const sidecar_status& b) {
    return a.name != b.name ? a.name < b.name : a.seen_at > b.seen_at;
  });
  return made;
}

}  // namespace scattergate::fleet
