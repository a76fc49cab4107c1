#pragma once

#include <optional>
#include <string_view>

#include "routing/bounds/match_path.hpp"
#include "routing/bounds/name_table.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// What a stage says of a path.
struct path_mention {
  path_relation relation = path_relation::apart;  ///< of what is named to the path
  wire::element value;                            ///< what stands there
  std::string_view rest;                          ///< the path's part below an `above`
};

/// The paths that a stage names, dotted or by nested documents, so that many can be asked
/// about without reading the stage again for each.
/// Thread-safety: as the scratch.
class path_tree {
 public:
  /// Takes the fields of a $project or $addFields; false where there is no room for them.
  [[nodiscard]] bool take_fields(wire::document_view fields, scratch& memory) noexcept;

  /// Takes a list of paths: that of a $unset.
  [[nodiscard]] bool take_list(wire::document_view paths, scratch& memory) noexcept;

  /// Whether any path has several parts.
  [[nodiscard]] bool has_nested() const noexcept { return has_nested_; }

  /// What the first field says that has to do with `path`.
  [[nodiscard]] path_mention first_about(std::string_view path,
                                         wire::work_budget& work) const noexcept;

 private:
  /// A part of a path, as numbers of mentions; `never` where there is none.
  struct node {
    std::uint32_t own;    ///< the first of exactly this path
    std::uint32_t below;  ///< the first of a path below it
  };
  static constexpr std::uint32_t never = ~std::uint32_t{0};

  [[nodiscard]] bool open(std::size_t parts, std::size_t mentions, scratch& memory) noexcept;
  [[nodiscard]] bool insert_all(wire::document_view fields, name_table::id below,
                                std::uint32_t depth, wire::work_budget& work) noexcept;
  [[nodiscard]] name_table::id part_at(name_table::id below, std::string_view path,
                                       wire::work_budget& work) noexcept;
  void mention(name_table::id part, const wire::element& value) noexcept;

  name_table names_;
  std::span<node> nodes_;  // by the names' numbers, less one
  std::span<wire::element> mentions_;
  std::uint32_t count_ = 0;
  bool has_nested_ = false;
};

/// A document that holds further fields of a $project or $addFields, not an expression.
[[nodiscard]] std::optional<wire::document_view> nested_fields(
    const wire::element& value) noexcept;

}  // namespace scattergate::routing
