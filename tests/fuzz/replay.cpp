// Runs a fuzz target over the files of folders, without libFuzzer: the corpus as a test.
//
//   replay_NAME FOLDER…
//   replay_NAME --mutate SECONDS [--seed N] FOLDER…     then changed copies of the files, for so
//   long
//
// The second form needs no clang: it is what the gate runs, in the build with sanitizers.  It
// changes bytes, moves and repeats pieces, and mixes files and words of parse.dict.  Where an input
// makes the target abort, fault, or run for 30 seconds of processor time, that input is left in
// fuzz_found.tx (under ASan with ASAN_OPTIONS=abort_on_error=1).
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

const std::string* current = nullptr;  // for the signal handler

/// Only calls that a signal handler may make.
void keep_input(int signal) {
  if (current != nullptr) {
    const int file = ::open("fuzz_found.tx", O_CREAT | O_TRUNC | O_WRONLY, 0644);
    if (file >= 0) {
      [[maybe_unused]] const auto written = ::write(file, current->data(), current->size());
      ::close(file);
    }
    constexpr char kText[] = "the input is in fuzz_found.tx\n";
    [[maybe_unused]] const auto said = ::write(2, kText, sizeof kText - 1);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// SIGVTALRM after so many seconds of this process's own time: the machine may be busy.
void limit_time(long seconds) {
  const itimerval limit{{0, 0}, {seconds, 0}};
  ::setitimer(ITIMER_VIRTUAL, &limit, nullptr);
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void run(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

/// What libFuzzer's dictionary holds, one quoted word a line.
std::vector<std::string> dictionary() {
  std::vector<std::string> words;
  std::ifstream file(TIRX_FUZZ_DICTIONARY);
  for (std::string line; std::getline(file, line);) {
    if (line.size() < 3 || line.front() != '"') continue;
    std::string word;
    for (std::size_t i = 1; i + 1 < line.size(); ++i) {
      if (line[i] == '\\' && i + 3 < line.size() && line[i + 1] == 'x') {
        word += static_cast<char>(std::stoi(line.substr(i + 2, 2), nullptr, 16));
        i += 3;
      } else {
        if (line[i] == '\\') ++i;
        word += line[i];
      }
    }
    words.push_back(word);
  }
  return words;
}

class Mutator {
 public:
  Mutator(std::vector<std::string> files, std::uint64_t seed)
      : files_(std::move(files)), words_(dictionary()), random_(seed) {}

  std::string next() {
    constexpr std::size_t kLongest = 6000;
    std::string text = any(files_);
    for (std::size_t changes = 1 + below(6); changes-- > 0;) change(text);
    if (text.size() > kLongest) text.resize(kLongest);
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  const std::string& any(const std::vector<std::string>& list) { return list[below(list.size())]; }

  /// A piece of some length, lines more often than not.
  std::string piece(const std::string& of) {
    const std::size_t begin = below(of.size() + 1);
    if (below(3) == 0) return of.substr(begin, below(20));
    const std::size_t line = of.rfind('\n', begin);
    const std::size_t from = line == std::string::npos ? 0 : line + 1;
    std::size_t to = from;
    for (std::size_t lines = 1 + below(4); lines-- > 0 && to != std::string::npos;) {
      to = of.find('\n', to);
      if (to != std::string::npos) ++to;
    }
    return of.substr(from, to == std::string::npos ? to : to - from);
  }

  void change(std::string& text) {
    constexpr std::string_view kCharacters = "()[]{}:,.=+-*/@%'\"\\ \n0189aTx_";
    const std::size_t at = below(text.size() + 1);
    switch (below(9)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random_());
        break;
      case 1:
        if (at < text.size()) text[at] = kCharacters[below(kCharacters.size())];
        break;
      case 2:
        text.erase(at, 1 + below(below(4) == 0 ? 200 : 8));
        break;
      case 3:
        if (!words_.empty()) text.insert(at, any(words_));
        break;
      case 4:
        text.insert(at, piece(text));
        break;
      case 5:
        text.insert(at, piece(any(files_)));
        break;
      case 6: {  // another number
        const std::size_t digit = text.find_first_of("0123456789", at);
        if (digit == std::string::npos) break;
        static const char* const kNumbers[] = {
            "0",     "1",  "-1", "2", "31", "33", "1000000", "2147483648", "9223372036854775807",
            "1e400", "0.5"};
        const std::size_t end = text.find_first_not_of("0123456789", digit);
        text.replace(digit, end == std::string::npos ? end : end - digit,
                     kNumbers[below(std::size(kNumbers))]);
        break;
      }
      case 7: {  // one word instead of another
        const std::string other = piece(any(files_));
        const std::size_t from = text.find_first_of("abcdefghijklmnopqrstuvwxyzTAB", at);
        if (from == std::string::npos) break;
        const std::size_t end = text.find_first_of(" ().,[]\n", from);
        text.replace(from, end == std::string::npos ? end : end - from,
                     other.substr(0, other.find_first_of("(.,[\n", 1)));
        break;
      }
      default: {  // repeat, to reach limits
        const std::string again = piece(text);
        for (std::size_t n = below(30); n-- > 0 && text.size() < 6000;) text.insert(at, again);
      }
    }
  }

  std::vector<std::string> files_, words_;
  std::mt19937_64 random_;
};

int mutate(std::vector<std::string> files, double seconds, std::uint64_t seed) {
  using Clock = std::chrono::steady_clock;
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGVTALRM}) {
    std::signal(signal, keep_input);
  }
  Mutator mutator(std::move(files), seed);
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::size_t count = 0;
  for (; Clock::now() < end; ++count) {
    const std::string text = mutator.next();
    current = &text;
    limit_time(30);
    run(text);
    limit_time(0);
    current = nullptr;
  }
  std::printf("%zu changed inputs in %.0f s, seed %llu\n", count, seconds,
              static_cast<unsigned long long>(seed));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  double seconds = 0;
  std::uint64_t seed = 1;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--mutate" && i + 1 < argc) {
      seconds = std::stod(argv[++i]);
      continue;
    }
    if (argument == "--seed" && i + 1 < argc) {
      seed = std::stoull(argv[++i]);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argument)) {
      if (!entry.is_regular_file()) continue;
      files.push_back(read(entry.path()));
      if (seconds > 0) continue;
      // Before the run, so that a crash leaves the name of its file.
      std::fprintf(stderr, "%s\n", entry.path().c_str());
      run(files.back());
    }
  }
  if (files.empty()) return 1;
  if (seconds > 0) return mutate(std::move(files), seconds, seed);
  std::printf("%zu files replayed\n", files.size());
  return 0;
}
