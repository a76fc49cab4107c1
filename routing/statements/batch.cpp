#include "routing/statements/batch.hpp"

namespace scattergate::routing {
namespace {

/// The cost of a document of a batch in addition to reading it, in units of wire::work_budget.
constexpr std::size_t document_units = 60;

wire::document_view array_of(const wire::command& command, std::string_view field,
                             wire::work_budget& work) noexcept {
  const auto found = wire::find_field(command.body, field, work);
  const auto array = found ? found->as_array() : std::nullopt;
  return array.value_or(wire::document_view{});
}

}  // namespace

bool has_batch(const wire::command& command, std::string_view field,
               wire::work_budget& work) noexcept {
  const auto found = wire::find_field(command.body, field, work);
  if (found && found->is_array()) return true;
  for (const wire::document_sequence& sequence : command.sequences) {
    if (sequence.identifier == field) return true;
  }
  return false;
}

bool has_several(const wire::command& command, std::string_view field,
                 wire::work_budget& work) noexcept {
  batch_reader documents{command, field, work};
  wire::document_view document;
  return documents.next(document) && documents.next(document);
}

batch_reader::batch_reader(const wire::command& command, std::string_view field,
                           wire::work_budget& work) noexcept
    : work_(work), array_(array_of(command, field, work), work), sequence_({}) {
  for (const wire::document_sequence& sequence : command.sequences) {
    if (sequence.identifier != field) continue;
    sequence_ = wire::sequence_reader{sequence.documents};
    is_sequence_ = true;
  }
}

bool batch_reader::next(wire::document_view& document) noexcept {
  if (++documents_ > wire::limits::max_batch_statements + 1) work_.use_up();
  if (is_sequence_) {
    if (!work_.spend(document_units)) return false;
    if (sequence_.next(document)) return true;
    corrupt_ = sequence_.is_corrupt();
    return false;
  }
  wire::element member;
  if (!array_.next(member)) {
    corrupt_ = array_.is_corrupt();
    return false;
  }
  work_.charge(document_units);
  const auto inner = member.as_document();
  if (!inner) {
    corrupt_ = true;
    return false;
  }
  document = *inner;
  return true;
}

}  // namespace scattergate::routing
