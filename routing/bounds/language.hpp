#pragma once

#include <string_view>

#include "routing/catalog/catalog.hpp"
#include "routing/verdict.hpp"
#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

/// Finds operators and stages of the aggregation language that mongos doesn't know, or allows
/// in no transaction: it rejects such a command before routing it. Never rejects what a version
/// newer than the lists may know.
namespace scattergate::routing {

/// Why mongos can't parse an expression, including nested ones; none if it can, or if the
/// expression is too large to examine.
[[nodiscard]] refusal refusal_of_expression(const wire::element& expression,
                                            server_version version,
                                            wire::work_budget& work) noexcept;

/// Why mongos can't parse the stages of a pipeline, including sub-pipelines, or allows one in
/// no transaction. Ignores arguments.
[[nodiscard]] refusal refusal_of_stages(wire::document_view stages, server_version version,
                                        bool in_transaction, wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
