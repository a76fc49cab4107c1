#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/programs/demo/dataset.hpp"
#include "sim/programs/demo/driver.hpp"

namespace scattergate::sim::demo {

/// A document that one thread alone pushes changes to, and how far it has come.
struct edited_document {
  entity document;
  std::int64_t server_seq = 0;
};

/// One thread of one application: its connection, and what it remembers between requests.
struct caller {
  client mongos;
  const dataset& data;
  dice choose;
  std::vector<edited_document> edited;
  /// Where the housekeeping's scans have come to; the least id at their start.
  object_id last_client{};
  object_id last_document{};

  [[nodiscard]] const entity& any_document() {
    return data.documents[choose.skewed_below(data.documents.size())];
  }
  [[nodiscard]] const entity& any_client() {
    return data.clients[choose.skewed_below(data.clients.size())];
  }
  [[nodiscard]] const project& any_project() {
    return data.projects[choose.skewed_below(data.projects.size())];
  }
  [[nodiscard]] const revision& any_revision() {
    return data.revisions[choose.below(data.revisions.size())];
  }
  [[nodiscard]] edited_document& any_edited() {
    return edited[choose.skewed_below(edited.size())];
  }
};

/// Something that an application does, in `weight` of the sum of its application's weights.
struct work {
  unsigned weight;
  void (*run)(caller&);
};

/// An application that shares the database: who it says it is, and what it does.
struct application {
  const char* name;  ///< its appName
  unsigned threads;
  unsigned percent;  ///< of all requests
  std::vector<work> does;
};

/// Yorkie's API servers: editing, most of the traffic.
[[nodiscard]] application api_servers();
/// The dashboard: lists, counts, searches.
[[nodiscard]] application dashboard();
/// Rare maintenance over all projects.
[[nodiscard]] application housekeeping();

}  // namespace scattergate::sim::demo
