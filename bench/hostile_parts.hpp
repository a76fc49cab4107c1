#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/hostile.hpp"
#include "wire/bson_writer.hpp"

/// Building blocks of hostile commands.
namespace scattergate::bench {

using bytes = std::vector<std::byte>;
using writer = wire::bson_writer;

inline std::string name_of(std::string_view stem, std::size_t i) {
  return std::string{stem} + std::to_string(i);
}

template <typename Inside>
void document(writer& to, std::string_view name, Inside inside) {
  to.open_document(name);
  inside();
  to.close();
}

template <typename Inside>
void array(writer& to, std::string_view name, Inside inside) {
  to.open_array(name);
  inside();
  to.close();
}

/// `count` documents as members of an open array or document.
template <typename Inside>
void members(writer& to, std::size_t count, Inside inside) {
  for (std::size_t i = 0; i != count; ++i) {
    document(to, std::to_string(i), [&] { inside(i); });
  }
}

/// {command: collection, ..., $db: bench}
template <typename Inside>
hostile_request a_command(std::string_view command, std::string_view collection,
                          Inside inside) {
  writer to;
  to.text(command, collection);
  inside(to);
  to.text("$db", "bench");
  return hostile_request{to.take()};
}

template <typename Inside>
hostile_request a_find(std::string_view collection, Inside inside) {
  return a_command("find", collection,
                   [&](writer& to) { document(to, "filter", [&] { inside(to); }); });
}

template <typename Inside>
hostile_request an_aggregate(Inside inside) {
  return a_command("aggregate", "ranged", [&](writer& to) {
    array(to, "pipeline", [&] { inside(to); });
    document(to, "cursor", [] {});
  });
}

/// `count` documents of a batch, in a section after the body.
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

inline std::int32_t number(std::size_t i) {
  return static_cast<std::int32_t>(i * 2'654'435'761U % 1'000'000'007U);
}

/// {$eq: [left, right]} as the next member.
inline void equality(writer& to, std::size_t i, std::string_view left, std::string_view right) {
  document(to, std::to_string(i), [&] {
    array(to, "$eq", [&] {
      to.text("0", left);
      to.text("1", right);
    });
  });
}

}  // namespace scattergate::bench
