#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/hostile.hpp"
#include "wire/bson_writer.hpp"

/// Functions that build hostile commands (see hostile.hpp). The argument `inside` is a function
/// that writes the content.
namespace scattergate::bench {

using bytes = std::vector<std::byte>;
using writer = wire::bson_writer;

/// A name with a number: "a12".
inline std::string name_of(std::string_view stem, std::size_t i) {
  return std::string{stem} + std::to_string(i);
}

/// Writes a document field.
template <typename Inside>
void document(writer& to, std::string_view name, Inside inside) {
  to.open_document(name);
  inside();
  to.close();
}

/// Writes an array field.
template <typename Inside>
void array(writer& to, std::string_view name, Inside inside) {
  to.open_array(name);
  inside();
  to.close();
}

/// Writes `count` documents as members of the open array or document; inside(i) writes the
/// content of member i.
template <typename Inside>
void members(writer& to, std::size_t count, Inside inside) {
  for (std::size_t i = 0; i != count; ++i) {
    document(to, std::to_string(i), [&] { inside(i); });
  }
}

/// Makes a command: {command: collection, ..., $db: "bench"}.
template <typename Inside>
hostile_request a_command(std::string_view command, std::string_view collection,
                          Inside inside) {
  writer to;
  to.text(command, collection);
  inside(to);
  to.text("$db", "bench");
  return hostile_request{to.take()};
}

/// Makes a find; `inside` writes the filter's fields.
template <typename Inside>
hostile_request a_find(std::string_view collection, Inside inside) {
  return a_command("find", collection,
                   [&](writer& to) { document(to, "filter", [&] { inside(to); }); });
}

/// Makes an aggregate on `ranged`; `inside` writes the stages.
template <typename Inside>
hostile_request an_aggregate(Inside inside) {
  return a_command("aggregate", "ranged", [&](writer& to) {
    array(to, "pipeline", [&] { inside(to); });
    document(to, "cursor", [] {});
  });
}

/// Makes a batch of `count` statements, in the document sequence `sequence`; inside(to, i)
/// writes statement i.
template <typename Inside>
hostile_request a_batch(std::string_view command, std::string_view collection,
                        std::string_view sequence, std::size_t count, Inside inside) {
  writer body;
  body.text(command, collection);
  body.text("$db", "bench");
  bytes documents;
  for (std::size_t i = 0; i != count; ++i) {
    writer to;
    inside(to, i);
    const bytes one = to.take();
    documents.insert(documents.end(), one.begin(), one.end());
  }
  return {body.take(), sequence, documents};
}

/// A number below 1,000,000,007 that looks random, but depends only on `i`.
inline std::int32_t number(std::size_t i) {
  return static_cast<std::int32_t>(i * 2'654'435'761U % 1'000'000'007U);
}

/// Writes {$eq: [left, right]} as member `i` of the open array.
inline void equality(writer& to, std::size_t i, std::string_view left, std::string_view right) {
  document(to, std::to_string(i), [&] {
    array(to, "$eq", [&] {
      to.text("0", left);
      to.text("1", right);
    });
  });
}

}  // namespace scattergate::bench
