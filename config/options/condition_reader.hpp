#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "config/text/map_entries.hpp"
#include "config/text/problem_log.hpp"
#include "text/printable.hpp"
#include "text/problem.hpp"

/// Reads the values of rule conditions from a file.
namespace scattergate::config {

/// Reads a text of 1 to 256 bytes from a map's entry, and passes it to `set`, a function that
/// returns a text::result<void>. Adds a problem if the text is missing or invalid, or if `set`
/// returns one; that one must say what is expected.
template <typename Set>
void read_words(const map_entry& entry, problem_log& problems, Set set) {
  // The limit for a glob or name. Commands' comments are truncated to this length, too.
  constexpr std::size_t max_text_bytes = 256;
  std::string words;
  if (!read_text(entry, words, problems)) return;
  const auto refuse = [&](const std::string& why) {
    problems.add(entry.line, std::string{entry.key} + ": " + why);
  };
  if (words.empty()) return refuse("is empty; omit it to match any");
  if (words.size() > max_text_bytes) {
    return refuse("is longer than " + std::to_string(max_text_bytes) + " bytes");
  }
  const text::result<void> taken = set(std::string_view{words});
  if (!taken) refuse(taken.error().what + ", not " + text::in_quotes(words));
}

/// Reads one text or a list of up to 100 texts from a map's entry. Passes each text to `add`, a
/// function that returns whether the text is valid. Adds a problem for each invalid text:
/// `expected`, such as "expected an address". `noun`: the word for one such text in problems.
template <typename Add>
void read_some(const map_entry& entry, std::string_view noun, std::string_view expected,
               problem_log& problems, Add add) {
  constexpr std::size_t max_listed = 100;  // a command is compared with each
  const std::string key{entry.key};
  const auto read = [&](const text_tree::node& one) {
    if (one.is_scalar() && add(one.text())) return;
    const std::string given =
        one.is_scalar() ? ", not " + text::in_quotes(one.text()) : std::string{};
    problems.add(one.line(), key + ": " + std::string{expected} + given);
  };
  if (!entry.value.is_list()) return read(entry.value);
  const auto given = members_of(entry.value, key, problems);
  if (given.empty()) {
    problems.add(entry.line, key + " names no " + std::string{noun} + "; omit it to match any");
  } else if (given.size() > max_listed) {
    problems.add(entry.line, key + ": more than " + std::to_string(max_listed) + " entries");
  } else {
    for (const text_tree::node& one : given) read(one);
  }
}

}  // namespace scattergate::config
