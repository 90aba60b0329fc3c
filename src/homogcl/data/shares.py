"""Names of generated graphs: demo, or demo with other shares, such as demo-h70-t30."""

from __future__ import annotations

import re
from typing import NamedTuple

_DEMO = re.compile(r"demo(?:h(\d{1,3}))?(?:t(\d{1,3}))?")  # percentages


class Shares(NamedTuple):
    """Two arguments of `citation_graph` that the name of a generated graph states."""

    homophily: float = 0.8
    topic_share: float = 0.6

    def name(self) -> str:
        """Return the graph's name, which states the shares that differ from those of demo.

        >>> Shares(0.7, 0.3).name(), Shares().name()
        ('demo-h70-t30', 'demo')
        """
        letters = zip("ht", self, Shares(), strict=True)
        parts = [
            f"-{letter}{round(100 * share)}" for letter, share, usual in letters if share != usual
        ]
        return "".join(["demo", *parts])


def demo_shares(plain: str) -> Shares | None:
    """Return the shares that a generated graph's plain name states, or None for any other name.

    `demo-h70-t30` has 70 % of its edges within a class and draws 30 % of its words from classes'
    topics.

    >>> demo_shares("demoh70t30"), demo_shares("cora")
    (Shares(homophily=0.7, topic_share=0.3), None)
    """
    match = _DEMO.fullmatch(plain)
    if match is None:
        return None
    percentages = zip(match.groups(), Shares(), strict=True)
    return Shares(*(usual if share is None else int(share) / 100 for share, usual in percentages))
