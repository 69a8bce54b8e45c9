"""The example in numbers gives these numbers."""
import doctest
from pathlib import Path

import pytest


def test_the_example_in_numbers():
    page = Path(__file__).parents[2] / "docs/example.md"
    if not page.exists():
        pytest.skip("docs/ is not here")
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert tried > 10 and failed == 0
