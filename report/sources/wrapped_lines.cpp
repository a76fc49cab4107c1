#include "report/sources/wrapped_lines.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include <simdjson.h>

#include "report/sources/input.hpp"

namespace scattergate::report {
namespace {

/// Limit for a kept stream name.
constexpr std::size_t most_name_bytes = 256;

namespace ondemand = simdjson::ondemand;
using simdjson::simdjson_error;

/// Beginnings of lines that may follow a prefix: MongoDB's log and scattergate's audit log.
constexpr std::array<std::string_view, 2> known_begins = {
    R"({"t":{"$date":)", R"({"schemaVersion":1,"atype":"scattergate.)"};

/// Limit for a prefix.
constexpr std::size_t most_prefix_bytes = 1024;

bool is_known(std::string_view line) {
  return std::ranges::any_of(known_begins,
                             [&](std::string_view begin) { return line.starts_with(begin); });
}

/// The line without its prefix, if a known line follows it.
std::string_view without_prefix(std::string_view line) {
  if (line.starts_with('{')) return line;
  for (const std::string_view begin : known_begins) {
    const std::size_t at = line.substr(0, most_prefix_bytes + begin.size()).find(begin);
    if (at != line.npos) return line.substr(at);
  }
  return line;
}

/// Removes and returns the next word, up to a blank.
std::string_view take_word(std::string_view& from) {
  const std::size_t end = std::min(from.find(' '), from.size());
  const std::string_view word = from.substr(0, end);
  from.remove_prefix(std::min(end + 1, from.size()));
  return word;
}

bool is_time(std::string_view word) {  // 2026-11-22T04:51:21.203456789Z
  constexpr std::string_view pattern = "dddd-dd-ddTdd:dd:dd";
  if (word.size() < pattern.size()) return false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool is_digit = word[i] >= '0' && word[i] <= '9';
    if (pattern[i] == 'd' ? !is_digit : word[i] != pattern[i]) return false;
  }
  return true;
}

/// A line, or a part of one.
struct line_part {
  std::string_view stream;
  std::string_view text;
  bool is_last = true;
};

/// Kubernetes's container runtime format: time, stream, tags ("P": partial), text.
std::optional<line_part> cri_part(std::string_view line) {
  if (!is_time(take_word(line))) return std::nullopt;
  const std::string_view stream = take_word(line);
  if (stream != "stdout" && stream != "stderr") return std::nullopt;
  const std::string_view tags = take_word(line);
  const std::string_view first = tags.substr(0, tags.find(':'));
  if (first != "F" && first != "P") return std::nullopt;
  return line_part{stream, line, first == "F"};
}

/// Members that contain a line: of Docker, journald, and log collectors.
constexpr std::array<std::string_view, 3> line_members = {"log", "MESSAGE", "message"};

/// Whether a text may be an object with such a member. memmem is much faster than
/// string_view::find.
bool may_be_envelope(std::string_view line) {
  if (!line.starts_with('{')) return false;
  return std::ranges::any_of(line_members, [&](std::string_view name) {
    return ::memmem(line.data(), line.size(), name.data(), name.size()) != nullptr;
  });
}

/// Whether a text is a complete object, which a part of a line never is.
bool is_whole_object(std::string_view text) {
  std::size_t depth = 0;
  bool is_in_text = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (letter == '"') is_in_text = !is_in_text;
    if (is_in_text) {
      if (letter == '\\') ++at;
    } else if (letter == '{') {
      ++depth;
    } else if (letter == '}' && (depth == 0 || --depth == 0)) {
      return at + 1 == text.size();
    }
  }
  return false;
}

/// Whether Docker's text is a complete line although it lacks the line end, which some
/// collectors remove.
bool is_line_without_end(std::string_view text) {
  return is_known(text) && is_whole_object(text);
}

}  // namespace

/// A line beyond the limit is dropped; its end is still to come.
void split_lines::append(waiting& to, std::string_view part) {
  if (to.is_too_long) return;
  if (bytes_ + part.size() > input_lines::max_line_bytes) {
    to.is_too_long = true;
    bytes_ -= to.text.size();
    to.text = {};
    return;
  }
  to.text += part;
  bytes_ += part.size();
}

std::optional<std::string_view> split_lines::take(std::string_view stream,
                                                  std::string_view part, bool is_last,
                                                  observer& to) {
  stream = stream.substr(0, most_name_bytes);
  const auto known = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const waiting& one) { return one.stream == stream; });
  if (known == waiting_.end()) {
    if (is_last) return part;
    if (waiting_.size() == most_streams) {
      bytes_ -= waiting_.front().text.size();
      waiting_.erase(waiting_.begin());
      to.on_skipped(skip_reason::truncated);
    }
    append(waiting_.emplace_back(waiting{std::string{stream}, {}, false}), part);
    return std::nullopt;
  }
  append(*known, part);
  if (!is_last) return std::nullopt;
  whole_ = std::move(known->text);
  bytes_ -= whole_.size();
  const bool is_too_long = known->is_too_long;
  waiting_.erase(known);
  if (is_too_long) {
    to.on_skipped(skip_reason::too_long);
    return std::nullopt;
  }
  const std::size_t size = whole_.size();
  whole_.append(input_lines::padding, ' ');
  return std::string_view{whole_}.substr(0, size);
}

void split_lines::finish(observer& to) {
  for (const waiting& one : waiting_) {
    to.on_skipped(one.is_too_long ? skip_reason::too_long : skip_reason::truncated);
  }
  waiting_.clear();
  bytes_ = 0;
}

class wrapped_lines::reader {
 public:
  std::string_view take(std::string_view line, observer& to) {
    if (is_known(line)) return line;
    if (const auto part = cri_part(line)) return join(*part, to);
    if (may_be_envelope(line)) {
      switch (read_envelope(line)) {
        case envelope::none:
          return line;
        case envelope::without_line:
          to.on_skipped(skip_reason::truncated);
          return {};
        case envelope::with_line:
          return join(part_, to);
      }
    }
    return whole(without_prefix(line), to);
  }

  void finish(observer& to) { split_.finish(to); }

 private:
  enum class envelope { none, without_line, with_line };

  std::string_view join(const line_part& part, observer& to) {
    const auto joined = split_.take(part.stream, part.text, part.is_last, to);
    return joined ? whole(without_prefix(*joined), to) : std::string_view{};
  }

  /// If the line was truncated, so was the command in it.
  static std::string_view whole(std::string_view inner, observer& to) {
    if (!is_known(inner) || inner.ends_with('}')) return inner;
    to.on_skipped(skip_reason::truncated);
    return {};
  }

  [[nodiscard]] envelope read_envelope(std::string_view line);
  void read_member(std::string_view name, ondemand::value value, bool is_first);
  void read_line(std::string_view name, ondemand::value value, bool is_first);

  ondemand::parser parser_;
  split_lines split_;
  std::string text_;  ///< the wrapped line, and padding
  envelope found_ = envelope::none;
  line_part part_;  ///< views into text_ and parser_'s memory
};

/// Other objects, and unreadable ones, aren't envelopes.
wrapped_lines::reader::envelope wrapped_lines::reader::read_envelope(std::string_view line) {
  found_ = envelope::none;
  part_ = {};
  try {
    ondemand::document document =
        parser_.iterate(line.data(), line.size(), line.size() + input_lines::padding);
    bool is_first = true;
    for (auto field : document.get_object()) {
      read_member(field.unescaped_key(), field.value(), std::exchange(is_first, false));
    }
  } catch (const simdjson_error&) {
    return envelope::none;
  }
  return found_;
}

void wrapped_lines::reader::read_member(std::string_view name, ondemand::value value,
                                        bool is_first) {
  const auto text = [&] {
    return value.type() == ondemand::json_type::string ? std::string_view{value.get_string()}
                                                       : std::string_view{};
  };
  if (std::ranges::find(line_members, name) != line_members.end()) {
    read_line(name, value, is_first);
  } else if (name == "stream" || name == "_STREAM_ID" || name == "CONTAINER_ID_FULL") {
    part_.stream = text();
  } else if (name == "_PID" && part_.stream.empty()) {
    part_.stream = text();
  } else if (name == "logtag" || name == "_p") {  // collectors keep CRI's tag here
    if (text() == "P") part_.is_last = false;
  } else if (name == "_LINE_BREAK") {
    if (text() == "line-max") part_.is_last = false;
  } else if (name == "CONTAINER_PARTIAL_MESSAGE") {
    if (text() == "true") part_.is_last = false;
  }
}

/// journald writes invalid UTF-8 as an array of numbers, and null for long fields unless
/// `--all` is given. In Docker's files (`log` is the first member) a text without a line end
/// continues in the next one.
void wrapped_lines::reader::read_line(std::string_view name, ondemand::value value,
                                      bool is_first) {
  text_.clear();
  if (value.type() == ondemand::json_type::null) {
    found_ = envelope::without_line;
    return;
  }
  if (value.type() == ondemand::json_type::array) {
    for (auto byte : value.get_array()) {
      text_ += static_cast<char>(static_cast<std::uint8_t>(std::uint64_t{byte.get_uint64()}));
    }
  } else if (value.type() == ondemand::json_type::string) {
    text_ = std::string_view{value.get_string()};
  } else {
    return;
  }
  found_ = envelope::with_line;
  const bool has_end = text_.ends_with('\n');
  if (has_end) text_.pop_back();
  if (text_.ends_with('\r')) text_.pop_back();
  if (name == "log" && is_first && !has_end && !is_line_without_end(text_)) {
    part_.is_last = false;
  }
  const std::size_t size = text_.size();
  text_.append(input_lines::padding, ' ');
  part_.text = std::string_view{text_}.substr(0, size);
}

wrapped_lines::wrapped_lines() : reader_(std::make_unique<reader>()) {}

wrapped_lines::~wrapped_lines() = default;

std::string_view wrapped_lines::take(std::string_view line, observer& to) {
  return reader_->take(line, to);
}

void wrapped_lines::finish(observer& to) {
  reader_->finish(to);
}

}  // namespace scattergate::report
