#pragma once

#include <string_view>

#include "routing/catalog/catalog.hpp"
#include "routing/verdict.hpp"
#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

/// Words of the aggregation language that mongos doesn't know: it refuses a command that uses
/// one before it routes it. What a version newer than our lists may know is never refused.
namespace scattergate::routing {

/// Why mongos can't parse an expression, nested ones included; none where it can, or where the
/// expression is larger than we read.
[[nodiscard]] refusal refusal_of_expression(const wire::element& expression,
                                            server_version version,
                                            wire::work_budget& work) noexcept;

/// Why mongos can't parse the stages of a pipeline, sub-pipelines included. Arguments aren't
/// looked at.
[[nodiscard]] refusal refusal_of_stages(wire::document_view stages, server_version version,
                                        wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
