#pragma once

#include <string_view>

#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// Which fields the filter of a write on a time series names. For some writes, mongos allows
/// the filter to name only the meta field, and renames this field to the buckets' `meta`.
enum class meta_names : std::uint8_t {
  only,       ///< only the meta field
  in_values,  ///< only the meta field, but mongos also renames a field in a value, which
              ///< changes the value: {m: {$in: [{m: 1}]}} if `m` is the meta field
  others,  ///< another field, or the filter has an $expr or $where: mongos rejects the filter
};

/// Determines which fields a filter names, as mongos does it. mongos doesn't parse the filter
/// here, so it treats every document in a list as a filter (mongo:
/// timeseries_update_delete_util.cpp at e4932f4, replaceQueryMetaFieldName). REQUIRES:
/// `meta_field` isn't empty.
[[nodiscard]] meta_names meta_names_in(wire::document_view filter, std::string_view meta_field,
                                       wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
