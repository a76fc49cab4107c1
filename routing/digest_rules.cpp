#include "routing/digest_rules.hpp"

#include <algorithm>

#include "routing/command_kind.hpp"

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

/// Of the collections called `name`, or of all where it is empty.
std::vector<std::string> key_fields(const catalog& known, std::string_view name) {
  std::vector<std::string> fields = {"_id"};
  for (const auto& listed : known.collections()) {
    if (!name.empty() && listed.name != name) continue;
    for (const key_field& field : listed.key) {
      const std::string_view first =
          std::string_view{field.path}.substr(0, field.path.find('.'));
      if (std::ranges::find(fields, first) == fields.end()) fields.emplace_back(first);
    }
  }
  std::ranges::sort(fields);
  return fields;
}

}  // namespace

wire::digest_rules digest_rules_for(const wire::command_start& start, const catalog& known) {
  const auto parts = parts_of(kind_of(start.name));
  if (parts.empty()) return {};
  return {parts, key_fields(known, start.collection)};
}

}  // namespace scattergate::routing
