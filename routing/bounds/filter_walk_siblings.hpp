#pragma once

#include <optional>
#include <utility>

#include "routing/bounds/filter_walk.hpp"

namespace scattergate::routing {

/// The operators on one path, such as {$regex: "^x", $options: "i"}. Combines a `$regex` with
/// the `$options` next to it. Reads the operators only once, on the first call of a function.
/// Thread-safety: one thread at a time.
class filter_walk::siblings {
 public:
  /// `work`: the work budget that pays for reading the operators; must outlive this object.
  siblings(wire::document_view operators, wire::work_budget& work) noexcept
      : operators_(operators), work_(work) {}

  /// Whether there is a `$regex` among the operators.
  [[nodiscard]] bool have_regex() noexcept {
    read();
    return has_regex_;
  }

  /// The regular expression of the `$regex` given as `operand`, with the options of the
  /// `$options` next to it. std::nullopt if mongos rejects one of them.
  [[nodiscard]] std::optional<regex_parts> regex_of_operand(
      const wire::element& operand) noexcept {
    regex_parts regex;
    if (operand.type() == wire::bson_type::regex) {
      const auto parts = regex_of(operand);
      if (!parts) return std::nullopt;
      regex = *parts;
    } else if (operand.is_string()) {
      regex.pattern = operand.as_string();
    } else {
      return std::nullopt;
    }
    read();
    if (options_) {
      if (!options_->is_string()) return std::nullopt;
      regex.options = options_->as_string();
    }
    return regex;
  }

 private:
  void read() noexcept {
    if (std::exchange(is_read_, true)) return;
    wire::metered_reader reader{operators_, work_};
    for (wire::element one; reader.next(one);) {
      has_regex_ |= one.key() == "$regex";
      if (!options_ && one.key() == "$options") options_ = one;
    }
  }

  wire::document_view operators_;
  wire::work_budget& work_;
  std::optional<wire::element> options_;
  bool has_regex_ = false;
  bool is_read_ = false;
};

}  // namespace scattergate::routing
