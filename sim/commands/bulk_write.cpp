#include "sim/commands/commands_write.hpp"
#include "sim/execution/arguments.hpp"
#include "sim/execution/router.hpp"
#include "sim/execution/writes.hpp"
#include "sim/values/identity.hpp"

namespace scattergate::sim {
namespace {

constexpr std::size_t max_operations = 100'000;

/// A running bulkWrite: its totals, and an entry of the reply for each operation.
class bulk {
 public:
  explicit bulk(context& at)
      : at_(at),
        errors_only_(flag_argument(at.in.body, "errorsOnly")),
        ordered_(flag_argument(at.in.body, "ordered", true)) {
    for (const value& each : array_argument(at.in.body, "nsInfo")) {
      const auto* content = each.as<document>();
      namespaces_.push_back(content == nullptr ? "" : text_argument(*content, "ns"));
      static_cast<void>(split_ns(namespaces_.back()));
      check_no_view(at.all.data, namespaces_.back());
    }
  }

  void run(const array& operations) {
    for (const value& each : operations) check(each);
    for (std::size_t i = 0; i < operations.size(); ++i) {
      document line{{"ok", 1.0}, {"idx", static_cast<std::int32_t>(i)}};
      try {
        run_one(*operations[i].as<document>(), line);
        if (!errors_only_) lines_.push_back(std::make_shared<document>(std::move(line)));
      } catch (const command_failure& failure) {
        if (failure.code() == errc::write_conflict) throw;
        add_error(std::move(line), failure);
        if (ordered_) return;
      }
    }
  }

  [[nodiscard]] document reply() {
    const std::int64_t size =
        number_argument(document_argument(at_.in.body, "cursor"), "batchSize", INT32_MAX);
    document cursor =
        at_.all.cursors.open("admin.$cmd.bulkWrite", std::move(lines_), size, false);
    return {{"cursor", std::move(cursor)}, {"nErrors", errors_},     {"nInserted", inserted_},
            {"nMatched", matched_},        {"nModified", modified_}, {"nUpserted", upserted_},
            {"nDeleted", deleted_}};
  }

 private:
  /// Rejects what mongos rejects before it runs anything (mongo: bulk_write_common.cpp,
  /// validateRequest).
  void check(const value& operation) const {
    const auto* content = operation.as<document>();
    if (content == nullptr || content->empty()) {
      throw command_failure(errc::failed_to_parse, "an operation must be an object");
    }
    const std::string& name = content->front().name;
    if (name != "insert" && name != "update" && name != "delete") {
      throw command_failure(errc::failed_to_parse, "unknown bulkWrite operation " + name);
    }
    if (!content->front().content.is_number()) {
      throw command_failure(errc::type_mismatch, "the index of a namespace must be a number");
    }
    static_cast<void>(ns_of(*content));
  }

  void run_one(const document& operation, document& line) {
    const field& first = operation.front();
    if (first.name == "insert") {
      insert(operation, line);
    } else if (first.name == "update") {
      change(operation, line);
    } else {
      remove(operation, line);
    }
  }

  const std::string& ns_of(const document& operation) const {
    const std::int64_t index = operation.front().content.as_int64();
    if (index < 0 || index >= std::ssize(namespaces_)) {
      throw command_failure(errc::bad_value,
                            "BulkWrite ops entry has an invalid nsInfo index.");
    }
    return namespaces_[static_cast<std::size_t>(index)];
  }

  void insert(const document& operation, document& line) {
    const std::string& ns = ns_of(operation);
    const shard_index where = insert_one(at_, ns, document_argument(operation, "document"),
                                         is_raw(at_, ns, at_.in.body));
    note_reached(at_, {where}, at_.in.name);
    note_hosts(at_, ns, counted_command::insert, 1);
    ++inserted_;
    line.append("n", std::int32_t{1});
  }

  write_filter filter_of(const document& operation) const {
    const std::string& ns = ns_of(operation);
    return {operation.front().name == "update" ? write_kind::update : write_kind::remove,
            ns,
            document_argument(operation, "filter"),
            flag_argument(operation, "multi"),
            collation_of(at_, ns, operation),
            document_argument(operation, "sort"),
            flag_argument(operation, "upsert"),
            nullptr,
            is_raw(at_, ns, at_.in.body),
            false,
            let_of(at_.in.body)};
  }

  void change(const document& operation, document& line) {
    const write_filter which = filter_of(operation);
    if (which.is_multi && !which.sort.empty()) {
      throw command_failure(errc::failed_to_parse, "Cannot specify sort with multi=true");
    }
    const sim::update requested{needed_argument(operation, "updateMods"), now_millis(),
                                array_argument(operation, "arrayFilters")};
    check_update(at_, which, requested, argument(operation, "constants") != nullptr);
    reached_shards reached;
    const write_result done = run_update(at_, which, requested, at_.in.name, reached);
    note_hosts(at_, which.ns, counted_command::update, reached.size());
    matched_ += static_cast<std::int32_t>(done.matched);
    modified_ += static_cast<std::int32_t>(done.modified);
    line.append("n", static_cast<std::int32_t>(done.matched + (done.upserted_id ? 1 : 0)));
    line.append("nModified", static_cast<std::int32_t>(done.modified));
    if (!done.upserted_id) return;
    ++upserted_;
    line.append("upserted", document{{"_id", *done.upserted_id}});
  }

  void remove(const document& operation, document& line) {
    const write_filter which = filter_of(operation);
    reached_shards reached;
    const auto count =
        static_cast<std::int32_t>(run_delete(at_, which, at_.in.name, reached).matched);
    note_hosts(at_, which.ns, counted_command::delete_, reached.size());
    deleted_ += count;
    line.append("n", count);
  }

  void add_error(document line, const command_failure& failure) {
    ++errors_;
    line.set("ok", 0.0);
    line.append("n", std::int32_t{0});
    line.append("code", static_cast<std::int32_t>(failure.code()));
    line.append("errmsg", failure.what());
    for (const field& each : failure.details()) line.append(each.name, each.content);
    lines_.push_back(std::make_shared<document>(std::move(line)));
  }

  context& at_;
  bool errors_only_;
  bool ordered_;
  std::vector<std::string> namespaces_;
  std::vector<document_ptr> lines_;
  std::int32_t errors_ = 0;
  std::int32_t inserted_ = 0;
  std::int32_t matched_ = 0;
  std::int32_t modified_ = 0;
  std::int32_t upserted_ = 0;
  std::int32_t deleted_ = 0;
};

}  // namespace

document run_bulk_write(context& at) {
  const release& as = at.all.data.simulated_release();
  if (!as.is_since("7.0")) {
    throw command_failure(errc::command_not_found, "no such command: 'bulkWrite'");
  }
  if (!as.is_since("8.0")) {
    throw command_failure(
        errc::command_not_supported,
        "BulkWrite may not be run without featureFlagBulkWriteCommand enabled");
  }
  if (at.in.db != "admin") {
    throw command_failure(errc::unauthorized,
                          "bulkWrite may only be run against the admin database.");
  }
  const array& operations = array_argument(at.in.body, "ops");
  if (operations.empty() || operations.size() > max_operations) {
    throw command_failure(errc::invalid_length,
                          "Write batch sizes must be between 1 and 100000");
  }
  bulk work{at};
  work.run(operations);
  return work.reply();
}

}  // namespace scattergate::sim
