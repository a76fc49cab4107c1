#include "sim/storage/index.hpp"

#include <algorithm>

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
    if (content == nullptr) {
      throw command_failure(errc::cannot_create_index,
                            "partialFilterExpression must be an object");
    }
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
    if (longer.size() > max_keys_per_document) {
      throw command_failure(errc::bad_value, "Index key generation made too many keys");
    }
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

}  // namespace scattergate::sim
