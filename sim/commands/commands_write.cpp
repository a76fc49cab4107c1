#include <array>
#include <functional>

#include "sim/execution/arguments.hpp"
#include "sim/execution/router.hpp"
#include "sim/execution/writes.hpp"
#include "sim/query/shaping.hpp"
#include "sim/values/hashing.hpp"

/// insert, update, delete; findAndModify and bulkWrite have their own files.
namespace scattergate::sim {
namespace {

constexpr std::size_t max_batch = 100'000;

document write_error(std::size_t index, const command_failure& failure) {
  document out{{"index", static_cast<std::int32_t>(index)},
               {"code", static_cast<std::int32_t>(failure.code())},
               {"errmsg", failure.what()}};
  for (const field& each : failure.details()) out.append(each.name, each.content);
  return out;
}

const document& statement_of(const value& each) {
  const auto* content = each.as<document>();
  if (content == nullptr) refuse(errc::type_mismatch, "A write's statements must be objects");
  return *content;
}

/// Runs each statement; an ordered batch stops at its first error.
array run_batch(context& at, const array& statements,
                const std::function<void(std::size_t, const document&)>& run) {
  if (statements.empty() || statements.size() > max_batch)
    refuse(errc::invalid_length, "Write batch sizes must be between 1 and 100000");
  const bool ordered = flag_argument(at.in.body, "ordered", true);
  array errors;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    try {
      run(i, statement_of(statements[i]));
    } catch (const command_failure& failure) {
      if (failure.code() == errc::write_conflict) throw;
      errors.emplace_back(write_error(i, failure));
      if (ordered) break;
    }
  }
  return errors;
}

void add_errors(document& reply, array errors) {
  if (!errors.empty()) reply.append("writeErrors", std::move(errors));
}

/// How insert batches are sent: ordered ones in runs of consecutive documents for one shard,
/// unordered ones once per shard.
class insert_trips {
 public:
  explicit insert_trips(bool ordered) : ordered_(ordered) {}
  void add(context& at, shard_index shard) {
    const bool goes_along = ordered_ ? last_ == shard : reached_.contains(shard);
    if (!goes_along) note_reached(at, {shard}, "insert");
    last_ = shard;
    reached_.insert(shard);
  }

 private:
  bool ordered_;
  std::optional<shard_index> last_;
  std::set<shard_index> reached_;
};

document run_insert(context& at) {
  const std::string ns = at.ns();
  const bool is_of_buckets = is_raw(at, ns, at.in.body);
  insert_trips trips{flag_argument(at.in.body, "ordered", true)};
  std::int32_t inserted = 0;
  array errors = run_batch(at, array_argument(at.in.body, "documents"),
                           [&](std::size_t, const document& content) {
                             trips.add(at, insert_one(at, ns, content, is_of_buckets));
                             ++inserted;
                           });
  document out{{"n", inserted}};
  add_errors(out, std::move(errors));
  return out;
}

document run_updates(context& at) {
  const std::string ns = at.ns();
  reached_shards reached;
  std::int64_t matched = 0;
  std::int64_t modified = 0;
  array upserted;
  array errors = run_batch(
      at, array_argument(at.in.body, "updates"), [&](std::size_t i, const document& each) {
        const write_filter which =
            read_statement(at, write_kind::update, ns, each, "q", at.in.body);
        const update change{needed_argument(each, "u"), now_millis(),
                            array_argument(each, "arrayFilters")};
        check_update(at, which, change, argument(each, "c") != nullptr);
        const write_result done = run_update(at, which, change, "update", reached);
        matched += done.matched + (done.upserted_id ? 1 : 0);
        modified += done.modified;
        if (done.upserted_id) {
          upserted.emplace_back(
              document{{"index", static_cast<std::int32_t>(i)}, {"_id", *done.upserted_id}});
        }
      });
  document out{{"n", static_cast<std::int32_t>(matched)},
               {"nModified", static_cast<std::int32_t>(modified)}};
  if (!upserted.empty()) out.append("upserted", std::move(upserted));
  add_errors(out, std::move(errors));
  return out;
}

document run_deletes(context& at) {
  const std::string ns = at.ns();
  reached_shards reached;
  std::int64_t removed = 0;
  array errors = run_batch(
      at, array_argument(at.in.body, "deletes"), [&](std::size_t, const document& each) {
        const write_filter which =
            read_statement(at, write_kind::remove, ns, each, "q", at.in.body);
        removed += run_delete(at, which, "delete", reached).matched;
      });
  document out{{"n", static_cast<std::int32_t>(removed)}};
  add_errors(out, std::move(errors));
  return out;
}

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
    if (content == nullptr || content->empty())
      refuse(errc::failed_to_parse, "an operation must be an object");
    const std::string& name = content->front().name;
    if (name != "insert" && name != "update" && name != "delete")
      refuse(errc::failed_to_parse, "unknown bulkWrite operation " + name);
    if (!content->front().content.is_number())
      refuse(errc::type_mismatch, "the index of a namespace must be a number");
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
    if (index < 0 || index >= std::ssize(namespaces_))
      refuse("BulkWrite ops entry has an invalid nsInfo index.");
    return namespaces_[static_cast<std::size_t>(index)];
  }

  void insert(const document& operation, document& line) {
    const std::string& ns = ns_of(operation);
    const shard_index where = insert_one(at_, ns, document_argument(operation, "document"),
                                         is_raw(at_, ns, at_.in.body));
    note_reached(at_, {where}, at_.in.name);
    ++inserted_;
    line.append("n", std::int32_t{1});
  }

  write_filter filter_of(const document& operation) const {
    const bool is_update = operation.front().name == "update";
    return read_statement(at_, is_update ? write_kind::update : write_kind::remove,
                          ns_of(operation), operation, "filter", at_.in.body);
  }

  void change(const document& operation, document& line) {
    const write_filter which = filter_of(operation);
    if (which.is_multi && !which.sort.empty())
      refuse(errc::failed_to_parse, "Cannot specify sort with multi=true");
    const sim::update requested{needed_argument(operation, "updateMods"), now_millis(),
                                array_argument(operation, "arrayFilters")};
    check_update(at_, which, requested, argument(operation, "constants") != nullptr);
    reached_shards reached;
    const write_result done = run_update(at_, which, requested, at_.in.name, reached);
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

value shown(const document_ptr& content, const document& fields) {
  if (content == nullptr) return null{};
  return projection{fields}.apply(*content);
}

document reply_of(const write_result& done, document last, value content) {
  if (done.upserted_id) last.append("upserted", *done.upserted_id);
  return {{"lastErrorObject", std::move(last)}, {"value", std::move(content)}};
}

document run_bulk_write(context& at) {
  const release& as = at.all.data.simulated_release();
  if (!as.is_since("7.0")) refuse(errc::command_not_found, "no such command: 'bulkWrite'");
  if (!as.is_since("8.0")) {
    refuse(errc::command_not_supported,
           "BulkWrite may not be run without featureFlagBulkWriteCommand enabled");
  }
  if (at.in.db != "admin")
    refuse(errc::unauthorized, "bulkWrite may only be run against the admin database.");
  const array& operations = array_argument(at.in.body, "ops");
  if (operations.empty() || operations.size() > max_operations)
    refuse(errc::invalid_length, "Write batch sizes must be between 1 and 100000");
  bulk work{at};
  work.run(operations);
  return work.reply();
}

document run_find_and_modify(context& at) {
  const document& body = at.in.body;
  const std::string ns = at.ns();
  const write_filter which =
      read_statement(at, write_kind::find_and_modify, ns, body, "query", body);
  const document& fields = document_argument(body, "fields");
  if (which.removes == body.has("update") || (which.removes && which.upserts)) {
    refuse(errc::failed_to_parse,
           "Either an update or remove=true must be specified, not both");
  }
  reached_shards reached;
  if (which.removes) {
    const write_result done = run_delete(at, which, at.in.name, reached);
    return reply_of(done, {{"n", static_cast<std::int32_t>(done.matched)}},
                    shown(done.before, fields));
  }
  const update change{needed_argument(body, "update"), now_millis(),
                      array_argument(body, "arrayFilters")};
  const write_result done = run_update(at, which, change, at.in.name, reached);
  const auto count = static_cast<std::int32_t>(done.matched + (done.upserted_id ? 1 : 0));
  return reply_of(done, {{"n", count}, {"updatedExisting", done.matched > 0}},
                  shown(flag_argument(body, "new") ? done.after : done.before, fields));
}

}  // namespace

std::span<const command_spec> write_commands() {
  static constexpr std::array all{
      command_spec{"insert", run_insert, false, true},
      command_spec{"update", run_updates, false, true},
      command_spec{"delete", run_deletes, false, true},
      command_spec{"findAndModify", run_find_and_modify, false, true},
      command_spec{"findandmodify", run_find_and_modify, false, true},
      command_spec{"bulkWrite", run_bulk_write, false, true},
  };
  return all;
}

}  // namespace scattergate::sim
