#pragma once

#include <string>
#include <utility>

#include <boost/system/result.hpp>

namespace scattergate::text {

/// A problem and its place: a file, a variable, a flag, or a function's argument.
struct problem {
  problem() = default;
  problem(std::string place, std::string said)
      : where(std::move(place)), what(std::move(said)) {}

  std::string where;  ///< "scattergate.yaml:12", "--threads"; empty if `what` says everything
  std::string what;   ///< for people, in words
  friend bool operator==(const problem&, const problem&) = default;
};

/// "where: what", or "what".
[[nodiscard]] std::string to_string(const problem& problem);

/// The return type of a function that makes a value or fails; `result<void>`: that acts or
/// fails.
template <typename Value>
using result = boost::system::result<Value, problem>;

/// A problem whose place the caller knows.
[[nodiscard]] inline problem failure(std::string what) {
  return {{}, std::move(what)};
}

/// Called by result::value() if it holds a problem: throws.
[[noreturn]] void throw_exception_from_error(const problem& problem,
                                             const boost::source_location& where);

}  // namespace scattergate::text
