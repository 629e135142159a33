// The command line, alone and on top of a file.
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "perchd/config.h"
#include "perchd/preflight.h"

namespace perch::perchd {
namespace {

std::expected<Invocation, ConfigErrors> load_words(std::vector<const char*> words) {
  words.insert(words.begin(), "perchd");
  return load(static_cast<int>(words.size()), words.data());
}

std::string mistakes(std::vector<const char*> words) {
  const auto invocation = load_words(std::move(words));
  if (invocation) return "none";
  std::string all;
  for (const ConfigError& error : invocation.error()) all += to_string(error) + "\n";
  return all;
}

class LoadFile : public testing::Test {
 protected:
  void write(const std::string& text) { std::ofstream(name_) << text; }
  void TearDown() override { std::remove(name_.c_str()); }
  const std::string name_ = testing::TempDir() + "perchd-" + std::to_string(getpid()) + ".toml";
};

TEST(Load, WithoutFlagsServesTheDefaults) {
  const auto invocation = load_words({});
  ASSERT_TRUE(invocation.has_value());
  EXPECT_EQ(invocation->action, Action::kServe);
  EXPECT_EQ(invocation->config, Config{});
}

TEST(Load, TakesEveryFlag) {
  const auto invocation =
      load_words({"--root", "/srv", "--listen", "http://a:1", "--listen=http://b:2", "--workers",
                  "3", "--parking", "off", "--log-level", "debug", "--certificate", "c.pem",
                  "--key", "k.pem", "--check"});
  ASSERT_TRUE(invocation.has_value()) << to_string(invocation.error().front());
  EXPECT_EQ(invocation->action, Action::kCheck);
  Config expected;
  expected.root = "/srv";
  expected.listen = {"http://a:1", "http://b:2"};
  expected.workers = 3;
  expected.parking = false;
  expected.log_level = LogLevel::kDebug;
  expected.tls.certificates = {
      {.certificate = "c.pem", .key = "k.pem", .ocsp_response = {}, .where = {}}};
  EXPECT_EQ(invocation->config, expected);
}

TEST_F(LoadFile, IsOverriddenByFlags) {
  write("workers = 2\nlisten = [\"http://file:1\"]\nroot = \"file\"\n");
  const auto invocation =
      load_words({"--config", name_.c_str(), "--workers", "5", "--listen", "http://flag:1"});
  ASSERT_TRUE(invocation.has_value()) << to_string(invocation.error().front());
  EXPECT_EQ(invocation->config.workers, 5U);
  EXPECT_EQ(invocation->config.listen, std::vector<std::string>{"http://flag:1"});
  EXPECT_EQ(invocation->config.root, "file");
}

TEST_F(LoadFile, AndFlagsShowTheirMistakesTogether) {
  write("\nworkers = 2000\n");
  EXPECT_EQ(
      mistakes({"--config", name_.c_str(), "--parking", "maybe"}),
      name_ + ":2:11: workers is 2000; expected a whole number from 0 to 1024 (0: one per CPU)\n" +
          "--parking: is \"maybe\"; expected on or off\n");
}

TEST(Load, OfMissingFileNamesIt) {
  EXPECT_EQ(mistakes({"--config", "/nowhere/p.toml"}),
            "--config: cannot read /nowhere/p.toml: No such file or directory; "
            "expected a TOML file of at most 1 MiB\n");
  EXPECT_EQ(mistakes({"--config", "/"}),
            "--config: cannot read /: Is a directory; expected a TOML file of at most 1 MiB\n");
}

struct WrongFlags {
  std::vector<const char*> words;
  const char* answer;
};

TEST(Load, AnswersWrongFlags) {
  const WrongFlags kWrong[] = {
      {{"--workers", "many"},
       "--workers: is \"many\"; expected a whole number from 0 to 1024 (0: one per CPU)\n"},
      {{"--workers", "1025"},
       "--workers: is 1025; expected a whole number from 0 to 1024 (0: one per CPU)\n"},
      {{"--workers", "-1"},
       "--workers: is -1; expected a whole number from 0 to 1024 (0: one per CPU)\n"},
      {{"--workers", "99999999999999999999"},
       "--workers: is \"99999999999999999999\"; expected a whole number from 0 to 1024 "
       "(0: one per CPU)\n"},
      {{"--root", ""}, "--root: is empty; expected a string that names a directory\n"},
      {{"--certificate", "a.pem"}, "--certificate: is given without --key; expected both\n"},
      {{"--key", "a.pem"}, "--key: is given without --certificate; expected both\n"},
      {{"--listen", "http://a", "--listen", "http://A:80"},
       "--listen: \"http://A:80\" is listed twice; expected http://HOST[:PORT] or "
       "https://HOST[:PORT]\n"},
      {{"--listen", "a:1", "--listen", "b:2"},
       "--listen: \"a:1\" has no scheme; expected http://HOST[:PORT] or https://HOST[:PORT]\n"
       "--listen: \"b:2\" has no scheme; expected http://HOST[:PORT] or https://HOST[:PORT]\n"},
      {{"--log-level", "loud"},
       "--log-level: is \"loud\"; expected one of trace, debug, info, warning, error, off\n"},
      {{"--worker", "3"},
       "--worker: unknown flag; did you mean --workers?\n3: unexpected argument; see perchd "
       "--help\n"},
      {{"site"}, "site: unexpected argument; see perchd --help\n"},
      {{"--root"}, "--root: needs a value; see perchd --help\n"},
      {{"--root", "a", "--root", "b"}, "--root: is given more than once; see perchd --help\n"},
  };
  for (const WrongFlags& wrong : kWrong) EXPECT_EQ(mistakes(wrong.words), wrong.answer);
}

TEST(Load, PrintsHelpAndVersionWhateverElseIsWrong) {
  const auto version = load_words({"--version", "--workers", "many"});
  ASSERT_TRUE(version.has_value());
  EXPECT_EQ(version->action, Action::kPrint);
  EXPECT_EQ(version->text, "perchd 0.1.0\n");
  const auto help = load_words({"--help"});
  ASSERT_TRUE(help.has_value());
  for (const char* flag :
       {"--config FILE", "--root DIR", "--listen URL", "--workers N", "--parking on|off",
        "--log-level LEVEL", "--certificate FILE", "--key FILE", "--check", "--version"}) {
    EXPECT_NE(help->text.find(flag), std::string::npos) << flag << "\n" << help->text;
  }
}

TEST(Check, ReportsWhatTheMachineAllows) {
  Config config;
  config.root = "/";
  config.listen = {"http://127.0.0.1:8080"};
  config.workers = 2;
  config.file_cache.open_files = 16;
  const auto report = check(config);
  ASSERT_TRUE(report.has_value()) << to_string(report.error().front());
  EXPECT_NE(report->find("listen       http://127.0.0.1:8080\n"), std::string::npos) << *report;
  EXPECT_NE(report->find("workers      2\n"), std::string::npos) << *report;
  EXPECT_NE(report->find("are kept for files and listeners"), std::string::npos) << *report;
}

TEST(Check, NamesMissingRootAndForeignAddressTogether) {
  Config config;
  config.root = "/nowhere";
  config.listen = {"http://192.0.2.1:8080"};  // RFC 5737: nobody's address
  const auto report = check(config);
  ASSERT_FALSE(report.has_value());
  ASSERT_EQ(report.error().size(), 2U);
  EXPECT_EQ(to_string(report.error()[0]),
            "root: \"/nowhere\": No such file or directory; expected a directory to serve");
  EXPECT_EQ(to_string(report.error()[1]),
            "listen: http://192.0.2.1:8080 is not an address of this machine; "
            "expected one, such as 0.0.0.0 for all");
}

}  // namespace
}  // namespace perch::perchd
