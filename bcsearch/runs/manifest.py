"""What a run is: the file ``manifest.json``, written once when the run directory is made.

It names everything that shapes the result. A run is continued only by a bcsearch that would write the same: the field
that differs is named. Where and how it is carried out (executor, workers) may change from one session to the next.
"""

from __future__ import annotations

import hashlib
import json
import platform
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import bcsearch
from bcsearch.errors import RunError, UsageError
from bcsearch.files import replacing
from bcsearch.game import Game, game_of
from bcsearch.optimal.options import Objective

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMAT, VERSION = "bcsearch-run", 1
NAME = "manifest.json"
_SHAPES = ("format", "version", "bcsearch", "game", "strategies", "objective", "split", "scoring")
_SAMPLE = 64  # guesses whose replies go into the scoring hash


@dataclass(frozen=True)
class Job:
    """What is to be built: one tree for each strategy, and where the files go."""

    game: Game
    strategies: tuple[str, ...]
    objective: Objective
    files: dict[str, Path]

    @property
    def label(self) -> str:
        """Name for the run: the file of its only tree, without the ending, or the game's label and "batch"."""
        if len(self.strategies) > 1:
            return f"{self.game.label}-batch"
        return self.files[self.strategies[0]].stem


def manifest_of(job: Job, how: dict[str, Any]) -> dict[str, Any]:
    """The manifest that this bcsearch writes for a job; `how` is what the user said of executor and workers."""
    return {**shape(job), "files": {k: str(v.resolve()) for k, v in job.files.items()}, "how": how,
            "made with": _versions()}  # fmt: skip


def shape(job: Job) -> dict[str, Any]:
    """The part of a manifest that shapes the result."""
    from bcsearch import build
    from bcsearch.optimal import proof, run

    return {
        "format": FORMAT,
        "version": VERSION,
        "bcsearch": bcsearch.__version__,
        "game": job.game.definition,
        "strategies": list(job.strategies),
        "objective": asdict(job.objective),
        "split": {
            "greedy items": build.ITEMS,
            "smallest greedy item": build.SMALLEST_ITEM,
            "small set": proof.SMALL,
            "work of an item": run.ITEM_WORK,
        },
        "scoring": scoring_hash(job.game),
    }


def scoring_hash(game: Game) -> str:
    """SHA-256 over the codes, the replies, and the replies of some guesses to all secrets."""
    from bcsearch.assist import reply_row

    digest = hashlib.sha256(json.dumps([game.definition, game.replies]).encode())
    for codes in (game.guesses, game.secrets):
        digest.update(np.ascontiguousarray(codes).data)
    everyone: NDArray[np.int32] = np.arange(len(game.secrets), dtype=np.int32)
    for guess in np.unique(np.linspace(0, len(game.guesses) - 1, _SAMPLE).astype(int)):
        digest.update(reply_row(game, int(guess), everyone).astype("<i8").data)
    return digest.hexdigest()


def write_manifest(folder: Path, manifest: dict[str, Any]) -> str:
    """Write the file; returns its seal, which names the run."""
    seal = _seal(manifest)
    with replacing(folder / NAME) as sink:
        sink.write(json.dumps({**manifest, "seal": seal}, indent=2).encode() + b"\n")
    return seal


def read_manifest(folder: Path) -> tuple[dict[str, Any], str]:
    """The manifest of a run directory, and its seal.

    Raises
    ------
    RunError
        Where there is none, or it is damaged.
    """
    path = folder / NAME
    try:
        manifest = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise RunError(f"{folder}: not a run directory (no {NAME} in it)") from error
    except OSError as error:
        raise RunError(f"{path}: cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path}: damaged: no JSON document") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise RunError(f"{path}: damaged, or not the manifest of a run")
    seal = manifest.pop("seal", None)
    if seal != _seal(manifest):
        raise RunError(f"{path}: damaged: its content does not match its seal")
    return manifest, str(seal)


def job_of(folder: Path, manifest: dict[str, Any]) -> Job:
    """The job of a manifest, after checking that this bcsearch would do it in the same way.

    Raises
    ------
    RunError
        Naming the field that differs.
    """
    if manifest["version"] != VERSION:
        raise RunError(f"{folder}: run format version {manifest['version']}; this bcsearch knows version {VERSION}")
    if manifest["bcsearch"] != bcsearch.__version__:
        raise RunError(f"{folder}: bcsearch: the run was made by version {manifest['bcsearch']}, this is "
                       f"{bcsearch.__version__}; continue it with the version that made it")  # fmt: skip
    try:
        job = Job(
            game_of(manifest["game"]),
            tuple(manifest["strategies"]),
            Objective(**manifest["objective"]),
            {name: Path(file) for name, file in manifest["files"].items()},
        )
    except (KeyError, TypeError, UsageError) as error:
        raise RunError(f"{folder / NAME}: {error}") from error
    here = shape(job)
    for name in _SHAPES:
        if here[name] != manifest.get(name):
            raise RunError(f"{folder}: {name}: the run was made with {_short(manifest.get(name))}, here it is "
                           f"{_short(here[name])}")  # fmt: skip
    return job


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 70 else text[:67] + "..."


def _seal(manifest: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for package in ("numpy", "numba", "pyarrow", "ray"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
