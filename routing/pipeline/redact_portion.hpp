#pragma once

#include <cstdint>
#include <optional>

#include "routing/scratch.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// Which equalities mongos copies before a $redact. `plain`: only equalities without $eq: {a:
/// x}. Some versions before 8.0 copy only plain equalities. When these versions split a
/// $match, they write all equalities with $eq, so that none is copied.
enum class safe_equality : std::uint8_t { none, plain, any };

/// The part of a filter's field that mongos applies before a $redact as well: the conditions
/// that hiding fields can't make true (mongo: pipeline/document_source_match.cpp,
/// redactSafePortion). std::nullopt if there is none, or the scratch memory is exhausted.
[[nodiscard]] std::optional<wire::element> redact_portion(const wire::element& part,
                                                          safe_equality safe,
                                                          scratch& memory) noexcept;

}  // namespace scattergate::routing
