#pragma once

#include <optional>

#include "wire/command.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// The arguments of a command that decide its routing, from one walk over its top level.
/// A view into the command.
struct command_options {
  std::optional<wire::element> filter;  ///< where its kind has one
  std::optional<wire::element> update;  ///< findAndModify's
  std::optional<wire::element> pipeline;
  std::optional<wire::element> collation;
  std::optional<wire::element> out;  ///< mapReduce's
  std::optional<wire::document_view> let;
  bool ordered = true;  ///< a batch: mongos stops at what it refuses
  bool remove = false;
  bool upsert = false;
  bool has_sort = false;
  bool has_txn_number = false;
  bool in_transaction = false;
  bool raw_data = false;  ///< the buckets of a time series are asked, not its measurements

  /// Reads what `command` gives, its filter under that name. An argument of another command is
  /// none of this one, even where mongos lets it stand there.
  void read(const wire::command& command, std::string_view filter_name,
            wire::work_budget& work) noexcept;

  /// The filter's document; the empty one where there is none or it isn't a document.
  [[nodiscard]] wire::document_view filter_document() const noexcept;
};

}  // namespace scattergate::routing
