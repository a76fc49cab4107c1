#pragma once

#include <cstdint>
#include <optional>

#include "routing/scratch.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// Which equalities mongos copies before a $redact. `plain`: only those without $eq: {a: x}.
/// Some versions before 8.0 copy only these. When they split a $match, they write equalities
/// with $eq.
enum class safe_equality : std::uint8_t { none, plain, any };

/// The part of a filter's field that mongos also applies before a $redact: conditions that
/// can't become true because the $redact hides fields (mongo:
/// pipeline/document_source_match.cpp, redactSafePortion). std::nullopt if there is none, or
/// the scratch memory is exhausted.
[[nodiscard]] std::optional<wire::element> redact_portion(const wire::element& part,
                                                          safe_equality safe,
                                                          scratch& memory) noexcept;

}  // namespace scattergate::routing
