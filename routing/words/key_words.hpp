#pragma once

#include <string>
#include <string_view>

#include "routing/key_field_set.hpp"
#include "routing/verdict.hpp"

/// Names a shard key's fields as clients know them: for a time series, the fields of
/// measurements instead of buckets.
namespace scattergate::routing {

/// The field's name for clients: "sensor.id" for "meta.id"; "t" for "control.min.t".
[[nodiscard]] std::string name_for_clients(const verdict& of, std::size_t field);

/// Whether the field is the measurements' time, which no equality can pin.
[[nodiscard]] bool is_time(const verdict& of, std::size_t field);

/// A field with its position: "project_id (1st of 2 shard key fields)", "doc_id (the shard key,
/// hashed)"
[[nodiscard]] std::string placed(const verdict& of, std::size_t field);

/// Several fields with their positions: "a (1st of 3 shard key fields) and c (3rd of 3 shard
/// key fields)".
[[nodiscard]] std::string placed_all(const verdict& of, key_field_set fields);

}  // namespace scattergate::routing
