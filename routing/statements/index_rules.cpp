#include "routing/statements/index_rules.hpp"

#include "routing/statements/batch.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

using wire::document_view;
using wire::element;

namespace {

/// The cost of comparing one field of a key, in units of wire::work_budget.
constexpr std::size_t index_field_units = 16;

/// The first version whose shards compare an index that becomes unique with the shard key
/// (mongo: coll_mod.cpp at 86a03c9; not yet at 56ec27e, of August 2022).
constexpr server_version checks_conversions{7, 0};

/// Whether the index has a hashed field. Such an index can't be unique (mongo:
/// index_key_validate.cpp; index_catalog_impl.cpp, _isSpecOk).
bool is_hashed(document_view index) noexcept {
  wire::document_reader reader{index};
  for (element part; reader.next(part);) {
    if (part.as_string() == "hashed") return true;
  }
  return false;
}

/// Whether the index begins with _id or with the shard key's fields, in order; directions and
/// hashing don't matter.
bool is_compatible(document_view index, const collection& on) noexcept {
  wire::document_reader reader{index};
  element part;
  bool is_first = true;
  for (const key_field& field : on.key) {
    if (!reader.next(part)) return false;
    if (is_first && part.key() == "_id") return true;
    if (part.key() != field.path) return false;
    is_first = false;
  }
  return true;
}

/// Whether the index can't be unique on the collection.
bool is_impossible(document_view index, const collection& on) noexcept {
  return is_hashed(index) || !is_compatible(index, on);
}

}  // namespace

bool asks_for_impossible_index(const wire::command& command, const collection& on,
                               wire::work_budget& work) noexcept {
  batch_reader indexes{command, "indexes", work};
  for (document_view index; indexes.next(index);) {
    work.charge(index_field_units * on.key.size());
    const auto unique = wire::find_field(index, "unique", work);
    const auto key = wire::find_field(index, "key", work);
    if (!unique || !unique->is_truthy() || !key || !key->is_document()) continue;
    if (is_impossible(*key->as_document(), on)) return true;
  }
  return false;
}

bool asks_for_impossible_conversion(const wire::command& command, const collection& on,
                                    server_version version, wire::work_budget& work) noexcept {
  if (version < checks_conversions) return false;
  const auto index = wire::find_field(command.body, "index", work);
  const auto fields = index ? index->as_document() : std::nullopt;
  if (!fields) return false;
  const auto key = wire::find_field(*fields, "keyPattern", work);
  if (!key || !key->is_document()) return false;
  const auto asks_for = [&](std::string_view name) {
    const auto found = wire::find_field(*fields, name, work);
    return found && found->is_truthy();
  };
  work.charge(index_field_units * on.key.size());
  return (asks_for("unique") || asks_for("prepareUnique")) &&
         is_impossible(*key->as_document(), on);
}

}  // namespace scattergate::routing
