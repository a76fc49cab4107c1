#include "config/catalog_file/namespace_lines.hpp"

#include "config/text/input.hpp"
#include "config/text/map_entries.hpp"
#include "config/text/problem_log.hpp"
#include "config/text/text_readers.hpp"

namespace scattergate::config {

std::map<std::string, std::size_t, std::less<>> namespace_lines(const std::string& file) {
  std::map<std::string, std::size_t, std::less<>> lines;
  const auto content = read_file(file, max_catalog_bytes);
  if (!content) return lines;
  const auto parsed = parse_yaml(*content);
  if (!parsed || parsed->is_empty()) return lines;
  problem_log discarded{file};  // discarded: loading the catalog reports them
  for (const map_entry& part : entries_of(parsed->root(), "a catalog", discarded)) {
    if (part.key != "collections") continue;
    for (const auto& one : members_of(part.value, "collections", discarded)) {
      for (const map_entry& entry : entries_of(one, "a collection", discarded)) {
        std::string name;
        if (entry.key != "namespace" || !read_text(entry, name, discarded)) continue;
        lines.emplace(std::move(name), entry.line);
      }
    }
  }
  return lines;
}

}  // namespace scattergate::config
