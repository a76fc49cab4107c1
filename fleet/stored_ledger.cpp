#include "fleet/stored_ledger.hpp"

#include <array>
#include <cstdio>
#include <limits>
#include <span>

#include <boost/json.hpp>
#include <boost/system/error_code.hpp>

#include "digest/stored_fields.hpp"
#include "text/json_writer.hpp"
#include "wire/crc32c.hpp"
#include "wire/seeded_hash.hpp"

namespace scattergate::fleet {
namespace {

namespace json = boost::json;
using digest::stored_fields;
using text::json_writer;

constexpr std::uint64_t stored_version = 1;

std::string end_of(std::string_view before) {
  const std::uint32_t sum = wire::crc32c(0, std::as_bytes(std::span{before}));
  std::array<char, 12> digits{};
  std::snprintf(digits.data(), digits.size(), "%08x", sum);
  std::string text;
  json_writer to{text};
  to.object();
  to.flag("end", true);
  to.text("crc32c", digits.data());
  to.end();
  return text + '\n';
}

std::int64_t nanos_of(digest::wall_time at) {
  return std::chrono::nanoseconds{at.time_since_epoch()}.count();
}

void append_frozen(json_writer& to, const frozen_delta& of) {
  to.object("frozen");
  to.number("flush", of.number);
  to.name("id");
  digest::append_stored_text(to, of.id);
  to.number("logicalShards", of.logical_shards);
  to.number("atNanos", nanos_of(of.at));
  to.number("expiresNanos", nanos_of(of.expires_at));
  to.number("commands", of.commands);
  to.number("bytes", of.rows.size());
  to.end();
}

/// Parses a ledger's first line.
text::result<json::object> head_in(std::string_view line) {
  boost::system::error_code failed;
  json::value parsed = json::parse(line, failed);
  if (failed || !line.starts_with(stored_ledger_begins) || !parsed.is_object()) {
    return text::failure("not a fleet's ledger");
  }
  return std::move(parsed.as_object());
}

/// Removes the first `bytes` bytes of `from` and returns them; std::nullopt if there are fewer.
std::optional<std::string> take_bytes(std::string_view& from, std::uint64_t bytes) {
  if (bytes > from.size()) return std::nullopt;
  std::string taken{from.substr(0, bytes)};
  from.remove_prefix(bytes);
  return taken;
}

digest::wall_time time_in(const stored_fields& from, std::string_view name) {
  return digest::wall_time{std::chrono::duration_cast<digest::wall_time::duration>(
      std::chrono::nanoseconds{from.signed_number(name).value_or(0)})};
}

frozen_delta frozen_in(const stored_fields& from) {
  constexpr std::uint64_t most_shards = std::numeric_limits<std::int32_t>::max();
  frozen_delta made;
  made.number = from.number("flush");
  made.id = from.text("id");
  made.logical_shards = static_cast<std::uint32_t>(from.number("logicalShards", most_shards));
  made.at = time_in(from, "atNanos");
  made.expires_at = time_in(from, "expiresNanos");
  made.commands = from.number("commands");
  if (made.number == 0) from.complain("flush");
  if (made.id.empty()) from.complain("id");
  if (made.logical_shards == 0) from.complain("logicalShards");
  return made;
}

}  // namespace

std::string stored_text(const stored_ledger& of) {
  std::string text;
  json_writer to{text};
  to.object();
  to.text("type", "scattergate.fleet");
  to.number("schemaVersion", stored_version);
  to.name("uuid");
  digest::append_stored_text(to, of.uuid);
  to.number("acknowledged", of.acknowledged);
  if (of.frozen) append_frozen(to, *of.frozen);
  to.number("restBytes", of.rest.size());
  to.number("restAtNanos", nanos_of(of.rest_at));
  to.end();
  text += '\n';
  const std::string end = end_of(text);
  if (of.frozen) text += of.frozen->rows;
  return text + of.rest + end;
}

text::result<stored_ledger> read_stored_ledger(std::string_view text) {
  const std::size_t line = text.find('\n');
  if (line == text.npos) return text::failure("truncated: its end is missing");
  const auto head = head_in(text.substr(0, line));
  if (!head) return head.error();
  std::optional<text::problem> wrong;
  const stored_fields from{*head, wrong};
  const std::uint64_t version = from.number("schemaVersion");
  if (version > stored_version) return text::failure("written by a newer version");
  stored_ledger made;
  made.uuid = from.text("uuid");
  made.acknowledged = from.number("acknowledged");
  made.rest_at = time_in(from, "restAtNanos");
  std::string_view rest = text.substr(line + 1);
  std::optional<std::string> rows{""};
  if (const auto* const frozen = from.object("frozen")) {
    const stored_fields members{*frozen, from};
    made.frozen = frozen_in(members);
    rows = take_bytes(rest, members.number("bytes"));
    if (rows) made.frozen->rows = *std::move(rows);
  }
  auto unflushed = take_bytes(rest, from.number("restBytes"));
  if (made.uuid.empty()) from.complain("uuid");
  if (wrong) return *wrong;
  if (!rows || !unflushed || rest != end_of(text.substr(0, line + 1))) {
    return text::failure("truncated or corrupt");
  }
  made.rest = *std::move(unflushed);
  return made;
}

std::string random_uuid() {
  const auto drawn = wire::hash_key::random();
  constexpr std::uint64_t version = 0x4000;
  constexpr std::uint64_t variant = 0x8000;
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%08x-%04x-%04x-%04x-%012llx",
                static_cast<unsigned>(drawn.first >> 32U),
                static_cast<unsigned>(drawn.first >> 16U & 0xffff),
                static_cast<unsigned>((drawn.first & 0xfff) | version),
                static_cast<unsigned>((drawn.second >> 48U & 0x3fff) | variant),
                static_cast<unsigned long long>(drawn.second & 0xffff'ffff'ffff));
  return text.data();
}

std::string random_id() {
  std::array<char, 20> text{};
  std::snprintf(text.data(), text.size(), "%016llx",
                static_cast<unsigned long long>(wire::hash_key::random().first));
  return text.data();
}

}  // namespace scattergate::fleet
