"""Thousands of random mechanisms and method combinations. See README.md here.

    python3 tests/random/long_random.py --seed 1000 --count 50 --only invariance --keep /tmp/failing
"""
import argparse
import collections
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

try:
    import numpy
except ImportError:  # the system's Python has it where this one has not
    system = "/usr/bin/python3"
    there = os.path.exists(system) and subprocess.run([system, "-c", "import numpy"], capture_output=True).returncode == 0
    if there and os.path.realpath(sys.executable) != os.path.realpath(system):
        os.execv(system, [system, *sys.argv])
    print("numpy is missing (Debian: python3-numpy)")
    sys.exit(77)

import peers
import suite

PROGRESS = 100  # mechanisms between two lines that tell how far it is


def options():
    parser = argparse.ArgumentParser(description="Random mechanisms against a reference, invariances, methods and other programs.")
    parser.add_argument("--seed", type=int, default=1000, help="of the first mechanism")
    parser.add_argument("--count", type=int, default=2000, help="of mechanisms")
    parser.add_argument("--combinations", type=int, default=10, help="of methods a mechanism")
    parser.add_argument("--only", choices=(*suite.CHECKS, "peers"), action="append", help="checks to run (default: all); may be repeated")
    parser.add_argument("--keep", type=Path, default=Path("failures"), help="folder for failing models")
    parser.add_argument("--shrink", action="store_true", help="make failing models smaller before they are kept")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="mechanisms at a time")
    return parser.parse_args()


def work(task):
    seed, checks, combinations, shrink = task
    tally = collections.Counter()
    try:
        failures = suite.examine(seed, checks, combinations=combinations, tally=tally)
        return seed, tally, [suite.smaller(failure) for failure in suite.first_of_each(failures)] if shrink else failures
    except Exception as error:  # a defect of the tests themselves must not end the others
        return seed, tally, error


def main():
    chosen = options()
    checks = [check for check in suite.CHECKS if not chosen.only or check in chosen.only]
    seeds = range(chosen.seed, chosen.seed + chosen.count) if checks else ()
    tasks = [(seed, checks, chosen.combinations, chosen.shrink) for seed in seeds]
    counts, tally, broken, excused = collections.Counter(), collections.Counter(), 0, 0
    with multiprocessing.Pool(chosen.jobs) as pool:
        for done, (seed, found, failures) in enumerate(pool.imap(work, tasks, chunksize=1), 1):
            tally += found
            if done % PROGRESS == 0:
                print(f"{done} mechanisms, {tally['combinations']} combinations compared", flush=True)
            if isinstance(failures, Exception):
                print(f"seed {seed}: {type(failures).__name__}: {failures}", flush=True)
                broken += 1
                continue
            for excuse in [failure for failure in failures if failure.excused]:
                print(excuse, flush=True)
                failures.remove(excuse)
                excused += 1
            for check in {failure.check for failure in failures}:
                first = next(failure for failure in failures if failure.check == check)
                print(first, flush=True)
                counts[check] += 1
            for failure in failures:
                failure.keep(chosen.keep)
    if not chosen.only or "peers" in chosen.only:
        counts["peers"] += peers.main(chosen.seed, min(chosen.count, 500), chosen.keep)
    print(f"{chosen.count} mechanisms from seed {chosen.seed}, {tally['combinations']} combinations compared; failing: " +
          (", ".join(f"{count} {check}" for check, count in sorted(counts.items()) if count) or "none") +
          (f"; {excused} without a tight run, for a cause" if excused else "") +
          (f"; {broken} could not be examined" if broken else ""))
    return 1 if broken or any(counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
