#include <charconv>
#include <filesystem>
#include <optional>

#include "config/catalog_file/collection_reader.hpp"
#include "config/options/load.hpp"
#include "config/options/rule_reader.hpp"
#include "config/text/input.hpp"
#include "config/text/map_entries.hpp"
#include "config/text/problem_log.hpp"
#include "config/text/text_readers.hpp"
#include "text/names.hpp"
#include "text/printable.hpp"

namespace scattergate::config {
namespace {

const std::vector<std::string_view> keys_of_catalog = {"schemaVersion", "version", "unlisted",
                                                       "collections", "rules"};

std::optional<std::uint16_t> parse_part(std::string_view text) {
  std::uint16_t part = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, part);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return part;
}

// Parses "8.0", "8.0.4", "7".
std::optional<routing::server_version> parse_version(std::string_view text) {
  const std::size_t dot = std::min(text.find('.'), text.size());
  const auto major = parse_part(text.substr(0, dot));
  if (!major || *major < 3) return std::nullopt;
  if (dot == text.size()) return routing::server_version{*major, 0};
  std::string_view rest = text.substr(dot + 1);
  const std::size_t second_dot = std::min(rest.find('.'), rest.size());
  const auto minor = parse_part(rest.substr(0, second_dot));
  if (!minor) return std::nullopt;
  if (second_dot == rest.size()) return routing::server_version{*major, *minor};
  const auto patch = parse_part(rest.substr(second_dot + 1));
  if (!patch) return std::nullopt;
  return routing::server_version{*major, *minor, *patch};
}

/// Reads one catalog text.
class catalog_reader {
 public:
  catalog_reader(std::string name, std::string folder)
      : problems_(std::move(name)), folder_(std::move(folder)) {}

  loaded_catalog read(std::string_view text) {
    const auto parsed = parse_yaml(text);
    loaded_catalog loaded;
    if (!parsed) {
      problems_.add(parsed.error());
    } else if (parsed->is_empty()) {
      problems_.add(1, "an empty catalog: collections are missing");
    } else {
      read_tree(parsed->root(), loaded);
    }
    if (problems_.is_empty()) loaded.value = builder_.build();
    loaded.problems = problems_.take();
    loaded.files = problems_.take_files();
    return loaded;
  }

 private:
  void read_tree(const text_tree::node& root, loaded_catalog& loaded) {
    bool has_collections = false;
    const auto entries = entries_of(root, "a catalog", problems_);
    if (reject_foreign(entries, "a catalog", keys_of_catalog, problems_)) return;
    for (const map_entry& entry : entries) {
      if (entry.key == "collections") {
        has_collections = true;
        collection_reader{builder_, folder_, problems_}.read(entry.value);
      } else if (entry.key == "rules") {
        loaded.rules = read_rules(entry.value, problems_);
      } else {
        read_scalar(entry);
      }
    }
    if (!has_collections) problems_.add(root.line(), "collections are missing");
  }

  void read_scalar(const map_entry& entry) {
    std::string text;
    std::string expected;
    if (entry.key == "schemaVersion") {
      if (read_text(entry, text, problems_) && text != "1") expected = "1";
    } else if (entry.key == "version") {
      if (!read_text(entry, text, problems_)) return;
      const auto version = parse_version(text);
      if (version) builder_.set_version(*version);
      if (!version) expected = "the server's version, such as \"8.0\"";
    } else if (entry.key == "unlisted") {
      if (!read_text(entry, text, problems_)) return;
      if (text == "unknown") builder_.set_unlisted(routing::unlisted_policy::unknown);
      if (text != "unknown" && text != "unsharded") expected = "unsharded or unknown";
    } else {
      report_unknown(entry, "a catalog", keys_of_catalog, problems_);
    }
    if (expected.empty()) return;
    problems_.add(entry.line, std::string{entry.key} + ": expected " + expected + ", not " +
                                  text::in_quotes(text));
  }

  routing::catalog_builder builder_;
  problem_log problems_;
  std::string folder_;
};

loaded_catalog load_preset(const std::string& source, std::string_view name) {
  const std::string_view text = preset_text(name);
  if (!text.empty()) return catalog_reader{source, {}}.read(text);
  const std::vector<std::string> names = preset_names();
  std::string known;
  for (const std::string& each : names) known += " " + each;
  const std::string meant = text::did_you_mean(name, {names.begin(), names.end()});
  loaded_catalog loaded;
  loaded.problems.push_back({source, "no such preset (known:" + known + ")" + meant});
  return loaded;
}

}  // namespace

std::optional<std::string_view> preset_name(std::string_view source) noexcept {
  constexpr std::string_view prefix = "preset:";
  if (!source.starts_with(prefix)) return std::nullopt;
  return source.substr(prefix.size());
}

loaded_catalog load_catalog(const std::string& source) {
  loaded_catalog loaded;
  if (source.empty() || source == catalog_options::mongos || source == catalog_options::off) {
    loaded.value = routing::catalog::absent();
    return loaded;
  }
  if (const auto name = preset_name(source)) return load_preset(source, *name);
  const auto content = read_file(source, max_catalog_bytes);
  if (!content) {
    loaded.problems.push_back(content.error());
    return loaded;
  }
  const std::string folder = std::filesystem::path{source}.parent_path().string();
  return catalog_reader{source, folder}.read(*content);
}

}  // namespace scattergate::config
