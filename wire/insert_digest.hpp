#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/bson.hpp"
#include "wire/header.hpp"

namespace scattergate::wire {

/// The collection of an OP_MSG insert, as its beginning tells: the first section is its body,
/// the first field of which is `insert`. Nothing where it is another message, or `start` is too
/// short to tell.
[[nodiscard]] std::optional<std::string_view> insert_target(
    std::span<const std::byte> start) noexcept;

/// Follows an OP_MSG insert while its bytes stream past, in whatever pieces they come, and
/// keeps a small insert of as many documents: of each only the top-level fields that are asked
/// for. What judges by these fields judges both alike.
///
/// The documents may stand in the body (`documents: [...]`) or in sections of kind 1.
/// Thread-safety: one thread.
class insert_digest {
 public:
  /// `wanted`: the names of top-level fields. At most `max_bytes` are kept.
  insert_digest(std::vector<std::string> wanted, std::size_t max_bytes)
      : wanted_(std::move(wanted)), max_bytes_(max_bytes) {}

  /// Takes the next bytes, from the header on. False once the message can't be followed: it
  /// breaks BSON's or OP_MSG's rules, or too much of it would have to be kept. It stays so.
  bool feed(std::span<const std::byte> bytes);

  /// Whether the message has ended where its header said, and all of it was followed.
  [[nodiscard]] bool is_whole() const noexcept { return next_ == part::end; }

  /// What has been kept so far, from the header on; when it is whole, the small insert: an
  /// OP_MSG without checksum.
  [[nodiscard]] std::span<const std::byte> kept() const noexcept { return kept_; }
  /// The small insert's header. REQUIRES: is_whole().
  [[nodiscard]] message_header header() const noexcept;

 private:
  /// What the next byte is part of.
  enum class part : std::uint8_t {
    message_head,  ///< header and flagBits
    section_kind,
    section_size,
    section_name,
    document_size,
    type,
    name,
    value_size,
    value,
    checksum,
    end,
    broken,
  };

  /// A document that is open.
  struct frame {
    enum class kind : std::uint8_t { body, list, item };
    kind what = kind::body;
    std::size_t end = 0;      ///< offset in the message behind it
    std::size_t kept_at = 0;  ///< where its length stands in kept_
  };

  [[nodiscard]] bool gather(std::span<const std::byte>& bytes, std::size_t wanted);
  [[nodiscard]] bool gather_name(std::span<const std::byte>& bytes);
  void take_value(std::span<const std::byte>& bytes);
  void take_part(std::span<const std::byte>& bytes);

  void on_message_head();
  void on_section_kind(std::byte kind);
  void on_section_size(std::size_t size);
  void on_section_name();
  void on_document_size(std::size_t size);
  void on_type(std::byte type);
  void on_name();
  void on_value_size(std::size_t size);
  void begin_value();
  void follow_value(std::size_t bytes);
  void close_document();
  void end_section();

  void keep(std::span<const std::byte> bytes);
  void patch_length(std::size_t at) noexcept;
  [[nodiscard]] std::uint32_t gathered_number() const noexcept;
  [[nodiscard]] std::string_view gathered_name() const noexcept;
  [[nodiscard]] bool is_wanted() const noexcept;
  void fail() noexcept { next_ = part::broken; }

  std::vector<std::string> wanted_;
  std::size_t max_bytes_;
  std::vector<std::byte> kept_;
  std::vector<std::byte> gathered_;  ///< of the part that the last bytes broke off in
  std::array<frame, 3> open_{};      ///< body, its list, an item
  std::size_t depth_ = 0;
  std::size_t at_ = 0;  ///< offset of the next byte in the message
  std::size_t message_end_ = 0;
  std::size_t sections_end_ = 0;  ///< offset behind the last section
  std::size_t section_end_ = 0;   ///< of the kind-1 section that is open, else 0
  std::size_t section_kept_at_ = 0;
  std::size_t value_rest_ = 0;
  std::uint8_t names_rest_ = 0;  ///< strings of a regex still to come
  bson_type type_{};
  bool is_kept_ = false;  ///< the value under way
  part next_ = part::message_head;
};

}  // namespace scattergate::wire
