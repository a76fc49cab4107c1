#include "routing/bounds/constants/constant_folding.hpp"

#include "routing/bounds/constants/constant_values.hpp"
#include "routing/bounds/constants/folding_functions.hpp"
#include "routing/bounds/document_path.hpp"

namespace scattergate::routing {
namespace {

using wire::bson_type;
using wire::document_view;
using wire::element;

/// The cost of an expression in addition to reading it, in units of wire::work_budget.
constexpr std::size_t expression_units = 20;

/// The maximum number of variables of nested $lets. An expression with more isn't evaluated.
constexpr std::size_t most_variables = 32;

/// The maximum size of a variable's value that is a document or array, in bytes, because it is
/// read again for each reference. Larger ones aren't evaluated.
constexpr std::size_t most_variable_bytes = 512;

/// The first versions that evaluate $$NOW before targeting, and that replace the variables of a
/// $let by their values.
constexpr server_version knows_now{5, 1};  // a real 5.0 asks all shards
constexpr server_version inlines_let{8, 1};

/// Whether an operator computes a date from a date and other constants.
bool is_date_function(std::string_view name) noexcept {
  return name == "$dateAdd" || name == "$dateSubtract" || name == "$dateTrunc";
}

/// Whether a value is a date, or has a type that date operators accept as one.
bool acts_as_date(const folded& one) noexcept {
  const bson_type type = one.value.type();
  return one.is == folded::kind::some_date ||
         (one.is_constant() && (type == bson_type::date || type == bson_type::timestamp ||
                                type == bson_type::object_id));
}

}  // namespace

folded constant_folding::fold(const element& expression) noexcept {
  if (expression.is_string() && expression.as_string().starts_with('$')) {
    const std::string_view text = expression.as_string();
    return text.starts_with("$$") ? variable(text.substr(2)) : folded{};
  }
  if (!expression.as_container()) return folded::constant(expression);
  memory_.work().charge(expression_units);
  if (memory_.work().is_low() || !depth_.enter()) return {};
  const folded found = expression.is_array() ? members(*expression.as_array(), true)
                                             : of_document(*expression.as_document());
  depth_.leave();
  return found;
}

folded constant_folding::of_document(document_view document) noexcept {
  wire::document_reader reader{document};
  element only;
  if (!reader.next(only)) return members(document, false);
  if (!only.key().starts_with('$')) return members(document, false);
  if (element second; reader.next(second) || reader.is_corrupt()) return {};
  if (only.key() == "$literal" || only.key() == "$const") return folded::constant(only);
  if (only.key() == "$let") {
    folded found;
    (void)within_let(only, [&](const element& in) { found = fold(in); });
    return found;
  }
  if (is_date_function(only.key())) return of_date(only);
  return of_call(only);
}

folded constant_folding::of_call(const element& call) noexcept {
  const auto list = call.as_array();
  if (!list) {
    const folded operand = fold(call);
    const bool is_known =
        operand.is != folded::kind::unknown && operand.is != folded::kind::varying;
    return is_known ? apply(call.key(), {&operand, 1}, memory_) : folded{};
  }
  std::span<folded> values;
  std::span<element> names;
  if (!fold_all(*list, values, names)) return {};
  return apply(call.key(), values, memory_);
}

/// Evaluates a document or array whose members are expressions.
folded constant_folding::members(document_view from, bool is_array) noexcept {
  std::span<folded> values;
  std::span<element> names;
  if (!fold_all(from, values, names)) return {};
  return composed(names, values, is_array, memory_);
}

/// Evaluates all members; false if one isn't constant.
bool constant_folding::fold_all(document_view from, std::span<folded>& values,
                                std::span<element>& names) noexcept {
  wire::work_budget& work = memory_.work();
  const auto count = wire::count_fields(from, work);
  if (!count) return false;
  values = memory_.allocate<folded>(*count);
  names = memory_.allocate<element>(*count);
  if (values.size() != *count || names.size() != *count) return false;
  wire::metered_reader reader{from, work};
  std::size_t i = 0;
  for (; i < *count && reader.next(names[i]); ++i) {
    values[i] = fold(names[i]);
    if (values[i].is == folded::kind::unknown || values[i].is == folded::kind::varying) {
      return false;
    }
  }
  return i == *count;
}

/// Evaluates a date operator. The result is a date of unknown value, because it depends on
/// calendars and time zones.
folded constant_folding::of_date(const element& call) noexcept {
  const auto arguments = call.as_document();
  std::span<folded> values;
  std::span<element> names;
  if (!arguments || !fold_all(*arguments, values, names)) return {};
  bool has_date = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool is_null = values[i].is != folded::kind::some_date && is_nullish(values[i]);
    if (is_null) return {};  // the result is null, not a date
    const bool is_the_date = names[i].key() == "startDate" || names[i].key() == "date";
    has_date |= is_the_date && acts_as_date(values[i]);
  }
  return has_date ? folded{folded::kind::some_date, {}} : folded{};
}

/// Evaluates the variables of a $let into `inner`, and returns its `in`. std::nullopt if a
/// variable isn't constant.
std::optional<element> constant_folding::enter_let(const element& call, scope& inner) noexcept {
  const auto arguments = call.as_document();
  if (call.key() != "$let" || !arguments || version_ < inlines_let) return std::nullopt;
  const auto vars = wire::find_field(*arguments, "vars", memory_.work());
  const auto in = wire::find_field(*arguments, "in", memory_.work());
  const auto bound = vars ? vars->as_document() : std::nullopt;
  if (!bound || !in) return std::nullopt;
  if (!fold_all(*bound, inner.values, inner.names)) return std::nullopt;
  inner.outer = scope_;
  inner.count = inner.names.size() + (scope_ != nullptr ? scope_->count : 0);
  return inner.count > most_variables ? std::nullopt : in;
}

folded constant_folding::variable(std::string_view name) noexcept {
  const std::size_t dot = name.find('.');
  const std::string_view first = name.substr(0, dot);
  folded found = named(first);
  if (dot == std::string_view::npos || !found.is_constant()) {
    const bool is_unknowable = found.is == folded::kind::some_date && dot != name.npos;
    return is_unknowable ? folded{} : found;
  }
  const auto inner = found.value.as_document();
  if (found.value.is_array() || found.value.value().size() > most_variable_bytes) return {};
  const auto value =
      inner ? find_path(*inner, name.substr(dot + 1), memory_.work()) : std::nullopt;
  if (value && value->is_array()) return {};
  return value ? folded::constant(*value) : folded{folded::kind::missing, {}};
}

folded constant_folding::named(std::string_view name) noexcept {
  wire::work_budget& work = memory_.work();
  for (const scope* each = scope_; each != nullptr; each = each->outer) {
    for (std::size_t i = 0; i < each->names.size(); ++i) {
      work.charge(1);
      if (each->names[i].key() == name) return each->values[i];
    }
  }
  if (name == "REMOVE") return {folded::kind::missing, {}};
  if (name == "NOW" && version_ >= knows_now) return {folded::kind::some_date, {}};
  const auto bound_to = let_ != nullptr ? let_->find(name, work) : std::nullopt;
  if (!bound_to) return {};
  if (!let_->are_constant()) return {folded::kind::varying, {}};
  const bool is_large = bound_to->value().size() > most_variable_bytes;
  if (is_large && bound_to->as_container()) return {};
  // The command's `let` defines a variable by an expression that can't use other variables of
  // it.
  constant_folding outside{nullptr, version_, memory_};
  outside.depth_ = depth_;
  return outside.fold(*bound_to);
}

}  // namespace scattergate::routing
