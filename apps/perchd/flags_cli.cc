// The only file that includes CLI11: it takes seconds to compile.
#include <array>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "perch/base/version.h"
#include "perchd/flags.h"
#include "perchd/units.h"

namespace perch::perchd {
namespace {

constexpr std::string_view kFooter = R"(
Flags override the file; the file overrides the defaults.

Examples:
  perchd --root site                                 serve ./site at http://localhost:8080 and
                                                     https://localhost:8443
  perchd --listen http://0.0.0.0:80 --workers 4      on all IPv4 addresses
  perchd --config perchd.toml --check                say what is wrong, and serve nothing

Exit codes: 0 after a drain or a good --check, 1 if it cannot serve, 2 for a mistake in what it was told.)";

constexpr std::array<std::string_view, 11> kFlags = {
    "--config",  "--root",      "--listen", "--certificate", "--key",    "--workers",
    "--parking", "--log-level", "--check",  "--help",        "--version"};

ConfigErrors unknown_words(const std::vector<std::string>& words) {
  ConfigErrors errors;
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    const std::string_view meant = closest(name, kFlags);
    errors.push_back(
        {word, name.starts_with('-') ? "unknown flag" : "unexpected argument",
         meant.empty() ? "see perchd --help" : fmt::format("did you mean {}?", meant)});
  }
  return errors;
}

// CLI11 puts the flag in front of its texts, as perchd does.
ConfigError flag_error(const CLI::ParseError& error) {
  const std::string text = error.what();
  const std::size_t colon = text.find(": ");
  const bool about_flag = text.starts_with("--") && colon != text.npos;
  if (!about_flag) return {"command line", text, "see perchd --help"};
  const bool twice = dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr &&
                     text.find("received 2") != text.npos;
  return {text.substr(0, colon), twice ? "is given more than once" : "needs a value",
          "see perchd --help"};
}

}  // namespace

std::expected<Flags, ConfigErrors> parse_flags(int argc, const char* const* argv) {
  Flags flags;
  CLI::App app("perchd serves a directory over HTTP/2 and HTTP/1.1, in clear and over TLS.",
               "perchd");
  app.set_help_flag("-h,--help", "Print this and exit");
  app.set_version_flag("--version", fmt::format("perchd {}", kVersion),
                       "Print the version and exit");
  app.footer(std::string(kFooter.substr(1)));
  app.allow_extras();
  app.add_option("--config", flags.config_file, "Read this TOML file first")->option_text("FILE");
  app.add_option("--root", flags.root, "The directory to serve (default: .)")->option_text("DIR");
  app.add_option("--listen", flags.listen,
                 "Where to listen, http://HOST[:PORT] or https://HOST[:PORT];\n"
                 "repeatable (default: http://localhost:8080 and\nhttps://localhost:8443)")
      ->option_text("URL")
      ->allow_extra_args(false);
  app.add_option("--certificate", flags.certificate,
                 "For https: a chain of certificates in PEM\n(default: a self-signed one)")
      ->option_text("FILE");
  app.add_option("--key", flags.key, "The certificate's private key in PEM")->option_text("FILE");
  app.add_option("--workers", flags.workers, "Worker threads (default: one per CPU)")
      ->option_text("N");
  app.add_option("--parking", flags.parking, "Park idle connections (default: on)")
      ->option_text("on|off");
  app.add_option("--log-level", flags.log_level,
                 "trace, debug, info, warning, error or off\n(default: info)")
      ->option_text("LEVEL");
  app.add_flag("--check", flags.check, "Check the configuration and the limits, then exit");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    flags.print = app.help();
    return flags;
  } catch (const CLI::CallForVersion& version) {
    flags.print = std::string(version.what()) + "\n";
    return flags;
  } catch (const CLI::ParseError& error) {
    return std::unexpected(ConfigErrors{flag_error(error)});
  }
  if (ConfigErrors unknown = unknown_words(app.remaining()); !unknown.empty()) {
    return std::unexpected(std::move(unknown));
  }
  return flags;
}

}  // namespace perch::perchd
