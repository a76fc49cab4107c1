#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "digest/sketches/sketched_value.hpp"
#include "net/work_meter.hpp"
#include "routing/command_kind.hpp"
#include "routing/scratch.hpp"
#include "telemetry/accounts/account.hpp"
#include "telemetry/sketches/sketch_book.hpp"
#include "wire/bson.hpp"
#include "wire/command.hpp"
#include "wire/header.hpp"

namespace scattergate::proxy {

/// Says where the values to sketch are in messages with one pattern (see verdict_memo). So the
/// values can be read without parsing the message. To sketch values is to summarize them for
/// advice on shard keys. Each value is located by its distance from the previous value. If the
/// bytes before that location aren't the field's name, the message must be parsed.
struct sketch_plan {
  /// The maximum number of values in a plan.
  static constexpr std::size_t most_values = 3;

  /// The position of one value.
  struct value {
    std::uint64_t name = 0;  ///< the last 8 bytes before the value: its type and name, or their
                             ///< end if they are longer
    std::uint64_t mask = 0;  ///< has all bits set in the bytes of `name` to compare
    digest::sketched_field field = 0;  ///< the number of the value's field
    std::uint16_t distance = 0;  ///< in bytes, from the end of the previous value; for the
                                 ///< first value, from the start of the message
    wire::bson_type type{};      ///< the value's BSON type
  };

  std::uint8_t place = 0;        ///< the collection's sketch_notes::place
  routing::command_kind kind{};  ///< the kind of the messages' commands
  bool is_usable = false;        ///< false: messages must be parsed
  std::uint8_t count = 0;        ///< the number of `values` in use
  std::uint16_t documents = 0;   ///< for inserts: the offset in the message of the first new
                                 ///< document, in bytes; `values` is unused. 0: not an insert;
                                 ///< `values` locates the values in the filter.
  std::uint32_t generation = 0;  ///< the version of sketch_notes's list of sketched fields for
                                 ///< which the plan was made
  std::array<value, most_values> values{};  ///< in the order in which messages contain them

  /// Adds the position in `message` of `next`, the next value to sketch. `field`: the number of
  /// its field. Returns false if the plan is full or can't describe the position.
  [[nodiscard]] bool add(std::span<const std::byte> message, const wire::element& next,
                         digest::sketched_field field) noexcept;

  /// The bytes of the value `one` in `message`. `at`: the offset of the previous value's end,
  /// 0 for the first value; find() moves it to the end of `one`. std::nullopt if another field
  /// is at the position.
  [[nodiscard]] static std::optional<std::span<const std::byte>> find(
      const value& one, std::span<const std::byte> message, std::size_t& at) noexcept;

  /// Adds the position of `documents`, a sequence of new documents in `message`, to the plan.
  /// Returns false if the plan can't describe that position.
  [[nodiscard]] bool add_documents(std::span<const std::byte> message,
                                   std::span<const std::byte> documents) noexcept;

  /// The sequence of new documents in `message`; empty if other data is at the plan's
  /// position.
  [[nodiscard]] std::span<const std::byte> documents_in(
      std::span<const std::byte> message) const noexcept;

 private:
  std::size_t end_ = 0;  // the offset of the last added value's end
};

/// Collects a worker's values for the sketches, which summarize each field's values for advice
/// on shard keys (option advise.sketch). Hashes the values of new documents, and the values
/// that filters require of a field. Hands the hashes in batches to the account, which adds up
/// all workers' counts. At high rates it samples: one command then represents several. Doesn't
/// allocate or lock per command, except for a new collection or field. Thread-safety: the
/// worker's thread.
class sketch_notes {
 public:
  /// `book`: the sketches; null: there are none. The arguments must outlive this object.
  sketch_notes(telemetry::sketch_book* book, telemetry::account& account);

  /// Whether there are sketches. If not, this object collects nothing.
  [[nodiscard]] bool is_on() const noexcept { return book_ != nullptr; }

  /// The number of a collection that has sketches; 0: no collection. Valid for this object's
  /// lifetime.
  using place = std::uint8_t;

  /// The place of a command's collection; creates it if necessary. 0 if commands of this kind
  /// have no values to sketch, or if the command names no collection. Also 0 if is_on() is
  /// false, or if there is no room for the collection's sketches.
  [[nodiscard]] place place_of(const wire::command& command, routing::command_kind kind);

  /// The place of a collection; creates it if necessary. 0 if there is no room for the
  /// collection's sketches. REQUIRES: is_on().
  [[nodiscard]] place place_of(wire::namespace_view name);

  /// Collects the values of a command's statements. If the command is larger than most_bytes,
  /// reads only its first statements, which represent all statements. `memory`: scratch memory.
  /// `meter`: charged with the work. REQUIRES: `at` is the place of the command's collection,
  /// not 0.
  void note(place at, const wire::command& command, routing::command_kind kind,
            routing::scratch& memory, net::work_meter& meter) noexcept;

  /// The maximum number of namespaces of one bulkWrite whose values are collected.
  static constexpr std::size_t most_namespaces = 16;
  /// The places of a bulkWrite's namespaces, in the bulkWrite's order; 0: not sketched.
  using place_list = std::array<place, most_namespaces>;

  /// Collects the values of a bulkWrite's statements. `at`: the places of the bulkWrite's
  /// namespaces. `has_documents`: false if the bulkWrite's new documents are incomplete, so
  /// that they must not be read. `memory`: scratch memory. `meter`: charged with the work.
  void note_operations(const place_list& at, const wire::command& command, bool has_documents,
                       routing::scratch& memory, net::work_meter& meter) noexcept;

  /// Collects the values of an insert when only its beginning, `start`, has arrived. The
  /// complete documents in `start` represent all documents. Does nothing for another command,
  /// or if the collection has no place yet.
  void note_start(const wire::message_header& header, std::span<const std::byte> start,
                  routing::scratch& memory, net::work_meter& meter) noexcept;

  /// Collects the values of a complete message whose pattern is in the verdict_memo. `plan`:
  /// says where the values are in messages with this pattern, so that they needn't be parsed.
  /// The first call makes the plan, as does the first call after the sketched fields have
  /// changed. REQUIRES: the message is readable.
  void note_again(sketch_plan& plan, const wire::message_header& header,
                  std::span<const std::byte> message, routing::scratch& memory,
                  net::work_meter& meter) noexcept;

  /// Hands over the collected values to the telemetry::account, and updates the list of fields
  /// that have sketches. Call it about once a second.
  void flush() noexcept;

  /// After each flush(), the first 5,000 commands are all read. Later commands are sampled: one
  /// in eight (sketch_notes::one_in) is read, and counts as eight commands.
  static constexpr std::uint32_t whole_commands = 5'000;
  /// One in this many commands is read, once more than whole_commands were seen since the last
  /// flush().
  static constexpr std::uint32_t one_in = 8;
  /// The maximum number of bytes that are read of a command.
  static constexpr std::size_t most_bytes = 64UL << 10;
  /// The number of a message's first bytes that note_start() should get; fewer if the message
  /// is shorter.
  static constexpr std::size_t start_bytes = 16UL << 10;

 private:
  /// The first 16 statements of a command are all read. Later statements form groups of 16; one
  /// random statement of each group is read, and represents the group.
  static constexpr std::uint32_t whole_statements = 16;
  /// The maximum number of values of one field in a statement.
  static constexpr std::size_t most_of_field = 16;
  /// The maximum number of requests for new fields' sketches between two flushes.
  static constexpr int most_questions = 64;
  /// The maximum number of a new document's fields that are examined.
  static constexpr int most_members = 64;

  struct field {
    std::string path;
    digest::sketched_field number = 0;
  };
  struct collection {
    std::string database, name;
    std::uint32_t number = 0;
    std::vector<field> fields;
  };
  [[nodiscard]] bool count_and_choose() noexcept;
  [[nodiscard]] std::uint32_t next_random() noexcept;
  void take_command(place at, const wire::command& command, routing::command_kind kind,
                    routing::scratch& memory, net::work_meter& meter) noexcept;
  template <typename CollectionOf>
  std::uint32_t take_statements(const wire::command& command, routing::command_kind kind,
                                const CollectionOf& collection_of, routing::scratch& memory,
                                net::work_meter& meter) noexcept;
  [[nodiscard]] place find(wire::namespace_view name) const noexcept;
  void learn(collection& of);
  [[nodiscard]] const field* field_of(collection& in, std::string_view path) noexcept;
  template <typename Fill>
  void take(collection& of, std::uint32_t& seen, bool is_insert, const Fill& fill) noexcept;
  bool take_filter(collection& of, wire::document_view filter, routing::scratch& memory);
  bool take_document(collection& of, wire::document_view document, routing::scratch& memory);
  void add_value(digest::sketched_field of, const wire::element& value,
                 routing::scratch& memory);
  [[nodiscard]] bool plan_documents(const wire::command& command,
                                    std::string_view name) noexcept;
  [[nodiscard]] bool follow(const sketch_plan& plan, std::span<const std::byte> message,
                            routing::scratch& memory) noexcept;

  telemetry::sketch_book* book_;
  telemetry::account& account_;
  telemetry::sketch_batch batch_;
  std::vector<collection> collections_;
  std::uint64_t version_ = 0;           // the book's version when all fields were learnt
  std::uint32_t generation_ = 0;        // changes when any collection's fields are learnt
  int questions_ = 0;                   // requests for new fields since the last flush
  std::uint32_t commands_ = 0;          // number of commands since the last flush
  std::uint32_t weight_ = 1;            // how many commands the current one represents
  std::uint32_t random_ = 1;            // state of next_random()
  std::uint32_t picked_ = 0;            // index of the statement to read in the current group
  sketch_plan* planning_ = nullptr;     // the plan that note_again() is making; null: none
  std::span<const std::byte> planned_;  // the message for which planning_ is made
};

}  // namespace scattergate::proxy
