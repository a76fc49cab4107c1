#include "telemetry/log/log_attributes.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include <spdlog/fmt/fmt.h>

#include "text/json_text.hpp"
#include "text/utf8.hpp"

namespace scattergate::telemetry::log {
namespace {

using text::append_json_string;

constexpr std::size_t max_attributes_bytes = 10 * 1024;

/// Numbers as relaxed Extended JSON has them.
void append_double(std::string& to, double number) {
  if (std::isfinite(number)) {
    fmt::format_to(std::back_inserter(to), "{}", number);
    return;
  }
  const std::string_view name = std::isnan(number) ? "NaN"
                                : number > 0       ? "Infinity"
                                                   : "-Infinity";
  fmt::format_to(std::back_inserter(to), R"({{"$numberDouble":"{}"}})", name);
}

/// Collects the attributes of one line.
class attribute_writer {
 public:
  void append(std::string_view name, const value& value) {
    if (std::holds_alternative<std::monostate>(value)) return;
    if (!attributes_.empty()) attributes_ += ',';
    text::append_json_string(attributes_, name);
    attributes_ += ':';
    std::visit([&](const auto& each) { append_value(name, each); }, value);
  }

  void write_to(std::string& line) const {
    line += R"(,"attr":{)" + attributes_ + '}';
    if (!truncated_.empty()) {
      line += R"(,"truncated":{)" + truncated_ + R"(},"size":{)" + sizes_ + '}';
    }
  }

 private:
  void append_value(std::string_view name, const std::string& text) {
    const std::size_t used = std::min(attributes_.size(), max_attributes_bytes);
    const std::string_view kept = text::cut_utf8(text, max_attributes_bytes - used);
    text::append_json_string(attributes_, kept);
    if (kept.size() == text.size()) return;
    if (!truncated_.empty()) {
      truncated_ += ',';
      sizes_ += ',';
    }
    text::append_json_string(truncated_, name);
    text::append_json_string(sizes_, name);
    fmt::format_to(std::back_inserter(truncated_), R"(:{{"type":"string","size":{}}})",
                   text.size());
    fmt::format_to(std::back_inserter(sizes_), ":{}", text.size());
  }
  void append_value(std::string_view /*name*/, std::int64_t number) {
    attributes_ += std::to_string(number);
  }
  void append_value(std::string_view /*name*/, double number) {
    append_double(attributes_, number);
  }
  void append_value(std::string_view /*name*/, bool flag) {
    attributes_ += flag ? "true" : "false";
  }
  void append_value(std::string_view name, const std::vector<std::string>& texts) {
    attributes_ += '[';
    for (const std::string& one : texts) {
      if (&one != &texts.front()) attributes_ += ',';
      append_value(name, one);
    }
    attributes_ += ']';
  }
  void append_value(std::string_view /*name*/, std::monostate /*none*/) {}

  std::string attributes_;
  std::string truncated_;
  std::string sizes_;
};

}  // namespace

void append_attributes(std::string& line, attributes with) {
  if (with.size() == 0) return;
  attribute_writer writer;
  for (const auto& [name, each] : with) writer.append(name, each);
  writer.write_to(line);
}

}  // namespace scattergate::telemetry::log
