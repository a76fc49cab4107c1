#pragma once

#include <string>
#include <utility>

#include <boost/system/result.hpp>

namespace scattergate::text {

/// A problem (error or warning) and its place: a file, a variable, a flag, or a function's
/// argument.
struct problem {
  problem() = default;
  problem(std::string place, std::string said)
      : where(std::move(place)), what(std::move(said)) {}

  std::string where;  ///< the place: "scattergate.yaml:12", "--threads"; empty: none
  std::string what;   ///< the message for people
  friend bool operator==(const problem&, const problem&) = default;
};

/// "where: what", or "what" if `where` is empty, made safe for output by printable().
[[nodiscard]] std::string to_string(const problem& problem);

/// The return type of a function that returns a Value or fails with a problem. `result<void>`:
/// success or a problem.
template <typename Value>
using result = boost::system::result<Value, problem>;

/// Makes a problem without a place, which the caller may add.
[[nodiscard]] inline problem failure(std::string what) {
  return {{}, std::move(what)};
}

/// Throws std::runtime_error with the problem's text. result::value() calls this function if
/// the result holds a problem.
[[noreturn]] void throw_exception_from_error(const problem& problem,
                                             const boost::source_location& caller);

}  // namespace scattergate::text
