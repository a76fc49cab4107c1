#pragma once

#include <optional>

#include "wire/command.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// The arguments of a command that determine its routing, read in one pass over its top level.
/// A view into the command.
struct command_options {
  std::optional<wire::element> filter;  ///< if commands of its kind have one
  std::optional<wire::element> update;  ///< findAndModify's
  std::optional<wire::element> pipeline;
  std::optional<wire::element> collation;
  std::optional<wire::element> out;  ///< mapReduce's
  std::optional<wire::document_view> let;
  bool has_negative_limit = false;
  bool has_negative_skip = false;
  bool ordered = true;  ///< for a batch: mongos stops at the first statement that it rejects
  bool remove = false;
  bool upsert = false;
  bool has_sort = false;
  bool has_txn_number = false;
  bool in_transaction = false;
  bool raw_data = false;        ///< a command on a time series reads its buckets, not its
                                ///< measurements
  bool names_raw_data = false;  ///< the argument rawData is present, with any value

  /// Reads a command's arguments. `filter_name`: the field with its filter. Ignores arguments
  /// of other commands, even where mongos accepts them.
  void read(const wire::command& command, std::string_view filter_name,
            wire::work_budget& work) noexcept;

  /// The filter; an empty document if it is missing or not a document.
  [[nodiscard]] wire::document_view filter_document() const noexcept;
};

}  // namespace scattergate::routing
