#include "config/cluster/mirrored_views.hpp"

#include <algorithm>
#include <utility>

#include "config/cluster/chunk_set.hpp"
#include "config/cluster/config_queries.hpp"

namespace scattergate::config {
namespace {

using wire::document_view;

/// The number of databases whose views a load lists before it reads the chunks. A thorough load
/// lists the rest afterwards.
constexpr std::size_t databases_per_load = 20;

/// The memory limit for views over all databases; or a quarter of the limit for all records, if
/// that is less.
constexpr std::size_t most_view_bytes = std::size_t{16} * 1024 * 1024;

std::size_t bytes_of(const std::vector<view_record>& views) {
  std::size_t bytes = 0;
  for (const view_record& view : views) bytes += memory_of(view);
  return bytes;
}

bool is_same_view(const view_record& a, const view_record& b) {
  return a.made.name == b.made.name && a.made.view_on == b.made.view_on &&
         a.made.view_pipeline == b.made.view_pipeline &&
         a.made.default_collation == b.made.default_collation && a.why == b.why;
}

}  // namespace

view_load::view_load(mirrored_views& views, mongo_reader& from, load_depth depth,
                     const load_hooks& hooks, catalog_facts& facts, std::size_t most_bytes)
    : views_(views),
      from_(from),
      depth_(depth),
      hooks_(hooks),
      facts_(facts),
      most_bytes_(std::min(most_view_bytes, most_bytes / 4)) {}

/// Discards the views of all other databases.
void view_load::keep(const std::set<std::string>& databases) {
  std::map<std::string, mirrored_views::database> kept;
  for (const std::string& database : databases) {
    auto known = views_.by_database.extract(database);
    if (known.empty()) {
      kept.try_emplace(database);
    } else {
      kept.insert(std::move(known));
    }
  }
  for (const auto& [name, gone] : views_.by_database) has_changed_ |= !gone.made.empty();
  views_.by_database = std::move(kept);
  bytes_ = 0;
  for (const auto& [name, each] : views_.by_database) bytes_ += bytes_of(each.made);
}

bool view_load::read_some(const std::set<std::string>& databases, load_outcome& outcome) {
  keep(databases);
  auto& all = views_.by_database;
  if (!hooks_.focus.is_empty()) return read_focused(outcome);
  auto next = all.upper_bound(views_.turn);
  const std::size_t target = std::min(all.size(), databases_per_load);
  for (; listed_ < target; ++listed_, ++next) {
    if (next == all.end()) next = all.begin();
    if (!read(next->first, outcome)) return false;
    views_.turn = next->first;
  }
  return true;
}

bool view_load::read_focused(load_outcome& outcome) {
  for (auto& [name, each] : views_.by_database) {
    if (!each.is_new && !hooks_.focus.has_database(name)) continue;
    if (!read(name, outcome)) return false;
  }
  if (hooks_.focus.is_all()) listed_ = views_.by_database.size();
  return true;
}

bool view_load::read_others(load_outcome& outcome) {
  if (depth_ < load_depth::thorough) return true;
  auto& all = views_.by_database;
  auto next = all.upper_bound(views_.turn);
  for (; listed_ < all.size(); ++listed_, ++next) {
    if (next == all.end()) next = all.begin();
    if (!read(next->first, outcome)) return false;
  }
  return true;
}

/// Lists the views of a database. False if mongos no longer answers. A user who may not list
/// views may still read the rest.
bool view_load::read(const std::string& database, load_outcome& outcome) {
  auto& known = views_.by_database[database];
  if (known.is_denied && depth_ < load_depth::thorough) return true;
  std::size_t bytes = bytes_ - bytes_of(known.made);
  std::vector<view_record> listed;
  const bson_document options = view_options();
  facts_.reads.fetch_add(1);
  const auto answered =
      from_.list_collections(database, document_view::from(options).value_or(document_view{}),
                             [&](document_view record) {
                               auto view = read_view(database, record);
                               if (view) bytes += memory_of(*view);
                               if (view && bytes <= most_bytes_)
                                 listed.push_back(std::move(*view));
                               return !hooks_.is_stopped() && bytes <= most_bytes_;
                             });
  if (hooks_.is_stopped()) return outcome.fail(load_result::failed, "stopped");
  if (!answered) return note_denied(database, answered.error(), outcome);
  bytes_ = std::min(bytes, most_bytes_);
  set_views(known, std::move(listed));
  return true;
}

void view_load::set_views(mirrored_views::database& known, std::vector<view_record> listed) {
  std::ranges::sort(
      listed, {}, [](const view_record& one) -> const auto& { return one.made.name; });
  known.is_denied = false;
  known.is_new = false;
  if (std::ranges::equal(known.made, listed, is_same_view)) return;
  known.made = std::move(listed);
  has_changed_ = true;
}

bool view_load::note_denied(const std::string& database, const mongo_error& error,
                            load_outcome& outcome) {
  if (error.kind == mongo_failure::unreachable) return outcome.fail(error);
  auto& denied = views_.by_database[database];
  denied.is_denied = true;
  denied.is_new = false;
  if (!std::exchange(views_.has_logged_denial, true)) {
    outcome.notes.push_back(
        "the views of " + database +
        " can't be listed, so commands on views not yet known count as unsharded: " +
        error.text);
  }
  return true;
}

}  // namespace scattergate::config
