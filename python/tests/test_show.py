"""Boards as text and pictures."""

import xml.etree.ElementTree as xml
from typing import Any

import numpy as np
import pytest
import slider_attacks

SVG = "{http://www.w3.org/2000/svg}"


def test_a_set_of_squares() -> None:
    drawing = slider_attacks.show(0x8100_0000_0000_0001, mark=(7, "Q"))
    lines = str(drawing).splitlines()
    assert lines[0] == "8  1 . . . . . . 1" and lines[7] == "1  1 . . . . . . Q" and lines[8] == "   a b c d e f g h"
    assert repr(drawing) == str(drawing)
    root = xml.fromstring(drawing._repr_svg_())
    squares = [group.findall(f"{SVG}rect") for group in root.findall(f"{SVG}g")]
    assert len(squares) == 64
    assert [number for number, rectangles in enumerate(squares) if len(rectangles) == 2] == [0, 56, 63]
    assert [text.text for text in root.iter(f"{SVG}text") if text.get("class") == "value" and text.text] == ["Q"]


def test_numbers() -> None:
    numbers = np.arange(64) - 10
    drawing = slider_attacks.show(numbers)
    assert str(drawing).splitlines()[7] == "1  -10  -9  -8  -7  -6  -5  -4  -3"
    assert str(drawing).splitlines()[8] == "     a   b   c   d   e   f   g   h"
    root = xml.fromstring(drawing.svg())
    signs = [rectangle.get("class") for rectangle in root.iter(f"{SVG}rect")]
    assert signs.count("below") == 10 and signs.count("above") == 53
    others: list[Any] = [numbers.tolist(), numbers.reshape(8, 8), numbers.astype(np.float32)]
    for other in others:
        assert str(slider_attacks.show(other)) == str(drawing)
    assert ">0.50</text>" in slider_attacks.show(np.full(64, 0.5)).svg()


@pytest.mark.parametrize("board", [0x1C14, np.arange(64) / 7 - 3], ids=["set", "heat map"])
def test_notebooks(board: Any) -> None:
    drawing = slider_attacks.show(board)
    assert drawing._repr_svg_() == drawing._repr_html_() == drawing.svg()
    root = xml.fromstring(drawing._repr_html_())  # one element, which HTML takes as it is
    assert root.tag == f"{SVG}svg" and len(root.findall(f"{SVG}g")) == 64


def test_themes() -> None:
    for theme, colors in [("auto", {"#ffffff", "#17191c"}), ("light", {"#ffffff"}), ("dark", {"#17191c"})]:
        svg = slider_attacks.show(1, theme=theme).svg()
        assert {color for color in ("#ffffff", "#17191c") if color in svg} == colors


def test_malformed_input() -> None:
    show: Any = slider_attacks.show
    cases: list[tuple[Any, dict[str, Any], type[Exception]]] = [
        (2**64, {}, ValueError),
        (-1, {}, ValueError),
        ([1, 2], {}, ValueError),
        ("a", {}, ValueError),
        (None, {}, ValueError),
        (1, {"mark": (64, "Q")}, ValueError),
        (1, {"mark": (1, "QQ")}, ValueError),
        (1, {"mark": 5}, TypeError),
        ([0] * 64, {"mark": (1, "Q")}, ValueError),
        (1, {"theme": "pink"}, ValueError),
    ]
    for board, options, error in cases:
        with pytest.raises(error):
            show(board, **options)
