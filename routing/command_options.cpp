#include "routing/command_options.hpp"

namespace scattergate::routing {

using wire::element;

command_options command_options::of(const wire::command& command) noexcept {
  command_options found;
  wire::document_reader reader{command.body};
  for (element field; reader.next(field);) {
    const std::string_view name = field.key();
    // By the first letter, so that most fields cost one comparison.
    switch (name.empty() ? '\0' : name.front()) {
      case 'a':
        // Only a transaction sends it, and always as false.
        if (name == "autocommit") found.in_transaction = !field.is_truthy();
        break;
      case 'c':
        if (name == "collation") found.collation = field;
        break;
      case 'f':
        if (name == "filter") found.filter = field;
        break;
      case 'l':
        if (name == "let" && field.is_document()) found.let = field.as_document();
        break;
      case 'o':
        if (name == "out") found.out = field;
        break;
      case 'p':
        if (name == "pipeline") found.pipeline = field;
        break;
      case 'q':
        if (name == "query") found.filter = field;
        break;
      case 'r':
        if (name == "remove") found.remove = field.is_truthy();
        break;
      case 't':
        if (name == "txnNumber") found.has_txn_number = true;
        break;
      case 'u':
        if (name == "update" && !field.is_string()) found.update = field;
        if (name == "upsert") found.upsert = field.is_truthy();
        break;
      default:
        break;
    }
  }
  return found;
}

wire::document_view command_options::filter_document() const noexcept {
  const auto inner = filter && filter->is_document() ? filter->as_document() : std::nullopt;
  return inner.value_or(wire::document_view{});
}

}  // namespace scattergate::routing
