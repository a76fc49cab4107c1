#include "routing/statements/digest_rules.hpp"

#include "routing/command_kind.hpp"
#include "routing/shape/shape.hpp"
#include "routing/shape/shape_writer.hpp"

namespace scattergate::routing {
namespace {

using wire::digest_part;
using enum wire::digest_part::kind;

constexpr digest_part insert_parts[] = {{"documents", "", document}};
constexpr digest_part update_parts[] = {{"updates", "u", update}};
constexpr digest_part find_and_modify_parts[] = {{"", "update", update}};
constexpr digest_part bulk_write_parts[] = {{"ops", "document", document},
                                            {"ops", "updateMods", update}};

std::span<const digest_part> parts_of(command_kind kind) noexcept {
  switch (kind) {
    case command_kind::insert:
      return insert_parts;
    case command_kind::update:
      return update_parts;
    case command_kind::find_and_modify:
      return find_and_modify_parts;
    case command_kind::bulk_write:
      return bulk_write_parts;
    default:
      return {};
  }
}

}  // namespace

wire::digest_rules digest_rules_for(std::string_view command, const catalog& known) noexcept {
  // A list that isn't there whole must end a shape as the whole one does: the shortest item of
  // a shape is `{},`.
  static_assert(wire::message_digest::abridged_items >= max_shape_bytes / 3 + 1);
  static_assert(wire::message_digest::abridged_items >= shape_limits::typed_items);
  return {parts_of(kind_of(command)), known.key_roots()};
}

}  // namespace scattergate::routing
