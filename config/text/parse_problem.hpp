#pragma once

#include <cstddef>
#include <string>

#include <boost/system/result.hpp>

namespace scattergate::config {

/// What is wrong with a text, and in which of its lines. The caller knows the text's name.
struct parse_problem {
  std::size_t line;  ///< from 1
  std::string what;  ///< in words
};

/// What a text holds, or why it can't be read.
template <typename Value>
using parse_result = boost::system::result<Value, parse_problem>;

/// For result::value(), where a caller takes failure for impossible.
[[noreturn]] void throw_exception_from_error(const parse_problem& problem,
                                             const boost::source_location& where);

}  // namespace scattergate::config
