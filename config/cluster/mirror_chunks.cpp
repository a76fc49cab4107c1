// The part of mirror_load that decides which chunks to read, and reads those of one collection.

#include <algorithm>

#include "config/cluster/mirror_load.hpp"

namespace scattergate::config {
namespace {

using wire::document_view;

/// The maximum number of collections without commands from clients that one load checks: as
/// many as one query covers.
constexpr std::size_t unused_per_load = 500;

/// For this many loads, contradictory chunks are read again at the next load; after that, at
/// the next thorough load.
constexpr unsigned patient_loads = 3;

}  // namespace

bool mirror_load::must_read(const tracked& of) const {
  if (depth_ == load_depth::everything || of.key_only == key_only_reason::not_read) return true;
  if (depth_ == load_depth::collections || !of.key_only) return false;
  const bool is_new_trouble =
      of.key_only == key_only_reason::inconsistent && of.inconsistencies <= patient_loads;
  return is_new_trouble || depth_ == load_depth::thorough;
}

bool mirror_load::is_in_use(tracked& of) const {
  if (of.use->test_and_clear()) of.used_at = begun_;
  return of.used_at && begun_ - *of.used_at < hooks_.stays_in_use;
}

std::vector<mirror_load::tracked*> mirror_load::whole_to_read() {
  std::vector<tracked*> due;
  for (auto& [name, one] : mirror_.collections_) {
    if (one.is_sharded() && must_read(one)) due.push_back(&one);
  }
  return due;
}

/// The collections whose new chunks this load reads: all collections in use, and some of the
/// others, in turn.
std::vector<mirror_load::tracked*> mirror_load::newer_to_read() {
  std::vector<tracked*> due;
  std::vector<tracked*> unused;
  if (depth_ < load_depth::chunks) return due;
  for (auto& [name, one] : mirror_.collections_) {
    if (!one.is_sharded() || must_read(one) || one.key_only) continue;
    (is_in_use(one) ? due : unused).push_back(&one);
  }
  for (std::size_t i = 0; i < std::min(unused.size(), unused_per_load); ++i) {
    due.push_back(unused[mirror_.turn_++ % unused.size()]);
  }
  return due;
}

bool mirror_load::read_all_chunks() {
  const auto newer = newer_to_read();
  auto whole = whole_to_read();
  // Publish first: verdicts' classes need no chunks, so commands don't have to wait for them.
  if (!newer.empty() || !whole.empty()) publish();
  return read_newer_of_all(newer) && read_whole_of_all(std::move(whole));
}

bool mirror_load::read_chunks(tracked& of) {
  bool is_consistent = false;
  if (of.chunks && of.chunks->version() && depth_ != load_depth::everything && !of.key_only) {
    if (!read_newer_chunks(of, is_consistent)) return false;
  }
  // Chunks may have moved between two batches: read again before reporting a contradiction.
  const std::size_t skipped = skipped_chunks_;
  for (int attempt = 0; attempt < 2 && !is_consistent; ++attempt) {
    skipped_chunks_ = skipped;
    if (!read_whole(of, is_consistent)) return false;
  }
  if (is_consistent) {
    of.inconsistencies = 0;
    return true;
  }
  if (of.inconsistencies++ == 0) {
    outcome_.notes.push_back(
        "the chunks of " + of.record.made.full_name() + " contradict each other: " +
        (of.chunks ? "the previous ones stay in use" : "they count as unknown"));
  }
  of.key_only = key_only_reason::inconsistent;
  return true;
}

bool mirror_load::read_newer_chunks(tracked& of, bool& is_consistent) {
  const auto since = of.chunks->version();
  auto newer = fetch_chunks(of, of.record.is.has_chunks_by_uuid(), since, all_room());
  if (!newer) return fail(newer.error());
  const auto& found = newer->chunks;
  if (found.empty()) return true;  // the newest known chunk, at least, must still exist
  if (found.size() == 1 && of.chunks->has(found.front())) {
    is_consistent = true;
    return true;
  }
  chunk_set merged = *of.chunks;
  merged.merge(std::move(newer->chunks));
  const chunk_room needed{merged.size(), merged.memory_bytes()};
  is_consistent = merged.is_whole(of.record.made) && needed.fits(room_beside(of));
  if (is_consistent) settle(of, std::move(merged), std::nullopt);
  return true;
}

bool mirror_load::read_whole(tracked& of, bool& is_consistent) {
  const chunk_room room = room_beside(of);
  const bool by_uuid = of.record.is.has_chunks_by_uuid();
  auto all = fetch_chunks(of, by_uuid, std::nullopt, room);
  // During an upgrade to 5.0, chunks may still be named in the other way.
  if (all && all->chunks.empty() && (by_uuid || !of.record.is.uuid.empty())) {
    all = fetch_chunks(of, !by_uuid, std::nullopt, room);
  }
  if (!all) return fail(all.error());
  if (!all->fits(room)) {
    if (of.key_only != key_only_reason::max_chunks) {
      outcome_.notes.push_back(
          "the chunks of " + of.record.made.full_name() + " count as unknown, for " +
          (all->chunks.size() > room.chunks ? "catalog.max_chunks"
                                            : "the catalog's share of limits.memory"));
    }
    settle(of, std::nullopt, key_only_reason::max_chunks);
    is_consistent = true;
    return true;
  }
  chunk_set read;
  read.merge(std::move(all->chunks));
  is_consistent = read.is_whole(of.record.made);
  if (is_consistent) settle(of, std::move(read), std::nullopt);
  return true;
}

void mirror_load::chunk_batch::add(chunk_update update) {
  bytes += memory_of(update);
  chunks.push_back(std::move(update));
}

/// The room for chunks of all collections: the limits without the memory of other records.
mirror_load::chunk_room mirror_load::all_room() const {
  const auto& bounds = mirror_.bounds_;
  return {bounds.chunks, bounds.bytes - std::min(bounds.bytes, record_bytes_ + views_.bytes())};
}

/// The room that the chunks of all other collections leave for these.
mirror_load::chunk_room mirror_load::room_beside(batch some) const {
  chunk_room others{chunks_known_, chunk_bytes_};
  for (const tracked* one : some) {
    if (!one->chunks) continue;
    others.chunks -= one->chunks->size();
    others.bytes -= one->chunks->memory_bytes();
  }
  const chunk_room all = all_room();
  return {all.chunks - std::min(all.chunks, others.chunks),
          all.bytes - std::min(all.bytes, others.bytes)};
}

mongo_result<mirror_load::chunk_batch> mirror_load::fetch_chunks(
    const tracked& of, bool by_uuid, std::optional<chunk_version> from, chunk_room room) {
  chunk_batch found;
  const routing::collection& made = of.record.made;
  const auto filter = chunk_filter(made, of.record.is, by_uuid, from);
  mirror_.facts_.reads.fetch_add(1);
  const auto take = [&](document_view bytes) {
    if (hooks_.is_stopped()) return false;
    const auto record = read_chunk(bytes);
    // A server that applies the filter sends no others.
    const bool is_requested = record && record->is_of(made, of.record.is) &&
                              (!from || !record->version || *record->version >= *from);
    if (record && !is_requested) return found.fits(room);
    auto update = record ? read_update(made, *record) : text::failure("no chunk");
    if (update) {
      found.add(*std::move(update));
    } else {
      ++skipped_chunks_;
    }
    return found.fits(room);
  };
  const auto read =
      from_.find("config", "chunks", view_of(filter), view_of(chunk_options()), take);
  if (!read) return read.error();
  if (hooks_.is_stopped()) return mongo_error{mongo_failure::command_failed, 0, "stopped"};
  return found;
}

}  // namespace scattergate::config
