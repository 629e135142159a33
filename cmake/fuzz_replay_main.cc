// Runs a fuzz target over given files and folders, without libFuzzer: what a fuzzer once found
// stays found with every compiler. Besides the files it feeds the empty input and reproducible
// noise.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void run(const std::vector<std::uint8_t>& input) {
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

void run_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  run(std::vector<std::uint8_t>(std::istreambuf_iterator<char>(in),
                                std::istreambuf_iterator<char>()));
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t files = 0;
  for (int i = 1; i < argc; ++i) {
    const std::filesystem::path path = argv[i];
    if (!std::filesystem::exists(path)) {
      std::fprintf(stderr, "%s: no such file\n", argv[i]);
      return 1;
    }
    if (!std::filesystem::is_directory(path)) {
      run_file(path);
      ++files;
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (!entry.is_regular_file()) continue;
      run_file(entry.path());
      ++files;
    }
  }

  constexpr int kNoiseInputs = 2'000;
  std::mt19937_64 random(9113);
  run({});
  for (int i = 0; i < kNoiseInputs; ++i) {
    std::vector<std::uint8_t> noise(random() % 256);
    for (auto& byte : noise) byte = static_cast<std::uint8_t>(random());
    run(noise);
  }
  std::printf("%zu files and %d noise inputs replayed\n", files, kNoiseInputs);
  return 0;
}
