#pragma once

#include <cstdint>

#include "routing/key_field_set.hpp"
#include "routing/verdict.hpp"
#include "routing/words/advice_facts.hpp"

namespace scattergate::routing {

/// A change to a command that makes mongos send it to fewer shards.
enum class remedy : std::uint8_t {
  none,        ///< there is nothing to change, or no helpful change is known
  dont_send,   ///< no document can match: omit the command
  accept,      ///< no change helps, because every shard has a part of the result: accept the
               ///< command
  other_key,   ///< no filter fits the shard key, which begins with _id, because the command
               ///< doesn't select by it: accept the command, or choose another key
  equality,    ///< add an equality on each of `fields` to the filter
  leave_expr,  ///< move the condition on `fields`, the key's first field, out of the $expr
  simple_collation,  ///< use the simple collation, and add an equality on each of `fields`
  join_by_key,  ///< use the shard key of the other collection in the stage that joins or writes
                ///< that collection
};

/// A remedy, and the shard key fields that it concerns.
struct advice {
  remedy what = remedy::none;
  key_field_set fields{};  ///< positions in the key of verdict::judged
  /// The command may be meant for all values of the key's first field, because it is about a
  /// set of documents and has no condition on this field: then no filter helps.
  bool may_be_for_all = false;
};

/// Whether mongos sends the write to one shard only, or accepts it only, with an equality on
/// the whole shard key: a write of one document, or an upsert.
[[nodiscard]] bool needs_whole_key(const verdict& of) noexcept;

/// The change after which mongos sends a command to fewer shards, or no longer rejects it;
/// remedy::none if there is none. `verdict` and `facts` must be those of the same command.
[[nodiscard]] advice advice_of(const verdict& verdict, const advice_facts& facts);

}  // namespace scattergate::routing
