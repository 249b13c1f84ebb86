"""The documentation against what there is: links lead somewhere, the methods' tables have every model and method."""
import os
import re
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("TRM_SOURCE_DIR", Path(__file__).resolve().parents[2]))
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "bench/README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def anchors(page):
    """As GitHub makes them of headings."""
    heads = re.findall(r"^#+ +(.*)$", page.read_text(), re.M)
    plain = [re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", head).lower()) for head in heads]
    return {head.strip().replace(" ", "-") for head in plain}


class Pages(unittest.TestCase):
    def test_links(self):
        broken = []
        for page in PAGES:
            for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", page.read_text(), flags=re.S)):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                to = (page.parent / path).resolve() if path else page
                if not to.exists() or (anchor and to.suffix == ".md" and anchor not in anchors(to)):
                    broken.append(f"{page.relative_to(ROOT)}: {target}")
        self.assertEqual(broken, [])

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
