#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/json_text.hpp"

namespace scattergate::digest {

/// Writes the members of one object, commas between them.
class object_writer {
 public:
  explicit object_writer(std::string& to) : to_(to) { to_ += '{'; }
  void end() { to_ += '}'; }

  void text(std::string_view name, std::string_view value) {
    head(name);
    text::append_json_string(to_, value);
  }
  void text_or_null(std::string_view name, std::string_view value) {
    value.empty() ? raw(name, "null") : text(name, value);
  }
  void raw(std::string_view name, std::string_view json) {
    head(name);
    to_ += json;
  }
  void raw_or_null(std::string_view name, std::string_view json) {
    raw(name, json.empty() ? std::string_view{"null"} : json);
  }
  void flag(std::string_view name, bool is_so) { raw(name, is_so ? "true" : "false"); }
  void number(std::string_view name, std::uint64_t value) { raw(name, std::to_string(value)); }
  void texts(std::string_view name, const std::vector<std::string>& values) {
    head(name);
    to_ += '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i != 0) to_ += ',';
      text::append_json_string(to_, values[i]);
    }
    to_ += ']';
  }
  void head(std::string_view name) {
    if (!is_first_) to_ += ',';
    is_first_ = false;
    text::append_json_string(to_, name);
    to_ += ':';
  }

 private:
  std::string& to_;
  bool is_first_ = true;
};

}  // namespace scattergate::digest
