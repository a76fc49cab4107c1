#include "sim/commands/commands_write.hpp"

#include <array>
#include <functional>

#include "sim/execution/arguments.hpp"
#include "sim/execution/router.hpp"
#include "sim/execution/writes.hpp"
#include "sim/values/identity.hpp"

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
  if (content == nullptr) {
    throw command_failure(errc::type_mismatch, "A write's statements must be objects");
  }
  return *content;
}

/// Runs each statement; an ordered batch stops at its first error.
array run_batch(context& at, const array& statements,
                const std::function<void(std::size_t, const document&)>& run) {
  if (statements.empty() || statements.size() > max_batch) {
    throw command_failure(errc::invalid_length,
                          "Write batch sizes must be between 1 and 100000");
  }
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
  [[nodiscard]] std::size_t width() const noexcept { return reached_.size(); }

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
  note_hosts(at, ns, counted_command::insert, trips.width());
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
        const write_filter which{write_kind::update,
                                 ns,
                                 document_argument(each, "q"),
                                 flag_argument(each, "multi"),
                                 collation_of(at, ns, each),
                                 document_argument(each, "sort"),
                                 flag_argument(each, "upsert"),
                                 nullptr,
                                 is_raw(at, ns, at.in.body),
                                 false,
                                 let_of(at.in.body)};
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
  note_hosts(at, ns, counted_command::update, reached.size());
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
  array errors = run_batch(at, array_argument(at.in.body, "deletes"),
                           [&](std::size_t, const document& each) {
                             const write_filter which{write_kind::remove,
                                                      ns,
                                                      document_argument(each, "q"),
                                                      deletes_all(each),
                                                      collation_of(at, ns, each),
                                                      {},
                                                      false,
                                                      nullptr,
                                                      is_raw(at, ns, at.in.body),
                                                      false,
                                                      let_of(at.in.body)};
                             removed += run_delete(at, which, "delete", reached).matched;
                           });
  note_hosts(at, ns, counted_command::delete_, reached.size());
  document out{{"n", static_cast<std::int32_t>(removed)}};
  add_errors(out, std::move(errors));
  return out;
}

constexpr std::array write_specs{
    command_spec{"insert", run_insert, false, true},
    command_spec{"update", run_updates, false, true},
    command_spec{"delete", run_deletes, false, true},
    command_spec{"findAndModify", run_find_and_modify, false, true},
    command_spec{"findandmodify", run_find_and_modify, false, true},
    command_spec{"bulkWrite", run_bulk_write, false, true},
};

}  // namespace

bool deletes_all(const document& statement) {
  const value* limit = statement.find("limit");
  const double number = limit == nullptr ? 0 : limit->as_double();
  if (number != 0 && number != 1) {
    throw command_failure(errc::failed_to_parse,
                          "The limit field in delete objects must be 0 or 1");
  }
  return number == 0;
}

std::span<const command_spec> write_commands() {
  return write_specs;
}

}  // namespace scattergate::sim
