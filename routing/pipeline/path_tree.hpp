#pragma once

#include <optional>
#include <string_view>

#include "routing/bounds/match_path.hpp"
#include "routing/bounds/name_table.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// A stage's statement about a path.
struct path_mention {
  path_relation relation = path_relation::apart;  ///< of the path that the stage names to the
                                                  ///< one in question
  wire::element value;                            ///< the value there
  std::string_view rest;   ///< for `above`: the part of the path below the named one
  bool is_nested = false;  ///< the named path, which is `same` or `above`, has several parts
};

/// An index of the paths that a stage names, dotted or as nested documents, for fast lookups.
/// Thread-safety: as for the scratch memory.
class path_tree {
 public:
  /// Adds the fields of a $project or $addFields; false if there isn't enough memory.
  [[nodiscard]] bool take_fields(wire::document_view fields, scratch& memory) noexcept;

  /// Adds a list of paths, as in $unset; false if there isn't enough memory.
  [[nodiscard]] bool take_list(wire::document_view paths, scratch& memory) noexcept;

  /// Whether any path has several parts.
  [[nodiscard]] bool has_nested() const noexcept { return has_nested_; }

  /// The first mention of `path`, or of a path above or below it.
  [[nodiscard]] path_mention first_about(std::string_view path,
                                         wire::work_budget& work) const noexcept;

 private:
  /// A part of a path, with indexes of mentions; `never`: none.
  struct node {
    std::uint32_t own;    ///< the first mention of exactly this path
    std::uint32_t below;  ///< the first mention of a path below it
  };
  static constexpr std::uint32_t never = ~std::uint32_t{0};

  [[nodiscard]] bool open(std::size_t parts, std::size_t mentions, scratch& memory) noexcept;
  [[nodiscard]] bool insert_all(wire::document_view fields, name_table::id below,
                                std::uint32_t depth, wire::work_budget& work) noexcept;
  [[nodiscard]] name_table::id part_at(name_table::id below, std::string_view path,
                                       wire::work_budget& work) noexcept;
  void mention(name_table::id part, const wire::element& value) noexcept;

  name_table names_;
  std::span<node> nodes_;  // by name id - 1
  std::span<wire::element> mentions_;
  std::uint32_t count_ = 0;
  bool has_nested_ = false;
};

/// The nested fields in a value of a $project or $addFields; std::nullopt if the value is an
/// expression.
[[nodiscard]] std::optional<wire::document_view> nested_fields(
    const wire::element& value) noexcept;

}  // namespace scattergate::routing
