#include "routing/pipeline/absorbed_match.hpp"

#include "routing/pipeline/match_split.hpp"
#include "wire/metered_reader.hpp"

namespace scattergate::routing {

using wire::document_view;
using wire::element;

namespace {

/// Decides whether each condition of a $match moves before the two stages (`before`) or into
/// the $lookup's pipeline (`found`).
class absorption {
 public:
  absorption(const path_history& before, const path_history& found, scratch& memory) noexcept
      : before_(before, {}, memory), found_(found, {}, memory), memory_(memory) {}

  [[nodiscard]] bool takes(document_view filter, std::uint32_t depth) noexcept {
    if (depth >= wire::limits::inspect_depth) return false;
    wire::metered_reader reader{filter, memory_.work()};
    for (element part; reader.next(part);) {
      if (!takes_part(part, depth)) return false;
    }
    return true;
  }

 private:
  /// Each member of an $and or a $nor moves separately.
  [[nodiscard]] bool takes_part(const element& part, std::uint32_t depth) noexcept {
    const bool is_split = part.is_array() && (part.key() == "$and" || part.key() == "$nor");
    if (!is_split) return before_.is_free(part) || found_.is_free(part);
    wire::metered_reader branches{part.as_array().value_or(document_view{}), memory_.work()};
    for (element branch; branches.next(branch);) {
      const auto inner = branch.as_document();
      const bool taken = part.key() == "$and"
                             ? inner && takes(*inner, depth + 1)
                             : before_.is_free_branch(branch) || found_.is_free_branch(branch);
      if (!taken) return false;
    }
    return true;
  }

  match_split before_;
  match_split found_;
  scratch& memory_;
};

}  // namespace

bool is_absorbed(document_view filter, const element& unwind, const path_history& found,
                 scratch& memory) noexcept {
  path_history before;
  if (!before.pass(unwind, memory)) return false;
  before.prepare(memory);
  return absorption{before, found, memory}.takes(filter, 0);
}

}  // namespace scattergate::routing
