"""All checks of one mechanism, told as failures that name the seed."""
import collections

import numpy as np

import check_drift
import check_events
import check_invariance
import check_methods
import check_reference
import program
import shrink
from generate import generate

CHECKS = ("reference", "invariance", "methods")


class Failure:
    """What went wrong with which model, by which combination of methods; an excused one was not compared, for a cause."""

    def __init__(self, case, check, text, combination=None, excused=False):
        self.case, self.check, self.text, self.combination, self.excused = case, check, text, combination, excused

    def __str__(self):
        return f"{self.case}: {self.check}: {self.text}{' (not compared, for a cause)' if self.excused else ''}"

    def keep(self, folder):
        """The model, and beside it what failed and how to see it."""
        folder.mkdir(parents=True, exist_ok=True)
        stem, text = f"{self.case.seed:06d}_{self.check.replace(' ', '_')}", program.yaml(self.case.model)
        for count in range(100):  # models that were made smaller differ
            name = f"{stem}_{count}" if count else stem
            if not (folder / f"{name}.yaml").exists() or (folder / f"{name}.yaml").read_text() == text:
                break
        program.write(self.case.model, folder / f"{name}.yaml")
        with open(folder / f"{name}.txt", "a") as file:
            file.write(f"{self}\n  trammel run {name}.yaml --duration {self.case.duration!r} {self.combination or ''}\n")


def reference(case):
    found = [Failure(case, "reference", text) for text in check_reference.check(case)]
    return found + [Failure(case, "events", text) for text in check_events.check(case)] if "events" in case.model else found


def invariance(case, names=None):
    found = check_invariance.check(case, names)
    return [Failure(case, f"invariance {name}", text) for name, texts in found.items() for text in texts]


def without_reference(reference):
    """Of a tight run that stops: it is no failure where the mechanism cannot go on."""
    run, model = reference.stopped, reference.model
    excused = run.status == 1 and check_reference.has_cause(model, run, check_reference.Mechanism(model), reference.tightly(1e-11))
    return Failure(reference.case, "methods", f"no tight run: it ends with {run.status}: {run.error}", excused=excused)


def methods(case, count, tally):
    reference = check_methods.Reference(case)
    if not reference.usable:
        return [without_reference(reference)]
    rng, failures = np.random.default_rng([case.seed, 3]), [Failure(case, "drift", text) for text in check_drift.check(case)]
    for _ in range(count):
        combination = check_methods.Combination.draw(rng, case.model["space"])
        if check_methods.left_out(reference, combination):
            continue
        tally["combinations"] += 1
        failures += [Failure(case, "methods", text, combination) for text in check_methods.check(reference, combination)]
    return failures


def examine(seed, checks=CHECKS, invariances=None, combinations=3, tally=None):
    """All failures of one seed; a tally counts what was compared."""
    case = generate(seed)
    failures, tally = [], collections.Counter() if tally is None else tally
    if "reference" in checks:
        failures += reference(case)
    if any("hangs" in failure.text for failure in failures):
        return failures  # it would again
    if "invariance" in checks:
        failures += invariance(case, invariances)
    if "methods" in checks:
        failures += methods(case, combinations, tally)
    return failures


# --- smaller models ---

def first_of_each(failures):
    found = {}
    for failure in failures:
        found.setdefault((failure.check, shrink.signature(failure.text)), failure)
    return found.values()


def fails_like(failure):
    """The check that failed, of any case: its texts."""
    if failure.check == "reference":
        return check_reference.check
    if failure.check == "events":
        return check_events.check
    if failure.check == "drift":
        return check_drift.check
    if failure.check == "methods":
        def by_method(case):
            reference = check_methods.Reference(case)
            useless = not reference.usable or check_methods.left_out(reference, failure.combination)
            return [] if useless else check_methods.check(reference, failure.combination)
        return by_method
    name = failure.check.partition(" ")[2]
    return lambda case: check_invariance.check(case, [name]).get(name, [])


def smaller(failure):
    case, text = shrink.shrink(failure.case, fails_like(failure), failure.text)
    return Failure(case, failure.check, text, failure.combination)
