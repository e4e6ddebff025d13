"""What can be broken in a source file, and how does the file look that holds many breakages?

Mutation schemata (Untch, Offutt, Harrold 1993): every broken variant of a statement is compiled into
one program, behind a choice that is made when the program runs.  A statement stays on its line, so
that the compiler's complaint about line 70 is about the mutant of line 70.
"""
import random
import re

# Each: (name, pattern, replacement), applied to one match in one statement.
OPERATORS = [
    ("< to <=", r"(?<=[\w)\]] )<(?= [\w(-])", "<="),
    ("<= to <", r"(?<= )<=(?= )", "<"),
    ("> to >=", r"(?<=[\w)\]] )>(?= [\w(-])", ">="),
    (">= to >", r"(?<= )>=(?= )", ">"),
    ("== to !=", r"(?<= )==(?= )", "!="),
    ("!= to ==", r"(?<= )!=(?= )", "=="),
    ("+ to -", r"(?<= )\+(?= )", "-"),
    ("- to +", r"(?<= )-(?= )", "+"),
    ("* to +", r"(?<=[\w)\]] )\*(?= [\w(])", "+"),
    ("/ to *", r"(?<= )/(?= )", "*"),
    ("% to /", r"(?<= )%(?= )", "/"),
    ("& to |", r"(?<=[\w)\]] )&(?= [\w(~])", "|"),
    ("| to &", r"(?<=[\w)\]] )\|(?= [\w(~])", "&"),
    ("<< to >>", r"(?<=[\w)\]] )<<(?= [\w(])", ">>"),
    (">> to <<", r"(?<=[\w)\]] )>>(?= [\w(])", "<<"),
    ("+= to -=", r"(?<= )\+=(?= )", "-="),
    ("|= to &=", r"(?<= )\|=(?= )", "&="),
    ("&= to |=", r"(?<= )&=(?= )", "|="),
    ("&& to ||", r"(?<= )&&(?= )", "||"),
    ("|| to &&", r"(?<= )\|\|(?= )", "&&"),
    ("! dropped", r"(?<=[ (])!(?=[\w(])", ""),
    ("true to false", r"\btrue\b", "false"),
    ("false to true", r"\bfalse\b", "true"),
    ("min to max", r"\bstd::min\b", "std::max"),
    ("max to min", r"\bstd::max\b", "std::min"),
    ("constant + 1", r"(?<![\w.'])(\d{1,4})(?![\w.'])", lambda m: str(int(m.group(1)) + 1)),
    ("constant - 1", r"(?<![\w.'])([1-9]\d{0,3})(?![\w.'])", lambda m: str(int(m.group(1)) - 1)),
    ("arguments swapped", r"(?<=[( ])([\w.\->\[\]:]+), ([\w.\->\[\]:]+)(?=[,)])",
     lambda m: f"{m.group(2)}, {m.group(1)}"),
]
# These take the whole statement.
NEGATED, DROPPED = "condition negated", "statement dropped"

# No results: checks of our own, directives, declarations without code, what only the compiler evaluates.
SKIPPED = re.compile(r"^\s*(#|using |namespace |template|struct |class |enum |friend |static_assert|public:|private:)|"
                     r"TIRX_CHECK|\bconstexpr\b|\boperator\b|\[\[nodiscard\]\]|\bvirtual\b|\boverride\b")
# In simulator and lowering a line with a string writes a message.  In the emitter it is the product.
TEXT = re.compile(r'"|\bfmt::')

# A member's first value, which the constructor's caller mostly gives another.
MEMBER = re.compile(r"\s*[\w:<>, ]+ \w+ = -?\w+;$")
DECLARATION = re.compile(r"^(?:(?:const|static|auto|unsigned|long|[A-Za-z_][\w:]*(?:<.*>)?)[\s*&]+)+[A-Za-z_]\w* = ")
CALL = re.compile(r"^(?:\(void\))?[A-Za-z_*][\w.:>\[\]()*-]*\(.*\);$")


def masked(text):
    """The text with comments and the insides of strings blank, of the same length."""
    def blank(match):
        found = match.group(0)
        if found.startswith("/"):
            return re.sub(r"[^\n]", " ", found)
        return found[0] + "_" * (len(found) - 2) + found[-1]
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', blank, text, flags=re.S)


def balance(text):
    return sum(text.count(c) for c in "([") - sum(text.count(c) for c in ")]")


def closing(text, at):
    """Where the parenthesis at `at` ends; -1 where it does not."""
    depth = 0
    for i in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
    return -1


def statements(text):
    """(first line, last line, code) of what stands alone: one statement, or the head of an if or a
    loop, over as many lines as it takes, joined to one."""
    lines, plain = text.split("\n"), masked(text).split("\n")
    at = 0
    while at < len(lines):
        begin, code, mask = at, "", ""
        while at < len(lines):
            code += (" " if code else "") + (lines[at].strip() if code else lines[at].rstrip())
            # A comment at the end of a line would swallow what is joined to it.
            cut = plain[at].rstrip() if not mask else plain[at].strip()
            code = code[:len(code) - max(0, len(lines[at].rstrip()) - len(plain[at].rstrip()))]
            mask += (" " if mask else "") + cut
            at += 1
            if not mask.strip() or mask.rstrip()[-1] in ";{}" or mask.lstrip().startswith("#"):
                break
            if at - begin > 8:
                break
        if mask.strip() and balance(mask) == 0 and len(code) == len(mask):
            yield begin, at - 1, code, mask


def places(code, mask):
    """(begin, end, how) of the parts of a statement that one choice can replace."""
    lead = re.match(r"\s*(?:\} )?(?:else )?(?:case [\w:]+: |default: )?", code).end()
    rest = mask[lead:]
    heads = re.match(r"(if|while) (?=\()", rest)
    loop = re.match(r"for \(", rest)
    if heads:
        open_at = lead + heads.end()
        end = closing(mask, open_at)
        declares = re.search(r"[\w>*&] [*&]?\w+ = ", mask[open_at:end])
        if end > 0 and ";" not in mask[open_at:end] and not declares:
            yield open_at + 1, end, "condition"
            body = end + 1 + len(mask[end + 1:]) - len(mask[end + 1:].lstrip())
            if mask[body:].endswith(";"):
                yield from simple(mask, body)
    elif loop:
        end = closing(mask, lead + 4)
        parts = [i for i in range(lead, max(end, lead)) if mask[i] == ";"]
        if end > 0 and len(parts) == 2:
            yield parts[0] + 1, parts[1], "condition"
    elif rest.endswith(";"):
        yield from simple(mask, lead)


def simple(mask, at):
    rest = mask[at:]
    if rest.startswith("return ") and not rest.startswith("return {"):
        yield at + 7, len(mask) - 1, "value"
    elif DECLARATION.match(rest):
        yield at + DECLARATION.match(rest).end(), len(mask) - 1, "value"
    elif re.match(r"[\w*(][^=;{]* [-+*/%|&^]?(?:<<|>>)?= ", rest) or CALL.match(rest):
        yield at, len(mask), "statement"
    elif re.match(r"(?:\+\+|--)[\w.>-]+;$", rest):
        yield at, len(mask), "drop"


def chosen(code, begin, end, how, new, number):
    """The statement with the choice in it."""
    old, test = code[begin:end], f"::tirx_broken::is({number})"
    if how in ("statement", "drop"):
        body = f"{{ if (!{test}) {{ {old} }} }}" if new is None else f"{{ if ({test}) {{ {new} }} else {{ {old} }} }}"
    else:
        body = f" {test} ? ({new.strip()}) : ({old.strip()})"
    return code[:begin] + body + code[end:]


def variants(code, mask, texts):
    """Every way to break a statement: (operator, begin, end, how, new part or None)."""
    found = []
    for begin, end, how in places(code, mask):
        part = code[begin:end]
        if how in ("statement", "drop"):
            found.append((DROPPED, begin, end, how, None))
        if how == "condition":
            found.append((NEGATED, begin, end, how, f"!({part.strip()})"))
        if how == "drop":
            continue
        within = part if texts else mask[begin:end]
        for name, pattern, replacement in OPERATORS:
            for match in re.finditer(pattern, within):
                value = replacement(match) if callable(replacement) else replacement
                new = part[:match.start()] + value + part[match.end():]
                if new != part:
                    found.append((name, begin, end, how, new))
    return found


def all_statements(text, texts, header=False):
    """The statements that can be broken at all."""
    for first, last, code, mask in statements(text):
        if header and MEMBER.match(mask) or SKIPPED.search(mask) or (not texts and TEXT.search(code)):
            continue
        found = variants(code, mask, texts)
        if found:
            yield first, last, code, found


def changed(code, begin, end, new):
    return (code[:begin] + (new if new is not None else ";") + code[end:]).strip()


def again(text, mutant, texts):
    """The same change where the statement is now; nothing where it is gone."""
    places = [(abs(first + 1 - mutant["line"]), first, last, code, one)
              for first, last, code, found in all_statements(text, texts, mutant["file"].endswith(".hpp"))
              if code.strip() == mutant["old"]
              for one in found if one[0] == mutant["operator"] and changed(code, *one[1:3], one[4]) == mutant["new"]]
    if not places:
        return None
    _, first, last, code, (_, begin, end, how, new) = min(places, key=lambda place: place[0])
    return dict(mutant, line=first + 1, last=last + 1,
                line_with_choice=chosen(code, begin, end, how, new, mutant["number"]))


def draw(dice, sources, count, texts, number):
    """`count` statements over all sources, each with one change; numbered from `number`."""
    pool = [(path, *statement) for path, text in sources for statement in all_statements(text, texts, path.endswith(".hpp"))]
    mutants = []
    for path, first, last, code, found in dice.sample(pool, min(count, len(pool))):
        # First the operator, then its place: else the many constants would be all.
        name = dice.choice(sorted({one[0] for one in found}))
        name, begin, end, how, new = dice.choice([one for one in found if one[0] == name])
        mutants.append({"number": number, "file": path, "line": first + 1, "last": last + 1, "operator": name,
                        "old": code.strip(), "new": changed(code, begin, end, new),
                        "line_with_choice": chosen(code, begin, end, how, new, number)})
        number += 1
    return mutants, len(pool)


def schema(text, mutants):
    """The file with all its mutants."""
    lines = text.split("\n")
    for mutant in mutants:
        lines[mutant["line"] - 1] = mutant["line_with_choice"]
        for line in range(mutant["line"], mutant["last"]):
            lines[line] = ""
    return "\n".join(lines)

