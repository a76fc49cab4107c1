#include "sim/execution/router.hpp"

#include <utility>

#include "sim/execution/arguments.hpp"
#include "sim/execution/pipeline.hpp"
#include "sim/storage/config_db.hpp"
#include "sim/targeting/time_series.hpp"
#include "sim/values/error.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {
namespace {

/// A bucket without the given measurement; null if it was the last.
document_ptr rest_of(const collection& of, const document& bucket,
                     const stored_document& which) {
  auto left = of.series->without(bucket, which.row);
  return left ? std::make_shared<const document>(std::move(*left)) : nullptr;
}

/// The document that remains after removing `which`; null if none remains.
document_ptr left_behind(context& at, const collection& of, const stored_document& which) {
  if (which.row.empty()) return nullptr;
  // An earlier statement of the same command may have changed the bucket.
  const document_ptr now = at.all.data.store_of(which.where, of)->get(which.id, at.unit);
  return now == nullptr ? nullptr : rest_of(of, *now, which);
}

/// Translates a read's filter to the documents that are sharded.
filter_node on_sharded(const context& at, const collection* of, const filter_node& filter,
                       bool is_raw) {
  if (of == nullptr || !of->series || is_raw) return filter;
  return read_on_buckets(filter, *of->series, rules_of(at.all.data.simulated_release().name));
}

}  // namespace

std::vector<stored_document> find_stored(context& at, const collection& of, shard_index shard,
                                         const document& filter, const matcher& match,
                                         bool is_raw, std::size_t limit) {
  const auto documents = at.all.data.store_of(shard, of);
  std::vector<stored_document> out;
  if (!of.series || is_raw) {
    for (auto& [id, content] : documents->find(filter, match, at.unit, limit)) {
      out.push_back({shard, id, std::move(content)});
    }
    return out;
  }
  static const matcher everything{document{}};
  for (const auto& [id, bucket] : documents->find({}, everything, at.unit)) {
    for (time_series::row& each : of.series->rows_of(*bucket)) {
      if (!match.matches(each.measurement)) continue;
      out.push_back({shard, id, std::make_shared<const document>(std::move(each.measurement)),
                     std::move(each.number)});
      if (limit != 0 && out.size() == limit) return out;
    }
  }
  return out;
}

document form_to_store(const collection& of, document content, bool is_raw) {
  if (!of.series) return content;
  if (!is_raw) return of.series->bucket_of(content);
  of.series->check_bucket(content);
  return content;
}

void remove_stored(context& at, const collection& of, const stored_document& which) {
  const auto source = at.all.data.store_of(which.where, of);
  if (document_ptr left = left_behind(at, of, which)) {
    source->replace(which.id, std::move(left), at.unit);
  } else {
    source->remove(which.id, at.unit);
  }
}

void replace_stored(context& at, const collection& of, const stored_document& which,
                    document stored, shard_index to) {
  auto after = std::make_shared<const document>(std::move(stored));
  const auto source = at.all.data.store_of(which.where, of);
  const bool stays = to == which.where && left_behind(at, of, which) == nullptr;
  if (stays) {
    source->replace(which.id, std::move(after), at.unit);
    return;
  }
  at.all.data.store_of(to, of)->insert(std::move(after), at.unit);
  remove_stored(at, of, which);
}

std::vector<document_ptr> read(context& at, const read_request& what) {
  const matcher match{what.filter, what.names};
  if (is_view(at.all.data, what.ns)) {
    const auto source = source_of(at.all.data, what.ns, {document{{"$match", what.filter}}});
    return run_source({at, at.in.db, what.names}, source, what.collation, false);
  }
  std::vector<document_ptr> out;
  if (auto synthetic = config_collection(at.all.data, what.ns)) {
    for (document& each : *synthetic) {
      if (match.matches(each)) {
        out.push_back(std::make_shared<const document>(std::move(each)));
      }
    }
    return out;
  }
  const collection* of = at.all.data.find(what.ns);
  const filter_node by =
      what.targeting ? *what.targeting : filter_for_targeting(at, what.filter, what.names);
  const filter_node targeting = on_sharded(at, of, by, what.is_raw);
  const auto asked =
      at.all.data.target_of(of, what.ns, targeting, what.collation.is_simple).shards;
  note_reached(at, asked, what.command);
  if (of == nullptr) return out;
  for (const shard_index each : asked) {
    for (stored_document& one :
         find_stored(at, *of, each, what.filter, match, what.is_raw, what.limit)) {
      out.push_back(std::move(one.content));
    }
  }
  return out;
}

std::set<shard_index> read_targets(const context& at, const std::string& ns,
                                   const filter_node& filter, const collating& collation,
                                   bool is_raw) {
  if (config_collection(at.all.data, ns)) return {};
  const collection* of = at.all.data.find(ns);
  const filter_node targeting = on_sharded(at, of, filter, is_raw);
  return at.all.data.target_of(of, ns, targeting, collation.is_simple).shards;
}

bool is_raw(const context& at, const std::string& ns, const document& command) {
  if (flag_argument(command, "rawData")) return true;
  const collection* of = at.all.data.find(ns);
  return of != nullptr && of->ns != ns;
}

variables let_of(const document& command) {
  variables out;
  for (const field& each : document_argument(command, "let")) {
    out[each.name] = expression{each.content}.evaluate({});
  }
  return out;
}

filter_terms filter_terms_of(const context& at, const variables& names) {
  return {names, rules_of(at.all.data.simulated_release().name)};
}

filter_node filter_for_targeting(const context& at, const document& filter,
                                 const variables& names) {
  return read_filter(filter, filter_terms_of(at, names));
}

void note_reached(context& at, const std::set<shard_index>& shards, std::string_view command) {
  for (const shard_index each : shards) {
    ++at.all.data.shards()[each].commands[std::string{command}];
  }
}

void check_counts(const context& at, const document& command) {
  const bool is_find = command.front().name == "find";
  const bool is_negative = number_argument(command, "skip", 0) < 0 ||
                           (is_find && number_argument(command, "limit", 0) < 0);
  if (!is_negative) return;
  const bool by_idl = !is_find || at.all.data.simulated_release().is_since("5.0");
  refuse(by_idl ? static_cast<errc>(51024) : errc::bad_value,
         "skip and limit must be greater than or equal to 0");
}

collating collation_of(const context& at, const std::string& ns, const document& arguments) {
  const auto is_simple = [](const document& collation) {
    return collation.empty() || text_argument(collation, "locale") == "simple";
  };
  static const document none;
  const collection* of = at.all.data.find(ns);
  const document& otherwise =
      of == nullptr ? none : document_argument(of->options, "collation");
  const document& given = document_argument(arguments, "collation");
  if (given.empty()) return {is_simple(otherwise), true};
  const bool is_default =
      is_simple(given) ? is_simple(otherwise) : compare(given, otherwise) == 0;
  return {is_simple(given), is_default};
}

}  // namespace scattergate::sim
