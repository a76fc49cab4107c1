#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// The server error codes that the simulator answers with (mongo: error_codes.yml).
enum class errc : std::int32_t {
  bad_value = 2,
  failed_to_parse = 9,
  unauthorized = 13,
  type_mismatch = 14,
  overflow = 15,
  invalid_length = 16,
  authentication_failed = 18,
  illegal_operation = 20,
  already_initialized = 23,
  namespace_not_found = 26,
  index_not_found = 27,
  path_not_viable = 28,
  conflicting_update_operators = 40,
  cursor_not_found = 43,
  namespace_exists = 48,
  dollar_prefixed_field_name = 52,
  command_not_found = 59,
  shard_key_not_found = 61,
  immutable_field = 66,
  cannot_create_index = 67,
  shard_not_found = 70,
  invalid_options = 72,
  invalid_namespace = 73,
  index_options_conflict = 85,
  index_key_specs_conflict = 86,
  write_conflict = 112,
  command_not_supported = 115,
  conflicting_operation_in_progress = 117,
  namespace_not_sharded = 118,
  command_not_supported_on_view = 166,
  invalid_pipeline_operator = 168,
  query_feature_not_allowed = 224,
  transaction_too_old = 225,
  no_such_transaction = 251,
  transaction_committed = 256,
  operation_not_supported_in_transaction = 263,
  bson_object_too_large = 10334,
  duplicate_key = 11000,
  search_not_enabled = 31082,
  projection_mixes = 31254,
  unrecognized_stage = 40324,
  change_streams_not_supported = 40573,
  group_expression = 15952,
  unknown_field = 40415,
};

/// The server's name of a code, or `LocationNNN` as mongod says for a code without a name.
[[nodiscard]] std::string code_name(errc code);

/// A command that fails: thrown from wherever the mistake is found, caught once, in the
/// dispatcher (or per statement of a batch). The simulator is a test tool with deep call
/// chains; the rooms of the daemon use results instead.
class command_failure : public std::runtime_error {
 public:
  command_failure(errc code, const std::string& message, document details = {})
      : std::runtime_error(message), code_(code), details_(std::move(details)) {}

  [[nodiscard]] errc code() const noexcept { return code_; }

  /// Further fields of the error, such as keyPattern and keyValue.
  [[nodiscard]] const document& details() const noexcept { return details_; }

 private:
  errc code_;
  document details_;
};

}  // namespace scattergate::sim
