#include "proxy/judging/command_taps.hpp"

#include "tests/proxy/fixture.hpp"

namespace scattergate::proxy {
namespace {

using std::chrono::milliseconds;

class tapped_commands : public fsm_fixture {
 protected:
  tapped_commands() { inspector.use(&taps); }

  void find(int tenant) {
    const std::string json =
        R"({"find":"items","filter":{"tenant":)" + std::to_string(tenant) + R"(},"$db":"app"})";
    (void)fsm.next_request(request(++id_, json), now);
    (void)fsm.next_reply(reply(id_), now);
  }

  command_taps taps{{.samples = config::sample_content::values,
                     .self_check = true,
                     .interval = milliseconds{1000}}};

 private:
  std::int32_t id_ = 0;
};

TEST_F(tapped_commands, are_copied_when_they_are_like_others_before_them) {
  constexpr int before = 10;
  for (int i = 0; i < before; ++i) find(i);
  (void)taps.checks->take({});
  now += milliseconds{60'000};
  // Which one it is, once it is time, is a matter of chance.
  constexpr int many = 100'000;
  int sent = 0;
  bool is_copied = false;
  for (; sent < many && !is_copied; ++sent) {
    now += std::chrono::microseconds{7};
    find(sent);
    is_copied = taps.checks->take({}).has_value();
  }
  EXPECT_TRUE(is_copied);
  EXPECT_EQ(metric("scattergate_commands_total", {{"db", "app"},
                                                  {"collection", "items"},
                                                  {"command", "find"},
                                                  {"routing", "single_shard"}}),
            before + sent);
}

}  // namespace
}  // namespace scattergate::proxy
