#include "fuzz/check/emitted.hpp"

#include <charconv>
#include <map>
#include <set>

#include <fmt/format.h>

#include "fuzz/expect/expectation.hpp"
#include "lower/lower.hpp"

namespace tirx::fuzz {

namespace {

/// One comment of a line.
struct Claim {
  std::uint32_t line = 0;
  bool absent = false;  // the text is not there
  bool file = false;    // it is anywhere in the file
  bool once = false;    // it is there, and not twice
  std::string text;     // a line's end is written as in C++
  std::string comment;  // as the line has it
};

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

std::string with_ends(std::string_view text) {
  std::string out(text);
  for (std::size_t at = out.find("\\n"); at != std::string::npos; at = out.find("\\n", at))
    out.replace(at, 2, "\n");
  return out;
}

void claims_of(std::string_view line, std::uint32_t number, std::vector<Claim>& claims) {
  for (std::size_t at = std::min(line.find(kClaims), line.size()); at < line.size();) {
    const std::size_t next = std::min(line.find(kClaims, at + kClaims.size()), line.size());
    std::string_view text = line.substr(at + kClaims.size(), next - at - kClaims.size());
    Claim claim;
    claim.line = number;
    claim.comment = trimmed(line.substr(at, next - at));
    claim.absent = take(text, " not");
    claim.once = take(text, " once");
    claim.file = take(text, " file") || claim.once;
    if (take(text, ": ")) {
      claim.text = with_ends(trimmed(text));
      claims.push_back(claim);
    }
    at = next;
  }
}

std::vector<Claim> claims_of(std::string_view script) {
  std::vector<Claim> claims;
  std::uint32_t number = 1;
  for (std::size_t at = 0; at < script.size(); ++number) {
    const std::size_t end = std::min(script.find('\n', at), script.size());
    claims_of(script.substr(at, end - at), number, claims);
    at = end + 1;
  }
  return claims;
}

/// `name` inside of a string of C++.
std::string quoted(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out;
}

/// The emitted text by the script's lines, as `#line` says; or why it says nothing.
struct ByLine {
  std::map<std::uint32_t, std::string> text;
  std::string problem;
};

ByLine by_line(std::string_view emitted, std::string_view name) {
  ByLine result;
  std::uint32_t current = 0, last = 0;
  const std::string tail = fmt::format(" \"{}\"", quoted(name));
  for (std::size_t at = 0; at < emitted.size();) {
    const std::size_t end = std::min(emitted.find('\n', at), emitted.size());
    std::string_view line = emitted.substr(at, end - at);
    at = end + 1;
    if (std::string_view directive = trimmed(line); take(directive, "#line ")) {
      line = directive;
      const auto read = std::from_chars(line.data(), line.data() + line.size(), current);
      const std::string_view rest = line.substr(static_cast<std::size_t>(read.ptr - line.data()));
      if (rest != tail) result.problem = fmt::format("a #line names the file{}", rest);
      if (current == last) result.problem = fmt::format("#line {} twice in a row", current);
      last = current;
      continue;
    }
    if (current != 0) (result.text[current] += line) += '\n';
    if (line == "}") current = last = 0;  // a kernel ends
  }
  return result;
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// The names of helpers in a line, and of templates' parameters nothing.
template <typename Found>
void helpers_in(std::string_view line, Found&& found) {
  for (std::size_t at = line.find("tirx_"); at != std::string_view::npos;) {
    std::size_t end = at;
    while (end < line.size() && is_word(line[end])) ++end;
    if (at == 0 || !is_word(line[at - 1])) found(line.substr(at, end - at));
    at = line.find("tirx_", end);
  }
}

/// A declaration at file scope, and not the head of a kernel.
bool declares(std::string_view line) {
  for (const std::string_view word : {"__device__", "__host__", "template", "struct", "using"}) {
    if (line.starts_with(word)) return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> not_self_contained(std::string_view cuda) {
  std::set<std::string_view> used, defined;
  int braces = 0, parentheses = 0;
  for (std::size_t at = 0; at < cuda.size();) {
    const std::size_t end = std::min(cuda.find('\n', at), cuda.size());
    std::string_view line = cuda.substr(at, end - at);
    at = end + 1;
    line = line.substr(0, line.find("//"));
    // Strings are inline assembly and formats.
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (!quoted) {
        braces += c == '{' ? 1 : c == '}' ? -1 : 0;
        parentheses += c == '(' ? 1 : c == ')' ? -1 : 0;
      }
    }
    helpers_in(line,
               [&](std::string_view name) { (declares(line) ? defined : used).insert(name); });
  }
  if (braces != 0 || parentheses != 0) return "the emitted text has a bracket that is not closed";
  for (const std::string_view name : used) {
    if (!defined.contains(name)) return fmt::format("the emitted text calls {} and lacks it", name);
  }
  return std::nullopt;
}

bool says_cuda(std::string_view script) {
  return script.find(kClaims) != std::string_view::npos;
}

std::optional<BrokenText> broken_text(std::span<const std::shared_ptr<const ir::Kernel>> kernels,
                                      const ir::Target& target,
                                      const Emit& emit) {
  if (kernels.empty() || !kernels.front()->source) return std::nullopt;
  const Source& source = *kernels.front()->source;
  std::vector<lower::LoweredKernel> lowered;
  for (const auto& kernel : kernels) {
    Result<lower::LoweredKernel> one = lower::lower(*kernel, target);
    if (!one) return BrokenText{one.error().text, {}};
    lowered.push_back(std::move(one).value());
  }
  std::vector<const lower::LoweredKernel*> pointers;
  for (const lower::LoweredKernel& kernel : lowered) pointers.push_back(&kernel);
  const Result<std::string> text = emit(pointers, true);
  if (!text) return BrokenText{text.error().text, {}};
  const ByLine parts = by_line(*text, source.name());
  if (!parts.problem.empty()) return BrokenText{parts.problem, {}};
  for (const Claim& claim : claims_of(source.text())) {
    const auto part = parts.text.find(claim.line);
    const std::string_view where = claim.file                 ? std::string_view(*text)
                                   : part == parts.text.end() ? std::string_view()
                                                              : std::string_view(part->second);
    const std::size_t first = where.find(claim.text);
    const bool found = first != std::string_view::npos;
    const bool again =
        claim.once && found && where.find(claim.text, first + 1) != std::string::npos;
    if (found != claim.absent && !again) continue;
    std::string sentence =
        fmt::format("line {} becomes CUDA {} \"{}\": {}", claim.line,
                    again          ? "with a second"
                    : claim.absent ? "with"
                                   : "without",
                    claim.text, claim.file ? std::string_view("the file") : where.substr(0, 300));
    return BrokenText{std::move(sentence), claim.comment};
  }
  return std::nullopt;
}

}  // namespace tirx::fuzz
