#include "report/sources/sample_line.hpp"

#include <algorithm>
#include <optional>

#include "config/text/extended_json.hpp"
#include "digest/placeholder.hpp"
#include "routing/command_kind.hpp"
#include "routing/shape/placeholder.hpp"
#include "wire/bson_writer.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::report {
namespace {

using wire::bson_writer;
using wire::document_view;
using wire::element;

/// Shapes have up to 20 levels; their pipelines and lists somewhat more.
constexpr std::uint32_t most_levels = 64;

text::problem cut() {
  return text::failure("its shape is truncated");
}

/// Makes a command from a shape.
class shape_filler {
 public:
  /// Writes a document's fields. A problem if some value can't be made up.
  [[nodiscard]] text::result<void> fill(document_view shape, bson_writer& to,
                                        std::uint32_t level) {
    if (level == most_levels) return text::failure("it is nested too deeply");
    wire::document_reader reader{shape};
    for (element field; reader.next(field);) {
      if (field.key() == "...") return cut();
      if (auto filled = fill_field(name_of(field.key()), field, to, level); !filled) {
        return filled;
      }
    }
    if (reader.is_corrupt()) return text::failure("its shape can't be read");
    return {};
  }

 private:
  text::result<void> fill_field(const std::string& name, const element& field, bson_writer& to,
                                std::uint32_t level) {
    const auto inner = field.as_container();
    if (inner) {
      field.is_array() ? to.open_array(name) : to.open_document(name);
      if (auto filled = fill(*inner, to, level + 1); !filled) return filled;
      to.close();
      return {};
    }
    if (!field.is_string() || !field.as_string().starts_with('?')) {
      if (field.is_string() && field.as_string() == "...") return cut();
      to.copy(name, field);
      return {};
    }
    return make_up(name, field.as_string(), to);
  }

  /// A dotted name, some of whose components may be placeholders for data.
  static std::string name_of(std::string_view shape) {
    std::string name;
    for (std::size_t begin = 0; begin <= shape.size();) {
      const std::size_t dot = std::min(shape.find('.', begin), shape.size());
      const std::string_view part = shape.substr(begin, dot - begin);
      if (begin != 0) name += '.';
      const auto* const known = routing::placeholder_named(part);
      name += known != nullptr && !known->in_a_name.empty() ? known->in_a_name : part;
      begin = dot + 1;
    }
    return name;
  }

  text::result<void> make_up(const std::string& name, std::string_view type, bson_writer& to) {
    constexpr std::string_view array = routing::placeholder_list;
    if (name == "$type") {
      to.text(name, "string");
    } else if (name == "$options") {
      to.text(name, "i");
    } else if (name == "$mod") {
      return write_list(name, "?number", to);
    } else if (type.starts_with(array) && type.ends_with('>')) {
      const std::string_view of = type.substr(array.size(), type.size() - array.size() - 1);
      return write_list(name, of.empty() ? std::string_view{"?number"} : of, to);
    } else {
      return write_scalar(name, type, to);
    }
    return {};
  }

  text::result<void> write_list(const std::string& name, std::string_view type,
                                bson_writer& to) {
    to.open_array(name);
    auto written = write_scalar("0", type, to);
    if (written) written = write_scalar("1", type, to);
    to.close();
    return written;
  }

  text::result<void> write_scalar(const std::string& name, std::string_view type,
                                  bson_writer& to) {
    if (digest::write_placeholder(name, type, ++next_, to)) return {};
    return text::failure("no value of the type " + std::string{type.substr(1)} +
                         " can be made up");
  }

  std::int32_t next_ = 0;
};

/// Shapes omit a statement's empty filter, which a command needs.
void add_filter_where_missing(document_view shape, const routing::command_facts& of,
                              std::vector<std::byte>& to) {
  const bool has_statements = of.holds == routing::batch_items::statements;
  bson_writer made;
  wire::document_reader reader{shape};
  for (element field; reader.next(field);) {
    const auto statements =
        has_statements && field.key() == of.batch ? field.as_container() : std::nullopt;
    if (!statements) {
      made.copy(field);
      continue;
    }
    made.open_array(of.batch);
    wire::document_reader inside{*statements};
    for (element one; inside.next(one);) {
      const auto statement = one.as_container();
      if (!statement || wire::find_field(*statement, of.filter)) {
        made.copy(one);
        continue;
      }
      made.open_document(one.key());
      made.document(of.filter, document_view{});
      wire::document_reader parts{*statement};
      for (element part; parts.next(part);) made.copy(part);
      made.close();
    }
    made.close();
  }
  to = made.take();
}

std::string text_in(document_view document, std::string_view name) {
  const auto field = wire::find_field(document, name);
  return field ? std::string{field->as_string()} : std::string{};
}

text::result<std::vector<std::byte>> make_up(document_view line, const std::string& ns) {
  const std::string name = text_in(line, "command");
  const auto field = wire::find_field(line, "shape");
  const auto shape = field ? field->as_document() : std::nullopt;
  const auto on = wire::namespace_view::of(ns);
  if (!shape || name.empty() || !on) return text::failure("the line is not a sample");
  std::vector<std::byte> completed;
  const auto kind = routing::kind_of(name);
  add_filter_where_missing(*shape, routing::facts_of(kind), completed);
  bson_writer made;
  made.text(name, on->collection);
  const auto filled =
      shape_filler{}.fill(document_view::from(completed).value_or(document_view{}), made, 0);
  if (!filled) return filled.error();
  if (kind == routing::command_kind::aggregate && !wire::find_field(*shape, "pipeline")) {
    made.open_array("pipeline");
    made.close();
  }
  made.text("$db", on->database);
  return made.take();
}

}  // namespace

sampled_command read_sample(std::string_view line) {
  const auto read = config::bson_of_json(line);
  if (!read) return {{}, false, text::failure(read.error().what)};
  std::string shape_hash = text_in(read->view(), "shapeHash");
  const auto sample = wire::find_field(read->view(), "sample");
  const auto body = sample ? sample->as_container() : std::nullopt;
  if (!body) {
    return {std::move(shape_hash), true, make_up(read->view(), text_in(read->view(), "ns"))};
  }
  return {std::move(shape_hash), false,
          std::vector<std::byte>{body->bytes().begin(), body->bytes().end()}};
}

}  // namespace scattergate::report
