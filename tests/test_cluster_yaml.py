"""cluster.yaml passes Ray's offline validation and our own lint; the lint finds each kind of mistake."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from cluster_lint import P5C8R_MATRIX, lint, pinned_ray

from bcsearch.game import parse_game

Config = dict[str, Any]

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "cluster.yaml").read_text()
RAY_VERSION = pinned_ray((ROOT / "scripts" / "constraints.txt").read_text())


@pytest.fixture
def config() -> Config:
    loaded: Config = json.loads(json.dumps(yaml.safe_load(TEXT)))  # anchors make shared objects; this parts them
    return loaded


def validate(config: Config) -> Config:
    """Ray's own validation, as `ray up` does it before it talks to a cloud."""
    from ray.autoscaler._private.util import prepare_config, validate_config

    prepared: Config = prepare_config(copy.deepcopy(config))
    validate_config(prepared)
    return prepared


def test_ray_accepts_the_file(config: Config) -> None:
    prepared = validate(config)
    assert prepared["head_setup_commands"][: len(config["setup_commands"])] == config["setup_commands"]
    assert not any("ray-wheels" in command for command in prepared["worker_setup_commands"])
    assert prepared["available_node_types"]["head"]["max_workers"] == 0


def test_ray_validation_can_fail(config: Config) -> None:
    import jsonschema

    config["no_such_key"] = 1
    with pytest.raises(jsonschema.ValidationError, match="no_such_key"):
        validate(config)


def test_lint_finds_nothing(config: Config) -> None:
    assert lint(config, RAY_VERSION) == []


def test_the_pin_is_the_installed_ray() -> None:
    import ray

    assert ray.__version__ == RAY_VERSION


def test_matrix_size_is_that_of_the_game() -> None:
    game = parse_game("p5c8r")
    assert len(game.guesses) * len(game.secrets) == P5C8R_MATRIX


def test_mounted_files_are_enough_to_install(config: Config) -> None:
    """Everything mounted from the checkout is there, and includes what pyproject.toml refers to."""
    mounted = {local for local in config["file_mounts"].values() if not local.startswith("~")}
    assert [local for local in mounted if not (ROOT / local).exists()] == []
    assert {"pyproject.toml", "README.md", "bcsearch", "data", "scripts"} <= mounted


def head(config: Config) -> Config:
    found: Config = config["available_node_types"]["head"]
    return found


def worker(config: Config) -> Config:
    found: Config = config["available_node_types"]["worker"]
    return found


def market(config: Config) -> Config:
    found: Config = worker(config)["node_config"]["InstanceMarketOptions"]
    return found


def disk(config: Config) -> Config:
    found: Config = worker(config)["node_config"]["BlockDeviceMappings"][0]["Ebs"]
    return found


def edit(config: Config, key: str, old: str, new: str) -> None:
    """Replace text in a list of commands; the text must be there."""
    assert any(old in command for command in config[key])
    config[key] = [command.replace(old, new) for command in config[key]]


def rename(mapping: Config, old: str, new: str) -> None:
    mapping[new] = mapping.pop(old)


NIGHTLY = ["pip install https://s3-us-west-2.amazonaws.com/ray-wheels/latest/ray-3.0.0.dev0.whl"]
SETUP, START, JOIN = "setup_commands", "head_start_ray_commands", "worker_start_ray_commands"

# Mistake -> (how to make it, what the lint must say).
MISTAKES: dict[str, tuple[Callable[[Config], Any], str]] = {
    "min above max": (
        lambda c: worker(c).update(min_workers=5, max_workers=4),
        "min_workers 5 is more than max_workers 4",
    ),
    "negative min": (lambda c: worker(c).update(min_workers=-1), "min_workers -1 is negative"),
    "max above the ceiling": (lambda c: worker(c).update(max_workers=99), "max_workers 99 is more than the top-level"),
    "no worker possible": (lambda c: worker(c).update(min_workers=0, max_workers=0), "no node type besides the head"),
    "no ceiling": (lambda c: c.pop("max_workers"), "no max_workers"),
    "top-level min_workers": (lambda c: c.update(min_workers=4), "min_workers is dropped"),
    "top-level typo": (
        lambda c: rename(c, "idle_timeout_minutes", "idle_timeout_minute"),
        "idle_timeout_minutes meant?",
    ),
    "provider typo": (
        lambda c: rename(c["provider"], "availability_zone", "availabilty_zone"),
        "availability_zone meant?",
    ),
    "provider without region": (lambda c: c["provider"].pop("region"), "no region"),
    "another provider": (lambda c: c["provider"].update(type="local"), "type 'local'"),
    "node_config typo": (
        lambda c: rename(worker(c)["node_config"], "InstanceType", "InstancType"),
        "InstanceType meant?",
    ),
    "a key Ray overwrites": (lambda c: worker(c)["node_config"].update(SubnetId="subnet-1"), "unknown key SubnetId"),
    "spot typo": (lambda c: rename(market(c), "MarketType", "MarketTyp"), "unknown key MarketTyp"),
    "disk typo": (lambda c: rename(disk(c), "VolumeSize", "Size"), "Ebs: unknown key Size"),
    "no instance type": (lambda c: worker(c)["node_config"].pop("InstanceType"), "no InstanceType"),
    "no image": (lambda c: head(c)["node_config"].pop("ImageId"), "no ImageId"),
    "head works": (lambda c: head(c).update(resources={}), "head node takes work: its resources"),
    "head works a little": (lambda c: head(c).update(resources={"CPU": 1}), "head node takes work: its resources"),
    "head works by command": (
        lambda c: edit(c, START, "--head", "--head --num-cpus=4"),
        "head node takes work: --num-cpus",
    ),
    "head type for workers": (lambda c: head(c).update(max_workers=2), "head node type is used for workers"),
    "no such head": (lambda c: c.update(head_node_type="haed"), "head_node_type names no node type"),
    "no setup commands": (lambda c: c.pop("setup_commands"), "setup_commands not given"),
    "no head setup commands": (lambda c: c.pop("head_setup_commands"), "head_setup_commands not given"),
    "no start commands": (lambda c: c.pop(START), "head_start_ray_commands not given"),
    "nightly ray": (lambda c: c.update(setup_commands=NIGHTLY), "installs a nightly build"),
    "another ray": (lambda c: edit(c, SETUP, f"=={RAY_VERSION}", "==2.9.3"), "ray==2.9.3, but"),
    "a longer version": (
        lambda c: edit(c, SETUP, f"=={RAY_VERSION}", f"=={RAY_VERSION}.1"),
        f"ray=={RAY_VERSION}.1, but",
    ),
    "unpinned ray": (lambda c: edit(c, SETUP, f"=={RAY_VERSION}", ""), "no version of ray is pinned"),
    "no constraints": (
        lambda c: edit(c, SETUP, "constraints.txt", "requirements.txt"),
        "installed with scripts/constraints",
    ),
    "package not installed": (lambda c: edit(c, SETUP, " ~/bcsearch", " ~/other"), "bcsearch is not installed"),
    "small store on head": (
        lambda c: edit(c, START, "=4000000000", "=1000000000"),
        f"{START}: object store of 1000000000",
    ),
    "small store on workers": (
        lambda c: edit(c, JOIN, "=4000000000", " 100000000"),
        f"{JOIN}: object store of 100000000",
    ),
    "no store": (lambda c: edit(c, START, "--object-store-memory=4000000000", ""), "no --object-store-memory"),
    "store above shared memory": (
        lambda c: worker(c)["node_config"].update(InstanceType="c6i.large"),
        "larger than /dev/shm",
    ),
    "container": (lambda c: c.update(docker={"disable_shm_size_detection": True}), "docker: run_options"),
    "usage statistics": (
        lambda c: edit(c, START, "RAY_USAGE_STATS_ENABLED=0", ""),
        "RAY_USAGE_STATS_ENABLED=0 is not set",
    ),
    "token on head only": (lambda c: edit(c, JOIN, "RAY_AUTH_MODE=token", ""), "set on some nodes only"),
    "token not mounted": (lambda c: c["file_mounts"].pop("~/.ray/auth_token"), "does not reach the nodes"),
    "absolute path": (lambda c: c["file_mounts"].update({"~/x": "/home/me/x"}), "/home/me/x, a path of one machine"),
    "absolute key": (
        lambda c: c["auth"].update(ssh_private_key="/home/me/key.pem"),
        "key.pem is a path of one machine",
    ),
}
NOTICED_BY_RAY = {"top-level typo", "no such head"}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_lint_finds(config: Config, mistake: str) -> None:
    make, message = MISTAKES[mistake]
    make(config)
    problems = lint(config, RAY_VERSION)
    assert any(message in problem for problem in problems), problems


@pytest.mark.parametrize("mistake", sorted(MISTAKES.keys() - NOTICED_BY_RAY - {"another provider"}))
def test_ray_does_not_notice(config: Config, mistake: str) -> None:
    """Why there is a lint; a mistake that a newer Ray refuses can leave it."""
    MISTAKES[mistake][0](config)
    validate(config)


def test_a_constraints_file_without_a_pin_is_a_problem(config: Config) -> None:
    assert pinned_ray("raydium==1.0\nnumpy==2.4.6\n# ray==2.60.0\n") is None
    assert "the constraints file pins no version of ray" in lint(config, None)
