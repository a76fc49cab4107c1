#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace scattergate::digest {

/// Who sends a shape.
struct caller {
  std::string app_name, driver, user, remote, comment;
  std::uint64_t count = 0;

  friend bool operator==(const caller&, const caller&) = default;
};

/// The callers of a shape: at most so many apart, the rest as one number. Those that came first
/// are kept, their texts cut. Rows of one table have the same callers for the most part, and
/// share their texts.
class callers {
 public:
  static constexpr std::size_t most = 16;
  static constexpr std::size_t most_text = 256;  ///< in bytes

  void add(const caller& one) { add(one, one.count); }
  /// So many of one, whatever it says itself.
  void add(const caller& one, std::uint64_t count);
  void add(const callers& others);
  void add_others(std::uint64_t count) noexcept { others_ += count; }

  /// Makes room for adding others, which takes no memory then.
  void make_room_for(const callers& others);
  /// Takes away what an earlier state of these had; who has nothing left isn't kept apart.
  void subtract(const callers& earlier) noexcept;

  /// Of all of them.
  [[nodiscard]] std::uint64_t count() const noexcept;

  /// The most frequent first.
  [[nodiscard]] std::vector<caller> ranked() const;
  /// In the order in which they came. Allocates.
  [[nodiscard]] std::vector<caller> all() const;
  [[nodiscard]] std::uint64_t others() const noexcept { return others_; }
  /// What they take beside this, as if no text were shared; never more than the parts that were
  /// added.
  [[nodiscard]] std::size_t bytes() const noexcept;

  friend bool operator==(const callers& a, const callers& b) {
    return a.others_ == b.others_ && a.all() == b.all();
  }

 private:
  using packed_texts = std::shared_ptr<const char[]>;  ///< one behind the other

  struct counted {
    packed_texts who;
    std::uint64_t count;
  };
  [[nodiscard]] static counted* find(std::vector<counted>& in,
                                     const packed_texts& who) noexcept;
  void add_packed(const packed_texts& who, std::uint64_t count);

  std::vector<counted> apart_;
  std::uint64_t others_ = 0;
};

}  // namespace scattergate::digest
