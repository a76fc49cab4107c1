#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "text/json_writer.hpp"
#include "text/problem.hpp"

namespace scattergate::digest {

/// The members of one object of a stored digest. What isn't there has its type's default; what
/// is there and nonsense becomes the complaint: the first such. Members that no reader asks for
/// are ignored. A view.
class stored_fields {
 public:
  stored_fields(const boost::json::object& of, std::optional<text::problem>& complaint)
      : of_(of), complaint_(complaint) {}

  /// Of an object inside another's.
  stored_fields(const boost::json::object& of, const stored_fields& around)
      : stored_fields(of, around.complaint_) {}

  /// Counts beyond it are nonsense: sums of them don't overflow.
  static constexpr std::uint64_t most = 1'000'000'000'000'000;

  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;
  [[nodiscard]] std::uint64_t number(std::string_view name, std::uint64_t at_most = most) const;
  [[nodiscard]] std::optional<std::int64_t> signed_number(std::string_view name) const;

  /// JSON of an object as a text, with nothing in it that nobody sees: one line.
  [[nodiscard]] std::string json_text(std::string_view name) const;

  /// Null where there is none.
  [[nodiscard]] const boost::json::object* object(std::string_view name) const;
  [[nodiscard]] const boost::json::array* array(std::string_view name) const;

  [[nodiscard]] bool has(std::string_view name) const { return of_.contains(name); }

  /// Says that a member is nonsense.
  void complain(std::string_view name) const;

 private:
  const boost::json::object& of_;
  std::optional<text::problem>& complaint_;
};

/// Appends a text as stored_fields reads it: exactly, even where it isn't UTF-8.
void append_stored_text(text::json_writer& to, std::string_view text);

}  // namespace scattergate::digest
