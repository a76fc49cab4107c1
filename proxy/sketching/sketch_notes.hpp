#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "net/work_meter.hpp"
#include "proxy/sketching/sketch_plan.hpp"
#include "routing/command_kind.hpp"
#include "routing/scratch.hpp"
#include "telemetry/accounts/account.hpp"
#include "telemetry/sketches/sketch_book.hpp"
#include "wire/command.hpp"
#include "wire/header.hpp"

namespace scattergate::proxy {

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
