"""Small graphs in files, as users have them."""

import json
from pathlib import Path

from homogcl.data.load import citation_graph

NODES = 90  # of the graph that most tests have


def write_graph(folder: Path, nodes: int, columns: tuple[int, ...] = (0, 1, 2)) -> None:
    """Write edges and nodes of a generated graph, every third node without a label."""
    graph = citation_graph(num_nodes=nodes, num_words=30, num_classes=3, seed=0)
    folder.mkdir()
    pairs = [(s, t) for s, t in graph.edge_index.t().tolist() if s < t]
    (folder / "edges.csv").write_text(
        "paper,cites,times\n" + "".join(f"p{s},p{t},1\n" for s, t in pairs)
    )
    x = 1 + graph.x.to_dense().numpy()
    lines = [",".join(["key", "field", *(f"w{c}" for c in columns)])]
    for i in range(nodes):
        label = "" if i % 3 == 0 else f"c{int(graph.y[i])}"
        lines.append(",".join([f"p{i}", label, *(f"{x[i, c]:.4f}" for c in columns)]))
    (folder / "nodes.csv").write_text("\n".join(lines) + "\n")
    (folder / "graph.toml").write_text(
        'edges = "edges.csv"\nnodes = "nodes.csv"\nlabel = "field"\n'
        f"features = {json.dumps([f'w{c}' for c in columns])}\n"
    )
