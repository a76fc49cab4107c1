#include "tests/fuzz/hostile_replies.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/text/extended_json.hpp"
#include "tests/fuzz/judging.hpp"
#include "wire/bson_writer.hpp"
#include "wire/command.hpp"
#include "wire/endian.hpp"
#include "wire/header.hpp"

namespace scattergate::fuzz {
namespace {

using bytes = std::vector<std::byte>;
using wire::bson_type;
using wire::bson_writer;
using wire::document_view;
using wire::element;

constexpr std::string_view hello_json = R"({
  "ismaster": true, "msg": "isdbgrid", "maxWireVersion": 25, "minWireVersion": 0,
  "maxBsonObjectSize": 16777216, "maxMessageSizeBytes": 48000000,
  "saslSupportedMechs": ["SCRAM-SHA-256", "SCRAM-SHA-1"],
  "logicalSessionTimeoutMinutes": 30, "ok": 1})";

constexpr const char* uuid = R"({"$binary": {"base64": "AAAAAAAAAAAAAAAAAAAAAA==",
                                             "subType": "04"}})";

std::string cursor(std::string_view batch, const std::string& records) {
  return R"({"cursor": {"id": {"$numberLong": "0"}, "ns": "config.x", ")" + std::string{batch} +
         R"(": [)" + records + R"(]}, "ok": 1})";
}

std::string chunk(const char* min, const char* max, const char* shard, int minor) {
  return std::string{R"({"uuid": )"} + uuid + R"(, "min": {"k": )" + min +
         R"(}, "max": {"k": )" + max + R"(}, "shard": ")" + shard +
         R"(", "lastmod": {"$timestamp": {"t": 1, "i": )" + std::to_string(minor) + "}}}";
}

/// r, s and i (RFC 5802): 28 bytes of salt, as SCRAM-SHA-256 has them, and few iterations.
constexpr const char* login_json = R"({
  "conversationId": 1, "done": false, "payload": {"$binary": {"subType": "00", "base64":
  "cj14LHM9QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE9PSxpPTQwOTY="}}, "ok": 1})";

/// v (RFC 5802).
constexpr const char* login_end_json = R"({
  "conversationId": 1, "done": true,
  "payload": {"$binary": {"subType": "00", "base64": "dj1BQUFB"}}, "ok": 1})";

/// By the command's name, and for some what it is about.
std::map<std::string, std::string, std::less<>> texts_of_replies() {
  constexpr const char* on_both = R"([{"shardName": "a"}, {"shardName": "b"}])";
  const std::string collection = std::string{R"({"_id": "d.c", "unique": false, "uuid": )"} +
                                 uuid +
                                 R"(, "lastmodEpoch": {"$oid": "5f0000000000000000000001"},
      "timestamp": {"$timestamp": {"t": 1, "i": 1}}, "key": {"k": 1}})";
  return {
      {"hello", std::string{hello_json}},
      {"isMaster", std::string{hello_json}},
      {"buildInfo", R"({"version": "8.0.4", "ok": 1})"},
      {"saslStart", login_json},
      {"saslContinue", login_end_json},
      {"find version",
       cursor("firstBatch",
              R"({"_id": 1, "clusterId": {"$oid": "5f0000000000000000000002"}})")},
      {"find shards", cursor("firstBatch", R"({"_id": "a", "host": "a/h:1", "state": 1},
                                              {"_id": "b", "host": "b/h:2", "state": 1})")},
      {"find databases", cursor("firstBatch", R"({"_id": "d", "primary": "a"})")},
      {"find collections", cursor("firstBatch", collection)},
      {"find chunks", cursor("firstBatch", chunk(R"({"$minKey": 1})", "10", "a", 1) + ", " +
                                               chunk("10", R"({"$maxKey": 1})", "b", 2))},
      {"listCollections",
       cursor("firstBatch", R"({"name": "v", "type": "view", "options": {"viewOn": "c",
                                "pipeline": [{"$match": {"k": 1}}]}})")},
      {"getMore", cursor("nextBatch", "")},
      {"explain find", std::string{R"({"queryPlanner": {"winningPlan": {
         "stage": "SHARD_MERGE", "shards": )"} +
                           on_both + R"(}}, "ok": 1})"},
      {"explain aggregate",
       R"({"mergeType": "mongos", "shards": {"a": {"host": "h"}, "b": {"host": "i"}}, "ok": 1})"},
      {"explain update", std::string{R"({"queryPlanner": {"winningPlan": {
         "stage": "SHARD_WRITE", "shards": [{"shardName": "a"}], "inputStage": {"winningPlan": {
         "stage": "SHARD_MERGE", "shards": )"} +
                             on_both + R"(}}}}, "ok": 1})"},
      {"", R"({"ok": 1})"},
  };
}

document_view reply_called(std::string_view name) {
  static const auto made = [] {
    std::map<std::string, bytes, std::less<>> replies;
    for (const auto& [key, text] : texts_of_replies()) {
      config::bson_bytes document = config::bson_of_json(text).value();
      replies.emplace(key, std::move(document.bytes));
    }
    return replies;
  }();
  const auto found = made.find(name);
  const auto& reply = found == made.end() ? made.find("")->second : found->second;
  return *document_view::from(reply);
}

std::string name_of_reply(const wire::command& asked) {
  if (asked.name == "ismaster") return "isMaster";
  std::string name{asked.name};
  if (name == "find") return name + " " + std::string{asked.collection};
  if (name != "explain") return name;
  const auto inner = asked.first.as_document();
  element explained;
  if (inner && wire::document_reader{*inner}.next(explained)) {
    name += " " + std::string{explained.key()};
  }
  return name;
}

template <typename Number>
void write_number(bson_writer& to, std::string_view name, bson_type type, Number value) {
  std::array<std::byte, sizeof value> written{};
  wire::store_little(written.data(), value);
  to.raw(name, type, written);
}

void write_double(bson_writer& to, std::string_view name, double value) {
  write_number(to, name, bson_type::float64, std::bit_cast<std::uint64_t>(value));
}

void write_nested(bson_writer& to, std::string_view name, int levels) {
  to.open_document(name);
  for (int i = 1; i < levels; ++i) to.open_document("a");
  for (int i = 0; i < levels; ++i) to.close();
}

void write_many(bson_writer& to, std::string_view name) {
  constexpr int members = 5'000;
  to.open_array(name);
  for (int i = 0; i < members; ++i) {
    to.open_document(std::to_string(i));
    to.text("shardName", "s" + std::to_string(i));
    to.close();
  }
  to.close();
}

using absurd_value = void (*)(bson_writer& to, std::string_view name, const element& good);

constexpr auto least = std::numeric_limits<std::int64_t>::min();
constexpr auto most = std::numeric_limits<std::int64_t>::max();

/// The corpus counts on their order: further ones go to the end.
constexpr auto absurd_values = std::to_array<absurd_value>({
    [](auto&, auto, const auto&) {},  // it is missing
    [](auto& to, auto name, const auto& good) {
      to.copy(name, good);
      to.copy(name, good);
    },
    [](auto& to, auto name, const auto&) { write_double(to, name, std::nan("")); },
    [](auto& to, auto name, const auto&) { write_double(to, name, HUGE_VAL); },
    [](auto& to, auto name, const auto&) { write_double(to, name, -0.5); },
    [](auto& to, auto name, const auto&) { write_double(to, name, 0x1p63); },
    [](auto& to, auto name, const auto&) { to.int32(name, -1); },
    [](auto& to, auto name, const auto&) { to.int32(name, 0); },
    [](auto& to, auto name, const auto&) { to.int32(name, 0x7fffffff); },
    [](auto& to, auto name, const auto&) { to.int64(name, least); },
    [](auto& to, auto name, const auto&) { to.int64(name, most); },
    [](auto& to, auto name, const auto&) { to.int64(name, 7); },
    [](auto& to, auto name, const auto&) { to.boolean(name, true); },
    [](auto& to, auto name, const auto&) { to.raw(name, bson_type::null, {}); },
    [](auto& to, auto name, const auto&) { to.raw(name, bson_type::min_key, {}); },
    [](auto& to, auto name, const auto&) { to.text(name, ""); },
    [](auto& to, auto name, const auto&) { to.text(name, "\x1b[2K\r\n::error::all is well"); },
    [](auto& to, auto name, const auto&) { to.text(name, "\xff\xfe\xe2\x80\xae\xed\xa0\x80"); },
    [](auto& to, auto name, const auto&) {
      to.text(name, std::string_view{"a.b\0c.d", 7});
    },
    [](auto& to, auto name, const auto&) { to.text(name, std::string(60'000, 'x')); },
    [](auto& to, auto name, const auto&) { write_nested(to, name, 1); },
    [](auto& to, auto name, const auto&) { write_nested(to, name, 150); },
    [](auto& to, auto name, const auto&) { write_nested(to, name, 5'000); },
    [](auto& to, auto name, const auto&) {
      to.open_array(name);
      to.close();
    },
    [](auto& to, auto name, const auto&) { write_many(to, name); },
    [](auto& to, auto name, const auto&) {  // a length that goes beyond the document's end
      write_number(to, name, bson_type::document, std::uint64_t{0x7fffffff});
    },
    [](auto& to, auto name, const auto&) {  // a binary of subtype 2 whose inner length is wrong
      write_number(to, name, bson_type::binary, std::uint64_t{0xffff'ff02'0000'0003});
    },
    [](auto& to, auto name, const auto& good) { to.raw(name, bson_type{0x42}, good.value()); },
});

/// Copies documents of our own, of a few levels.
class absurd_copy {
 public:
  explicit absurd_copy(std::span<const std::byte> choices) : choices_(choices) {}

  void write(document_view document, bson_writer& to) {
    wire::document_reader reader{document};
    for (element field; reader.next(field);) {
      if (const auto chosen = choice()) {
        absurd_values[*chosen](to, field.key(), field);
      } else if (const auto inside = field.as_container()) {
        field.is_array() ? to.open_array(field.key()) : to.open_document(field.key());
        write(*inside, to);
        to.close();
      } else {
        to.copy(field);
      }
    }
  }

 private:
  /// What the next value is replaced by; nothing: it isn't.
  std::optional<std::size_t> choice() {
    const std::size_t value = next_++;
    for (std::size_t i = 0; i + 1 < choices_.size(); i += 2) {
      if (std::to_integer<std::size_t>(choices_[i]) != value) continue;
      return std::to_integer<std::size_t>(choices_[i + 1]) % absurd_values.size();
    }
    return std::nullopt;
  }

  std::span<const std::byte> choices_;
  std::size_t next_ = 0;
};

}  // namespace

document_view good_reply(std::span<const std::byte> request) {
  const auto header = wire::parse_header(request.first<wire::limits::header_bytes>());
  if (!header) return reply_called("");
  const auto command = wire::parse_command(*header, request);
  return reply_called(command ? name_of_reply(*command) : std::string{});
}

document_view good_hello() {
  return reply_called("hello");
}

bytes made_absurd(document_view document, std::span<const std::byte> choices) {
  bson_writer made;
  absurd_copy{choices}.write(document, made);
  return made.take();
}

}  // namespace scattergate::fuzz
