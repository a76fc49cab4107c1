#pragma once

#include "routing/bounds/filter_walk.hpp"

namespace scattergate::routing {

/// The forms that an update may have.
enum class update_form : std::uint8_t {
  modifiers,    ///< {$set: ...}
  replacement,  ///< a whole new document
  pipeline,     ///< [{$set: ...}, ...]
  mixed,        ///< both operators and fields; mongos rejects it
};

/// The form of an update. Only the names of its top-level fields were read.
struct update_outline {
  update_form form = update_form::modifiers;
  bool has_unknown_modifier = false;  ///< an operator is unknown, or there are fields next to
                                      ///< operators; the shards reject this
};
/// The outline of an update.
[[nodiscard]] update_outline outline_of(const wire::element& update,
                                        wire::work_budget& work) noexcept;

/// Whether an update sets a shard key field to a value other than the one that the filter pins
/// it to. False if that depends on the stored documents. `form`: the update's form, from
/// outline_of(update). `walk`: the walk over the update's filter.
[[nodiscard]] bool changes_shard_key(const wire::element& update, update_form form,
                                     const filter_walk& walk, wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
