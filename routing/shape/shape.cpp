#include "routing/shape/shape.hpp"

#include <algorithm>

#include "routing/shape/shape_writer.hpp"

namespace scattergate::routing {

namespace {

static_assert(shape_version < 10, "its one digit stands in the hashed text");

/// FNV-1a, 64 bits (draft-eastlake-fnv).
class fnv1a {
 public:
  void add(std::string_view text) noexcept {
    for (const char c : text) {
      hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x00000100000001B3ULL;
    }
  }
  [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }

 private:
  std::uint64_t hash_ = 0xCBF29CE484222325ULL;
};

struct written_shape {
  std::string_view text;
  bool has_given_up = false;
};

/// Writes the command's shape into `memory`.
written_shape write_shape(const wire::command& command, scratch& memory,
                          std::size_t max_bytes) noexcept {
  memory.reset();
  const auto buffer = memory.allocate<char>(2 * max_shape_bytes);
  if (buffer.empty()) return {"{\"...\":true}", false};
  shape_text text{buffer, std::clamp(max_bytes, shape_text::least_bytes, max_shape_bytes)};
  shape_writer writer{text, memory};
  writer.write_command(command.first, command.body, command.sequences);
  return {text.text(), writer.has_given_up()};
}

/// The collection that a command names.
struct target {
  std::string_view collection;
  bool is_whole_namespace = false;
};

target target_of(const wire::command& command) noexcept {
  command_kind kind = kind_of(command.name);
  std::string_view collection = command.collection;
  if (kind == command_kind::explain) {
    wire::element inner;
    const auto body = command.first.as_container();
    if (!body || !wire::document_reader{*body}.next(inner)) return {};
    kind = kind_of(inner.key());
    collection = inner.as_string();
  }
  if (!takes_collection(kind) && kind != command_kind::other) return {};
  return {collection, takes_namespace(kind) && collection.find('.') != collection.npos};
}

}  // namespace

std::uint64_t shape_hash(wire::namespace_view name, std::string_view command,
                         std::string_view shape) noexcept {
  constexpr char version = '0' + shape_version;
  fnv1a hash;
  hash.add({&version, 1});
  hash.add("\n");
  hash.add(name.database);
  if (!name.collection.empty()) hash.add(".");
  hash.add(name.collection);
  hash.add("\n");
  hash.add(name_of(kind_of(command)));
  hash.add("\n");
  hash.add(shape);
  return hash.hash();
}

hashed_shape hash_shape(const wire::command& command, scratch& memory) noexcept {
  const target target = target_of(command);
  wire::namespace_view in{command.database, target.collection};
  if (target.is_whole_namespace) in = wire::namespace_view::of(target.collection).value_or(in);
  const written_shape shape = write_shape(command, memory, max_shape_bytes);
  return {shape_hash(in, command.name, shape.text), shape.text, shape.has_given_up};
}

std::uint64_t shape_hash(const wire::command& command, scratch& memory) noexcept {
  return hash_shape(command, memory).hash;
}

std::string shape_json(const wire::command& command, scratch& memory, std::size_t max_bytes) {
  return std::string{write_shape(command, memory, max_bytes).text};
}

std::string shape_hash_text(std::uint64_t hash) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = 0; i < text.size(); ++i) {
    text[i] = digits[(hash >> (60 - 4 * i)) & 15U];
  }
  return text;
}

}  // namespace scattergate::routing
