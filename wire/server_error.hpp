#pragma once

#include <cstdint>
#include <string_view>

namespace scattergate::wire {

/// The MongoDB error codes that scattergate knows (mongo: base/error_codes.yml). Each code
/// must have a name in name_of(); the compiler checks this. If MongoDB has no name for a code,
/// the enumerator here is scattergate's own name.
enum class server_errc : std::int32_t {
  internal_error = 1,
  bad_value = 2,
  host_unreachable = 6,
  host_not_found = 7,
  failed_to_parse = 9,
  user_not_found = 11,
  unsupported_format = 12,
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
  max_time_ms_expired = 50,
  dollar_prefixed_field_name = 52,
  invalid_id_field = 53,
  not_single_value_field = 54,
  command_not_found = 59,
  shard_key_not_found = 61,
  immutable_field = 66,
  cannot_create_index = 67,
  shard_not_found = 70,
  invalid_options = 72,
  invalid_namespace = 73,
  index_options_conflict = 85,
  index_key_specs_conflict = 86,
  network_timeout = 89,
  shutdown_in_progress = 91,
  operation_failed = 96,
  unsatisfiable_write_concern = 100,
  write_conflict = 112,
  command_not_supported = 115,
  conflicting_operation_in_progress = 117,
  namespace_not_sharded = 118,
  document_validation_failure = 121,
  command_failed = 125,
  failed_to_satisfy_read_preference = 133,
  capped_position_lost = 136,
  cursor_in_use = 143,
  exceeded_memory_limit = 146,
  command_not_supported_on_view = 166,
  invalid_pipeline_operator = 168,
  query_plan_killed = 175,
  primary_stepped_down = 189,
  network_interface_exceeded_time_limit = 202,
  no_such_session = 206,
  key_not_found = 211,
  query_feature_not_allowed = 224,
  transaction_too_old = 225,
  cursor_killed = 237,
  not_implemented = 238,
  snapshot_unavailable = 246,
  no_such_transaction = 251,
  transaction_committed = 256,
  exceeded_time_limit = 262,
  operation_not_supported_in_transaction = 263,
  change_stream_history_lost = 286,
  query_exceeded_memory_limit_no_disk_use_allowed = 292,
  reauthentication_required = 391,
  query_rejected_by_settings = 411,
  ingress_request_rate_limit_exceeded = 462,
  not_writable_primary = 10107,
  bson_object_too_large = 10334,
  duplicate_key = 11000,
  interrupted_at_shutdown = 11600,
  interrupted = 11601,
  interrupted_due_to_repl_state_change = 11602,
  rename_of_sharded = 13138,  ///< renaming a sharded collection
  rename_to_sharded = 13139,  ///< renaming to the name of a sharded collection
  stale_config = 13388,
  not_primary_no_secondary_ok = 13435,
  group_expression = 15952,    ///< a $group has an accumulator that MongoDB doesn't know
  expression_form = 15983,     ///< an object in an expression has another field besides an
                               ///< operator
  undefined_variable = 17276,  ///< an expression has a variable "$$name" that isn't defined
  text_not_first = 17313,      ///< a $match with $text isn't the first stage
  sharded_foreign = 28769,     ///< a sharded collection is joined or replaced where that isn't
                               ///< allowed
  partial_key_update = 31025,  ///< an update changes the shard key without specifying all of
                               ///< it
  search_not_enabled = 31082,
  projection_mixes = 31254,  ///< a projection both includes and excludes fields
  output_not_by_id = 31313,  ///< a mapReduce outputs to a collection that isn't sharded by _id
                             ///< alone
  stage_form = 40323,        ///< a stage doesn't have exactly one field
  unrecognized_stage = 40324,  ///< this version of mongos doesn't know the stage
  unknown_field = 40415,  ///< this version of mongos doesn't know an argument of the command
  stage_not_in_facet = 40600,      ///< a $facet has a stage that isn't allowed there
  stage_not_last = 40601,          ///< a stage that must be the last one isn't
  stage_not_first = 40602,         ///< a stage that must be the first one isn't
  near_not_first = 40603,          ///< a $geoNear isn't the first stage after optimization
  negative_value = 51024,          ///< a limit or skip is below zero
  invalid_pattern = 51091,         ///< PCRE can't compile a regular expression
  invalid_pattern_option = 51108,  ///< a regular expression has an option that MongoDB doesn't
                                   ///< know
  constants_without_pipeline = 51198,  ///< an update statement has `c`, but its update isn't a
                                       ///< pipeline
  near_not_allowed = 5626500,          ///< a $match has $near
  no_measurement_time = 5743702,  ///< a measurement's time field is missing or isn't a date
};

/// MongoDB's name of an error code, such as "ShardKeyNotFound"; for a code without a name,
/// "Location" and the number, such as "Location40324". Empty for a code that server_errc
/// doesn't list.
[[nodiscard]] constexpr std::string_view name_of(server_errc code) noexcept {
  switch (code) {
    using enum server_errc;
    case internal_error:
      return "InternalError";
    case bad_value:
      return "BadValue";
    case host_unreachable:
      return "HostUnreachable";
    case host_not_found:
      return "HostNotFound";
    case failed_to_parse:
      return "FailedToParse";
    case user_not_found:
      return "UserNotFound";
    case unsupported_format:
      return "UnsupportedFormat";
    case unauthorized:
      return "Unauthorized";
    case type_mismatch:
      return "TypeMismatch";
    case overflow:
      return "Overflow";
    case invalid_length:
      return "InvalidLength";
    case authentication_failed:
      return "AuthenticationFailed";
    case illegal_operation:
      return "IllegalOperation";
    case already_initialized:
      return "AlreadyInitialized";
    case namespace_not_found:
      return "NamespaceNotFound";
    case index_not_found:
      return "IndexNotFound";
    case path_not_viable:
      return "PathNotViable";
    case conflicting_update_operators:
      return "ConflictingUpdateOperators";
    case cursor_not_found:
      return "CursorNotFound";
    case namespace_exists:
      return "NamespaceExists";
    case max_time_ms_expired:
      return "MaxTimeMSExpired";
    case dollar_prefixed_field_name:
      return "DollarPrefixedFieldName";
    case invalid_id_field:
      return "InvalidIdField";
    case not_single_value_field:
      return "NotSingleValueField";
    case command_not_found:
      return "CommandNotFound";
    case shard_key_not_found:
      return "ShardKeyNotFound";
    case immutable_field:
      return "ImmutableField";
    case cannot_create_index:
      return "CannotCreateIndex";
    case shard_not_found:
      return "ShardNotFound";
    case invalid_options:
      return "InvalidOptions";
    case invalid_namespace:
      return "InvalidNamespace";
    case index_options_conflict:
      return "IndexOptionsConflict";
    case index_key_specs_conflict:
      return "IndexKeySpecsConflict";
    case network_timeout:
      return "NetworkTimeout";
    case shutdown_in_progress:
      return "ShutdownInProgress";
    case operation_failed:
      return "OperationFailed";
    case unsatisfiable_write_concern:
      return "UnsatisfiableWriteConcern";
    case write_conflict:
      return "WriteConflict";
    case command_not_supported:
      return "CommandNotSupported";
    case conflicting_operation_in_progress:
      return "ConflictingOperationInProgress";
    case namespace_not_sharded:
      return "NamespaceNotSharded";
    case document_validation_failure:
      return "DocumentValidationFailure";
    case command_failed:
      return "CommandFailed";
    case failed_to_satisfy_read_preference:
      return "FailedToSatisfyReadPreference";
    case capped_position_lost:
      return "CappedPositionLost";
    case cursor_in_use:
      return "CursorInUse";
    case exceeded_memory_limit:
      return "ExceededMemoryLimit";
    case command_not_supported_on_view:
      return "CommandNotSupportedOnView";
    case invalid_pipeline_operator:
      return "InvalidPipelineOperator";
    case query_plan_killed:
      return "QueryPlanKilled";
    case primary_stepped_down:
      return "PrimarySteppedDown";
    case network_interface_exceeded_time_limit:
      return "NetworkInterfaceExceededTimeLimit";
    case no_such_session:
      return "NoSuchSession";
    case key_not_found:
      return "KeyNotFound";
    case query_feature_not_allowed:
      return "QueryFeatureNotAllowed";
    case transaction_too_old:
      return "TransactionTooOld";
    case cursor_killed:
      return "CursorKilled";
    case not_implemented:
      return "NotImplemented";
    case snapshot_unavailable:
      return "SnapshotUnavailable";
    case no_such_transaction:
      return "NoSuchTransaction";
    case transaction_committed:
      return "TransactionCommitted";
    case exceeded_time_limit:
      return "ExceededTimeLimit";
    case operation_not_supported_in_transaction:
      return "OperationNotSupportedInTransaction";
    case change_stream_history_lost:
      return "ChangeStreamHistoryLost";
    case query_exceeded_memory_limit_no_disk_use_allowed:
      return "QueryExceededMemoryLimitNoDiskUseAllowed";
    case reauthentication_required:
      return "ReauthenticationRequired";
    case query_rejected_by_settings:
      return "QueryRejectedBySettings";
    case ingress_request_rate_limit_exceeded:
      return "IngressRequestRateLimitExceeded";
    case not_writable_primary:
      return "NotWritablePrimary";
    case bson_object_too_large:
      return "BSONObjectTooLarge";
    case duplicate_key:
      return "DuplicateKey";
    case interrupted_at_shutdown:
      return "InterruptedAtShutdown";
    case interrupted:
      return "Interrupted";
    case interrupted_due_to_repl_state_change:
      return "InterruptedDueToReplStateChange";
    case rename_of_sharded:
      return "Location13138";
    case rename_to_sharded:
      return "Location13139";
    case stale_config:
      return "StaleConfig";
    case not_primary_no_secondary_ok:
      return "NotPrimaryNoSecondaryOk";
    case group_expression:
      return "Location15952";
    case expression_form:
      return "Location15983";
    case sharded_foreign:
      return "Location28769";
    case partial_key_update:
      return "Location31025";
    case search_not_enabled:
      return "SearchNotEnabled";
    case projection_mixes:
      return "Location31254";
    case output_not_by_id:
      return "Location31313";
    case stage_form:
      return "Location40323";
    case unrecognized_stage:
      return "Location40324";
    case unknown_field:
      return "Location40415";
    case text_not_first:
      return "Location17313";
    case undefined_variable:
      return "Location17276";
    case stage_not_in_facet:
      return "Location40600";
    case stage_not_last:
      return "Location40601";
    case stage_not_first:
      return "Location40602";
    case near_not_first:
      return "Location40603";
    case negative_value:
      return "Location51024";
    case invalid_pattern:
      return "Location51091";
    case invalid_pattern_option:
      return "Location51108";
    case near_not_allowed:
      return "Location5626500";
    case constants_without_pipeline:
      return "Location51198";
    case no_measurement_time:
      return "Location5743702";
  }
  return {};
}

}  // namespace scattergate::wire
