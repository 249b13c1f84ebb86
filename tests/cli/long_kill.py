"""200 runs, killed at random moments and resumed: bit by bit what a run without a break leaves."""
import random
import sys
import tempfile

import ladder

seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.SystemRandom().randrange(10**6)
print(f"seed {seed}")
with tempfile.TemporaryDirectory() as scratch:
    rungs = list(ladder.ladders(scratch, 2))
    killed = sum(rungs[k % len(rungs)].climb(2, seed + k) for k in range(200))
print(f"200 of 200 the same, {killed} kills")
if killed < 200:
    sys.exit("too few of them were killed on their way")
