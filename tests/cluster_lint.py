"""What Ray's own validation of a cluster launcher file lets pass: `lint` finds it. AWS provider only.

Ray merges a file with its defaults and checks the outcome against a schema that leaves most of it open. So a misspelt
key is silently ignored or reaches the cloud as it is, and a key left out silently means Ray's default.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator
from typing import Any

P5C8R_MATRIX = (8**5) ** 2  # bytes: one per guess and secret

TOP_KEYS = {
    "cluster_name", "max_workers", "upscaling_speed", "idle_timeout_minutes", "provider", "auth", "docker",
    "head_node_type", "available_node_types", "file_mounts", "cluster_synced_files", "file_mounts_sync_continuously",
    "rsync_exclude", "rsync_filter", "metadata", "initialization_commands", "setup_commands", "head_setup_commands",
    "worker_setup_commands", "head_start_ray_commands", "worker_start_ray_commands",
}  # fmt: skip
PROVIDER_KEYS = {
    "type", "region", "availability_zone", "cache_stopped_nodes", "use_internal_ips", "use_external_head_ip",
    "security_group", "key_pair", "cloudwatch", "aws_credentials",
}  # fmt: skip
# Parameters of EC2's RunInstances, less those that Ray sets itself (MinCount, MaxCount, SubnetId), and SubnetIds.
NODE_CONFIG_KEYS = {
    "AdditionalInfo", "BlockDeviceMappings", "CapacityReservationSpecification", "CpuOptions", "CreditSpecification",
    "DisableApiStop", "DisableApiTermination", "EbsOptimized", "EnclaveOptions", "HibernationOptions",
    "IamInstanceProfile", "ImageId", "InstanceInitiatedShutdownBehavior", "InstanceMarketOptions", "InstanceType",
    "KeyName", "LaunchTemplate", "LicenseSpecifications", "MaintenanceOptions", "MetadataOptions", "Monitoring",
    "NetworkInterfaces", "NetworkPerformanceOptions", "Placement", "PrivateDnsNameOptions", "SecurityGroupIds",
    "SubnetIds", "TagSpecifications", "UserData",
}  # fmt: skip
NESTED_KEYS = {
    "BlockDeviceMappings": {"DeviceName", "VirtualName", "NoDevice", "Ebs"},
    "Ebs": {"DeleteOnTermination", "Encrypted", "Iops", "KmsKeyId", "SnapshotId", "Throughput", "VolumeSize",
            "VolumeType"},
    "InstanceMarketOptions": {"MarketType", "SpotOptions"},
    "SpotOptions": {"MaxPrice", "SpotInstanceType", "BlockDurationMinutes", "ValidUntil",
                    "InstanceInterruptionBehavior"},
}  # fmt: skip
COMMAND_LISTS = ("setup_commands", "head_setup_commands", "head_start_ray_commands", "worker_start_ray_commands")


def pinned_ray(constraints: str) -> str | None:
    """The version in the line ``ray==VERSION`` of a pip constraints file, or None."""
    found = re.search(r"^ray==(\S+)", constraints, re.MULTILINE)
    return found[1] if found else None


def lint(config: dict[str, Any], ray_version: str | None) -> list[str]:
    """Problems of a launcher file as loaded from YAML, not yet merged with Ray's defaults; empty when there are none.

    Parameters
    ----------
    ray_version
        The version every node must install, from `pinned_ray`.
    """
    return [
        *_keys(config),
        *_workers(config),
        *_head_is_idle(config),
        *_setup(config, ray_version),
        *_start(config),
        *_paths(config),
    ]


def _unknown(where: str, keys: Collection[str], allowed: Collection[str]) -> Iterator[str]:
    for key in keys:
        if key not in allowed:
            near = difflib.get_close_matches(key, allowed, n=1)
            yield f"{where}: unknown key {key}" + (f" (is {near[0]} meant?)" if near else "")


def _keys(config: dict[str, Any]) -> Iterator[str]:
    if "min_workers" in config:
        yield "top level: min_workers is dropped by Ray; say it per node type"
    yield from _unknown("top level", config.keys() - {"min_workers"}, TOP_KEYS)
    provider = config.get("provider", {})
    if provider.get("type") != "aws":
        yield f"provider: type {provider.get('type')!r}; this lint knows aws only"
    if "region" not in provider:
        yield "provider: no region"
    yield from _unknown("provider", provider, PROVIDER_KEYS)
    for name, node in config.get("available_node_types", {}).items():
        yield from _node_config_keys(name, node.get("node_config", {}))


def _node_config_keys(name: str, node_config: dict[str, Any]) -> Iterator[str]:
    yield from _unknown(f"{name}: node_config", node_config, NODE_CONFIG_KEYS)
    for key in ("InstanceType", "ImageId"):
        if key not in node_config:
            yield f"{name}: node_config: no {key}, so Ray's default is taken"
    stack = list(node_config.items())
    while stack:
        key, value = stack.pop()
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict) and key in NESTED_KEYS:
                yield from _unknown(f"{name}: {key}", item, NESTED_KEYS[key])
                stack.extend(item.items())


def _workers(config: dict[str, Any]) -> Iterator[str]:
    ceiling = config.get("max_workers")
    if ceiling is None:
        yield "top level: no max_workers, so Ray's default of 2 is taken"
    head = config.get("head_node_type")
    workers = 0
    for name, node in config.get("available_node_types", {}).items():
        fewest = node.get("min_workers", 0)
        most = node.get("max_workers", 0 if name == head else ceiling or 0)
        if fewest < 0:
            yield f"{name}: min_workers {fewest} is negative"
        if fewest > most:
            yield f"{name}: min_workers {fewest} is more than max_workers {most}"
        if ceiling is not None and most > ceiling:
            yield f"{name}: max_workers {most} is more than the top-level {ceiling}, which wins"
        workers += most if name != head else 0
    if workers == 0:
        yield "no node type besides the head can have a worker"


def _head_is_idle(config: dict[str, Any]) -> Iterator[str]:
    node = config.get("available_node_types", {}).get(config.get("head_node_type"))
    if node is None:
        yield "head_node_type names no node type"
        return
    if node.get("resources", {}).get("CPU") != 0:
        yield "head node takes work: its resources do not say CPU: 0"
    if node.get("max_workers", 0) > 0:
        yield "head node type is used for workers too: its max_workers is not 0"
    for command in config.get("head_start_ray_commands", []):
        if re.search(r"--num-cpus[= ](?!0\b)", command):
            yield "head node takes work: --num-cpus in head_start_ray_commands"


def _setup(config: dict[str, Any], ray_version: str | None) -> Iterator[str]:
    for name in COMMAND_LISTS:
        if not config.get(name):
            yield f"{name} not given, so Ray's default is taken"
    commands = config.get("setup_commands") or []
    if any("ray-wheels" in command for command in commands):
        yield "setup_commands: Ray's default, which installs a nightly build"
    if not any("constraints.txt" in command for command in commands):
        yield "setup_commands: nothing is installed with scripts/constraints.txt"
    if not any(re.search(r"pip install .*~/bcsearch(\s|$)", command) for command in commands):
        yield "setup_commands: bcsearch is not installed from ~/bcsearch"
    if ray_version is None:
        yield "the constraints file pins no version of ray"
    pins = [pin for command in commands for pin in re.findall(r"\bray(?:\[[\w,-]*\])?==([\w.]+)", command)]
    if not pins:
        yield "setup_commands: no version of ray is pinned"
    for pin in pins:
        if ray_version is not None and pin != ray_version:
            yield f"setup_commands: ray=={pin}, but the constraints file pins {ray_version}"


def _start(config: dict[str, Any]) -> Iterator[str]:
    tokens = set()
    for kind in ("head", "worker"):
        name = f"{kind}_start_ray_commands"
        starts = [command for command in config.get(name) or [] if "ray start" in command]
        if len(starts) != 1:
            yield f"{name}: one `ray start` is wanted, there are {len(starts)}"
            continue
        command = starts[0]
        tokens.add("RAY_AUTH_MODE=token" in command)
        if "RAY_USAGE_STATS_ENABLED=0" not in command:
            yield f"{name}: RAY_USAGE_STATS_ENABLED=0 is not set"
        yield from _object_store(name, command, _shared_memory(config, kind))
    if len(tokens) > 1:
        yield "RAY_AUTH_MODE=token is set on some nodes only: the others cannot join"
    if True in tokens and "~/.ray/auth_token" not in config.get("file_mounts", {}):
        yield "file_mounts: RAY_AUTH_MODE=token, but ~/.ray/auth_token does not reach the nodes"
    docker = config.get("docker", {})
    if docker.get("disable_shm_size_detection") and "--shm-size" not in " ".join(docker.get("run_options", [])):
        yield "docker: run_options do not say --shm-size, so shared memory is 64 MB"


def _object_store(name: str, command: str, shared_memory: int | None) -> Iterator[str]:
    found = re.search(r"--object-store-memory[= ](\d+)", command)
    if not found:
        yield f"{name}: no --object-store-memory, so its size is left to chance"
        return
    size = int(found[1])
    if size < P5C8R_MATRIX:
        yield f"{name}: object store of {size} bytes is smaller than the matrix of p5c8r ({P5C8R_MATRIX})"
    if shared_memory is not None and size > shared_memory:
        yield f"{name}: object store of {size} bytes is larger than /dev/shm ({shared_memory})"


def _shared_memory(config: dict[str, Any], kind: str) -> int | None:
    """Half of the smallest instance's memory, in bytes; None where a type is not of the c, m or r families."""
    types = config.get("available_node_types", {})
    head = config.get("head_node_type")
    memory = []
    for name, node in types.items():
        if (name == head) == (kind == "head"):
            instance = str(node.get("node_config", {}).get("InstanceType", ""))
            found = re.fullmatch(r"([cmr])[5-8]\w*\.(?:(large)|(\d*)xlarge)", instance)
            if not found:
                return None
            cpus = 2 if found[2] else 4 * int(found[3] or 1)
            memory.append(cpus * {"c": 2, "m": 4, "r": 8}[found[1]])
    return min(memory) * 2**30 // 2 if memory else None


def _paths(config: dict[str, Any]) -> Iterator[str]:
    for remote, local in config.get("file_mounts", {}).items():
        if local.startswith("/"):
            yield f"file_mounts: {remote} comes from {local}, a path of one machine"
    key = config.get("auth", {}).get("ssh_private_key", "")
    if key.startswith("/"):
        yield f"auth: ssh_private_key {key} is a path of one machine"
