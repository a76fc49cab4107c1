#pragma once

#include <string_view>

#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// How mongos renames the meta field in the filter of a write that may only name that field.
enum class meta_names : std::uint8_t {
  only,       ///< the filter names nothing else
  in_values,  ///< the same, but a document in a list of values changes, too
  others,     ///< the filter names another field, an $expr or a $where: mongos rejects it
};

/// Reads the filter as mongos does, without its grammar: each document that is a member of a
/// list counts as a filter (mongo: timeseries_update_delete_util.cpp at e4932f4,
/// replaceQueryMetaFieldName). REQUIRES: `meta_field` isn't empty.
[[nodiscard]] meta_names meta_names_in(wire::document_view filter, std::string_view meta_field,
                                       wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
