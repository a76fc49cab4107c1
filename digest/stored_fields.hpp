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

/// Reads the members of a JSON object in a stored digest. A missing member gives a default,
/// such as "" or 0. The first invalid member sets the complaint, the problem that the caller
/// reports. Ignores unknown members. A view: the object and the complaint must outlive it.
class stored_fields {
 public:
  /// Reads the object `of`, and sets `complaint` if a member is invalid.
  stored_fields(const boost::json::object& of, std::optional<text::problem>& complaint)
      : of_(of), complaint_(complaint) {}

  /// Reads an object nested in the object of `around`; shares the complaint of `around`.
  stored_fields(const boost::json::object& of, const stored_fields& around)
      : stored_fields(of, around.complaint_) {}

  /// The greatest valid count; keeps sums from overflowing.
  static constexpr std::uint64_t most = 1'000'000'000'000'000;

  /// A text; empty if it is missing.
  [[nodiscard]] std::string text(std::string_view name) const;
  /// An array of texts; empty if it is missing.
  [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;
  /// An integer from 0 to `at_most`; 0 if it is missing.
  [[nodiscard]] std::uint64_t number(std::string_view name, std::uint64_t at_most = most) const;
  /// An integer that may be negative; std::nullopt if it is missing.
  [[nodiscard]] std::optional<std::int64_t> signed_number(std::string_view name) const;

  /// A text that is a JSON object in one line; empty if it is missing. Escapes invisible
  /// characters in the text.
  [[nodiscard]] std::string json_text(std::string_view name) const;

  /// A nested object; null if it is missing.
  [[nodiscard]] const boost::json::object* object(std::string_view name) const;
  /// A nested array; null if it is missing.
  [[nodiscard]] const boost::json::array* array(std::string_view name) const;

  /// Whether the object has a member with this name.
  [[nodiscard]] bool has(std::string_view name) const { return of_.contains(name); }

  /// Sets the complaint, if there is none yet: the member `name` is invalid.
  void complain(std::string_view name) const;

 private:
  const boost::json::object& of_;
  std::optional<text::problem>& complaint_;
};

/// Appends a text without loss, even invalid UTF-8, in the form that stored_fields reads.
void append_stored_text(text::json_writer& to, std::string_view text);

}  // namespace scattergate::digest
