#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "digest/sketch/collection_sketch.hpp"
#include "digest/sketch/salt.hpp"
#include "text/problem.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::digest {

/// The sketches of all collections, under one salt: which values the fields have that filters
/// give by equality, as hashes. What advice on shard keys reads, beside the shapes.
class sketch_table {
 public:
  static constexpr std::size_t most_collections = 256;

  using room = collection_sketch::room;

  /// Of a salt that has this id(); empty: of none yet, and then of the first that is added.
  /// `has_room` is asked for the bytes of whatever comes new.
  explicit sketch_table(
      std::string salt_id = {}, room has_room = [](std::size_t) { return true; })
      : salt_id_(std::move(salt_id)), has_room_(std::move(has_room)) {}

  [[nodiscard]] const std::string& salt_id() const noexcept { return salt_id_; }

  /// A collection's, made while there is room for any; else null, and what is counted then is
  /// left_out(). Stays where it is.
  [[nodiscard]] collection_sketch* take(wire::namespace_view of);
  [[nodiscard]] const room& has_room() const noexcept { return has_room_; }
  void count_left_out(std::uint64_t statements) noexcept { left_out_ += statements; }

  /// The same as having seen what the other saw. Where it is of another salt: a problem, and
  /// nothing is added.
  [[nodiscard]] text::result<void> add(const sketch_table& other);

  /// Null where nothing is kept of it.
  [[nodiscard]] const collection_sketch* find(wire::namespace_view of) const noexcept;
  /// Those with the most requests first.
  [[nodiscard]] std::vector<const collection_sketch*> ranked() const;
  [[nodiscard]] bool is_empty() const noexcept { return collections_.empty(); }
  /// Statements on collections that found no place.
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

 private:
  std::string salt_id_;
  room has_room_;
  std::vector<std::unique_ptr<collection_sketch>> collections_;
  std::unordered_map<std::string, std::size_t> places_;  // by the full name
  std::uint64_t left_out_ = 0;
};

}  // namespace scattergate::digest
