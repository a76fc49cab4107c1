"""One way to fail (docs/decisions.md, "A function that can fail returns a result"): no text whose emptiness means
success, next to what was made, by reference, or as what a function returns."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ("text", "net", "config", "digest", "telemetry", "proxy", "report", "app", "bench")

WORDS = r"(?:error|refused|refusal|problem|wrong|why_not|failure|trouble)"
OLD_STYLES = {
    "a text beside what was made": rf"std::string(?:_view)? (?:\w+_)?{WORDS}_?(?: ?\{{\}}| = \"\")?;",
    "a text by reference": rf"(?<!const )std::string& {WORDS}_?\b",
    "a text to ask for later": rf"std::string(?:_view|&)? (?:\w+_)?(?:{WORDS}|why)\(\) const",
    "a text that is empty for success": r"std::string(?:_view)? why_(?:no|not|bad|un|in|refused)\w*\(",
    "a comment that says so": r"[Ee]mpty(?::| where) (?:all is well|it is well|it may be read)",
}

# The exceptions, with reasons.
ALLOWED = {
    # How shapes and verdicts compare is an outcome of its own, which a report prints; nothing has failed.
    "report/verify/verifier.cpp", "report/verify/verifier.hpp",
    "report/verify/explainable.cpp", "report/verify/explainable.hpp",
    # Never empty: why an upstream doesn't answer.
    "app/checks/connect_check.cpp",
}


def old_styles_in(text):
    return [name for name, style in OLD_STYLES.items() if re.search(style, text)]


class Failures(unittest.TestCase):
    def test_each_style_is_known(self):
        examples = ("struct made { std::string error; };", "bool read(std::string& why_not);",
                    "const std::string& why() const noexcept;", "std::string why_unreadable(const std::string& path);",
                    "/// One line; empty: all is well")
        self.assertEqual([old_styles_in(one) for one in examples], [[name] for name in OLD_STYLES])
        for good in ("std::optional<text::problem> problem;", "void fail(const std::string& why);",
                     "std::string why_of(const rule& one);", 'std::string error = "expected 1";'):
            self.assertEqual(old_styles_in(good), [], good)

    def test_a_function_that_can_fail_returns_a_result(self):
        found = {}
        for room in ROOMS:
            for path in sorted((ROOT / room).rglob("*.?pp")):
                name = str(path.relative_to(ROOT))
                styles = old_styles_in(path.read_text())
                if styles and name not in ALLOWED:
                    found[name] = styles
        self.assertEqual(found, {})


if __name__ == "__main__":
    unittest.main()
