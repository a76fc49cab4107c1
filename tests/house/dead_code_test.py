"""Finds what the programs don't need: names that no code of the rooms mentions outside of their own declaration and
definition. Uses by tests don't count. It reads text: what has the same name counts as the same."""

import collections
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ("advise", "app", "bench", "config", "digest", "fleet", "net", "proxy", "report", "routing", "sim", "telemetry",
         "text", "wire")

# Names that the language, a library or the linker finds by itself.
CALLED_BY_OTHERS = re.compile(r"(begin|end|main|difference_type|iterator_category|pointer|is_transparent|shm_\w+|__attribute__"
                              r"|throw_exception_from_error|on_[a-z0-9]+(_part|_begin|_end)?|max_[a-z]+_size)$")

NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\''
                     r"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|\[\[[^\]]*\]\]", re.S | re.M)
TOKEN = re.compile(r"[A-Za-z_]\w*|::|->|[=!<>]=|&&|\d[\w.']*|[^\s\w]")
KEYWORDS = frozenset("""alignas alignof auto bool case catch char class concept const consteval constexpr constinit continue
    decltype default delete do double else enum explicit extern final float for friend if inline int long mutable
    namespace new noexcept nullptr operator override private protected public requires return short signed sizeof static
    static_assert struct switch template this throw try typename union unsigned using virtual void volatile
    while""".split())


class Statement:
    """What stands since the last `;` or brace in a namespace, a type or an enumeration."""

    def __init__(self):
        self.words = []                # its keywords and names, and opening parentheses
        self.declares = (None, None)   # the kind and the name of what it declares
        self.initializes = False       # whether an initializer has begun
        self.depth = 0                 # of parentheses
        self.angles = 0                # of `template <...>`


# A name where it doesn't stand for its own declaration. `before`, `after`: the tokens next to it; `qualifier`: the name
# before `::`; `inside`: the kind and name of what the code around it defines; `types`: the types around it.
Mention = collections.namedtuple("Mention", "before qualifier after is_case inside types")


class Scan:
    """A file's declarations, (kind, name, enumeration), and its mentions of names."""

    def __init__(self, text):
        self.declarations = []
        self.mentions = collections.defaultdict(list)
        self.opened = set(re.findall(r"using enum (?:\w+::)*(\w+)", text))  # enumerations
        tokens = TOKEN.findall(NO_CODE.sub(lambda match: "\n" if match.group()[0] in "/#[" else ' "" ', text))
        self.tokens = ["", "", *tokens, "", ""]
        self.scopes = [("namespace", "", Statement())]  # (kind, name or what is defined, statement)
        for at in range(2, len(tokens) + 2):
            self.read(at)

    def read(self, at):
        token = self.tokens[at]
        kind, of, statement = self.scopes[-1]
        if token == "{":
            self.scopes.append((*self.scope_at(at), Statement()))
        elif token == "}" and len(self.scopes) > 1:
            self.scopes.pop()
            if kind in ("namespace", "body"):
                self.end_statement()
        elif kind in ("body", "initializer"):
            self.mention(at, of)
        elif statement.angles or token == "<" and statement.words[-1:] == ["template"]:
            statement.angles += {"<": 1, ">": -1}.get(token, 0)
            if self.tokens[at - 1] not in ("typename", "class"):
                self.mention(at)
        elif token in ("(", "["):
            statement.depth += 1
            statement.words.append(token)
        elif token in (")", "]"):
            statement.depth -= 1
        elif statement.depth:
            self.mention(at)
        else:
            self.read_top(at)

    def end_statement(self):
        self.scopes[-1] = (*self.scopes[-1][:2], Statement())

    def scope_at(self, at):
        """The kind of scope that an opening brace begins, and its name or, of code, what it defines."""
        kind, of, statement = self.scopes[-1]
        words = statement.words
        if kind in ("body", "initializer"):
            return "initializer", of
        begins_body = "(" in words and not statement.depth and self.tokens[at - 1] in (")", "}")
        if statement.depth or statement.initializes and not (":" in words and begins_body):
            return "initializer", statement.declares
        if "namespace" in words or "extern" in words:
            return "namespace", ""
        if "enum" in words:
            return "enum", statement.declares[1] if {"class", "struct"} & set(words) else ""
        if "(" in words:
            return "body", statement.declares
        return ("type", statement.declares[1]) if {"class", "struct", "union"} & set(words) else \
            ("initializer", statement.declares)

    def read_top(self, at):
        """A token of a statement outside of parentheses."""
        before, token, after = self.tokens[at - 1:at + 2]
        kind, _, statement = self.scopes[-1]
        if token == ";" or token == ":" and before in ("public", "private", "protected") or token == "," and kind == "enum":
            self.end_statement()
        elif token == "=" and before != "operator":
            statement.initializes = True
        elif token == ":" and before in (")", "noexcept"):  # of a constructor
            statement.initializes = True
            statement.words.append(token)
        elif token in KEYWORDS:
            statement.words.append(token)
            if token == "override":
                self.declarations.pop()
        elif statement.initializes or not token[0].isidentifier():
            self.mention(at, statement.declares)
        else:
            declares = self.kind_at(at)
            statement.words.append(token)
            if declares:
                statement.declares = (declares, token)
                if declares in ("enumerator", "type", "function", "method", "variable"):
                    self.declarations.append((declares, token, self.scopes[-1][1]))
            elif after != "::":
                self.mention(at)

    def kind_at(self, at):
        """What the name at the top of a statement declares; None if it is a mention."""
        qualifier, before, name, after, next_after = self.tokens[at - 2:at + 3]
        kind, outer, statement = self.scopes[-1]
        words = set(statement.words)
        is_type = words & {"class", "struct", "union"} and "(" not in words
        if kind == "enum":
            return "enumerator"
        if "friend" in words and after != "(" or is_type and statement.declares[1]:
            return None
        if before in ("class", "struct", "union", "enum", "concept") or "using" in words and after == "=":
            return "type" if after != ";" else "forward declaration"
        # Special members, macros, pointers to functions, and members whose constructor does the work.
        if words & {"namespace", "operator", "friend"} or before == "~" or name in (outer, qualifier) or name.isupper() or \
                (after, next_after) == ("(", "*") or after == "{" and next_after != "}":
            return "nothing"
        if after == "(" and "(" not in words:
            return "method" if kind == "type" or before == "::" else "function"
        is_typed = (words or before in ("&", "*", ">", "&&")) and before != "::" and not words & {"using", "("}
        return "variable" if after in ("=", ";", "{", "[") and is_typed else None

    def mention(self, at, inside=(None, None)):
        before, name, after = self.tokens[at - 1:at + 2]
        if name in KEYWORDS or not name[0].isidentifier():
            return
        first = at
        while self.tokens[first - 1] == "::":
            first -= 2
        self.mentions[name].append(Mention(before, self.tokens[at - 2] if before == "::" else "", after,
                                           self.tokens[first - 1] == "case", inside,
                                           {of for kind, of, _ in self.scopes if kind == "type"}))


def is_use(kind, name, outer, mention, opened, others):
    """Whether a mention of a name uses what a declaration declares. `others`: all enumerations."""
    if kind == "enumerator":
        by_name = mention.qualifier == outer or mention.qualifier and mention.qualifier not in others
        return not mention.is_case and (by_name or not mention.qualifier and (outer == "" or outer in opened))
    if kind == "function":
        return mention.inside != (kind, name) and mention.before not in (".", "->") and \
            mention.after not in ("=", "{", ".", "->")
    if kind == "method":
        return mention.inside != (kind, name) and (mention.before in (".", "->", "::") or mention.after == "(")
    return kind != "type" or name not in mention.types


def unused(files):
    """What the files, {path: text}, declare and don't use: (path, name)."""
    scans = {path: Scan(text) for path, text in files.items()}
    mentions = collections.defaultdict(list)
    for scan in scans.values():
        for name, each in scan.mentions.items():
            mentions[name] += [(mention, scan.opened) for mention in each]
    enumerations = {outer for scan in scans.values() for kind, _, outer in scan.declarations if kind == "enumerator"}
    return sorted({(path, f"{outer}::{name}" if kind == "enumerator" else name)
                   for path, scan in scans.items() for kind, name, outer in scan.declarations
                   if not CALLED_BY_OTHERS.match(name) and
                   not any(is_use(kind, name, outer, mention, opened, enumerations) for mention, opened in mentions[name])})


class DeadCode(unittest.TestCase):
    maxDiff = None

    def test_the_programs_use_each_name_of_the_rooms(self):
        files = {path.relative_to(ROOT).as_posix(): path.read_text()
                 for room in ROOMS for path in sorted((ROOT / room).rglob("*.[ch]pp"))}
        self.assertEqual([f"{path}: {name}" for path, name in unused(files)], [])

    def test_what_nothing_uses_is_found(self):
        header = """
            namespace a {
            enum class color : int { red, green, blue };
            struct box { int size() const; int width = 0; int unread = 0; explicit box(int); };
            std::string text_of(const box& of);
            int helper(int);
            }"""
        source = """
            namespace a {
            box::box(int width) : width(helper(width)) {}
            int box::size() const { return size() + width; }
            int helper(int count) { switch (color::red) { case color::green: return 1; } return count; }
            std::string text_of(const box& of) { return "size() unread"; }  // text_of()
            }"""
        self.assertEqual(unused({"a.hpp": header, "a.cpp": source}),
                         [("a.cpp", "size"), ("a.cpp", "text_of"), ("a.hpp", "color::blue"), ("a.hpp", "color::green"),
                          ("a.hpp", "size"), ("a.hpp", "text_of"), ("a.hpp", "unread")])
        self.assertEqual(unused({"a.hpp": header, "a.cpp": source, "main.cpp": """
            using enum a::color;
            int main() { a::box one{1}; return one.size() + one.unread + text_of(one) + (green == a::color::blue); }"""}), [])


if __name__ == "__main__":
    sys.exit(unittest.main())
