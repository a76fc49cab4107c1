#include "routing/statements/write_rules.hpp"

#include <algorithm>
#include <array>

#include "routing/bounds/filter_parts.hpp"
#include "routing/bounds/targeting.hpp"
#include "routing/catalog/collation.hpp"
#include "routing/statements/update_document.hpp"

namespace scattergate::routing {
namespace {

using wire::document_view;
using wire::element;

/// The first version whose mongos writes one document without the shard key, by its two-phase
/// protocol.
constexpr server_version two_phase_writes{7, 1};
/// The last version that also targets an update by the key of its replacement document
/// (SERVER-106061 of June 2025, before the branch of 8.2).
constexpr server_version replacement_targets{8, 1};
/// The first version whose shards let an update by _id alone change the key (SERVER-106061).
constexpr server_version changes_key_by_id{8, 2};

const element& null_element() noexcept {
  static const element null;
  return null;
}

/// The key of a document on a collection: its values, or why mongos rejects it.
struct document_key {
  std::span<element> values;
  bool is_refused = false;
  bool awaits_id = false;  ///< mongos first generates an _id, which is part of the key
};

document_key key_of(document_view document, const collection& on, scratch& memory) noexcept {
  document_key found;
  found.values = memory.allocate<element>(on.key.size());
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    const auto value = find_path(document, on.key[i].path, memory.work());
    if (value && value->is_array()) found.is_refused = true;
    if (!value && on.key[i].path == "_id") found.awaits_id = true;
    found.values[i] = value ? *value : null_element();
  }
  return found;
}

/// Whether the filter specifies exactly one _id, so that mongos may send the write to all
/// shards and still change one document (mongo: isExactIdQuery).
bool is_exact_id(const filtered_write& write, const filter_walk& walk) noexcept {
  const auto& id = walk.facts().id;
  if (!id || walk.may_match_nothing()) return false;
  if (!is_collatable(id->type())) return true;
  const auto asked = named_collation(write.collation);
  return !asked || *asked == collation_of(walk.target().default_collation_view());
}

/// Whether mongos finds a single shard: only one is in bounds, even if it is the only one that
/// owns any chunk.
bool leads_to_one(const target& found) noexcept {
  return found.routing == routing_class::single_shard || found.asks_one_of_fanout ||
         (found.fanout && found.fanout->size() == 1);
}

/// Whether an update that changes the key may move its document to another shard. It can't if
/// the same shard owns the new key.
bool may_move(const filtered_write& write, update_form form, const filter_walk& walk,
              const target& found, const judging_context& context) noexcept {
  const auto values = key_after(*write.update, form, walk, context.memory);
  if (values.empty() || !found.fanout) return true;
  const bytes_view encoded = encode_key(values, walk.target(), context.memory);
  if (encoded.empty()) return true;
  const target after = target_of_key(walk.target(), encoded, context.memory);
  return !after.fanout || !std::ranges::equal(after.fanout->words(), found.fanout->words());
}

/// Whether a shard requires the whole key in the filter of a write that changes it (31025).
/// mongos may allow the change without it: from 7.1 on for a write without the key, in two
/// phases or not (mongo at 2ba45a8: batch_write_exec.cpp,
/// executeTwoPhaseOrTimeSeriesWriteChildBatches; cluster_find_and_modify_cmd.cpp, run). An
/// update by an exact _id is none, except for an upsert that leads to several shards.
bool lacks_key_to_change(const filtered_write& write, const filter_walk& walk,
                         const target& found, server_version version) noexcept {
  if (found.is_pinned || version >= changes_key_by_id) return false;
  if (version < two_phase_writes) return true;
  return write.is == filtered_write::kind::update && is_exact_id(write, walk) &&
         (!write.upsert || leads_to_one(found));
}

/// What is wrong with the write if it changes a document's shard key.
key_change change_of(const filtered_write& write, update_form form, const filter_walk& walk,
                     const target& found, const judging_context& context) noexcept {
  key_change made;
  if (!write.update) return made;
  if (changes_id_in_key(*write.update, form, walk, context.memory.work())) {
    made.is_of_id = true;
    return made;
  }
  if (!changes_shard_key(*write.update, form, walk, context.memory.work())) return made;
  made.is_multi = write.multi;
  made.is_plain = !context.is_retryable;
  // A statement that moves its document must be the only one ("must be sent with write batch of
  // size 1"; mongo: cluster_write_cmd.cpp, cluster_bulk_write_cmd.h, InvalidOptions).
  made.is_joined = write.has_company && may_move(write, form, walk, found, context);
  made.lacks_key = lacks_key_to_change(write, walk, found, context.entries.version());
  return made;
}

/// Whether mongos sends the write to every shard of the cluster, as it does for an update or
/// delete on several shards (mongo: write_op.cpp, targetWrites). Newer versions send a write by
/// _id only to the shards in bounds (write_op_helper.cpp, shouldTargetAllShardsSVIgnored). It
/// isn't certain since which version, so the wider answer applies.
bool goes_everywhere(const target& found, const judging_context& context) noexcept {
  return !leads_to_one(found) && !context.in_transaction && !context.is_explained;
}

/// Whether mongos may plan a filter that has an equality which this one lacks: the only
/// remaining branch of an $or, the negation of a negation, a list of one value in an $expr, or
/// the whole filter, if mongos doesn't detect that no document matches it.
bool may_be_simplified(const filter_facts& facts) noexcept {
  return facts.may_be_false || facts.has_collapsed || facts.may_drop_branch ||
         facts.has_double_negated_equality || facts.has_one_value || facts.may_be_simplified ||
         facts.has_single_value_list;
}

/// Whether the simplified filter (may_be_simplified()) may have an equality on the full key.
bool may_pin_when_shorter(const filter_walk& walk) noexcept {
  if (!may_be_simplified(walk.facts())) return false;
  if (walk.facts().may_pin_parent) return true;
  const auto& key = walk.target().key;
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (!walk.pins().pinned.contains(i) && !walk.may_name(key[i].path)) return false;
  }
  return true;
}

void finish_multi(statement& made, const filtered_write& write, const filter_walk& walk,
                  const target& found, const judging_context& context) noexcept {
  if (write.upsert && !found.is_pinned && !may_pin_when_shorter(walk)) {
    made.refused = refusal::shard_key_not_found;
  }
  made.sent_everywhere = goes_everywhere(found, context);
}

/// The error with which mongos before 7.1 rejects a write of one document that doesn't lead to
/// a single shard.
refusal refusal_of(const filtered_write& write) noexcept {
  const bool is_plain_update = write.is == filtered_write::kind::update && !write.upsert;
  return is_plain_update ? refusal::invalid_options : refusal::shard_key_not_found;
}

/// Whether mongos targets a delete and a findAndModify by the bounds of their query, as it does
/// an update: SERVER-44422, from 7.1 on, and in 7.0, 6.0 and 5.0 from the patch levels below on
/// (its backports; SERVER-80224 names 7.0.1, the changelog of 5.0.20 names the ticket itself;
/// 6.0.9 is of the same month). An unknown patch level gets the wider answer: no refusal.
bool targets_by_query(server_version version) noexcept {
  constexpr std::array<server_version, 3> backports{{{7, 0, 1}, {6, 0, 9}, {5, 0, 20}}};
  const auto* found = std::ranges::find(backports, version.series(), &server_version::series);
  return found != backports.end() ? !version.precedes(*found) : version >= two_phase_writes;
}

/// Whether it suffices for mongos that the bounds lead to a single shard. It does for an update
/// that isn't an upsert. Before 7.1, an upsert needs an equality on the key itself, and so do a
/// delete and a findAndModify unless targets_by_query() (mongo 4.4: chunk_manager_targeter.cpp,
/// targetUpdate, targetDelete; cluster_find_and_modify_cmd.cpp, getShardKey; later
/// collection_routing_info_targeter.cpp and cluster_find_and_modify_cmd.cpp at 009489e,
/// targetDelete and targetSingleShard).
bool goes_by_bounds(const filtered_write& write, server_version version) noexcept {
  if (version >= two_phase_writes) return true;
  return write.is == filtered_write::kind::update ? !write.upsert : targets_by_query(version);
}

/// Whether mongos may find one shard although this code finds several: its bounds may be
/// narrower, or it may ask only the first chunk's owner.
bool may_lead_to_one(const target& found, const filter_facts& facts,
                     const filtered_write& write, server_version version) noexcept {
  const bool may_be_narrower = found.may_match_nothing || facts.has_union_choice;
  return may_be_narrower && goes_by_bounds(write, version);
}

/// Judges a write of a document with this encoded key.
statement place_of(bytes_view key, const collection& on,
                   const judging_context& context) noexcept {
  if (!last_chunk_has_end(context.entries.version()) && is_end_of_all(key, on.key.size())) {
    return statement::refused_by(refusal::shard_key_not_found, &on);
  }
  return statement::of(target_of_key(on, key, context.memory), on);
}

/// Whether a replacement document without an _id gets that of the filter. mongos finds none in
/// a filter that is never true, because it replaces the whole filter by $alwaysFalse (mongo:
/// chunk_manager_targeter.cpp, getUpdateExprForTargeting; matcher/expression_tree.cpp,
/// ListOfMatchExpression::getOptimizer).
bool has_id_to_keep(const filter_walk& walk) noexcept {
  const bool is_never = walk.may_match_nothing() && !walk.facts().may_be_false;
  return walk.facts().id && !is_never;
}

/// Judges an update by its replacement document's own key, if this version uses that; in the
/// two-phase protocol also for an upsert (mongo: collection_routing_info_targeter.cpp at
/// 009489e, targetUpdate).
std::optional<statement> by_replacement(const filtered_write& write, const filter_walk& walk,
                                        bool exact_id,
                                        const judging_context& context) noexcept {
  const server_version version = context.entries.version();
  const bool applies =
      version < two_phase_writes || (exact_id && version.series() <= replacement_targets);
  const bool inserts = write.upsert && version < two_phase_writes;
  if (!applies || inserts || !write.update || write.is != filtered_write::kind::update) {
    return std::nullopt;
  }
  if (outline_of(*write.update, context.memory.work()).form != update_form::replacement)
    return std::nullopt;
  const auto replacement = write.update->as_document();
  if (!replacement) return std::nullopt;
  const collection& on = walk.target();
  const document_key key = key_of(*replacement, on, context.memory);
  if (key.values.empty()) return std::nullopt;
  if (key.is_refused) return statement::refused_by(refusal::shard_key_not_found, &on);
  if (key.awaits_id) {  // the document keeps the _id that the filter has
    if (!has_id_to_keep(walk)) return statement::refused_by(refusal::shard_key_not_found, &on);
    for (std::size_t i = 0; i < on.key.size(); ++i) {
      if (on.key[i].path == "_id") key.values[i] = *walk.facts().id;
    }
  }
  const bytes_view encoded = encode_key(key.values, on, context.memory);
  if (encoded.empty()) return std::nullopt;
  return place_of(encoded, on, context);
}

statement judge_single(const filtered_write& write, const filter_walk& walk,
                       const target& found, const judging_context& context) noexcept {
  statement made = statement::of(found, walk.target());
  if (found.is_pinned) return made;
  if (found.routing != routing_class::single_shard) {
    made.goes_to.why = reason::write_without_key;
  }
  const server_version version = context.entries.version();
  if (leads_to_one(found) && goes_by_bounds(write, version)) return made;

  const bool exact_id = is_exact_id(write, walk);
  auto moved = by_replacement(write, walk, exact_id, context);
  // With another _id, or none, the replacement doesn't target.
  const bool may_ignore = version >= two_phase_writes && may_be_simplified(walk.facts());
  const bool is_doubtful = found.may_match_nothing || may_ignore;
  if (moved && may_ignore && made.goes_to.fanout && moved->goes_to.fanout) {
    made.goes_to.fanout->unite(moved->goes_to.fanout->words());
  } else if (moved && moved->refused != refusal::none && !is_doubtful) {
    made.reject(moved->refused);
    return made;
  } else if (moved && moved->refused == refusal::none) {
    // If bounds may lead to one shard after all, they take precedence.
    if (found.may_match_nothing && moved->goes_to.fanout) {
      moved->goes_to = found;
      moved->goes_to.why = reason::write_without_key;
    }
    return *moved;
  }
  const bool by_id =
      exact_id && !write.upsert && write.is != filtered_write::kind::find_and_modify;
  // The only branch left of an $or may be an equality on _id.
  const bool may_be_by_id = may_be_simplified(walk.facts()) && walk.may_name("_id") &&
                            !write.upsert && write.is != filtered_write::kind::find_and_modify;
  if (by_id || (version >= two_phase_writes && may_be_by_id)) {
    made.sent_everywhere = goes_everywhere(found, context);
  } else if (version < two_phase_writes &&
             !may_lead_to_one(found, walk.facts(), write, version) &&
             !may_pin_when_shorter(walk)) {
    made.refused = refusal_of(write);
  }
  return made;
}

/// The error with which mongos itself rejects the form of an update. From 9.0 on it also
/// rejects constants without a pipeline (mongo: update/update_driver.cpp, parse); in earlier
/// versions the shards do.
refusal refusal_of_form(const filtered_write& write, update_form form,
                        server_version version) noexcept {
  if (!write.update || write.is == filtered_write::kind::delete_) return refusal::none;
  const bool is_read_by_shard = write.is == filtered_write::kind::find_and_modify;
  if (form == update_form::mixed && !is_read_by_shard) return refusal::unsupported_format;
  if (form == update_form::replacement && write.multi) return refusal::invalid_options;
  const bool wants_pipeline = write.has_constants && version >= server_version{9, 0};
  return wants_pipeline && !write.update->is_array() ? refusal::constants_without_pipeline
                                                     : refusal::none;
}

/// The judgement of a write whose filter has a fault, or whose form mongos rejects with `error`
/// before it reads the filter; `none`: the form is valid.
statement rejected_by_form(const filter_walk& walk, const target& found,
                           refusal error) noexcept {
  statement made = statement::of(walk, found);
  if (error != refusal::none) made.reject_first(error);
  return made;
}

}  // namespace

statement judge(const filtered_write& write, const collection& on,
                const judging_context& context) noexcept {
  const update_outline update =
      write.update ? outline_of(*write.update, context.memory.work()) : update_outline{};
  const update_form form = update.form;
  filter_rules rules{names_simple(write.collation).value_or(on.simple_collation),
                     context.entries.version(), write.let,
                     write.is == filtered_write::kind::find_and_modify};
  filter_walk walk{on, rules, context.memory};
  (void)walk.add(write.filter);
  const target found = target_of(walk, context.memory);
  const refusal error = refusal_of_form(write, form, context.entries.version());
  if (walk.fault() != filter_fault::none || error != refusal::none) {
    return rejected_by_form(walk, found, error);
  }

  statement made;
  if (write.multi) {
    made = statement::of(found, on);
    finish_multi(made, write, walk, found, context);
  } else {
    made = judge_single(write, walk, found, context);
  }
  // Only a shard detects that an $expr doesn't give values for the fields of the document that
  // it would insert (mongo: parsed_update.cpp, parseQueryToCQ): the pinned one, or those that a
  // write without the key asks first (recorded of 8.0).
  const bool reaches_shards =
      found.is_pinned || (!write.multi && made.refused == refusal::none);
  if (write.upsert && reaches_shards && walk.facts().has_expression) {
    made.refuse_on_shards(refusal::query_feature_not_allowed);
  }
  // The shard also rejects an unknown modifier, before it reads the filter (mongo:
  // update/update_driver.cpp, parse). mongos only looks for dollar signs (target_write_op.cpp
  // at 0479b3d, validateUpdateDoc), and not at all in a findAndModify.
  if (update.has_unknown_modifier) made.refuse_on_shards(refusal::failed_to_parse);
  if (made.lint == lint_kind::none) {
    made.change = change_of(write, form, walk, found, context);
    made.lint = made.change.is_allowed() ? lint_of(walk, found) : lint_kind::shard_key_update;
  }
  return made;
}

namespace {

/// The shard that owns the document for any generated _id; std::nullopt if several shards may
/// own it.
std::optional<shard_set> owner_of_every_id(const document_key& key, const collection& on,
                                           const judging_context& context) noexcept {
  scratch& memory = context.memory;
  const auto fields = memory.allocate<interval_set>(on.key.size());
  if (on.chunks.is_empty() || fields.empty()) return std::nullopt;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    fields[i] = interval_set::full();
    if (on.key[i].path == "_id") continue;
    const bytes_view value = encode_for(key.values[i], on.key[i].hashed, memory);
    if (!value.empty()) fields[i] = interval_set::point(value, memory);
  }
  const auto words = memory.allocate<std::uint64_t>(on.chunks.all_owners().size());
  memory.work().charge(2 * interval_units * fields.size() + words.size());
  shard_set owners{words};
  owners.clear();
  if (words.empty() || !add_owners_of(fields, on.chunks, true, owners, memory)) {
    return std::nullopt;
  }
  return owners.size() == 1 ? std::optional{owners} : std::nullopt;
}

}  // namespace

statement judge_insert(document_view document, const collection& on,
                       const judging_context& context) noexcept {
  const document_key key = key_of(document, on, context.memory);
  if (key.is_refused) return statement::refused_by(refusal::shard_key_not_found, &on);
  target found;
  found.routing = routing_class::single_shard;
  found.bounds = bounds_kind::point;
  if (key.awaits_id) {
    found.fanout = owner_of_every_id(key, on, context);
  } else {
    const bytes_view encoded = encode_key(key.values, on, context.memory);
    if (!encoded.empty()) return place_of(encoded, on, context);
  }
  return statement::of(found, on);
}

}  // namespace scattergate::routing
