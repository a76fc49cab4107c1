#include "routing/pipeline/path_tree.hpp"

#include <algorithm>

#include "wire/metered_reader.hpp"

namespace scattergate::routing {
namespace {

using wire::document_view;
using wire::element;

/// The numbers of components and mentions to allocate room for.
struct extent {
  std::size_t parts = 0;
  std::size_t mentions = 0;
};

std::size_t parts_of(std::string_view path) noexcept {
  return 1 + static_cast<std::size_t>(std::ranges::count(path, '.'));
}

void measure(document_view fields, std::uint32_t depth, wire::work_budget& work,
             extent& found) noexcept {
  wire::metered_reader reader{fields, work};
  for (element field; reader.next(field);) {
    found.parts += parts_of(field.key());
    ++found.mentions;
    const auto inner = nested_fields(field);
    if (inner && depth > 0) measure(*inner, depth - 1, work, found);
  }
}

}  // namespace

std::optional<document_view> nested_fields(const element& value) noexcept {
  const auto inner = value.as_document();
  if (!inner) return std::nullopt;
  wire::document_reader reader{*inner};
  element first;
  const bool has_fields = reader.next(first) && !first.key().starts_with('$');
  return has_fields ? inner : std::nullopt;
}

bool path_tree::open(std::size_t parts, std::size_t mentions, scratch& memory) noexcept {
  count_ = 0;
  if (parts == 0) return true;
  nodes_ = memory.allocate<node>(parts);
  mentions_ = memory.allocate<element>(mentions);
  return !nodes_.empty() && !mentions_.empty() && names_.open(parts, memory);
}

bool path_tree::take_fields(document_view fields, scratch& memory) noexcept {
  wire::work_budget& work = memory.work();
  extent all;
  measure(fields, wire::limits::inspect_depth, work, all);
  return open(all.parts, all.mentions, memory) &&
         insert_all(fields, name_table::none, wire::limits::inspect_depth, work);
}

bool path_tree::insert_all(document_view fields, name_table::id below, std::uint32_t depth,
                           wire::work_budget& work) noexcept {
  wire::metered_reader reader{fields, work};
  for (element field; reader.next(field);) {
    const name_table::id part = part_at(below, field.key(), work);
    if (part == name_table::none) return false;
    const auto inner = nested_fields(field);
    if (!inner || depth == 0) {
      mention(part, field);
    } else if (!insert_all(*inner, part, depth - 1, work)) {
      return false;
    }
  }
  return !work.is_spent();
}

bool path_tree::take_list(document_view paths, scratch& memory) noexcept {
  wire::work_budget& work = memory.work();
  extent all;
  wire::metered_reader counted{paths, work};
  for (element path; counted.next(path); ++all.mentions) {
    all.parts += parts_of(path.as_string());
    work.charge(path.value().size() / 4);
  }
  if (!open(all.parts, all.mentions, memory)) return false;
  wire::metered_reader reader{paths, work};
  for (element path; reader.next(path);) {
    const name_table::id part = part_at(name_table::none, path.as_string(), work);
    if (part == name_table::none) return false;
    mention(part, path);
  }
  return !work.is_spent();
}

name_table::id path_tree::part_at(name_table::id below, std::string_view path,
                                  wire::work_budget& work) noexcept {
  for (;;) {
    has_nested_ |= below != name_table::none;
    const std::size_t dot = path.find('.');
    const std::size_t known = names_.size();
    below = names_.add(below, path.substr(0, dot), work);
    if (names_.size() > known) nodes_[below - 1] = {no_mention, no_mention};
    if (below == name_table::none || dot == std::string_view::npos) return below;
    path.remove_prefix(dot + 1);
  }
}

void path_tree::mention(name_table::id part, const element& value) noexcept {
  if (count_ == mentions_.size()) return;
  const std::uint32_t number = count_++;
  mentions_[number] = value;
  if (nodes_[part - 1].own == no_mention) nodes_[part - 1].own = number;
  // If a component already has a mention below it, all components above it have one too.
  for (auto above = names_.parent_of(part);
       above != name_table::none && nodes_[above - 1].below == no_mention;
       above = names_.parent_of(above)) {
    nodes_[above - 1].below = number;
  }
}

path_mention path_tree::first_about(std::string_view path,
                                    wire::work_budget& work) const noexcept {
  path_mention found;
  std::uint32_t first = no_mention;
  name_table::id part = name_table::none;
  std::string_view rest = path;
  for (;;) {
    const std::size_t dot = rest.find('.');
    part = names_.find(part, rest.substr(0, dot), work);
    if (part == name_table::none) break;
    const bool is_end = dot == std::string_view::npos;
    rest = is_end ? std::string_view{} : rest.substr(dot + 1);
    const node& here = nodes_[part - 1];
    if (here.own < first) {
      first = here.own;
      found = {is_end ? path_relation::same : path_relation::above, mentions_[first], rest,
               names_.parent_of(part) != name_table::none};
    }
    if (!is_end) continue;
    if (here.below < first) found = {path_relation::below, mentions_[here.below], {}};
    break;
  }
  return found;
}

}  // namespace scattergate::routing
