#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/query/expression.hpp"
#include "sim/query/matcher.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// A parsed sort specification, such as {a: 1, "b.c": -1}. Thread-safety: immutable.
class sort_order {
 public:
  /// Parses a sort specification. Throws command_failure (bad_value) if a direction isn't 1 or
  /// -1.
  explicit sort_order(const document& specification);

  /// Whether the specification names no fields.
  [[nodiscard]] bool is_empty() const noexcept { return parts_.empty(); }

  /// Sorts documents, stably. An array sorts by its least member in ascending order, and by
  /// its greatest member in descending order. An empty array sorts as undefined, a missing
  /// field as null.
  void apply(std::vector<document_ptr>& documents) const;

 private:
  struct part {
    std::vector<std::string> path;
    bool ascending = true;
  };
  [[nodiscard]] array key_of(const document& candidate) const;
  [[nodiscard]] bool is_before(const array& left, const array& right) const;

  std::vector<part> parts_;
};

/// A parsed projection, of a find or of the stages `$project` and `$unset`. Supports inclusion
/// or exclusion of dotted fields, computed fields, and in a find `$slice` and `$elemMatch`.
/// Thread-safety: immutable.
class projection {
 public:
  /// Parses a projection. `names`: the variables that computed fields may use. Throws
  /// command_failure: projection_mixes if the projection mixes inclusion and exclusion, other
  /// codes for an invalid expression or path.
  explicit projection(const document& specification, const variables& names = {});

  /// Whether the projection changes nothing.
  [[nodiscard]] bool is_empty() const noexcept;
  /// Returns the document that the projection makes of `from`.
  [[nodiscard]] document apply(const document& from) const;

 private:
  struct node;
  struct array_part {
    std::string name;
    std::int64_t skip = 0;
    std::int64_t limit = 0;
    std::shared_ptr<matcher> match;
  };
  void add(const std::string& prefix, const field& each, const variables& names);
  void add_flag(const std::string& path, bool included);
  void add_array_part(const std::string& name, const document& operators);
  void apply_array_parts(const document& from, document& out) const;

  std::shared_ptr<node> tree_;
  std::vector<std::pair<std::string, expression>> computed_;
  std::vector<array_part> array_parts_;
  bool inclusive_ = false;
  bool decided_ = false;
  bool with_id_ = true;
};

/// Sets the value at a dotted path. Creates missing documents on the path; for an array on the
/// path, sets the value in each of its members, as `$addFields` does.
void set_path(document& into, std::string_view path, const value& content);

/// What a stage makes of a document.
using reshaping = std::function<document(const document&)>;
/// Whether a stage changes each document by itself: `$project`, `$addFields`, `$set`, `$unset`,
/// `$replaceRoot` or `$replaceWith`. Updates by pipeline consist of these stages, too.
[[nodiscard]] bool is_reshaping(std::string_view stage) noexcept;
/// Parses such a stage. `names`: the variables that it may use. Throws command_failure for
/// invalid operands; calling the result throws for documents to which it can't be applied.
/// REQUIRES: is_reshaping(stage.name).
[[nodiscard]] reshaping make_reshaping(const field& stage, const variables& names);

}  // namespace scattergate::sim
