#pragma once

#include <optional>

#include "wire/command.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// The arguments of a command that affect its routing, read in one pass over the body's top
/// level. Contains views into the command.
struct command_options {
  /// The command's own filter, not that of a batch's statement.
  std::optional<wire::element> filter;
  std::optional<wire::element> update;     ///< the update of a findAndModify
  std::optional<wire::element> pipeline;   ///< the stages of an aggregate
  std::optional<wire::element> collation;  ///< the command's own; std::nullopt: none
  std::optional<wire::element> out;        ///< the output of a mapReduce
  std::optional<wire::document_view> let;  ///< the command's variables
  bool has_negative_limit = false;         ///< `limit` is below zero
  bool has_negative_skip = false;          ///< `skip` is below zero
  /// Whether mongos stops a batch at the first statement that is rejected.
  bool ordered = true;
  bool remove = false;          ///< a findAndModify deletes the document
  bool upsert = false;          ///< a findAndModify inserts a document if none matches
  bool has_sort = false;        ///< the argument `sort` is a document
  bool has_txn_number = false;  ///< the argument txnNumber is present: the command is
                                ///< retryable or in a transaction
  bool in_transaction = false;  ///< a multi-document transaction contains the command
  bool raw_data = false;        ///< `rawData: true`: a time series' name stands for its buckets
                                ///< instead of its measurements
  bool names_raw_data = false;  ///< the argument rawData is present, with any value

  /// Reads a command's arguments. `filter_name`: the name of the field with the command's
  /// filter; empty if it has none. Ignores arguments of other commands, even where mongos
  /// accepts them.
  void read(const wire::command& command, std::string_view filter_name,
            wire::work_budget& work) noexcept;

  /// The filter's document; an empty one if the filter is missing or isn't a document.
  [[nodiscard]] wire::document_view filter_document() const noexcept;
};

}  // namespace scattergate::routing
