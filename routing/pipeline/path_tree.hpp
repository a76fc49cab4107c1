#pragma once

#include <optional>
#include <string_view>

#include "routing/bounds/match_path.hpp"
#include "routing/bounds/name_table.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// How a stage names the path that was looked up, or a path above or below it. In the stage
/// {$addFields: {a: "$x"}}, the path "a.b" has the mention `above`, "$x" and "b".
struct path_mention {
  path_relation relation = path_relation::unrelated;  ///< the position of the stage's path
                                                      ///< relative to the path looked up
  wire::element value;     ///< the value that the stage gives for its path
  std::string_view rest;   ///< if `above`: the part of the path looked up that is below the
                           ///< stage's path
  bool is_nested = false;  ///< if `same` or `above`: the stage's path has several components
};

/// An index of the paths that a stage names, as dotted paths or nested documents. Contains
/// views into the stage. Thread-safety: one thread at a time.
class path_tree {
 public:
  /// Indexes the fields of a $project, $addFields or $group, and forgets earlier paths. False
  /// if the scratch memory or its work budget runs out.
  [[nodiscard]] bool take_fields(wire::document_view fields, scratch& memory) noexcept;

  /// Indexes a list of paths, as in $unset, and forgets earlier paths. False if the scratch
  /// memory or its work budget runs out.
  [[nodiscard]] bool take_list(wire::document_view paths, scratch& memory) noexcept;

  /// Whether any of the paths has several components.
  [[nodiscard]] bool has_nested() const noexcept { return has_nested_; }

  /// The first mention of `path`, or of a path above or below it; if there is none, a mention
  /// whose relation is `unrelated`.
  [[nodiscard]] path_mention first_about(std::string_view path,
                                         wire::work_budget& work) const noexcept;

 private:
  /// A component of a path, with indexes into mentions_; `no_mention`: none.
  struct node {
    std::uint32_t own;    ///< the first mention of exactly this path
    std::uint32_t below;  ///< the first mention of a path below it
  };
  static constexpr std::uint32_t no_mention = ~std::uint32_t{0};

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
