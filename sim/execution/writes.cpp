#include "sim/execution/writes.hpp"

#include <algorithm>

#include "sim/targeting/time_series.hpp"
#include "sim/values/bson_codec.hpp"
#include "sim/values/error.hpp"
#include "sim/values/hashing.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {
namespace {

constexpr std::size_t max_document_bytes = 16 * 1024 * 1024;

using found = stored_document;

void check_document(const document& content) {
  if (encoded_bytes(content) > max_document_bytes)
    refuse(errc::bson_object_too_large, "object to insert too large");
  const value* id = content.find("_id");
  if (id != nullptr && (id->is<array>() || id->is<regex>() || id->is<undefined>()))
    refuse("The '_id' value cannot be of this type");
}

/// The documents to write, from the shards of `plan`.
std::vector<found> collect(context& at, const write_filter& which, const collection& of,
                           const write_plan& plan) {
  const matcher match{which.filter, which.names};
  const bool first_will_do = !which.is_multi && which.sort.empty();
  std::vector<found> out;
  for (const shard_index where : plan.shards) {
    for (found& each :
         find_stored(at, of, where, which.filter, match, which.is_raw, first_will_do ? 1 : 0)) {
      out.push_back(std::move(each));
    }
  }
  if (which.is_multi || out.size() < 2) return out;
  if (!which.sort.empty()) {
    std::vector<document_ptr> order;
    for (const found& each : out) order.push_back(each.content);
    sort_order{which.sort}.apply(order);
    const auto best = std::find_if(out.begin(), out.end(), [&order](const found& each) {
      return each.content == order.front();
    });
    std::swap(*best, out.front());
  }
  out.resize(1);
  return out;
}

void note(context& at, const write_plan& plan, const std::vector<found>& which,
          std::string_view command, reached_shards& reached) {
  reached.insert(plan.shards.begin(), plan.shards.end());
  if (!plan.is_two_phase) {
    note_reached(at, plan.shards, command);
    return;
  }
  note_reached(at, plan.shards, "aggregate");
  if (!which.empty()) note_reached(at, {which.front().where}, command);
}

/// Rejects a change of the shard key if mongos would.
void check_key_change(const context& at, const write_filter& which) {
  if (which.is_multi) {
    refuse(errc::invalid_options,
           "Multi-update operations are not allowed when updating the shard key "
           "field.");
  }
  if (at.session.number < 0) {
    refuse(errc::illegal_operation,
           "Must run update to shard key field in a multi-statement transaction "
           "or with retryWrites: true.");
  }
}

/// Writes a changed document, to another shard if its key requires that.
bool write_back(context& at, const write_filter& which, const collection& of, const found& old,
                document content) {
  if (compare(content, *old.content) == 0 && encode(content) == encode(*old.content)) {
    return false;
  }
  check_document(content);
  document after = form_to_store(of, std::move(content), which.is_raw);
  shard_index to = old.where;
  if (of.spread) {
    const shard_key& key = of.spread->key;
    const array before = key.values_of(form_to_store(of, *old.content, which.is_raw));
    if (compare(before, key.values_of(after)) != 0) {
      check_key_change(at, which);
      to = at.all.data.place_of(of, after);
    }
  }
  replace_stored(at, of, old, std::move(after), to);
  return true;
}

write_result run_upsert(context& at, const write_filter& which, const update& change,
                        reached_shards& reached) {
  document made = change.is_replacement() ? document{} : update::seed_of(which.filter);
  if (change.is_replacement()) {
    const document seed = update::seed_of(which.filter);
    if (const value* id = seed.find("_id")) made.append("_id", *id);
  }
  made = change.apply(made, true, which.filter);
  if (!made.has("_id")) made.prepend("_id", new_object_id());
  write_result out;
  out.upserted_id = *made.find("_id");
  out.after = std::make_shared<const document>(made);
  reached.insert(insert_one(at, which.ns, std::move(made), which.is_raw));
  return out;
}

/// Whether the filter has an `$expr`, possibly in a branch.
bool names_expression(const document& filter) {
  return std::any_of(filter.begin(), filter.end(), [](const field& each) {
    const auto* branches = each.content.as<array>();
    if (each.name == "$expr") return true;
    return each.name.starts_with('$') && branches != nullptr &&
           std::any_of(branches->begin(), branches->end(), [](const value& branch) {
             const auto* inner = branch.as<document>();
             return inner != nullptr && names_expression(*inner);
           });
  });
}

void check_upsert_filter(const write_filter& which) {
  if (!names_expression(which.filter)) return;
  refuse(errc::query_feature_not_allowed,
         "$expr is not allowed in the query predicate for an upsert");
}

[[noreturn]] void refuse_without_key() {
  refuse(errc::shard_key_not_found,
         "The query must contain the shard key and have the simple collation.");
}

/// From some patch releases on, a delete and findAndModify may be targeted by any condition
/// (SERVER-44422 and its backports; 5.0.20's changelog names it, SERVER-80224 names 7.0.1).
bool targets_by_query(const release& as) {
  return as.is_since("8.0") || as.has_backport("7.0", 1) || as.has_backport("6.0", 9) ||
         as.has_backport("5.0", 20);
}

/// Before 7.1 an upsert needs the whole key, by plain equality, except a findAndModify that is
/// targeted by its query (mongo 009489e71bbc: cluster_find_and_modify_cmd.cpp,
/// targetSingleShard); later only one of many documents does. With two phases an `$expr` is
/// rejected, too; otherwise the shard that it goes to does so.
void check_upsert(const context& at, const write_filter& which, const target& to) {
  const release& as = at.all.data.simulated_release();
  const bool goes_by_query =
      as.is_since("8.0") || (which.kind == write_kind::find_and_modify && targets_by_query(as));
  const bool needs_key = which.is_multi || !goes_by_query;
  if (needs_key && !to.is_point) refuse_without_key();
  if (!to.is_point) check_upsert_filter(which);
}

/// Rejects what mongos rejects before 7.1, without two-phase writes: an update may be targeted
/// by any condition, a delete needs the key or the `_id`, findAndModify the key (mongo 4.4:
/// chunk_manager_targeter.cpp, cluster_find_and_modify_cmd.cpp).
void check_single_write(const context& at, const write_filter& which, const target& to,
                        bool by_id) {
  const bool is_update = which.kind == write_kind::update;
  const bool leads_to_one = to.shards.size() == 1;
  const bool may_lead = is_update || targets_by_query(at.all.data.simulated_release());
  if (may_lead && leads_to_one) return;
  if (which.kind == write_kind::find_and_modify) refuse_without_key();
  if (which.is_multi || by_id || which.replacement != nullptr) return;
  if (which.kind == write_kind::remove) refuse_without_key();
  refuse(errc::invalid_options,
         "A {multi:false} update on a sharded collection must contain an exact "
         "match on _id or contain the shard key.");
}

/// Rejects what mongos rejects for the measurements of a sharded time series: updates of one
/// and upserts in all versions, deletes of one before 7.0 (mongo 009489e71bbc:
/// collection_routing_info_targeter.cpp, targetUpdate, targetDelete; later
/// target_write_op.cpp); a findAndModify before 7.1, which goes to the view, and one with a
/// sort (cluster_find_and_modify_cmd.cpp, getCollectionRoutingInfo); from 9.0 on one that
/// updates (0479b3d30874: target_write_op.cpp, targetUpdate). The filter of an update, and
/// before 7.0 that of a delete, names only the meta field.
void check_series_write(const context& at, const write_filter& which, const time_series& of) {
  if (which.kind == write_kind::update && (!which.is_multi || which.upserts)) {
    refuse(errc::invalid_options,
           "A {multi:false} or {upsert:true} update on a sharded timeseries "
           "collection is disallowed.");
  }
  const release& as = at.all.data.simulated_release();
  if (which.kind == write_kind::find_and_modify && !as.is_since("8.0"))
    refuse(errc::command_not_supported_on_view, "not supported on a view");
  if (which.kind == write_kind::remove && !which.is_multi && !as.is_since("7.0")) {
    refuse(errc::illegal_operation,
           "Cannot perform a non-multi delete on a time-series collection");
  }
  if (which.kind == write_kind::find_and_modify && !which.sort.empty()) {
    refuse(errc::invalid_options,
           "Cannot perform findAndModify with sort on a sharded timeseries "
           "collection");
  }
  if (which.kind == write_kind::find_and_modify && !which.removes && as.is_since("9.0")) {
    refuse(errc::invalid_options,
           "A {multi:false} update on a sharded timeseries collection is "
           "disallowed.");
  }
  if (which.kind == write_kind::update ||
      (which.kind == write_kind::remove && !as.is_since("7.0"))) {
    of.check_names(which.filter);
  }
}

bool is_of_measurements(const collection* of, const write_filter& which) {
  return of != nullptr && of->spread && of->series && !which.is_raw;
}

/// Translates a write's filter to the documents that are sharded. From 7.0 on a delete may
/// select measurements by any field (mongo 009489e71bbc: gTimeseriesDeletesSupport), and goes
/// by the meta field; later by the time, too. An update goes by the meta field.
filter_node on_sharded(const context& at, const collection* of, const write_filter& which) {
  filter_node filter = filter_for_targeting(at, which.filter, which.names);
  if (!is_of_measurements(of, which)) return filter;
  const release& as = at.all.data.simulated_release();
  const bool is_any = which.kind != write_kind::update && as.is_since("7.0");
  const written_by by = !is_any              ? written_by::renamed_meta
                        : as.is_since("8.0") ? written_by::meta_and_time
                                             : written_by::meta;
  return write_on_buckets(filter, *of->series, rules_of(as.name), by);
}

shard_index place_of_replacement(const context& at, const write_filter& which,
                                 const collection& of) {
  document after = *which.replacement;
  if (!after.has("_id")) {
    const auto id = exact_id_of(filter_for_targeting(at, which.filter, which.names),
                                rules_of(at.all.data.simulated_release().name));
    if (id) after.append("_id", *id);
  }
  const bool needs_id = std::ranges::any_of(
      of.spread->key.parts(), [](const shard_key::part& each) { return each.name == "_id"; });
  if (needs_id && !after.has("_id")) refuse_without_key();
  return at.all.data.place_of(of, after);
}

bool deletes_all(const document& statement) {
  const value* limit = statement.find("limit");
  const double number = limit == nullptr ? 0 : limit->as_double();
  if (number != 0 && number != 1)
    refuse(errc::failed_to_parse, "The limit field in delete objects must be 0 or 1");
  return number == 0;
}

/// The shards that a write is sent to: outside a transaction an update or delete of several
/// shards goes to all (mongo: write_op.cpp, WriteOp::targetWrites).
write_plan sent_plan(const context& at, const write_filter& which) {
  write_plan plan = plan_write(at, which);
  const bool goes_to_all = which.kind != write_kind::find_and_modify && !plan.is_two_phase &&
                           plan.shards.size() > 1 && !at.session.in_transaction;
  if (!goes_to_all) return plan;
  for (shard_index i = 0; i < at.all.data.shards().size(); ++i) plan.shards.insert(i);
  return plan;
}

}  // namespace

write_filter read_statement(const context& at, write_kind kind, const std::string& ns,
                            const document& statement, const char* filter,
                            const document& command) {
  write_filter out{kind, ns, document_argument(statement, filter)};
  const bool has_limit = kind == write_kind::remove && std::string_view{filter} == "q";
  out.is_multi = has_limit ? deletes_all(statement) : flag_argument(statement, "multi");
  out.collation = collation_of(at, ns, statement);
  out.sort = document_argument(statement, "sort");
  out.upserts = flag_argument(statement, "upsert");
  out.is_raw = is_raw(at, ns, command);
  out.removes = flag_argument(statement, "remove");
  out.names = let_of(command);
  return out;
}

write_plan plan_write(const context& at, const write_filter& which) {
  const cluster& data = at.all.data;
  const collection* of = at.all.data.find(which.ns);
  const bool is_series = is_of_measurements(of, which);
  if (is_series) check_series_write(at, which, *of->series);
  const filter_node filter = on_sharded(at, of, which);
  // findAndModify uses a hash as a value, so that one on `_id` finds its shard (mongo
  // 0479b3d30874: target_write_op.cpp, bypassIsFieldHashedCheck).
  const bool trusts_hashes = which.kind == write_kind::find_and_modify;
  const target to =
      data.target_of(of, which.ns, filter, which.collation.is_simple, trusts_hashes);
  if (which.upserts) check_upsert(at, which, to);
  if (of == nullptr || !of->spread || to.is_point) return {to.shards, false};
  const bool by_id = !is_series && has_exact_id(filter, which.collation.is_default,
                                                rules_of(data.simulated_release().name));
  const bool has_two_phases = data.simulated_release().is_since("8.0");
  if (!has_two_phases) check_single_write(at, which, to, by_id);
  if (which.is_multi) return {to.shards, false};
  // Up to 8.1 a replacement document also determines the target, if the query doesn't; with
  // two-phase writes only with an exact `_id` (mongo 009489e: targetUpdate).
  const bool by_replacement =
      (!has_two_phases || (by_id && !data.simulated_release().is_since("8.2"))) &&
      to.shards.size() > 1;
  if (which.replacement != nullptr && by_replacement) {
    return {{place_of_replacement(at, which, *of)}, false};
  }
  // An upsert and findAndModify use two phases even by `_id` (mongo 0479b3d30874:
  // target_write_op.cpp, useTwoPhaseWriteProtocol).
  const bool asks_first = !by_id || which.upserts || which.kind == write_kind::find_and_modify;
  return {to.shards, has_two_phases && asks_first && to.shards.size() > 1};
}

void check_update(const context& at, const write_filter& which, const update& change,
                  bool has_constants) {
  const collection* of = at.all.data.find(which.ns);
  if (is_of_measurements(of, which)) check_series_write(at, which, *of->series);
  if (which.is_multi && change.is_replacement()) {
    refuse(of != nullptr && of->spread ? errc::invalid_options : errc::failed_to_parse,
           "multi update is not supported for replacement-style update");
  }
  if (!has_constants || change.is_pipeline() ||
      !at.all.data.simulated_release().is_since("9.0")) {
    return;
  }
  refuse(51198, "Constant values may only be specified for pipeline updates");
}

void check_on_shards(const context& at, const write_filter& which, const update& change) {
  const collection* of = at.all.data.find(which.ns);
  const bool is_series = is_of_measurements(of, which);
  const bool is_of_meta = is_series && which.kind == write_kind::update &&
                          change.changes_only(of->series->meta_field);
  if (is_series && !is_of_meta) {
    refuse(errc::invalid_options,
           "Cannot perform an update on a time-series collection which updates "
           "a field that is not the metaField");
  }
  change.check_operators();
  if (which.upserts) check_upsert_filter(which);
}

shard_index insert_one(context& at, const std::string& ns, document content, bool is_raw) {
  if (!content.has("_id")) {
    content.prepend("_id", new_object_id());
  } else if (content.front().name != "_id") {
    value id = *content.find("_id");
    content.erase("_id");
    content.prepend("_id", std::move(id));
  }
  // The router finds the shard before the shard validates the write.
  const collection& into = at.all.data.ensure(ns);
  content = form_to_store(into, std::move(content), is_raw);
  const shard_index where = at.all.data.place_of(into, content);
  check_document(content);
  const auto stored = std::make_shared<const document>(std::move(content));
  at.all.data.store_of(where, into)->insert(stored, at.unit);
  if (!into.series) at.unit.note({ns, "insert", nullptr, stored});
  return where;
}

write_result run_update(context& at, const write_filter& which, const update& change,
                        std::string_view command, reached_shards& reached) {
  const matcher checked{which.filter, which.names};  // rejected even without the collection
  const collection* of = at.all.data.find(which.ns);
  write_filter targeted = which;
  const bool is_placed_by_it =
      !which.upserts || at.all.data.simulated_release().is_since("8.0");
  if (is_placed_by_it && which.kind == write_kind::update)
    targeted.replacement = change.replacement();
  const write_plan plan = sent_plan(at, targeted);
  const auto documents = of == nullptr ? std::vector<found>{} : collect(at, which, *of, plan);
  note(at, plan, documents, command, reached);
  check_on_shards(at, which, change);
  if (documents.empty() && which.upserts) return run_upsert(at, which, change, reached);
  write_result out;
  for (const found& each : documents) {
    document after = change.apply(*each.content, false, which.filter);
    out.before = each.content;
    out.after = std::make_shared<const document>(after);
    ++out.matched;
    if (!write_back(at, which, *of, each, std::move(after))) continue;
    ++out.modified;
    if (of->series) continue;
    at.unit.note(
        {which.ns, change.is_replacement() ? "replace" : "update", out.before, out.after});
  }
  return out;
}

write_result run_delete(context& at, const write_filter& which, std::string_view command,
                        reached_shards& reached) {
  const matcher checked{which.filter, which.names};
  const collection* of = at.all.data.find(which.ns);
  const write_plan plan = sent_plan(at, which);
  const auto documents = of == nullptr ? std::vector<found>{} : collect(at, which, *of, plan);
  note(at, plan, documents, command, reached);
  write_result out;
  for (const found& each : documents) {
    remove_stored(at, *of, each);
    if (!of->series) at.unit.note({which.ns, "delete", each.content});
    out.before = each.content;
    ++out.matched;
  }
  return out;
}

}  // namespace scattergate::sim
