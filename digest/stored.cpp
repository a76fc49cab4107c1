#include "digest/stored.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include <boost/json.hpp>
#include <boost/system/error_code.hpp>

#include "digest/stored_fields.hpp"
#include "digest/stored_row.hpp"
#include "text/json_writer.hpp"
#include "wire/crc32c.hpp"

namespace scattergate::digest {
namespace {

namespace json = boost::json;

using text::json_writer;

constexpr std::string_view stored_type = "scattergate.digest";
constexpr std::string_view head_begins = R"({"type":"scattergate.digest",)";
constexpr std::string_view end_begins = R"({"end":)";
constexpr std::string_view any_head_begins = R"({"type":")";

/// Limit for the lines after the rows, in bytes.
constexpr std::size_t room_for_end = 4096;

std::uint32_t checksum(std::uint32_t before, std::string_view text) noexcept {
  return wire::crc32c(before, std::as_bytes(std::span{text}));
}

std::string hex(std::uint32_t number) {
  std::array<char, 12> text{};
  std::snprintf(text.data(), text.size(), "%08x", number);
  return text.data();
}

}  // namespace

bool is_stored(std::string_view begins) noexcept {
  return begins.starts_with(head_begins);
}

std::string stored_text(const table& of, std::size_t max_bytes, const actions_of_row& actions) {
  std::string text;
  json_writer head{text};
  head.object();
  head.text("type", stored_type);
  head.number("schemaVersion", stored_schema_version);
  head.end();
  text += '\n';
  stored_sums sums{of.all(), of.evicted_rows(), of.error_bound()};
  std::uint64_t written = 0;
  std::string line;
  for (const row* one : of.ranked()) {
    line.clear();
    append_stored(line, *one, actions ? actions(*one) : nullptr);
    if (text.size() + line.size() + room_for_end <= max_bytes) {
      text += line + '\n';
      ++written;
    } else {
      ++sums.evicted_rows;
      sums.error_bound = std::max(sums.error_bound, one->count + one->error_bound);
    }
  }
  append_stored(text, sums);
  text += '\n';
  const std::string all_before = hex(checksum(0, text));
  json_writer end{text};
  end.object();
  end.flag("end", true);
  end.number("rows", written);
  end.text("crc32c", all_before);
  end.end();
  text += '\n';
  return text;
}

text::result<void> stored_reader::ended_by(const text::problem& found) {
  return end_.emplace("line " + std::to_string(lines_), found.what);
}

text::result<void> stored_reader::read_line(std::string_view line) {
  if (end_) return *end_;
  const auto taken = take_next(line);
  return taken ? taken : ended_by(taken.error());
}

text::result<void> stored_reader::take_next(std::string_view line) {
  // A section with its own header after the end belongs to another reader.
  if (next_ == part::after_end && line.starts_with(any_head_begins) && !is_stored(line)) {
    next_ = part::other_section;
  }
  if (next_ == part::other_section) return {};
  ++lines_;
  bytes_ += line.size() + 1;
  if (bytes_ > max_stored_bytes) return text::failure("more than 64 MiB");
  if (line.size() > max_stored_row_bytes) {
    return text::failure("longer than the maximum");
  }
  const bool is_end = next_ == part::end && line.starts_with(end_begins);
  if (!is_end) checksum_ = checksum(checksum(checksum_, line), "\n");
  switch (next_) {
    case part::head:
      return take_head(line);
    case part::rows:
      return line.starts_with(stored_sums_begin) ? take_sums(line) : take_row(line);
    case part::end:
      if (is_end) return take_end(line);
      return text::failure("no row after the totals");
    case part::after_end:
    case part::other_section:
      break;
  }
  return text::failure("unexpected data after the end");
}

text::result<void> stored_reader::take_head(std::string_view line) {
  boost::system::error_code failed;
  const json::value parsed = json::parse(line, failed);
  if (failed || !is_stored(line) || !parsed.is_object()) {
    return text::failure("not a stored digest");
  }
  std::optional<text::problem> wrong;
  const stored_fields from{parsed.as_object(), wrong};
  const std::uint64_t version = from.number("schemaVersion");
  if (wrong || version == 0) return text::failure("not a stored digest");
  if (version > stored_schema_version) {
    return text::failure("written by a newer version: its schemaVersion is " +
                         std::to_string(version) + ", this one reads " +
                         std::to_string(stored_schema_version));
  }
  next_ = part::rows;
  return {};
}

text::result<void> stored_reader::take_row(std::string_view line) {
  const auto read = stored_row(line);
  if (!read) return read.error();
  rows_.add(*read);
  ++rows_read_;
  return {};
}

text::result<void> stored_reader::take_sums(std::string_view line) {
  const auto sums = read_stored_sums(line);
  if (!sums) return sums.error();
  const totals& of_rows = rows_.all();
  const auto is_enough = [](std::uint64_t all, std::uint64_t rows) {
    return all >= std::min(rows, stored_fields::most);
  };
  if (!is_enough(sums->all.commands, of_rows.commands) ||
      !is_enough(sums->all.shards.asked, of_rows.shards.asked) ||
      !is_enough(sums->all.shards.wasted, of_rows.shards.wasted)) {
    return text::failure("the totals are less than the rows");
  }
  rows_.restore(sums->all, sums->evicted_rows, sums->error_bound);
  next_ = part::end;
  return {};
}

text::result<void> stored_reader::take_end(std::string_view line) {
  boost::system::error_code failed;
  const json::value parsed = json::parse(line, failed);
  if (failed || !parsed.is_object()) return text::failure("the end can't be read");
  std::optional<text::problem> wrong;
  const stored_fields from{parsed.as_object(), wrong};
  const std::uint64_t rows = from.number("rows");
  const std::string expected = from.text("crc32c");
  if (wrong || rows != rows_read_) {
    return text::failure(std::to_string(rows_read_) + " rows where " + std::to_string(rows) +
                         " were written");
  }
  if (expected != hex(checksum_)) return text::failure("corrupt: the checksum doesn't match");
  next_ = part::after_end;
  return {};
}

text::result<void> stored_reader::finish() {
  if (end_) return *end_;
  if (next_ == part::after_end || next_ == part::other_section) return {};
  return ended_by(text::failure(lines_ == 0 ? "empty" : "truncated: its end is missing"));
}

stored_digest read_stored(std::string_view text, std::size_t max_rows) {
  stored_reader reader{max_rows};
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!reader.read_line(text.substr(0, end))) break;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const auto all = reader.finish();
  return {std::move(reader.rows()), all ? std::nullopt : std::optional{all.error()}};
}

}  // namespace scattergate::digest
