#include "advise/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "advise/statements.hpp"
#include "digest/shape_command.hpp"
#include "digest/statement_views.hpp"
#include "routing/command_kind.hpp"
#include "routing/keys/hash.hpp"
#include "routing/keys/key_encoding.hpp"
#include "routing/shape/shape.hpp"
#include "wire/command.hpp"

namespace scattergate::advise {
namespace {

/// The maximum number of fields whose values are examined, besides those of given keys.
constexpr std::size_t most_fields = 24;
/// The least number of values for a correlation.
constexpr std::size_t least_in_order = 10;

/// The shape of a batch whose statements a mongos's log omits.
constexpr std::string_view not_logged = R"({"statements":"not logged"})";

std::optional<wire::command> read(std::span<const std::byte> bytes) {
  const auto body = wire::document_view::from(bytes);
  if (!body) return std::nullopt;
  const auto made = wire::command_of(*body);
  return made ? std::optional{*made} : std::nullopt;
}

/// A made-up command (BSON) with the row's shape; std::nullopt if none can be made.
std::optional<std::vector<std::byte>> command_like(const digest::row& one) {
  auto made = digest::command_of_row(one);
  const auto command = made ? read(*made) : std::nullopt;
  if (!command) return std::nullopt;
  thread_local std::vector<std::byte> block(routing::scratch_bytes);
  routing::scratch memory{block};
  if (routing::shape_hash(*command, memory) != one.shape_hash) return std::nullopt;
  return made;
}

/// The correlation of `values` with their positions (Pearson's coefficient), -1 to 1;
/// std::nullopt if there are too few values.
std::optional<double> correlation(const std::vector<std::uint32_t>& values) {
  if (values.size() < least_in_order) return std::nullopt;
  const auto n = static_cast<double>(values.size());
  const double mean_place = (n - 1) / 2;
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double both = 0;
  double places = 0;
  double own = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double place = static_cast<double>(i) - mean_place;
    const double value = values[i] - mean;
    both += place * value;
    places += place * place;
    own += value * value;
  }
  if (own == 0 || places == 0) return 0.0;
  return both / std::sqrt(places * own);
}

}  // namespace

void traffic::add(const digest::row& one) {
  const routing::command_kind kind = routing::kind_of(one.command);
  if (routing::family_of(kind) != routing::command_family::routed || one.count == 0) return;
  const auto weight = static_cast<double>(one.count);
  rows_.push_back(&one);
  sums_.all += weight;
  if (one.first_seen && (!from_ || *one.first_seen < *from_)) from_ = one.first_seen;
  if (one.last_seen && (!to_ || *to_ < *one.last_seen)) to_ = one.last_seen;
  const kept_commands::of_shape* const whole =
      kept_ != nullptr ? kept_->find(one.shape_hash) : nullptr;
  if (one.what.shape_json == not_logged) {
    sums_.not_logged += weight;
  } else if (whole != nullptr && !whole->commands.empty()) {
    add_whole(one, *whole);
  } else {
    add_made_up(one, weight);
  }
}

/// Adds a shape's sampled commands. Together they represent all commands of the row.
void traffic::add_whole(const digest::row& one, const kept_commands::of_shape& all) {
  const double each = static_cast<double>(one.count) / static_cast<double>(all.commands.size());
  const routing::command_facts& facts = routing::facts_of(routing::kind_of(one.command));
  for (const kept_commands::command& command : all.commands) {
    weighted_command made;
    made.shape = rows_.size() - 1;
    made.command = command.body;
    made.weight = each;
    made.at = command.at;
    made.order = command.order;
    made.is_write = facts.is_write;
    made.is_insert = facts.holds == routing::batch_items::documents;
    sums_.whole += each;
    if (command.at) sums_.timed += each;
    commands_.push_back(made);
  }
}

void traffic::add_made_up(const digest::row& one, double weight) {
  weighted_command made;
  made.shape = rows_.size() - 1;
  made.weight = weight;
  made.is_made_up = true;
  const routing::command_facts& facts = routing::facts_of(routing::kind_of(one.command));
  made.is_write = facts.is_write;
  made.is_insert = facts.holds == routing::batch_items::documents;
  if (made.is_insert) {
    sums_.inserts_without_documents += weight;
  } else if (auto command = command_like(one)) {
    made_up_.push_back(std::make_unique<std::vector<std::byte>>(std::move(*command)));
    made.command = *made_up_.back();
  } else {
    sums_.not_judged += weight;
    return;
  }
  commands_.push_back(made);
}

std::optional<std::uint32_t> traffic::field_of(std::string_view path) const noexcept {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].path == path) return static_cast<std::uint32_t>(i);
  }
  return std::nullopt;
}

std::optional<std::size_t> traffic::growing_place(const shard_key& key) const noexcept {
  for (std::size_t i = 0; i < key.size(); ++i) {
    const auto number = key[i].hashed ? std::nullopt : field_of(key[i].path);
    if (number && fields_[*number].is_monotonic) return i;
  }
  return std::nullopt;
}

void traffic::finish(std::span<const shard_key> keys) {
  std::ranges::stable_sort(commands_, [](const weighted_command& a, const weighted_command& b) {
    if (a.at && b.at && *a.at != *b.at) return *a.at < *b.at;
    return a.order < b.order;
  });
  count_fields();
  choose_fields(keys);
  for (weighted_command& each : commands_) number_values(each);
  for (field_values& each : fields_) order_values(each);
  measure_order();
}

void traffic::count_fields() {
  for (weighted_command& each : commands_) {
    const auto command = read(each.command);
    if (!command) continue;
    std::map<std::string, bool> paths;  // by pinned path: whether all its values are ObjectIds
    std::uint32_t statements = 0;
    for_each_statement(*command, [&](const statement& one) {
      ++statements;
      if (one.is_insert) return;
      for (pinned_value& value : pinned_values(one.filter)) {
        paths.try_emplace(std::move(value.path), true).first->second &=
            value.value.type() == wire::bson_type::object_id;
      }
    });
    each.statements = std::max(statements, 1U);
    for (const auto& [path, is_object_id] : paths) {
      pinned_field& of = pinned_[path];
      of.commands += each.weight;
      of.is_object_ids &= is_object_id;
    }
  }
}

void traffic::choose_fields(std::span<const shard_key> keys) {
  std::vector<std::string> ranked;
  for (const auto& [path, of] : pinned_) ranked.push_back(path);
  std::ranges::sort(ranked, [this](const std::string& a, const std::string& b) {
    const double of_a = pinned_.at(a).commands;
    const double of_b = pinned_.at(b).commands;
    return of_a != of_b ? of_a > of_b : a < b;
  });
  if (ranked.size() > most_fields) ranked.resize(most_fields);
  for (const std::string& path : ranked) add_field(path);
  for (const shard_key& key : keys) {
    for (const routing::key_field& field : key) add_field(field.path);
  }
  numbers_.resize(fields_.size());
}

void traffic::add_field(const std::string& path) {
  if (field_of(path)) return;
  field_values made;
  made.path = path;
  const auto found = pinned_.find(path);
  made.pinned = found == pinned_.end() ? 0 : found->second.commands;
  made.is_object_ids = found != pinned_.end() && found->second.is_object_ids;
  fields_.push_back(std::move(made));
}

void traffic::number_values(weighted_command& of) {
  of.first_pin = pins_.size();
  const auto command = of.is_made_up ? std::nullopt : read(of.command);
  if (!command) return;
  std::uint32_t number = 0;
  for_each_statement(*command, [&](const statement& one) {
    if (one.is_insert) {
      number_document(number, one.filter);
    } else {
      for (const pinned_value& each : pinned_values(one.filter)) {
        if (const auto field = field_of(each.path)) add_pin(number, *field, each.value);
      }
    }
    ++number;
  });
  of.pins = static_cast<std::uint32_t>(pins_.size() - of.first_pin);
}

/// Adds a new document's values. A missing field counts as null. A missing _id has no value
/// here, because the server generates it.
void traffic::number_document(std::uint32_t statement, wire::document_view document) {
  for (std::uint32_t i = 0; i < fields_.size(); ++i) {
    const auto value = digest::value_at(document, fields_[i].path);
    if (!value && fields_[i].path == "_id") continue;
    add_pin(statement, i, value.value_or(wire::element{}));
  }
}

void traffic::add_pin(std::uint32_t statement, std::uint32_t field,
                      const wire::element& value) {
  thread_local std::vector<std::byte> bytes;
  bytes.clear();
  if (!routing::append_encoded(bytes, value)) return;
  std::string encoded{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  field_values& of = fields_[field];
  const auto [place, is_new] = numbers_[field].try_emplace(
      std::move(encoded), static_cast<std::uint32_t>(of.encoded.size()));
  if (is_new) {
    of.encoded.push_back(place->first);
    of.types.push_back(value.type());
    of.hashes.push_back(routing::hash_of(value));
  }
  pins_.push_back({statement, field, place->second});
}

void traffic::order_values(field_values& of) {
  of.by_rank.resize(of.encoded.size());
  std::iota(of.by_rank.begin(), of.by_rank.end(), 0U);
  std::ranges::sort(of.by_rank, {},
                    [&](std::uint32_t i) -> const std::string& { return of.encoded[i]; });
  of.ranks.resize(of.by_rank.size());
  for (std::uint32_t i = 0; i < of.by_rank.size(); ++i) of.ranks[of.by_rank[i]] = i;
}

/// Computes the fields' monotonicity from new documents, as MongoDB does. If there are too few,
/// from the values in queries, except for ObjectIds in _id: they count as monotonic, because a
/// generated ObjectId begins with the time.
void traffic::measure_order() {
  std::vector<std::vector<std::uint32_t>> inserted(fields_.size());
  std::vector<std::vector<std::uint32_t>> asked(fields_.size());
  for (const weighted_command& each : commands_) {
    auto& to = each.is_insert ? inserted : asked;
    for (const pin& one : pins_of(each)) {
      to[one.field].push_back(fields_[one.field].ranks[one.value]);
    }
  }
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    field_values& of = fields_[i];
    const bool is_object_id = of.path == "_id" && of.is_object_ids;
    of.monotonicity = correlation(inserted[i]);
    if (!of.monotonicity && !is_object_id) of.monotonicity = correlation(asked[i]);
    of.is_monotonic =
        of.monotonicity ? std::abs(*of.monotonicity) >= monotonic_from : is_object_id;
  }
}

void traffic::learn_order(std::uint32_t field, double monotonicity) noexcept {
  field_values& of = fields_[field];
  if (of.monotonicity) return;
  of.monotonicity = monotonicity;
  of.is_monotonic = std::abs(monotonicity) >= monotonic_from;
}

}  // namespace scattergate::advise
