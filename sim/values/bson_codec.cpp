#include "sim/values/bson_codec.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include <bson/bson.h>

#include "sim/values/error.hpp"

namespace scattergate::sim {
namespace {

using wire::load_little;

[[noreturn]] void invalid(const std::string& what) {
  refuse("invalid BSON: " + what);
}

template <std::size_t Size>
std::array<std::uint8_t, Size> bytes_of(const std::byte* from) {
  std::array<std::uint8_t, Size> bytes;
  std::memcpy(bytes.data(), from, Size);
  return bytes;
}

std::string chars_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Decodes a document into a tree. Recursive; the budget limits the depth.
class decoder {
 public:
  explicit decoder(wire::inspect_budget& budget) : budget_(budget) {}

  document read_document(wire::document_view bytes) {
    document out;
    walk(bytes, [&out](std::string_view name, value content) {
      out.append(name, std::move(content));
    });
    return out;
  }

 private:
  template <typename Sink>
  void walk(wire::document_view bytes, Sink sink) {
    if (!budget_.enter())
      refuse(errc::overflow, "BSONObj exceeded maximum nested object depth");
    wire::document_reader reader{bytes};
    for (wire::element each; reader.next(each);) {
      if (!budget_.spend_node()) refuse(errc::overflow, "too many fields");
      sink(each.key(), read_value(each));
    }
    if (reader.is_corrupt()) invalid("broken element");
    budget_.leave();
  }

  array read_array(wire::document_view bytes) {
    array out;
    walk(bytes, [&out](std::string_view, value content) { out.push_back(std::move(content)); });
    return out;
  }

  static wire::document_view embedded(const wire::element& each) {
    const auto inner = each.as_container();
    if (!inner) invalid("broken embedded document");
    return *inner;
  }

  static regex read_regex(std::span<const std::byte> bytes) {
    const std::string both = chars_of(bytes);
    const std::size_t end = both.find('\0');
    if (end == std::string::npos) invalid("regex without end");
    const std::size_t options_end = both.find('\0', end + 1);
    if (options_end == std::string::npos) invalid("regex options without end");
    return {both.substr(0, end), both.substr(end + 1, options_end - end - 1)};
  }

  static binary read_binary(std::span<const std::byte> bytes) {
    constexpr std::size_t head = 5;
    if (bytes.size() < head) invalid("short binary");
    return {static_cast<std::uint8_t>(bytes[4]), chars_of(bytes.subspan(head))};
  }

  static db_pointer read_db_pointer(std::span<const std::byte> bytes) {
    constexpr std::size_t tail = 12;
    if (bytes.size() < 5 + tail) invalid("short DBPointer");
    const auto text = bytes.subspan(4, bytes.size() - 5 - tail);
    return {chars_of(text), {bytes_of<tail>(bytes.data() + bytes.size() - tail)}};
  }

  code_with_scope read_scoped(std::span<const std::byte> bytes) {
    constexpr std::size_t head = 8;
    if (bytes.size() < head + 1) invalid("short code with scope");
    const auto length = load_little<std::uint32_t>(bytes.data() + 4);
    if (length == 0 || length > bytes.size() - head) invalid("code with scope overruns");
    const auto scope = wire::document_view::from(bytes.subspan(head + length));
    if (!scope) invalid("broken scope");
    return {chars_of(bytes.subspan(head, length - 1)), read_document(*scope)};
  }

  value read_value(const wire::element& each) {
    const std::byte* from = each.value().data();
    switch (each.type()) {
      case bson_type::float64:
        return load_little<double>(from);
      case bson_type::int32:
        return load_little<std::int32_t>(from);
      case bson_type::int64:
        return load_little<std::int64_t>(from);
      case bson_type::boolean:
        return load_little<std::uint8_t>(from) != 0;
      case bson_type::string:
        return std::string{each.as_string()};
      case bson_type::symbol:
        return symbol{std::string{each.as_string()}};
      case bson_type::code:
        return code{std::string{each.as_string()}};
      case bson_type::document:
        return read_document(embedded(each));
      case bson_type::array:
        return read_array(embedded(each));
      case bson_type::object_id:
        return object_id{bytes_of<12>(from)};
      case bson_type::decimal128:
        return decimal128{bytes_of<16>(from)};
      case bson_type::date:
        return date{load_little<std::int64_t>(from)};
      case bson_type::timestamp:
        return timestamp{load_little<std::uint32_t>(from),
                         load_little<std::uint32_t>(from + 4)};
      case bson_type::binary:
        return read_binary(each.value());
      case bson_type::regex:
        return read_regex(each.value());
      case bson_type::db_pointer:
        return read_db_pointer(each.value());
      case bson_type::code_with_scope:
        return read_scoped(each.value());
      case bson_type::undefined:
        return undefined{};
      case bson_type::null:
        return null{};
      case bson_type::min_key:
        return min_key{};
      case bson_type::max_key:
        return max_key{};
    }
    invalid("unknown type");
  }

  wire::inspect_budget& budget_;
};

void put_text(std::string& out, std::string_view text) {
  append_little(out, static_cast<std::int32_t>(text.size() + 1));
  out.append(text);
  out.push_back('\0');
}

/// A name can't contain a NUL: truncated there, like a C string.
void put_name(std::string& out, std::string_view name) {
  out.append(name.substr(0, name.find('\0')));
  out.push_back('\0');
}

void close_at(std::string& out, std::size_t start) {
  wire::store_little(out.data() + start, static_cast<std::int32_t>(out.size() - start));
}

struct value_writer {
  std::string& out;

  void operator()(bool flag) const { out.push_back(flag ? '\1' : '\0'); }
  void operator()(std::int32_t number) const { append_little(out, number); }
  void operator()(std::int64_t number) const { append_little(out, number); }
  void operator()(double number) const { append_little(out, number); }
  void operator()(const decimal128& number) const { append_little(out, number.bytes); }
  void operator()(const std::string& text) const { put_text(out, text); }
  void operator()(const symbol& text) const { put_text(out, text.text); }
  void operator()(const code& text) const { put_text(out, text.text); }
  void operator()(const document& content) const { encode(content, out); }
  void operator()(const array& content) const {
    const std::size_t start = out.size();
    append_little(out, std::int32_t{0});
    for (std::size_t i = 0; i < content.size(); ++i) {
      out.push_back(static_cast<char>(content[i].type()));
      put_name(out, std::to_string(i));
      std::visit(*this, content[i].data());
    }
    out.push_back('\0');
    close_at(out, start);
  }
  void operator()(const binary& content) const {
    append_little(out, static_cast<std::int32_t>(content.bytes.size()));
    append_little(out, content.subtype);
    out.append(content.bytes);
  }
  void operator()(const object_id& id) const { append_little(out, id.bytes); }
  void operator()(const date& when) const { append_little(out, when.millis); }
  void operator()(const timestamp& when) const {
    append_little(out, when.increment);
    append_little(out, when.seconds);
  }
  void operator()(const regex& content) const {
    put_name(out, content.pattern);
    put_name(out, content.options);
  }
  void operator()(const db_pointer& content) const {
    put_text(out, content.ns);
    append_little(out, content.id.bytes);
  }
  void operator()(const code_with_scope& content) const {
    const std::size_t start = out.size();
    append_little(out, std::int32_t{0});
    put_text(out, content.text);
    encode(content.scope, out);
    close_at(out, start);
  }
  template <typename T>
  void operator()(const T&) const {}  // null, undefined, MinKey, MaxKey have no bytes
};

}  // namespace

document decode(wire::document_view bytes, wire::inspect_budget& budget) {
  return decoder{budget}.read_document(bytes);
}

document decode(wire::document_view bytes) {
  wire::inspect_budget budget{decode_nodes, decode_depth};
  return decode(bytes, budget);
}

void encode(const document& content, std::string& out) {
  const std::size_t start = out.size();
  append_little(out, std::int32_t{0});
  for (const field& each : content) {
    out.push_back(static_cast<char>(each.content.type()));
    put_name(out, each.name);
    encode_value(each.content, out);
  }
  out.push_back('\0');
  close_at(out, start);
}

std::string encode(const document& content) {
  std::string out;
  encode(content, out);
  return out;
}

void encode_value(const value& content, std::string& out) {
  std::visit(value_writer{out}, content.data());
}

std::size_t encoded_bytes(const document& content) {
  return encode(content).size();
}

std::string to_json(const document& content, bool canonical) {
  const std::string bytes = encode(content);
  bson_t raw;
  if (!bson_init_static(&raw, reinterpret_cast<const std::uint8_t*>(bytes.data()),
                        bytes.size())) {
    return "{}";
  }
  const std::unique_ptr<char, decltype(&bson_free)> text{
      canonical ? bson_as_canonical_extended_json(&raw, nullptr)
                : bson_as_relaxed_extended_json(&raw, nullptr),
      &bson_free};
  return text ? std::string{text.get()} : "{}";
}

}  // namespace scattergate::sim
