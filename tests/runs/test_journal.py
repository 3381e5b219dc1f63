"""The journal: what was written comes back, a torn end is dropped, anything else is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bcsearch.errors import RunError
from bcsearch.runs.journal import JournalWriter, decode, encode, read_journal

RECORDS = [{"kind": "answer", "key": f"total-any/0.{i}", "value": i} for i in range(5)]


def written(path: Path) -> bytes:
    writer = JournalWriter(path, "seal", 0, 0)
    for record in RECORDS:
        writer.append(record)
    writer.close()
    return path.read_bytes()


def test_what_was_written_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    written(path)
    records, length, torn = read_journal(path, "seal")
    assert [{k: v for k, v in record.items() if k != "n"} for record in records[1:]] == RECORDS
    assert length == path.stat().st_size and not torn
    writer = JournalWriter(path, "seal", len(records), length)
    writer.append({"kind": "answer", "key": "more"})
    writer.close()
    assert read_journal(path, "seal")[0][-1] == {"n": 6, "kind": "answer", "key": "more"}


def test_a_file_cut_anywhere_gives_the_whole_lines_before_it(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    content = written(path)
    for size in range(len(content)):
        path.write_bytes(content[:size])
        records, length, torn = read_journal(path, "seal")
        assert len(records) == content[:size].count(b"\n") and torn == (size > length)


def test_a_flipped_bit_anywhere_is_refused_or_at_the_torn_end(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    content = written(path)
    whole = len(read_journal(path, "seal")[0])
    for place in range(len(content)):
        for bit in (0, 3, 7):
            damaged = bytearray(content)
            damaged[place] ^= 1 << bit
            path.write_bytes(damaged)
            refusal, records, torn = "", [], False
            try:
                records, _, torn = read_journal(path, "seal")
            except RunError as error:
                refusal = str(error)
            if not refusal:
                assert torn and len(records) == whole - 1 and place == len(content) - 1
            else:
                assert "damaged: line" in refusal or "another manifest" in refusal


def test_lines_may_not_be_lost_or_come_from_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    lines = written(path).splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2] + lines[3:]))
    with pytest.raises(RunError, match="line 3 is numbered 3: lines are missing"):
        read_journal(path, "seal")
    path.write_bytes(b"".join(lines))
    with pytest.raises(RunError, match="another manifest"):
        read_journal(path, "other")


@given(st.dictionaries(st.text(), st.one_of(st.integers(), st.text(), st.booleans()), max_size=5))
def test_any_record_survives(record: dict[str, object]) -> None:
    line = encode(record)
    assert line.count(b"\n") == 1 and decode(line) == record
