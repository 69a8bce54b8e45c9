// supn_train under SIGINT and SIGTERM, as a program.
#include <csignal>
#include <cstdlib>

#include "apps/tiny_training.hpp"

namespace supn {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

// Signals that the tests' own parent may have set to be ignored would stay so in the app.
void standard_signals() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

class InterruptedTraining : public TinyTraining {
 protected:
  // Interrupts a run after its first steps.
  AppRun interrupted(int signal, const std::string& output) const {
    std::vector<std::string> more{"--log-level", "off", "--set", "training.epochs=2"};
    AppProcess process(folder_, "supn_train", arguments(output, more), standard_signals);
    EXPECT_TRUE(wait_until(process, [&] { return logged_lines(output) >= 2; }));
    process.send(signal);
    return process.finish();
  }
};

TEST_F(InterruptedTraining, SavesTheStepAndSaysHowToGoOn) {
  ASSERT_EQ(train("straight").code, 0);
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, {SIGTERM, 143}}) {
    const std::string output = "run" + std::to_string(code);

    const AppRun run = interrupted(signal, output);

    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_THAT(run.err, HasSubstr("supn_train: interrupted after step "));
    EXPECT_THAT(run.err, EndsWith(" --resume\n"));
    const auto progress = nlohmann::json::parse(bytes_of(output + "/last/progress.json"));
    const std::vector<nlohmann::json> lines = metrics(output);
    EXPECT_EQ(std::count_if(lines.begin(),
                            lines.end(),
                            [](const nlohmann::json& line) { return line.at("kind") == "step"; }),
              progress.at("finished_steps").get<std::int64_t>());

    // The command as printed, by a shell.
    const std::string command = run.err.substr(run.err.find("go on with: ") + 12);
    const std::string call = "cd '" + folder_.string() + "' && " +
                             command.substr(0, command.size() - 1) + " >'" + folder_.string() +
                             "/shell.out' 2>&1";
    EXPECT_EQ(std::system(call.c_str()), 0) << call;
    expect_same_run(output, "straight");
  }
}

TEST_F(InterruptedTraining, EndsAtOnceAtTheSecondSignalOfEitherKind) {
  AppProcess process(folder_,
                     "supn_train",
                     arguments("run", {"--log-level", "off", "--set", "training.epochs=1000"}),
                     standard_signals);
  ASSERT_TRUE(wait_until(process, [&] { return logged_lines("run") >= 1; }));
  // Stopped while both arrive, so that it cannot end between them.
  process.send(SIGSTOP);
  process.send(SIGINT);
  process.send(SIGTERM);
  process.send(SIGCONT);

  const AppRun run = process.finish();

  EXPECT_TRUE(run.code == 128 + SIGTERM || run.code == 128 + SIGINT) << run.code;
  EXPECT_THAT(run.err, ::testing::Not(HasSubstr("go on with")));
}

}  // namespace
}  // namespace supn
