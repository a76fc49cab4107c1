#include "sim/programs/demo/dataset.hpp"

namespace scattergate::sim::demo {
namespace {

constexpr std::size_t project_count = 24;
constexpr std::size_t document_count = 600;
constexpr std::size_t client_count = 400;
constexpr std::size_t revision_count = 120;

std::vector<entity> make_entities(dice& dice, const std::vector<project>& projects,
                                  std::size_t count, const std::string& prefix) {
  std::vector<entity> out;
  for (std::size_t i = 0; i < count; ++i) {
    const object_id in = projects[dice.skewed_below(projects.size())].id;
    out.push_back({in, dice.id(), prefix + std::to_string(i)});
  }
  return out;
}

}  // namespace

object_id dice::id() {
  object_id out;
  for (std::uint8_t& byte : out.bytes) byte = static_cast<std::uint8_t>(below(256));
  return out;
}

dataset make_dataset(std::uint64_t seed) {
  dice dice{seed};
  dataset out;
  for (std::size_t i = 0; i < project_count; ++i) {
    out.projects.push_back({dice.id(), "public-key-" + std::to_string(i)});
  }
  out.documents = make_entities(dice, out.projects, document_count, "document-");
  out.clients = make_entities(dice, out.projects, client_count, "client-");
  for (std::size_t i = 0; i < revision_count; ++i) {
    const entity& of = out.documents[dice.below(out.documents.size())];
    out.revisions.push_back({of.project, of.id, dice.id()});
  }
  return out;
}

}  // namespace scattergate::sim::demo
