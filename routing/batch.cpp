#include "routing/batch.hpp"

namespace scattergate::routing {
namespace {

wire::document_view array_of(const wire::command& command, std::string_view field) noexcept {
  const auto found = wire::find_field(command.body, field);
  if (!found || !found->is_array()) return {};
  return found->as_document().value_or(wire::document_view{});
}

}  // namespace

batch_reader::batch_reader(const wire::command& command, std::string_view field) noexcept
    : array_(array_of(command, field)), sequence_({}) {
  for (const wire::document_sequence& sequence : command.sequences) {
    if (sequence.identifier != field) continue;
    sequence_ = wire::sequence_reader{sequence.documents};
    is_sequence_ = true;
  }
}

bool batch_reader::next(wire::document_view& document) noexcept {
  if (is_sequence_) {
    if (sequence_.next(document)) return true;
    corrupt_ = sequence_.is_corrupt();
    return false;
  }
  wire::element member;
  if (!array_.next(member)) {
    corrupt_ = array_.is_corrupt();
    return false;
  }
  const auto inner = member.is_document() ? member.as_document() : std::nullopt;
  if (!inner) {
    corrupt_ = true;
    return false;
  }
  document = *inner;
  return true;
}

}  // namespace scattergate::routing
