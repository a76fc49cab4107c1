#include <algorithm>
#include <array>
#include <cstdlib>

#include "sim/execution/arguments.hpp"
#include "sim/execution/change_stream.hpp"
#include "sim/execution/command.hpp"
#include "sim/execution/pipeline.hpp"
#include "sim/execution/pipeline_checks.hpp"
#include "sim/execution/router.hpp"
#include "sim/query/shaping.hpp"
#include "sim/values/bson_codec.hpp"
#include "sim/values/error.hpp"
#include "sim/values/path.hpp"
#include "sim/values/value.hpp"

/// find, getMore, killCursors, count, distinct, aggregate.
namespace scattergate::sim {
namespace {

/// Removes `skip` documents at the front and those beyond `limit` (0: none).
void cut(std::vector<document_ptr>& documents, std::int64_t skip, std::int64_t limit) {
  const auto dropped = std::min<std::int64_t>(skip, std::ssize(documents));
  documents.erase(documents.begin(), documents.begin() + dropped);
  if (limit > 0 && limit < std::ssize(documents)) {
    documents.erase(documents.begin() + limit, documents.end());
  }
}

void project(std::vector<document_ptr>& documents, const document& specification) {
  const projection projected{specification};
  if (projected.is_empty()) return;
  for (document_ptr& each : documents) {
    each = std::make_shared<const document>(projected.apply(*each));
  }
}

/// How many documents each shard must return for skip and limit.
std::size_t shard_limit(std::int64_t skip, std::int64_t limit, bool sorted) {
  constexpr std::int64_t huge = INT32_MAX;
  if (limit <= 0 || sorted || skip > huge || limit > huge) return 0;
  return static_cast<std::size_t>(skip + limit);
}

std::int64_t batch_of(const document& body, std::int64_t otherwise) {
  const std::int64_t size = number_argument(body, "batchSize", otherwise);
  if (size < 0) refuse("batchSize must not be negative");
  return size;
}

document run_find(context& at) {
  const document& body = at.in.body;
  const std::string ns = at.ns_or_view();
  check_counts(at, body);
  const sort_order order{document_argument(body, "sort")};
  const std::int64_t skip = number_argument(body, "skip", 0);
  const std::int64_t limit = number_argument(body, "limit", 0);
  auto found = read(at, {ns,
                         document_argument(body, "filter"),
                         "find",
                         collation_of(at, ns, body),
                         shard_limit(skip, limit, !order.is_empty()),
                         let_of(body),
                         {},
                         is_raw(at, ns, body)});
  if (!order.is_empty()) order.apply(found);
  cut(found, skip, limit);
  project(found, document_argument(body, "projection"));
  return {{"cursor", at.all.cursors.open(ns, std::move(found), batch_of(body, default_batch),
                                         flag_argument(body, "singleBatch"))}};
}

document run_get_more(context& at) {
  const value& id = at.in.body.front().content;
  if (!id.is<std::int64_t>()) refuse(errc::type_mismatch, "getMore's cursor id must be a long");
  const std::string ns = at.in.db + "." + text_argument(at.in.body, "collection");
  const std::int64_t size = batch_of(at.in.body, 0);
  open_cursor& cursor = at.all.cursors.named(id.as_int64(), ns);
  if (cursor.stream && cursor.rest.empty()) {
    constexpr std::int64_t default_wait_ms = 1000;
    const documents events = next_changes(at, *cursor.stream);
    cursor.rest.assign(events.begin(), events.end());
    if (cursor.rest.empty() && !cursor.stream->ended) {
      at.awaits =
          std::chrono::milliseconds{number_argument(at.in.body, "maxTimeMS", default_wait_ms)};
    }
  }
  return {{"cursor", at.all.cursors.next(id.as_int64(), ns, size)}};
}

document run_kill_cursors(context& at) {
  array killed;
  array missing;
  for (const value& each : array_argument(at.in.body, "cursors")) {
    (at.all.cursors.kill(each.as_int64()) ? killed : missing).push_back(each);
  }
  return {{"cursorsKilled", std::move(killed)},
          {"cursorsNotFound", std::move(missing)},
          {"cursorsAlive", array{}},
          {"cursorsUnknown", array{}}};
}

document run_count(context& at) {
  const document& body = at.in.body;
  const std::string ns = at.ns_or_view();
  check_counts(at, body);
  auto found = read(at, {ns,
                         document_argument(body, "query"),
                         "count",
                         collation_of(at, ns, body),
                         0,
                         {},
                         {},
                         is_raw(at, ns, body)});
  // A negative limit means its absolute value, as count has always treated it.
  const std::int64_t limit =
      std::max<std::int64_t>(number_argument(body, "limit", 0), -INT64_MAX);
  cut(found, number_argument(body, "skip", 0), std::abs(limit));
  return {{"n", static_cast<std::int32_t>(found.size())}};
}

/// The shards reject it on a sharded collection (mongo: db/commands/distinct.cpp, run).
void check_distinct_in_transaction(const context& at, const std::string& ns) {
  const collection* of = at.all.data.find(ns);
  if (!at.session.in_transaction || of == nullptr || !of->spread) return;
  refuse(errc::operation_not_supported_in_transaction,
         "Cannot run 'distinct' on a sharded collection in a multi-document "
         "transaction.");
}

document run_distinct(context& at) {
  const document& body = at.in.body;
  const std::string ns = at.ns_or_view();
  check_distinct_in_transaction(at, ns);
  const auto path = split_path(text_argument(body, "key"));
  const auto found = read(at, {ns,
                               document_argument(body, "query"),
                               "distinct",
                               collation_of(at, ns, body),
                               0,
                               {},
                               {},
                               is_raw(at, ns, body)});
  std::set<value, value_less> values;
  for (const document_ptr& each : found) {
    auto visit = [&values](const value* leaf) {
      if (leaf == nullptr) return false;
      if (const auto* members = leaf->as<array>()) {
        values.insert(members->begin(), members->end());
      } else {
        values.insert(*leaf);
      }
      return false;
    };
    visit_path(*each, path, visit);
  }
  return {{"values", array(values.begin(), values.end())}};
}

/// The documents of an aggregate. `aggregate: 1` reads none.
documents aggregated(context& at, const std::string& ns, const pipeline_source& source) {
  const variables names = let_of(at.in.body);
  const pipeline_scope scope{at, at.in.db, names};
  if (!at.in.body.front().content.is<std::string>()) {
    return run_pipeline(scope, {}, source.stages);
  }
  return run_source(scope, source, collation_of(at, ns, at.in.body),
                    is_raw(at, source.ns, at.in.body));
}

document run_aggregate(context& at) {
  const document& body = at.in.body;
  const array& stages = array_argument(body, "pipeline");
  check_stages(stages);
  const bool on_collection = body.front().content.is<std::string>();
  const bool is_stream = is_change_stream(stages);
  const std::string ns = !on_collection ? at.in.db + ".$cmd.aggregate"
                         : is_stream    ? at.ns()
                                        : at.ns_or_view();
  const pipeline_source source = source_of(at.all.data, ns, stages);
  check_foreign(at, at.in.db, source.stages);
  check_places(source.stages);
  const std::int64_t size = batch_of(document_argument(body, "cursor"), default_batch);
  if (is_stream) {
    change_stream stream = open_change_stream(at, stages);
    documents events = next_changes(at, stream);
    return {
        {"cursor", at.all.cursors.open(ns, std::move(events), size, false, std::move(stream))}};
  }
  return {{"cursor", at.all.cursors.open(ns, aggregated(at, ns, source), size, false)}};
}

document run_map_reduce(context&) {
  refuse_unsupported("mapReduce, which needs JavaScript,");
}

}  // namespace

std::span<const command_spec> read_commands() {
  static constexpr std::array all{
      command_spec{"aggregate", run_aggregate, false, true},
      command_spec{"find", run_find, false, true},
      command_spec{"getMore", run_get_more, false, true},
      command_spec{"killCursors", run_kill_cursors, false, true},
      command_spec{"count", run_count, false, false},
      command_spec{"distinct", run_distinct, false, true},
      command_spec{"mapReduce", run_map_reduce},
  };
  return all;
}

}  // namespace scattergate::sim
