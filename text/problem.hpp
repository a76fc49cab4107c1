#pragma once

#include <string>
#include <utility>

#include <boost/system/result.hpp>

namespace scattergate::text {

/// What is wrong, and where: with a file, a variable, a flag, or with what a function was
/// asked.
struct problem {
  problem() = default;
  problem(std::string place, std::string said)
      : where(std::move(place)), what(std::move(said)) {}

  std::string where;  ///< "scattergate.yaml:12", "--threads"; empty: `what` says all
  std::string what;   ///< in words
  friend bool operator==(const problem&, const problem&) = default;
};

/// "where: what", or "what".
[[nodiscard]] std::string to_string(const problem& problem);

/// What a function returns that makes a value or can't. `result<void>`: it acts or can't.
template <typename Value>
using result = boost::system::result<Value, problem>;

/// A problem whose place the caller knows.
[[nodiscard]] inline problem failure(std::string what) {
  return {{}, std::move(what)};
}

/// For result::value(), where a caller takes failure for impossible.
[[noreturn]] void throw_exception_from_error(const problem& problem,
                                             const boost::source_location& where);

}  // namespace scattergate::text
