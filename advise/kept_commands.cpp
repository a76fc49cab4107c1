#include "advise/kept_commands.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "wire/bson_writer.hpp"

namespace scattergate::advise {
namespace {

/// The assumed memory of a command or a shape besides its command bytes.
constexpr std::size_t overhead = 96;

/// Arguments that don't affect routing.
constexpr std::array<std::string_view, 12> left_out = {
    "lsid",         "$clusterTime",    "$configTime",     "$topologyTime",
    "$client",      "comment",         "maxTimeMS",       "readConcern",
    "writeConcern", "databaseVersion", "$readPreference", "projection"};

std::vector<std::byte> without_session(wire::document_view body) {
  wire::bson_writer made;
  wire::document_reader reader{body};
  for (wire::element field; reader.next(field);) {
    if (std::ranges::find(left_out, field.key()) == left_out.end()) made.copy(field);
  }
  return made.take();
}

/// The n-th number of a fixed pseudo-random sequence (splitmix64), for the n-th command.
std::uint64_t lot_of(std::uint64_t n) noexcept {
  std::uint64_t x = n * 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

std::size_t bytes_of(const kept_commands::command& one) noexcept {
  return one.body.capacity() + overhead;
}

}  // namespace

void kept_commands::keep(std::uint64_t shape_hash, wire::document_view body,
                         std::optional<digest::wall_time> at) {
  const auto [place, is_new] = shapes_.try_emplace(shape_hash);
  of_shape& shape = place->second;
  if (is_new) bytes_ += overhead;
  ++shape.seen;
  if (body.size_bytes() > most_of_one) {
    ++shape.too_long;
    return;
  }
  ++taken_;
  if (lot_of(taken_) > shape.keep_up_to) return;
  command made{without_session(body), at, taken_};
  const std::size_t more = bytes_of(made);
  shape.commands.push_back(std::move(made));
  shape.bytes += more;
  bytes_ += more;
  if (bytes_ > max_bytes_) make_room();
}

const kept_commands::of_shape* kept_commands::find(std::uint64_t shape_hash) const noexcept {
  const auto found = shapes_.find(shape_hash);
  return found == shapes_.end() ? nullptr : &found->second;
}

/// Halves samples until they use three quarters of the limit, so that the next commands don't
/// cause the same work again.
void kept_commands::make_room() {
  while (bytes_ > max_bytes_ / 4 * 3) {
    std::size_t most = 0;
    for (const auto& [hash, one] : shapes_) most = std::max(most, one.bytes);
    if (most == 0) return;
    for (auto& [hash, one] : shapes_) {
      if (one.bytes * 2 > most) halve(one);
    }
  }
}

void kept_commands::halve(of_shape& one) {
  one.keep_up_to /= 2;
  std::erase_if(one.commands, [&](const command& each) {
    if (lot_of(each.order) <= one.keep_up_to) return false;
    one.bytes -= bytes_of(each);
    bytes_ -= bytes_of(each);
    return true;
  });
  one.commands.shrink_to_fit();
}

}  // namespace scattergate::advise
