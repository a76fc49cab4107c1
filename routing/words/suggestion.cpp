#include <string>

#include "routing/words/describe.hpp"

namespace scattergate::routing {

namespace {

std::string ordinal(std::size_t n) {
  const std::size_t teens = n % 100;
  const bool is_teen = teens >= 11 && teens <= 13;
  const char* const ending = is_teen       ? "th"
                             : n % 10 == 1 ? "st"
                             : n % 10 == 2 ? "nd"
                             : n % 10 == 3 ? "rd"
                                           : "th";
  return std::to_string(n) + ending;
}

/// "project_id (1st of 2 shard key fields)", "doc_id (the shard key, hashed)"
std::string placed(const collection& judged, std::size_t field) {
  const key_field& one = judged.key[field];
  std::string text = one.path + " (";
  text += judged.key.size() == 1 ? "the shard key"
                                 : ordinal(field + 1) + " of " +
                                       std::to_string(judged.key.size()) + " shard key fields";
  return text + (one.hashed ? ", hashed)" : ")");
}

/// The shard key fields that are missing, in words; all of them where none is marked.
std::string placed_missing(const verdict& verdict) {
  const auto& key = verdict.judged->key;
  std::string text;
  std::string last;
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (verdict.missing != 0 && !verdict.misses(i)) continue;
    if (!last.empty()) text += (text.empty() ? "" : ", ") + last;
    last = placed(*verdict.judged, i);
  }
  return text.empty() ? last : text + " and " + last;
}

/// Where the command says which documents it means.
std::string_view place_of_filter(command_kind command) noexcept {
  switch (command) {
    case command_kind::aggregate:
      return "a $match at the head of the pipeline";
    case command_kind::count:
    case command_kind::distinct:
    case command_kind::find_and_modify:
    case command_kind::map_reduce:
      return "the query";
    case command_kind::update:
    case command_kind::delete_:
    case command_kind::bulk_write:
      return "the filter of every statement";
    default:
      return "the filter";
  }
}

/// What equality on the first field, and then on the others, would bring.
std::string add_first(const verdict& verdict) {
  const auto& judged = *verdict.judged;
  std::string text = "add equality on " + placed(judged, 0) + " to " +
                     std::string{place_of_filter(verdict.command)};
  if (judged.key.size() == 1) return text + " so that mongos can ask one shard";
  text += " so that mongos need not ask every shard";
  std::string others;
  for (std::size_t i = 1; i < judged.key.size(); ++i) {
    if (!verdict.misses(i)) continue;
    others += (others.empty() ? "" : " and ") + judged.key[i].path;
  }
  return others.empty() ? text : text + "; with " + others + " as well it asks one";
}

std::string add_missing(const verdict& verdict, std::string_view effect) {
  return "add equality on " + placed_missing(verdict) + " to " +
         std::string{place_of_filter(verdict.command)} + std::string{effect};
}

std::string for_write(const verdict& verdict) {
  const bool is_refused = verdict.refused != refusal::none;
  return add_missing(verdict, is_refused
                                  ? ": mongos refuses the write without the full shard key"
                                  : " so that mongos can send the write to one shard");
}

/// What mongos can't parse, or won't take in this form.
std::string for_refused(const verdict& verdict) {
  switch (verdict.refused) {
    case refusal::bad_value:
      return "mend the filter: mongos refuses one of its operators or their operands";
    case refusal::invalid_pipeline_operator:
      return "mend the $expr: mongos knows no such operator";
    case refusal::expression_form:
      return "mend the $expr: an operator must be the only field of its document";
    case refusal::unrecognized_stage:
      return "mend the pipeline: mongos knows no such stage";
    case refusal::stage_form:
      return "mend the pipeline: each stage must be a document of one field";
    case refusal::sharded_foreign:
      return "name a collection that isn't sharded: mongos refuses to join, or to replace, "
             "one that is";
    case refusal::no_measurement_time:
      return "give each measurement a date in the time field: mongos refuses one without";
    case refusal::failed_to_parse:
      return "mend the update: give operators or a replacement document, not both";
    case refusal::invalid_options:
      if (verdict.judged != nullptr && verdict.judged->is_time_series) {
        return "update measurements with multi and without upsert: mongos refuses all else";
      }
      return "replace one document at a time: mongos refuses a replacement with multi";
    default:
      return {};
  }
}

/// REQUIRES: verdict.judged is sharded.
std::string for_scatter(const verdict& verdict) {
  const auto& judged = *verdict.judged;
  const std::string first = placed(judged, 0);
  switch (verdict.why) {
    case reason::missing_key:
      return add_first(verdict);
    case reason::not_prefix:
      return "add equality on " + first + " to " +
             std::string{place_of_filter(verdict.command)} +
             ": what it says of later fields only counts behind the first";
    case reason::range_on_hashed:
      return "give " + first +
             " by equality or $in: no range or pattern narrows a hashed field";
    case reason::unbounded_or:
      return "bound " + first +
             " in every branch of the $or, or beside it: one branch without it asks every "
             "shard";
    case reason::negation:
      return "say by equality or $in which values of " + first +
             " are wanted: saying which are not reaches every shard";
    case reason::collation:
      return "send the command with the collation {locale: \"simple\"}: under any other, "
             "strings for " +
             first + " narrow nothing";
    case reason::no_leading_match:
      return "begin the pipeline with a $match that has equality on " + first +
             " so that mongos need not ask every shard";
    case reason::not_indexable:
      return "add equality on " + first + " to " +
             std::string{place_of_filter(verdict.command)} +
             " (beside $text, on the whole shard key): the operators that are there give no "
             "bounds on it";
    case reason::write_without_key:
      return for_write(verdict);
    case reason::foreign_scatter:
      return "in the stage that joins or writes " + judged.full_name() + ", give " + first +
             " by equality (as foreignField, in its pipeline's $match, or in the on of a "
             "$merge) so that it need not reach every shard";
    default:
      return {};
  }
}

std::string for_lint(const verdict& verdict) {
  const bool is_sharded = verdict.judged != nullptr && verdict.judged->is_sharded();
  if (!is_sharded) return {};
  switch (verdict.lint) {
    case lint_kind::unique_index_without_key:
      return "begin the unique index with the shard key " + shard_key_json(*verdict.judged) +
             ": mongos refuses any other";
    case lint_kind::shard_key_update:
      return "to change a shard key field, give the full shard key " +
             shard_key_json(*verdict.judged) +
             " by equality and run one such statement in a transaction or as a retryable write";
    case lint_kind::ambiguous_id:
      return add_missing(verdict,
                         ": _id is unique per shard only, so _id alone may mean two documents");
    case lint_kind::logical_shard_fanout:
      return "keep the number of logical shards behind " + placed(*verdict.judged, 0) +
             " low, or keep their total in a document of its own: a read of all of them asks "
             "several shards";
    default:
      return {};
  }
}

}  // namespace

std::string suggestion(const verdict& verdict) {
  const bool is_sharded = verdict.judged != nullptr && verdict.judged->is_sharded();
  std::string text;
  if (is_sharded && verdict.routing == routing_class::scatter_gather) {
    text = for_scatter(verdict);
  } else if (is_sharded && verdict.command == command_kind::insert &&
             verdict.refused == refusal::shard_key_not_found) {
    text = "insert no array on the path of the shard key " + shard_key_json(*verdict.judged) +
           ": mongos refuses it";
  } else if (is_sharded && verdict.refused == refusal::shard_key_not_found &&
             verdict.missing != 0) {
    text = add_missing(verdict, ": mongos refuses the command without the full shard key");
  } else if (verdict.why == reason::refused || verdict.refused == refusal::sharded_foreign) {
    text = for_refused(verdict);
  } else if (is_sharded && verdict.why == reason::write_without_key) {
    text = for_write(verdict);
  } else if (is_sharded && verdict.why == reason::partial_key && verdict.missing != 0) {
    text = add_missing(verdict, " so that mongos can ask one shard");
  } else if (is_sharded && verdict.why == reason::range) {
    text = "give the shard key " + shard_key_json(*verdict.judged) +
           " by equality or $in where the values are known: a range asks every shard that "
           "owns a part of it";
  }
  return text.empty() ? for_lint(verdict) : text;
}

}  // namespace scattergate::routing
