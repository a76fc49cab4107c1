// The part of compare_views that makes Markdown.

#include "digest/number_text.hpp"
#include "report/views/compare_views.hpp"
#include "report/views/markdown_text.hpp"
#include "routing/shape/shape.hpp"
#include "text/utf8.hpp"

namespace scattergate::report {
namespace {

constexpr std::size_t most_in_shape_cell = 160;

std::string cell(const std::string& text) {
  return text + " | ";
}

std::string side(const std::string& name, const report_model& of) {
  std::string text = "**" + name + ":** " + code(side_text(of)) + "\n\n";
  for (const source_facts& one : of.sources) text += "- " + code(source_text(one)) + "\n";
  return text + "\n";
}

std::string shape_row(const compare_model& of, const shape_change& one) {
  const bool is_gone = one.after == nullptr;
  const shape_sums sums =
      sums_of(one.shape(), is_gone ? of.changes.hours_before() : of.changes.hours_after());
  const digest::row& shape = one.shape();
  std::string text =
      "| " + cell(sums.commands) + cell(sums.shards) + cell(sums.wasted) + cell(sums.time) +
      cell(std::string{label(shape.what.routing)}) +
      cell(code_in_cell(shape.command + " " + shape.name_space())) +
      cell(code_in_cell(text::cut_with_dots(shape.what.shape_json, most_in_shape_cell))) +
      cell(routing::shape_hash_text(shape.shape_hash)) + change_text(of, one);
  return text + " |\n";
}

std::string list(const compare_model& of, change kind, const std::string& title) {
  const auto& all = of.changes.of(kind);
  if (all.empty()) return {};
  std::string text =
      "\n## " + title + ", " + basis_text(of) +
      "\n\n| commands | shards | wasted | time | routing | command | shape | hash "
      "| change |\n| ---: | ---: | ---: | ---: | --- | --- | --- | --- | --- |\n";
  const std::size_t listed = of.listed_of(all.size());
  for (std::size_t i = 0; i < listed; ++i) text += shape_row(of, all[i]);
  if (listed < all.size()) {
    text += "\nand " + digest::with_commas(all.size() - listed) + " further shapes.\n";
  }
  return text;
}

}  // namespace

std::string compare_markdown(const compare_model& of) {
  std::string text = "# What changed\n\n" + side("Before", of.before) + side("After", of.after);
  for (const std::string& limit : limits_of(of)) text += limit + ".\n\n";
  text +=
      "| " + basis_text(of) + " | before | after | change |\n| --- | ---: | ---: | ---: |\n";
  for (const compared_sum& one : sums_of(of)) {
    text += "| " + cell(one.name) + cell(one.before) + cell(one.after) + one.change + " |\n";
  }
  text += "\nShapes: " + counts_text(of) + ".\n";
  for (const auto& [kind, title] : listed_changes) text += list(of, kind, title);
  return text;
}

}  // namespace scattergate::report
