// The third part of mirror_load: the views. They aren't in `config`, and a view over a sharded
// collection stands in that collection's database.

#include <algorithm>

#include "config/cluster/mirror_load.hpp"

namespace scattergate::config {
namespace {

using wire::document_view;

/// Each database is asked by a command of its own: so many per load, in turn, before the chunks
/// are read, and at a thorough load the others behind them.
constexpr std::size_t databases_per_load = 20;

/// What views may take in memory, over all databases; a quarter of what all records may, where
/// that is less.
constexpr std::size_t most_view_bytes = std::size_t{16} * 1024 * 1024;

std::size_t bytes_of(const std::vector<routing::collection>& views) {
  std::size_t bytes = 0;
  for (const routing::collection& view : views) bytes += memory_of(view);
  return bytes;
}

bool is_same(const routing::collection& a, const routing::collection& b) {
  return a.name == b.name && a.view_on == b.view_on && a.view_pipeline == b.view_pipeline &&
         a.default_collation == b.default_collation;
}

bool is_internal(std::string_view database) {
  return database == "config" || database == "admin" || database == "local";
}

}  // namespace

/// Those that hold sharded collections now; views elsewhere are on one shard as a whole.
void mirror_load::find_databases() {
  std::map<std::string, cluster_mirror::database_views> found;
  for (const auto& [name, one] : mirror_.collections_) {
    const std::string& database = one.record.made.database;
    if (!one.is_sharded() || is_internal(database) || found.contains(database)) continue;
    const auto known = mirror_.views_.find(database);
    if (known == mirror_.views_.end()) {
      found.try_emplace(database);
    } else {
      found.emplace(database, std::move(known->second));
      known->second.made.clear();
    }
  }
  for (const auto& [database, views] : mirror_.views_) is_dirty_ |= !views.made.empty();
  mirror_.views_ = std::move(found);
  view_bytes_ = 0;
  for (const auto& [database, views] : mirror_.views_) view_bytes_ += bytes_of(views.made);
}

bool mirror_load::read_some_views() {
  find_databases();
  auto next = mirror_.views_.upper_bound(mirror_.views_turn_);
  const std::size_t wanted = std::min(mirror_.views_.size(), databases_per_load);
  for (; views_listed_ < wanted; ++views_listed_, ++next) {
    if (next == mirror_.views_.end()) next = mirror_.views_.begin();
    if (!read_views_of(next->first)) return false;
    mirror_.views_turn_ = next->first;
  }
  return true;
}

bool mirror_load::read_other_views() {
  if (depth_ < load_depth::thorough) return true;
  auto next = mirror_.views_.upper_bound(mirror_.views_turn_);
  for (; views_listed_ < mirror_.views_.size(); ++views_listed_, ++next) {
    if (next == mirror_.views_.end()) next = mirror_.views_.begin();
    if (!read_views_of(next->first)) return false;
  }
  return true;
}

/// False where nobody answers any more: whoever may not list them may still read the rest.
bool mirror_load::read_views_of(const std::string& database) {
  const auto& known = mirror_.views_[database];
  if (known.is_denied && depth_ < load_depth::thorough) return true;
  std::size_t bytes = view_bytes_ - bytes_of(known.made);
  const std::size_t most = std::min(most_view_bytes, mirror_.most_.bytes / 4);
  std::vector<routing::collection> listed;
  const bson_document options = view_options();
  mirror_.facts_.reads.fetch_add(1);
  const auto read =
      from_.list_collections(database, document_view::from(options).value_or(document_view{}),
                             [&](document_view record) {
                               auto view = read_view(database, record);
                               if (view) bytes += memory_of(*view);
                               if (view && bytes <= most) listed.push_back(std::move(*view));
                               return !hooks_.is_stopped() && bytes <= most;
                             });
  if (hooks_.is_stopped()) return fail(load_result::failed, "stopped");
  if (!read) return note_denied(database, read.error());
  view_bytes_ = std::min(bytes, most);
  take_views(database, std::move(listed));
  return true;
}

void mirror_load::take_views(const std::string& database,
                             std::vector<routing::collection> listed) {
  std::ranges::sort(listed, {}, &routing::collection::name);
  auto& known = mirror_.views_[database];
  known.is_denied = false;
  if (std::ranges::equal(known.made, listed, is_same)) return;
  known.made = std::move(listed);
  is_dirty_ = true;
}

bool mirror_load::note_denied(const std::string& database, const mongo_error& error) {
  if (error.kind == mongo_failure::unreachable) return fail(error);
  mirror_.views_[database].is_denied = true;
  if (!std::exchange(mirror_.has_told_denial_, true)) {
    outcome_.notes.push_back("the views of " + database +
                             " can't be listed, and commands on those that aren't known pass "
                             "for unsharded: " +
                             error.text);
  }
  return true;
}

}  // namespace scattergate::config
