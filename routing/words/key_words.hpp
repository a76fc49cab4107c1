#pragma once

#include <string>
#include <string_view>

#include "routing/key_field_set.hpp"
#include "routing/verdict.hpp"

/// The fields of a shard key as clients know them: those of a time series are asked for by the
/// names of measurements, not of buckets.
namespace scattergate::routing {

/// "sensor.id" for "meta.id"; "t" for "control.min.t".
[[nodiscard]] std::string name_for_clients(const verdict& of, std::size_t field);

/// Whether the field is the time of measurements, which no equality pins.
[[nodiscard]] bool is_time(const verdict& of, std::size_t field);

/// "project_id (1st of 2 shard key fields)", "doc_id (the shard key, hashed)"
[[nodiscard]] std::string placed(const verdict& of, std::size_t field);

/// Some of them in words: "a (1st of 3 shard key fields) and c (3rd of 3 shard key fields)".
[[nodiscard]] std::string placed_all(const verdict& of, key_field_set fields);

}  // namespace scattergate::routing
