// Methods of str, list, dict and tuple.
#include <algorithm>
#include <array>

#include "dsl/eval/builtins.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/meta_arithmetic.hpp"

namespace tirx::dsl {

namespace {

// ---- list and tuple -----------------------------------------------------------------------------

List& list_of(Interpreter& interpreter, const Arguments& args) {
  interpreter.track(std::get<ObjectRef>(args.self.storage()));
  interpreter.spend(8, args.span());
  return *args.self.as<List>();
}

Value list_append(Interpreter& interpreter, const Arguments& args) {
  list_of(interpreter, args).items.push_back(args[0]);
  return {};
}

Value list_extend(Interpreter& interpreter, const Arguments& args) {
  Values more = interpreter.iterate(args[0], args.span(0));
  List& list = list_of(interpreter, args);
  interpreter.spend(static_cast<std::int64_t>(more.size()) * 8, args.span());
  list.items.insert(list.items.end(), more.begin(), more.end());
  return {};
}

Value list_insert(Interpreter& interpreter, const Arguments& args) {
  List& list = list_of(interpreter, args);
  const auto size = static_cast<std::int64_t>(list.items.size());
  interpreter.spend(size / 8, args.span());
  std::int64_t at = args.integer(0);
  if (at < 0) at = std::max<std::int64_t>(0, at + size);
  at = std::min(at, size);
  list.items.insert(list.items.begin() + at, args[1]);
  return {};
}

Value list_pop(Interpreter& interpreter, const Arguments& args) {
  List& list = list_of(interpreter, args);
  const auto size = static_cast<std::int64_t>(list.items.size());
  std::int64_t at = args.integer_or(0, -1);
  if (at < 0) at += size;
  if (at < 0 || at >= size) fail(args.span(), "pop from a list of {} elements", size);
  interpreter.spend((size - at) / 8, args.span());
  Value out = list.items[static_cast<std::size_t>(at)];
  list.items.erase(list.items.begin() + at);
  return out;
}

Value list_reverse(Interpreter& interpreter, const Arguments& args) {
  List& list = list_of(interpreter, args);
  std::reverse(list.items.begin(), list.items.end());
  return {};
}

Value sequence_index(Interpreter& interpreter, const Arguments& args) {
  const Values& items = *sequence(args.self);
  interpreter.spend(static_cast<std::int64_t>(items.size()), args.span());
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (equal(items[i], args[0])) return i;
  }
  fail(args.span(0), "{} is not in the {}", repr(args[0]), kind_name(args.self));
}

Value sequence_count(Interpreter& interpreter, const Arguments& args) {
  const Values& items = *sequence(args.self);
  interpreter.spend(static_cast<std::int64_t>(items.size()), args.span());
  return std::count_if(items.begin(), items.end(),
                       [&](const Value& item) { return equal(item, args[0]); });
}

Value list_copy(Interpreter& interpreter, const Arguments& args) {
  return make_list(interpreter.iterate(args.self, args.span()));
}

constexpr auto kListMethods = std::to_array<BuiltinFunction>({
    {"append", "item, /", list_append, "Adds one element at the end."},
    {"extend", "items, /", list_extend, "Adds elements at the end."},
    {"insert", "index, item, /", list_insert, "Adds one element before an index."},
    {"pop", "index=-1, /", list_pop, "Removes one element and returns it."},
    {"reverse", "", list_reverse, "Reverses the order."},
    {"index", "item, /", sequence_index, "The first index of an element."},
    {"count", "item, /", sequence_count, "How often an element occurs."},
    {"copy", "", list_copy, "A copy."},
});

constexpr auto kTupleMethods = std::to_array<BuiltinFunction>({
    {"index", "item, /", sequence_index, "The first index of an element."},
    {"count", "item, /", sequence_count, "How often an element occurs."},
});

// ---- dict ---------------------------------------------------------------------------------------

Value dict_get(Interpreter&, const Arguments& args) {
  const Value* found = args.self.as<Dict>()->find(args[0]);
  return found != nullptr ? *found : args[1];
}

Value dict_keys(Interpreter&, const Arguments& args) {
  Values out;
  for (const auto& [key, value] : args.self.as<Dict>()->items) out.push_back(key);
  return make_list(std::move(out));
}

Value dict_values(Interpreter&, const Arguments& args) {
  Values out;
  for (const auto& [key, value] : args.self.as<Dict>()->items) out.push_back(value);
  return make_list(std::move(out));
}

Value dict_items(Interpreter&, const Arguments& args) {
  Values out;
  for (const auto& [key, value] : args.self.as<Dict>()->items) {
    out.push_back(make_tuple({key, value}));
  }
  return make_list(std::move(out));
}

Value dict_update(Interpreter& interpreter, const Arguments& args) {
  auto* dict = args.self.as<Dict>();
  interpreter.track(std::get<ObjectRef>(args.self.storage()));
  if (const auto* other = args[0].as<Dict>()) {
    const auto items = other->items;
    for (const auto& [key, value] : items) dict->set(key, value);
  }
  for (const auto& [name, value] : args.named_rest()) dict->set(Value(name), value.value);
  return {};
}

Value dict_pop(Interpreter& interpreter, const Arguments& args) {
  auto* dict = args.self.as<Dict>();
  interpreter.spend(static_cast<std::int64_t>(dict->items.size()), args.span());
  const Value* found = dict->find(args[0]);
  if (found == nullptr) {
    if (args.given(1)) return args[1];
    fail(args.span(0), "key not found: {}", repr(args[0]));
  }
  Value out = *found;
  dict->erase(args[0]);
  return out;
}

Value dict_setdefault(Interpreter& interpreter, const Arguments& args) {
  auto* dict = args.self.as<Dict>();
  interpreter.track(std::get<ObjectRef>(args.self.storage()));
  if (const Value* found = dict->find(args[0])) return *found;
  if (!hash(args[0])) fail(args.span(0), "{} cannot be a dict key", kind_name(args[0]));
  dict->set(args[0], args[1]);
  return args[1];
}

constexpr auto kDictMethods = std::to_array<BuiltinFunction>({
    {"get", "key, default=None, /", dict_get, "The value of a key, or a default."},
    {"keys", "", dict_keys, "The keys."},
    {"values", "", dict_values, "The values."},
    {"items", "", dict_items, "Pairs of key and value."},
    {"update", "other=None, /, **items", dict_update, "Takes over items."},
    {"pop", "key, default=, /", dict_pop, "Removes a key and returns its value."},
    {"setdefault", "key, default=None, /", dict_setdefault, "The value, set if missing."},
});

void check_length(const std::string& text, Span span) {
  if (text.size() > (std::size_t{1} << 24)) fail(span, "this string would be too long");
}

// ---- str ----------------------------------------------------------------------------------------

const std::string& text_of(const Arguments& args) {
  return *args.self.text();
}

Value str_join(Interpreter& interpreter, const Arguments& args) {
  std::string out;
  bool first = true;
  for (const Value& item : interpreter.iterate(args[0], args.span(0))) {
    if (item.text() == nullptr) fail(args.span(0), "join() needs strings, not {}", kind_name(item));
    if (!first) out += text_of(args);
    first = false;
    interpreter.spend(static_cast<std::int64_t>((item.text()->size() + text_of(args).size()) / 16),
                      args.span());
    out += *item.text();
    check_length(out, args.span());
  }
  return out;
}

Value str_split(Interpreter& interpreter, const Arguments& args) {
  const std::string& text = text_of(args);
  interpreter.spend(static_cast<std::int64_t>(text.size()), args.span());
  Values out;
  if (!args.has(0)) {
    std::string word;
    for (const char c : text + " ") {
      if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
        word += c;
      } else if (!word.empty()) {
        out.emplace_back(word);
        word.clear();
      }
    }
    return make_list(std::move(out));
  }
  const std::string& separator = args.text(0);
  if (separator.empty()) fail(args.span(0), "split() needs a separator");
  std::size_t at = 0;
  for (std::size_t next = 0; (next = text.find(separator, at)) != std::string::npos;) {
    out.emplace_back(text.substr(at, next - at));
    at = next + separator.size();
  }
  out.emplace_back(text.substr(at));
  return make_list(std::move(out));
}

std::string stripped(const Arguments& args, bool left, bool right) {
  const std::string set = args.text_or(0, " \t\n\r");
  const std::string& text = text_of(args);
  const std::size_t begin = left ? text.find_first_not_of(set) : 0;
  if (begin == std::string::npos) return "";
  const std::size_t end = right ? text.find_last_not_of(set) : text.size() - 1;
  if (text.empty() || end == std::string::npos) return "";
  return text.substr(begin, end - begin + 1);
}

Value str_strip(Interpreter&, const Arguments& args) {
  return stripped(args, true, true);
}

Value str_lstrip(Interpreter&, const Arguments& args) {
  return stripped(args, true, false);
}

Value str_rstrip(Interpreter&, const Arguments& args) {
  return stripped(args, false, true);
}

Value str_replace(Interpreter& interpreter, const Arguments& args) {
  const std::string& from = args.text(0);
  const std::string& to = args.text(1);
  if (from.empty()) fail(args.span(0), "replace() needs something to replace");
  std::string out;
  const std::string& text = text_of(args);
  std::size_t at = 0;
  for (std::size_t next = 0; (next = text.find(from, at)) != std::string::npos;) {
    out += text.substr(at, next - at) + to;
    check_length(out, args.span());
    at = next + from.size();
  }
  interpreter.spend(static_cast<std::int64_t>((out.size() + text.size()) / 16), args.span());
  return out + text.substr(at);
}

Value str_startswith(Interpreter&, const Arguments& args) {
  return text_of(args).starts_with(args.text(0));
}

Value str_endswith(Interpreter&, const Arguments& args) {
  return text_of(args).ends_with(args.text(0));
}

std::string with_case(std::string text, char first, char last, int shift) {
  for (char& c : text) {
    if (c >= first && c <= last) c = static_cast<char>(c + shift);
  }
  return text;
}

Value str_upper(Interpreter&, const Arguments& args) {
  return with_case(text_of(args), 'a', 'z', 'A' - 'a');
}

Value str_lower(Interpreter&, const Arguments& args) {
  return with_case(text_of(args), 'A', 'Z', 'a' - 'A');
}

Value str_find(Interpreter&, const Arguments& args) {
  const std::size_t at = text_of(args).find(args.text(0));
  return at == std::string::npos ? Value(-1) : Value(at);
}

Value str_format(Interpreter& interpreter, const Arguments& args) {
  const std::string& text = text_of(args);
  std::string out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
      out += c;
      ++i;
      continue;
    }
    if (c != '{') {
      out += c;
      continue;
    }
    const std::size_t end = text.find('}', i);
    if (end == std::string::npos) fail(args.span(), "a '{{' without '}}' in the format");
    const std::string field = text.substr(i + 1, end - i - 1);
    const std::size_t colon = field.find(':');
    const std::string key = field.substr(0, colon);
    const std::string spec = colon == std::string::npos ? "" : field.substr(colon + 1);
    const Value* value = nullptr;
    if (!key.empty() && key.find_first_not_of("0123456789") != std::string::npos) {
      for (const auto& [name, item] : args.named_rest()) {
        if (name == key) value = &item.value;
      }
    } else {
      const std::size_t at = key.empty() ? next++ : key.size() > 4 ? SIZE_MAX : std::stoul(key);
      if (at < args.rest().size()) value = &args.rest()[at].value;
    }
    if (value == nullptr) fail(args.span(), "format() has no argument for '{{{}}}'", field);
    out += interpreter.format(*value, spec, args.span());
    check_length(out, args.span());
    i = end;
  }
  return out;
}

constexpr auto kStrMethods = std::to_array<BuiltinFunction>({
    {"join", "items, /", str_join, "The items with this text between them."},
    {"split", "separator=None, /", str_split, "The parts between separators."},
    {"strip", "characters=None, /", str_strip, "Without blanks at the ends."},
    {"lstrip", "characters=None, /", str_lstrip, "Without blanks at the start."},
    {"rstrip", "characters=None, /", str_rstrip, "Without blanks at the end."},
    {"replace", "old, new, /", str_replace, "With every occurrence replaced."},
    {"startswith", "prefix, /", str_startswith, "Whether it starts so."},
    {"endswith", "suffix, /", str_endswith, "Whether it ends so."},
    {"upper", "", str_upper, "In capitals."},
    {"lower", "", str_lower, "In small letters."},
    {"find", "part, /", str_find, "Where a part starts, or -1."},
    {"format", "*values, **named", str_format, "With {} fields filled in."},
});

}  // namespace

void register_python_containers(Registry& registry) {
  registry.add_methods("list", kListMethods);
  registry.add_methods("tuple", kTupleMethods);
  registry.add_methods("dict", kDictMethods);
  registry.add_methods("str", kStrMethods);
}

}  // namespace tirx::dsl
