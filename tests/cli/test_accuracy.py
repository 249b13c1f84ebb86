"""trammel accuracy: orders, references, front and floor, failing rows, files, bad usage, Ctrl-C."""
import csv
import json
import math
import os
import signal
import subprocess
import unittest
import xml.etree.ElementTree as xml

from test_cli import MODELS, PROGRAM, ROD, CliTest, terminal

FOUR_BAR = MODELS / "four_bar_diagonal_spring.yaml"
SVG = "{http://www.w3.org/2000/svg}"


class AccuracyTest(CliTest):
    def json(self, *words, status=0):
        return json.loads(self.expect(status, "accuracy", *words, "--json", "-o", "out").stdout)

    def runs(self, found, **wanted):
        return [run for run in found["runs"] if all(run[key] == value for key, value in wanted.items())]


class Orders(AccuracyTest):
    def test_against_a_file(self):
        """A reference computed independently: the orders are the methods' own."""
        found = self.json(FOUR_BAR, "--methods", "rk4,rk6,ab6,dopri5", "--steps", "1e-2,5e-3,2.5e-3,1.25e-3",
                          "--rtol", "1e-5,1e-6,1e-7")
        self.assertTrue(found["reference"]["file"].endswith("reference/four_bar_diagonal_spring.csv"))
        self.assertIsNone(found["reference"]["integrator"])
        self.assertIn("crank.angle", found["reference"]["measures"])
        self.assertNotIn("crank.vx", found["reference"]["measures"])
        for integrator, order in (("rk4", 4), ("ab6", 6)):
            runs = self.runs(found, integrator=integrator)
            self.assertEqual([run["step"] for run in runs], [1e-2, 5e-3, 2.5e-3, 1.25e-3])
            self.assertIsNone(runs[0]["order"])
            for before, run in zip(runs, runs[1:]):
                self.assertAlmostEqual(run["order"], order, delta=0.25)
                self.assertAlmostEqual(run["order"], math.log2(before["error"] / run["error"]), delta=1e-9)
                self.assertLess(run["max_position_violation"], 1e-12)
                self.assertEqual(run["steps"], round(5 / run["step"]))
                self.assertIn(run["measure"], found["reference"]["measures"])
        # rk6 comes down to round-off, which has no order
        last = self.runs(found, integrator="rk6")[-1]
        self.assertEqual((last["floor"], last["order"]), (True, None))
        self.assertLess(last["error"], 1e-12)
        self.assertLess(found["reference"]["floor"], 1e-12)
        dopri5 = self.runs(found, integrator="dopri5")
        self.assertEqual([run["rtol"] for run in dopri5], [1e-5, 1e-6, 1e-7])
        errors = [run["error"] for run in dopri5]
        self.assertEqual(errors, sorted(errors, reverse=True))
        self.assertLess(errors[-1], errors[0] / 10)

    def test_computed_reference_agrees_with_the_file(self):
        words = (FOUR_BAR, "--methods", "rk4,ab6", "--steps", "1e-2,5e-3")
        file, own = self.json(*words), self.json(*words, "--reference", "self")
        self.assertIsNone(own["reference"]["file"])
        self.assertIn(own["reference"]["integrator"], ("rk6", "dopri5"))
        self.assertLess(own["reference"]["floor"], 1e-11)
        for a, b in zip(file["runs"], own["runs"]):  # one looks every 0.1 s, the other at every step
            self.assertLess(a["error"], 1.01 * b["error"])
            self.assertLess(b["error"], 2 * a["error"])

    def test_own_reference_is_said(self):
        path = self.write("rod.yaml", ROD)
        text = self.expect(0, "accuracy", path, "--methods", "rk4", "--duration", "1").stdout
        self.assertRegex(text, r"\nreference: computed here by (rk6, step|dopri5, rtol) = \S+; 3 measures, rows")
        self.assertRegex(text, r"\nfloor: its own error is \d\.\de-\d\d, errors below ten times that are marked\n")
        for words, reason in ((("--set", "start=-0.5"), "does not hold with --set"),
                              (("--duration", "6"), "shorter than the run")):
            found = self.json(FOUR_BAR, "--methods", "ab6", "--steps", "5e-3", *words)
            self.assertIsNone(found["reference"]["file"])
            self.assertIn(reason, found["reference"]["why"])

    def test_lists(self):
        """The paper's Fig. 4: energy correction pays at large steps."""
        found = self.json(MODELS / "slider_crank_braun.yaml", "--methods", "rk4", "--steps", "0.05,0.025",
                          "--coordinates", "angle", "--stabilization", "embedded,direct", "--energy", "free,conserve")
        self.assertEqual([(run["stabilization"], run["energy"], run["step"]) for run in found["runs"]],
                         [(s, e, h) for s in ("embedded", "direct") for e in ("free", "conserve")
                          for h in (0.05, 0.025)])
        for stabilization in ("embedded", "direct"):
            free, conserve = (self.runs(found, stabilization=stabilization, energy=energy)[1]["error"]
                              for energy in ("free", "conserve"))
            self.assertLess(conserve, free / 100)
        table = self.expect(0, "accuracy", MODELS / "slider_crank_braun.yaml", "--methods", "rk4", "--steps", "0.05",
                            "--energy", "free,conserve").stdout
        self.assertRegex(table, r"(?m)^rk4 free +0\.05 ")
        self.assertRegex(table, r"(?m)^coordinates natural, solver auto, stabilization direct$")


class Marks(AccuracyTest):
    def test_front(self):
        """What is on the front follows from errors, times and the floor alone."""
        found = self.json(FOUR_BAR, "--duration", "1")
        runs = self.runs(found, status="completed")
        self.assertLessEqual({"rk4", "rk6", "ab4", "ab6", "dopri5"}, {run["integrator"] for run in runs})
        self.assertGreaterEqual(max(run["step"] for run in runs) / min(run["step"] for run in runs), 32)

        def beats(a, b):
            accurate = a["error"] <= b["error"] or (a["floor"] and b["floor"])
            return a is not b and accurate and a["cpu_seconds"] <= b["cpu_seconds"]

        for run in runs:
            self.assertEqual(run["front"], not any(beats(other, run) for other in runs))
        self.assertTrue(any(run["front"] for run in runs) and not all(run["front"] for run in runs))
        for best in found["fastest"]:
            run = found["runs"][best["run"]]
            self.assertLessEqual(run["error"], best["error"])
            for other in runs:
                self.assertTrue(other["error"] > best["error"] or other["cpu_seconds"] >= run["cpu_seconds"])

    def test_table(self):
        text = self.expect(0, "accuracy", FOUR_BAR, "--methods", "ab6,rk4", "--steps", "5e-3,2.5e-3", "-o", "x/y").stdout
        lines = text.splitlines()
        self.assertRegex(lines[0], r"^Four-bar linkage with a diagonal spring, t = 0 to 5$")
        self.assertRegex(text, r"(?m)^method +step +error +order +measure +position +velocity +energy +steps +evals +CPU ms$")
        self.assertRegex(text, r"(?m)^ab6 +0\.0025 +\S+ +[56]\.\d\d +\S+\.\w+ .* front$")
        self.assertRegex(text, r"(?m)^fastest: .*to 1e-10 by ab6, step 0\.0025 \([\d.]+ ms\)$")
        self.assertEqual(lines[-1], "figures: x/y/error-step.svg, x/y/error-time.svg")
        self.assertEqual(self.expect(0, "accuracy", FOUR_BAR, "--methods", "ab6", "--steps", "0.01", "--quiet").stdout, "")
        self.assertTrue((self.folder / "results/four_bar_diagonal_spring-accuracy/accuracy.json").exists())

    def test_failing_rows(self):
        """Steps far too large for one method are rows that say so; the others stand."""
        words = (FOUR_BAR, "--methods", "ab6,rk4", "--steps", "0.1,0.005")
        found = self.json(*words)
        self.assertEqual([run["status"] for run in found["runs"]], ["failed", "completed", "completed", "completed"])
        self.assertRegex(found["runs"][0]["message"], r"^t = [\d.]+: the constraints cannot be met")
        self.assertIsNone(found["runs"][0]["error"])
        self.assertFalse(found["runs"][0]["front"])
        self.assertIsNone(found["runs"][1]["order"])  # there is none before it
        self.assertEqual(found["failed"], 1)
        self.assertRegex(self.expect(0, "accuracy", *words).stdout, r"(?m)^ab6 +0\.1  failed: t = ")
        self.assertEqual(self.json(FOUR_BAR, "--methods", "ab6", "--steps", "0.1", status=1)["failed"], 1)

    def test_refused(self):
        found = self.json(MODELS / "bricard.yaml", "--coordinates", "natural,angle", "--methods", "rk4", "--steps",
                          "1e-2", "--duration", "0.5")
        self.assertEqual([run["status"] for run in found["runs"]], ["completed", "refused"])
        self.assertIn("planar", found["runs"][1]["message"])

    def test_threads_do_not_change_numbers(self):
        def numbers(threads):
            found = self.json(FOUR_BAR, "--methods", "rk4,dopri5", "--duration", "1", "--threads", threads)
            return [{key: run[key] for key in run if key not in ("cpu_seconds", "front")} for run in found["runs"]]
        self.assertEqual(numbers(1), numbers(3))


class Files(AccuracyTest):
    def test_files(self):
        path = self.write("rod.yaml", ROD.replace("name: Rod", "name: \"<Rod> & 'co'\""))
        found = self.json(path, "--methods", "rk4,ab4", "--steps", "1e-2,5e-3,2.5e-3")
        self.assertEqual(json.loads((self.folder / "out/accuracy.json").read_text()), found)
        rows = list(csv.DictReader((self.folder / "out/accuracy.csv").read_text().splitlines()))
        self.assertEqual(len(rows), 6)
        for row, run in zip(rows, found["runs"]):
            self.assertEqual((row["integrator"], float(row["step"]), row["measure"]),
                             (run["integrator"], run["step"], run["measure"]))
            self.assertAlmostEqual(float(row["error"]), run["error"], delta=1e-12 * run["error"])
        for name, series in (("error-step", 2), ("error-time", 3)):  # the second has the front, too
            root = xml.parse(self.folder / f"out/{name}.svg").getroot()
            self.assertEqual(root.tag, SVG + "svg")
            texts = [text.text for text in root.iter(SVG + "text")]
            self.assertIn("<Rod> & 'co', t = 0 to 0.1", texts)
            self.assertLessEqual({"rk4", "ab4"}, set(texts))
            self.assertEqual(len([g for g in root.iter(SVG + "g") if g.find(SVG + "title") is not None]), series)

    def test_unwritable(self):
        path = self.write("rod.yaml", ROD)
        self.write("blocked", "")
        self.assertIn("blocked", self.expect(1, "accuracy", path, "-o", "blocked").stderr)
        (self.folder / "full/error-time.svg").mkdir(parents=True)
        done = self.expect(1, "accuracy", path, "--methods", "rk4", "--steps", "1e-2", "-o", "full")
        self.assertIn("full/error-time.svg", done.stderr)
        self.assertRegex(done.stdout, r"(?m)^rk4 ")

    def test_given_reference(self):
        path = self.write("rod.yaml", ROD + "initial: {rod.omega: 0}\n")
        words = ("accuracy", path, "--methods", "rk4", "--steps", "1e-2")
        for text, status, message in (("x\n1\n", 3, "cannot be used"), ("t,rod.x\n0,1\n0.1,1\n", 0, ""),
                                      ("t,rod.x\n0,1\n0.05,1\n", 2, "ends at t = 0.05"),
                                      ("t,bob.x\n0,1\n0.1,1\n", 3, "bob"), ("t,rod.x\n0,1\n0,1\n0,1\n", 3, "")):
            done = self.expect(status, *words, "--reference", self.write("own.csv", text))
            self.assertIn(message, done.stderr)
        self.assertIn("nowhere.csv", self.expect(3, *words, "--reference", "nowhere.csv").stderr)


class Usage(AccuracyTest):
    def test_wrong_usage(self):
        path = self.write("rod.yaml", ROD)
        for words, text in (((), "model file is missing"), ((path, path), "too many"),
                            ((path, "--methods", "rk4,rk5"), "unknown integrator 'rk5'"),
                            ((path, "--coordinates", "naturel"), "did you mean 'natural'"),
                            ((path, "--steps", "1e-2,-1"), "-1"), ((path, "--steps", "0"), "0"),
                            ((path, "--steps", "1e-2,x"), "'x'"), ((path, "--steps", ""), "is empty"),
                            ((path, "--methods", "rk4,,ab6"), "is empty"), ((path, "--methods", "rk4,"), "is empty"),
                            ((path, "--rtol", "0"), "not positive"), ((path, "--steps", "nan"), "nan"),
                            ((path, "--steps", "1e-2", "--step", "1e-2"), "the same list"),
                            ((path, "--output-step", "1"), "times of the reference"),
                            ((path, "--duration", "0"), "no motion"), ((path, "--threads", "0"), "--threads"),
                            ((path, "--steps", ",".join(str(k) for k in range(1, 99))), "more than 64"),
                            ((path, "--colour"), "unknown option '--colour'")):
            done = self.expect(2, "accuracy", *words)
            self.assertEqual(done.stdout, "")
            self.assertIn(text, done.stderr)
        self.assertIn("nowhere.yaml: error:", self.expect(3, "accuracy", "nowhere.yaml").stderr)
        self.assertFalse((self.folder / "results").exists())

    def test_help(self):
        text = self.expect(0, "accuracy", "--help").stdout
        for word in ("--steps LIST", "--methods LIST", "--reference FILE", "--set", "--rtol", "front", "exit status"):
            self.assertIn(word, text)
        self.assertIn("trammel accuracy", self.expect(0, "--help").stdout)


class NotFinite(AccuracyTest):
    def test_a_reference_of_finite_numbers(self):
        """A NaN in a reference would agree with everything, or hide the range that errors are measured by."""
        good = (MODELS / "reference/four_bar_diagonal_spring.csv").read_text().splitlines()
        for column, name in ((0, "t"), (1, good[0].split(",")[1])):
            for value in ("nan", "inf"):
                cells = good[5].split(",")
                cells[column] = value
                (self.folder / "bad.csv").write_text("\n".join([*good[:5], ",".join(cells), *good[6:]]) + "\n")
                done = self.expect(3, "accuracy", FOUR_BAR, "--methods", "rk4", "--steps", "1e-2", "--reference", "bad.csv")
                self.assertIn(f"row 5, column '{name}' is no finite number", done.stderr)


class Interrupted(AccuracyTest):
    def test_keeps_what_is_there(self):
        """A bar on a terminal; Ctrl-C once the first run is done: the last would take minutes."""
        main, side = terminal(self)
        process = subprocess.Popen([PROGRAM, "accuracy", FOUR_BAR, "--methods", "rk4", "--steps", "1e-2,1e-8",
                                    "--threads", "1", "-o", self.folder / "out"], text=True, stdout=subprocess.PIPE,
                                   stderr=side, env={**os.environ, "TERM": "xterm"})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stdout.close)
        os.close(side)
        text = ""
        while " 1 of 2 " not in text:
            text += os.read(main, 1000).decode()
        process.send_signal(signal.SIGINT)
        out = process.communicate(timeout=60)[0]
        os.close(main)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertRegex(text, r"\r\[[#-]{30}\] +\d+ %  1 of 2 ")
        self.assertRegex(out, r"(?m)^rk4 +0\.01 +\d\.\d\de-\d\d ")
        self.assertRegex(out, r"; interrupted, 1 runs are missing\n")
        found = json.loads((self.folder / "out/accuracy.json").read_text())
        self.assertEqual((found["missing"], [run["status"] for run in found["runs"]]), (1, ["completed", "waiting"]))
        xml.parse(self.folder / "out/error-time.svg")


if __name__ == "__main__":
    unittest.main()
