"""The picture of one step."""

from __future__ import annotations

from reproduction.figures.pipeline import pipeline


def test_the_pipeline_has_the_sizes_of_the_step() -> None:
    picture = pipeline()
    assert "2,500 × 256" in picture.boxes["U"].text
    assert "2,500 × 10" in picture.boxes["R"].text
    for start, end in picture.arrows:
        assert start in picture.boxes
        assert end in picture.boxes
