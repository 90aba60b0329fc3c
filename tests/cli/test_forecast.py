"""What is said before a training that takes long or needs much memory."""

import pytest
from torch_geometric.data import Data

from homogcl.advice.estimate import Estimate
from homogcl.cli import forecast
from homogcl.core.errors import UserError
from homogcl.data.load import citation_graph
from homogcl.presets.resolve import Settings
from homogcl.runs.request import Request


@pytest.mark.parametrize(
    ("free", "said"), [(10**12, ""), (3 * 10**9, "warning: "), (10**9, "refused")]
)
def test_a_training_without_memory_is_warned_of_or_refused(
    free: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def expected(name: str, settings: Settings, graph: Data, seed: int) -> Estimate:
        return Estimate(120.0, 5 * 10**9)

    monkeypatch.setattr(forecast, "estimate", expected)
    monkeypatch.setattr(forecast, "available_bytes", lambda: free)
    spec = Request("grace", "demo", overrides={"epochs": 1000})
    graph = citation_graph(100, 3, 10, seed=0)
    if said == "refused":
        with pytest.raises(UserError, match="need 5"):
            forecast.foretell(spec, graph)
        return
    forecast.foretell(spec, graph)
    printed = capsys.readouterr().err
    assert "training takes about 2 minutes and 5.0 GB" in printed
    assert ("warning: " in printed) == (said != "")
    forecast.foretell(Request("grace", "demo", overrides={"epochs": 1}), graph)
    assert capsys.readouterr().err == ""
