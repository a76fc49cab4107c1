#include "sim/execution/arguments.hpp"
#include "sim/execution/pipeline.hpp"
#include "sim/execution/writes.hpp"
#include "sim/values/compare.hpp"
#include "sim/values/error.hpp"
#include "sim/values/identity.hpp"
#include "sim/values/path.hpp"

/// The stages that write: `$out` and `$merge`.
namespace scattergate::sim {
namespace {

/// "coll" or {db, coll} as a namespace.
std::string target_ns(const pipeline_scope& in, const value& target) {
  const auto* name = target.as<std::string>();
  const auto* options = target.as<document>();
  if (name == nullptr && options == nullptr) {
    throw command_failure(errc::type_mismatch, "the target must be a string or an object");
  }
  if (name != nullptr) return in.db + "." + *name;
  const std::string db = text_argument(*options, "db");
  return (db.empty() ? in.db : db) + "." + text_argument(*options, "coll");
}

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
  const std::string ns = target_ns(in, operand);
  const collection* old = in.at.all.data.find(ns);
  if (old != nullptr && old->spread) {
    throw command_failure(static_cast<errc>(28769),
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
  const std::string ns = target_ns(in, needed_argument(options, "into"));
  const value* given = argument(options, "on");
  const array on = given == nullptr           ? array{"_id"}
                   : given->is<std::string>() ? array{*given}
                                              : array_argument(options, "on");
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
