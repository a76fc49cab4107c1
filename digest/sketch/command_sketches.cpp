#include "digest/sketch/command_sketches.hpp"

#include <chrono>

#include "digest/sketch/statements.hpp"
#include "wire/limits.hpp"

namespace scattergate::digest {
namespace {

class fields_of_sketch final : public sketched_fields {
 public:
  fields_of_sketch(collection_sketch& of, const sketch_table::room& has_room) noexcept
      : of_(of), has_room_(has_room) {}
  [[nodiscard]] std::size_t size() const noexcept override { return of_.fields().size(); }
  [[nodiscard]] std::string_view path(std::size_t place) const noexcept override {
    return of_.fields()[place].path;
  }
  [[nodiscard]] std::size_t take(std::string_view path) override {
    return of_.take_field(path, has_room_);
  }

 private:
  collection_sketch& of_;
  const sketch_table::room& has_room_;
};

class counter final : public statement_taker {
 public:
  counter(sketch_table& into, const salt& by, const routing::catalog& catalog,
          std::int64_t second) noexcept
      : into_(into), salt_(by), catalog_(catalog), second_(second) {}

  void on_statement(const statement& one) override {
    collection_sketch* const to = into_.take(one.in);
    if (to == nullptr) return into_.count_left_out(1);
    if (to->requests() == 0) take_key(*to);
    fields_of_sketch fields{*to, into_.has_room()};
    to->count(hashed(find_values(one, fields), salt_), second_, into_.has_room());
  }

 private:
  void take_key(collection_sketch& of) const {
    const auto* const entry = catalog_.find(of.ns().database, of.ns().collection);
    if (entry == nullptr) return;
    for (const auto& key : entry->key) (void)of.take_field(key.path, into_.has_room());
  }

  sketch_table& into_;
  const salt& salt_;
  const routing::catalog& catalog_;
  std::int64_t second_;
};

}  // namespace

void command_sketches::count(const wire::command& command, const routing::catalog& catalog,
                             std::optional<wall_time> at) {
  const auto second =
      at ? std::chrono::floor<std::chrono::seconds>(*at).time_since_epoch().count()
         : std::int64_t{0};
  counter each{into_, salt_, catalog, second};
  (void)for_each_statement(command, SIZE_MAX, each);
}

}  // namespace scattergate::digest
