"""Many runs: a study on all cores, the same with joblib, and a table of pandas."""
import os
import tempfile
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

import trammel as tr

MODEL = Path(tr.__file__).parent / "models" / "pendulum.yaml"
LENGTHS = np.linspace(0.5, 2, 16)


def lowest(length: float) -> float:
    """In a process of its own: models travel by pickle."""
    return float(tr.load(MODEL, L=length).run(duration=1, progress=False)["bob.y"].min())


def main() -> None:
    model = tr.load(MODEL)
    with tempfile.TemporaryDirectory() as folder:
        study = model.sweep({"L": list(LENGTHS)}, record=["final(bob.y)"], folder=folder, duration=1,
                            progress=False)
        final = study["table"]["final(bob.y)"]
    by_joblib = Parallel(n_jobs=os.cpu_count())(delayed(lowest)(length) for length in LENGTHS)
    frame = model.run(duration=1, progress=False).to_pandas()
    print(frame[["bob.x", "bob.y"]].describe().loc[["min", "max"]])
    assert np.all(np.asarray(by_joblib) <= final + 1e-9)
    # from the horizontal the bob comes down by its length, if there is time: a quarter of 4 K(1/2) sqrt(L/g)
    arrives = 0.5919604869 * 4 / 4 * np.sqrt(LENGTHS) < 1
    assert np.allclose(np.asarray(by_joblib)[arrives], -LENGTHS[arrives], rtol=1e-3)


if __name__ == "__main__":
    main()
