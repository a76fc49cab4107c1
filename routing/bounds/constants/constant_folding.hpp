#pragma once

#include <span>

#include "routing/bounds/let_variables.hpp"
#include "routing/catalog/catalog.hpp"
#include "wire/metered_reader.hpp"

/// Constants of the aggregation language: what mongos makes of an expression that looks at no
/// document before it looks for shards (mongo: db/pipeline/expression.cpp, optimize()).
namespace scattergate::routing {

/// What an expression comes to.
struct folded {
  enum class kind : std::uint8_t {
    unknown,    ///< not constant, or not known to be
    constant,   ///< `value`
    missing,    ///< constant, and no value at all ($$REMOVE)
    varying,    ///< a variable that has another value for each document
    some_date,  ///< constant, but only the server knows which date
  } is = kind::unknown;
  wire::element value{};

  [[nodiscard]] static folded constant(const wire::element& value) noexcept {
    return {kind::constant, value};
  }
  [[nodiscard]] bool is_constant() const noexcept { return is == kind::constant; }
};

/// Evaluates expressions over literals. What it doesn't know for certain is `unknown`. Values
/// that are computed lie in the scratch. Recursion is bounded by the depth, all of it by the
/// work.
/// Thread-safety: as the scratch.
class constant_folding {
 public:
  /// `let` is null where there are no variables.
  constant_folding(const let_variables* let, server_version version, scratch& memory) noexcept
      : let_(let), version_(version), memory_(memory) {}

  [[nodiscard]] folded fold(const wire::element& expression) noexcept;

 private:
  /// The variables of one $let.
  struct scope {
    std::span<folded> values;
    std::span<wire::element> names;
    const scope* outer = nullptr;
    std::size_t count = 0;  ///< of variables, those outside included
  };
  [[nodiscard]] folded of_document(wire::document_view document) noexcept;
  [[nodiscard]] folded of_call(const wire::element& call) noexcept;
  [[nodiscard]] folded of_let(const wire::element& call) noexcept;
  [[nodiscard]] folded members(wire::document_view from, bool is_array) noexcept;
  bool fold_all(wire::document_view from, std::span<folded>& values,
                std::span<wire::element>& names) noexcept;
  [[nodiscard]] folded variable(std::string_view name) noexcept;
  [[nodiscard]] folded named(std::string_view name) noexcept;

  const let_variables* let_;
  const scope* scope_ = nullptr;
  server_version version_;
  scratch& memory_;
  wire::depth_guard depth_;
};

}  // namespace scattergate::routing
