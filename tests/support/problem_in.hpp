#pragma once

#include <optional>
#include <string>

#include "config/text/problem_log.hpp"
#include "text/problem.hpp"

/// The functions problem_in() return the problem that a tested function has reported, as text;
/// empty if it has reported none.
namespace scattergate::tests {

[[nodiscard]] inline std::string problem_in(const std::optional<text::problem>& of) {
  return of ? to_string(*of) : std::string{};
}

template <typename Value>
[[nodiscard]] std::string problem_in(const text::result<Value>& of) {
  return of ? std::string{} : to_string(of.error());
}

template <typename Value>
[[nodiscard]] std::string problem_in(const config::parse_result<Value>& of) {
  return of ? std::string{} : of.error().what;
}

}  // namespace scattergate::tests
