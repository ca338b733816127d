"""Dockerfile, compose.yaml and the settings table agree with the program."""

from __future__ import annotations

import ast
import ipaddress
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import yaml

from tests.deploy.compose import ROOT, compose, words
from tests.test_architecture import modules

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE = compose()
SERVICES = COMPOSE["services"]
WAITS = "until pg_isready --dbname $DATABASE_URL; do sleep 1; done"
INTERNAL = {"DJANGO_SETTINGS_MODULE", "CUBLAS_WORKSPACE_CONFIG"}
BY_OTHER_PROGRAMS = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
READERS = re.compile(r"^(env_\w+|os\.environ\.(get|setdefault)|os\.getenv)$")


@cache
def variables() -> list[tuple[str, str]]:
    """Every environment variable that the program reads, and its default as written in the source."""
    found = []
    for room in ("benchmark", "extensions", "workers", "tasks"):
        for path in modules(room):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and node.args and READERS.match(ast.unparse(node.func)):
                    name = node.args[0]
                    if isinstance(name, ast.Constant):
                        found.append((str(name.value), ast.unparse(node.args[1]) if len(node.args) > 1 else ""))
    return found


def table() -> dict[str, str]:
    """Name and default of each row of the settings table."""
    page = (ROOT / "docs" / "running.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`[^|]+) \| ([^|]+) \| [^|]+ \|$", page, re.MULTILINE)
    return {name: default.strip("` ") for names, default in rows for name in re.findall(r"`(\w+)`", names)}


def test_every_setting_is_in_the_table_and_the_table_has_no_other() -> None:
    read = {name for name, _ in variables()} - INTERNAL
    assert read <= set(table())
    assert set(table()) - read <= BY_OTHER_PROGRAMS


def test_numbers_in_the_settings_table_match_the_program() -> None:
    numbers = {name: default.replace("_", "") for name, default in variables() if re.fullmatch(r"[\d_]+", default)}
    assert len(numbers) > 20
    assert {name: table()[name].replace(",", "").replace(" ", "") for name in numbers} == numbers


def test_djangos_deployment_checks_find_nothing(tmp_path: Path) -> None:
    settings = {"BEHIND_TLS": "1", "SECRET_KEY": "0123456789abcdef" * 5, "ALLOWED_HOSTS": "vecboard.example"}
    environment = os.environ | settings | {"VECBOARD_VAR": str(tmp_path)}
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "INFO"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_every_image_runs_as_an_ordinary_user(target: str) -> None:
    stage = re.split(r"^FROM ", DOCKERFILE, flags=re.MULTILINE)
    final = next(text for text in stage if text.startswith(f"packages AS {target}\n"))
    user = re.search(r"^USER (\d+)$", final.rstrip().rpartition("\n")[2])
    assert user is not None, "a number: from it, the runtime can tell that it is not root"
    assert f"--uid {user[1]} " in DOCKERFILE


def test_every_image_has_a_version_and_a_digest() -> None:
    """A tag may move, a digest cannot. One variable per image takes a newer one."""
    stages = re.findall(r"^FROM (\S+) AS (\S+)", DOCKERFILE, re.MULTILINE)
    arguments = dict(re.findall(r"^ARG (\w+)=(\S+)$", DOCKERFILE, re.MULTILINE))
    images = {arguments.get(image.strip("${}"), image) for image, _ in stages} - {name for _, name in stages}
    assert images == {service["build"]["args"]["PYTHON_IMAGE"] for service in SERVICES.values() if "build" in service}
    images |= {service["image"] for service in SERVICES.values() if "build" not in service}
    tests = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8"))
    images.add(tests["jobs"]["postgresql"]["services"]["postgres"]["image"])
    assert len(images) == 5, images
    for image in images:
        assert re.fullmatch(r"[\w/]+:[\w.-]*\d[\w.-]*@sha256:[0-9a-f]{64}", image), image
    page = (ROOT / "docs" / "running.md").read_text(encoding="utf-8")
    for variable in re.findall(r"\w+_IMAGE", (ROOT / "compose.yaml").read_text(encoding="utf-8")):
        assert variable in page
        newer = compose(**{variable: "named"})["services"].values()
        assert any(
            "named" in (service["image"], service.get("build", {}).get("args", {}).get("PYTHON_IMAGE"))
            for service in newer
        )


def test_compose_can_build_the_small_image() -> None:
    services = compose(TORCH_INDEX="https://index.example/cpu")["services"]
    arguments = {name: service["build"]["args"] for name, service in services.items() if "build" in service}
    assert arguments["web"]["TORCH_INDEX"] == "https://index.example/cpu"
    assert "TORCH_INDEX" not in arguments["worker-gpu"]
    assert set().union(*arguments.values()) <= set(re.findall(r"^ARG (\w+)", DOCKERFILE, re.MULTILINE))


def test_a_site_is_prepared_alike_with_and_without_containers() -> None:
    page = (ROOT / "docs" / "running.md").read_text(encoding="utf-8")
    block = next(
        text for text in re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL) if "migrate" in text
    )
    asked = [line.split("#")[0].replace('"', "").strip() for line in block.splitlines()]
    command = words(SERVICES["prepare"]["command"])
    assert command[:2] == ["sh", "-c"]
    assert command[2].split(" && ") == [WAITS, *asked]


@pytest.mark.slow
def test_the_documented_command_builds_the_pages_that_the_site_serves(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "running.md").read_text(encoding="utf-8")
    command = re.search(r"^VECBOARD_HOME=/ python -m mkdocs .*$", page, re.MULTILINE)
    assert command is not None
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = os.environ | {"VECBOARD_VAR": str(tmp_path), "VECBOARD_DOCS": "", "PATH": path}
    served = "python -c 'from benchmark.settings import HAS_DOCS; print(HAS_DOCS)'"
    both = ["sh", "-ec", f"{command[0]}\n{served}"]
    done = subprocess.run(both, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_the_systemd_units_may_write_to_the_programs_folders(tmp_path: Path) -> None:
    unit = (ROOT / "deploy" / "worker.service").read_text(encoding="utf-8")
    settings = dict(line.split("=", 1) for line in unit.splitlines() if "=" in line and not line.startswith("#"))
    name, var = settings["Environment"].split("=", 1)
    assert (name, settings["ReadWritePaths"]) == ("VECBOARD_VAR", var)
    assert Path("/var/lib", settings["StateDirectory"]) == Path(var)
    code = (
        "from benchmark import settings as s; from tasks.datasets.store import DataStore\n"
        "print(s.STORAGE_ROOT, s.DATABASES['default']['NAME'], DataStore.default().data_dir, sep='\\n')"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("VECBOARD_")}
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, cwd=ROOT, env=environment | {"VECBOARD_VAR": str(tmp_path)}, capture_output=True, text=True, check=True
    )
    assert all(Path(place).is_relative_to(tmp_path) for place in done.stdout.split())


def test_compose_passes_only_settings_that_exist() -> None:
    passed = set(COMPOSE["x-vecboard"]["environment"])
    assert passed <= set(table())


def test_every_setting_reaches_the_containers_of_compose() -> None:
    """Settings not named there come from a file, which is neither committed nor copied into an image."""
    assert COMPOSE["x-vecboard"]["env_file"] == [{"path": ".env", "required": False}]
    for service in ("prepare", "data", "web", "worker-cpu", "worker-checks", "worker-gpu", "beat"):
        assert "env_file" in SERVICES[service], service
    for ignored in (".gitignore", ".dockerignore"):
        assert ".env" in (ROOT / ignored).read_text(encoding="utf-8").splitlines()


def test_only_the_proxy_is_published_to_everyone() -> None:
    """Forwarded headers count only from the proxy, which has its own address."""
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert published.pop("proxy") == ["80:80", "443:443"]
    assert published == {"web": ["127.0.0.1:8000:8000"], "minio": ["127.0.0.1:9000:9000"]}
    proxy = SERVICES["proxy"]["networks"]["default"]["ipv4_address"]
    assert COMPOSE["x-vecboard"]["environment"]["VECBOARD_PROXY_ADDRESSES"] == proxy
    subnet = COMPOSE["networks"]["default"]["ipam"]["config"][0]["subnet"]
    assert ipaddress.ip_address(proxy) in ipaddress.ip_network(subnet)


def test_the_health_check_uses_the_port_of_the_web_process() -> None:
    """``.env`` sets this machine's PORT and also reaches the containers, where ``environment`` overrides it."""
    inside = COMPOSE["x-vecboard"]["environment"]["PORT"]
    assert re.search(r"--bind \S+:(\d+)", SERVICES["web"]["command"])[1] == inside  # type: ignore[index]
    assert "os.environ['PORT']" in DOCKERFILE
