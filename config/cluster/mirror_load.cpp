#include "config/cluster/mirror_load.hpp"

#include <algorithm>
#include <chrono>

#include "config/text/extended_json.hpp"
#include "wire/namespace_view.hpp"

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
  if (mirror_.empty_since_) {
    const std::chrono::milliseconds interval{mirror_.facts_.refresh_ms.load()};
    if (!read_shards()) return false;
    if (!mirror_.shards_.empty() && now - *mirror_.empty_since_ >= interval) return true;
  } else {
    mirror_.empty_since_ = now;
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

}  // namespace scattergate::config
