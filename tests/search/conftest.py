"""A clock and settings of the tests' own, whatever the machine says."""

from tests.contracts.fixtures import surroundings

__all__ = ["surroundings"]
