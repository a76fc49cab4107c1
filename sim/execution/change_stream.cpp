#include "sim/execution/change_stream.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "sim/execution/arguments.hpp"
#include "sim/execution/router.hpp"
#include "sim/values/error.hpp"
#include "sim/values/path.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {
namespace {

constexpr std::size_t token_digits = 16;

/// The position that a resume token names.
timestamp position_of(const document& token) {
  const std::string data = text_argument(token, "_data");
  std::uint64_t number = 0;
  const char* end = data.data() + data.size();
  if (data.size() != token_digits ||
      std::from_chars(data.data(), end, number, 16) != std::from_chars_result{end, {}}) {
    refuse(260, "Bad resume token");
  }
  return {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32)};
}

bool is_before(timestamp left, timestamp right) {
  return compare(left, right) < 0;
}

/// The position after which a new stream starts.
timestamp start_of(context& at, const document& options) {
  for (const char* name : {"resumeAfter", "startAfter"}) {
    if (argument(options, name) != nullptr)
      return position_of(document_argument(options, name));
  }
  const value* from = argument(options, "startAtOperationTime");
  if (from == nullptr) return at.all.data.tick();
  const auto* time = from->as<timestamp>();
  if (time == nullptr || time->increment == 0)
    refuse("startAtOperationTime must be a cluster time");
  return {time->increment - 1, time->seconds};
}

void check_options(const document& options) {
  constexpr std::array known{"fullDocument",         "resumeAfter",
                             "startAfter",           "startAtOperationTime",
                             "allChangesForCluster", "fullDocumentBeforeChange"};
  for (const field& each : options) {
    if (std::ranges::find(known, each.name) == known.end()) {
      refuse_unsupported("$changeStream's option " + each.name);
    }
  }
  const std::string full = text_argument(options, "fullDocument");
  const std::string before = text_argument(options, "fullDocumentBeforeChange");
  if (!full.empty() && full != "default" && full != "updateLookup") {
    refuse_unsupported("fullDocument: '" + full + "'");
  }
  if (!before.empty() && before != "off") {
    refuse_unsupported("fullDocumentBeforeChange: '" + before + "'");
  }
}

bool concerns(const data_change& each, const change_stream& of) {
  if (of.watched == ".")
    return !each.ns.starts_with("admin.") && !each.ns.starts_with("config.");
  if (of.watched.ends_with('.')) return each.ns.starts_with(of.watched);
  return each.ns == of.watched || each.to == of.watched;
}

/// The shard key's fields and `_id`.
document key_of(const collection* of, const document& content) {
  document out;
  if (of != nullptr && of->spread) {
    for (const shard_key::part& each : of->spread->key.parts()) {
      const value* found = plain_path(content, split_path(each.name));
      if (found != nullptr) out.append(each.name, *found);
    }
  }
  const value* id = content.find("_id");
  if (!out.has("_id") && id != nullptr) out.append("_id", *id);
  return out;
}

/// What an update changed, by path.
struct difference {
  document updated;
  array removed;
  array truncated;

  void add(const value& before, const value& after, const std::string& path) {
    const auto* old_fields = before.as<document>();
    const auto* new_fields = after.as<document>();
    const auto* old_members = before.as<array>();
    const auto* new_members = after.as<array>();
    if (old_fields != nullptr && new_fields != nullptr) {
      add(*old_fields, *new_fields, path + ".");
    } else if (old_members != nullptr && new_members != nullptr) {
      for (std::size_t i = 0; i < new_members->size(); ++i) {
        const std::string name = path + "." + std::to_string(i);
        if (i < old_members->size()) {
          add((*old_members)[i], (*new_members)[i], name);
        } else {
          updated.append(name, (*new_members)[i]);
        }
      }
      if (new_members->size() < old_members->size()) {
        truncated.emplace_back(document{
            {"field", path}, {"newSize", static_cast<std::int32_t>(new_members->size())}});
      }
    } else if (!is_equal(before, after)) {
      updated.append(path, after);
    }
  }

  void add(const document& before, const document& after, const std::string& prefix) {
    for (const field& each : after) {
      const value* old = before.find(each.name);
      if (old == nullptr) {
        updated.append(prefix + each.name, each.content);
      } else {
        add(*old, each.content, prefix + each.name);
      }
    }
    for (const field& each : before) {
      if (!after.has(each.name)) removed.emplace_back(prefix + each.name);
    }
  }
};

document ns_of(const std::string& ns) {
  const std::size_t dot = ns.find('.');
  document out{{"db", ns.substr(0, dot)}};
  if (dot + 1 < ns.size()) out.append("coll", ns.substr(dot + 1));
  return out;
}

value current(context& at, const collection* of, const document& key) {
  if (of == nullptr) return null{};
  const matcher match{key};
  for (const shard_index each : at.all.data.owners(of, of->ns)) {
    const auto found = find_stored(at, *of, each, key, match, false, 1);
    if (!found.empty()) return *found.front().content;
  }
  return null{};
}

/// mongo: change_stream_event_transform.cpp
document event_of(context& at, const change_stream& of, const data_change& each,
                  const std::string& kind) {
  const std::int64_t millis = std::int64_t{each.time.seconds} * 1000;
  document out{{"_id", resume_token(each.time)},
               {"operationType", kind},
               {"clusterTime", each.time},
               {"wallTime", date{millis}}};
  if (kind == "invalidate") return out;
  const collection* on = at.all.data.find(each.ns);
  const document_ptr& known = each.after != nullptr ? each.after : each.before;
  const document key = known == nullptr ? document{} : key_of(on, *known);
  if (kind == "insert" || kind == "replace") out.append("fullDocument", *each.after);
  if (kind == "update" && of.looks_up) out.append("fullDocument", current(at, on, key));
  out.append("ns", ns_of(each.ns));
  if (!each.to.empty()) out.append("to", ns_of(each.to));
  if (!key.empty()) out.append("documentKey", key);
  if (kind == "update") {
    difference changed;
    changed.add(*each.before, *each.after, "");
    out.append("updateDescription",
               document{{"updatedFields", std::move(changed.updated)},
                        {"removedFields", std::move(changed.removed)},
                        {"truncatedArrays", std::move(changed.truncated)}});
  }
  return out;
}

/// Whether a stream ends with this change: what it watches is gone.
bool ends(const data_change& each, const change_stream& of) {
  if (of.watched.ends_with('.')) return each.kind == "dropDatabase" && each.ns == of.watched;
  return each.kind == "drop" || each.kind == "rename";
}

void check_history(const context& at, const change_stream& of) {
  if (!is_before(of.position, at.all.changes.forgotten)) return;
  refuse(errc::change_stream_history_lost,
         "Resume of change stream was not possible, as the resume point may no "
         "longer be in the oplog.");
}

}  // namespace

bool is_change_stream(const array& stages) {
  const auto* first = stages.empty() ? nullptr : stages.front().as<document>();
  return first != nullptr && first->has("$changeStream");
}

change_stream open_change_stream(context& at, const array& stages) {
  constexpr std::array allowed{"$match", "$project",     "$addFields",   "$set",
                               "$unset", "$replaceRoot", "$replaceWith", "$redact"};
  if (at.session.in_transaction) {
    refuse(errc::operation_not_supported_in_transaction,
           "$changeStream cannot be used in a transaction");
  }
  const document& options =
      stage_document("$changeStream", stages.front().as<document>()->front().content);
  check_options(options);
  change_stream out;
  const bool is_of_collection = at.in.body.front().content.is<std::string>();
  out.watched = is_of_collection ? at.ns() : at.in.db + ".";
  if (flag_argument(options, "allChangesForCluster")) out.watched = ".";
  out.stages.assign(stages.begin() + 1, stages.end());
  for (const value& each : out.stages) {
    const std::string& name = each.as<document>()->front().name;
    if (std::ranges::find(allowed, name) != allowed.end()) continue;
    refuse(errc::illegal_operation, name + " is not permitted in a $changeStream pipeline");
  }
  out.looks_up = text_argument(options, "fullDocument") == "updateLookup";
  out.position = start_of(at, options);
  check_history(at, out);
  std::set<shard_index> all;
  for (shard_index i = 0; i < at.all.data.shards().size(); ++i) all.insert(i);
  note_reached(at, all, at.in.name);
  return out;
}

documents next_changes(context& at, change_stream& of) {
  check_history(at, of);
  documents events;
  const auto& all = at.all.changes.kept;
  auto next = std::ranges::upper_bound(all, of.position, is_before, &data_change::time);
  for (; next != all.end() && !of.ended; ++next) {
    if (!concerns(*next, of)) continue;
    events.push_back(std::make_shared<const document>(event_of(at, of, *next, next->kind)));
    of.ended = ends(*next, of);
    if (!of.ended) continue;
    events.push_back(std::make_shared<const document>(event_of(at, of, *next, "invalidate")));
  }
  if (!all.empty()) of.position = std::max(of.position, all.back().time, is_before);
  const variables none;
  return run_pipeline({at, at.in.db, none}, std::move(events), of.stages);
}

}  // namespace scattergate::sim
