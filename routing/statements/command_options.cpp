#include "routing/statements/command_options.hpp"

#include "routing/bounds/argument_types.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

using wire::element;

void command_options::read(const wire::command& command, std::string_view filter_name,
                           wire::work_budget& work) noexcept {
  wire::metered_reader reader{command.body, work};
  for (element field; reader.next(field);) {
    const std::string_view name = field.key();
    // Switches on the first letter, so that most fields cost one comparison.
    switch (name.empty() ? '\0' : name.front()) {
      case 'a':
        // Clients send it only in transactions, and always as false.
        if (name == "autocommit") {
          in_transaction = is_given(argument::autocommit, field) && !field.is_truthy();
        }
        break;
      case 'c':
        if (name == "collation") collation = field;
        break;
      case 'f':
        if (name == filter_name) filter = field;
        break;
      case 'l':
        if (name == "let" && field.is_document()) let = field.as_document();
        if (name == "limit")
          has_negative_limit = integer_of(argument::limit, field).value_or(0) < 0;
        break;
      case 'o':
        if (name == "out") out = field;
        if (name == "ordered") {
          ordered = !is_given(argument::ordered, field) || field.is_truthy();
        }
        break;
      case 'p':
        if (name == "pipeline") pipeline = field;
        break;
      case 'q':
        if (name == filter_name) filter = field;
        break;
      case 'r':
        if (name == "remove") remove = field.is_truthy();
        if (name == "rawData") {
          names_raw_data = true;
          raw_data = is_given(argument::raw_data, field) && field.is_truthy();
        }
        break;
      case 's':
        if (name == "sort") has_sort = is_given(argument::sort, field);
        if (name == "skip")
          has_negative_skip = integer_of(argument::skip, field).value_or(0) < 0;
        break;
      case 't':
        if (name == "txnNumber") has_txn_number = true;
        break;
      case 'u':
        if (name == "update" && !field.is_string()) update = field;
        if (name == "upsert") upsert = field.is_truthy();
        break;
      default:
        break;
    }
  }
}

wire::document_view command_options::filter_document() const noexcept {
  const auto inner = filter ? filter->as_document() : std::nullopt;
  return inner.value_or(wire::document_view{});
}

}  // namespace scattergate::routing
