#pragma once

#include <cstddef>
#include <string>

#include <boost/system/result.hpp>

namespace scattergate::config {

/// Why a text can't be parsed: a line and a description. The caller adds the file's name.
struct parse_problem {
  std::size_t line;  ///< from 1
  std::string what;  ///< the description, for people
};

/// A parsed value, or the problem.
template <typename Value>
using parse_result = boost::system::result<Value, parse_problem>;

/// Throws std::runtime_error("line N: what"). parse_result::value() calls this function if
/// there is no value.
[[noreturn]] void throw_exception_from_error(const parse_problem& problem,
                                             const boost::source_location& caller);

}  // namespace scattergate::config
