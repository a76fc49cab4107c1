#include "tests/sim/agreement/explained.hpp"

#include <algorithm>
#include <array>
#include <regex>

namespace scattergate::sim {
namespace {

enum class truth { any, never, branch };
enum class layouts { all, plain, series };

/// Differences with one reason. If the daemon predicts another shard, the reason says so in
/// capitals: nothing may match there. No reason covers too few shards: that is a bug of the
/// daemon.
struct explained {
  std::string_view since;  ///< the first version, "8.0"
  std::string_view before;
  layouts of;
  const char* kinds;   ///< a regular expression
  const char* shapes;  ///< a regular expression, found somewhere in the shape
  truth matching;      ///< never: no document can match; branch: one of an $or can't
  std::string_view reason;
};

/// Files and commits are mongo's. The first that fits counts.
constexpr auto all_reasons = std::to_array<explained>({
    // Who finds out, and what is counted.
    {"4.4", "10", layouts::all, "(?!sent)\\w+ for (?!sent)\\w+", "\\$\\$unbound", truth::any,
     "of two errors the daemon may name the other one"},
    {"8.0", "10", layouts::all, "wider", "^bulkWrite.*( upsert|insert .*rawData)", truth::any,
     "the daemon's fan-out has what a refused operation would have reached"},
    {"8.0", "10", layouts::plain,
     "(sent|InvalidOptions|FailedToParse|Location51198) for ShardKeyNotFound|"
     "ShardKeyNotFound for sent",
     "^bulkWrite.*(upsert update|(insert|upsert).*: \\[[no, ]*\\]\\}|"
     ": \\[[no, ]*\\]\\}.*upsert)",
     truth::any,
     "what a shard refuses of a document that is about to be made, or was by the operation "
     "before"},
    {"8.2", "10", layouts::series, "\\w+ for sent",
     "^bulkWrite .*(insert|upsert).*ordered rawData", truth::any,
     "a shard refuses what is no bucket (create_collection.cpp, generateTimeseriesValidator), "
     "and an ordered bulkWrite ends there"},
    {"6.0", "10", layouts::all,
     "(sent|ShardKeyNotFound|FailedToParse|Location51198) for QueryFeatureNotAllowed|"
     "QueryFeatureNotAllowed for (sent|ShardKeyNotFound)|"
     "InvalidOptions for QueryFeatureNotAllowed",
     "\\$expr.*upsert", truth::any,
     "it is the shard that refuses $expr in an upsert, after mongos has sent it"},
    {"4.4", "10", layouts::all, "wider", "^aggregate .*\\$(merge|unionWith|lookup|graphLookup)",
     truth::any,
     "what a pipeline joins or writes to counts in the daemon's fan-out; explain shows what it "
     "reads"},

    {"4.4", "10", layouts::all, "sent for Location17276", "^aggregate ", truth::any,
     "of a $match that can't move to the head the daemon reads nothing"},
    {"4.4", "10", layouts::all, "Location40601 for (Location28769|NamespaceCannotBeSharded)",
     "^aggregate .*\\$out", truth::any,
     "mongos looks at the collections before it looks where stages stand; the daemon names the "
     "other error"},

    // What is never true.
    {"8.0", "8.2", layouts::all, "other", "", truth::never,
     "ANOTHER SHARD: a filter that is never true has a plan without bounds, and asks all "
     "shards "
     "(dd1570944d2a: shard_key_pattern_query_util.cpp, collapseQuerySolution); the daemon goes "
     "by what stands in it, or by the branches that are left. Nothing matches"},
    {"8.0", "8.2", layouts::all, "wider|(sent|ShardKeyNotFound) for (sent|\\w+)", "",
     truth::never, "the same; what the daemon goes by is wider, or another refusal's"},
    {"6.0", "10", layouts::all,
     "wider|other|(InvalidOptions|ShardKeyNotFound) for sent|"
     "sent for ShardKeyNotFound",
     "", truth::never,
     "ANOTHER SHARD, or more: conditions that contradict each other ask the first chunk's "
     "owner; the daemon goes by one of them, or by all"},
    {"6.0", "10", layouts::plain, "wider", "\\$or", truth::branch,
     "the same in a branch of an $or"},
    {"4.4", "5.1", layouts::plain, "other",
     "^aggregate .*\\$match.*\\$group.*\\$match.*\\$expr|"
     "^aggregate .*\\$group.*\\$match.*\\$match.*\\$expr",
     truth::never,
     "ANOTHER SHARD: of a $match with an $expr in an $or the rest passes the $group, and "
     "contradicts the $match before it; the daemon keeps the $or behind. Nothing matches"},

    // Filters.
    {"6.0", "10", layouts::all, "wider", "MaxKey", truth::any,
     "a range that begins at MaxKey overlaps no chunk (chunk_manager.cpp, "
     "_overlappingVectorSlotBounds, 0479b3d30874), and the first one's owner is asked; the "
     "daemon takes the last one's, too"},
    {"5.0", "10", layouts::plain, "wider|sent for (InvalidOptions|ShardKeyNotFound)",
     "\\$or.*\\$or", truth::any,
     "of several $or one is planned, and what stands beside it counts within it "
     "(plan_enumerator.cpp, enumerateOneIndex, 0890cd91cb60); the daemon widens, and refuses "
     "nothing where another one may lead to one shard"},
    {"8.0", "10", layouts::all, "wider", "\\$ne|\\$nor|\\$nin|\\$not|\\$exists", truth::any,
     "a negation of another value takes nothing from an equality beside it: different "
     "predicates "
     "are not simplified (expression_simplifier.cpp, 1c287af4e8f1); the daemon widens"},

    {"4.4", "5.1", layouts::plain, "ShardKeyNotFound for sent", "^update .*MaxKey", truth::any,
     "neither 4.4 nor 5.0.0 finds a chunk for MaxKey, so no document goes there "
     "(chunk_manager.cpp, findIntersectingChunk); the simulator places it in the last one"},

    {"8.0", "8.2", layouts::all, "wider|sent for ShardKeyNotFound", "\\$(sampleRate|elemMatch)",
     truth::any,
     "8.0 and 8.1 may detect that a constant $expr, or an $elemMatch of nothing, is never "
     "true, "
     "as 8.2 does (expression_optimizer.cpp, elemMatchObjectOptimizer, 1c287af) and 7.0 "
     "doesn't "
     "(expression_array.cpp, getOptimizer, 0145e23); the daemon asks all, and refuses nothing"},

    // Pipelines.
    {"4.4", "10", layouts::plain, "wider", "^aggregate .*\\$(group|sortByCount).*\\$match",
     truth::any,
     "a $match on a group's key passes the $group (recorded of 4.4 and 5.0), $expr among it "
     "from "
     "5.0 on (expression_algo.cpp, 131c84d87f75); the daemon keeps some behind it"},

    {"6.0", "10", layouts::plain, "wider", "^aggregate .*\\$project.*\\$match: .*(null|MinKey)",
     truth::any,
     "null, or a list with MinKey, on a path of several parts moves before a $project that "
     "keeps it (recorded of 4.4 and 5.0); the daemon keeps it behind in later versions"},

    // Time series.
    {"6.0", "10", layouts::series, "InvalidOptions for sent", "^aggregate .*\\$merge",
     truth::any,
     "a $merge into a series is refused when it writes, and explain writes nothing"},
    {"7.0", "7.1", layouts::series, "sent for ShardKeyNotFound", "^delete .*k\\d.* limit",
     truth::any,
     "whether 7.0 finds the shard of a delete of one by its time isn't known: the daemon "
     "refuses nothing (timeseries_update_delete_util.cpp, getBucketLevelPredicateForRouting, "
     "e4932f42ddd8 and 07d77e5061e6)"},
    {"8.0", "10", layouts::series, "wider", "k\\d: (\\{\\$gte?: )?o", truth::any,
     "fixed buckets begin at multiples of their span "
     "(FixedBucketsLevelComparisonPredicateGenerator); the daemon doesn't know whether they "
     "always "
     "did"},
    {"6.0", "10", layouts::series, "wider",
     "^aggregate (\\[\\{\\$(?!match)|.*\\$match.*\\$match)", truth::any,
     "a $match moves to the head before it is translated; of a pipeline on measurements the "
     "daemon follows only one that stands first"},
    {"6.0", "10", layouts::series, "wider|ShardKeyNotFound for sent",
     "\\$(expr|in|nor|not|ne|elemMatch|or|and)", truth::any,
     "of conditions on measurements the daemon follows fewer than mongos: no $expr, lists of "
     "times, or what stands in an $or"},
});

/// The regular expressions of a reason.
struct patterns {
  std::regex kinds;
  std::regex shapes;
};

const std::vector<patterns>& all_patterns() {
  static const std::vector<patterns> made = [] {
    std::vector<patterns> out;
    for (const explained& each : all_reasons) {
      out.push_back({std::regex{each.kinds}, std::regex{each.shapes}});
    }
    return out;
  }();
  return made;
}

bool is_of(const explained& reason, const patterns& like, const judged_difference& what) {
  const bool is_known = reason.matching == truth::any || what.is_never_true ||
                        (reason.matching == truth::branch && what.has_empty_branch);
  const bool is_of_layout =
      reason.of == layouts::all || what.is_of_series == (reason.of == layouts::series);
  // "10" is later than "9.0".
  const bool is_before = reason.before.size() == 2 || what.version < reason.before;
  return is_known && is_of_layout && what.version >= reason.since && is_before &&
         std::regex_match(what.kind, like.kinds) && std::regex_search(what.shape, like.shapes);
}

}  // namespace

reasons::reasons() : is_used_(all_reasons.size()) {}

std::string_view reasons::of(const judged_difference& difference) {
  for (std::size_t i = 0; i < all_reasons.size(); ++i) {
    if (!is_of(all_reasons[i], all_patterns()[i], difference)) continue;
    is_used_[i] = true;
    return all_reasons[i].reason;
  }
  return {};
}

std::vector<std::string_view> reasons::unused() const {
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < is_used_.size(); ++i) {
    if (!is_used_[i]) out.push_back(all_reasons[i].reason);
  }
  return out;
}

}  // namespace scattergate::sim
