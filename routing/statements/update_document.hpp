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
[[nodiscard]] update_form form_of(const wire::element& update,
                                  wire::work_budget& work) noexcept;

/// Whether an update by modifiers has one that MongoDB doesn't know.
[[nodiscard]] bool has_unknown_modifier(const wire::element& update,
                                        wire::work_budget& work) noexcept;

/// Whether an update sets a shard key field to a value other than the one that the filter pins.
/// False if that depends on the documents. `form`: form_of(update).
[[nodiscard]] bool changes_shard_key(const wire::element& update, update_form form,
                                     const filter_walk& walk, wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
