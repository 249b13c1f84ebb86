"""The documentation against what there is: links lead somewhere, lists are complete, files and functions that are named
exist, tables have every model and method."""
import os
import re
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("TRM_SOURCE_DIR", Path(__file__).resolve().parents[2]))
MANUAL = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [*MANUAL, ROOT / "bench/README.md", ROOT / "tests/random/README.md"]
WIDTH = 100


def anchors(page):
    """As GitHub makes them of headings."""
    heads = re.findall(r"^#+ +(.*)$", page.read_text(), re.M)
    plain = [re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", head).lower()) for head in heads]
    return {head.strip().replace(" ", "-") for head in plain}


def links(page):
    return re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", page.read_text(), flags=re.S))


def prose(page):
    """Lines that are wrapped: no tables, code, headings or HTML."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)
    text = re.sub(r"^<p.*?</p>", "", text, flags=re.S | re.M)
    return [line for line in text.splitlines() if not re.match(r"\||#|    |      ", line)]


class Pages(unittest.TestCase):
    def test_links(self):
        broken = []
        for page in PAGES:
            for target in links(page):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                to = (page.parent / path).resolve() if path else page
                if not to.exists() or (anchor and to.suffix == ".md" and anchor not in anchors(to)):
                    broken.append(f"{page.relative_to(ROOT)}: {target}")
        self.assertEqual(broken, [])

    def test_lists_have_every_page(self):
        """docs/README.md has all pages and examples, docs/theory/README.md all theory."""
        for index, wanted in [("docs/README.md", [*(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").glob("*.html"),
                                                  *(ROOT / "examples").glob("*.c")]),
                              ("docs/theory/README.md", (ROOT / "docs/theory").glob("*.md"))]:
            page = ROOT / index
            listed = {(page.parent / target.partition("#")[0]).resolve() for target in links(page)}
            missing = [str(path.relative_to(ROOT)) for path in wanted if path != page and path.resolve() not in listed]
            self.assertEqual(missing, [], index)

    def test_lines_are_short(self):
        long = [f"{page.relative_to(ROOT)}: {line[:60]}" for page in MANUAL for line in prose(page)
                if len(line) > WIDTH and " " in line.strip()]
        self.assertEqual(long, [])

    def test_named_files_exist(self):
        """`src/solver/solver.c`; in a list of files also `solver.c`, of the folder named before it."""
        wrong = []
        for page in MANUAL:
            folder = ""
            for name in re.findall(r"(?<!\[)`([\w./-]+\.(?:c|h|py|cpp|yaml))`", page.read_text()):
                if "/" not in name and folder and page.parent.name == "theory":
                    name = f"{folder}/{name}"
                if not re.match(r"(src|tests|bench|models|include|examples|cli)/", name):
                    continue
                folder = name.rpartition("/")[0]
                if not (ROOT / name).exists():
                    wrong.append(f"{page.relative_to(ROOT)}: {name}")
        self.assertEqual(wrong, [])

    def test_named_functions_exist(self):
        """The walk in CONTRIBUTING.md: each function is in one of the files of its row."""
        text = (ROOT / "CONTRIBUTING.md").read_text()
        walk = text.split("## From YAML to CSV")[1].split("\n## ")[0]
        rows = [row.strip("|").split("|") for row in walk.splitlines() if "`" in row and row.startswith("|")]
        self.assertGreaterEqual(len(rows), 15)
        for step, functions, files in rows:
            sources = "\n".join((ROOT / name).read_text() for name in re.findall(r"`([^`]+)`", files))
            for function in re.findall(r"`(\w+)`", functions):
                self.assertRegex(sources, rf"(?m)^[a-z].*\b{function}\(", step)

    def test_every_room_has_tests(self):
        rooms = {path.name for path in (ROOT / "src").iterdir() if path.is_dir()}
        tested = {path.parent.name for path in (ROOT / "tests").glob("*/test_*")}
        self.assertEqual(rooms - tested, set())

    def test_rooms_include_from_rooms_above(self):
        order = re.findall(r"^\| `src/(\w+)/`", (ROOT / "CONTRIBUTING.md").read_text(), re.M)
        self.assertEqual(sorted(order), sorted(path.name for path in (ROOT / "src").iterdir() if path.is_dir()))
        for at, room in enumerate(order):
            for path in sorted((ROOT / "src" / room).glob("*.[ch]")):
                for other in re.findall(r'^#include "(\w+)/', path.read_text(), re.M):
                    self.assertIn(other, order[:at + 1], f"{path.relative_to(ROOT)} includes from {other}")

    def test_methods_tables(self):
        text = (ROOT / "docs/which-method.md").read_text()
        models = {path.stem for path in (ROOT / "models").glob("*.yaml")}
        for title in ("Cost at equal error", "Error at equal cost"):
            table = text.split(f"## {title}")[1].split("\n## ")[0]
            rows = {row.split("|")[1].split("(")[0].strip() for row in table.splitlines() if row.startswith("| ")}
            self.assertEqual(rows - {"model"}, models, title)
        methods = re.search(r"METHODS = \[(.*)\]", (ROOT / "bench/methods.py").read_text())[1]
        for method in re.findall(r'"([a-z0-9-]+)"', methods):
            self.assertEqual(text.count(f"| {method} |"), 2, method)


if __name__ == "__main__":
    unittest.main()
