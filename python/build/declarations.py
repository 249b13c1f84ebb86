"""The public headers as CFFI reads them: declarations only, one after the other."""

import re
from pathlib import Path


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def constants(text):
    """#define NAME 600, which a C compiler evaluates."""
    names = re.findall(r"^#define (TRM_\w+)[ \t]+\(?-?\d+\)?\s*$", text, flags=re.M)
    return [f"#define {name} ..." for name in names]


def without_preprocessor(text):
    text = re.sub(r"\\\n", " ", text)
    return re.sub(r"^\s*#.*$", "", text, flags=re.M)


def without_bodies(text):
    """static inline f(…) { … } becomes a prototype."""
    out, at = [], 0
    for match in re.finditer(r"static inline ([^{;]*)\{", text):
        if match.start() < at:
            continue
        out.append(text[at:match.start()])
        out.append(match.group(1).strip() + ";")
        depth, at = 1, match.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
    out.append(text[at:])
    return "".join(out)


def in_order(folder, name="trammel", seen=None):
    """All headers, each behind those that it includes."""
    seen = set() if seen is None else seen
    if name in seen:
        return []
    seen.add(name)
    needed = re.findall(r"#include <trammel/(\w+)\.h>", (folder / f"{name}.h").read_text())
    return [header for other in needed for header in in_order(folder, other, seen)] + [name]


def read(include):
    declarations, folder = [], Path(include) / "trammel"
    for header in in_order(folder):
        text = without_comments((folder / f"{header}.h").read_text())
        declarations += constants(text)
        text = without_bodies(without_preprocessor(text))
        text = re.sub(r"const double \(\*", "double (*", text)  # CFFI 1.15 misplaces this const
        declarations.append(re.sub(r"\bTRM_(API|BEGIN_C|END_C)\b", "", text))
    return "\n".join(declarations)
