#pragma once

#include <cstdint>
#include <optional>

#include "routing/scratch.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// Which equalities mongos takes to be safe. Before 8.0 at the latest not one that is written
/// as {$eq: x}, as it is once a $match has been split.
enum class safe_equality : std::uint8_t { none, plain, any };

/// What of a filter's part may be asked before a $redact too: what no field that the $redact
/// hides can make match (mongo: pipeline/document_source_match.cpp, redactSafePortion).
/// Nothing where that is empty, or the scratch is exhausted.
[[nodiscard]] std::optional<wire::element> redact_portion(const wire::element& part,
                                                          safe_equality safe,
                                                          scratch& memory) noexcept;

}  // namespace scattergate::routing
