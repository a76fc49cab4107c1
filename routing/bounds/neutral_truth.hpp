#pragma once

#include <cstdint>

#include "routing/catalog/catalog.hpp"
#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

/// What mongos knows about top-level operators without bounds before it reads documents.
namespace scattergate::routing {

enum class neutral_truth : std::uint8_t {
  varies,      ///< depends on the document, or all are accepted
  never,       ///< no document is accepted
  late_never,  ///< no document is accepted, which mongos is certain to detect from 8.2 on
  unknown,     ///< a constant that isn't evaluated here
  refused,     ///< mongos rejects the operand
};

/// Evaluates `$sampleRate` (mongo: matcher/expression_parser.cpp, parseSampleRate) and
/// `$jsonSchema` (mongo: matcher/schema/json_schema_parser.cpp at 69d4f8f); `varies` for other
/// operators. `is_plain`: the condition itself counts; otherwise its negation does.
[[nodiscard]] neutral_truth truth_of_neutral(const wire::element& part, bool is_plain,
                                             server_version version,
                                             wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
