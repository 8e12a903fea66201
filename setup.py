"""What pyproject.toml cannot say: the packages are those of lib/ and two folders that the library reads."""

from setuptools import find_packages, setup

setup(packages=[*find_packages("lib"), "proctor.checkout.params", "proctor.checkout.data"])
