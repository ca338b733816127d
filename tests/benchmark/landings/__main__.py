import sys

from tests.benchmark.landings import add

add(sys.argv[1] if sys.argv[1:] else "")
