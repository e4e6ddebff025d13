// Fingerprints: of the sources at build time (numerics/layer.cmake), and as recorded.
#include "numerics/evidence.hpp"

#include <cstddef>
#include <cstdio>

namespace tirx::num {

struct SourceFingerprint {
  std::string_view file, digits;
};

extern const SourceFingerprint source_fingerprints[];
extern const std::size_t source_fingerprints_count;

namespace {

// Written by `numerics_campaign evidence`, from the recordings in tests/vectors.
constexpr SourceFingerprint kRecorded[] = {
#include "numerics/recorded_fingerprints.inc"
};

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

}  // namespace

std::string_view name(Evidence evidence) {
  switch (evidence) {
    case Evidence::witnessed:
      return "witnessed";
    case Evidence::published:
      return "published";
    case Evidence::modelled:
      return "modelled";
    case Evidence::defined:
      return "defined";
  }
  return "?";
}

std::string text_fingerprint(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325U;  // FNV-1a
  bool comment = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') comment = false;
    if (text.substr(i, 2) == "//") comment = true;
    if (comment || is_blank(text[i])) continue;
    h = (h ^ static_cast<unsigned char>(text[i])) * 0x100000001b3U;
  }
  char digits[20];
  std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(h ^ h >> 32));
  return digits;
}

std::string_view source_fingerprint(std::string_view file) {
  for (std::size_t i = 0; i < source_fingerprints_count; ++i) {
    if (source_fingerprints[i].file == file) return source_fingerprints[i].digits;
  }
  return {};
}

std::string_view recorded_fingerprint(std::string_view name) {
  for (const SourceFingerprint& r : kRecorded) {
    if (r.file == name) return r.digits;
  }
  return {};
}

Evidence standing(Evidence declared, std::string_view recorded, std::string_view now) {
  const bool changed = !recorded.empty() && recorded != now;
  return declared == Evidence::witnessed && changed ? Evidence::published : declared;
}

}  // namespace tirx::num
