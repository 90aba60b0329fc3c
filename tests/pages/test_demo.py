"""The demonstration shows what its edges' saliency is worth."""

from pathlib import Path

import numpy as np
import pytest

from homogcl.pages import demo as demonstration
from homogcl.pages.charts import SaliencyHistogram
from homogcl.pages.demo import _saliency_rows, demo


def test_terminal_and_page_show_what_wrong_edges_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demonstration, "METHODS", ("homogcl",))
    page = demo(tmp_path).read_text()
    lines = capsys.readouterr().out.splitlines()
    assert "with wrong edges (%)" in lines[0]
    accuracy, with_wrong_edges = map(float, lines[1].split()[1:3])
    assert 50 < with_wrong_edges < accuracy
    assert "With wrong edges" in page
    assert f"{with_wrong_edges:.1f} %" in page


def test_rows_give_counts_and_shares_of_each_bin() -> None:
    histogram = SaliencyHistogram(
        np.array([0.0, 0.5, 0.8, 1.0]),
        np.array([1, 0, 900]),
        np.array([3, 0, 100]),
        np.array([7, 0, 0]),
    )
    low, middle, high = _saliency_rows(histogram)
    assert (low["saliency"], low["edges"], low["same class"]) == ("0.0-0.5", "4", "25.0 %")
    assert (middle["edges"], middle["same class"], middle[""]) == ("0", "", "")
    assert (high["edges"], high["same class"]) == ("1,000", "90.0 %")
    assert len(high[""]) == pytest.approx(30 * 0.9)
