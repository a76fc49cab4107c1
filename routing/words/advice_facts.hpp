#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "routing/command_kind.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"

namespace scattergate::routing {

/// The form of a filter's conditions on a field. If there are several, the most useful one for
/// choosing shards; the values are in this order.
enum class condition_form : std::uint8_t {
  none,      ///< no condition, except perhaps in an $or or the like
  other,     ///< an operator without bounds ($exists, $elemMatch, $size, ...)
  negation,  ///< $ne, $nin or $not
  in_expr,   ///< in an $expr: a comparison of the field with a value
  pattern,   ///< a regular expression without a literal prefix
  range,     ///< $gt and the like, a type, or a regular expression with a literal prefix
  list,      ///< $in
  equality,
};

/// The facts about a command, besides its verdict, that advice depends on. For a batch, the
/// facts about the statement that decided the verdict. Contains views into the command.
struct advice_facts {
  /// How a filter selects by _id.
  enum class id_condition : std::uint8_t {
    none,
    one,      ///< by an equality on _id, and perhaps on a field for the document's version
    several,  ///< by an $in on _id, and nothing else
  };

  command_kind kind = command_kind::other;  ///< for an explain, the explained command's kind
  bool has_filter = true;  ///< false: the command has no condition, although commands of
                           ///< its kind can have a filter
  bool matches_nothing =
      false;  ///< because of an `$in: []` or `$all: []`, no document can match
  bool needs_no_match = false;  ///< an aggregation that has a result without a match: it has
                                ///< $unionWith or $facet
  bool begins_with_geo_near = false;  ///< the first stage is $geoNear
  bool is_of_many = false;   ///< it lists, counts, groups or changes a set of documents
  bool counts_all = false;   ///< it only counts the documents of the whole collection
  bool takes_first = false;  ///< it changes the first document in an order (a findAndModify
                             ///< with a sort), so a caller can't know which one
  bool is_upsert = false;    ///< it inserts a document if none matches
  bool has_type_tag =
      false;  ///< its update has the field _t, by which Morphia stores the class
  bool asks_for_any = false;  ///< a find of the _id of any one document
  bool asks_for_key = false;  ///< a find of one document, of only shard key fields
  id_condition by_id = id_condition::none;
  condition_form on_first = condition_form::none;  ///< the conditions on the key's first field
  std::size_t statements = 1;   ///< number of statements in the batch; 1 if there is no batch
  std::uint32_t statement = 0;  ///< position, from 0, of the statement with these facts

  /// The fields by which the filter selects, without those inside $and, $or and the like.
  std::array<std::string_view, 4> selected;
  std::size_t selected_size = 0;  ///< number of fields in `selected`; further are omitted

  /// The fields whose values the command lists: the key of a distinct, or the paths in the key
  /// of a $group or $sortByCount, if the stages before it only select, sort or unwind
  /// documents.
  std::array<std::string_view, 8> listed;
  std::size_t listed_size = 0;  ///< number of fields in `listed`; further fields are omitted

  /// A collection that a stage of an aggregation joins or writes to, and the stage's name.
  struct join {
    std::string_view collection;
    std::string_view stage;
  };
  std::string_view collection;  ///< the command's own collection
  std::array<join, 16> joined;
  std::size_t joined_size = 0;  ///< number of entries in `joined`; further ones are omitted

  /// Whether `joined` contains a collection other than the command's own.
  [[nodiscard]] bool joins(std::string_view other) const noexcept {
    return other != collection && !stage_for(other).empty();
  }

  /// The first stage that joins or writes to the collection; empty if there is none.
  [[nodiscard]] std::string_view stage_for(std::string_view other) const noexcept {
    const auto end = joined.begin() + static_cast<std::ptrdiff_t>(joined_size);
    const auto found = std::find_if(joined.begin(), end,
                                    [&](const join& each) { return each.collection == other; });
    return found == end ? std::string_view{} : found->stage;
  }
};

/// Extracts the facts from a command. `of`: the command's verdict, or its verdict in one of its
/// namespaces. Reads only the beginning of a very large command.
[[nodiscard]] advice_facts advice_facts_of(const wire::command& command, const verdict& of);

}  // namespace scattergate::routing
