#include "routing/statements/writes.hpp"

#include <utility>

#include "routing/bounds/argument_types.hpp"
#include "routing/command_table.hpp"
#include "routing/statements/batch.hpp"
#include "routing/statements/measurements.hpp"
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

}  // namespace scattergate::routing
