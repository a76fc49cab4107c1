#pragma once

#include <cstdint>
#include <string_view>

/// The names in the fleet's database, in which many sidecars (scattergate daemons) add up their
/// counts (docs/fleet.md).
namespace scattergate::fleet {

/// The value of the field schemaVersion in every document. Increase it when older versions of
/// scattergate would misread the documents.
inline constexpr std::int32_t schema_version = 1;

namespace collections {
inline constexpr std::string_view shapes = "shapes";    ///< counts by query shape; one document
                                                        ///< per shape and logical shard
inline constexpr std::string_view callers = "callers";  ///< the senders of each shape, by
                                                        ///< sidecar
/// One document per sidecar: its facts, and its last flush (adding counts to the database).
inline constexpr std::string_view sidecars = "sidecars";
inline constexpr std::string_view leases = "leases";  ///< the holder of each sidecar name
inline constexpr std::string_view locks = "locks";    ///< the progress of each flush that
                                                      ///< uses transactions
}  // namespace collections

/// The shape name of the documents that count commands without a row in a sidecar's digest
/// (table of shapes): the rows were evicted, or there was no memory for them.
inline constexpr std::string_view rowless_shape = "-";

}  // namespace scattergate::fleet
