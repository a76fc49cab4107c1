#include "routing/statements/refusal_rules.hpp"

#include "routing/statements/batch.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

namespace {

/// The first version that renames sharded collections, and whose find accepts a symbol as its
/// collection's name.
constexpr server_version version_5_0{5, 0};
/// The first version that knows bulkWrite, with its feature flag disabled, and the first that
/// runs it.
constexpr server_version knows_bulk_write{7, 0};
constexpr server_version runs_bulk_write{8, 0};
/// The first version that certainly has no reIndex (mongo: s/commands/SConscript at f1e08cc).
constexpr server_version lacks_re_index{7, 0};

bool is_view(wire::namespace_view name, const judging_context& context) noexcept {
  const collection* entry = resolve(context.entries, name).entry;
  return entry != nullptr && entry->is_view();
}

bool is_sharded(wire::namespace_view name, const judging_context& context) noexcept {
  return resolve(context.entries, name).sharded != nullptr;
}

/// The error with which this version rejects a bulkWrite (mongo: cluster_bulk_write_cmd.cpp of
/// 7.0 and 8.0; 6.0 has none).
refusal refusal_of_bulk_write(server_version version) noexcept {
  if (version >= runs_bulk_write) return refusal::none;
  return version >= knows_bulk_write ? refusal::command_not_supported
                                     : refusal::command_not_found;
}

/// The error with which mongos rejects a rename. Up to 4.4, neither of the two collections may
/// be sharded (mongo: cluster_rename_collection_cmd.cpp).
refusal refusal_of_rename(const wire::command& given, wire::namespace_view from,
                          const judging_context& context) noexcept {
  if (context.entries.version() >= version_5_0) return refusal::none;
  if (is_sharded(from, context)) return refusal::rename_of_sharded;
  const auto to = wire::find_field(given.body, "to", context.memory.work());
  const auto into = to ? wire::namespace_view::of(to->as_string()) : std::nullopt;
  return into && is_sharded(*into, context) ? refusal::rename_to_sharded : refusal::none;
}

}  // namespace

refusal refusal_of(const wire::command& given, command_kind kind, wire::namespace_view on,
                   const judging_context& context) noexcept {
  // mongo: s/commands/cluster_compact_cmd.cpp, which SConscript lists at f1e08cc and 00c9745,
  // and BUILD.bazel at 1ec25d3.
  if (kind == command_kind::compact) return refusal::command_not_supported;
  if (kind == command_kind::re_index && context.entries.version() >= lacks_re_index) {
    return refusal::command_not_found;
  }
  const command_facts& facts = facts_of(kind);
  if (context.in_transaction && (context.is_explained || !facts.in_transactions)) {
    return refusal::operation_not_supported_in_transaction;
  }
  if (context.is_explained && facts.explained == explain_support::none) {
    return refusal::illegal_operation;
  }
  if (!facts.takes_views && is_view(on, context)) return refusal::command_not_supported_on_view;
  switch (kind) {
    case command_kind::find: {
      // mongo 4.4: query_request.cpp, parseFromFindCommand. Other commands accept the symbol.
      const bool is_symbol = given.first.type() == wire::bson_type::symbol;
      const bool refuses = is_symbol && context.entries.version() < version_5_0;
      return refuses ? refusal::failed_to_parse : refusal::none;
    }
    case command_kind::bulk_write:
      return refusal_of_bulk_write(context.entries.version());
    case command_kind::distinct:  // by the shards (mongo: commands/distinct.cpp)
      return context.in_transaction && is_sharded(on, context)
                 ? refusal::operation_not_supported_in_transaction
                 : refusal::none;
    case command_kind::map_reduce:  // mongo: cluster_map_reduce_agg.cpp at f2bd012
      return resolve(context.entries, on).is_view_of_buckets()
                 ? refusal::command_not_supported_on_view
                 : refusal::none;
    case command_kind::rename_collection:
      return refusal_of_rename(given, on, context);
    case command_kind::convert_to_capped:  // mongo: cluster_convert_to_capped_cmd.cpp
      return is_sharded(on, context) ? refusal::illegal_operation : refusal::none;
    default:
      return refusal::none;
  }
}

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
