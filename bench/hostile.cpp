#include "bench/hostile.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/bson_writer.hpp"
#include "wire/endian.hpp"

/// Functions that build hostile commands (see hostile.hpp). The argument `inside` is a function
/// that writes the content.

namespace scattergate::bench {
namespace {

using bytes = std::vector<std::byte>;
using writer = wire::bson_writer;

/// A name with a number: "a12".
inline std::string name_of(std::string_view stem, std::size_t i) {
  return std::string{stem} + std::to_string(i);
}

/// Writes a document field.
template <typename Inside>
void document(writer& to, std::string_view name, Inside inside) {
  to.open_document(name);
  inside();
  to.close();
}

/// Writes an array field.
template <typename Inside>
void array(writer& to, std::string_view name, Inside inside) {
  to.open_array(name);
  inside();
  to.close();
}

/// Writes `count` documents as members of the open array or document; inside(i) writes the
/// content of member i.
template <typename Inside>
void members(writer& to, std::size_t count, Inside inside) {
  for (std::size_t i = 0; i != count; ++i) {
    document(to, std::to_string(i), [&] { inside(i); });
  }
}

/// Makes a command: {command: collection, ..., $db: "bench"}.
template <typename Inside>
hostile_request a_command(std::string_view command, std::string_view collection,
                          Inside inside) {
  writer to;
  to.text(command, collection);
  inside(to);
  to.text("$db", "bench");
  return hostile_request{to.take()};
}

/// Makes a find; `inside` writes the filter's fields.
template <typename Inside>
hostile_request a_find(std::string_view collection, Inside inside) {
  return a_command("find", collection,
                   [&](writer& to) { document(to, "filter", [&] { inside(to); }); });
}

/// Makes an aggregate on `ranged`; `inside` writes the stages.
template <typename Inside>
hostile_request an_aggregate(Inside inside) {
  return a_command("aggregate", "ranged", [&](writer& to) {
    array(to, "pipeline", [&] { inside(to); });
    document(to, "cursor", [] {});
  });
}

/// Makes a batch of `count` statements, in the document sequence `sequence`; inside(to, i)
/// writes statement i.
template <typename Inside>
hostile_request a_batch(std::string_view command, std::string_view collection,
                        std::string_view sequence, std::size_t count, Inside inside) {
  writer body;
  body.text(command, collection);
  body.text("$db", "bench");
  bytes documents;
  for (std::size_t i = 0; i != count; ++i) {
    writer to;
    inside(to, i);
    const bytes one = to.take();
    documents.insert(documents.end(), one.begin(), one.end());
  }
  return {body.take(), sequence, documents};
}

/// A number below 1,000,000,007 that looks random, but depends only on `i`.
inline std::int32_t number(std::size_t i) {
  return static_cast<std::int32_t>(i * 2'654'435'761U % 1'000'000'007U);
}

/// Writes {$eq: [left, right]} as member `i` of the open array.
inline void equality(writer& to, std::size_t i, std::string_view left, std::string_view right) {
  document(to, std::to_string(i), [&] {
    array(to, "$eq", [&] {
      to.text("0", left);
      to.text("1", right);
    });
  });
}

hostile_request regexes(std::size_t count) {
  return a_find("ranged", [&](writer& to) {
    document(to, "k", [&] {
      for (std::size_t i = 0; i != count; ++i) to.text("$regex", "^a");
      for (std::size_t i = 0; i != count; ++i) to.text("$options", "s");
    });
  });
}

hostile_request branches(std::string_view list, std::size_t count) {
  return a_find("ranged", [&](writer& to) {
    array(to, list,
          [&] { members(to, count, [&](std::size_t i) { to.int32("k", number(i)); }); });
  });
}

/// Negates several parts: the union of their negations.
hostile_request negated_parts(std::size_t count) {
  return a_find("ranged", [&](writer& to) {
    array(to, "$nor", [&] {
      document(to, "0", [&] {
        for (std::size_t i = 0; i != count; ++i) {
          document(to, "k", [&] { to.int32("$ne", number(i)); });
        }
      });
    });
  });
}

hostile_request negated_operators(std::size_t count) {
  return a_find("ranged", [&](writer& to) {
    document(to, "k", [&] {
      document(to, "$not", [&] {
        for (std::size_t i = 0; i != count; ++i) to.int32("$ne", number(i));
      });
    });
  });
}

hostile_request lists_together(std::size_t count) {
  return a_find("ranged", [&](writer& to) {
    array(to, "$and", [&] {
      members(to, count, [&](std::size_t) {
        document(to, "k", [&] {
          array(to, "$in", [&] {
            for (std::size_t i = 0; i != 16; ++i) to.int32(std::to_string(i), number(i));
          });
        });
      });
    });
  });
}

/// [{$project: ...}, {$match: ...}] with as many fields as predicates.
hostile_request projected(std::string_view stem, std::size_t count) {
  return an_aggregate([&](writer& to) {
    document(to, "0", [&] {
      document(to, "$project", [&] {
        for (std::size_t i = 0; i != count; ++i) to.int32(name_of(stem, i), 1);
      });
    });
    document(to, "1", [&] {
      document(to, "$match", [&] {
        for (std::size_t i = 0; i != count; ++i) to.int32(name_of(stem, count - i), 1);
      });
    });
  });
}

hostile_request unset(std::size_t count) {
  return an_aggregate([&](writer& to) {
    document(to, "0", [&] {
      array(to, "$unset", [&] {
        for (std::size_t i = 0; i != count; ++i) to.text(std::to_string(i), name_of("f", i));
      });
    });
    document(to, "1", [&] {
      document(to, "$match", [&] {
        for (std::size_t i = 0; i != count; ++i) to.int32(name_of("g", i), 1);
      });
    });
  });
}

hostile_request expression_paths(std::size_t count) {
  return an_aggregate([&](writer& to) {
    document(to, "0", [&] {
      document(to, "$addFields", [&] {
        for (std::size_t i = 0; i != count; ++i) to.text(name_of("f", i), name_of("$g", i));
      });
    });
    document(to, "1", [&] {
      document(to, "$match", [&] {
        document(to, "$expr", [&] {
          array(to, "$and", [&] {
            for (std::size_t i = 0; i != count; ++i) equality(to, i, name_of("$f", i), "x");
          });
        });
      });
    });
  });
}

void match_stage(writer& to, std::size_t i) {
  document(to, std::to_string(i),
           [&] { document(to, "$match", [&] { to.int32(name_of("f", i), 1); }); });
}

hostile_request unions(std::size_t count, bool by_turns) {
  return an_aggregate([&](writer& to) {
    for (std::size_t i = 0; i != 2 * count; ++i) {
      if (by_turns ? i % 2 == 0 : i < count) {
        document(to, std::to_string(i), [&] { to.text("$unionWith", "hashed"); });
      } else {
        match_stage(to, i);
      }
    }
  });
}

hostile_request variables(std::size_t count) {
  return a_command("find", "ranged", [&](writer& to) {
    document(to, "let", [&] {
      for (std::size_t i = 0; i != count; ++i) to.int32(name_of("v", i), number(i));
    });
    document(to, "filter", [&] {
      document(to, "$expr", [&] {
        array(to, "$and", [&] {
          for (std::size_t i = 0; i != count; ++i) equality(to, i, "$f", name_of("$$v", i));
        });
      });
    });
  });
}

/// Unions that each bound the key.
hostile_request unions_beside(std::size_t count) {
  return a_find("ranged", [&](writer& to) {
    array(to, "$and", [&] {
      members(to, count, [&](std::size_t i) {
        array(to, "$or", [&] {
          members(to, 2, [&](std::size_t side) { to.int32("k", number(i + side)); });
        });
      });
    });
  });
}

/// A sum of constants, and as many references to a variable bound to it.
hostile_request sums(std::size_t count) {
  const auto sum = [&](writer& to, std::string_view name) {
    document(to, name, [&] {
      array(to, "$add", [&] {
        for (std::size_t i = 0; i != count / 2; ++i) to.int32(std::to_string(i), 1);
      });
    });
  };
  return a_command("find", "ranged", [&](writer& to) {
    document(to, "let", [&] { sum(to, "v"); });
    document(to, "filter", [&] {
      document(to, "$expr", [&] {
        array(to, "$and", [&] {
          for (std::size_t i = 0; i != count / 2; ++i) equality(to, i, "$f", "$$v");
          members(to, 1, [&](std::size_t) {
            array(to, "$eq", [&] {
              to.text("0", "$k");
              sum(to, "1");
            });
          });
        });
      });
    });
  });
}

hostile_request hashed_values(std::size_t count) {
  return a_find("hashed", [&](writer& to) {
    document(to, "k", [&] {
      array(to, "$in", [&] {
        for (std::size_t i = 0; i != count; ++i) to.int32(std::to_string(i), number(i));
      });
    });
  });
}

/// Decimals between doubles, far from one.
hostile_request decimals(std::size_t count) {
  return a_find("ranged", [&](writer& to) {
    document(to, "k", [&] {
      array(to, "$in", [&] {
        for (std::size_t i = 0; i != count; ++i) {
          std::array<std::byte, 16> value;
          wire::store_little(value.data(), 0x1234'5678'9abc'def1U + i * i);
          wire::store_little(value.data() + 8,
                             (std::uint64_t{6176 - 320} << 49U) | 0x1'0000'0001U);
          to.raw(std::to_string(i), wire::bson_type::decimal128, value);
        }
      });
    });
  });
}

/// Lists with duplicates on every level.
void twice(writer& to, std::string_view name, std::size_t count) {
  if (count < 2) return to.int32(name, 1);
  array(to, "$or", [&] { members(to, 2, [&](std::size_t) { twice(to, "k", count / 2); }); });
}

hostile_request beside_elem_match(std::size_t count) {
  constexpr std::size_t levels = 90;
  return a_find("ranged", [&](writer& to) {
    for (std::size_t i = 0; i != levels; ++i) {
      to.open_document("a");
      to.open_document("$elemMatch");
    }
    for (std::size_t i = 0; i != count; ++i) to.int32(name_of("f", i), 1);
    for (std::size_t i = 0; i != 2 * levels; ++i) to.close();
  });
}

/// Pipelines within pipelines, with stages in the innermost.
hostile_request lookups(std::size_t count) {
  constexpr std::size_t levels = 18;
  return an_aggregate([&](writer& to) {
    for (std::size_t i = 0; i != levels; ++i) {
      to.open_document("0");
      to.open_document("$lookup");
      to.text("from", "hashed");
      to.text("as", "x");
      to.open_array("pipeline");
    }
    for (std::size_t i = 0; i != count; ++i) match_stage(to, i);
    for (std::size_t i = 0; i != 3 * levels; ++i) to.close();
  });
}

hostile_request types(std::size_t count) {
  return a_find("ranged", [&](writer& to) {
    document(to, "k", [&] {
      array(to, "$type", [&] {
        for (std::size_t i = 0; i != count; ++i) to.int32(std::to_string(i), -1);
      });
    });
  });
}

hostile_request facets(std::size_t count) {
  return an_aggregate([&](writer& to) {
    document(to, "0", [&] {
      document(to, "$facet", [&] {
        for (std::size_t i = 0; i != count; ++i) {
          array(to, name_of("f", i),
                [&] { document(to, "0", [&] { to.text("$unionWith", "hashed"); }); });
        }
      });
    });
  });
}

/// A value of this many bytes in the field of a hashed key.
hostile_request long_value(std::size_t count) {
  return a_batch("insert", "hashed", "documents", 1,
                 [&](writer& to, std::size_t) { to.text("k", std::string(count, 'x')); });
}

hostile_request long_names(std::size_t count) {
  return a_find("ranged", [&](writer& to) {
    for (std::size_t i = 0; i != count; ++i)
      to.int32(std::string(200, 'x') + name_of(".", i), 1);
  });
}

hostile_request empty_documents(std::size_t count) {
  return a_batch("insert", "ranged", "documents", count, [](writer&, std::size_t) {});
}

hostile_request updates(std::size_t count) {
  return a_batch("update", "ranged", "updates", count, [](writer& to, std::size_t i) {
    document(to, "q", [&] { to.int32("k", number(i)); });
    document(to, "u", [&] { document(to, "$set", [&] { to.int32("f", 1); }); });
  });
}

hostile_request inserts(std::size_t count) {
  return a_batch("insert", "hashed", "documents", count, [](writer& to, std::size_t i) {
    to.int32("_id", number(i));
    to.int32("k", number(i));
    to.text("text", "some twenty bytes of it");
  });
}

hostile_request indexes(std::size_t count) {
  return a_command("createIndexes", "ranged", [&](writer& to) {
    array(to, "indexes", [&] {
      members(to, count, [&](std::size_t) {
        document(to, "key", [&] { to.int32("k", 1); });
        to.boolean("unique", true);
      });
    });
  });
}

}  // namespace

const std::vector<hostile_kind>& hostile_kinds() {
  static const std::vector<hostile_kind> kinds{
      {"regexes", regexes, 400'000},
      {"or", [](std::size_t n) { return branches("$or", n); }, 700'000},
      {"nor", [](std::size_t n) { return branches("$nor", n); }, 700'000},
      {"negated_parts", negated_parts, 700'000},
      {"negated_operators", negated_operators, 1'500'000},
      {"lists_together", lists_together, 60'000},
      {"projected", [](std::size_t n) { return projected("f", n); }, 500'000},
      {"projected_below", [](std::size_t n) { return projected("a.b.c", n); }, 400'000},
      {"unset", unset, 350'000},
      {"expression_paths", expression_paths, 150'000},
      {"unions", [](std::size_t n) { return unions(n, false); }, 150'000},
      {"unions_by_turns", [](std::size_t n) { return unions(n, true); }, 150'000},
      {"variables", variables, 180'000},
      {"unions_beside", unions_beside, 150'000},
      {"sums", sums, 400'000},
      {"hashed_values", hashed_values, 1'300'000},
      {"decimals", decimals, 600'000},
      {"twice",
       [](std::size_t n) { return a_find("ranged", [&](writer& to) { twice(to, "k", n); }); },
       500'000},
      {"beside_elem_match", beside_elem_match, 1'100'000},
      {"lookups", lookups, 350'000},
      {"types", types, 1'300'000},
      {"facets", facets, 300'000},
      {"long_value", long_value, 16'000'000},
      {"long_names", long_names, 75'000},
      {"empty_documents", empty_documents, 9'000'000},
      {"updates", updates, 700'000},
      {"indexes", indexes, 350'000},
      {"honest_updates", updates, 100'000, true},
      {"honest_values", hashed_values, 100'000, true},
      {"honest_inserts", inserts, 100'000, true},
  };
  return kinds;
}

}  // namespace scattergate::bench
