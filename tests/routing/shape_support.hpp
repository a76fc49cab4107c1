#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "routing/shape/shape.hpp"
#include "tests/support/json_document.hpp"
#include "wire/command.hpp"
#include "wire/endian.hpp"

/// Computes the shapes (texts without values) of commands written as Extended JSON.
namespace scattergate::routing_tests {

/// A command written as Extended JSON. Owns the bytes that wire::command refers to.
class json_command {
 public:
  explicit json_command(std::string_view json)
      : document_{json}, command_{wire::command_of(document_.view()).value()} {}

  /// Adds `documents` as a document sequence (kind-1 section) named `identifier`. May be
  /// called several times.
  void add_sequence(std::string_view identifier, const std::vector<std::string>& documents) {
    std::string content{identifier};
    content.push_back('\0');
    for (const std::string& each : documents) {
      const tests::json_document document{each};
      const auto bytes = document.view().bytes();
      content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    std::string size(4, '\0');
    wire::store_little(size.data(), static_cast<std::int32_t>(content.size() + 4));
    sections_ += '\1' + size + content;
    command_.sequences = wire::sequence_range{std::as_bytes(std::span{sections_})};
  }

  /// The command; valid while this object exists.
  [[nodiscard]] const wire::command& command() const { return command_; }

 private:
  tests::json_document document_;
  std::string sections_;
  wire::command command_;
};

/// A routing::scratch (memory for judging) that owns its memory block. A worker has one, too.
class lent_scratch {
 public:
  explicit lent_scratch(std::size_t bytes = routing::scratch_bytes)
      : block_(bytes), memory_{block_} {}
  [[nodiscard]] routing::scratch& memory() { return memory_; }

 private:
  std::vector<std::byte> block_;
  routing::scratch memory_;
};

/// The shape of a command as text.
inline std::string shape_of(const wire::command& command) {
  lent_scratch lent;
  return routing::shape_json(command, lent.memory());
}

/// The shape of a command in Extended JSON, as text.
inline std::string shape_of(std::string_view json) {
  return shape_of(json_command{json}.command());
}

/// The hash of a command's shape as text.
inline std::string hash_of_shape(const wire::command& command) {
  lent_scratch lent;
  return routing::shape_hash_text(routing::shape_hash(command, lent.memory()));
}

/// The hash of the shape of a command in Extended JSON, as text.
inline std::string hash_of_shape(std::string_view json) {
  return hash_of_shape(json_command{json}.command());
}

}  // namespace scattergate::routing_tests
