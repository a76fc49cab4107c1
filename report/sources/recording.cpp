#include "report/sources/recording.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "report/sources/capture/conversation.hpp"
#include "report/sources/observation.hpp"
#include "report/sources/recently_used.hpp"
#include "report/sources/source_times.hpp"
#include "wire/endian.hpp"
#include "wire/header.hpp"
#include "wire/limits.hpp"
#include "wire/seeded_hash.hpp"

namespace scattergate::report {
namespace {

/// Limit for a record's addresses and numbers.
constexpr std::size_t most_head_bytes = 1024;
constexpr std::size_t least_record_bytes = 16 + wire::limits::header_bytes;
constexpr std::size_t most_record_bytes = wire::limits::max_message_bytes + most_head_bytes;

/// Limits for connections followed at once, and for their total memory: beyond them the one
/// silent for the longest is ended.
constexpr std::size_t most_connections = 20'000;
constexpr std::size_t most_held_bytes = 32UL << 20;
constexpr std::uint64_t records_a_step = 4096;

enum class form { dated, with_events };

struct record {
  std::uint64_t connection = 0;
  std::string_view remote;
  digest::wall_time time;  ///< or an offset from the start of the recording, as if it were a
                           ///< time
  bool is_message = true;
  std::span<const std::byte> message;
};

/// Reads consecutive fields of a record; once one doesn't fit, all further ones are empty.
class record_reader {
 public:
  explicit record_reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <typename Number>
  Number number() {
    if (rest_.size() < sizeof(Number)) return fail<Number>();
    const auto value = wire::load_little<Number>(rest_.data());
    rest_ = rest_.subspan(sizeof(Number));
    return value;
  }
  std::string_view text() {
    const auto end = std::find(rest_.begin(), rest_.end(), std::byte{0});
    if (end == rest_.end()) return fail<std::string_view>();
    const auto size = static_cast<std::size_t>(end - rest_.begin());
    const std::string_view value{reinterpret_cast<const char*>(rest_.data()), size};
    rest_ = rest_.subspan(size + 1);
    return value;
  }
  [[nodiscard]] std::span<const std::byte> rest() const { return rest_; }
  [[nodiscard]] bool has_failed() const { return has_failed_; }

 private:
  template <typename Value>
  Value fail() {
    has_failed_ = true;
    rest_ = {};
    return {};
  }

  std::span<const std::byte> rest_;
  bool has_failed_ = false;
};

/// Whether a message has exactly the length in its header.
bool is_exact(std::span<const std::byte> message) {
  if (message.size() < wire::limits::header_bytes) return false;
  const auto header = wire::parse_header(message.first<wire::limits::header_bytes>());
  return header && static_cast<std::size_t>(header->length) == message.size();
}

/// Parses a record after its size. Nothing if it hasn't this form.
std::optional<record> parse(std::span<const std::byte> bytes, form as) {
  record_reader reader{bytes};
  record made;
  if (as == form::with_events) made.is_message = reader.number<std::uint8_t>() == 0;
  made.connection = reader.number<std::uint64_t>();
  made.remote = reader.text();
  if (as == form::dated) {
    made.remote = reader.text();  // after the local address
    made.time = clamped_instant(std::chrono::milliseconds{reader.number<std::int64_t>()});
  } else {
    made.time = clamped_instant(std::chrono::microseconds{reader.number<std::int64_t>()});
  }
  (void)reader.number<std::uint64_t>();  // the order
  made.message = reader.rest();
  const bool is_good = !reader.has_failed() && (!made.is_message || is_exact(made.message));
  return is_good ? std::optional{made} : std::nullopt;
}

std::uint32_t record_size(std::span<const std::byte> begins) {
  return wire::load_little<std::uint32_t>(begins.data());
}

bool is_possible_record_size(std::uint32_t size) {
  return size >= least_record_bytes && size <= most_record_bytes;
}

/// Whether the beginning of a record, which may be cut after its head, has a message at the
/// place that the form defines.
bool may_be(std::span<const std::byte> begins, form as) {
  const std::uint32_t size = record_size(begins);
  if (!is_possible_record_size(size)) return false;
  record_reader reader{begins.subspan(sizeof size)};
  if (as == form::with_events && reader.number<std::uint8_t>() > 2) return false;
  (void)reader.number<std::uint64_t>();
  const std::string_view addresses = reader.text();
  // In the newer form, a connection's high byte would read as the end of an empty address.
  if (addresses.empty()) return false;
  if (as == form::dated) (void)reader.text();
  (void)reader.number<std::uint64_t>();
  (void)reader.number<std::uint64_t>();
  const auto rest = reader.rest();
  if (reader.has_failed() || rest.size() < wire::limits::header_bytes) return false;
  const auto header = wire::parse_header(rest.first<wire::limits::header_bytes>());
  const std::size_t head = begins.size() - rest.size();
  return header && wire::is_known(header->op) &&
         static_cast<std::size_t>(header->length) + head == size;
}

std::optional<form> form_of(std::span<const std::byte> begins) {
  if (begins.size() < least_record_bytes) return std::nullopt;
  for (const form one : {form::dated, form::with_events}) {
    if (may_be(begins, one)) return one;
  }
  return std::nullopt;
}

class recorded_connections {
 public:
  explicit recorded_connections(observer& to) : parts_(to) {}

  void receive(const record& one) {
    if (!one.is_message) return;
    auto* talk = open_.find(one.connection);
    if (talk == nullptr) {
      if (open_.size() >= most_connections) end(open_.oldest());
      talk = &open_.add(one.connection, parts_, std::string{host_of(one.remote)});
    }
    held_bytes_ -= talk->value.held_bytes();
    talk->value.receive(one.message, one.time);
    held_bytes_ += talk->value.held_bytes();
    while (held_bytes_ > most_held_bytes) end(open_.oldest());
  }
  void finish() {
    while (!open_.is_empty()) end(open_.oldest());
  }

 private:
  struct number_hash {
    std::size_t operator()(std::uint64_t number) const noexcept {
      return wire::seeded_hash(number, 0);
    }
  };
  using table = recently_used<std::uint64_t, conversation, number_hash>;
  void end(table::entry& one) {
    held_bytes_ -= one.value.held_bytes();
    one.value.finish();
    open_.erase(one);
  }

  conversation_parts parts_;
  table open_;
  std::size_t held_bytes_ = 0;
};

}  // namespace

bool is_recording(std::string_view begins) noexcept {
  return form_of(std::as_bytes(std::span{begins})).has_value();
}

read_end read_recording(input& from, observer& to,
                        const std::function<bool(const input&)>& on_progress) {
  const auto as = form_of(std::as_bytes(std::span{from.peek(most_head_bytes)}));
  if (!as) return {.problem = text::failure("not a traffic recording")};
  recorded_connections open{to};
  read_end end;
  std::vector<char> bytes;
  for (std::uint64_t number = 0; !from.peek(1).empty(); ++number) {
    if (number % records_a_step == 0 && !on_progress(from)) break;
    std::uint32_t size = 0;
    std::array<char, sizeof size> head{};
    const bool is_whole = from.fill(head);
    size = record_size(std::as_bytes(std::span{head}));
    if (!is_whole || !is_possible_record_size(size)) {
      end.problem = text::failure("a truncated or corrupt record");
      break;
    }
    bytes.resize(size - sizeof size);
    const bool is_filled = from.fill(bytes);
    const auto one = parse(std::as_bytes(std::span{bytes}), *as);
    if (!is_filled) {
      end.problem = text::failure("a truncated or corrupt record");
      break;
    }
    one ? open.receive(*one) : to.on_skipped(skip_reason::unreadable);
  }
  open.finish();
  return end;
}

}  // namespace scattergate::report
