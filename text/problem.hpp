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

  std::string where;  ///< "scattergate.yaml:12", "--threads"; empty if `what` needs no place
  std::string what;   ///< the message for people
  friend bool operator==(const problem&, const problem&) = default;
};

/// "where: what", or "what" if `where` is empty; printable.
[[nodiscard]] std::string to_string(const problem& problem);

/// The return type of a function that returns a value or fails with a problem. `result<void>`:
/// success or a problem.
template <typename Value>
using result = boost::system::result<Value, problem>;

/// A problem without a place, which the caller may add.
[[nodiscard]] inline problem failure(std::string what) {
  return {{}, std::move(what)};
}

/// result::value() calls it if the result holds a problem. Throws std::runtime_error.
[[noreturn]] void throw_exception_from_error(const problem& problem,
                                             const boost::source_location& caller);

}  // namespace scattergate::text
