#pragma once

#include <string_view>

#include "routing/bounds/let_variables.hpp"
#include "routing/catalog/catalog.hpp"
#include "routing/verdict.hpp"
#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

/// Finds operators, variables and stages that mongos doesn't know, doesn't allow where they
/// stand, or doesn't allow in transactions, so that it rejects the command before routing it.
/// Accepts anything that a version newer than the lists may know.
namespace scattergate::routing {

/// The error with which mongos rejects an expression or one nested in it; none if it accepts
/// them, or if the expression is too large to examine.
[[nodiscard]] refusal refusal_of_expression(const wire::element& expression,
                                            server_version version,
                                            wire::work_budget& work) noexcept;

/// Whether an expression certainly names a variable ("$$name") that nothing binds: not `let`
/// (null: none), no operator in it, nor mongos itself.
[[nodiscard]] bool names_unbound_variable(const wire::element& expression,
                                          const let_variables* let,
                                          wire::work_budget& work) noexcept;

/// The error with which mongos rejects the places of stages in a pipeline or its sub-pipelines
/// (mongo: pipeline/pipeline.cpp, validateCommon; pipeline/document_source_facet.cpp).
[[nodiscard]] refusal refusal_of_places(wire::document_view stages,
                                        wire::work_budget& work) noexcept;

/// Whether a $geoNear certainly isn't the first stage of an optimized pipeline (mongo:
/// pipeline/document_source_geo_near.h, validatePipelinePosition).
[[nodiscard]] bool has_near_behind(wire::document_view stages,
                                   wire::work_budget& work) noexcept;

/// The error with which mongos rejects a pipeline's stages, including those of sub-pipelines:
/// an unknown stage, or one that isn't allowed in a transaction. Ignores arguments.
[[nodiscard]] refusal refusal_of_stages(wire::document_view stages, server_version version,
                                        bool in_transaction, wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
