#pragma once

#include <cstdint>
#include <vector>

#include "sim/programs/demo/dataset.hpp"
#include "sim/programs/demo/driver.hpp"

namespace scattergate::sim::demo {

/// A document to which only one thread pushes changes.
struct edited_document {
  entity document;
  std::int64_t server_seq = 0;  ///< the number of the document's last change; 0: none
};

/// One thread of an application: its connection to mongos, and its state between requests.
/// Thread-safety: one thread.
struct caller {
  client mongos;                        ///< the connection
  const dataset& data;                  ///< the demo's data; must outlive the caller
  dice choose;                          ///< decides what is requested next
  std::vector<edited_document> edited;  ///< the documents that this thread edits
  /// The application housekeeping() scans clients and documents page by page, in the order of
  /// their ids. The next page of each scan starts after this id; initially, and after the last
  /// page, the least id.
  object_id last_client{};
  object_id last_document{};

  /// The functions any_...() return a random item of a list. All but any_revision() return
  /// items from the beginning of the list more often. REQUIRES: the list isn't empty.
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

/// Something that an application does, such as saving a document. Sends one or more commands.
struct action {
  unsigned weight;       ///< how often the action is chosen, relative to the others
  void (*run)(caller&);  ///< runs the action; throws driver_error
};

/// An application that uses the database.
struct application {
  const char* name;             ///< the appName of its connections
  unsigned threads;             ///< number of threads; each has one connection
  unsigned percent;             ///< the application's share of all requests, in percent
  std::vector<action> actions;  ///< what its threads do
};

/// The API servers of Yorkie, a collaborative editing server: they edit documents, and send
/// most of the traffic.
[[nodiscard]] application api_servers();
/// Yorkie's dashboard, which lists, counts and searches.
[[nodiscard]] application dashboard();
/// Yorkie's housekeeping: rare maintenance over all projects.
[[nodiscard]] application housekeeping();

}  // namespace scattergate::sim::demo
