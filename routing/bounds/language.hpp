#pragma once

#include <string_view>

#include "routing/bounds/let_variables.hpp"
#include "routing/catalog/catalog.hpp"
#include "routing/verdict.hpp"
#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

/// Finds reasons why mongos rejects a command before it routes it: operators, variables and
/// stages that mongos doesn't know, or doesn't allow at their position or in a transaction.
/// Accepts everything that a version later than the lists may know.
namespace scattergate::routing {

/// The error with which mongos rejects an expression, or one nested in it. `none` if it accepts
/// them, or if the expression is too large to examine.
[[nodiscard]] refusal refusal_of_expression(const wire::element& expression,
                                            server_version version,
                                            wire::work_budget& work) noexcept;

/// Whether an expression certainly has a variable ("$$name") that isn't defined: neither by
/// `let` (null: no variables), nor by an operator in the expression, nor by mongos itself.
[[nodiscard]] bool names_unbound_variable(const wire::element& expression,
                                          const let_variables* let,
                                          wire::work_budget& work) noexcept;

/// The error with which mongos rejects the order of stages in a pipeline or in its
/// sub-pipelines (mongo: pipeline/pipeline.cpp, validateCommon;
/// pipeline/document_source_facet.cpp); `none` if it accepts it.
[[nodiscard]] refusal refusal_of_stage_order(wire::document_view stages,
                                             wire::work_budget& work) noexcept;

/// Whether a $geoNear certainly isn't the first stage once mongos has optimized the pipeline,
/// so that mongos rejects it (mongo: pipeline/document_source_geo_near.h,
/// validatePipelinePosition).
[[nodiscard]] bool has_later_geo_near(wire::document_view stages,
                                      wire::work_budget& work) noexcept;

/// The error with which mongos rejects the stages of a pipeline or of its sub-pipelines: a
/// stage is unknown, isn't allowed in a transaction, or doesn't have one field. `none` if it
/// accepts them. Ignores the stages' arguments.
[[nodiscard]] refusal refusal_of_stages(wire::document_view stages, server_version version,
                                        bool in_transaction, wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
