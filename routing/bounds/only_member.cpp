#include "routing/bounds/only_member.hpp"

#include "routing/bounds/document_path.hpp"
#include "routing/keys/key_encoding.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

using wire::element;

std::optional<element> only_member(wire::document_view members,
                                   wire::work_budget& work) noexcept {
  wire::metered_reader reader{members, work};
  element first;
  element second;
  if (!reader.next(first)) return std::nullopt;
  // mongos removes repeated values from a list, also numbers that are equal but have different
  // types (mongo: matcher/expression_leaf.cpp, InMatchExpression::setEqualities).
  while (reader.next(second)) {
    if (!same_value(first, second) && !are_equal_numbers(first, second, work)) {
      return std::nullopt;
    }
    work.charge(second.value().size() / 16);
  }
  if (reader.is_corrupt() || work.is_spent()) return std::nullopt;
  return first;
}

}  // namespace scattergate::routing
