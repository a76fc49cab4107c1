#pragma once

#include "routing/bounds/filter_walk.hpp"

namespace scattergate::routing {

/// The three languages of an update.
enum class update_form : std::uint8_t {
  modifiers,    ///< {$set: ...}
  replacement,  ///< a whole document
  pipeline,     ///< [{$set: ...}, ...]
  mixed,        ///< operators and fields: mongos rejects it
};
[[nodiscard]] update_form form_of(const wire::element& update,
                                  wire::work_budget& work) noexcept;

/// Whether the update sets a shard key field to a value that the filter doesn't already pin.
/// False when only the documents would show it. `form` is form_of(update).
[[nodiscard]] bool changes_shard_key(const wire::element& update, update_form form,
                                     const filter_walk& walk, wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
