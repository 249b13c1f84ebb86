"""Some rungs of the ladder of failing allocations; all of them: long_ladder.py."""
import ladder

ladder.main(12)
