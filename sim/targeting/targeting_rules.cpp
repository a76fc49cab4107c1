#include "sim/targeting/targeting_rules.hpp"

#include <array>

namespace scattergate::sim {
namespace {

struct rule_since {
  bool targeting_rules::*rule;
  std::string_view version;
};

/// A rule read in mongo's sources at a commit of the master branch applies from the next
/// version on; tests/sim/real_answers_test.cpp has what a real 5.0 showed.
constexpr auto all_rules = std::to_array<rule_since>({
    // rewrite_expr.cpp; recorded of 5.0
    {&targeting_rules::bounds_by_order, "5.0"},
    // util/regex_util.cpp, flagsToPcreOptions (SERVER-26991, 5.1)
    {&targeting_rules::rejects_regex_options, "6.0"},
    // index_bounds_builder.cpp, LT and GT: allValuesRespectingInclusion; 4.4 as recorded
    {&targeting_rules::excludes_ends, "5.0"},
    // document_source_match.cpp, redactSafePortionDollarOps; 4.4 and 5.0 as recorded, and which
    // patch release changed isn't known
    {&targeting_rules::copies_operators, "8.0"},
    // 131c84d87f75: expression_algo.cpp, hasOnlyRenameableMatchExpressionChildren; recorded of
    // 5.0
    {&targeting_rules::moves_expressions, "5.0"},
    // expression_algo.cpp, hasOnlyRenameableMatchExpressionChildrenImpl (SERVER-75853, 7.1)
    {&targeting_rules::moves_array_conditions, "8.0"},
    // 19bd7993d149: document_source_group.cpp, pushDotRenamedMatch; its test
    // (jstests/aggregation/sources/group/grouped_match_push_down.js) requires 7.1
    {&targeting_rules::renames_group_keys, "8.0"},
    // document_source_replace_root.h, isNoop; pipeline_test.cpp, RemoveReplaceRootWithRoot
    {&targeting_rules::drops_same_roots, "8.2"},
    // 0479b3d30874: chunk_manager.cpp; 5.0 does as 4.4, for hashes as recorded
    {&targeting_rules::has_end_in_last_chunk, "6.0"},
    {&targeting_rules::sees_collated_hashes, "6.0"},
    {&targeting_rules::knows_now, "6.0"},
    // 1c287af4e8f1: compiler/rewrites/matcher/expression_optimizer.cpp, listOfOptimizer,
    // notOptimizer, optimizeMatchExpression, inOptimizer
    {&targeting_rules::joins_alternatives, "8.0"},
    {&targeting_rules::simplifies, "8.0"},
    {&targeting_rules::drops_empty_lists, "8.0"},
    {&targeting_rules::folds_negations, "8.2"},
    // db49cf02406a: expression_tree.cpp, ListOfMatchExpression::getOptimizer
    {&targeting_rules::folds_nor_of_one, "8.1"},
    // 01e0c879e9e9: shard_key_pattern_query_util.cpp, collapseQuerySolution (EOF); before that
    // a plan without bounds
    {&targeting_rules::plans_nothing, "8.2"},
    // 05bb7a0bb268: index_bounds_builder.cpp, makeNullEqualityBounds
    {&targeting_rules::has_no_undefined, "8.0"},
    // bucket_unpacker.cpp, createComparisonPredicate and createPredicatesOnBucketLevelField;
    // later bucket_spec.cpp and bucket_level_comparison_predicate_generator.cpp
    {&targeting_rules::bounds_buckets, "6.0"},
    {&targeting_rules::bounds_meta_anywhere, "7.0"},
    // 027de410329b: bucket_level_comparison_predicate_generator.cpp,
    // FixedBucketsLevelComparisonPredicateGenerator
    {&targeting_rules::bounds_fixed_buckets, "8.0"},
    // pipeline/optimization/match_rules.cpp, groupMatchSwapVerified; parts of it are in 8.2
    {&targeting_rules::guards_group_keys, "9.0"},
    // expression_expr.cpp, attemptToRewriteEqHash (commit of July 2023); its test requires 7.0
    {&targeting_rules::bounds_by_hashes, "7.0"},
    // 0785196c129f: rewrite_expr.cpp, _rewriteInExpression
    {&targeting_rules::bounds_by_lists, "8.1"},
    // expression_let.cpp, ExpressionLet::optimize, findUsedVariablesAndInlineConstants
    {&targeting_rules::inlines_variables, "8.1"},
});

}  // namespace

targeting_rules rules_of(std::string_view version) {
  targeting_rules out;
  // projection_node.cpp, reportComputedPaths: still so at 050f9d06865f (7.1), no longer in 8.x,
  // where what is below the top level may be below an array. Which patch levels changed isn't
  // known.
  out.renames_nested = version < "6.0";
  for (const rule_since& each : all_rules) out.*each.rule = version >= each.version;
  return out;
}

}  // namespace scattergate::sim
