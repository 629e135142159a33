// The only file that includes CLI11: it takes seconds to compile.
#include <cmath>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "perch-load/run_options.h"
#include "perch/base/version.h"

namespace perch::load {
namespace {

constexpr std::string_view kFooter = R"(
Examples:
  perch-load idle --url http://localhost:8080/ --connections 5000
      open 5,000 connections, hold them for 10 s, then ask each once more
  perch-load idle --url http://localhost:8080/ --connections 19000 --hold 60 --probe 0.1 --pid 4711
      hold them for a minute, ask one in ten again, and show what process 4711 spends on each
  perch-load idle --url http://localhost:9000/ --connections 5000 --fields browser --json
      send the fields that a browser sends; print the result as JSON
  perch-load idle --url https://localhost:8443/ --connections 5000 --http1
      speak HTTP/1.1 over TLS

Any HTTP server will do. http:// is HTTP/2 with prior knowledge unless --http1 is given; for https:// both
versions are offered by ALPN, and the server chooses.

Exit codes: 0 if every connection was held and every answer was right, 1 if not, 2 for a mistake in what
it was told or more connections than the descriptors allow.)";

constexpr std::string_view kIdleFooter = R"(
Memory is read from /proc/PID/status: RSS + swap is VmRSS + VmSwap, anonymous is RssAnon + VmSwap.
A probe's latency lasts from the write of the request to the END_STREAM of its answer.)";

std::string attack_footer() {
  std::string text = "Kinds:\n";
  for (const AttackKind& kind : attack_kinds()) {
    text += fmt::format("  {:<17}{}\n", kind.name, kind.what);
  }
  return text + R"(
Connections that the server ends are replaced. What is sent is counted in the attack's own units: requests,
frames or bytes. Certificates are not looked at. Attack servers of your own, and nobody else's.)";
}

std::string check_positive(const std::string& text) {
  double number = 0;
  try {
    number = std::stod(text);
  } catch (const std::exception&) {
    return "expected a number";
  }
  return std::isfinite(number) && number >= 0 && number <= 1e6 ? ""
                                                               : "expected 0 to 1,000,000 seconds";
}

Duration seconds(double number) {
  return Duration(static_cast<std::int64_t>(std::llround(number * 1e9)));
}

}  // namespace

std::expected<CommandLine, std::string> parse_command_line(int argc, const char* const* argv) {
  CommandLine line;
  RunOptions& options = line.options;
  double hold = 10, timeout = 10;
  pid_t pid = 0;

  CLI::App app("perch-load loads an HTTP server with connections.", "perch-load");
  app.set_version_flag("--version", fmt::format("perch-load {}", kVersion),
                       "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this and exit");
  app.footer(std::string(kFooter.substr(1)));
  app.require_subcommand(1);
  CLI::App& idle = *app.add_subcommand(
      "idle", "Open connections, one GET on each; hold them idle; ask some of them again");
  idle.footer(std::string(kIdleFooter.substr(1)));
  idle.add_option("--url", options.url_text, "What to GET: http[s]://HOST[:PORT][/PATH]")
      ->option_text("URL")
      ->required();
  idle.add_option("--connections", options.connections, "How many to open")
      ->option_text("N")
      ->required()
      ->check(CLI::Range(1, 10'000'000));
  idle.add_option("--hold", hold, "Seconds to hold them idle (default: 10)")
      ->option_text("S")
      ->check(check_positive);
  idle.add_option("--probe", options.probe, "Fraction that is asked again, 0 to 1 (default: 1)")
      ->option_text("FRACTION")
      ->check(CLI::Range(0.0, 1.0));
  CLI::Option* const pid_option =
      idle.add_option("--pid", pid, "Show this process's memory, in all and per connection")
          ->option_text("PID")
          ->check(CLI::Range(1, 1 << 22));
  idle.add_option("--concurrency", options.concurrency,
                  "Connections that open at a time (default: 256)")
      ->option_text("N")
      ->check(CLI::Range(1, 1'000'000));
  idle.add_option("--probe-concurrency", options.probe_concurrency,
                  "Probes that wait for their answers at a time\n(default: 16)")
      ->option_text("N")
      ->check(CLI::Range(1, 1'000'000));
  idle.add_option("--timeout", timeout, "Seconds for an opening or a probe (default: 10)")
      ->option_text("S")
      ->check(check_positive);
  idle.add_option("--seed", options.seed, "Chooses the connections to probe (default: 1)")
      ->option_text("N");
  const std::map<std::string, FieldSet> kSets = {{"bare", FieldSet::kBare},
                                                 {"browser", FieldSet::kBrowser}};
  idle.add_option("--fields", options.fields, "Request fields: 6 or 15 of them (default: bare)")
      ->option_text("bare|browser")
      ->transform(CLI::Transformer(kSets).description(""))
      ->check([&](const std::string& word) {
        return word == "0" || word == "1" || kSets.contains(word) ? std::string()
                                                                  : "expected bare or browser";
      });
  idle.add_flag("--http1", options.http1, "Speak HTTP/1.1");
  std::string tls_max = "1.3";
  idle.add_option("--tls-max", tls_max, "The highest version of TLS to offer (default: 1.3)")
      ->option_text("1.2|1.3")
      ->check([](const std::string& word) {
        return word == "1.2" || word == "1.3" ? std::string() : "expected 1.2 or 1.3";
      });
  idle.add_flag("--insecure", options.insecure,
                "Take any certificate; implied for loopback addresses");
  idle.add_option("--ca-file", options.ca_file,
                  "Check the certificate against these CAs (PEM) instead of the\nsystem's, "
                  "on loopback as well")
      ->option_text("FILE");
  idle.add_flag("--json", options.json, "Print the result as JSON");

  AttackOptions attack_options;
  std::string kind;
  double time = 10;
  CLI::App& attack = *app.add_subcommand(
      "attack", "Misuse the protocol on some connections, to see the limits work");
  attack.footer(attack_footer());
  attack
      .add_option("--url", attack_options.url_text, "What to attack: http[s]://HOST[:PORT][/PATH]")
      ->option_text("URL")
      ->required();
  attack.add_option("--kind", kind, "One of the kinds below")
      ->option_text("KIND")
      ->required()
      ->check([](const std::string& word) {
        return find_attack(word) != nullptr ? std::string() : "there is no such kind";
      });
  attack.add_option("--connections", attack_options.connections, "At a time (default: 10)")
      ->option_text("N")
      ->check(CLI::Range(1, 10'000));
  attack.add_option("--seconds", time, "How long (default: 10)")
      ->option_text("S")
      ->check(check_positive);

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    line.print = idle.parsed() ? idle.help() : attack.parsed() ? attack.help() : app.help();
    return line;
  } catch (const CLI::CallForVersion& version) {
    line.print = fmt::format("{}\n", version.what());
    return line;
  } catch (const CLI::ParseError& error) {
    return std::unexpected(fmt::format("perch-load: {}; see perch-load --help", error.what()));
  }

  const std::string& url_text = attack.parsed() ? attack_options.url_text : options.url_text;
  auto url = parse_target_url(url_text);
  if (!url) {
    return std::unexpected(fmt::format(
        "perch-load: --url {:?} {}; expected http[s]://HOST[:PORT][/PATH]", url_text, url.error()));
  }
  if (attack.parsed()) {
    attack_options.url = std::move(*url);
    attack_options.kind = find_attack(kind);
    attack_options.time = seconds(time);
    if (attack_options.kind->key_updates && !attack_options.url.secure) {
      return std::unexpected("perch-load: --kind key-update needs a URL with https://");
    }
    line.attack = std::move(attack_options);
    return line;
  }
  options.url = std::move(*url);
  if (tls_max == "1.2") options.tls_max = tls::Version::kTls12;
  if (options.insecure && !options.ca_file.empty()) {
    return std::unexpected("perch-load: --insecure and --ca-file exclude each other");
  }
  options.hold = seconds(hold);
  options.timeout = seconds(timeout);
  if (pid_option->count() != 0) options.pid = pid;
  return line;
}

}  // namespace perch::load
