#pragma once

#include <cstddef>
#include <string>

#include <boost/system/result.hpp>

namespace scattergate::config {

/// What is wrong with a text, and in which line. The caller knows the text's name.
struct parse_problem {
  std::size_t line;  ///< from 1
  std::string what;  ///< for people, in words
};

/// A parsed value, or the problem.
template <typename Value>
using parse_result = boost::system::result<Value, parse_problem>;

/// Called by result::value() if it holds a problem: throws.
[[noreturn]] void throw_exception_from_error(const parse_problem& problem,
                                             const boost::source_location& where);

}  // namespace scattergate::config
