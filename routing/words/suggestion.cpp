#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "routing/stages/stage.hpp"
#include "routing/words/advice.hpp"
#include "routing/words/describe.hpp"
#include "routing/words/key_words.hpp"
#include "routing/words/library_advice.hpp"

namespace scattergate::routing {

namespace {

constexpr std::string_view simple = "{locale: \"simple\"}";

key_field_set rest_of_key(const verdict& of) {
  return key_field_set::first(of.judged->key.size()).without(key_field_set{of.hints.pinned});
}

/// The fields by which the command selects: "a, b and c". Empty if there are none.
std::string selected_fields(const advice_facts& facts) {
  std::string text;
  for (std::size_t i = 0; i < facts.selected_size; ++i) {
    const bool is_last = i + 1 == facts.selected_size;
    text += (i == 0 ? "" : is_last ? " and " : ", ") + std::string{facts.selected[i]};
  }
  return text;
}

/// The place for the conditions in a batch of several statements, which may lack them or not.
std::string filter_in_batch(const verdict& of, const advice_facts& facts) {
  const std::size_t lacking = of.statements[static_cast<std::size_t>(of.routing)];
  if (lacking >= facts.statements) return "the filter of every statement";
  const std::string by = selected_fields(facts);
  const std::string number = "the " + ordinal(facts.statement + std::size_t{1}) + " of " +
                             std::to_string(facts.statements) + " statements";
  if (lacking > 1) {
    return "the filters of the " + std::to_string(lacking) +
           " statements that lack it (the first one " +
           (!facts.has_filter ? "has no conditions"
            : by.empty()      ? "is " + number
                              : "selects by " + by) +
           ")";
  }
  if (!facts.has_filter) return "the filter of the statement without conditions";
  return "the filter of " + (by.empty() ? number : "the statement that selects by " + by);
}

/// The name of the place for the command's conditions: "the filter", or another one.
std::string place_of_filter(const verdict& of, const advice_facts& facts) {
  const bool is_other = facts.kind == command_kind::other;
  const command_kind kind = is_other ? of.command : facts.kind;
  if (kind == command_kind::aggregate) {
    if (of.hints.blocked_by == key_hints::blocker::text) return "the $match that has $text";
    if (facts.begins_with_geo_near) return "the query of its $geoNear";
  }
  if (facts.statements > 1) return filter_in_batch(of, facts);
  return std::string{facts_of(kind).advice_place};
}

/// "equality", or, where a range of the key's first field narrows the shards, too, both.
std::string condition_on_first(const verdict& of) {
  return of.judged->key.front().hashed ? "equality" : "equality or a range";
}

/// Advises an equality on these fields. For the time of measurements advises a range, because
/// no equality identifies a bucket.
std::string add_equality(const verdict& of, const advice_facts& facts, key_field_set fields,
                         const std::string& condition = "equality") {
  std::string time;
  for (std::size_t i = 0; i < of.judged->key.size(); ++i) {
    if (!fields.contains(i) || !is_time(of, i)) continue;
    time = "a range of " + placed(of, i);
    fields.erase(i);
  }
  std::string text =
      fields.is_empty() ? "add " : "add " + condition + " on " + placed_all(of, fields);
  if (!fields.is_empty() && !time.empty()) text += " and ";
  return text + time + " to " + place_of_filter(of, facts);
}

/// An addition to advised equalities, if the collation isn't simple.
std::string beside_equality(const verdict& of) {
  if (!of.hints.has_collation) return {};
  return "; strings narrow the shards only under the collation " + std::string{simple};
}

/// The effect of an equality on the first field, and then of equalities on the others.
std::string add_first(const verdict& of, const advice_facts& facts) {
  const auto& key = of.judged->key;
  const std::string text =
      add_equality(of, facts, key_field_set::first(1), condition_on_first(of));
  if (key.size() == 1) {
    return text + (key.front().hashed || is_time(of, 0)
                       ? " so that mongos can ask one shard"
                       : ": with equality, mongos asks one shard");
  }
  std::string others;
  for (std::size_t i = 1; i < key.size(); ++i) {
    if (!of.misses(i) || is_time(of, i)) continue;
    others += (others.empty() ? "" : " and ") + name_for_clients(of, i);
  }
  const bool is_whole = key.size() == 2 ? !is_time(of, 1) : true;
  return text + " so that mongos doesn't ask every shard" +
         (others.empty() || !is_whole
              ? ""
              : "; with equality on it and on " + others + ", mongos asks one shard");
}

std::string for_scatter(const verdict& of, const advice_facts& facts) {
  const std::string first = placed(of, 0);
  const std::string condition = condition_on_first(of);
  const std::string add = add_equality(of, facts, key_field_set::first(1), condition);
  switch (of.why) {
    case reason::not_prefix:
      return add + ": conditions on later shard key fields help only together with the first";
    case reason::range_on_hashed:
      return "use equality or $in on " + first +
             ": a range or a pattern doesn't narrow a hashed field";
    case reason::unbounded_or:
      return "bound " + first +
             " in every branch of the $or, or outside the $or: a single branch without " +
             name_for_clients(of, 0) + " asks every shard";
    case reason::negation:
      return "use equality or $in with the values of " + first +
             " to find: a condition that only excludes values leaves all others, on every "
             "shard; if the values can't be listed, accept the query";
    case reason::no_leading_match:
      if (facts.begins_with_geo_near) return add_first(of, facts);
      return "begin the pipeline with a $match that has " + condition + " on " + first +
             " so that mongos doesn't ask every shard";
    case reason::not_indexable:
      return add + ": the present conditions on " + name_for_clients(of, 0) + " don't bound it";
    default:
      return add_first(of, facts);
  }
}

/// The advice for a filter with $text or $near.
std::string for_blocked(const verdict& of, const advice_facts& facts, key_field_set fields) {
  const char* const name = of.hints.blocked_by == key_hints::blocker::text ? "$text" : "$near";
  return add_equality(of, facts, fields) + ": next to " + name +
         ", mongos uses only equality on the whole shard key";
}

std::string find_a_key(const verdict& of) {
  return "find a key that fits: scattergate advise SOURCE --catalog CATALOG --collection " +
         of.judged->full_name();
}

/// The advice for a command that needs the whole key: a write of one document, or an upsert.
std::string for_whole_key(const verdict& of, const advice_facts& facts, key_field_set fields) {
  const bool is_refused = of.refused != refusal::none;
  const std::string end = is_refused ? ": mongos rejects the command without the full shard key"
                                     : " so that mongos can send the write to one shard";
  if (fields == key_field_set::first(1) && facts.on_first == condition_form::equality) {
    return "use a plain value, not an array or a pattern, for " + placed(of, 0) + end;
  }
  if (fields.is_empty()) {
    return "use plain values, not arrays or patterns, for the shard key " +
           shard_key_json(*of.judged) + end;
  }
  const std::string add = add_equality(of, facts, fields) + end;
  const bool may_not_know = of.hints.pinned == 0 && of.hints.voided == 0 &&
                            facts.by_id == advice_facts::id_condition::none;
  if (!is_refused || facts.is_upsert || !may_not_know) return add;
  return add + "; if the application doesn't know the key, it must read the document first";
}

std::string for_collation(const verdict& of, key_field_set fields) {
  std::string text = "send the command with the collation " + std::string{simple};
  if (!fields.is_empty()) text += ", and use equality on " + placed_all(of, fields);
  const bool has_hash = std::ranges::any_of(of.judged->key, &key_field::hashed);
  return text + ": under any other collation, " +
         (has_hash ? "a hashed field identifies no shard"
                   : "strings in " + placed(of, 0) + " don't narrow the shards") +
         "; if the command needs its collation, accept it";
}

std::string for_accepted(const verdict& of, const advice_facts& facts) {
  if (facts.counts_all) {
    return "no filter helps a count of everything: each shard counts its own documents. If "
           "the count is frequent, keep the total in a separate document; otherwise accept the "
           "query";
  }
  return "no filter helps: the query lists values of " + placed(of, 0) +
         ", which are on every shard. If the query is frequent, keep the values in a separate "
         "collection; otherwise accept the query";
}

/// The advice for a command that doesn't select by a shard key that begins with _id.
std::string for_other_key(const verdict& of, const advice_facts& facts) {
  if (!facts.has_filter && !facts.takes_first) {
    return "no filter fits: the command is for the whole collection, which is on every shard. "
           "If that is intended, accept it";
  }
  const std::string by = selected_fields(facts);
  const std::string why =
      "only _id identifies a shard, and the command " +
      (by.empty() ? std::string{"doesn't select by it"} : "selects by " + by);
  if (of.refused != refusal::none) {
    return "mongos rejects the command: " + why +
           (facts.is_upsert ? ". Use an _id that the application derives from the values, or "
                            : ". Read the document first and write by its _id, or ") +
           find_a_key(of);
  }
  return "no filter fits the shard key: " + why + ". If it is frequent, " + find_a_key(of) +
         "; otherwise accept it";
}

/// An addition for a command that may be for all values of the key's first field.
std::string or_for_all(const advice& what, const verdict& of, const advice_facts& facts) {
  if (!facts.has_filter) return "; if the command is meant for the whole collection, accept it";
  if (!what.may_be_for_all) return {};
  return "; if the command is meant for all values of " + name_for_clients(of, 0) +
         ", accept it, or " + find_a_key(of);
}

std::string for_join(const verdict& of, const advice_facts& facts) {
  const std::string_view stage = facts.stage_for(of.judged->name);
  const std::string on = of.judged->full_name();
  const std::string match =
      "a $match that has " + condition_on_first(of) + " on " + placed(of, 0);
  const std::string end = " so that the stage doesn't ask every shard";
  switch (stage_of(stage).other) {
    case stage_collections::lookup:
      return "in the $lookup from " + on + ", use " + placed(of, 0) +
             " as foreignField, or begin its pipeline with " + match + end;
    case stage_collections::graph_lookup:
      return "in the $graphLookup from " + on + ", use " + placed(of, 0) +
             " as connectToField" + end + "; otherwise accept it";
    case stage_collections::union_with:
      return "begin the pipeline of the $unionWith of " + on + " with " + match + end;
    default:
      return "in the stage that joins or writes " + on + ", use equality on " + placed(of, 0) +
             ", as foreignField, in a $match of the stage's pipeline, or in the on of a "
             "$merge, so that the stage doesn't ask every shard";
  }
}

/// The advice for a command that goes to several shards, but not to all.
std::string for_several(const verdict& of, const advice_facts& facts, key_field_set fields) {
  if (of.why == reason::range && facts.on_first == condition_form::pattern) {
    return "begin the pattern on " + placed(of, 0) +
           " with ^ and literal text, or use equality or $in: any other pattern asks every "
           "shard that owns strings";
  }
  if (of.why == reason::range) {
    return "use equality or $in on the shard key " + shard_key_json(*of.judged) +
           " if the values are known: a range asks every shard that owns a part of the range";
  }
  const std::string add = add_equality(of, facts, fields) + " so that mongos can ask one shard";
  if (of.fanout) return add;
  return add + "; the chunks aren't known, so the command may ask only one shard already";
}

/// The advice for a filter that no document can match.
std::string dont_send(const verdict& of, const advice_facts& facts) {
  if (facts.needs_no_match) {
    return "don't read " + of.judged->full_name() +
           ": a list in the $match is empty, so none of its documents can match";
  }
  return std::string{"don't send the "} + (facts.statements > 1 ? "statement" : "command") +
         ": a list in the filter is empty, so no document can match";
}

/// Formats advice. REQUIRES: of.judged is sharded.
std::string in_words(const advice& what, const verdict& of, const advice_facts& facts) {
  const bool is_whole = needs_whole_key(of);
  switch (what.what) {
    case remedy::none:
      return {};
    case remedy::dont_send:
      return dont_send(of, facts);
    case remedy::accept:
      return for_accepted(of, facts);
    case remedy::other_key:
      return for_other_key(of, facts);
    case remedy::simple_collation:
      return for_collation(of, what.fields);
    case remedy::join_by_key:
      return for_join(of, facts);
    case remedy::leave_expr:
      return "move the condition on " + placed(of, 0) +
             " out of the $expr, to a condition of the form {" +
             object_key(name_for_clients(of, 0)) +
             ": ...}: mongos doesn't narrow the shards by this $expr";
    case remedy::equality:
      break;
  }
  const bool may_take_any = facts.takes_first && !facts.is_upsert;
  if (is_whole && (!may_take_any || of.refused != refusal::none))
    return for_whole_key(of, facts, what.fields) + beside_equality(of);
  if (of.routing != routing_class::scatter_gather) return for_several(of, facts, what.fields);
  const bool is_blocked = of.hints.blocked_by != key_hints::blocker::none;
  return (is_blocked ? for_blocked(of, facts, what.fields) : for_scatter(of, facts)) +
         beside_equality(of) + or_for_all(what, of, facts);
}

/// The advice for a time series' write that mongos rejects.
std::string for_rejected_measurements(const verdict& of) {
  if (of.command == command_kind::find_and_modify) {
    return "use findAndModify on measurements only to remove, without a sort: mongos rejects "
           "anything else";
  }
  return "update or delete measurements with multi and without upsert, and name only the meta "
         "field: mongos rejects anything else";
}

std::string for_illegal_operation(const verdict& of) {
  switch (of.command) {
    case command_kind::explain:
      return "don't explain this command: mongos can't";
    case command_kind::filemd5:
      return "compute the hash in the application, or shard the collection by {files_id: 1, n: "
             "1}: mongos rejects filemd5 with any key but this and {files_id: 1}";
    case command_kind::map_reduce:
      return "merge into the output collection, or use an unsharded one: mongos replaces no "
             "sharded collection";
    case command_kind::convert_to_capped:
      return "create a capped collection and copy the documents: mongos converts no sharded "
             "collection";
    default:
      return {};
  }
}

struct refusal_row {
  refusal refused;
  std::string_view advice;
};

constexpr std::string_view bad_regex = "fix the regular expression: mongos can't compile it";
constexpr std::string_view bad_stage_place =
    "fix the pipeline: one of its stages must be the first or the last one, or can't "
    "be in a $facet";
constexpr std::string_view unsharded_foreign =
    "use an unsharded collection: mongos refuses to join, or to replace, a sharded one";
constexpr std::string_view copied_instead =
    "copy the documents to the other collection: mongos renames no sharded collection before "
    "5.0";

constexpr auto refusal_rows = std::to_array<refusal_row>({
    {refusal::invalid_pipeline_operator,
     "fix the $expr: mongos doesn't know one of its operators"},
    {refusal::expression_form,
     "fix the $expr: an operator must be the only field of its document"},
    {refusal::unrecognized_stage, "fix the pipeline: mongos doesn't know one of its stages"},
    {refusal::stage_form, "fix the pipeline: each stage must be a document with one field"},
    {refusal::undefined_variable,
     "fix the $expr: it names a variable that neither `let` nor an operator binds"},
    {refusal::query_feature_not_allowed,
     "omit the $expr, or the upsert: mongos rejects an upsert whose filter has $expr"},
    {refusal::invalid_pattern, bad_regex},
    {refusal::invalid_pattern_option, bad_regex},
    {refusal::negative_value,
     "use a limit and a skip of at least 0: mongos rejects negative ones"},
    {refusal::near_not_first,
     "make $geoNear the first stage, with the conditions in its query: mongos rejects "
     "a $geoNear behind another stage"},
    {refusal::near_not_allowed,
     "use $geoNear as the first stage: mongos rejects $near in a $match"},
    {refusal::text_not_first,
     "make the $match with $text the first stage: mongos rejects $text behind another "
     "stage"},
    {refusal::stage_not_first, bad_stage_place},
    {refusal::stage_not_last, bad_stage_place},
    {refusal::stage_not_in_facet, bad_stage_place},
    {refusal::operation_not_supported_in_transaction,
     "run the command outside a transaction: mongos rejects it inside one"},
    {refusal::sharded_foreign, unsharded_foreign},
    {refusal::foreign_cannot_be_sharded, unsharded_foreign},
    {refusal::no_measurement_time,
     "set the time field of each measurement to a date: mongos rejects a measurement "
     "without one"},
    {refusal::constants_without_pipeline,
     "omit the constants, or write the update as a pipeline: mongos accepts constants "
     "only with a pipeline"},
    {refusal::unknown_field, "omit rawData: mongos doesn't know it before 8.2"},
    {refusal::unsupported_format,
     "fix the update: use operators or a replacement document, not both"},
    {refusal::command_not_supported_on_view,
     "run the command on the view's collection: mongos rejects it on a view"},
    {refusal::output_not_by_id,
     "use an output collection that is sharded by _id alone, or unsharded: mongos "
     "rejects any other"},
    {refusal::rename_of_sharded, copied_instead},
    {refusal::rename_to_sharded, copied_instead},
    {refusal::invalid_namespace, "fix the namespaces in nsInfo: one has no valid name"},
    {refusal::invalid_length,
     "send fewer statements, and at least one: mongos rejects the number of them"},
});

/// The advice for a command that mongos, or a shard, rejects whatever its shard key values are.
std::string for_refused(const verdict& of) {
  switch (of.refused) {
    case refusal::bad_value:
      return of.command == command_kind::bulk_write && of.judged == nullptr
                 ? "fix the ops: mongos rejects an index for which nsInfo has no entry"
                 : "fix the filter: mongos rejects one of its operators or operands";
    case refusal::failed_to_parse:
      return of.command == command_kind::delete_
                 ? "use the limit 0 or 1 in each statement: mongos rejects any other"
                 : "fix the update: use known operators or a replacement document, not both";
    case refusal::shard_key_not_found:
      if (of.judged == nullptr) return {};
      return "add equality on the whole shard key " + shard_key_json(*of.judged) +
             " to the filter: mongos rejects the write without it";
    case refusal::invalid_options:
      if (of.lint == lint_kind::unique_index_without_key) return {};
      if (of.judged != nullptr && of.judged->is_time_series) {
        return for_rejected_measurements(of);
      }
      return "replace one document at a time: mongos rejects a replacement with multi";
    case refusal::illegal_operation:
      return for_illegal_operation(of);
    case refusal::command_not_found:
    case refusal::command_not_supported:
      return of.command == command_kind::bulk_write
                 ? "send inserts, updates and deletes as commands of their own: mongos runs no "
                   "bulkWrite before 8.0"
                 : "run the command on the shards: this version of mongos doesn't run it";
    default:
      const auto found = std::ranges::find(refusal_rows, of.refused, &refusal_row::refused);
      return std::string{found == refusal_rows.end() ? std::string_view{} : found->advice};
  }
}

/// Whether mongos rejects the write because its filter lacks the shard key.
bool is_refused_for_key(const verdict& of) {
  return of.refused == refusal::shard_key_not_found ||
         (of.refused == refusal::invalid_options && of.why == reason::write_without_key);
}

/// The advice for a write that changes the shard key wrongly. `has_key_advice`: other advice
/// already says which equalities to add.
std::string for_shard_key_update(const verdict& of, bool has_key_advice) {
  const key_change& change = of.change;
  if (change.is_of_id) {
    return "_id can't be changed: insert a new document and delete the old one";
  }
  const bool asks_for_key = change.lacks_key && !has_key_advice;
  if (change == key_change{.lacks_key = true} && has_key_advice) {
    return "mongos also rejects the change of a shard key field without it";
  }
  std::string text = "to change a shard key field, ";
  text += change.is_multi ? "update one document at a time (without multi)" : "";
  text += change.is_multi && change.is_joined ? ", and " : "";
  text += change.is_joined ? "send this statement alone" : "";
  if (!change.is_multi && !change.is_joined) text += "send the command";
  if (change.is_plain) text += " in a transaction or as a retryable write";
  if (asks_for_key) {
    text += std::string{change.is_plain ? "," : ""} + " with equality on the whole shard key " +
            shard_key_json(*of.judged) + " in the filter";
  }
  return text;
}

/// Advice for a write that goes to one shard, but whose filter mongos doesn't accept as the
/// key.
std::string for_key_not_found(const verdict& of) {
  const bool applies = of.refused == refusal::shard_key_not_found &&
                       of.routing == routing_class::single_shard &&
                       of.command != command_kind::insert;
  if (!applies) return {};
  return "give each field of the shard key " + ascending_key_json(*of.judged) +
         " once, as plain equality: mongos doesn't accept a range, an $expr or the same "
         "equality "
         "twice as the shard key";
}

std::string for_lint(const verdict& verdict, bool has_key_advice = false) {
  const bool is_sharded = verdict.judged != nullptr && verdict.judged->is_sharded();
  if (!is_sharded) return {};
  switch (verdict.lint) {
    case lint_kind::unique_index_without_key:
      return "begin the unique index with the shard key's fields " +
             ascending_key_json(*verdict.judged) +
             ": mongos rejects any other, and a hashed index can't be unique";
    case lint_kind::shard_key_update:
      return for_shard_key_update(verdict, has_key_advice);
    case lint_kind::ambiguous_id:
      return "add equality on " + placed_all(verdict, rest_of_key(verdict)) +
             " to the filter: _id is unique only within a shard, so _id alone may identify two "
             "documents";
    case lint_kind::logical_shard_fanout:
      return "keep the number of logical shards behind " + placed(verdict, 0) +
             " low, or keep the total of their values in a separate document: a read of all "
             "logical shards asks several shards";
    default:
      return {};
  }
}

/// The advice for the filter's author.
std::string for_author(const verdict& verdict, const advice_facts& facts) {
  const bool is_sharded = verdict.judged != nullptr && verdict.judged->is_sharded();
  std::string text = is_sharded ? in_words(advice_of(verdict, facts), verdict, facts) : "";
  const bool is_array_on_key = is_sharded && verdict.command == command_kind::insert &&
                               verdict.refused == refusal::shard_key_not_found;
  if (is_array_on_key) {
    text = "don't insert an array on the path of the shard key " +
           shard_key_json(*verdict.judged) + ": mongos rejects it";
  } else if (verdict.why == reason::refused || verdict.routing == routing_class::unsharded) {
    text = for_refused(verdict);
  } else if (!is_refused_for_key(verdict) && (text.empty() || facts.statements == 1)) {
    if (std::string fix = for_refused(verdict); !fix.empty()) text = std::move(fix);
  }
  if (text.empty() && is_sharded) text = for_key_not_found(verdict);
  if (text.empty()) return for_lint(verdict);
  // A write without the key that changes it wrongly needs both.
  const bool has_both = is_sharded && verdict.lint == lint_kind::shard_key_update;
  return has_both ? text + "; " + for_lint(verdict, needs_whole_key(verdict)) : text;
}

/// Whether a library's configuration can change the command's shards.
bool may_be_of_library(const verdict& of, const advice_facts& facts) {
  const bool is_sharded = of.judged != nullptr && of.judged->is_sharded();
  if (!is_sharded || of.judged->series || facts.joins(of.collection)) return false;
  if (of.why == reason::foreign_scatter || of.why == reason::refused) return false;
  const remedy what = advice_of(of, facts).what;
  return what != remedy::dont_send &&
         (what != remedy::none || of.lint == lint_kind::unique_index_without_key ||
          of.lint == lint_kind::ambiguous_id);
}

}  // namespace

std::string suggestion(const verdict& verdict, const wire::command& command,
                       std::string_view driver) {
  const advice_facts facts = advice_facts_of(command, verdict);
  std::string text = for_author(verdict, facts);
  if (text.empty() || !may_be_of_library(verdict, facts)) return text;
  const library_advice of_library = library_advice_for(verdict, facts, driver);
  if (of_library.text.empty()) return text;
  return of_library.is_all ? of_library.text : of_library.text + "; otherwise " + text;
}

}  // namespace scattergate::routing
