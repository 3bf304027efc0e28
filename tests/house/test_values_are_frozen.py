"""What threads share cannot be changed: dataclasses are frozen."""

import pkgutil
from dataclasses import is_dataclass
from importlib import import_module

import pytest

import irops

PACKAGES = ("values", "spec", "diagnostics", "graph", "ir")
CHANGEABLE = {
    "irops.ir.model",  # a model is edited in place
    "irops.spec.binding",  # functions are bound one by one while modules are imported
}
"""Modules whose dataclasses may be changed."""


def dataclasses_of(package):
    root = import_module(f"irops.{package}")
    for info in pkgutil.walk_packages(root.__path__, f"irops.{package}."):
        module = import_module(info.name)
        for item in vars(module).values():
            if isinstance(item, type) and is_dataclass(item) and item.__module__ == info.name:
                yield item


FOUND = [item for package in PACKAGES for item in dataclasses_of(package)]


def name_of(item):
    return f"{item.__module__}.{item.__qualname__}"


def test_there_are_dataclasses_of_every_package():
    assert {item.__module__.split(".")[1] for item in FOUND} == set(PACKAGES)
    assert irops.Limits.__dataclass_params__.frozen


@pytest.mark.parametrize("item", FOUND, ids=name_of)
def test_a_dataclass_is_frozen_unless_it_is_there_to_be_changed(item):
    assert item.__dataclass_params__.frozen is (item.__module__ not in CHANGEABLE)
