#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "digest/row.hpp"
#include "routing/catalog/catalog.hpp"
#include "telemetry/shapes/live_digest.hpp"
#include "telemetry/sketches/sketch_book.hpp"

namespace scattergate::telemetry {

/// Computes advice on the shard keys of collections, on request, from the digest (the table of
/// all shapes). Has its own thread, which computes for one collection at a time. After each
/// collection, the thread pauses for at least as long as it computed, so that it uses at most
/// half of one CPU. It locks the digest only to copy the collection's rows. Thread-safety: any
/// thread.
class advice_service {
 public:
  using catalog_source = std::function<std::shared_ptr<const routing::catalog>()>;

  /// `catalog` returns the current catalog; any thread may call it. The references and
  /// `sketches` must outlive this object. `sketches`: null if sketches are off.
  advice_service(const live_digest& digest, catalog_source catalog,
                 const sketch_book* sketches = nullptr)
      : digest_(digest), catalog_(std::move(catalog)), sketches_(sketches) {}
  ~advice_service();
  advice_service(const advice_service&) = delete;
  advice_service& operator=(const advice_service&) = delete;

  static constexpr std::size_t most_shapes = 2'000;  ///< a collection with more shapes gets no
                                                     ///< advice
  /// The maximum size of the texts of a collection's shapes, in bytes. A collection with more
  /// text gets no advice.
  static constexpr std::size_t most_shape_bytes = std::size_t{1} << 20;
  /// The maximum size of an answer's JSON, and of its HTML, in bytes.
  static constexpr std::size_t most_answer_bytes = std::size_t{1} << 20;
  /// Maximum number of collections whose advice is being computed or waits for computation.
  static constexpr std::size_t most_waiting = 4;
  /// The maximum size of all cached answers together, in bytes.
  static constexpr std::size_t most_kept_bytes = std::size_t{4} << 20;
  static constexpr std::size_t most_kept = 100;  ///< maximum number of cached answers
  /// How long an answer is cached, unless its state is not_seen.
  static constexpr std::chrono::seconds kept_for{60};
  /// How long an answer in state not_seen is cached: briefly, because workers may not have
  /// reported their counts yet.
  static constexpr std::chrono::seconds not_seen_for{2};

  enum class state : std::uint8_t {
    computing,  ///< being computed, or waiting for computation
    done,
    too_much,  ///< the collection exceeds most_shapes or most_shape_bytes, or its advice
               ///< exceeds most_answer_bytes
    not_seen,  ///< the digest has no commands on the collection, or the collection can't have a
               ///< shard key of its own
    failed,    ///< computing threw an exception, mostly for lack of memory
    busy,      ///< nothing was requested, because most_waiting other collections wait
  };

  /// The advice on one collection.
  struct answer {
    state is = state::computing;  ///< whether the advice is there
    digest::wall_time at{};       ///< when the advice was computed; for another state, when the
                                  ///< state was determined
    std::string json{};           ///< the advice as JSON; empty unless done
    std::string html{};           ///< the advice as HTML; empty unless done

    [[nodiscard]] std::size_t bytes() const noexcept { return json.size() + html.size(); }
  };

  /// Returns the advice on a collection, or why there is none yet. `name_space`:
  /// "database.collection". Doesn't wait for a computation.
  ///
  /// If an answer is cached, returns it. Otherwise requests the computation and returns an
  /// answer in state `computing`. If most_waiting other collections wait already, requests
  /// nothing and returns an answer in state `busy`.
  [[nodiscard]] std::shared_ptr<const answer> ask(const std::string& name_space);

 private:
  using clock = std::chrono::steady_clock;

  struct kept_answer {
    std::string name_space;
    std::shared_ptr<const answer> made;
    clock::time_point until;
  };

  void run() noexcept;
  void keep(const std::string& name_space, std::shared_ptr<const answer> made);
  [[nodiscard]] std::shared_ptr<const answer> made_for(const std::string& name_space) const;
  [[nodiscard]] answer compute(const std::string& name_space) const;
  [[nodiscard]] std::unique_ptr<const digest::collection_sketches> sketches_of(
      const std::string& name_space) const;

  const live_digest& digest_;
  catalog_source catalog_;
  const sketch_book* sketches_;

  std::mutex mutex_;  // guards the members below
  std::condition_variable wake_;
  std::list<std::string> waiting_;  // namespaces; the first is being computed
  std::list<kept_answer> kept_;     // the latest last
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace scattergate::telemetry
