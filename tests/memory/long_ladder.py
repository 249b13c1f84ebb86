"""Every allocation of every command fails once; with names: of these commands."""
import sys

import ladder

ladder.main(None, *sys.argv[1:])
