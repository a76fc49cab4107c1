#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "wire/bson.hpp"
#include "wire/bson_writer.hpp"

namespace scattergate::digest {

/// The origin of a shape: MongoDB ($queryStats) or scattergate (docs/shapes.md).
enum class shape_source : std::uint8_t { server, scattergate };

/// Writes a shape as BSON, with made-up values in place of the placeholders. The values are
/// chosen so that the verdict never has fewer shards than any command with this shape would
/// ask; command_of_shape() lists the rules. The functions return false if no value can be made
/// up or if the nesting is too deep; the output is then invalid.
class shape_values {
 public:
  /// Writes to `to`, which must outlive this object. `who`: the origin of the shapes.
  shape_values(wire::bson_writer& to, shape_source who) : to_(to), source_(who) {}

  /// Writes one field of the shape.
  [[nodiscard]] bool fill_field(const wire::element& field) { return fill_field(field, {}, 0); }

  /// Writes a filter as the field `name`.
  [[nodiscard]] bool fill_filter(std::string_view name, wire::document_view shape) {
    return fill_filter(name, shape, 0);
  }

 private:
  /// How a filter uses a value.
  struct use {
    enum class size : std::uint8_t { low, middle, high };

    size of = size::middle;  ///< a lower bound is low and an upper bound is high, so that a
                             ///< value can match both
    bool is_negated = false;
    std::int32_t branch = 0;  ///< number of the $or branch, counted over all $or
    std::string_view field;

    [[nodiscard]] use turned() const noexcept;
  };

  /// The value, or the list of values, that a filter or an enclosing filter requires of a
  /// field. Values in the branches of an $or must not contradict it.
  struct pin {
    std::int32_t rank = 0;
    bool is_list = false;
  };
  using pinned_fields = std::vector<std::string>;
  [[nodiscard]] static use inside(std::string_view name, use outside);

  [[nodiscard]] std::int32_t rank_of(const use& purpose) const;
  [[nodiscard]] pinned_fields pin_all(wire::document_view filter, std::int32_t branch);
  void find_pins(wire::document_view filter, int level, std::map<std::string, bool>& found);
  static void find_pin(const wire::element& field, std::map<std::string, bool>& found);

  /// Writes conditions that hold together: a filter, or a branch of an $or.
  [[nodiscard]] bool fill_conjunction(wire::document_view filter, use purpose, int level);
  [[nodiscard]] bool fill(wire::document_view shape, use purpose, int level);
  [[nodiscard]] bool fill_field(const wire::element& field, use purpose, int level);
  [[nodiscard]] bool fill_filter(std::string_view name, wire::document_view shape, int level);
  [[nodiscard]] bool fill_plain(std::string_view name, wire::document_view filter, int level);
  [[nodiscard]] bool fill_list(std::string_view name, wire::document_view list, use purpose,
                               int level);
  [[nodiscard]] bool fill_projection(std::string_view name, wire::document_view shape,
                                     int level);
  [[nodiscard]] bool fill_value(const wire::element& field, use purpose);
  [[nodiscard]] bool write(std::string_view name, std::string_view type, use purpose);
  [[nodiscard]] bool write_mixed(std::int32_t rank);
  [[nodiscard]] bool write_list(std::string_view name, std::string_view type, use purpose);
  [[nodiscard]] bool write_one(std::string_view name, std::string_view type, use purpose,
                               std::int32_t rank);

  wire::bson_writer& to_;
  shape_source source_;
  std::int32_t branches_ = 0;
  std::map<std::string, std::vector<pin>, std::less<>> pins_;  ///< by field; the innermost
                                                               ///< filter's last
};

}  // namespace scattergate::digest
