"""A failing model made smaller while it keeps failing in the same way."""
import copy
import re

from mechanism import GROUND, Mechanism


def signature(text):
    """A failure without its numbers and names."""
    text = text.partition(": errors")[0].splitlines()[0]
    text = re.sub(r"/\S+|--rtol \S+ --atol \S+ ", "", text)
    text = re.sub(r"\b([bJFP]\d+|O_)\b\.?", "", text)
    text = re.sub(r"[-+]?\d+\.?\d*(e[-+]?\d+)?", "", text)
    return re.sub(r"\b(ax|ay|az|alphax|alphay|alphaz|alpha|[xyz]|v[xyz]|w[xyz]|omega|angle|rate|f[xyz]|t[xyz]|effort|speed)\b", "", text)


def without_body(model, name):
    """The body, and everything that touches or names it."""
    model = copy.deepcopy(model)
    del model["bodies"][name]
    gone = {name}
    while True:
        named = lambda entry: set(re.findall(r"[A-Za-z_]\w*", str(entry)))
        lost = {key for part in ("joints", "forces") for key, entry in model.get(part, {}).items()
                if named(entry) & gone and key not in gone}
        if not lost:
            break
        gone |= lost
    for part in ("joints", "forces"):
        model[part] = {key: entry for key, entry in model.get(part, {}).items() if key not in gone}
    model["initial"] = {key: value for key, value in model.get("initial", {}).items() if key.partition(".")[0] not in gone}
    return model


def steps(model):
    """Smaller models, one removal each."""
    for name in model["bodies"]:
        if len(model["bodies"]) > 1:
            yield without_body(model, name)
    for part in ("forces", "joints"):
        for name in model.get(part, {}):
            smaller = copy.deepcopy(model)
            del smaller[part][name]
            if name not in re.findall(r"[A-Za-z_]\w*", str([smaller.get(key) for key in ("joints", "forces", "initial")])):
                yield smaller
    for name in model.get("initial", {}):
        smaller = copy.deepcopy(model)
        del smaller["initial"][name]
        yield smaller
    if any(model.get("gravity", [])):
        yield {**copy.deepcopy(model), "gravity": [0] * len(model["gravity"])}
    for name, body in model["bodies"].items():
        for key in ("gravity", "com"):
            if key in body:
                smaller = copy.deepcopy(model)
                del smaller["bodies"][name][key]
                yield smaller
        if "velocity" in body:
            smaller = copy.deepcopy(model)
            del smaller["bodies"][name]["velocity"], smaller["bodies"][name]["angular-velocity"]
            yield smaller
    for name, entry in model.get("forces", {}).items():
        for key in ("preload", "damping", "stiffness", "orientation"):
            if key in entry:
                smaller = copy.deepcopy(model)
                del smaller["forces"][name][key]
                yield smaller


def drop_points(model):
    """Points that nothing names."""
    model = copy.deepcopy(model)
    text = str([model.get("joints"), model.get("forces"), model.get("initial")])
    for name, body in [(GROUND, model.get("ground", {})), *model["bodies"].items()]:
        for point in list(body.get("points", {})):
            if not re.search(rf"\b{name}\.{point}\b", text):
                del body["points"][point]
        if "points" in body and not body["points"]:
            del body["points"]
    return {key: value for key, value in model.items() if value not in ({}, None) or key == "bodies"}


def shrink(case, fails, text):
    """fails(case): the texts of its failures, among them `text`. The case that is left, and its text."""
    wanted, best, again = signature(text), case, True
    while again:
        again = False
        for model in [drop_points(best.model), *steps(best.model)]:
            if model == best.model:
                continue
            smaller = copy.copy(best)
            smaller.model = model
            try:
                Mechanism(model)
                found = [text for text in fails(smaller) if signature(text) == wanted]
            except (KeyError, ValueError, IndexError, ZeroDivisionError):
                continue  # something that was taken away is missed
            if found:
                best, text, again = smaller, found[0], True
                break
    return best, text
