"""The look at each page that conftest takes after every run of a notebook finds what it is to find."""

import base64

import pytest

SAVED = {b"one": "fig_1"}


def page(*outputs):
    return {"cells": [{"cell_type": "markdown"}, {"cell_type": "code", "outputs": outputs}]}


def picture(content: bytes):
    return {"output_type": "display_data", "data": {"image/png": base64.b64encode(content).decode()}}


@pytest.fixture(scope="module")
def faults(request):
    conftest = next(plugin for plugin in request.config.pluginmanager.get_plugins() if hasattr(plugin, "page_faults"))
    return conftest.page_faults


def test_a_page_that_shows_what_is_saved_has_none(faults):
    assert faults(page(picture(b"one"), {"name": "stdout", "text": "fine"}), SAVED) == []


@pytest.mark.parametrize(
    "outputs, fault",
    [
        ([], "fig_1 is shown 0 times"),
        ([picture(b"one"), picture(b"one")], "fig_1 is shown 2 times"),
        ([picture(b"one"), picture(b"half")], "cell 2 shows a picture that is not saved"),
        ([picture(b"one"), {"data": {"text/plain": ["<Axes at 0x7f01>"]}}], "cell 2 shows an object: <Axes at 0x7f01>"),
        ([picture(b"one"), {"name": "stderr", "text": ["\r 10%|#"]}], "cell 2 leaves on stderr: \r 10%|#"),
    ],
)
def test_each_fault_is_named(faults, outputs, fault):
    assert faults(page(*outputs), SAVED) == [fault]
