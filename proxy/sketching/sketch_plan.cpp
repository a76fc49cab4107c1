#include "proxy/sketching/sketch_plan.hpp"

#include <algorithm>

#include "wire/bson.hpp"
#include "wire/endian.hpp"

namespace scattergate::proxy {
namespace {

constexpr std::size_t name_bytes = sizeof(std::uint64_t);
constexpr std::size_t length_bytes = sizeof(std::uint32_t);
/// The last 8 bytes before an insert's documents: the end of "documents", and its NUL.
constexpr std::string_view documents_name{"cuments\0", name_bytes};

std::uint64_t load_before(std::span<const std::byte> message, std::size_t at) noexcept {
  return wire::load_little<std::uint64_t>(message.data() + at - name_bytes);
}

}  // namespace

bool sketch_plan::add(std::span<const std::byte> message, const wire::element& next,
                      digest::sketched_field field) noexcept {
  const auto* const begin = next.value().data();
  if (count == most_values || begin < message.data() + name_bytes ||
      begin > message.data() + message.size() ||
      wire::value_size(next.type(), next.value()) != next.value().size()) {
    return false;
  }
  const auto at = static_cast<std::size_t>(begin - message.data());
  if (at < end_ || at - end_ > UINT16_MAX) return false;
  const std::size_t bytes = std::min(next.key().size() + 2, name_bytes);
  value& made = values[count++];
  made.mask = ~std::uint64_t{0} << (8 * (name_bytes - bytes));
  made.name = load_before(message, at) & made.mask;
  made.field = field;
  made.distance = static_cast<std::uint16_t>(at - end_);
  made.type = next.type();
  end_ = at + next.value().size();
  return true;
}

std::optional<std::span<const std::byte>> sketch_plan::find(const value& one,
                                                            std::span<const std::byte> message,
                                                            std::size_t& at) noexcept {
  at += one.distance;
  if (at < name_bytes || at >= message.size()) return std::nullopt;
  if ((load_before(message, at) & one.mask) != one.name) return std::nullopt;
  const std::span<const std::byte> rest = message.subspan(at);
  const std::size_t size = wire::value_size(one.type, rest);
  if (size > rest.size()) return std::nullopt;
  at += size;
  return rest.first(size);
}

bool sketch_plan::add_documents(std::span<const std::byte> message,
                                std::span<const std::byte> from) noexcept {
  if (from.data() < message.data() + name_bytes ||
      from.data() >= message.data() + message.size()) {
    return false;
  }
  const auto at = static_cast<std::size_t>(from.data() - message.data());
  if (at > UINT16_MAX) return false;
  documents = static_cast<std::uint16_t>(at);
  return documents_in(message).size() == from.size();
}

std::span<const std::byte> sketch_plan::documents_in(
    std::span<const std::byte> message) const noexcept {
  constexpr std::size_t head = length_bytes + std::string_view{"documents"}.size() + 1;
  if (documents < head || documents >= message.size()) return {};
  const auto expected = wire::load_little<std::uint64_t>(
      reinterpret_cast<const std::byte*>(documents_name.data()));
  if (load_before(message, documents) != expected) return {};
  const std::size_t length =
      wire::load_little<std::uint32_t>(message.data() + documents - head);
  const auto rest = message.subspan(documents);
  if (length < head || length - head > rest.size()) return {};
  return rest.first(length - head);
}

}  // namespace scattergate::proxy
