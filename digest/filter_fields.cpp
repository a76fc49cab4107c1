#include "digest/filter_fields.hpp"

#include <algorithm>
#include <string_view>

#include <boost/json.hpp>
#include <boost/system/error_code.hpp>

#include "routing/command_kind.hpp"
#include "routing/shape/shape.hpp"
#include "routing/stages/stage.hpp"

namespace scattergate::digest {
namespace {

namespace json = boost::json;

/// The field name that marks where a shape was truncated.
constexpr std::string_view cut_mark = "...";

/// Collects the field names of one shape. Recursion is bounded by the JSON parser's depth
/// limit.
class field_list {
 public:
  [[nodiscard]] std::vector<std::string> take() { return std::move(names_); }

  /// Adds the fields in a command's arguments.
  void add_command(const json::object& shape) {
    for (const json::key_value_pair& each : shape) {
      if (routing::is_filter_field(each.key())) {
        add_filter(each.value(), {});
      } else if (each.key() == "pipeline") {
        add_pipeline(each.value());
      } else if (routing::is_statement_list(each.key())) {
        add_statements(each.value());
      }
    }
  }

 private:
  void add_filter(const json::value& filter, const std::string& prefix) {
    if (!filter.is_object()) return;
    for (const json::key_value_pair& each : filter.get_object()) {
      const std::string_view name = each.key();
      if (name == "$and" || name == "$or" || name == "$nor") {
        add_branches(each.value(), prefix);
      } else if (name == "$expr") {
        add_expression(each.value());
      } else if (!name.starts_with('$') && name != cut_mark) {
        add(prefix + std::string{name});
        add_predicate(each.value(), prefix + std::string{name});
      }
    }
  }

  void add_branches(const json::value& list, const std::string& prefix) {
    if (!list.is_array()) return;
    for (const json::value& each : list.get_array()) add_filter(each, prefix);
  }

  /// Adds the fields in a filter's condition on the field `path`. Fields of array elements
  /// become paths below `path`.
  void add_predicate(const json::value& predicate, const std::string& path) {
    if (!predicate.is_object()) return;
    for (const json::key_value_pair& each : predicate.get_object()) {
      if (each.key() == "$elemMatch") add_filter(each.value(), path + ".");
      if (each.key() == "$not") add_predicate(each.value(), path);
    }
  }

  /// Adds the fields in an expression: "$a.b" is a field, "$$NOW" a variable.
  void add_expression(const json::value& part) {
    if (part.is_string()) {
      const std::string_view text = part.get_string();
      if (text.size() > 1 && text[0] == '$' && text[1] != '$') add(std::string{text.substr(1)});
    } else if (part.is_array()) {
      for (const json::value& each : part.get_array()) add_expression(each);
    } else if (part.is_object()) {
      for (const json::key_value_pair& each : part.get_object()) add_expression(each.value());
    }
  }

  void add_pipeline(const json::value& stages) {
    if (!stages.is_array()) return;
    for (const json::value& each : stages.get_array()) {
      const auto* const stage = each.if_object();
      if (stage == nullptr || stage->empty()) return;
      const auto& [name, argument] = *stage->begin();
      if (routing::stage_of(name).shape != routing::form::filter) return;
      add_filter(argument, {});
    }
  }

  /// Adds the fields in the filters of a batch's statements or of a bulkWrite's operations.
  void add_statements(const json::value& list) {
    if (!list.is_array()) return;
    for (const json::value& each : list.get_array()) {
      if (!each.is_object()) continue;
      for (const json::key_value_pair& part : each.get_object()) {
        if (routing::is_filter_field(part.key())) add_filter(part.value(), {});
      }
    }
  }

  /// Adds a path, unless the list has it already. All paths together have at most
  /// routing::max_shape_bytes.
  void add(std::string name) {
    if (names_.size() == max_filter_fields) return;
    if (bytes_ + name.size() > routing::max_shape_bytes) return;
    if (std::ranges::find(names_, name) != names_.end()) return;
    bytes_ += name.size();
    names_.push_back(std::move(name));
  }

  std::vector<std::string> names_;
  std::size_t bytes_ = 0;
};

}  // namespace

std::vector<std::string> filter_fields(const row& of) {
  boost::system::error_code failed;
  const json::value shape = json::parse(of.what.shape_json, failed);
  const auto* const arguments = failed ? nullptr : shape.if_object();
  if (arguments == nullptr) return {};
  field_list fields;
  const bool is_explain =
      routing::kind_of(of.command) == routing::command_kind::explain && arguments->size() == 1;
  const auto* const inner = is_explain ? arguments->begin()->value().if_object() : nullptr;
  fields.add_command(inner != nullptr ? *inner : *arguments);
  return fields.take();
}

}  // namespace scattergate::digest
