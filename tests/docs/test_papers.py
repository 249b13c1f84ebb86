"""docs/papers: every number of its pages comes out of a fresh run of their commands, figures are drawn, and a wrong number is
seen. The vehicle is left to `long_papers.py`."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("TRM_SOURCE_DIR", Path(__file__).resolve().parents[2]))
PROGRAM = os.environ["TRAMMEL"]
PAGES = sorted(path for path in (ROOT / "docs/papers").glob("*.md") if path.name != "README.md")


def papers(*words):
    return subprocess.run([sys.executable, "-B", ROOT / "scripts/papers", PROGRAM, "--check", *words], capture_output=True, text=True)


class Papers(unittest.TestCase):
    @unittest.skipIf(os.environ.get("TRM_SANITIZED"), "the release build does it")
    def test_numbers(self):
        done = papers("--quick")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_wrong_number_is_seen(self):
        page = """
```sh
trammel run models/pendulum.yaml --duration 1 --quiet --no-report --no-estimate -o results/bob
```
<!--= bob.at("bob.x", 0) | .3f -->-1.000<!--/--> <!--? bob.steps == 1000 -->yes<!--/-->
<!--~ 1e-15 | .0e -->2e-15<!--/--> <!--# bob.cpu_seconds -->7<!--/--> <!--= bob.status -->completed<!--/-->
"""
        wrong = {">-1.000<": ">-1.002<", "== 1000": "== 999", ">2e-15<": ">2e-13<", ">completed<": ">failed<", "bob.x": "bob.q",
                 "1e-15 |": 'float("nan") |'}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "page.md"
            path.write_text(page)
            done = papers(path)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            for old, new in wrong.items():
                self.assertIn(old, page)
                path.write_text(page.replace(old, new))
                self.assertNotEqual(papers(path).returncode, 0, new)

    def test_pages(self):
        """Five papers; every figure drawn by a command of its page, and nothing else is in the folder."""
        self.assertEqual(len(PAGES), 5)
        drawn, index = set(), (ROOT / "docs/papers/README.md").read_text()
        for page in PAGES:
            text = page.read_text()
            self.assertIn(f"({page.name})", index)
            shown, made = set(re.findall(r"\]\(images/([\w.-]+)\)", text)), set(re.findall(r"docs/papers/images/([\w.-]+)", text))
            self.assertEqual(shown, made, page.name)
            drawn |= made
        self.assertEqual(drawn, {path.name for path in (ROOT / "docs/papers/images").iterdir()})


if __name__ == "__main__":
    unittest.main()
