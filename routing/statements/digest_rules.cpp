#include "routing/statements/digest_rules.hpp"

#include <array>
#include <cstddef>

#include "routing/command_table.hpp"
#include "routing/shape/shape.hpp"
#include "routing/shape/shape_writer.hpp"

namespace scattergate::routing {
namespace {

using wire::digest_part;

/// The parts of a command that a digest shortens. Operations of a bulkWrite may have both a
/// document and an update.
struct part_list {
  std::array<digest_part, 2> parts{};
  std::size_t count = 0;

  constexpr void add(std::string_view list, std::string_view field, digest_part::kind what) {
    parts[count++] = {list, field, what};
  }
};

constexpr part_list parts_in(const command_facts& facts) {
  part_list made;
  const bool has_documents = facts.holds == batch_items::documents;
  if (has_documents || !facts.document.empty()) {
    made.add(facts.batch, facts.document, digest_part::kind::document);
  }
  if (!facts.update.empty()) made.add(facts.batch, facts.update, digest_part::kind::update);
  return made;
}

constexpr auto parts_by_kind = [] {
  std::array<part_list, command_kind_count> made;
  std::size_t count = 0;
  for (part_list& list : made) list = parts_in(command_table[count++].facts);
  return made;
}();

std::span<const digest_part> parts_of(command_kind kind) noexcept {
  const part_list& found = parts_by_kind[static_cast<std::size_t>(kind)];
  return std::span{found.parts}.first(found.count);
}

}  // namespace

wire::digest_rules digest_rules_for(std::string_view command, const catalog& known) noexcept {
  // A shape of an abridged list must be truncated exactly where that of the complete list is.
  // The shortest item of a shape is `{},`.
  static_assert(wire::message_digest::abridged_items >= max_shape_bytes / 3 + 1);
  static_assert(wire::message_digest::abridged_items >= shape_limits::typed_items);
  return {parts_of(kind_of(command)), known.key_roots()};
}

}  // namespace scattergate::routing
