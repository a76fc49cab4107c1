#include "config/cluster/mirror_load.hpp"

#include <algorithm>
#include <chrono>
#include <unordered_map>

#include "config/text/extended_json.hpp"
#include "wire/namespace_view.hpp"

// A load has three parts: what changed in config's collections; which chunks to read, and
// reading those of one collection; and questions about the chunks of many collections at once,
// because on a cluster with thousands, one query for each would take longer than the time
// between two loads.

namespace scattergate::config {
namespace {

using wire::document_view;

load_result result_of(mongo_failure failure) {
  switch (failure) {
    case mongo_failure::bad_uri:
      return load_result::bad_uri;
    case mongo_failure::unreachable:
      return load_result::unreachable;
    case mongo_failure::unauthorized:
      return load_result::unauthorized;
    case mongo_failure::not_mongos:
      return load_result::not_mongos;
    case mongo_failure::command_failed:
      break;
  }
  return load_result::failed;
}

bool has_same_key(const routing::collection& a, const routing::collection& b) {
  return std::ranges::equal(a.key, b.key, [](const auto& left, const auto& right) {
    return left.path == right.path && left.hashed == right.hashed;
  });
}

bool is_same_record(const collection_record& a, const collection_record& b) {
  return a.what == b.what && a.is == b.is && has_same_key(a.made, b.made) &&
         a.made.unique == b.made.unique && a.made.is_time_series == b.made.is_time_series &&
         a.made.series == b.made.series &&
         a.made.default_collation == b.made.default_collation && a.why == b.why;
}

}  // namespace

bool load_outcome::fail(const mongo_error& error) {
  return fail(result_of(error.kind), error.text);
}

mirror_load::mirror_load(cluster_mirror& mirror, mongo_reader& from, load_depth depth,
                         const load_hooks& hooks)
    : mirror_(mirror),
      from_(from),
      depth_(mirror.is_published_ ? depth : std::max(depth, load_depth::thorough)),
      hooks_(hooks),
      views_(mirror.views_, from, depth_, hooks, mirror.facts_, mirror.bounds_.bytes) {
  for (const auto& [name, one] : mirror_.collections_) {
    record_bytes_ += memory_of(one.record);
    if (!one.chunks) continue;
    chunks_known_ += one.chunks->size();
    chunk_bytes_ += one.chunks->memory_bytes();
  }
}

load_outcome mirror_load::run() {
  const bool is_read = connect() && read_cluster() && read_collections() &&
                       views_.read_some(databases_with_views(), outcome_) &&
                       read_all_chunks() && views_.read_others(outcome_);
  // Data that was read before a failure is valid.
  publish();
  count();
  if (is_read &&
      mirror_.facts_.key_only[static_cast<std::size_t>(key_only_reason::inconsistent)] != 0) {
    fail(load_result::inconsistent, "chunks of some collections contradict each other");
  }
  return std::move(outcome_);
}

/// The databases that have sharded collections now, or unreadable ones.
std::set<std::string> mirror_load::databases_with_views() const {
  std::set<std::string> found;
  for (const auto& [name, one] : mirror_.collections_) {
    const std::string& database = one.record.made.database;
    const bool may_matter =
        one.is_sharded() || one.record.what == collection_record::kind::unreadable;
    if (may_matter && !wire::is_server_database(database)) found.insert(database);
  }
  return found;
}

bool mirror_load::make_room(std::size_t& taken, std::size_t bytes, std::string_view what) {
  taken += bytes;
  if (taken <= mirror_.bounds_.bytes) return true;
  is_over_ = true;
  return fail(load_result::failed, std::string{what} + " holds more than the catalog's " +
                                       std::to_string(mirror_.bounds_.bytes) +
                                       " bytes, a share of limits.memory");
}

bool mirror_load::connect() {
  const auto server = from_.connect();
  if (!server) return fail(server.error());
  server_ = *server;
  outcome_.address = server_.address;
  if (server_.is_mongos) return true;
  return fail(load_result::not_mongos,
              server_.address + " is not a mongos but " + server_.type);
}

mongo_result<void> mirror_load::read_into(std::string_view collection,
                                          const bson_document& filter,
                                          const bson_document& options,
                                          const mongo_reader::document_sink& sink) {
  mirror_.facts_.reads.fetch_add(1);
  return from_.find("config", collection, view_of(filter), view_of(options),
                    [&](document_view record) { return !hooks_.is_stopped() && sink(record); });
}

void mirror_load::read_version() {
  mirror_.facts_.reads.fetch_add(1);
  const auto reply = from_.run("admin", bson_of_json(R"({"buildInfo": 1})").value().view());
  auto version = version_of_wire(server_.max_wire_version);
  if (reply) {
    const auto text = wire::find_field(view_of(*reply), "version");
    if (text) version = parse_server_version(text->as_string()).value_or(version);
  }
  if (mirror_.version_ == version) return;
  mirror_.version_ = version;
  is_dirty_ = true;
}

/// Reads config.shards. False if mongos no longer answers. A user who may not read the shards
/// may still read the rest.
bool mirror_load::read_shards() {
  std::vector<shard_record> shards;
  std::size_t bytes = 0;
  const auto read = read_into("shards", match_all(), match_all(), [&](document_view record) {
    auto shard = read_shard(record);
    if (!shard) return true;
    if (!make_room(bytes, memory_of(*shard), "config.shards")) return false;
    shards.push_back(std::move(*shard));
    return true;
  });
  if (is_over_) return false;
  if (!read) return read.error().kind != mongo_failure::unreachable || fail(read.error());
  std::ranges::sort(shards, {}, &shard_record::id);
  if (mirror_.is_published_ && shards != mirror_.shards_) {
    outcome_.notes.push_back(
        "the cluster's shards have changed: " + std::to_string(mirror_.shards_.size()) +
        " before, " + std::to_string(shards.size()) + " now");
  }
  mirror_.shards_ = std::move(shards);
  return true;
}

bool mirror_load::read_cluster() {
  if (depth_ < load_depth::thorough) return true;
  read_version();
  std::vector<database_record> databases;
  std::size_t bytes = 0;
  auto read = read_into("databases", match_all(), match_all(), [&](document_view record) {
    auto found = read_database(record);
    if (!found) return true;
    if (!make_room(bytes, memory_of(*found), "config.databases")) return false;
    databases.push_back(std::move(*found));
    return true;
  });
  if (is_over_) return false;
  if (read) mirror_.databases_ = std::move(databases);
  std::vector<std::byte> id;
  read = read_into("version", match_all(), match_all(), [&](document_view record) {
    id = read_cluster_id(record);
    return id.empty();
  });
  const bool is_other =
      !id.empty() && !mirror_.cluster_id_.empty() && id != mirror_.cluster_id_;
  if (!id.empty()) mirror_.cluster_id_ = std::move(id);
  if (is_other) {
    outcome_.notes.emplace_back("this is a different cluster: rereading everything");
    depth_ = load_depth::everything;
  }
  return read_shards();
}

bool mirror_load::read_collections() {
  std::vector<collection_record> listed;
  std::size_t records = 0;
  std::size_t bytes = 0;
  const auto read =
      read_into("collections", match_all(), collection_options(), [&](document_view record) {
        ++records;
        collection_record one = read_collection(record);
        if (!make_room(bytes, memory_of(one), "config.collections")) return false;
        listed.push_back(std::move(one));
        return true;
      });
  if (is_over_) return false;
  if (!read) return fail(read.error());
  if (hooks_.is_stopped()) return fail(load_result::failed, "stopped");
  if (!is_plausible(records)) return false;
  record_bytes_ = bytes;
  merge(std::move(listed));
  return true;
}

/// Whether this number of records is plausible. An empty list after a list with records may
/// mean that the cluster is being restored, so it is accepted only if it lasts.
bool mirror_load::is_plausible(std::size_t listed) {
  if (listed != 0) {
    mirror_.empty_since_.reset();
    return true;
  }
  if (mirror_.collections_.empty()) {
    if (mirror_.is_published_ || !mirror_.shards_.empty()) return true;
    return fail(load_result::empty, "config has neither collections nor shards");
  }
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::milliseconds interval{mirror_.facts_.refresh_ms.load()};
  const bool has_lasted = mirror_.empty_since_ && now - *mirror_.empty_since_ >= interval;
  if (!mirror_.empty_since_) mirror_.empty_since_ = now;
  // With a focus: a command may have dropped the last collection.
  if (has_lasted || !hooks_.focus.is_empty()) {
    if (!read_shards()) return false;
    if (!mirror_.shards_.empty()) return true;
  }
  return fail(load_result::empty, "config.collections is suddenly empty");
}

void mirror_load::merge(std::vector<collection_record> listed) {
  using kind = collection_record::kind;
  for (auto& [name, one] : mirror_.collections_) one.was_listed = false;
  std::vector<std::string> nameless;
  for (collection_record& record : listed) {
    if (record.what == kind::nameless) nameless.push_back(std::move(record.why));
    if (record.what == kind::nameless || record.what == kind::skipped) continue;
    tracked& known = mirror_.collections_[record.made.full_name()];
    const bool is_second = std::exchange(known.was_listed, true);
    if (is_same_record(known.record, record)) continue;
    if (is_second) {
      record.what = kind::unreadable;
      record.why = "config.collections has several records of it, which differ";
    }
    const bool keeps_chunks = known.is_sharded() && known.record.is == record.is &&
                              has_same_key(known.record.made, record.made);
    known.record = std::move(record);
    known.record.made.use = known.use;
    is_dirty_ = true;
    if (!keeps_chunks) {
      const bool is_sharded = known.is_sharded();
      settle(known, std::nullopt,
             is_sharded ? std::optional{key_only_reason::not_read} : std::nullopt);
      known.inconsistencies = 0;
    }
  }
  if (nameless != mirror_.nameless_) is_dirty_ = true;
  mirror_.nameless_ = std::move(nameless);
  std::erase_if(mirror_.collections_, [this](const auto& entry) {
    if (entry.second.was_listed) return false;
    forget_chunks_of(entry.second);
    is_dirty_ = true;
    return true;
  });
}

/// Subtracts a collection's chunks from the sums over all collections.
void mirror_load::forget_chunks_of(const tracked& of) {
  if (!of.chunks) return;
  chunks_known_ -= of.chunks->size();
  chunk_bytes_ -= of.chunks->memory_bytes();
}

void mirror_load::settle(tracked& of, std::optional<chunk_set> chunks,
                         std::optional<key_only_reason> key_only) {
  forget_chunks_of(of);
  if (chunks) {
    chunks_known_ += chunks->size();
    chunk_bytes_ += chunks->memory_bytes();
  }
  is_dirty_ = is_dirty_ || of.chunks || chunks;
  of.chunks = std::move(chunks);
  of.key_only = key_only;
}

void mirror_load::publish() {
  // Before the first list of collections there is nothing to publish.
  const bool is_first = !mirror_.is_published_ && outcome_.detail.empty();
  const bool is_changed = is_dirty_ || views_.has_changed();
  if (!is_first && !(mirror_.is_published_ && is_changed)) return;
  mirror_.is_published_ = true;
  is_dirty_ = false;
  views_.note_published();
  published_ = std::chrono::steady_clock::now();
  if (outcome_.detail.empty()) outcome_.result = load_result::changed;
  hooks_.publish(mirror_.make_catalog());
}

/// Publishes the chunks that were read so far, at most once per second.
void mirror_load::publish_if_due() {
  constexpr std::chrono::seconds pause{1};
  if (std::chrono::steady_clock::now() - published_ >= pause) publish();
}

void mirror_load::count() {
  catalog_facts& facts = mirror_.facts_;
  std::array<std::uint64_t, key_only_reason_count> key_only{};
  std::uint64_t skipped = mirror_.nameless_.size();
  for (const auto& [name, one] : mirror_.collections_) {
    if (one.record.what == collection_record::kind::unreadable) ++skipped;
    if (one.key_only) ++key_only[static_cast<std::size_t>(*one.key_only)];
  }
  for (std::size_t i = 0; i < key_only.size(); ++i) facts.key_only[i] = key_only[i];
  facts.shards = mirror_.shards_.size();
  facts.databases = mirror_.databases_.size();
  facts.skipped_collections = skipped;
  if (depth_ >= load_depth::chunks) facts.skipped_chunks = skipped_chunks_;
}

namespace {

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

namespace {

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

/// The collections whose new chunks this load reads: all collections in use or in focus, and
/// some of the others, in turn.
std::vector<mirror_load::tracked*> mirror_load::newer_to_read() {
  std::vector<tracked*> due;
  std::vector<tracked*> unused;
  if (depth_ < load_depth::chunks) return due;
  for (auto& [name, one] : mirror_.collections_) {
    if (!one.is_sharded() || must_read(one) || one.key_only) continue;
    const bool is_due = is_in_use(one) || hooks_.focus.has(one.record.made.ns());
    (is_due ? due : unused).push_back(&one);
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
