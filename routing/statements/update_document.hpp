#pragma once

#include <span>

#include "routing/bounds/filter_walk.hpp"

namespace scattergate::routing {

/// The forms that an update may have.
enum class update_form : std::uint8_t {
  modifiers,    ///< {$set: ...}
  replacement,  ///< a whole new document
  pipeline,     ///< [{$set: ...}, ...]
  mixed,        ///< both operators and fields; mongos rejects it, or, in a findAndModify, the
                ///< shards do
};

/// The form of an update, as far as the names of its top-level fields show it.
struct update_outline {
  update_form form = update_form::modifiers;  ///< the form
  bool has_unknown_modifier = false;  ///< an operator is unknown, or there are fields next to
                                      ///< operators; the shards reject this if mongos doesn't
};
/// Determines the form of an update. Reads only the names of its top-level fields.
[[nodiscard]] update_outline outline_of(const wire::element& update,
                                        wire::work_budget& work) noexcept;

/// Whether an update may change a document's shard key. A key field is pinned if the filter
/// has an equality on it. An update by operators or a pipeline may change the key if it gives a
/// key field a value that isn't certainly the pinned one. A replacement may change the key if
/// its value of a pinned field isn't the pinned one. False for update_form::mixed. `form`: the
/// update's form, from outline_of(update). `walk`: the walk over the update's filter.
[[nodiscard]] bool changes_shard_key(const wire::element& update, update_form form,
                                     const filter_walk& walk, wire::work_budget& work) noexcept;

/// Whether an update changes the _id, or a part of it, that the shard key contains. A
/// document's _id never changes: the shard rejects the update (mongo: update/modifier_node.cpp,
/// ImmutableField). Parameters as for changes_shard_key(). False if an expression gives the _id
/// its value.
[[nodiscard]] bool changes_id_in_key(const wire::element& update, update_form form,
                                     const filter_walk& walk, wire::work_budget& work) noexcept;

/// The values of the shard key after an update; empty if they aren't known: the filter doesn't
/// have an equality on each key field, or only a shard can compute a value. Parameters as for
/// changes_shard_key(). The result is in `memory`.
[[nodiscard]] std::span<const wire::element> key_after(const wire::element& update,
                                                       update_form form,
                                                       const filter_walk& walk,
                                                       scratch& memory) noexcept;

}  // namespace scattergate::routing
