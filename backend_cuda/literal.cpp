#include "backend_cuda/literal.hpp"

namespace tirx::cuda {

std::string string_literal(std::string_view text) {
  std::string out = "\"";
  char before = 0;
  for (const char c : text) {
    switch (c) {
      case '"':
      case '\\':
        out += '\\';
        out += c;
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '?':
        out += before == '?' ? "\\?" : "?";
        break;
      default:
        out += c;
    }
    before = c;
  }
  return out + '"';
}

std::string comment_line(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\n' || c == '\r' ? ' ' : c;
  for (std::size_t size = out.size() + 1; out.size() < size;) {
    size = out.size();
    out.erase(out.find_last_not_of(" \t\v\f\\") + 1);
    if (out.ends_with("?\?/")) out.erase(out.size() - 3);
  }
  return out;
}

}  // namespace tirx::cuda
