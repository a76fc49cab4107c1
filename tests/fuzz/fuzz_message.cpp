#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tests/fuzz/require.hpp"
#include "wire/command.hpp"
#include "wire/limits.hpp"
#include "wire/trace_context.hpp"

/// Anything that a client sends is parsed or refused; what was parsed lies within the message
/// and means what the headers of wire say. The input is one message, header included.
namespace {

using scattergate::fuzz::require;
using namespace scattergate::wire;

void require_within(std::span<const std::byte> part, std::span<const std::byte> whole) {
  require(part.data() >= whole.data());
  require(part.data() + part.size() <= whole.data() + whole.size());
}

void look_at(const element& field, std::span<const std::byte> whole) {
  require_within(field.value(), whole);
  require_within(std::as_bytes(std::span{field.key()}), whole);
  require(field.key().find('\0') == std::string_view::npos);
  if (const auto text = field.as_string(); !text.empty()) {
    require_within(std::as_bytes(std::span{text}), field.value());
  }
  require(!field.as_int64() || field.is_number());
  const bool is_nothing =
      field.type() == bson_type::null || field.type() == bson_type::undefined;
  require(!field.is_truthy() || !is_nothing);
}

/// All levels of a document, as far as the budget permits.
void walk(document_view top, std::span<const std::byte> whole) {
  inspect_budget budget;
  std::vector<document_reader> levels{document_reader{top}};
  while (!levels.empty()) {
    element field;
    if (!levels.back().next(field)) {
      levels.pop_back();
      if (!levels.empty()) budget.leave();
      continue;
    }
    look_at(field, whole);
    if (!budget.spend_node()) return;
    const auto inner = field.as_container();
    require(inner.has_value() == (field.is_document() || field.is_array()));
    if (inner && budget.enter()) levels.emplace_back(*inner);
  }
}

/// The slow check that no two of the command's names are equal.
void require_distinct_names(const command& found) {
  std::vector<std::string_view> names;
  document_reader reader{found.body};
  for (element field; reader.next(field);) names.push_back(field.key());
  require(!reader.is_corrupt());
  for (const document_sequence& sequence : found.sequences) {
    names.push_back(sequence.identifier);
  }
  std::erase_if(names, [](std::string_view name) {
    return name.size() > limits::command_field_name_bytes;
  });
  require(names.size() <= limits::command_fields);
  std::sort(names.begin(), names.end());
  require(std::adjacent_find(names.begin(), names.end()) == names.end());
}

void look_at(const command& found, std::span<const std::byte> whole) {
  require(found.name == found.first.key());
  require(count_fields(found.body).has_value());
  require(find_field(found.body, found.name).has_value());
  require_distinct_names(found);
  walk(found.body, whole);
  for (const document_sequence& sequence : found.sequences) {
    sequence_reader reader{sequence.documents};
    for (document_view each; reader.next(each);) walk(each, whole);
  }
}

void look_at(const op_msg& message, std::span<const std::byte> whole) {
  walk(message.body, whole);
  if (message.telemetry.empty()) return require(message.traceparent.empty());
  const auto telemetry = document_view::from(message.telemetry);
  require(telemetry.has_value());
  walk(*telemetry, whole);
  require(message.traceparent.empty() || is_traceparent(message.traceparent));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto whole = std::as_bytes(std::span{data, size});
  if (size < limits::header_bytes) return 0;
  const auto header = parse_header(whole.first<limits::header_bytes>());
  if (!header) return 0;

  if (const auto found = parse_command(*header, whole)) look_at(*found, whole);
  if (const auto message = parse_op_msg(*header, whole)) look_at(*message, whole);
  if (const auto reply = parse_op_reply(*header, whole)) {
    sequence_reader reader{reply->documents};
    for (document_view each; reader.next(each);) walk(each, whole);
  }
  return 0;
}
