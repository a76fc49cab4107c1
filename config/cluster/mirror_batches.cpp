// The part of mirror_load that asks about the chunks of many collections at once: on a cluster
// with thousands, one query for each would take longer than the time between two loads.

#include <algorithm>
#include <unordered_map>

#include "config/cluster/mirror_load.hpp"

namespace scattergate::config {
namespace {

using wire::document_view;

/// The maximum number of collections in one query. The query stays below 100 kB, and costs the
/// config server less than listing its collections.
constexpr std::size_t most_checked_together = 500;
constexpr std::size_t most_read_together = 200;

/// The collection's UUID or namespace, by which chunk records refer to it.
std::string name_of(const collection_record& record, bool by_uuid) {
  if (!by_uuid) return record.made.full_name();
  return {reinterpret_cast<const char*>(record.is.uuid.data()), record.is.uuid.size()};
}

std::string name_of(const chunk_record& chunk, bool by_uuid) {
  if (!by_uuid) return std::string{chunk.name_space};
  return {reinterpret_cast<const char*>(chunk.uuid.data()), chunk.uuid.size()};
}

/// The query for the chunks of some collections. The chunk records refer to all of them by
/// UUID, or to all by namespace.
struct question {
  template <typename Tracked>
  explicit question(std::span<Tracked* const> about)
      : by_uuid(about.front()->record.is.has_chunks_by_uuid()) {
    for (const Tracked* one : about) {
      positions.emplace(name_of(one->record, by_uuid), requested.size());
      const auto since = one->chunks ? one->chunks->version() : std::nullopt;
      requested.push_back(
          {&one->record.made, &one->record.is, since.value_or(chunk_version{})});
    }
  }

  /// The index of the collection to which a chunk belongs; the number of collections if it
  /// belongs to none of them. A server that applies the filter sends no such chunk.
  [[nodiscard]] std::size_t position_of(const chunk_record& chunk) const {
    const auto found = positions.find(name_of(chunk, by_uuid));
    if (found == positions.end()) return requested.size();
    const auto& one = requested[found->second];
    return chunk.is_of(*one.of, *one.is) ? found->second : requested.size();
  }

  bool by_uuid;
  std::vector<chunk_request> requested;
  std::unordered_map<std::string, std::size_t> positions;
};

/// The first collections of `all`, at most `most`, to which chunk records refer in the same
/// way: by UUID or by namespace.
template <typename Tracked>
std::span<Tracked* const> alike(std::span<Tracked* const> all, std::size_t most) {
  const auto names_by_uuid = [](const Tracked* one) {
    return one->record.is.has_chunks_by_uuid();
  };
  std::size_t count = 1;
  while (count < std::min(all.size(), most) &&
         names_by_uuid(all[count]) == names_by_uuid(all[0])) {
    ++count;
  }
  return all.first(count);
}

}  // namespace

bool mirror_load::read_each(batch some) {
  return std::ranges::all_of(some, [this](tracked* one) { return read_chunks(*one); });
}

bool mirror_load::read_newer_of_all(batch all) {
  while (!all.empty()) {
    const auto some = alike(all, most_checked_together);
    const auto changed = changed_among(some);
    if (!changed) return fail(changed.error());
    if (!read_each(*changed)) return false;
    publish_if_due();
    all = all.subspan(some.size());
  }
  return true;
}

/// The collections whose chunks have changed: those for which the query didn't return exactly
/// the newest known chunk. read_each() then reads their new chunks, with one query per
/// collection, because only such a query returns chunks in the order of their versions.
mongo_result<std::vector<mirror_load::tracked*>> mirror_load::changed_among(batch some) {
  const question asked{some};
  std::vector<bool> is_there(some.size());
  std::vector<bool> is_older(some.size());
  const auto take = [&](document_view bytes) {
    const chunk_record chunk = read_chunk_head(bytes);
    const std::size_t position = asked.position_of(chunk);
    if (position == some.size()) return true;
    const chunk_version from = asked.requested[position].from;
    if (chunk.version == from) is_there[position] = true;
    if (!chunk.version || *chunk.version > from) is_older[position] = true;
    return true;
  };
  const auto read = read_into("chunks", newer_filter(asked.requested, asked.by_uuid),
                              newer_options(asked.by_uuid), take);
  if (!read) return read.error();
  if (hooks_.is_stopped()) return mongo_error{mongo_failure::command_failed, 0, "stopped"};
  std::vector<tracked*> changed;
  for (std::size_t i = 0; i < some.size(); ++i) {
    if (!is_there[i] || is_older[i]) changed.push_back(some[i]);
  }
  return changed;
}

/// Collections in use come first, so that the others get what is left under catalog.max_chunks.
bool mirror_load::read_whole_of_all(std::vector<tracked*> all) {
  while (!all.empty()) {
    std::stable_partition(all.begin(), all.end(),
                          [this](tracked* one) { return is_in_use(*one); });
    const auto some = alike(batch{all}, most_read_together);
    if (!read_whole_of(some)) return false;
    publish_if_due();
    all.erase(all.begin(), all.begin() + std::ssize(some));
  }
  return true;
}

bool mirror_load::read_whole_of(batch some) {
  auto found = fetch_chunks_of(some, room_beside(some));
  if (!found) return fail(found.error());
  // They don't all fit: read one collection at a time.
  if (found->empty()) return read_each(some);
  for (std::size_t i = 0; i < some.size(); ++i) {
    chunk_set read;
    read.merge(std::move((*found)[i]));
    if (!read.is_whole(some[i]->record.made)) {
      if (!read_chunks(*some[i])) return false;
      continue;
    }
    some[i]->inconsistencies = 0;
    settle(*some[i], std::move(read), std::nullopt);
  }
  return true;
}

/// The chunks of each collection; empty if they exceed `room`.
mongo_result<std::vector<std::vector<chunk_update>>> mirror_load::fetch_chunks_of(
    batch some, chunk_room room) {
  const question asked{some};
  std::vector<std::vector<chunk_update>> found(some.size());
  chunk_room taken;
  const auto take = [&](document_view bytes) {
    const auto record = read_chunk(bytes);
    const std::size_t position = record ? asked.position_of(*record) : some.size();
    const bool is_requested = position != some.size();
    if (record && !is_requested) return taken.fits(room);
    auto update =
        record ? read_update(some[position]->record.made, *record) : text::failure("no chunk");
    if (update) {
      ++taken.chunks;
      taken.bytes += memory_of(*update);
      found[position].push_back(*std::move(update));
    } else {
      ++skipped_chunks_;
    }
    return taken.fits(room);
  };
  const auto read = read_into("chunks", chunks_filter(asked.requested, asked.by_uuid),
                              chunks_options(asked.by_uuid), take);
  if (!read) return read.error();
  if (hooks_.is_stopped()) return mongo_error{mongo_failure::command_failed, 0, "stopped"};
  if (!taken.fits(room)) found.clear();
  return found;
}

}  // namespace scattergate::config
