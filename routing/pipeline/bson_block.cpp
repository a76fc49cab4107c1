#include "routing/pipeline/bson_block.hpp"

#include <algorithm>
#include <cstring>

#include "wire/endian.hpp"

namespace scattergate::routing {
namespace {

constexpr std::byte nul{0};

}  // namespace

void bson_block::put(const void* from, std::size_t bytes) noexcept {
  if (writes_) {
    sound_ = sound_ && bytes <= room_.size() - size_;
    if (!sound_) return;
    if (bytes != 0) std::memcpy(room_.data() + size_, from, bytes);
  }
  size_ += bytes;
  most_ = std::max(most_, size_);
}

void bson_block::begin(wire::bson_type type, std::string_view key) noexcept {
  put(&type, sizeof type);
  put(key.data(), key.size());
  put(&nul, sizeof nul);
}

std::size_t bson_block::reserve_length() noexcept {
  const std::size_t at = size_;
  const std::int32_t unknown = 0;
  put(&unknown, sizeof unknown);
  return at;
}

void bson_block::add(std::string_view key, const wire::element& value) noexcept {
  begin(value.type(), key);
  put(value.value().data(), value.value().size());
}

void bson_block::add_text(std::string_view key, std::string_view start,
                          std::string_view rest) noexcept {
  begin(wire::bson_type::string, key);
  const auto length = static_cast<std::int32_t>(start.size() + rest.size() + sizeof nul);
  put(&length, sizeof length);
  put(start.data(), start.size());
  put(rest.data(), rest.size());
  put(&nul, sizeof nul);
}

std::size_t bson_block::open(wire::bson_type type, std::string_view key) noexcept {
  begin(type, key);
  return reserve_length();
}

void bson_block::close(std::size_t opened) noexcept {
  put(&nul, sizeof nul);
  if (!writes_ || !sound_) return;
  wire::store_little(room_.data() + opened, static_cast<std::int32_t>(size_ - opened));
}

}  // namespace scattergate::routing
