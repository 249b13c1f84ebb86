"""trammel compare from outside: the table, JSON, exit statuses, what is wrong with files."""
import json
import re
import unittest

from test_cli import MODELS, CliTest

PENDULUM = MODELS / "pendulum.yaml"
REFERENCE = MODELS / "reference/pendulum.csv"

A = """t,x,y,still
0,1,0,7
0.5,2,0,7
1,3,5,7
"""
B = """t,x,y,still,extra
0,1,0,7.25,1
0.5,2,0,7.25,1
1,4,5,7.25,1
"""


class CompareTest(CliTest):
    def setUp(self):
        super().setUp()
        self.write("a.csv", A)
        self.write("b.csv", B)

    def lines(self, *words, status=0):
        done = self.expect(status, "compare", *words)
        self.assertEqual(done.stderr, "")
        return done.stdout.splitlines()

    def json(self, *words, status=0):
        return json.loads(self.expect(status, "compare", *words, "--json").stdout)

    def error(self, status, *words):
        done = self.expect(status, "compare", *words)
        self.assertEqual(done.stdout, "")
        self.assertIn("error:", done.stderr)
        return done.stderr


class Pendulum(CompareTest):
    """Paper 002, table 2: the pendulum agrees with the benchmark, ICC = 1."""

    def test_agrees_with_elliptic_functions(self):
        self.expect(0, "run", PENDULUM, "-o", "out", "--quiet")
        for columns in ((), ("--columns", "bob.x,bob.y")):
            lines = self.lines("out/results.csv", REFERENCE, "--tolerance", "1e-9", *columns)
            one = r"1\.000000 \[1\.000000, 1\.000000\]"
            for name in ("bob.x", "bob.y"):
                row = [line for line in lines if line.startswith(name + " ")]
                self.assertEqual(len(row), 1)
                self.assertRegex(row[0], rf" {one} +{one}$")
            self.assertIn("101 common times, t = 0 to 10 (of 1001 and 101 rows)", lines[0])
            self.assertIn("within the tolerance 1e-09", lines[-1])
        found = self.json("out/results.csv", REFERENCE)
        self.assertEqual([c["name"] for c in found["columns"]], ["bob.x", "bob.y", "bob.vx", "bob.vy"])
        for column in found["columns"]:
            self.assertAlmostEqual(column["icc_consistency"], 1, delta=1e-12)
            self.assertAlmostEqual(column["icc_absolute_agreement_interval"][0], 1, delta=1e-12)
        self.assertIn("pivot.fx", found["only_in_first"])

    def test_a_coarse_run_does_not(self):
        self.expect(0, "run", PENDULUM, "-o", "out", "--quiet", "--integrator", "euler", "--step",
                    "1e-2", "--stabilization", "none", "--allow-doubtful")
        found = self.json("out/results.csv", REFERENCE, "--tolerance", "1e-9", status=1)
        self.assertLess(found["columns"][0]["icc_absolute_agreement"], 0.99)
        self.assertFalse(found["within_tolerance"])


class Output(CompareTest):
    def test_text(self):
        lines = self.lines("a.csv", "b.csv")
        self.assertIn("3 common times, t = 0 to 1 (of 3 and 3 rows)", lines[0])
        self.assertEqual(lines[1], "only in b.csv: extra")
        self.assertRegex(lines[2], r"^column +max +at t +RMS +bias +lower +upper +ICC\(C,1\).*ICC\(A,1\)")
        # by hand, see tests/result/test_statistics.c
        self.assertRegex(lines[3], r"^x +1\.000e\+00 +1 +5\.774e-01 +-3\.333e-01 +-1\.465e\+00 +7\.983e-01 "
                                   r" 0\.900000 \[-0\.344828, 0\.997305\] +0\.900000 \[")
        self.assertRegex(lines[4], r"^y +0\.000e\+00 +0 .* 1\.000000 \[1\.000000, 1\.000000\]$")
        self.assertRegex(lines[5], r"^still +2\.500e-01 +0 .* -2\.500e-01  - +-$")
        self.assertEqual(lines[6:], ["largest difference 1.000e+00: x at t = 1"])
        for column in ("ICC(A,1)", "ICC(C,1)"):
            self.assertEqual(lines[2].index(column), lines[3].index("0.900000", lines[2].index(column)))

    def test_only_lists_are_wrapped(self):
        names = [f"a_rather_long_name{k}" for k in range(40)]
        self.write("wide.csv", "\n".join([",".join(["t", "x"] + names)] +
                                         [f"{t},{t}" + ",0" * 40 for t in (0, 0.5, 1)]))
        text = self.expect(0, "compare", "wide.csv", "a.csv").stdout
        block = text[text.index("only in wide.csv:"):text.index("\nonly in a.csv: y, still\n")]
        self.assertLessEqual(max(map(len, block.splitlines())), 100)
        self.assertEqual(re.findall(r"\w*name\d+", block), names)

    def test_json(self):
        found = self.json("a.csv", "b.csv", "--columns", "x,still")
        self.assertEqual(found["files"], ["a.csv", "b.csv"])
        self.assertEqual(found["common_times"], 3)
        self.assertEqual((found["first_time"], found["last_time"]), (0, 1))
        self.assertEqual(found["only_in_first"] + found["only_in_second"], [])
        self.assertEqual((found["max_difference"], found["max_column"]), (1, "x"))
        self.assertIsNone(found["tolerance"])
        self.assertTrue(found["within_tolerance"])
        x, still = found["columns"]
        self.assertEqual((x["name"], x["max_difference"], x["max_time"]), ("x", 1, 1))
        self.assertAlmostEqual(x["rms_difference"], 3 ** -0.5)
        self.assertAlmostEqual(x["sd"], 3 ** -0.5)
        self.assertAlmostEqual(x["bias"], -1 / 3)
        self.assertAlmostEqual(x["upper_limit"], -1 / 3 + 1.96 * 3 ** -0.5)
        self.assertAlmostEqual(x["icc_consistency"], 0.9)
        self.assertAlmostEqual(x["icc_consistency_interval"][0], -20 / 58)
        # t(0.975; 2) = 4.3026527
        self.assertAlmostEqual(x["bias_interval"][1], -1 / 3 + 4.3026527 / 3, places=6)
        for key in ("icc_consistency", "icc_absolute_agreement"):
            self.assertIsNone(still[key])
            self.assertIsNone(still[key + "_interval"])
        self.assertEqual(still["bias_interval"], [-0.25, -0.25])

    def test_tolerance(self):
        self.assertIn("above the tolerance 0.9", self.lines("a.csv", "b.csv", "--tolerance", "0.9", status=1)[-1])
        self.assertIn("within the tolerance 1", self.lines("a.csv", "b.csv", "--tolerance=1")[-1])
        self.lines("a.csv", "a.csv", "--tolerance", "0")
        self.lines("a.csv", "b.csv", "--columns", "y", "--tolerance", "0")
        self.assertEqual(self.json("a.csv", "b.csv", "--tolerance", "0.9", status=1)["tolerance"], 0.9)

    def test_more_than_two(self):
        found = self.json("a.csv", "b.csv", "a.csv")
        self.assertEqual([one["files"] for one in found], [["a.csv", "b.csv"], ["a.csv", "a.csv"]])
        self.assertEqual(found[1]["max_difference"], 0)
        self.assertEqual(found[0], self.json("a.csv", "b.csv"))
        lines = self.lines("a.csv", "a.csv", "b.csv")
        self.assertEqual(len([line for line in lines if line.startswith("largest difference")]), 2)

    def test_page(self):
        self.lines("a.csv", "b.csv", "--page", "page.html")
        page = (self.folder / "page.html").read_text()
        data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
        self.assertEqual((data["kind"], [run["name"] for run in data["runs"]]), ("compare", ["a.csv", "b.csv"]))
        x = data["comparisons"][0]["columns"][0]
        self.assertEqual((x["name"], x["max"]), ("x", 1))
        self.assertAlmostEqual(x["bias"][0], -1 / 3)
        self.assertAlmostEqual(x["consistency"][0], 0.9)
        self.expect(1, "compare", "a.csv", "b.csv", "--page", "no/such/page.html")

    def test_help(self):
        self.assertIn("trammel compare", self.expect(0, "--help").stdout)
        text = self.expect(0, "compare", "--help").stdout
        for word in ("usage: trammel compare A B...", "--columns", "--tolerance", "--json", "exit status"):
            self.assertIn(word, text)


class Wrong(CompareTest):
    def test_usage(self):
        for words in ((), ("a.csv",)):
            self.assertIn("two or more runs", self.error(2, *words))
        self.assertIn("c.csv: error", self.error(3, "a.csv", "b.csv", "c.csv"))
        for tolerance in ("-1", "tight", "nan", "inf", ""):
            self.assertIn("--tolerance", self.error(2, "a.csv", "b.csv", f"--tolerance={tolerance}"))
        for columns in ("", "x,", ",x", "x,,y"):
            self.assertIn("--columns", self.error(2, "a.csv", "b.csv", f"--columns={columns}"))
        self.assertIn("no column 'w'", self.error(2, "a.csv", "b.csv", "--columns", "x,w"))
        self.assertIn("'extra' is in 'b.csv' but not in 'a.csv'",
                      self.error(2, "a.csv", "b.csv", "--columns", "extra"))
        self.assertIn("did you mean '--json'", self.error(2, "a.csv", "b.csv", "--jsn"))

    def test_unreadable(self):
        text = self.error(3, "nowhere.csv", "neither.csv")
        for name in ("nowhere.csv", "neither.csv"):
            self.assertIn(f"{name}: error: the table cannot be read: No such file", text)
        self.assertIn(f"{self.folder}/results.csv: error: ", self.error(3, "a.csv", self.folder))
        self.assertIn("a pipe or a device", self.error(3, "a.csv", "/dev/null"))
        self.write("none.csv", "")
        self.assertIn("empty", self.error(3, "a.csv", "none.csv"))

    def test_malformed(self):
        self.write("bad.csv", A.replace("0.5,2,", "0.5,two,").replace("1,3,5,7", "1,3,5"))
        text = self.error(3, "bad.csv", "b.csv")
        self.assertIn("bad.csv:3: error: 'two' is no number", text)
        self.assertIn("bad.csv:4: error: 3 numbers, but the header has 4 columns", text)

    def test_not_a_number(self):
        for value in ("nan", "-nan"):
            self.write("nan.csv", A.replace("0.5,2,", f"0.5,{value},"))
            self.assertIn("nan.csv: error: row 2, column 'x': nan at t = 0.5", self.error(3, "nan.csv", "b.csv"))
        self.lines("nan.csv", "b.csv", "--columns", "y")

    def test_other_times(self):
        self.write("other.csv", "t,x\n0,1\n0.3,2\n0.6,3\n0.9,4\n")
        text = self.error(3, "a.csv", "other.csv")
        self.assertIn("1 time is common to 'a.csv' (3 rows) and 'other.csv' (4 rows)", text)
        self.assertIn("--output-step", text)

    def test_nothing_in_common(self):
        self.write("other.csv", "t,w\n0,1\n0.5,2\n1,3\n")
        self.assertIn("no column in common", self.error(3, "a.csv", "other.csv"))


if __name__ == "__main__":
    unittest.main()
