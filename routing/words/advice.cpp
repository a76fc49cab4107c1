#include "routing/words/advice.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include "routing/catalog/catalog.hpp"
#include "routing/words/key_words.hpp"

namespace scattergate::routing {
namespace {

bool is_below(std::string_view path, std::string_view of) noexcept {
  return path == of ||
         (path.size() > of.size() && path.starts_with(of) && path[of.size()] == '.');
}

/// Whether the command lists values of this field of the key.
bool lists_field(const verdict& of, const advice_facts& facts, std::size_t field) {
  const std::string name = name_for_clients(of, field);
  return std::ranges::any_of(
      std::span{facts.listed}.first(facts.listed_size),
      [&](std::string_view path) { return is_below(path, name) || is_below(name, path); });
}

/// Whether an equality on the key's first field would change what the command asks for.
bool means_every_shard(const verdict& of, const advice_facts& facts) {
  if (facts.counts_all) return true;
  const bool is_first_free = !key_field_set{of.hints.pinned}.contains(0);
  return is_first_free && of.hints.cause != reason::unbounded_or && lists_field(of, facts, 0);
}

/// Whether the shard key begins with _id, and the filter has no condition on it. Who lists or
/// counts documents, changes many, inserts one if there is none, or takes the first one doesn't
/// know their ids.
bool selects_beside_id(const verdict& of, const advice_facts& facts) {
  if (of.judged->key.front().path != "_id" || !of.misses(0)) return false;
  if (of.hints.cause == reason::unbounded_or || of.hints.cause == reason::negation ||
      of.hints.cause == reason::range_on_hashed || of.hints.cause == reason::collation ||
      facts.on_first != condition_form::none) {
    return false;
  }
  return !needs_whole_key(of) || facts.takes_first || facts.is_upsert;
}

/// Whether the filter has no condition on the key at all, or only on its later fields, and the
/// command is about a set of documents. The application may then mean all values of the first
/// field.
bool may_be_for_all(const verdict& of, const advice_facts& facts) {
  const bool lacks_condition = of.hints.cause == reason::missing_key ||
                               of.hints.cause == reason::not_prefix ||
                               of.hints.cause == reason::no_leading_match;
  const bool is_set = facts.is_of_many || facts.takes_first;
  return lacks_condition && is_set && facts.on_first == condition_form::none &&
         facts.by_id == advice_facts::id_condition::none &&
         of.hints.blocked_by == key_hints::blocker::none;
}

/// Whether a hashed field doesn't identify a shard because the collation isn't simple.
bool has_voided_hash(const verdict& of) {
  return of.hints.has_collation && std::ranges::any_of(of.judged->key, &key_field::hashed);
}

/// Advises an equality on these fields. If the collation makes existing values useless, also
/// advises the simple collation.
advice give(const verdict& of, key_field_set fields, bool is_whole_key) {
  const bool is_voided = of.hints.voided != 0 || of.hints.cause == reason::collation ||
                         (is_whole_key && has_voided_hash(of));
  return {is_voided ? remedy::simple_collation : remedy::equality,
          fields.without(key_field_set{of.hints.voided})};
}

advice of_scatter(const verdict& of, const advice_facts& facts, key_field_set unpinned) {
  const key_field_set first = key_field_set::first(1);
  const bool is_blocked = of.hints.blocked_by != key_hints::blocker::none;
  if (is_blocked) return give(of, unpinned, true);
  if (facts.on_first == condition_form::in_expr) return {remedy::leave_expr, first};
  // Under the simple collation, the strings of a range or a list give bounds.
  const bool is_bound =
      facts.on_first == condition_form::list || facts.on_first == condition_form::range;
  if (of.hints.cause == reason::collation && is_bound && !of.judged->key.front().hashed) {
    return {remedy::simple_collation};
  }
  advice made = give(of, first, false);
  made.may_be_for_all = may_be_for_all(of, facts);
  return made;
}

/// The advice for a write of one document, or an upsert.
advice of_write(const verdict& of, const advice_facts& facts, key_field_set unpinned) {
  const bool is_refused = of.refused != refusal::none;
  if (is_refused || facts.is_upsert) return give(of, unpinned, true);
  if (facts.takes_first) {
    return unpinned.contains(0) ? of_scatter(of, facts, unpinned) : advice{};
  }
  return give(of, unpinned, true);
}

}  // namespace

bool needs_whole_key(const verdict& of) noexcept {
  return of.why == reason::write_without_key || of.refused == refusal::shard_key_not_found;
}

advice advice_of(const verdict& verdict, const advice_facts& facts) {
  const bool is_sharded = verdict.judged != nullptr && verdict.judged->is_sharded();
  const bool is_wide = verdict.routing == routing_class::scatter_gather ||
                       verdict.routing == routing_class::multi_shard;
  if (!is_sharded || !is_wide || verdict.why == reason::by_nature) return {};
  if (verdict.command == command_kind::filemd5) return {};  // it can't give `n`
  if (facts.matches_nothing && !facts.is_upsert) return {remedy::dont_send};
  const auto unpinned = key_field_set::first(verdict.judged->key.size())
                            .without(key_field_set{verdict.hints.pinned});
  const bool is_scatter = verdict.routing == routing_class::scatter_gather;
  // A joined collection has a reason of its own.
  const bool is_joined =
      verdict.why == reason::foreign_scatter || facts.joins(verdict.collection);
  if (is_joined) {
    return {is_scatter ? remedy::join_by_key : remedy::none};
  }
  if (is_scatter && means_every_shard(verdict, facts)) return {remedy::accept};
  if (selects_beside_id(verdict, facts)) return {remedy::other_key};
  if (needs_whole_key(verdict)) return of_write(verdict, facts, unpinned);
  if (is_scatter) return of_scatter(verdict, facts, unpinned);
  // Fields that a range or an $expr bounds need no further condition.
  if (verdict.why == reason::partial_key) {
    key_field_set missing;
    for (std::size_t i = 0; i < verdict.judged->key.size(); ++i) {
      if (verdict.misses(i)) missing.insert(i);
      if (verdict.misses(i) && lists_field(verdict, facts, i)) return {};
    }
    return give(verdict, missing.is_empty() ? unpinned : missing, false);
  }
  return verdict.why == reason::range ? give(verdict, unpinned, false) : advice{};
}

}  // namespace scattergate::routing
