#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "digest/sketch/statement_values.hpp"
#include "wire/bson.hpp"
#include "wire/command.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::digest {

/// One statement of a command: its filter, or a document that it inserts. A view.
struct statement {
  wire::namespace_view in;
  wire::document_view document;
  bool is_insert = false;
};

class statement_taker {
 public:
  virtual void on_statement(const statement& one) = 0;

 protected:
  ~statement_taker() = default;
};

/// Hands out the statements of a command that is routed by filters or documents: of a batch
/// each, of an aggregation the $match at its head, one without a filter where there is none.
/// Nothing of other commands, nor of databases that are MongoDB's own. Reads at most
/// `most_bytes` of a batch: whether that was all of it.
bool for_each_statement(const wire::command& command, std::size_t most_bytes,
                        statement_taker& to);

/// The fields of a collection of which values are kept.
class sketched_fields {
 public:
  static constexpr std::size_t none = SIZE_MAX;

  [[nodiscard]] virtual std::size_t size() const noexcept = 0;
  [[nodiscard]] virtual std::string_view path(std::size_t place) const noexcept = 0;
  /// The place of a field that a filter gives, taken now where there is one; else none.
  [[nodiscard]] virtual std::size_t take(std::string_view path) = 0;

 protected:
  ~sketched_fields() = default;
};

/// Where a statement has the values of these fields. Views.
struct found_values {
  struct value {
    wire::element is;
    const std::byte* top = nullptr;  ///< the top-level field's value: this, or around it
  };
  field_bits given = 0;
  bool is_insert = false;
  std::uint16_t refused = 0;  ///< values of fields without a place
  std::array<value, most_sketched_fields> at;
};

/// Of a filter: the fields that it gives one value by equality ({a: 1}, {a: {$eq: 1}}, {a:
/// {$in: [1]}}, also below $and). Of a document: all fields that have a place, as null where it
/// doesn't have them.
[[nodiscard]] found_values find_values(const statement& of, sketched_fields& fields);

/// The value at a dotted path; an empty path: the value itself. Of type null where there is
/// none.
[[nodiscard]] wire::element value_at(const wire::element& top, std::string_view path) noexcept;

/// Their hashes.
[[nodiscard]] statement_values hashed(const found_values& found, const salt& by) noexcept;
/// The same of one value, at a place.
void hash_into(statement_values& to, std::size_t place, const wire::element& value,
               const salt& by) noexcept;

}  // namespace scattergate::digest
