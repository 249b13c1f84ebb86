"""What the tutorial shows is what the program prints; models in other pages are good ones."""
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("TRM_SOURCE_DIR", Path(__file__).resolve().parents[2]))
PROGRAM = os.environ["TRAMMEL"]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.M | re.S)
VARIES = ("wall time", "real-time factor", "largest ", "estimated ")  # with the machine


def blocks(page, kind):
    return [text for name, text in BLOCK.findall((ROOT / "docs" / page).read_text()) if name == kind]


def models(page):
    return [text for text in blocks(page, "yaml") if text.startswith("trammel: 1")]


class Tutorial(unittest.TestCase):
    def trammel(self, command, text, *options):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "pendulum.yaml").write_text(text)
            done = subprocess.run([PROGRAM, command, "pendulum.yaml", *options], cwd=folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_pendulum(self):
        pendulum = models("tutorial.md")[0]
        shown_check, shown_run = [text for text in blocks("tutorial.md", "") if text.startswith("My pendulum")]
        self.assertEqual(self.trammel("check", pendulum).stdout, shown_check)
        run = self.trammel("run", pendulum).stdout
        stays = [[line for line in text.splitlines() if not line.strip().startswith(VARIES)] for text in (shown_run, run)]
        self.assertEqual(*stays)
        self.assertEqual(*[[line[:28].strip() for line in text.splitlines()[1:]] for text in (shown_run, run)])

    def test_slider(self):
        """A height that does not fit is assembled, and the note is the one shown."""
        slider = models("tutorial.md")[1]
        self.trammel("run", slider, "--no-report")
        moved = self.trammel("check", slider.replace("a*sin(theta)/2]", "0.036]")).stderr
        note = next(text for text in blocks("tutorial.md", "") if text.startswith("note:"))
        self.assertIn(note, moved)

    def test_models_of_other_pages(self):
        for page in ("model-file.md", "systems.md"):
            found = models(page)
            self.assertTrue(found, page)
            for text in found:
                self.trammel("check", text)


if __name__ == "__main__":
    unittest.main()
