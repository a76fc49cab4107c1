#include "fleet/reading.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "fleet/names.hpp"
#include "fleet/shape_document.hpp"

namespace scattergate::fleet {
namespace {

using config::mongo_result;

/// Sums up documents of the collections `shapes` and `callers`.
class digest_reading {
 public:
  explicit digest_reading(std::size_t max_rows) : made_{digest::table{max_rows}} {}

  void take_shape(wire::document_view each) {
    ++made_.documents;
    const auto read = read_shape(each);
    if (!read) return skip(read.error());
    if (!read->is_rowless) return made_.rows.add(read->row);
    digest::totals sums;
    sums.add(static_cast<const digest::counts&>(read->row));
    made_.rows.count_rowless(sums);
    made_.rows.count_evicted(read->evicted_rows, read->error_bound);
  }

  /// Adds a document of the collection `callers`. REQUIRES: all documents of the collection
  /// shapes were added.
  void take_caller(wire::document_view each) {
    ++made_.documents;
    const auto read = read_caller(each);
    if (!read) return skip(read.error());
    // The reading table may have evicted the row. Its callers are then ignored.
    const digest::row* const of = made_.rows.find(read->row.key());
    if (of == nullptr) return;
    who_[of].add(read->row.who);
    shape_senders& senders = made_.senders[of];
    const auto known = senders.commands.find(read->sidecar);
    if (known != senders.commands.end()) {
      known->second += read->row.who.count();
    } else if (senders.commands.size() < shape_senders::most) {
      senders.commands.emplace(read->sidecar, read->row.who.count());
    } else {
      senders.has_more = true;
    }
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
  void skip(const text::problem& why) {
    ++made_.unreadable;
    if (!made_.why) made_.why = why;
  }

  fleet_digest made_;
  std::unordered_map<const digest::row*, digest::callers> who_;
};

}  // namespace

mongo_result<fleet_digest> read_digest(database& from, std::size_t max_rows) {
  digest_reading reading{max_rows};
  const auto shapes = from.find_all(collections::shapes, [&](wire::document_view each) {
    reading.take_shape(each);
    return true;
  });
  if (!shapes) return shapes.error();
  const auto callers = from.find_all(collections::callers, [&](wire::document_view each) {
    reading.take_caller(each);
    return true;
  });
  if (!callers) return callers.error();
  return reading.finish();
}

mongo_result<fleet_status> read_status(database& from) {
  fleet_status made;
  const auto clocks = from.read_clocks();
  if (!clocks) return clocks.error();
  made.now = clocks->server;
  const auto done = from.find_all(collections::sidecars, [&](wire::document_view each) {
    made.sidecars.push_back(read_sidecar(each));
    return true;
  });
  if (!done) return done.error();
  std::ranges::sort(made.sidecars, [](const sidecar_status& a, const sidecar_status& b) {
    return a.name != b.name ? a.name < b.name : a.seen_at > b.seen_at;
  });
  return made;
}

}  // namespace scattergate::fleet
