"""`python -m proctor.logs [NAME ...]`: fetch and import the sources of logs."""

import sys

from proctor.logs.fetch import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
