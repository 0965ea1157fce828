"""`python -m tests.drawn`: drawn programs for as long as asked, from a random seed unless one is given. The nightly mode."""

import argparse
import os
import random
import sys

os.environ.setdefault("STAX_MAX_COMPILATIONS", "100000000")
os.environ.setdefault("STAX_CACHE", "0")

from tests.drawn.campaign import campaign

parser = argparse.ArgumentParser(prog="python -m tests.drawn", description=__doc__)
parser.add_argument("--seed", type=int, default=None)
parser.add_argument("--seconds", type=float, default=600.0)
parser.add_argument("--shown", type=int, default=3, help="failures of one kind that are printed")
parser.add_argument("--loops", action="store_true", help="with loops that stay in the program")
options = parser.parse_args()
first = random.SystemRandom().randrange(1 << 40) if options.seed is None else options.seed
sys.exit(1 if campaign(first, options.seconds, options.shown, options.loops) else 0)
