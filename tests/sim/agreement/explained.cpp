#include "tests/sim/agreement/explained.hpp"

#include <algorithm>
#include <array>
#include <regex>

namespace scattergate::sim {
namespace {

enum class truth { any, never };

/// Differences of one reason. A narrower answer is explained only where no document matches.
struct explained {
  std::string_view since;  ///< the first version, "8.0"
  std::string_view before;
  const char* kinds;   ///< a regular expression
  const char* shapes;  ///< likewise, found somewhere in the shape
  truth matching;
  std::string_view reason;
};

/// Files and commits are mongo's.
constexpr auto all_reasons = std::to_array<explained>({
    {"8.0", "8.2", "other|wider|.* for sent|sent for .*", "", truth::never,
     "a filter that is never true has a plan without bounds: all shards "
     "(shard_key_pattern_query_util.cpp before 01e0c879e9e9); the daemon goes by what stands "
     "in "
     "it, or by the branches that are left"},
    {"6.0", "10", "other|wider|.* for sent|sent for .*", "", truth::never,
     "conditions that contradict each other leave no interval, hashed fields' among them, "
     "which "
     "asks the first chunk's owner (index_bounds_builder.cpp, intersectize, 05bb7a0bb268; "
     "shard_key_pattern_query_util.cpp, 01e0c879e9e9); the daemon goes by one of them, or "
     "takes "
     "hashes that contradict each other for unseen"},
    {"6.0", "10", "wider|other|.* for sent", "\\$or.*h\\d.*h\\d|h\\d.*\\$or.*h\\d", truth::any,
     "the same in a branch of an $or"},
    {"5.0", "10", "wider|other|.* for sent", "h\\d: (\\{\\$\\w+: )?\\[", truth::any,
     "an array on a hashed field bounds by itself and its first member, unhashed "
     "(index_bounds_builder.cpp, translateEquality, 05bb7a0bb268); the daemon lets it bound "
     "nothing"},
    {"4.4", "10", "wider", "\\$redact", truth::any,
     "what a $redact can't make true is copied before it (document_source_match.cpp, "
     "redactSafePortion); the daemon doesn't"},
    {"4.4", "10", "wider|other", "\\$(group|sortByCount).*\\$match", truth::any,
     "a $match on a group's key passes the $group (recorded of 4.4 and 5.0), $expr among it "
     "from "
     "5.0 on (expression_algo.cpp, 131c84d87f75); the daemon keeps some behind it"},
    {"5.0", "10", "wider", "\\$project.*\\$match.*k\\d: (MinKey|null)", truth::any,
     "what a $project includes lets a $match pass (recorded of 5.0); the daemon doesn't for "
     "dotted fields"},
    {"4.4", "5.1", "ShardKeyNotFound for sent", "MaxKey", truth::any,
     "neither 4.4 nor 5.0.0 finds a chunk for MaxKey, so no document goes there "
     "(chunk_manager.cpp, findIntersectingChunk); the simulator places it in the last one"},
    {"6.0", "10", "wider", "MaxKey|type: (127|\\?)", truth::any,
     "a range that begins at MaxKey overlaps no chunk by mongo's chunk_manager.cpp at "
     "0479b3d30874, _overlappingVectorSlotBounds, and the first one's owner is asked; the "
     "daemon "
     "takes the last one's, too"},
    {"4.4", "7.1", "sent for ShardKeyNotFound",
     "([kh]\\d|_id): (\\w+).*\\1: \\2|delete \\{h0: \\w+, x: ", truth::any,
     "an equality that stands twice, or one of a path below it, leaves no exact _id "
     "(path_support.cpp, extractFullEqualityMatches)"},
    {"5.0", "10", "wider", "\\$or.*\\$or", truth::any,
     "of several $or one is planned, and what stands beside it counts within it "
     "(plan_enumerator.cpp, enumerateOneIndex, 0890cd91cb60)"},
    {"6.0", "10", "wider", "\\$expr: \\{\\$and", truth::any,
     "a constant of an $and in $expr changes nothing; the daemon keeps such an $expr out"},
    {"8.0", "10", "other", "\\$expr.*\\$nor|\\$nor.*\\$expr", truth::any,
     "$expr is a predicate as any other to the simplifier "
     "(expression_bitset_tree_converter.cpp, 1c287af4e8f1); the daemon doesn't simplify beside "
     "it"},
    {"8.0", "10", "wider", "\\$ne|\\$nor|\\$nin|\\$not", truth::any,
     "a negation of another value takes nothing from an equality beside it: different "
     "predicates "
     "are not simplified (expression_simplifier.cpp, 1c287af4e8f1); the daemon widens"},
    {"8.0", "8.1", "other|sent for ShardKeyNotFound", "^update \\{.*\\} \\{[kh]\\d: [^}]*\\}$",
     truth::any,
     "a replacement whose _id is another than the filter's, or whose key holds an array, is "
     "placed by it and refused then"},
    {"6.0", "10", ".*QueryFeatureNotAllowed.*", "\\$expr.*upsert", truth::any,
     "it is the shard that refuses $expr in an upsert, after mongos has sent it"},
});

bool is_of(const explained& reason, const judged_difference& what) {
  const bool is_known = reason.matching == truth::any || what.is_never_true;
  // "10" is later than "9.0".
  const bool is_before = reason.before.size() == 2 || what.version < reason.before;
  return is_known && what.version >= reason.since && is_before &&
         std::regex_match(what.kind, std::regex{reason.kinds}) &&
         std::regex_search(what.shape, std::regex{reason.shapes});
}

}  // namespace

std::string_view reason_of(const judged_difference& difference) {
  const auto found = std::ranges::find_if(
      all_reasons, [&](const explained& each) { return is_of(each, difference); });
  return found == all_reasons.end() ? std::string_view{} : found->reason;
}

}  // namespace scattergate::sim
