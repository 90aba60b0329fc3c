"""Published data sets: downloads are checked before they are placed."""

from pathlib import Path

import pytest

from homogcl.core.errors import UserError
from homogcl.data.load import load
from homogcl.data.published import download, sources


def test_layout_is_that_of_pyg() -> None:
    paths = {f"{entry.folder}/{entry.files[0]}" for entry in sources.SOURCES.values()}
    assert {
        "planetoid/Cora/raw/ind.cora.x",
        "amazon/Photo/raw/amazon_electronics_photo.npz",
        "coauthor/CS/raw/ms_academic_cs.npz",
        "coauthor/Physics/raw/ms_academic_phy.npz",
        "citationfull/dblp/raw/dblp.npz",
        "citationfull/cora_ml/raw/cora_ml.npz",
    } <= paths


def test_missing_file_offline_names_path_and_origin(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOMOGCL_OFFLINE", "1")
    path = tmp_path / "planetoid/Cora/raw/ind.cora.x"
    with pytest.raises(UserError) as caught:
        load("cora", tmp_path)
    message = str(caught.value)
    assert message.startswith(f"{path}: missing")
    assert "https://github.com/kimiyoung/planetoid/raw/master/data/ind.cora.x" in message
    assert "\n" not in message
    assert list(tmp_path.iterdir()) == []


def test_failed_download_names_path_and_writes_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(url: str) -> bytes:
        raise OSError("no route to host")

    monkeypatch.delenv("HOMOGCL_OFFLINE", raising=False)
    monkeypatch.setattr(download, "fetch", fail)
    with pytest.raises(UserError, match=r"photo\.npz: missing, and the download failed \(no rou"):
        load("photo", tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["cora", "photo"])
def test_missing_files_are_downloaded_checked_and_placed(
    monkeypatch: pytest.MonkeyPatch, data_root: Path, tmp_path: Path, name: str
) -> None:
    entry = sources.SOURCES[name]
    asked = []

    def serve(url: str) -> bytes:
        asked.append(url)
        return (data_root / entry.folder / url.rsplit("/", 1)[1]).read_bytes()

    monkeypatch.delenv("HOMOGCL_OFFLINE", raising=False)
    monkeypatch.setattr(download, "fetch", serve)
    graph = load(name, tmp_path)
    assert graph.sha256 == load(name, data_root).sha256
    assert asked == [f"{entry.url}/{file}" for file in entry.files]
    placed = {path.name for path in (tmp_path / entry.folder).iterdir()}
    assert placed == set(entry.files)
    load(name, tmp_path)
    assert len(asked) == len(entry.files)


@pytest.mark.parametrize(
    ("name", "file", "message"),
    [
        ("cora", "ind.cora.ty", r"ind\.cora\.ty: has sha256"),
        ("photo", "amazon_electronics_photo.npz", r"data/npz: served 13752 nodes"),
    ],
)
def test_wrong_download_is_refused_and_nothing_is_placed(
    monkeypatch: pytest.MonkeyPatch,
    data_root: Path,
    tmp_path: Path,
    name: str,
    file: str,
    message: str,
) -> None:
    wrong = {
        "ind.cora.ty": "planetoid/Cora/raw/ind.cora.y",
        "amazon_electronics_photo.npz": "amazon/Computers/raw/amazon_electronics_computers.npz",
    }

    def serve(url: str) -> bytes:
        asked = url.rsplit("/", 1)[1]
        folder = sources.SOURCES[name].folder
        return (data_root / (wrong[asked] if asked == file else f"{folder}/{asked}")).read_bytes()

    monkeypatch.delenv("HOMOGCL_OFFLINE", raising=False)
    monkeypatch.setattr(download, "fetch", serve)
    with pytest.raises(UserError, match=message):
        load(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_missing_files_are_listed_where_they_belong(tmp_path: Path) -> None:
    entry = sources.SOURCES["cora"]
    folder = tmp_path / entry.folder
    assert sources.missing_files(entry, tmp_path) == [folder / name for name in entry.files]
    folder.mkdir(parents=True)
    for name in entry.files[:-1]:
        (folder / name).touch()
    (folder / entry.files[-1]).mkdir()  # a folder is no file
    assert sources.missing_files(entry, tmp_path) == [folder / entry.files[-1]]


def test_only_a_source_with_a_file_of_features_can_lack_it(tmp_path: Path) -> None:
    cora, arxiv = sources.SOURCES["cora"], sources.SOURCES["arxiv"]
    assert cora.all_files == cora.files
    assert arxiv.all_files == (*arxiv.files, arxiv.features)
    for entry in (cora, arxiv):
        assert not sources.lacks_features(entry, tmp_path)  # all of it is missing
        for name in entry.files:
            path = tmp_path / entry.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    assert not sources.lacks_features(cora, tmp_path)
    assert sources.lacks_features(arxiv, tmp_path)


def test_archive_is_to_be_unpacked_where_it_belongs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOMOGCL_OFFLINE", "1")
    with pytest.raises(UserError) as caught:
        download.raw_files(sources.SOURCES["arxiv"], tmp_path)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'ogbn_arxiv' / 'raw' / 'edge.csv.gz'}: missing")
    assert "unpack https://snap.stanford.edu/ogb/data/nodeproppred/arxiv.zip there" in message
