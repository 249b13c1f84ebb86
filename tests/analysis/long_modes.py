"""The lowest ten eigenvalues of a chain of 100 000 links in half a minute of processor time."""
import resource
import unittest

from analyses import ask
from test_modes import CHAIN

# of a hanging rope, j/2 sqrt(g/L) with the zeros j of the Bessel function J0; the chain's are above by (ω l)² and less
ROPE = [j / 2 * (9.81 / 2) ** 0.5 for j in (2.404825557695773, 5.520078110286311, 8.653727912911013, 11.79153443901428, 14.930917708487787)]


class LargeModes(unittest.TestCase):
    def test_a_hundred_thousand_links(self):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        found = ask("modes", CHAIN + "outputs: [link1.angle]\n", "--set", "N=100000", "--count", 10)["modes"]
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print("processor time", seconds, flush=True)
        self.assertEqual(len(found), 10)
        for mode, rope in zip(found[::2], ROPE):
            self.assertLessEqual(abs(mode["im"] / rope - 1), 1e-8)
            self.assertLessEqual(abs(mode["re"]), 1e-9 * rope)
        self.assertLess(seconds, 30)


if __name__ == "__main__":
    unittest.main()
