#!/usr/bin/env python3
"""Finds `co_await` inside conditional expressions, `&&`, `||` and range-for initialisers.

    tools/check_coroutines.py [FOLDER]

GCC 12 destroys temporaries of such operands twice or never (docs/coroutines.md, section 6), without a
warning. Reads the C++ sources of FOLDER, the project by default; prints FILE:LINE for each, and fails.
"""

import re
import sys
from pathlib import Path

FOLDERS = ("include", "src", "apps", "examples", "bench", "tests")
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
# `T&&` of a type is followed by a name or a bracket, and has no space before it in our format.
CONDITIONAL = re.compile(r"\s(\?|&&|\|\|)\s")
RANGE_FOR = re.compile(r"\bfor\s*\(((?:[^();]|\([^();]*\))*[^:;]):(?!:)(?:[^();]|\([^()]*\))*\bco_await\b")
DEFINITION = re.compile(r"operator\s+co_await\b")


def blanked(match):
    return "".join("\n" if c == "\n" else " " for c in match.group())


def faults(text):
    """Line numbers of statements that mix `co_await` with a conditional."""
    text = DEFINITION.sub(lambda m: " " * len(m.group()), NOISE.sub(blanked, text))
    start = 0
    for end in [m.start() for m in re.finditer(r"[;{}]", text)] + [len(text)]:
        statement = text[start:end]
        at = statement.find("co_await")
        if at >= 0 and (CONDITIONAL.search(statement) or RANGE_FOR.search(statement)):
            yield text.count("\n", 0, start + at) + 1
        start = end + 1


def check(root):
    found = 0
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cc"):
                continue
            for line in faults(path.read_text()):
                print(f"{path.relative_to(root)}:{line}: co_await inside a conditional expression or range-for:"
                      " name its result first (docs/coroutines.md, section 6)")
                found += 1
    return found


def self_test():
    wrong = ["x = a ? co_await f() : 0;", "if (a &&\n    co_await f()) {}", "while (co_await f() || b) {}",
             "for (int i : co_await f()) {}"]
    right = ["Awaiter operator co_await() && { return a; }", "if (!co_await f()) co_return;",
             "T v = co_await f(std::move(x));", "// a ? co_await b : c\nco_await f();", "f(T&& x) { co_await x; }",
             "for (int i = 0; co_await f(); ++i) {}",
             "for (std::pair<int, int> p : f(x)) co_await g(p);", 'co_await f("a ? b : c && d");']
    for text in wrong:
        assert list(faults(text)), f"passes, and should not: {text}"
    for text in right:
        assert not list(faults(text)), f"fails, and should not: {text}"


if __name__ == "__main__":
    self_test()
    sys.exit(1 if check(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent) else 0)
