#pragma once

#include <string_view>

#include "routing/bounds/name_table.hpp"
#include "routing/catalog/catalog.hpp"
#include "routing/verdict.hpp"
#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

/// Finds reasons why mongos rejects a command before routing: operators, variables and stages
/// that mongos doesn't know, or doesn't allow at their position or in a transaction. If mongos
/// is newer than the lists of known operators and stages, unknown names are accepted.
namespace scattergate::routing {

/// The error with which mongos rejects an expression or an expression nested in it. `none` if
/// mongos accepts all of them, if the expression is too large for the work budget, or if
/// `version` is later than the list of known operators.
[[nodiscard]] refusal refusal_of_expression(const wire::element& expression,
                                            server_version version,
                                            wire::work_budget& work) noexcept;

/// Whether an expression certainly has a variable ("$$name") that isn't defined. A variable may
/// be defined by `let` (null: no variables), by an operator in the expression, or by mongos.
/// False if in doubt.
[[nodiscard]] bool names_unbound_variable(const wire::element& expression,
                                          const let_variables* let,
                                          wire::work_budget& work) noexcept;

/// The error with which mongos rejects the order of stages in a pipeline or in its
/// sub-pipelines; `none` if mongos accepts the order (mongo: pipeline/pipeline.cpp,
/// validateCommon; pipeline/document_source_facet.cpp).
[[nodiscard]] refusal refusal_of_stage_order(wire::document_view stages,
                                             wire::work_budget& work) noexcept;

/// Whether a $geoNear certainly isn't the first stage once mongos has optimized the pipeline,
/// so that mongos rejects it (mongo: pipeline/document_source_geo_near.h,
/// validatePipelinePosition).
[[nodiscard]] bool has_later_geo_near(wire::document_view stages,
                                      wire::work_budget& work) noexcept;

/// The error with which mongos rejects the stages of a pipeline or of its sub-pipelines: a
/// stage is unknown, isn't allowed in a transaction, or doesn't have exactly one field. `none`
/// if mongos accepts them. Ignores the stages' arguments.
[[nodiscard]] refusal refusal_of_stages(wire::document_view stages, server_version version,
                                        bool in_transaction, wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
