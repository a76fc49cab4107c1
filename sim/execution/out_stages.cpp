#include <algorithm>

#include "sim/execution/arguments.hpp"
#include "sim/execution/foreign_stages.hpp"
#include "sim/execution/pipeline.hpp"
#include "sim/execution/writes.hpp"
#include "sim/values/error.hpp"
#include "sim/values/identity.hpp"
#include "sim/values/path.hpp"

/// The stages that write: `$out` and `$merge`.
namespace scattergate::sim {
namespace {

/// The equality filter on the fields of `on`.
document identity_of(const document& from, const array& on) {
  document out;
  for (const value& each : on) {
    const auto* name = each.as<std::string>();
    if (name == nullptr) throw command_failure(errc::type_mismatch, "$merge.on takes strings");
    const value* found = plain_path(from, split_path(*name));
    out.append(*name, found == nullptr ? value{} : *found);
  }
  return out;
}

/// Whether there is a unique index on exactly these fields.
bool has_unique_index(const collection& of, const array& on) {
  return std::ranges::any_of(of.indexes, [&](const document& each) {
    const document& key = document_argument(each, "key");
    const bool is_id = key.size() == 1 && key.has("_id");
    if (key.size() != on.size() || !(is_id || flag_argument(each, "unique"))) return false;
    return std::ranges::all_of(on, [&key](const value& one) {
      const auto* name = one.as<std::string>();
      return name != nullptr && key.has(*name);
    });
  });
}

/// The fields that identify the target document: the given ones, which need a unique index, or
/// else `_id` and those of the target's shard key (mongo:
/// MongosProcessInterface::ensureFieldsUniqueOrResolveDocumentKey).
array fields_of_merge(const pipeline_scope& in, const std::string& ns, const value* given) {
  const collection* of = in.at.all.data.find(ns);
  if (given == nullptr) {
    array out{"_id"};
    if (of == nullptr || !of->spread) return out;
    for (const shard_key::part& each : of->spread->key.parts()) {
      if (each.name != "_id") out.emplace_back(each.name);
    }
    return out;
  }
  array out = given->is<std::string>() ? array{*given} : array{};
  if (const auto* several = given->as<array>()) out = *several;
  const bool is_id = out.size() == 1 && out.front().is<std::string>() &&
                     *out.front().as<std::string>() == "_id";
  if (!is_id && (of == nullptr || !has_unique_index(*of, out))) {
    throw command_failure(static_cast<errc>(51190),
                          "Cannot find index to verify that join fields will be unique");
  }
  return out;
}

value change_of(const document& content, const std::string& when_matched) {
  if (when_matched == "replace") return content;
  document changes = content;
  changes.erase("_id");
  const bool keeps = when_matched == "keepExisting";
  if (!keeps && when_matched != "merge") {
    throw command_failure(errc::bad_value,
                          "$merge.whenMatched is replace, keepExisting or merge");
  }
  // An upsert that finds nothing to change must still insert the whole document.
  if (changes.empty()) return document{{"$setOnInsert", content}};
  return document{{keeps ? "$setOnInsert" : "$set", std::move(changes)}};
}

}  // namespace

documents out_stage(const pipeline_scope& in, documents input, const value& operand) {
  const std::string ns = named_ns(in.db, operand);
  const collection* old = in.at.all.data.find(ns);
  if (old != nullptr && old->spread) {
    throw command_failure(errc::sharded_foreign,
                          "namespace '" + ns + "' is sharded so it can't be used for $out");
  }
  in.at.all.data.drop(ns);
  in.at.all.data.create(ns, {});
  for (const document_ptr& each : input) insert_one(in.at, ns, *each);
  return {};
}

documents merge_stage(const pipeline_scope& in, documents input, const value& operand) {
  const auto* name = operand.as<std::string>();
  const document options =
      name != nullptr ? document{{"into", *name}} : stage_document("$merge", operand);
  const std::string ns = named_ns(in.db, needed_argument(options, "into"));
  const value* given = argument(options, "on");
  const array on = fields_of_merge(in, ns, given);
  const std::string matched = text_argument(options, "whenMatched");
  const std::string missing = text_argument(options, "whenNotMatched");
  if (!missing.empty() && missing != "insert" && missing != "discard") {
    throw command_failure(errc::bad_value, "$merge.whenNotMatched is insert or discard");
  }
  reached_shards reached;
  for (const document_ptr& each : input) {
    const write_filter which{write_kind::update,  ns, identity_of(*each, on), false, {}, {},
                             missing != "discard"};
    const update change{change_of(*each, matched.empty() ? "merge" : matched), now_millis()};
    static_cast<void>(run_update(in.at, which, change, "update", reached));
  }
  return {};
}

}  // namespace scattergate::sim
