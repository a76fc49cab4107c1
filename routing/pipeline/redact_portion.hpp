#pragma once

#include <cstdint>
#include <optional>

#include "routing/scratch.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// The equalities that mongos copies before a $redact. `plain`: `{a: x}`, but not `{a: {$eq:
/// x}}`, to which mongos rewrites a $match that it splits; the rule of some versions before
/// 8.0.
enum class safe_equality : std::uint8_t { none, plain, any };

/// The part of a filter's field that mongos also applies before a $redact: conditions that
/// hidden fields can't make true (mongo: pipeline/document_source_match.cpp,
/// redactSafePortion). std::nullopt if there is none, or the scratch memory is exhausted.
[[nodiscard]] std::optional<wire::element> redact_portion(const wire::element& part,
                                                          safe_equality safe,
                                                          scratch& memory) noexcept;

}  // namespace scattergate::routing
