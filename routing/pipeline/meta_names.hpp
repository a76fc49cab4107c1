#pragma once

#include <string_view>

#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// The result when mongos renames the meta field in a write's filter, which may name no other
/// field.
enum class meta_names : std::uint8_t {
  only,       ///< the filter names nothing else
  in_values,  ///< nothing else, but a document in a list of values is changed too
  others,     ///< another field, an $expr or a $where: mongos rejects the filter
};

/// Examines a filter as mongos does: without parsing it, so that every document in a list
/// counts as a filter (mongo: timeseries_update_delete_util.cpp at e4932f4,
/// replaceQueryMetaFieldName). REQUIRES: `meta_field` isn't empty.
[[nodiscard]] meta_names meta_names_in(wire::document_view filter, std::string_view meta_field,
                                       wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
