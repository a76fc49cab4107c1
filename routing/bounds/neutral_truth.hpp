#pragma once

#include <cstdint>
#include <optional>

#include "routing/catalog/catalog.hpp"
#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

/// Evaluates filter operators that aren't on a field and give no bounds, such as $sampleRate.
/// mongos may detect from the operand alone that no document is accepted.
namespace scattergate::routing {

/// Which documents a filter operator accepts, as far as its operand shows.
enum class neutral_truth : std::uint8_t {
  varies,      ///< depends on the document, or all documents are accepted
  never,       ///< no document is accepted
  late_never,  ///< no document is accepted; mongos certainly detects this only from 8.2 on
  unknown,     ///< perhaps all or no documents: the operand isn't evaluated here
  refused,     ///< mongos rejects the operand
};

/// Evaluates `$sampleRate` (mongo: matcher/expression_parser.cpp, parseSampleRate) and
/// `$jsonSchema` (mongo: matcher/schema/json_schema_parser.cpp at 69d4f8f); `varies` for other
/// operators. `part`: the field of the filter. `is_plain`: true to evaluate the condition,
/// false to evaluate its negation.
[[nodiscard]] neutral_truth truth_of_neutral(const wire::element& part, bool is_plain,
                                             server_version version,
                                             wire::work_budget& work) noexcept;

/// The constant by which mongos replaces a `$sampleRate`: false if the rate is 0, true if it is
/// 1. std::nullopt for a fraction, which mongos compares with a random number, and for an
/// invalid rate (mongo: parsers/matcher/expression_parser.cpp at d0e2116,
/// parseSampleRate).
[[nodiscard]] std::optional<bool> constant_of_sample_rate(
    const wire::element& operand) noexcept;

}  // namespace scattergate::routing
