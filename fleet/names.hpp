#pragma once

#include <cstdint>
#include <string_view>

/// The fleet's database: many sidecars add what they count to the same documents
/// (docs/fleet.md).
namespace scattergate::fleet {

/// The schemaVersion of every document. Raise it when older programs would misread the
/// documents.
inline constexpr std::int32_t schema_version = 1;

namespace collections {
inline constexpr std::string_view shapes = "shapes";      ///< counts by shape; one document per
                                                          ///< logical shard
inline constexpr std::string_view callers = "callers";    ///< the senders of each shape, by
                                                          ///< sidecar
inline constexpr std::string_view sidecars = "sidecars";  ///< one document per sidecar: its
                                                          ///< facts and its last flush
inline constexpr std::string_view leases = "leases";      ///< the holder of each sidecar name
inline constexpr std::string_view locks = "locks";        ///< the progress of each flush in
                                                          ///< transactions
}  // namespace collections

/// The shape name of the documents that count commands without a row.
inline constexpr std::string_view rowless_shape = "-";

}  // namespace scattergate::fleet
