#pragma once

#include <cstdint>
#include <string_view>

/// The fleet's database: many sidecars add what they count to the same documents
/// (docs/fleet.md).
namespace scattergate::fleet {

/// Of every document. To be raised when older programs would misread the documents.
inline constexpr std::int32_t schema_version = 1;

namespace collections {
inline constexpr std::string_view shapes = "shapes";      ///< counts of a shape, n documents
inline constexpr std::string_view callers = "callers";    ///< who sends a shape, by sidecar
inline constexpr std::string_view sidecars = "sidecars";  ///< each process' last flush
inline constexpr std::string_view leases = "leases";      ///< who holds a name
inline constexpr std::string_view locks = "locks";        ///< the progress of a flush
}  // namespace collections

/// The shape of the document that counts commands without a row.
inline constexpr std::string_view rowless_shape = "-";

}  // namespace scattergate::fleet
