#include "routing/bounds/logical_shards.hpp"

#include <algorithm>
#include <string_view>

#include "wire/work_budget.hpp"

namespace scattergate::routing {
namespace {

using wire::element;

/// "<id>:" of a text "<id>:<n>"; empty if the text doesn't have this form.
std::string_view logical_shard_owner(std::string_view text) noexcept {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) return {};
  const std::string_view number = text.substr(colon + 1);
  const bool all_digits =
      std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
  return all_digits ? text.substr(0, colon + 1) : std::string_view{};
}

}  // namespace

bool are_logical_shards(wire::document_view members, wire::work_budget& work) noexcept {
  std::string_view owner;
  std::size_t count = 0;
  wire::metered_reader reader{members, work};
  for (element member; reader.next(member); ++count) {
    if (!member.is_string()) return false;
    const std::string_view here = logical_shard_owner(member.as_string());
    work.charge(member.value().size() / 2);
    if (here.empty() || (count > 0 && here != owner)) return false;
    owner = here;
  }
  return count > 1;
}

}  // namespace scattergate::routing
