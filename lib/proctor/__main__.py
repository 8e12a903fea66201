"""`python -m proctor`: Proctor on one's own data (see `cli`)."""

from proctor.cli import main

if __name__ == "__main__":
    main()
