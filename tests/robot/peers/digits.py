"""How many digits a problem leaves to compare."""
import sys


def share_of(contrast):
    """What of a difference counts where 1e-9 is allowed. A contrast, the ratio of the largest to the smallest inertia that
    act on one freedom, makes round-off so many times larger, on both sides: ten of it are allowed."""
    return min(1, 1e-9 / (10 * sys.float_info.epsilon * contrast))
