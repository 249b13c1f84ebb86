"""How many ranks can rank 0 of a study serve? A model: ranks ask ahead for blocks of runs, rank 0 answers one after the
other. Prints how much of the ranks' time is spent on runs, and how busy rank 0 is."""
import heapq
import random

ANSWER = 1e-6   # s; 0.4e-6 were measured within one machine
LATENCY = 20e-6  # one way
LARGEST, BLOCKS = 64, 8  # as trm_sweep_take has them


def simulate(ranks, runs, length):
    random.seed(1)
    left, head, end, work, answers = runs, 0.0, 0.0, 0.0, 0
    asks = [(0.0, rank) for rank in range(ranks)]
    free = [0.0] * ranks
    while left > 0:
        asked, rank = heapq.heappop(asks)
        head = max(head, asked + LATENCY) + ANSWER
        block = min(left, max(1, min(LARGEST, left // (BLOCKS * ranks))))
        left -= block
        answers += 1
        # lengths of runs are distributed exponentially, the sum of many normally
        took = random.expovariate(1 / length) if block == 1 else max(0, random.gauss(block, block**0.5) * length)
        begin = max(free[rank], head + LATENCY)
        free[rank] = begin + took
        work += took
        end = max(end, free[rank])
        heapq.heappush(asks, (begin, rank))  # for the next one
    return work / (ranks * end), answers * ANSWER / end


print("ranks   runs a rank   run, ms   at work   rank 0 busy")
for ranks, each, length in ((100, 1000, 1e-3), (1000, 1000, 1e-3), (10000, 1000, 1e-3), (1000, 1000, 1e-4), (10000, 1000, 1e-4)):
    share, busy = simulate(ranks, ranks * each, length)
    print(f"{ranks:5} {each:13} {1e3 * length:9} {share:9.2f} {busy:13.2f}")
