from tests.contracts.fixtures import archive, library, surroundings

__all__ = ["archive", "library", "surroundings"]
