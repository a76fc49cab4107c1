#pragma once

#include <string>
#include <string_view>

#include "routing/key_field_set.hpp"
#include "routing/verdict.hpp"

/// Names shard key fields as they appear in clients' commands. In commands on a time series,
/// these are fields of measurements; the shard key has fields of buckets. `of`: a verdict
/// whose `judged` is sharded. `field`: the position in the key.
namespace scattergate::routing {

/// The name, in clients' commands, of the field at this position of the key: "sensor.id" for
/// "meta.id"; "t" for "control.min.t".
[[nodiscard]] std::string name_for_clients(const verdict& of, std::size_t field);

/// Whether the field at this position of the key is the time of measurements. An equality on
/// the time doesn't determine the shard, because a bucket contains a range of times.
[[nodiscard]] bool is_time(const verdict& of, std::size_t field);

/// A field's name as a key of an object in JavaScript: `customer`, or `"address.city"`.
[[nodiscard]] std::string object_key(std::string_view path);

/// "1st", "2nd", "11th". `n`: from 1.
[[nodiscard]] std::string ordinal(std::size_t n);

/// The name and position of one field: "project_id (1st of 2 shard key fields)", "doc_id (the
/// shard key, hashed)".
[[nodiscard]] std::string placed(const verdict& of, std::size_t field);

/// The names and positions of several fields: "a (1st of 3 shard key fields) and c (3rd of 3
/// shard key fields)".
[[nodiscard]] std::string placed_all(const verdict& of, key_field_set fields);

}  // namespace scattergate::routing
