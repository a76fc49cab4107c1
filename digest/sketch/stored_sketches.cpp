#include "digest/sketch/stored_sketches.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>

#include <boost/json.hpp>
#include <boost/system/error_code.hpp>

#include "digest/sketch/sketch_line.hpp"
#include "digest/stored_fields.hpp"
#include "text/json_writer.hpp"
#include "wire/crc32c.hpp"

namespace scattergate::digest {
namespace {

namespace json = boost::json;

using text::json_writer;

constexpr std::string_view sketches_type = "scattergate.sketches";
constexpr std::string_view end_begins = R"({"end":)";
constexpr std::size_t room_for_end = 256;

std::string hex(std::uint32_t number) {
  std::array<char, 12> text{};
  std::snprintf(text.data(), text.size(), "%08x", number);
  return text.data();
}

std::uint32_t checksum(std::uint32_t before, std::string_view text) noexcept {
  return wire::crc32c(before, std::as_bytes(std::span{text}));
}

}  // namespace

std::string stored_sketches(const sketch_table& of, std::size_t max_bytes) {
  if (of.is_empty()) return {};
  std::string text;
  json_writer head{text};
  head.object();
  head.text("type", sketches_type);
  head.number("schemaVersion", sketches_schema_version);
  head.text("salt", of.salt_id());
  head.end();
  text += '\n';
  std::uint64_t left_out = of.left_out();
  std::uint64_t written = 0;
  std::string line;
  for (const collection_sketch* one : of.ranked()) {
    line.clear();
    append_sketch_line(line, *one);
    if (text.size() + line.size() + room_for_end <= max_bytes) {
      text += line + '\n';
      ++written;
    } else {
      left_out += one->requests();
    }
  }
  if (written == 0) return {};
  const std::string all_before = hex(checksum(0, text));
  json_writer end{text};
  end.object();
  end.flag("end", true);
  end.number("collections", written);
  end.number("leftOut", left_out);
  end.text("crc32c", all_before);
  end.end();
  return text + '\n';
}

void sketches_reader::take(std::string_view line) {
  if (problem_ || next_ == part::behind) return;
  if (next_ == part::before && !line.starts_with(stored_sketches_begin)) return;
  bytes_ += line.size() + 1;
  if (bytes_ > max_sketches_bytes || line.size() > max_sketch_line_bytes) {
    return fail("longer than any that is written");
  }
  if (next_ == part::before) {
    take_head(line);
  } else if (line.starts_with(end_begins)) {
    return take_end(line);
  } else {
    take_collection(line);
  }
  checksum_ = checksum(checksum(checksum_, line), "\n");
}

void sketches_reader::take_head(std::string_view line) {
  next_ = part::collections;
  read_members(line, [this](const stored_fields& head) {
    const std::uint64_t version = head.number("schemaVersion");
    if (version > sketches_schema_version) {
      return fail("written by a newer version: their schemaVersion is " +
                  std::to_string(version) + ", this one reads " +
                  std::to_string(sketches_schema_version));
    }
    constexpr std::size_t digits = 16;
    const std::string salt = head.text("salt");
    if (version == 0 || salt.size() != digits ||
        salt.find_first_not_of("0123456789abcdef") != salt.npos) {
      return fail("spoilt");
    }
    read_ = sketch_table{salt};
  });
}

void sketches_reader::take_collection(std::string_view line) {
  if (const auto read = read_sketch_line(line, read_); !read) {
    fail("spoilt: " + to_string(read.error()));
  }
}

void sketches_reader::take_end(std::string_view line) {
  next_ = part::behind;
  read_members(line, [this](const stored_fields& end) {
    if (end.text("crc32c") != hex(checksum_)) return fail("spoilt");
    read_.count_left_out(end.number("leftOut"));
  });
}

/// Reads a line that is a JSON object.
template <typename Read>
void sketches_reader::read_members(std::string_view line, const Read& read) {
  boost::system::error_code failed;
  const json::value parsed = json::parse(line, failed);
  if (failed || !parsed.is_object()) return fail("spoilt");
  std::optional<text::problem> wrong;
  read(stored_fields{parsed.as_object(), wrong});
  if (wrong) fail("spoilt: " + to_string(*wrong));
}

text::result<sketch_table> sketches_reader::finish() {
  if (!problem_ && next_ == part::collections) fail("cut: their end is missing");
  if (problem_) return text::problem{"sketches of values", problem_->what};
  return std::move(read_);
}

text::result<sketch_table> read_stored_sketches(std::string_view text) {
  sketches_reader reader;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.finish();
}

}  // namespace scattergate::digest
