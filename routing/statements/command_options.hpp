#pragma once

#include <optional>

#include "wire/command.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// The arguments of a command that affect its routing, read in one pass over the body's top
/// level. Contains views into the command.
struct command_options {
  std::optional<wire::element> filter;  ///< the command's filter, not that of a
                                        ///< batch's statement
  std::optional<wire::element> update;  ///< only of a findAndModify
  std::optional<wire::element> pipeline;
  std::optional<wire::element> collation;
  std::optional<wire::element> out;  ///< only of a mapReduce
  std::optional<wire::document_view> let;
  bool has_negative_limit = false;
  bool has_negative_skip = false;
  bool ordered = true;  ///< of a batch: mongos stops at the first statement that is rejected
  bool remove = false;
  bool upsert = false;
  bool has_sort = false;
  bool has_txn_number = false;
  bool in_transaction = false;
  bool raw_data = false;        ///< `rawData: true`: a time series' name stands for its buckets
                                ///< instead of its measurements
  bool names_raw_data = false;  ///< the argument rawData is present, with any value

  /// Reads a command's arguments. `filter_name`: the name of the field with its filter; empty
  /// if it has none. Ignores arguments of other commands, even where mongos accepts them.
  void read(const wire::command& command, std::string_view filter_name,
            wire::work_budget& work) noexcept;

  /// The filter's document; an empty one if the filter is missing or isn't a document.
  [[nodiscard]] wire::document_view filter_document() const noexcept;
};

}  // namespace scattergate::routing
