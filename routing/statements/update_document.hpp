#pragma once

#include "routing/bounds/filter_walk.hpp"

namespace scattergate::routing {

/// The forms of an update.
enum class update_form : std::uint8_t {
  modifiers,    ///< {$set: ...}
  replacement,  ///< a whole document
  pipeline,     ///< [{$set: ...}, ...]
  mixed,        ///< operators and fields: mongos rejects it
};

/// The form of an update, as far as the names of its fields show it.
struct update_outline {
  update_form form = update_form::modifiers;
  bool has_unknown_modifier = false;  ///< or fields next to modifiers: the shards reject it
};
[[nodiscard]] update_outline outline_of(const wire::element& update,
                                        wire::work_budget& work) noexcept;

/// Whether an update sets a shard key field to a value other than the one that the filter pins.
/// False if that depends on the documents. `form`: that of outline_of(update).
[[nodiscard]] bool changes_shard_key(const wire::element& update, update_form form,
                                     const filter_walk& walk, wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
