#pragma once

#include <cstdint>
#include <optional>

#include "routing/catalog/catalog.hpp"
#include "wire/bson.hpp"
#include "wire/work_budget.hpp"

/// Evaluates filter operators that aren't on a field and give no bounds, such as $sampleRate.
/// mongos may detect from the operand alone that no document is accepted.
namespace scattergate::routing {

/// Whether a filter operator accepts documents, as far as its operand shows.
enum class neutral_truth : std::uint8_t {
  varies,      ///< depends on the document, or all documents are accepted
  never,       ///< no document is accepted
  late_never,  ///< no document is accepted; mongos is certain to detect this only from 8.2 on
  unknown,     ///< a constant that isn't evaluated here
  refused,     ///< mongos rejects the operand
};

/// Evaluates `$sampleRate` (mongo: matcher/expression_parser.cpp, parseSampleRate) and
/// `$jsonSchema` (mongo: matcher/schema/json_schema_parser.cpp at 69d4f8f); `varies` for other
/// operators. `is_plain`: whether to evaluate the condition itself; if false, its negation.
[[nodiscard]] neutral_truth truth_of_neutral(const wire::element& part, bool is_plain,
                                             server_version version,
                                             wire::work_budget& work) noexcept;

/// The constant by which mongos replaces a `$sampleRate`: false for 0, true for 1, of any
/// numeric type. std::nullopt for a fraction, which mongos compares with a random number, and
/// for an invalid rate (mongo: parsers/matcher/expression_parser.cpp at d0e2116,
/// parseSampleRate).
[[nodiscard]] std::optional<bool> constant_of_sample_rate(
    const wire::element& operand) noexcept;

}  // namespace scattergate::routing
