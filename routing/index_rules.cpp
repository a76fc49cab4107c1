#include "routing/index_rules.hpp"

#include "routing/batch.hpp"

namespace scattergate::routing {

using wire::document_view;
using wire::element;

namespace {

bool is_id_alone(document_view key) noexcept {
  return wire::count_fields(key) == 1 && wire::find_field(key, "_id").has_value();
}

/// Whether the index begins with the shard key. A hashed field can't be unique, so no unique
/// index begins with a key that has one.
bool begins_with_key(document_view index, const collection& on) noexcept {
  if (on.hashed_field >= 0) return false;
  wire::document_reader reader{index};
  for (const key_field& field : on.key) {
    element part;
    if (!reader.next(part) || part.key() != field.path || part.as_int64() != 1) return false;
  }
  return true;
}

}  // namespace

bool asks_for_impossible_index(const wire::command& command, const collection& on) noexcept {
  batch_reader indexes{command, "indexes"};
  for (document_view index; indexes.next(index);) {
    const auto unique = wire::find_field(index, "unique");
    const auto key = wire::find_field(index, "key");
    if (!unique || !unique->is_truthy() || !key || !key->is_document()) continue;
    const document_view pattern = *key->as_document();
    if (!is_id_alone(pattern) && !begins_with_key(pattern, on)) return true;
  }
  return false;
}

}  // namespace scattergate::routing
