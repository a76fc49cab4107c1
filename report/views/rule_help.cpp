#include "report/views/rule_help.hpp"

#include <algorithm>
#include <array>

namespace scattergate::report {
namespace {

using routing::reason;

struct row {
  reason why;
  rule_help help;
};

constexpr std::string_view add_the_key =
    "Add equality on the shard key's fields to the filter, beginning with the first field.";

constexpr std::array<row, 10> rows = {{
    {reason::missing_key, {"The filter bounds no field of the shard key.", add_the_key}},
    {reason::not_prefix,
     {"The filter bounds later fields of the shard key, but not the first.", add_the_key}},
    {reason::range_on_hashed,
     {"The filter has only a range on a hashed first field.",
      "Only equality or $in narrows a hashed field: list the values to find."}},
    {reason::unbounded_or,
     {"A branch of an $or doesn't bound the shard key.",
      "Add equality on the shard key to every branch, or outside of the $or."}},
    {reason::negation,
     {"The filter only excludes shard key values.",
      "List the values to find instead of using $ne, $nin or $not."}},
    {reason::collation,
     {"The collation isn't simple, so strings don't narrow the shards.",
      "Send the command with {locale: \"simple\"}, and equality on the shard key."}},
    {reason::no_leading_match,
     {"The pipeline doesn't begin with a $match.",
      "Begin with a $match that has equality on the shard key."}},
    {reason::write_without_key,
     {"The filter of a write to one document lacks equality on the shard key.",
      "Add equality on all of the shard key's fields, so that mongos asks one shard."}},
    {reason::foreign_scatter,
     {"The pipeline reads a joined collection on every shard.",
      "Join by the joined collection's shard key."}},
    {reason::not_indexable,
     {"An operator on the shard key gives no bounds.",
      "Add equality on the shard key, in addition to $text, $where or the geometry."}},
}};

}  // namespace

rule_help help_for(routing::cause why) noexcept {
  const auto* const known = std::ranges::find_if(
      rows, [&](const row& one) { return routing::cause{one.why} == why; });
  if (known != rows.end()) return known->help;
  return {"The command asks every shard of its collection.", add_the_key};
}

}  // namespace scattergate::report
