#include "routing/pipeline/meta_names.hpp"

#include "wire/work_budget.hpp"

namespace scattergate::routing {
namespace {

using wire::document_view;
using wire::element;

/// The context of an element.
struct place {
  bool is_field = false;      ///< mongos treats its name as that of a field
  bool is_member = false;     ///< it is in a list
  bool is_of_filter = false;  ///< it is part of the filter itself, not of a value in the filter
};

bool combines_filters(std::string_view name) noexcept {
  return name == "$and" || name == "$or" || name == "$nor";
}

class name_reader {
 public:
  name_reader(std::string_view meta_field, wire::work_budget& work) noexcept
      : meta_field_(meta_field), work_(work) {}

  [[nodiscard]] meta_names found() const noexcept { return found_; }

  void fields_of(document_view inside, place of_each) noexcept {
    if (!depth_.enter()) return;  // mongos doesn't read anything nested so deeply
    wire::metered_reader reader{inside, work_};
    for (element one; found_ != meta_names::others && reader.next(one);) read(one, of_each);
    depth_.leave();
  }

 private:
  void read(const element& one, place at) noexcept {
    const std::string_view name = one.key();
    if (name == "$expr" || name == "$where") return refuse_unless(false);
    if (name == "$jsonSchema") return read_schema(one);
    if (at.is_field && !name.starts_with('$')) {
      refuse_unless(name.substr(0, name.find('.')) == meta_field_);
      if (!at.is_of_filter && found_ == meta_names::only) found_ = meta_names::in_values;
    }
    const auto inside = one.as_container();
    if (!inside) return;
    const bool is_filter = at.is_member && one.is_document();
    const bool stays_filter = at.is_of_filter && (is_filter || combines_filters(name));
    fields_of(*inside, {is_filter, one.is_array(), stays_filter});
  }

  /// Reads a $jsonSchema: {required: [field, ...], properties: {field: ..., ...}}.
  void read_schema(const element& schema) noexcept {
    const auto inside = schema.as_container().value_or(document_view{});
    for (const bool are_names : {false, true}) {
      const auto list = wire::find_field(inside, are_names ? "properties" : "required", work_);
      wire::metered_reader reader{
          list ? list->as_container().value_or(document_view{}) : document_view{}, work_};
      for (element one; reader.next(one);) {
        refuse_unless((are_names ? one.key() : one.as_string()) == meta_field_);
      }
    }
  }

  void refuse_unless(bool is_meta_field) noexcept {
    if (!is_meta_field) found_ = meta_names::others;
  }

  std::string_view meta_field_;
  wire::work_budget& work_;
  wire::depth_guard depth_;
  meta_names found_ = meta_names::only;
};

}  // namespace

meta_names meta_names_in(document_view filter, std::string_view meta_field,
                         wire::work_budget& work) noexcept {
  name_reader reader{meta_field, work};
  reader.fields_of(filter, {true, false, true});
  return reader.found();
}

}  // namespace scattergate::routing
