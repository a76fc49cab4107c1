#include "routing/statements/writes.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "routing/bounds/argument_types.hpp"
#include "routing/command_table.hpp"
#include "routing/statements/batch.hpp"
#include "routing/statements/measurements.hpp"
#include "routing/statements/write_rules.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

using wire::document_view;
using wire::element;

namespace {

/// Reads the filter of a statement; false if it isn't a document or is specified twice, so that
/// it can't be judged.
bool take_filter(const element& field, filtered_write& write, bool& has_filter) noexcept {
  const auto inner = field.as_document();
  if (inner) write.filter = *inner;
  return !std::exchange(has_filter, true) && inner.has_value();
}

/// Reads an update statement {q, u, multi, upsert, collation, ...}.
std::optional<filtered_write> read_update(document_view one, wire::work_budget& work) noexcept {
  filtered_write write;
  bool sound = true;
  bool has_filter = false;
  wire::metered_reader reader{one, work};
  for (element field; reader.next(field);) {
    if (field.key() == "q") sound &= take_filter(field, write, has_filter);
    if (field.key() == "u") write.update = field;
    if (field.key() == "c") write.has_constants = is_given(argument::constants, field);
    if (field.key() == "multi") write.multi = field.is_truthy();
    if (field.key() == "upsert") {
      write.upsert = is_given(argument::upsert, field) && field.is_truthy();
    }
    if (field.key() == "collation") write.collation = field;
  }
  if (!sound || reader.is_corrupt()) return std::nullopt;
  return write;
}

/// Reads a delete statement {q, limit, collation, ...}.
std::optional<filtered_write> read_delete(document_view one, wire::work_budget& work) noexcept {
  filtered_write write;
  write.is = filtered_write::kind::delete_;
  write.multi = true;
  bool sound = true;
  bool has_filter = false;
  wire::metered_reader reader{one, work};
  for (element field; reader.next(field);) {
    if (field.key() == "q") sound &= take_filter(field, write, has_filter);
    if (field.key() == "limit") {
      const double limit = double_of(field);
      write.multi = limit != 1;
      write.has_valid_arguments &= limit == 0 || limit == 1;
    }
    if (field.key() == "collation") write.collation = field;
  }
  if (!sound || reader.is_corrupt()) return std::nullopt;
  return write;
}

/// Judges the documents of a batch one after the other, reusing the scratch memory.
template <typename Judge>
void judge_batch(const wire::command& on, std::string_view field,
                 const judging_context& context, verdict_builder& to,
                 Judge judge_one) noexcept {
  batch_reader documents{on, field, context.memory.work()};
  for (document_view document; documents.next(document);) {
    const std::size_t mark = context.memory.mark();
    const bool stays = to.add(judge_one(document), on.ns());
    if (!stays) context.memory.rewind(mark);
  }
  if (documents.is_corrupt()) {
    to.add(statement::unknown(reason::unreadable), on.ns());
  }
}

/// Judges a statement because of whose arguments mongos rejects the whole batch.
statement judge_invalid(const filtered_write& write, const resolved_namespace& on,
                        const judging_context& context) noexcept {
  statement made = judge(write, on, context);
  made.reject_first(refusal::failed_to_parse);
  made.refuses_batch = true;
  return made;
}

template <typename Read>
void judge_filtered(const wire::command& command, std::string_view field,
                    const command_options& options, const judging_context& context,
                    verdict_builder& to, Read read) noexcept {
  if (options.ordered) to.stop_at_refusal();
  const resolved_namespace on = resolve(context, command.ns());
  const bool has_company =
      on.sharded != nullptr && has_several(command, field, context.memory.work());
  judge_batch(command, field, context, to, [&](document_view document) {
    if (on.sharded == nullptr) return on.answer_to_write();
    auto write = read(document, context.memory.work());
    if (!write) return statement::unknown(reason::unreadable);
    write->let = context.let;
    write->has_company = has_company;
    return write->has_valid_arguments ? judge(*write, on, context)
                                      : judge_invalid(*write, on, context);
  });
}

}  // namespace

void judge_inserts(const wire::command& command, const command_options& options,
                   const judging_context& context, verdict_builder& to) noexcept {
  if (options.ordered) to.stop_at_refusal();
  const resolved_namespace on = resolve(context, command.ns());
  to.take_as_one();
  judge_batch(command, facts_in_table(command_kind::insert).batch, context, to,
              [&](document_view document) {
                return on.sharded == nullptr ? on.answer_to_write()
                                             : judge_insert(document, on, context);
              });
}

void judge_updates(const wire::command& command, const command_options& options,
                   const judging_context& context, verdict_builder& to) noexcept {
  judge_filtered(command, facts_in_table(command_kind::update).batch, options, context, to,
                 read_update);
}

void judge_deletes(const wire::command& command, const command_options& options,
                   const judging_context& context, verdict_builder& to) noexcept {
  judge_filtered(command, facts_in_table(command_kind::delete_).batch, options, context, to,
                 read_delete);
}

statement judge_find_and_modify(const wire::command& command, const command_options& options,
                                const judging_context& context) noexcept {
  const resolved_namespace on = resolve(context, command.ns());
  if (on.sharded == nullptr) return on.answer_to_write();
  filtered_write write;
  write.is = filtered_write::kind::find_and_modify;
  write.filter = options.filter_document();
  write.update = options.remove ? std::nullopt : options.update;
  write.collation = options.collation;
  write.let = context.let;
  write.upsert = options.upsert;
  write.has_sort = options.has_sort;
  return judge(write, on, context);
}

namespace {

/// One operation: {insert: 0, document}, {update: 0, filter, updateMods, ...}, {delete: 0,
/// filter, ...}.
struct bulk_op {
  enum class kind : std::uint8_t { insert, update, delete_, other } is = kind::other;
  std::int64_t namespace_index = -1;
  document_view document;
  filtered_write write;
};

/// Reads an operation; std::nullopt if it is invalid.
std::optional<bulk_op> read_op(document_view one, wire::work_budget& work) noexcept {
  bulk_op op;
  bool sound = true;
  bool has_filter = false;
  wire::metered_reader reader{one, work};
  bool is_first = true;
  for (element field; reader.next(field); is_first = false) {
    if (is_first) {
      op.namespace_index = integer_of(argument::namespace_index, field).value_or(-1);
      if (field.key() == "insert") op.is = bulk_op::kind::insert;
      if (field.key() == "update") op.is = bulk_op::kind::update;
      if (field.key() == "delete") op.is = bulk_op::kind::delete_;
      continue;
    }
    const auto inner = field.as_document();
    if (field.key() == "document" || field.key() == "filter") sound &= inner.has_value();
    if (field.key() == "document" && inner) op.document = *inner;
    if (field.key() == "filter") sound &= !std::exchange(has_filter, true);
    if (field.key() == "filter" && inner) op.write.filter = *inner;
    if (field.key() == "updateMods") op.write.update = field;
    if (field.key() == "constants") {
      op.write.has_constants = is_given(argument::constants, field);
    }
    if (field.key() == "multi") op.write.multi = field.is_truthy();
    if (field.key() == "upsert") {
      op.write.upsert = is_given(argument::upsert, field) && field.is_truthy();
    }
    if (field.key() == "collation") op.write.collation = field;
  }
  if (!sound || reader.is_corrupt() || op.is == bulk_op::kind::other) return std::nullopt;
  if (op.is == bulk_op::kind::delete_) op.write.is = filtered_write::kind::delete_;
  return op;
}

/// The namespaces of a bulkWrite, each parsed once. Caches the lookup of the namespace used
/// last, because consecutive operations mostly have the same one.
class namespace_table {
 public:
  struct entry {
    wire::namespace_view name;
    resolved_namespace on;
  };

  namespace_table(const wire::command& command, const judging_context& context) noexcept
      : context_(context) {
    wire::work_budget& work = context.memory.work();
    names_ = context.memory.allocate<std::string_view>(count_of(command, work));
    batch_reader infos{command, "nsInfo", work};
    document_view info;
    for (std::size_t i = 0; i < names_.size() && infos.next(info); ++i) {
      std::construct_at(&names_[i], name_in(info, work));
    }
    has_more_ = infos.next(info);
  }

  /// The namespace at `index`; null if the command has none at this index, or has too many.
  [[nodiscard]] const entry* at(std::int64_t index) noexcept {
    if (index < 0) return nullptr;
    if (index == index_) return &current_;
    const bool is_there = static_cast<std::uint64_t>(index) < names_.size();
    if (!is_there || !load(names_[static_cast<std::size_t>(index)])) return nullptr;
    index_ = index;
    return &current_;
  }

  /// Whether the command certainly has no namespace at `index`.
  [[nodiscard]] bool lacks(std::int64_t index) const noexcept {
    return index < 0 || (!has_more_ && static_cast<std::uint64_t>(index) >= names_.size());
  }

  /// Whether one of the names is invalid (mongo: NamespaceString::isValid).
  [[nodiscard]] bool has_invalid() const noexcept {
    return std::ranges::any_of(names_, [](std::string_view name) {
      return !wire::namespace_view::of(name).has_value();
    });
  }

  /// Whether there are more than the limit.
  [[nodiscard]] bool has_more() const noexcept { return has_more_; }

 private:
  static constexpr std::size_t max_names = 4096;  // a quarter of the scratch memory

  static std::size_t count_of(const wire::command& command, wire::work_budget& work) noexcept {
    std::size_t count = 0;
    batch_reader infos{command, "nsInfo", work};
    for (document_view info; count < max_names && infos.next(info);) ++count;
    return count;
  }

  static std::string_view name_in(document_view info, wire::work_budget& work) noexcept {
    const auto ns = wire::find_field(info, "ns", work);
    return ns ? ns->as_string() : std::string_view{};
  }

  bool load(std::string_view full) noexcept {
    const auto name = wire::namespace_view::of(full);
    if (!name) return false;
    index_ = -1;
    current_ = {*name, resolve(context_, *name)};
    return true;
  }

  const judging_context& context_;
  std::span<std::string_view> names_;
  bool has_more_ = false;
  std::int64_t index_ = -1;
  entry current_;
};

statement judge_op(const bulk_op& op, const resolved_namespace& on,
                   const judging_context& context) noexcept {
  if (on.sharded == nullptr) return on.answer_to_write();
  if (op.is == bulk_op::kind::insert) return judge_insert(op.document, on, context);
  return judge(op.write, on, context);
}

}  // namespace

void judge_bulk_write(const wire::command& command, const command_options& options,
                      const judging_context& context, verdict_builder& to) noexcept {
  if (options.ordered) to.stop_at_refusal();
  namespace_table namespaces{command, context};
  if (namespaces.has_more()) context.touches.note_missing_entry();
  const auto unreadable = [&] {
    (void)to.add(statement::unknown(reason::unreadable), {command.database, {}});
  };
  // mongos validates all of them before it runs any (mongo: bulk_write_common.cpp,
  // validateRequest).
  const auto reject = [&](refusal error) { to.reject(error, nullptr, {command.database, {}}); };
  if (namespaces.has_invalid()) reject(refusal::invalid_namespace);
  const std::string_view batch = facts_in_table(command_kind::bulk_write).batch;
  const bool has_company = has_several(command, batch, context.memory.work());
  batch_reader ops{command, batch, context.memory.work()};
  for (document_view one; ops.next(one);) {
    const std::size_t mark = context.memory.mark();
    auto op = read_op(one, context.memory.work());
    if (op && namespaces.lacks(op->namespace_index)) reject(refusal::bad_value);
    const auto* on = op ? namespaces.at(op->namespace_index) : nullptr;
    if (on == nullptr) {
      unreadable();
      continue;
    }
    op->write.let = context.let;
    op->write.has_company = has_company;
    const bool stays = to.add(judge_op(*op, on->on, context), on->name);
    if (!stays) context.memory.rewind(mark);
  }
  if (ops.is_corrupt()) unreadable();
}

}  // namespace scattergate::routing
