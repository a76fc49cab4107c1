#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "routing/scratch.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// The cost of looking up a name in addition to its bytes, in units of wire::work_budget.
inline constexpr std::size_t look_up_units = 12;

/// A tree of names, such as the components of dotted paths: each name has a parent name or is
/// at the top. It is a hash table of fixed size in the scratch memory. Hashes are keyed per
/// process, so that a client can't cause collisions. Contains views of the names.
/// Thread-safety: one thread at a time.
class name_table {
 public:
  /// Identifies a name below its parent: names are numbered in the order of add(), from 1.
  using id = std::uint32_t;
  /// The ID of no name. As a parent, it means that a name is at the top.
  static constexpr id none = 0;

  /// Allocates room for at most `names` names. False if the scratch memory is exhausted; the
  /// table is then empty, and add() fails.
  [[nodiscard]] bool open(std::size_t names, scratch& memory) noexcept;

  /// Adds a name below `parent`, if the table doesn't contain it yet. Returns the name's ID, or
  /// `none` if there is no room. The bytes of `name` must outlive the table.
  id add(id parent, std::string_view name, wire::work_budget& work) noexcept;

  /// The ID of a name below `parent`; `none` if the table doesn't contain it.
  [[nodiscard]] id find(id parent, std::string_view name,
                        wire::work_budget& work) const noexcept;

  /// The number of names.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// The parent of a name; `none` if the name is at the top. REQUIRES: `name` isn't `none`.
  [[nodiscard]] id parent_of(id name) const noexcept { return entries_[name - 1].parent; }

 private:
  struct entry {
    std::string_view name;
    id parent;
  };
  [[nodiscard]] std::size_t slot_of(id parent, std::string_view name,
                                    wire::work_budget& work) const noexcept;

  std::span<entry> entries_;
  std::span<id> slots_;  // slots of the hash table; a power of two, at most half of them used
  std::size_t size_ = 0;
};

/// Finds the variables of a command's or $lookup's `let` by name. Contains views into the
/// `let`. Thread-safety: one thread at a time.
class let_variables {
 public:
  /// Contains no variables.
  let_variables() = default;

  /// Reads the variables of `let`. `is_constant`: false if the variables' values differ between
  /// documents, as in a $lookup. If the scratch memory is exhausted, the object contains no
  /// variables.
  let_variables(wire::document_view let, bool is_constant, scratch& memory) noexcept;

  /// The value of the variable `name`; std::nullopt if there is no such variable. If `let` has
  /// the name several times, the first one counts.
  [[nodiscard]] std::optional<wire::element> find(std::string_view name,
                                                  wire::work_budget& work) const noexcept;

  /// Whether the values are the same for all documents.
  [[nodiscard]] bool are_constant() const noexcept { return is_constant_; }

 private:
  name_table names_;
  std::span<wire::element> values_;
  bool is_constant_ = true;
};

}  // namespace scattergate::routing
