#include "sim/execution/pipeline.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <random>

#include "sim/execution/arguments.hpp"
#include "sim/execution/pipeline_checks.hpp"
#include "sim/execution/pipeline_head.hpp"
#include "sim/execution/stats.hpp"
#include "sim/execution/writes.hpp"
#include "sim/query/matcher.hpp"
#include "sim/query/shaping.hpp"
#include "sim/values/bson_codec.hpp"
#include "sim/values/error.hpp"
#include "sim/values/hashing.hpp"
#include "sim/values/path.hpp"

/// The stages that read other collections: `$lookup`, `$unionWith`.

/// The stages that write: `$out` and `$merge`.
namespace scattergate::sim {
namespace {

constexpr int max_pipeline_depth = 20;

/// A stage's result document. Limits stages that double it.
document_ptr shared(document content) {
  constexpr std::size_t most_bytes = 16 * 1024 * 1024;
  if (encoded_bytes(content) > most_bytes)
    refuse(errc::bson_object_too_large, "BSONObj size is invalid");
  return std::make_shared<const document>(std::move(content));
}

documents match(const pipeline_scope& in, documents input, const value& operand) {
  const matcher filter{stage_document("$match", operand), in.names};
  std::erase_if(input, [&filter](const document_ptr& each) { return !filter.matches(*each); });
  return input;
}

documents sort(const pipeline_scope&, documents input, const value& operand) {
  sort_order{stage_document("$sort", operand)}.apply(input);
  return input;
}

std::int64_t count_operand(const char* stage, const value& operand, std::int64_t least) {
  if (!operand.is_number() || operand.as_int64() < least)
    refuse(5107201, std::string{"invalid argument to "} + stage + " stage");
  return operand.as_int64();
}

documents skip(const pipeline_scope&, documents input, const value& operand) {
  const auto count = std::min(count_operand("$skip", operand, 0), std::ssize(input));
  input.erase(input.begin(), input.begin() + count);
  return input;
}

documents limit(const pipeline_scope&, documents input, const value& operand) {
  const auto count = std::min(count_operand("$limit", operand, 1), std::ssize(input));
  input.erase(input.begin() + count, input.end());
  return input;
}

documents count(const pipeline_scope&, documents input, const value& operand) {
  const auto* name = operand.as<std::string>();
  if (name == nullptr || name->empty() || name->starts_with('$'))
    refuse(40156, "the count field must be a non-empty string");
  if (input.empty()) return {};
  return {shared({{*name, static_cast<std::int32_t>(input.size())}})};
}

/// Chooses some documents at random.
documents sample(const pipeline_scope&, documents input, const value& operand) {
  const value* size = stage_document("$sample", operand).find("size");
  if (size == nullptr || !size->is_number() || size->as_int64() <= 0)
    refuse(28747, "size argument to $sample must be a positive integer");
  documents out;
  std::ranges::sample(input, std::back_inserter(out), size->as_int64(), std::random_device{});
  return out;
}

/// A stage that makes documents is run instead of reading a collection.
documents already_run(const pipeline_scope&, documents input, const value&) {
  return input;
}

documents facet(const pipeline_scope& in, documents input, const value& operand) {
  const pipeline_scope inner{in.at, in.db, in.names, in.depth + 1};
  document out;
  for (const field& each : stage_document("$facet", operand)) {
    const auto* stages = each.content.as<array>();
    if (stages == nullptr) refuse(40170, "arguments to $facet must be arrays");
    check_stages(*stages);
    array found;
    for (const document_ptr& one : run_pipeline(inner, input, *stages)) {
      found.emplace_back(*one);
    }
    out.append(each.name, std::move(found));
  }
  return {std::make_shared<const document>(std::move(out))};
}

const field& only_field(const value& stage) {
  const auto* content = stage.as<document>();
  if (content == nullptr || content->size() != 1)
    refuse(40323, "A pipeline stage specification object must contain exactly one field.");
  return content->front();
}

/// The state of one accumulator for one group.
struct tally {
  value sum = std::int32_t{0};
  std::int64_t count = 0;
  outcome kept;
  array members;
};

/// Whether the value exists and is less (or greater) than the kept one, if there is one.
bool is_beyond(const outcome& next, const tally& so_far, bool wants_less) {
  if (!next || next->is<null>()) return false;
  if (!so_far.kept) return true;
  return wants_less ? compare(*next, *so_far.kept) < 0 : compare(*next, *so_far.kept) > 0;
}

value kept(tally& from) {
  return from.kept.value_or(null{});
}
value sum(tally& from) {
  return std::move(from.sum);
}
value members(tally& from) {
  return std::move(from.members);
}

struct accumulator {
  std::string_view name;
  void (*take)(tally& into, const outcome& next);
  value (*finish)(tally& from);
};

constexpr auto accumulators = std::to_array<accumulator>({
    {"$sum",
     [](tally& into, const outcome& next) {
       if (next && next->is_number()) into.sum = add(into.sum, *next);
     },
     sum},
    {"$avg",
     [](tally& into, const outcome& next) {
       if (!next || !next->is_number()) return;
       into.sum = add(into.sum, *next);
       ++into.count;
     },
     [](tally& from) -> value {
       if (from.count == 0) return null{};
       return from.sum.as_double() / static_cast<double>(from.count);
     }},
    {"$min",
     [](tally& into, const outcome& next) {
       if (is_beyond(next, into, true)) into.kept = next;
     },
     kept},
    {"$max",
     [](tally& into, const outcome& next) {
       if (is_beyond(next, into, false)) into.kept = next;
     },
     kept},
    {"$first",
     [](tally& into, const outcome& next) {
       if (into.count++ == 0) into.kept = next.value_or(null{});
     },
     kept},
    {"$last", [](tally& into, const outcome& next) { into.kept = next.value_or(null{}); },
     kept},
    {"$push",
     [](tally& into, const outcome& next) {
       if (next) into.members.push_back(*next);
     },
     members},
    {"$addToSet",
     [](tally& into, const outcome& next) {
       if (!next) return;
       const auto at = std::ranges::lower_bound(into.members, *next, value_less{});
       if (at == into.members.end() || !is_equal(*at, *next)) into.members.insert(at, *next);
     },
     members},
    {"$count", [](tally& into, const outcome&) { into.sum = add(into.sum, std::int32_t{1}); },
     sum},
});

/// An output field of a `$group`.
struct output {
  std::string name;
  const accumulator* how;
  expression input;
};

output parse_output(const field& each, const variables& names) {
  const auto* content = each.content.as<document>();
  if (content == nullptr || content->size() != 1)
    refuse(40234, "The field '" + each.name + "' must be an accumulator object");
  const field& only = content->front();
  const auto* how =
      std::find_if(accumulators.begin(), accumulators.end(),
                   [&only](const auto& known) { return known.name == only.name; });
  if (how == accumulators.end())
    refuse(errc::group_expression, "unknown group operator '" + only.name + "'" + see_limits);
  return {each.name, how, expression{only.content, names}};
}

documents group(const pipeline_scope& in, documents input, const value& operand) {
  const document& specification = stage_document("$group", operand);
  const value* id = specification.find("_id");
  if (id == nullptr) refuse(15955, "a group specification must include an _id");
  const expression key{*id, in.names};
  std::vector<output> outputs;
  for (const field& each : specification) {
    if (each.name != "_id") outputs.push_back(parse_output(each, in.names));
  }
  std::map<value, std::vector<tally>, value_less> groups;
  for (const document_ptr& each : input) {
    auto& tallies = groups.try_emplace(key.evaluate(*each), outputs.size()).first->second;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      outputs[i].how->take(tallies[i], outputs[i].input.evaluate_or_missing(*each));
    }
  }
  documents out;
  for (auto& [group_id, tallies] : groups) {
    document made{{"_id", group_id}};
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      made.append(outputs[i].name, outputs[i].how->finish(tallies[i]));
    }
    out.push_back(std::make_shared<const document>(std::move(made)));
  }
  return out;
}

documents sort_by_count(const pipeline_scope& in, documents input, const value& operand) {
  const document one{{"$sum", std::int32_t{1}}};
  documents grouped = group(in, std::move(input), document{{"_id", operand}, {"count", one}});
  sort_order{{{"count", std::int32_t{-1}}}}.apply(grouped);
  return grouped;
}

documents unwind(const pipeline_scope&, documents input, const value& operand) {
  const auto* options = operand.as<document>();
  const value* given = options == nullptr ? &operand : options->find("path");
  const auto* text = as<std::string>(given);
  if (text == nullptr || !text->starts_with('$'))
    refuse(28818, "path option to $unwind stage should be prefixed with a '$'");
  const std::string name = text->substr(1);
  const auto path = split_path(name);
  const value* keeps =
      options == nullptr ? nullptr : options->find("preserveNullAndEmptyArrays");
  const value* index = options == nullptr ? nullptr : options->find("includeArrayIndex");
  documents out;
  const auto emit = [&](const document& from, const value* member, const value& position) {
    document made = from;
    if (member != nullptr) set_path(made, name, *member);
    if (index != nullptr && index->is<std::string>()) {
      set_path(made, *index->as<std::string>(), position);
    }
    out.push_back(std::make_shared<const document>(std::move(made)));
  };
  for (const document_ptr& each : input) {
    const value* found = plain_path(*each, path);
    const auto* members = as<array>(found);
    const bool nothing =
        found == nullptr || found->is<null>() || (members != nullptr && members->empty());
    if (nothing) {
      if (keeps != nullptr && keeps->is_truthy()) emit(*each, nullptr, null{});
    } else if (members == nullptr) {
      emit(*each, found, null{});
    } else {
      for (std::size_t i = 0; i < members->size(); ++i) {
        emit(*each, &(*members)[i], static_cast<std::int64_t>(i));
      }
    }
  }
  return out;
}

/// The values of `localField` to look up: the value, or the members of an array.
array local_values(const document& from, path_view path) {
  array out;
  auto visit = [&out](const value* leaf) {
    const auto* members = as<array>(leaf);
    if (members != nullptr) {
      out.insert(out.end(), members->begin(), members->end());
    } else {
      out.push_back(leaf == nullptr ? value{} : *leaf);
    }
    return false;
  };
  visit_path(from, path, visit);
  if (out.empty()) out.emplace_back(null{});
  return out;
}

/// Runs a pipeline on another collection, on the documents that match `condition`.
documents run_foreign(const pipeline_scope& in, const std::string& ns, array stages,
                      const document& condition) {
  if (!condition.empty()) stages.insert(stages.begin(), document{{"$match", condition}});
  return run_source(in, source_of(in.at.all.data, ns, std::move(stages)), {}, false);
}

/// The variables of a `$lookup`'s `let`, evaluated on its input document.
variables names_for(const pipeline_scope& in, const document& let, const document& from) {
  variables out = in.names;
  for (const field& each : let)
    out[each.name] = expression{each.content, in.names}.evaluate(from);
  return out;
}

documents lookup(const pipeline_scope& in, documents input, const value& operand) {
  const document& options = stage_document("$lookup", operand);
  const std::string ns = in.db + "." + text_argument(options, "from");
  const std::string as = text_argument(options, "as");
  const std::string local = text_argument(options, "localField");
  const std::string foreign = text_argument(options, "foreignField");
  const array& stages = array_argument(options, "pipeline");
  if (as.empty() || local.empty() != foreign.empty() ||
      (local.empty() && !options.has("pipeline"))) {
    refuse(errc::failed_to_parse,
           "$lookup needs from, as, and localField with foreignField or a pipeline");
  }
  check_stages(stages);
  const auto local_path = split_path(local);
  for (document_ptr& each : input) {
    document condition;
    if (!local.empty()) {
      condition.append(foreign, document{{"$in", local_values(*each, local_path)}});
    }
    const variables names = names_for(in, document_argument(options, "let"), *each);
    const pipeline_scope inner{in.at, in.db, names, in.depth + 1};
    array joined;
    for (const document_ptr& found : run_foreign(inner, ns, stages, condition)) {
      joined.emplace_back(*found);
    }
    document out = *each;
    set_path(out, as, std::move(joined));
    each = std::make_shared<const document>(std::move(out));
  }
  return input;
}

documents union_with(const pipeline_scope& in, documents input, const value& operand) {
  const auto* name = operand.as<std::string>();
  const document options =
      name != nullptr ? document{{"coll", *name}} : stage_document("$unionWith", operand);
  const array& stages = array_argument(options, "pipeline");
  check_stages(stages);
  const std::string ns = in.db + "." + text_argument(options, "coll");
  const pipeline_scope inner{in.at, in.db, in.names, in.depth + 1};
  documents more = run_foreign(inner, ns, stages, {});
  input.insert(input.end(), more.begin(), more.end());
  return input;
}

/// The equality filter on the fields of `on`.
document identity_of(const document& from, const array& on) {
  document out;
  for (const value& each : on) {
    const auto* name = each.as<std::string>();
    if (name == nullptr) refuse(errc::type_mismatch, "$merge.on takes strings");
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
  if (!is_id && (of == nullptr || !has_unique_index(*of, out)))
    refuse(51190, "Cannot find index to verify that join fields will be unique");
  return out;
}

value change_of(const document& content, const std::string& when_matched) {
  if (when_matched == "replace") return content;
  document changes = content;
  changes.erase("_id");
  const bool keeps = when_matched == "keepExisting";
  if (!keeps && when_matched != "merge")
    refuse("$merge.whenMatched is replace, keepExisting or merge");
  // An upsert that finds nothing to change must still insert the whole document.
  if (changes.empty()) return document{{"$setOnInsert", content}};
  return document{{keeps ? "$setOnInsert" : "$set", std::move(changes)}};
}

documents out_stage(const pipeline_scope& in, documents input, const value& operand) {
  const std::string ns = named_ns(in.db, operand);
  const collection* old = in.at.all.data.find(ns);
  if (old != nullptr && old->spread) {
    refuse(errc::sharded_foreign,
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
  if (!missing.empty() && missing != "insert" && missing != "discard")
    refuse("$merge.whenNotMatched is insert or discard");
  reached_shards reached;
  for (const document_ptr& each : input) {
    const write_filter which{write_kind::update,  ns, identity_of(*each, on), false, {}, {},
                             missing != "discard"};
    const update change{change_of(*each, matched.empty() ? "merge" : matched), now_millis()};
    static_cast<void>(run_update(in.at, which, change, "update", reached));
  }
  return {};
}

/// The remaining part of a value; std::nullopt if `$redact` prunes it.
std::optional<value> redacted(const value& from, const expression& decide) {
  if (const auto* members = from.as<array>()) {
    array out;
    for (const value& each : *members) {
      if (auto left = redacted(each, decide)) out.push_back(std::move(*left));
    }
    return value{std::move(out)};
  }
  const auto* content = from.as<document>();
  if (content == nullptr) return from;
  const value decision = decide.evaluate(*content);
  const auto* text = decision.as<std::string>();
  if (text != nullptr && *text == "KEEP") return from;
  if (text != nullptr && *text == "PRUNE") return std::nullopt;
  if (text == nullptr || *text != "DESCEND") {
    refuse(17053, "$redact must resolve to $$DESCEND, $$PRUNE or $$KEEP");
  }
  document out;
  for (const field& each : *content) {
    if (auto left = redacted(each.content, decide)) out.append(each.name, std::move(*left));
  }
  return value{std::move(out)};
}

documents redact(const pipeline_scope& in, documents input, const value& operand) {
  variables names = in.names;
  for (const char* each : {"DESCEND", "PRUNE", "KEEP"}) names[each] = each;
  const expression decide{operand, names};
  documents out;
  for (const document_ptr& each : input) {
    if (auto left = redacted(*each, decide)) out.push_back(shared(*left->as<document>()));
  }
  return out;
}

/// A stage of a search engine, refused as by a server without one.
documents refuse_search(const pipeline_scope&, documents, const value&) {
  refuse(errc::search_not_enabled,
         "Using $search and the like requires additional configuration");
}

/// The simulator knows the routing of `$graphLookup`, but doesn't run it.
documents refuse_graph_lookup(const pipeline_scope&, documents, const value&) {
  refuse_unsupported("$graphLookup, except in an explain,");
}

/// Runs one stage: returns its output for `input`.
using stage_function = documents (*)(const pipeline_scope& in, documents input,
                                     const value& operand);

constexpr auto stage_functions = std::to_array<std::pair<std::string_view, stage_function>>({
    {"$match", match},
    {"$sort", sort},
    {"$skip", skip},
    {"$limit", limit},
    {"$count", count},
    {"$group", group},
    {"$unwind", unwind},
    {"$sortByCount", sort_by_count},
    {"$sample", sample},
    {"$facet", facet},
    {"$lookup", lookup},
    {"$unionWith", union_with},
    {"$out", out_stage},
    {"$merge", merge_stage},
    {"$search", refuse_search},
    {"$searchMeta", refuse_search},
    {"$vectorSearch", refuse_search},
    {"$listSearchIndexes", refuse_search},
    {"$graphLookup", refuse_graph_lookup},
    {"$redact", redact},
    {"$collStats", already_run},
    {"$changeStream", already_run},
});

}  // namespace

const document& stage_document(const char* stage, const value& operand) {
  const auto* content = operand.as<document>();
  if (content == nullptr) {
    refuse(errc::failed_to_parse,
           std::string{"the "} + stage + " specification must be an object");
  }
  return *content;
}

void check_stages(const array& stages) {
  for (const value& stage : stages) {
    const field& only = only_field(stage);
    if (!is_reshaping(only.name) && find_function(stage_functions, only.name) == nullptr) {
      refuse(errc::unrecognized_stage,
             "Unrecognized pipeline stage name: '" + only.name + "'" + see_limits);
    }
  }
}

bool runs_on_router(const array& stages) {
  const auto* first = stages.empty() ? nullptr : stages.front().as<document>();
  return first != nullptr && first->has("$listSearchIndexes");
}

documents run_source(const pipeline_scope& in, const pipeline_source& what,
                     const collating& collation, bool is_raw) {
  const auto* first = what.stages.empty() ? nullptr : what.stages.front().as<document>();
  documents input;
  if (first != nullptr && first->has("$collStats")) {
    input = coll_stats_by_shard(in.at, what.ns, *first);
  } else if (!runs_on_router(what.stages)) {
    input =
        read(in.at, {what.ns, leading_filter(what.stages), "aggregate", collation, 0, in.names,
                     head_of(what.stages, filter_terms_of(in.at, in.names)), is_raw});
  }
  return run_pipeline(in, std::move(input), what.stages);
}

documents run_pipeline(const pipeline_scope& in, documents input,
                       std::span<const value> stages) {
  if (in.depth > max_pipeline_depth) refuse(5107200, "pipelines are nested too deep");
  for (const value& stage : stages) {
    const field& only = only_field(stage);
    if (is_reshaping(only.name)) {
      const reshaping reshaped = make_reshaping(only, in.names);
      for (document_ptr& each : input) each = shared(reshaped(*each));
    } else {
      input = find_function(stage_functions, only.name)(in, std::move(input), only.content);
    }
  }
  return input;
}

}  // namespace scattergate::sim
