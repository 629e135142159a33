#include "perchd/logs.h"

#include <sys/stat.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include <gtest/gtest.h>

#include "perchd/test_folder.h"

namespace perch::perchd {
namespace {

using server::LogLevel;
using testing::Folder;

Config config_in(const Folder& folder) {
  Config config;
  config.log_file = folder.path("error.log");
  config.access_log.file = folder.path("access.log");
  config.access_log.format = AccessFormat::kCommon;
  return config;
}

server::AccessRecord record_of(std::string_view target) {
  server::AccessRecord record;
  record.remote = "192.0.2.1";
  record.method = "GET";
  record.target = target;
  record.version = "HTTP/1.1";
  record.status = 200;
  return record;
}

// The lines' order is the calls'; when they appear is up to the log's thread.
bool appears(const std::string& file, std::string_view text) {
  for (int i = 0; i < 2000; ++i) {
    if (Folder::read(file).find(text) != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

TEST(Logs, WriteLinesOfTheLevelAndAbove) {
  const Folder folder;
  Config config = config_in(folder);
  config.log_level = perchd::LogLevel::kWarning;
  {
    Logs logs;
    ASSERT_TRUE(logs.open(config).has_value());
    logs.write(LogLevel::kInfo, "not this");
    logs.write(LogLevel::kWarning, "but this");
    logs.write(LogLevel::kError, "one\nline\x1b");
  }
  const std::string text = Folder::read(config.log_file);
  EXPECT_EQ(text.find("not this"), std::string::npos);
  EXPECT_NE(text.find(" warning but this\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" error one\\x0Aline\\x1B\n"), std::string::npos) << text;
  struct stat status;
  ASSERT_EQ(::stat(config.log_file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U & ~0640U, 0U);
}

TEST(Logs, HaveNoAccessLogWhereItIsOff) {
  const Folder folder;
  Config config = config_in(folder);
  config.access_log.file = "";
  Logs logs;
  ASSERT_TRUE(logs.open(config).has_value());
  EXPECT_FALSE(logs.access_log());
}

TEST(Logs, AreReopenedByNameForRotation) {
  const Folder folder;
  Config config = config_in(folder);
  Logs logs;
  ASSERT_TRUE(logs.open(config).has_value());
  const server::AccessLog access = logs.access_log();
  access(record_of("/before"));
  ASSERT_TRUE(appears(config.access_log.file, "GET /before HTTP/1.1"));
  std::rename(config.access_log.file.c_str(), folder.path("access.log.1").c_str());
  access(record_of("/renamed"));
  ASSERT_TRUE(appears(folder.path("access.log.1"), "/renamed"));
  config.access_log.format = AccessFormat::kCombined;
  EXPECT_TRUE(logs.reopen(config).empty());
  access(record_of("/after"));
  ASSERT_TRUE(appears(config.access_log.file, "GET /after HTTP/1.1\" 200 0 \"-\" \"-\"\n"));
  EXPECT_EQ(Folder::read(folder.path("access.log.1")).find("/after"), std::string::npos);
}

TEST(Logs, KeepTheOldFileWhereTheNewOneCannotBeOpened) {
  const Folder folder;
  Config config = config_in(folder);
  Logs logs;
  ASSERT_TRUE(logs.open(config).has_value());
  const std::string before = config.access_log.file;
  config.access_log.file = "/nowhere/access.log";
  EXPECT_EQ(
      logs.reopen(config),
      std::vector<std::string>{
          "access_log.file stays where it was: /nowhere/access.log: No such file or directory"});
  logs.access_log()(record_of("/on"));
  EXPECT_TRUE(appears(before, "/on"));
}

TEST(Logs, NameTheFileThatCannotBeOpened) {
  Config config;
  config.log_file = "/nowhere/error.log";
  Logs logs;
  EXPECT_EQ(logs.open(config).error().message(), "/nowhere/error.log: No such file or directory");
}

// A reader that does not read: the queue fills, workers go on, and what is lost is counted.
TEST(Logs, DropAndCountWhatComesFasterThanItCanBeWritten) {
  const Folder folder;
  Config config = config_in(folder);
  config.access_log.file = folder.path("pipe");
  config.access_log.queue = 16;
  ASSERT_EQ(::mkfifo(config.access_log.file.c_str(), 0600), 0);
  std::FILE* reader = nullptr;
  std::thread opener([&] { reader = std::fopen(config.access_log.file.c_str(), "re"); });
  Logs logs;
  ASSERT_TRUE(logs.open(config).has_value());
  opener.join();
  ASSERT_NE(reader, nullptr);
  const server::AccessLog access = logs.access_log();
  const std::string target = "/" + std::string(1000, 'x');
  constexpr int kLines = 2000;
  for (int i = 0; i < kLines; ++i) access(record_of(target));
  const std::uint64_t dropped = logs.lines_dropped();
  EXPECT_GT(dropped, 1000U);  // a pipe takes 64 KiB, the gathered lines as much
  int read = 0;
  char buffer[2048];
  while (read < kLines - static_cast<int>(logs.lines_dropped()) &&
         std::fgets(buffer, sizeof buffer, reader) != nullptr) {
    ++read;
  }
  EXPECT_EQ(read + logs.lines_dropped(), static_cast<std::uint64_t>(kLines));
  EXPECT_TRUE(appears(config.log_file, "lines were dropped"));
  std::fclose(reader);
}

}  // namespace
}  // namespace perch::perchd
