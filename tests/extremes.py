"""The largest of several numbers; NaN where one of them is. max() may drop it: the largest error of a run would be that of its good
rows."""


def largest(*values, default=0.0):
    """As max: of one iterable, or of all arguments; of none the default."""
    found = None
    for value in values[0] if len(values) == 1 else values:
        if found is None or value > found or value != value:
            found = value
        if found != found:
            break
    return default if found is None else found
