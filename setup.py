"""What pyproject.toml cannot say: the packages are those of lib/ and three folders that the library reads."""

from setuptools import find_packages, setup

setup(packages=[*find_packages("lib"), *(f"proctor.checkout.{name}" for name in ("params", "data", "notebooks"))])
