#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace scattergate::digest {

/// Removes the name of a test from a command's comment: `test='NAME'`, percent-encoded, as
/// deploy/callsites and sqlcommenter write it, with the separator next to it. Returns the
/// decoded name; empty if there is none. The closing quote may be missing, because long
/// comments are truncated.
[[nodiscard]] std::string take_test_name(std::string& comment);

/// A sender of commands with one shape (a command without its values), and how many it has
/// sent.
struct caller {
  std::string app_name, driver, user, remote, comment;  ///< each is empty if unknown; `remote`:
                                                        ///< host
  std::uint64_t count = 0;                              ///< the number of commands sent
  std::string test{};  ///< the test that was running when the caller first sent the shape;
                       ///< empty: unknown. Doesn't distinguish callers

  friend bool operator==(const caller&, const caller&) = default;
};

/// A text of a caller, and its name in all formats.
struct caller_field {
  std::string_view name;
  std::string caller::*text;
};
/// A caller's texts. All but the last, the test, distinguish callers.
inline constexpr std::array<caller_field, 6> caller_fields{{{"appName", &caller::app_name},
                                                            {"driver", &caller::driver},
                                                            {"user", &caller::user},
                                                            {"remote", &caller::remote},
                                                            {"comment", &caller::comment},
                                                            {"test", &caller::test}}};
/// The number of texts that distinguish callers; they come first.
inline constexpr std::size_t distinguishing_caller_fields = caller_fields.size() - 1;

/// Counts the commands of a shape by caller. The first `most` callers have counts of their own,
/// all others share one count. Keeps the first test of each caller. Texts are truncated to
/// `most_text` bytes. Equal callers of several shapes may share memory.
class callers {
 public:
  /// The most callers with counts of their own.
  static constexpr std::size_t most = 20;
  static constexpr std::size_t most_text = 256;  ///< the maximum size of a text, in bytes

  /// Adds a caller with `one.count` commands. A test's name in the comment (take_test_name())
  /// becomes caller::test.
  void add(const caller& one) { add(one, one.count); }
  /// Adds `count` commands of a caller.
  void add(const caller& one, std::uint64_t count);
  /// Adds the callers of another object, with their counts.
  void add(const callers& others);
  /// Adds `count` commands to the callers without counts of their own.
  void add_others(std::uint64_t count) noexcept { others_ += count; }

  /// Allocates what a later add() of `others` needs, so that it can't fail.
  void make_room_for(const callers& others);
  /// Subtracts an earlier state of this object, and removes callers whose count is then 0.
  void subtract(const callers& earlier) noexcept;

  /// The total over all callers.
  [[nodiscard]] std::uint64_t count() const noexcept;

  /// The callers with counts of their own, most frequent first. Allocates.
  [[nodiscard]] std::vector<caller> ranked() const;
  /// The callers with counts of their own, in order of arrival. Allocates.
  [[nodiscard]] std::vector<caller> all() const;
  /// The commands of the callers without counts of their own.
  [[nodiscard]] std::uint64_t others() const noexcept { return others_; }
  /// Heap memory in bytes, counted as if no texts were shared with other objects. At most the
  /// sum of the bytes() of all objects that were added.
  [[nodiscard]] std::size_t bytes() const noexcept;

  friend bool operator==(const callers& a, const callers& b) {
    return a.others_ == b.others_ && a.all() == b.all();
  }

 private:
  using packed_texts = std::shared_ptr<const char[]>;  ///< lengths, then texts

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
