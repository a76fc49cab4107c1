#include "routing/bounds/match_operator.hpp"

#include <algorithm>
#include <array>

namespace scattergate::routing {
namespace {

template <typename Operator>
struct row {
  std::string_view name;
  Operator meaning;
};

// The most frequent operators come first, because the search is linear.
constexpr std::array tree_operators{
    row<tree_operator>{"$and", tree_operator::and_},
    row<tree_operator>{"$or", tree_operator::or_},
    row<tree_operator>{"$nor", tree_operator::nor},
    row<tree_operator>{"$expr", tree_operator::expr},
    row<tree_operator>{"$text", tree_operator::text},
    row<tree_operator>{"$comment", tree_operator::neutral},
    row<tree_operator>{"$where", tree_operator::neutral},
    row<tree_operator>{"$jsonSchema", tree_operator::neutral},
    row<tree_operator>{"$sampleRate", tree_operator::neutral},
    row<tree_operator>{"$alwaysTrue", tree_operator::neutral},
    row<tree_operator>{"$alwaysFalse", tree_operator::always_false},
    // A reference to another document ({$ref, $id, $db}) at the top level; its fields aren't
    // operators.
    row<tree_operator>{"$ref", tree_operator::neutral},
    row<tree_operator>{"$id", tree_operator::neutral},
    row<tree_operator>{"$db", tree_operator::neutral},
};

constexpr std::array field_operators{
    row<field_operator>{"$eq", field_operator::eq},
    row<field_operator>{"$gt", field_operator::gt},
    row<field_operator>{"$gte", field_operator::gte},
    row<field_operator>{"$lt", field_operator::lt},
    row<field_operator>{"$lte", field_operator::lte},
    row<field_operator>{"$in", field_operator::in},
    row<field_operator>{"$ne", field_operator::ne},
    row<field_operator>{"$nin", field_operator::nin},
    row<field_operator>{"$exists", field_operator::exists},
    row<field_operator>{"$not", field_operator::not_},
    row<field_operator>{"$type", field_operator::type},
    row<field_operator>{"$mod", field_operator::mod},
    row<field_operator>{"$regex", field_operator::regex},
    row<field_operator>{"$options", field_operator::options},
    row<field_operator>{"$all", field_operator::all},
    row<field_operator>{"$elemMatch", field_operator::elem_match},
    row<field_operator>{"$near", field_operator::near},
    row<field_operator>{"$nearSphere", field_operator::near},
    row<field_operator>{"$geoNear", field_operator::near},
    row<field_operator>{"$minDistance", field_operator::near},
    row<field_operator>{"$maxDistance", field_operator::near},
    row<field_operator>{"$uniqueDocs", field_operator::neutral},
    row<field_operator>{"$size", field_operator::neutral},
    row<field_operator>{"$geoWithin", field_operator::neutral},
    row<field_operator>{"$within", field_operator::neutral},
    row<field_operator>{"$geoIntersects", field_operator::neutral},
    row<field_operator>{"$bitsAllSet", field_operator::neutral},
    row<field_operator>{"$bitsAllClear", field_operator::neutral},
    row<field_operator>{"$bitsAnySet", field_operator::neutral},
    row<field_operator>{"$bitsAnyClear", field_operator::neutral},
    row<field_operator>{"$comment", field_operator::neutral},
};

/// The prefix of names that only MongoDB's routers and the drivers' encryption send. Users
/// don't misspell such names, so they are accepted.
constexpr std::string_view internal_prefix = "$_internal";

template <typename Rows>
auto look_up(const Rows& rows, std::string_view name) noexcept {
  const auto* found = std::ranges::find(rows, name, &Rows::value_type::name);
  using meaning = decltype(found->meaning);
  if (found != rows.end()) return found->meaning;
  return name.starts_with(internal_prefix) ? meaning::neutral : meaning::unknown;
}

}  // namespace

tree_operator tree_operator_of(std::string_view name) noexcept {
  return look_up(tree_operators, name);
}

field_operator field_operator_of(std::string_view name) noexcept {
  return look_up(field_operators, name);
}

}  // namespace scattergate::routing
