#include "digest/sketches/sketched_value.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "routing/keys/key_encoding.hpp"
#include "wire/endian.hpp"

namespace scattergate::digest {
namespace {

/// Pearson's coefficient.
double correlation_of(std::span<const double> a, std::span<const double> b) noexcept {
  const auto n = static_cast<double>(a.size());
  double mean_a = 0;
  double mean_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    mean_a += a[i] / n;
    mean_b += b[i] / n;
  }
  double both = 0;
  double own_a = 0;
  double own_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += (a[i] - mean_a) * (b[i] - mean_b);
    own_a += (a[i] - mean_a) * (a[i] - mean_a);
    own_b += (b[i] - mean_b) * (b[i] - mean_b);
  }
  if (own_a == 0 || own_b == 0) return 0;
  return std::clamp(both / std::sqrt(own_a * own_b), -1.0, 1.0);
}

value_head head_of(routing::bytes_view encoded) noexcept {
  std::array<std::byte, sizeof(value_head)> bytes{};
  std::memcpy(bytes.data(), encoded.data(), std::min(encoded.size(), bytes.size()));
  return {routing::head_of(std::span{bytes}.first<8>()),
          routing::head_of(std::span{bytes}.last<8>())};
}

/// Encodes common values as routing::encode() does, but on the stack.
class short_encoding {
 public:
  /// False if the value needs routing::encode().
  bool encode(const wire::element& value) noexcept {
    using enum wire::bson_type;
    const auto bytes = value.value();
    switch (value.type()) {
      case int32:
        return bytes.size() == 4 && put_whole(wire::load_little<std::int32_t>(bytes.data()));
      case int64:
        return bytes.size() == 8 && put_whole(wire::load_little<std::int64_t>(bytes.data()));
      case object_id:
        return bytes.size() == 12 && put(routing::canonical_type::object_id, bytes);
      case null:
        return put(routing::canonical_type::null, {});
      case string:
        return put_string(bytes);
      default:
        return false;
    }
  }
  [[nodiscard]] sketched_value as_value(sketched_field field,
                                        const salt& hash_salt) const noexcept {
    return {field,
            salted_hash(std::span{bytes_}.first(size_), hash_salt),
            {routing::head_of(std::span{bytes_}.first<8>()),
             routing::head_of(std::span{bytes_}.subspan<8, 8>())}};
  }

 private:
  static constexpr std::size_t length_bytes = 4;
  static constexpr std::size_t longest_text = 64;

  bool put(routing::canonical_type type, routing::bytes_view from) noexcept {
    std::memset(bytes_.data(), 0, sizeof(value_head));
    bytes_[0] = static_cast<std::byte>(type);
    if (!from.empty()) std::memcpy(bytes_.data() + 1, from.data(), from.size());
    size_ = 1 + from.size();
    return true;
  }

  /// Encodes an integer as the double that equals it: its bits in sort order, then a byte that
  /// says that the double is exact.
  bool put_whole(std::int64_t value) noexcept {
    constexpr std::int64_t most = std::int64_t{1} << 53U;
    if (value > most || value < -most) return false;
    constexpr std::uint64_t sign = std::uint64_t{1} << 63U;
    const auto bits =
        std::bit_cast<std::uint64_t>(static_cast<double>(value < 0 ? -value : value)) | sign;
    std::array<std::byte, 9> order{};
    wire::store_little(order.data(), __builtin_bswap64(value < 0 ? ~bits : bits));
    order.back() = std::byte{0x80};
    return put(routing::canonical_type::number, order);
  }

  bool put_string(routing::bytes_view from) noexcept {
    if (from.size() <= length_bytes || from.size() > length_bytes + longest_text) return false;
    const auto text = from.subspan(length_bytes);
    if (wire::load_little<std::uint32_t>(from.data()) != text.size() ||
        std::memchr(text.data(), 0, text.size()) != &text.back()) {
      return false;
    }
    put(routing::canonical_type::string, text);
    std::memset(bytes_.data() + size_, 0, sizeof(value_head));
    ++size_;
    return true;
  }

  // With zeros after the encoding, so that as_value() can read whole words.
  std::array<std::byte, longest_text + 2 + sizeof(value_head)> bytes_;
  std::size_t size_ = 0;
};

}  // namespace

/// Called when a query's value follows values of new documents, or the reverse. Ignores the
/// query's value and returns false. For the first value of a new document, discards all values
/// of queries and returns true.
bool value_order::change_to(bool inserts) noexcept {
  if (!inserts) return false;
  *this = {};
  is_of_inserts_ = true;
  return true;
}

void value_order::take(const value_head& value) noexcept {
  const std::uint64_t at = seen_ - 1;
  if (at < samples) {
    kept_[at] = {value, at};
    if (at + 1 < samples) {
      next_ = at + 1;
      return;
    }
  } else {
    kept_[static_cast<std::size_t>(draw() * samples)] = {value, at};
  }
  threshold_ *= std::exp(std::log(draw()) / samples);
  const double skipped = std::floor(std::log(draw()) / std::log1p(-threshold_));
  constexpr double most = 1e18;
  next_ = at + 1 + static_cast<std::uint64_t>(std::clamp(skipped, 0.0, most));
}

/// A number in (0, 1): xorshift64* (Vigna).
double value_order::draw() noexcept {
  random_ ^= random_ >> 12U;
  random_ ^= random_ << 25U;
  random_ ^= random_ >> 27U;
  const std::uint64_t drawn = random_ * 0x2545f4914f6cdd1dU;
  constexpr double scale = 0x1p-53;
  return (static_cast<double>(drawn >> 11U) + 0.5) * scale;
}

double value_order::correlation() const {
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(seen_, samples));
  std::array<sample, samples> sorted = kept_;
  std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count),
            [](const sample& a, const sample& b) { return a.at < b.at; });
  std::array<double, samples> places{};
  std::array<double, samples> ranks{};
  for (std::size_t i = 0; i < count; ++i) {
    places[i] = static_cast<double>(i);
    for (std::size_t j = 0; j < count; ++j) {  // equal values share the mean of their ranks
      if (sorted[j].value < sorted[i].value) ranks[i] += 1;
      if (sorted[j].value == sorted[i].value && j != i) ranks[i] += 0.5;
    }
  }
  return correlation_of(std::span{places}.first(count), std::span{ranks}.first(count));
}

std::optional<value_order::result> value_order::measured() const {
  std::optional<result> own;
  if (seen_ >= least_values) own = result{seen_, correlation(), is_of_inserts_};
  if (!own || !others_) return own ? own : others_;
  const auto weight = static_cast<double>(own->values);
  const auto other = static_cast<double>(others_->values);
  own->correlation =
      (weight * own->correlation + other * others_->correlation) / (weight + other);
  own->values += others_->values;
  return own;
}

void value_order::add(const result& other) noexcept {
  if (other.is_of_inserts != is_of_inserts_ && !change_to(other.is_of_inserts)) return;
  if (!others_) {
    others_ = other;
    return;
  }
  const auto before = static_cast<double>(others_->values);
  const auto weight = static_cast<double>(other.values);
  others_->correlation =
      (before * others_->correlation + weight * other.correlation) / (before + weight);
  others_->values += other.values;
}

std::optional<sketched_value> sketched(sketched_field field, const wire::element& value,
                                       const salt& hash_salt,
                                       routing::scratch& memory) noexcept {
  short_encoding made_here;
  if (made_here.encode(value)) return made_here.as_value(field, hash_salt);
  if (value.value().size() > max_sketched_bytes || value.is_array()) return std::nullopt;
  const std::size_t mark = memory.mark();
  const routing::bytes_view encoded = routing::encode(value, memory);
  std::optional<sketched_value> made;
  if (!encoded.empty()) made = {field, salted_hash(encoded, hash_salt), head_of(encoded)};
  memory.rewind(mark);
  return made;
}

}  // namespace scattergate::digest
