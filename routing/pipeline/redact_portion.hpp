#pragma once

#include <cstdint>
#include <optional>

#include "routing/scratch.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// Which equalities of a $match mongos copies before a $redact. `plain`: only those written
/// without $eq, such as {a: 1}, as before 8.0. `none`: before 8.0, after mongos has rewritten
/// the $match, because it then writes all equalities with $eq. `any`: with or without $eq,
/// from 8.0 on.
enum class safe_equality : std::uint8_t { none, plain, any };

/// The part of a filter's field that mongos also applies before a $redact. It consists of the
/// conditions that can't become true because the $redact hides fields (mongo:
/// pipeline/document_source_match.cpp, redactSafePortion). std::nullopt if there is none, or
/// the scratch memory is exhausted.
[[nodiscard]] std::optional<wire::element> redact_portion(const wire::element& part,
                                                          safe_equality safe,
                                                          scratch& memory) noexcept;

}  // namespace scattergate::routing
