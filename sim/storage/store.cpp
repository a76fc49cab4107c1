#include "sim/storage/store.hpp"

#include <algorithm>

#include "sim/values/bson_codec.hpp"
#include "sim/values/error.hpp"
#include "sim/values/path.hpp"

namespace scattergate::sim {
namespace {

constexpr std::size_t max_keys_per_document = 10'000;

/// The values of one field for an index: the members of an array, null if missing.
array values_at(const document& content, path_view path, bool& exists) {
  array out;
  auto visit = [&out, &exists](const value* leaf) {
    if (leaf == nullptr) {
      out.emplace_back(null{});
      return false;
    }
    exists = true;
    const auto* members = leaf->as<array>();
    if (members == nullptr) {
      out.push_back(*leaf);
    } else if (members->empty()) {
      out.emplace_back(undefined{});
    } else {
      out.insert(out.end(), members->begin(), members->end());
    }
    return false;
  };
  visit_path(content, path, visit);
  if (out.empty()) out.emplace_back(null{});
  std::sort(out.begin(), out.end(), value_less{});
  out.erase(std::unique(out.begin(), out.end(), is_equal), out.end());
  return out;
}

bool flag(const document& specification, std::string_view name) {
  const value* found = specification.find(name);
  return found != nullptr && found->is_truthy();
}

/// The values that an equality or `$in` on a field allows; empty if an index doesn't help.
array points_of(const value& operand) {
  const value* equal = &operand;
  if (is_operator_document(operand)) {
    const auto& operators = *operand.as<document>();
    const value* in = operators.find("$in");
    if (in != nullptr && in->is<array>()) return *in->as<array>();
    equal = operators.find("$eq");
  } else if (operand.is<regex>()) {
    return {};
  }
  return equal == nullptr ? array{} : array{*equal};
}

/// Null also matches missing fields and an array its members; an index can't distinguish them.
bool is_indexable(const array& points) {
  return !points.empty() && std::none_of(points.begin(), points.end(), [](const value& each) {
    return each.is<null>() || each.is<undefined>() || each.is<array>() || each.is<regex>();
  });
}

[[noreturn]] void refuse_duplicate(const index& on, const array& key) {
  document values;
  for (std::size_t i = 0; i < key.size(); ++i) {
    values.append((on.key().begin() + i)->name, key[i]);
  }
  throw command_failure(
      errc::duplicate_key,
      "E11000 duplicate key error index: " + on.name() + " dup key: " + to_json(values),
      {{"keyPattern", on.key()}, {"keyValue", values}});
}

}  // namespace

index::index(document specification)
    : specification_(std::move(specification)),
      unique_(flag(specification_, "unique")),
      sparse_(flag(specification_, "sparse")) {
  for (const field& each : key()) {
    const auto* kind = each.content.as<std::string>();
    opaque_ = opaque_ || (kind != nullptr && *kind != "hashed") ||
              each.name.find("$**") != std::string::npos;
    if (!opaque_) parts_.push_back({each.name, split_path(each.name)});
  }
  if (const value* filter = specification_.find("partialFilterExpression")) {
    const auto* content = filter->as<document>();
    if (content == nullptr)
      refuse(errc::cannot_create_index, "partialFilterExpression must be an object");
    partial_.emplace(*content);
  }
}

const document& index::key() const {
  return *specification_.find("key")->as<document>();
}

std::string index::name() const {
  return *specification_.find("name")->as<std::string>();
}

bool index::is_complete() const noexcept {
  return !sparse_ && !opaque_ && !partial_;
}

std::vector<array> index::keys_of(const document& content) const {
  if (opaque_ || (partial_ && !partial_->matches(content))) return {};
  std::vector<array> keys(1);
  bool exists = false;
  for (const part& each : parts_) {
    const array values = values_at(content, each.path, exists);
    std::vector<array> longer;
    for (const array& key : keys) {
      for (const value& next : values) {
        longer.push_back(key);
        longer.back().push_back(next);
      }
    }
    if (longer.size() > max_keys_per_document)
      refuse("Index key generation made too many keys");
    keys = std::move(longer);
  }
  if (sparse_ && !exists) return {};
  return keys;
}

void index::add(const document& content, record_id id) {
  for (array& key : keys_of(content)) entries_.emplace(std::move(key), id);
}

void index::remove(const document& content, record_id id, const document* kept) {
  std::vector<array> still;
  if (kept != nullptr) still = keys_of(*kept);
  for (array& key : keys_of(content)) {
    const bool shared = std::any_of(still.begin(), still.end(), [&key](const array& other) {
      return compare(key, other) == 0;
    });
    if (!shared) entries_.erase({std::move(key), id});
  }
}

void index::find_prefix(const array& prefix, std::set<record_id>& out) const {
  for (auto at = entries_.lower_bound({prefix, 0}); at != entries_.end(); ++at) {
    const bool same = std::equal(prefix.begin(), prefix.end(), at->first.begin(), is_equal);
    if (!same) return;
    out.insert(at->second);
  }
}

std::vector<record_id> index::find(const array& key) const {
  std::vector<record_id> out;
  for (auto at = entries_.lower_bound({key, 0}); at != entries_.end(); ++at) {
    if (compare(at->first, key) != 0) break;
    out.push_back(at->second);
  }
  return out;
}

unit_of_work::unit_of_work() {
  static std::uint64_t last = 0;
  id_ = ++last;
}

unit_of_work::~unit_of_work() {
  roll_back();
}

void unit_of_work::touch(std::shared_ptr<store> where, record_id which) {
  touched_.emplace_back(std::move(where), which);
}

std::vector<data_change> unit_of_work::commit() {
  for (const auto& [where, which] : touched_) where->settle(which, true);
  touched_.clear();
  return std::exchange(changes_, {});
}

void unit_of_work::roll_back() {
  for (const auto& [where, which] : touched_) where->settle(which, false);
  touched_.clear();
  changes_.clear();
}

store::store(const std::vector<document>& index_specifications) {
  for (const document& each : index_specifications) indexes_.emplace_back(each);
}

void store::check_unique(const index& on, const document& content, record_id self,
                         std::uint64_t unit) const {
  for (const array& key : on.keys_of(content)) {
    for (const record_id other : on.find(key)) {
      if (other == self) continue;
      const record& held = records_.at(other);
      if (held.owner != 0 && held.owner != unit)
        refuse(errc::write_conflict, "Write conflict on a unique index");
      if (held.current == nullptr) continue;
      // The entry may belong to an earlier state that this unit has changed.
      const auto keys = on.keys_of(*held.current);
      const bool current = std::any_of(keys.begin(), keys.end(), [&key](const array& each) {
        return compare(each, key) == 0;
      });
      if (current) refuse_duplicate(on, key);
    }
  }
}

void store::check_unique(const document& content, record_id self,
                         const unit_of_work& unit) const {
  for (const index& each : indexes_) {
    if (each.is_unique()) check_unique(each, content, self, unit.id());
  }
}

void store::insert(document_ptr content, unit_of_work& unit) {
  check_unique(*content, 0, unit);
  const record_id id = next_id_++;
  records_[id].owner = unit.id();
  unit.touch(shared_from_this(), id);
  for (index& each : indexes_) each.add(*content, id);
  records_[id].current = std::move(content);
}

record& store::owned(record_id id, const unit_of_work& unit) {
  record& held = records_.at(id);
  if (held.owner != 0 && held.owner != unit.id())
    refuse(errc::write_conflict, "Write conflict with another transaction");
  return held;
}

void store::change(record_id id, document_ptr content, unit_of_work& unit) {
  record& held = owned(id, unit);
  if (held.owner == 0) {
    held.owner = unit.id();
    held.committed = held.current;
    unit.touch(shared_from_this(), id);
  } else if (held.current != nullptr) {
    for (index& each : indexes_) each.remove(*held.current, id, held.committed.get());
  }
  if (content != nullptr) {
    for (index& each : indexes_) each.add(*content, id);
  }
  held.current = std::move(content);
}

void store::replace(record_id id, document_ptr content, unit_of_work& unit) {
  check_unique(*content, id, unit);
  change(id, std::move(content), unit);
}

void store::remove(record_id id, unit_of_work& unit) {
  change(id, nullptr, unit);
}

void store::settle(record_id id, bool keep) {
  const auto at = records_.find(id);
  if (at == records_.end() || at->second.owner == 0) return;
  record& held = at->second;
  const document_ptr lost = keep ? held.committed : held.current;
  const document_ptr kept = keep ? held.current : held.committed;
  if (lost != nullptr && lost != kept) {
    for (index& each : indexes_) each.remove(*lost, id, kept.get());
  }
  if (kept == nullptr) {
    records_.erase(at);
  } else {
    held = record{kept, nullptr, 0};
  }
}

bool store::narrow(const document& filter, std::set<record_id>& out) const {
  const index* best = nullptr;
  std::vector<array> best_prefixes;
  std::size_t best_length = 0;
  for (const index& each : indexes_) {
    if (!each.is_complete()) continue;
    std::vector<array> prefixes(1);
    std::size_t length = 0;
    for (const field& part : each.key()) {
      const value* operand = filter.find(part.name);
      const array points = operand == nullptr ? array{} : points_of(*operand);
      if (!is_indexable(points) || (points.size() > 1 && length > 0)) break;
      if (points.size() > 1) prefixes.resize(points.size());
      for (std::size_t i = 0; i < prefixes.size(); ++i) {
        prefixes[i].push_back(points[points.size() > 1 ? i : 0]);
      }
      ++length;
    }
    if (length <= best_length) continue;
    best = &each;
    best_length = length;
    best_prefixes = std::move(prefixes);
  }
  if (best == nullptr) return false;
  for (const array& prefix : best_prefixes) best->find_prefix(prefix, out);
  return true;
}

namespace {

const document_ptr& seen_by(const unit_of_work& unit, const record& held) {
  const bool mine = held.owner == 0 || held.owner == unit.id();
  return mine ? held.current : held.committed;
}

}  // namespace

document_ptr store::get(record_id id, const unit_of_work& unit) const {
  const auto at = records_.find(id);
  return at == records_.end() ? nullptr : seen_by(unit, at->second);
}

std::vector<found_record> store::find(const document& filter, const matcher& match,
                                      const unit_of_work& unit, std::size_t limit) const {
  std::vector<found_record> out;
  const auto consider = [&](record_id id, const record& held) {
    const document_ptr& seen = seen_by(unit, held);
    if (seen != nullptr && match.matches(*seen)) out.emplace_back(id, seen);
    return limit != 0 && out.size() >= limit;
  };
  std::set<record_id> narrowed;
  if (narrow(filter, narrowed)) {
    for (const record_id id : narrowed) {
      if (consider(id, records_.at(id))) break;
    }
    return out;
  }
  for (const auto& [id, held] : records_) {
    if (consider(id, held)) break;
  }
  return out;
}

std::size_t store::size() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(records_.begin(), records_.end(),
                    [](const auto& each) { return each.second.current != nullptr; }));
}

std::size_t store::size_bytes() const {
  std::size_t sum = 0;
  for (const auto& [id, held] : records_) {
    if (held.current != nullptr) sum += encoded_bytes(*held.current);
  }
  return sum;
}

void store::create_index(const document& specification) {
  index made{specification};
  for (const auto& [id, held] : records_) {
    if (held.current == nullptr) continue;
    if (made.is_unique()) {
      for (const array& key : made.keys_of(*held.current)) {
        if (!made.find(key).empty()) refuse_duplicate(made, key);
      }
    }
    made.add(*held.current, id);
    if (held.committed != nullptr) made.add(*held.committed, id);
  }
  indexes_.push_back(std::move(made));
}

void store::drop_index(std::string_view name) {
  std::erase_if(indexes_, [name](const index& each) { return each.name() == name; });
}

}  // namespace scattergate::sim
