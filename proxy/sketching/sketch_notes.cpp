#include "proxy/sketching/sketch_notes.hpp"

#include <algorithm>
#include <array>

#include "digest/statement_views.hpp"
#include "net/failing_memory.hpp"
#include "wire/bson.hpp"
#include "wire/command.hpp"
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

using routing::command_facts;
using wire::document_view;
using wire::element;

/// Whether commands of this kind have statements with values, all on the command's own
/// collection.
bool has_values(routing::command_kind kind) noexcept {
  if (routing::family_of(kind) != routing::command_family::routed) return false;
  return routing::takes_collection(kind);
}

/// The part of a large command that is read: the first of several equal parts, which represents
/// all of them.
struct part_of_all {
  std::uint32_t parts = 1;  ///< number of equal parts
  std::size_t bytes = 0;    ///< size of the first part

  static part_of_all of(std::size_t all, std::size_t most) noexcept {
    if (all == 0 || most == 0) return {};
    const std::size_t parts = (all + most - 1) / most;
    return {static_cast<std::uint32_t>(parts), all / parts};
  }
};

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

sketch_notes::sketch_notes(telemetry::sketch_book* book, telemetry::account& account)
    : book_(book), account_(account) {
  if (is_on()) batch_.reserve();
}

sketch_notes::place sketch_notes::find(wire::namespace_view name) const noexcept {
  for (std::size_t i = 0; i < collections_.size(); ++i) {
    const collection& each = collections_[i];
    if (each.name == name.collection && each.database == name.database) {
      return static_cast<place>(i + 1);
    }
  }
  return 0;
}

sketch_notes::place sketch_notes::place_of(const wire::command& command,
                                           routing::command_kind kind) {
  if (!is_on() || !has_values(kind) || command.collection.empty()) return 0;
  return place_of(command.ns());
}

sketch_notes::place sketch_notes::place_of(wire::namespace_view name) {
  if (const place known = find(name); known != 0) return known;
  if (collections_.size() == digest::sketch_set::max_collections) return 0;
  const auto number = book_->number_of(name.database, name.collection);
  if (!number) return 0;
  collections_.push_back(
      {std::string{name.database}, std::string{name.collection}, *number, {}});
  learn(collections_.back());
  return static_cast<place>(collections_.size());
}

void sketch_notes::learn(collection& of) {
  std::vector<field> fields;
  for (auto& each : book_->fields_of(of.number)) {
    fields.push_back({std::move(each.path), each.field});
  }
  of.fields = std::move(fields);
  ++generation_;
}

/// The field with this path; requests a sketch for it if it has none. Null if it gets none, or
/// if too many were requested since the last flush.
const sketch_notes::field* sketch_notes::field_of(collection& in,
                                                  std::string_view path) noexcept {
  for (const field& each : in.fields) {
    if (each.path == path) return &each;
  }
  if (questions_ == most_questions) return nullptr;
  ++questions_;
  const field* made = nullptr;
  (void)net::done_unless_memory_fails([&] {
    const auto number = book_->admit(in.number, path);
    if (!number) return;
    learn(in);
    for (const field& each : in.fields) {
      if (each.path == path) made = &each;
    }
  });
  return made;
}

void sketch_notes::add_value(digest::sketched_field of, const element& value,
                             routing::scratch& memory) {
  if (const auto made = digest::sketched(of, value, book_->salt(), memory)) {
    batch_.values.push_back(*made);
  }
}

/// Marsaglia's xorshift.
std::uint32_t sketch_notes::next_random() noexcept {
  random_ ^= random_ << 13U;
  random_ ^= random_ >> 17U;
  random_ ^= random_ << 5U;
  return random_;
}

/// Collects one statement, unless another one represents it. `seen`: the number of the
/// command's statements so far. `fill`: adds the statement's values to the batch; if it returns
/// false, the statement is omitted.
template <typename Fill>
void sketch_notes::take(collection& of, std::uint32_t& seen, bool is_insert,
                        const Fill& fill) noexcept {
  const std::uint32_t at = seen++ % whole_statements;
  const bool is_whole = seen <= whole_statements;
  // Picks at random: if two kinds of statements alternate, a fixed distance would always pick
  // the same kind.
  if (!is_whole && at == 0) picked_ = next_random() % whole_statements;
  if (!is_whole && at != picked_) return;
  if (batch_.is_full()) batch_ = account_.exchange(std::move(batch_));
  if (batch_.is_full()) return;  // no memory
  const std::size_t before = batch_.values.size();
  if (!fill()) return batch_.values.resize(before);
  batch_.statements.push_back({of.number, weight_ * (is_whole ? 1 : whole_statements),
                               static_cast<std::uint32_t>(batch_.values.size() - before),
                               is_insert});
}

bool sketch_notes::take_filter(collection& of, document_view filter, routing::scratch& memory) {
  constexpr std::size_t most = telemetry::sketch_batch::most_of_statement;
  const std::size_t before = batch_.values.size();
  std::string_view last;
  std::size_t of_last = 0;
  digest::for_each_pinned(filter, [&](std::string_view path, const element& value) {
    of_last = path == last ? of_last + 1 : 0;
    last = path;
    if (of_last >= most_of_field || batch_.values.size() - before == most) return;
    const field* const known = field_of(of, path);
    const bool is_from_list = value.key() != path && value.key() != "$eq";
    if (planning_ != nullptr &&
        (known == nullptr || is_from_list || !planning_->add(planned_, value, known->number))) {
      planning_ = nullptr;
    }
    if (known != nullptr) add_value(known->number, value, memory);
  });
  return true;
}

/// Adds the values of a new document's sketched fields. A missing field counts as null, as in
/// an index. A missing _id has no value here, because the server generates it.
bool sketch_notes::take_document(collection& of, document_view document,
                                 routing::scratch& memory) {
  static_assert(digest::collection_sketches::max_known <=
                telemetry::sketch_batch::most_of_statement);
  std::uint64_t left = (std::uint64_t{1} << of.fields.size()) - 1;  // a bit for each field
  int members = 0;
  wire::document_reader reader{document};
  for (element member; left != 0 && members != most_members && reader.next(member); ++members) {
    for (std::size_t i = 0; i < of.fields.size(); ++i) {
      const field& each = of.fields[i];
      if ((left >> i & 1U) == 0 || !each.path.starts_with(member.key())) continue;
      const std::string_view rest = std::string_view{each.path}.substr(member.key().size());
      const bool is_inner = rest.starts_with('.');
      if (!rest.empty() && !is_inner) continue;
      left &= ~(std::uint64_t{1} << i);
      const auto inner = is_inner ? digest::value_at(member, rest.substr(1)) : member;
      add_value(each.number, inner.value_or(element{}), memory);
    }
  }
  if (members == most_members) return true;
  for (std::size_t i = 0; i < of.fields.size(); ++i) {
    if ((left >> i & 1U) != 0 && of.fields[i].path != "_id") {
      add_value(of.fields[i].number, element{}, memory);
    }
  }
  return true;
}

/// Adds the position of a command's new documents to the plan; false if they aren't in a
/// document sequence.
bool sketch_notes::plan_documents(const wire::command& command,
                                  std::string_view name) noexcept {
  for (const wire::document_sequence& each : command.sequences) {
    if (each.identifier == name) return planning_->add_documents(planned_, each.documents);
  }
  return false;
}

/// Counts the next command. Returns whether its values are collected, and sets weight_.
bool sketch_notes::count_and_choose() noexcept {
  weight_ = ++commands_ <= whole_commands ? 1 : one_in;
  return weight_ == 1 || commands_ % one_in == 0;
}

void sketch_notes::note(place at, const wire::command& command, routing::command_kind kind,
                        routing::scratch& memory, net::work_meter& meter) noexcept {
  if (count_and_choose()) take_command(at, command, kind, memory, meter);
}

/// Collects a command's statements. `collection_of`: returns a statement's collection; null:
/// skip the statement. Returns the number of statements that weren't skipped.
template <typename CollectionOf>
std::uint32_t sketch_notes::take_statements(const wire::command& command,
                                            routing::command_kind kind,
                                            const CollectionOf& collection_of,
                                            routing::scratch& memory,
                                            net::work_meter& meter) noexcept {
  const auto first = part_of_all::of(command.size_bytes(), most_bytes);
  weight_ *= first.parts;
  std::uint32_t seen = 0;
  std::size_t read = 0;
  digest::for_each_statement(command, kind, [&](const digest::statement_view& one) {
    read += one.from.size_bytes();
    collection* const of = collection_of(one);
    if (of != nullptr && one.filter.size_bytes() <= most_bytes) {
      take(*of, seen, one.is_insert, [&] {
        return one.is_insert ? take_document(*of, one.filter, memory)
                             : take_filter(*of, one.filter, memory);
      });
    }
    return read < first.bytes;
  });
  meter.charge(first.bytes);
  return seen;
}

void sketch_notes::take_command(place at, const wire::command& command,
                                routing::command_kind kind, routing::scratch& memory,
                                net::work_meter& meter) noexcept {
  const command_facts& facts = routing::facts_of(kind);
  if (planning_ != nullptr && facts.holds == routing::batch_items::documents &&
      !plan_documents(command, facts.batch)) {
    planning_ = nullptr;
  }
  const std::uint32_t seen = take_statements(
      command, kind, [&](const digest::statement_view&) { return &collections_[at - 1U]; },
      memory, meter);
  // A plan has one statement, or a sequence of new documents.
  if (planning_ != nullptr && planning_->documents == 0 && seen != 1) planning_ = nullptr;
}

void sketch_notes::note_operations(const place_list& at, const wire::command& command,
                                   bool has_documents, routing::scratch& memory,
                                   net::work_meter& meter) noexcept {
  if (!count_and_choose()) return;
  const auto collection_of = [&](const digest::statement_view& one) -> collection* {
    if (one.is_insert && !has_documents) return nullptr;
    wire::document_reader reader{one.from};
    element first;
    const auto number = reader.next(first) ? first.as_int64() : std::nullopt;
    if (!number || *number < 0 || *number >= static_cast<std::int64_t>(at.size())) {
      return nullptr;
    }
    const place of = at[static_cast<std::size_t>(*number)];
    return of == 0 ? nullptr : &collections_[of - 1U];
  };
  take_statements(command, routing::command_kind::bulk_write, collection_of, memory, meter);
}

void sketch_notes::note_start(const wire::message_header& header,
                              std::span<const std::byte> start, routing::scratch& memory,
                              net::work_meter& meter) noexcept {
  const auto started = is_on() ? wire::started_command_in(start) : std::nullopt;
  if (!started) return;
  const command_facts& facts = routing::facts_of(routing::kind_of(started->what.name));
  if (facts.holds != routing::batch_items::documents ||
      started->sequence.identifier != facts.batch) {
    return;
  }
  const place at = find(started->what.ns());
  if (at == 0 || !count_and_choose()) return;
  const auto documents = started->sequence.documents.first(
      std::min(started->sequence.documents.size(), most_bytes));
  std::size_t whole = 0;  // the bytes of the documents that have arrived completely
  wire::sequence_reader counting{documents};
  for (document_view one; counting.next(one);) whole += one.size_bytes();
  const auto length = static_cast<std::size_t>(header.length);
  const auto first = part_of_all::of(length - std::min(length, started->begins_at), whole);
  weight_ *= first.parts;
  std::uint32_t seen = 0;
  std::size_t read = 0;
  collection& of = collections_[at - 1U];
  wire::sequence_reader reader{documents};
  for (document_view one; read < first.bytes && reader.next(one); read += one.size_bytes()) {
    take(of, seen, true, [&] { return take_document(of, one, memory); });
  }
  meter.charge(first.bytes);
}

void sketch_notes::note_again(sketch_plan& plan, const wire::message_header& header,
                              std::span<const std::byte> message, routing::scratch& memory,
                              net::work_meter& meter) noexcept {
  if (!count_and_choose()) return;
  if (plan.generation == generation_ && plan.is_usable && follow(plan, message, memory)) return;
  const auto parsed = wire::parse_op_msg(header, message);
  const auto command = parsed ? wire::command_of(*parsed) : wire::wire_errc::bad_bson;
  if (!command) return;
  if (plan.generation == generation_) {
    return take_command(plan.place, *command, plan.kind, memory, meter);
  }
  sketch_plan made;
  made.place = plan.place;
  made.kind = plan.kind;
  planning_ = &made;
  planned_ = message;
  take_command(plan.place, *command, plan.kind, memory, meter);
  made.is_usable = planning_ != nullptr;
  made.generation = generation_;
  planning_ = nullptr;
  plan = made;
}

/// Collects a message's values by a plan. Returns false, and collects nothing, if the message
/// doesn't have the plan's layout.
bool sketch_notes::follow(const sketch_plan& plan, std::span<const std::byte> message,
                          routing::scratch& memory) noexcept {
  collection& of = collections_[plan.place - 1U];
  std::uint32_t seen = 0;
  if (plan.documents != 0) {
    wire::sequence_reader reader{plan.documents_in(message)};
    for (document_view document; reader.next(document);) {
      take(of, seen, true, [&] { return take_document(of, document, memory); });
    }
    return seen != 0;
  }
  bool is_as_planned = true;
  take(of, seen, false, [&] {
    std::size_t at = 0;
    for (std::size_t i = 0; i < plan.count; ++i) {
      const auto value = sketch_plan::find(plan.values[i], message, at);
      if (!value) {
        is_as_planned = false;
        return false;
      }
      add_value(plan.values[i].field, {{}, plan.values[i].type, *value}, memory);
    }
    return true;
  });
  return is_as_planned;
}

void sketch_notes::flush() noexcept {
  if (!is_on()) return;
  questions_ = 0;
  commands_ = 0;
  if (!batch_.is_empty()) batch_ = account_.exchange(std::move(batch_));
  const std::uint64_t now = book_->version();
  if (now == version_) return;
  (void)net::done_unless_memory_fails([&] {
    for (collection& each : collections_) learn(each);
    version_ = now;
  });
}

}  // namespace scattergate::proxy
