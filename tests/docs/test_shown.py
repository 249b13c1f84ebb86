"""What README.md and the manual show behind `$ trammel ...` is what the program prints, but for times and round-off."""
import csv
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("TRM_SOURCE_DIR", Path(__file__).resolve().parents[2]))
PROGRAM = os.environ["TRAMMEL"]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# what hangs on the machine's speed
TIMES = [(r"(wall time|real-time factor) .*", r"\1"), (r"[\d.]+ s on \d+ threads?", ""), (r" +front$", ""), (r"^fastest: .*", "")]
ROUND_OFF = 1e-11


def shown(page):
    """(command, the lines behind it) of every example with output."""
    found, lines, indent = [], None, ""
    for line in page.read_text().splitlines():
        command = re.match(r"( *)\$ (?:build/)?trammel (.*)", line)
        if command:
            lines, indent = [], command[1]
            found.append((command[2], lines))
        elif lines is not None and (line.startswith("```") or (line and not line.startswith(indent))):
            lines = None
        elif lines is not None and line.strip():
            lines.append(line[len(indent):])
    return [(command, lines) for command, lines in found if lines]


def words(line, clock):
    """Those of a line, without what is measured by the clock; `clock`: where the column of times ends."""
    for pattern, stays in TIMES:
        line = re.sub(pattern, stays, line)
    return [word[0] for word in re.finditer(r"[^\s,;:()\[\]]+", line) if word.end() != clock]


def same(one, other):
    if one == other:
        return True
    try:
        a, b = float(one), float(other)
    except ValueError:
        return False
    if re.fullmatch(r"-?\d+", one) and b != 0:
        return False  # a count
    return abs(a - b) <= 0.005 * max(abs(a), abs(b)) or max(abs(a), abs(b)) < ROUND_OFF


class Shown(unittest.TestCase):
    def run_in(self, folder, command):
        done = subprocess.run(f'"$TRAMMEL" {command}', shell=True, cwd=folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, command + "\n" + done.stderr)
        return done.stdout.splitlines()

    def compare(self, command, shown_lines, lines):
        clock = None
        for line in shown_lines:
            clock = line.find("CPU ms") + 6 if "CPU ms" in line else clock
            wanted = words(line, clock)
            for k, printed in enumerate(lines):
                has = words(printed, clock)
                if len(has) == len(wanted) and all(map(same, wanted, has)):
                    del lines[:k + 1]  # shown in the order of the program; lines may be left out
                    break
            else:
                self.fail(f"trammel {command}\nshown:   {line}\nprinted: " + "\n         ".join(lines[:8]))

    def test_examples(self):
        count = 0
        for page in PAGES:
            for command, lines in shown(page):
                with tempfile.TemporaryDirectory() as folder:
                    Path(folder, "models").symlink_to(ROOT / "models")
                    for run in re.findall(r"results/(\w+)", command):
                        self.run_in(folder, f"run models/{run}.yaml --quiet --no-report")
                    self.compare(command, lines, self.run_in(folder, command))
                count += 1
        self.assertGreaterEqual(count, 6)

    def test_rows_of_the_pendulum(self):
        """The table in README.md."""
        text = (ROOT / "README.md").read_text().replace("−", "-")
        table = [[cell.strip() for cell in row.strip("|").split("|")] for row in re.findall(r"^\| (?:t|[\d.]+) \|.*$", text, re.M)]
        self.assertGreaterEqual(len(table), 5)
        with tempfile.TemporaryDirectory() as folder:
            self.run_in(folder, f"run {ROOT}/models/pendulum.yaml -o out --quiet --no-report")
            rows = list(csv.DictReader(Path(folder, "out/results.csv").read_text().splitlines()))
        for cells in table[1:]:
            row = next(row for row in rows if abs(float(row["t"]) - float(cells[0])) < 1e-9)
            for name, cell in zip(table[0], cells):
                value = float(row[name])
                self.assertTrue(abs(value - float(cell)) <= 6e-6 * abs(value) + ROUND_OFF, f"{name} at {cells[0]}: {cell}, {value}")


if __name__ == "__main__":
    unittest.main()
