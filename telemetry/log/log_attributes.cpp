#include "telemetry/log/log_attributes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "text/utf8.hpp"

namespace scattergate::telemetry::log {
namespace {

using text::json_writer;

constexpr std::size_t max_attributes_bytes = 10 * 1024;

/// Appends a number as relaxed Extended JSON.
void append_double(json_writer& to, double number) {
  if (std::isfinite(number)) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    return to.raw({text.data(), static_cast<std::size_t>(end - text.data())});
  }
  to.object();
  to.text("$numberDouble", std::isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity");
  to.end();
}

/// Writes the attributes of one line.
class attribute_writer {
 public:
  attribute_writer() {
    attributes_.object();
    truncated_.object();
    sizes_.object();
  }

  void append(std::string_view name, const value& value) {
    if (std::holds_alternative<std::monostate>(value)) return;
    attributes_.name(name);
    std::visit([&](const auto& each) { append_value(name, each); }, value);
  }

  void write_to(json_writer& line) {
    attributes_.end();
    truncated_.end();
    sizes_.end();
    line.raw("attr", attributes_text_);
    if (!is_cut_) return;
    line.raw("truncated", truncated_text_);
    line.raw("size", sizes_text_);
  }

 private:
  void append_value(std::string_view name, const std::string& text) {
    const std::size_t used = std::min(attributes_text_.size() - 1, max_attributes_bytes);
    const std::string_view kept = text::cut_utf8(text, max_attributes_bytes - used);
    attributes_.text(kept);
    if (kept.size() == text.size()) return;
    is_cut_ = true;
    truncated_.object(name);
    truncated_.text("type", "string");
    truncated_.number("size", text.size());
    truncated_.end();
    sizes_.number(name, text.size());
  }
  void append_value(std::string_view /*name*/, std::int64_t number) {
    attributes_.number(number);
  }
  void append_value(std::string_view /*name*/, double number) {
    append_double(attributes_, number);
  }
  void append_value(std::string_view /*name*/, bool flag) { attributes_.flag(flag); }
  void append_value(std::string_view name, const std::vector<std::string>& texts) {
    attributes_.array();
    for (const std::string& one : texts) append_value(name, one);
    attributes_.end();
  }
  void append_value(std::string_view /*name*/, std::monostate /*none*/) {}

  std::string attributes_text_;
  std::string truncated_text_;
  std::string sizes_text_;
  json_writer attributes_{attributes_text_};
  json_writer truncated_{truncated_text_};
  json_writer sizes_{sizes_text_};
  bool is_cut_ = false;
};

}  // namespace

void append_attributes(json_writer& line, attributes with) {
  if (with.size() == 0) return;
  attribute_writer writer;
  for (const auto& [name, each] : with) writer.append(name, each);
  writer.write_to(line);
}

}  // namespace scattergate::telemetry::log
