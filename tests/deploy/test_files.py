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
from django.urls import reverse

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
INTERNAL = {"DJANGO_SETTINGS_MODULE", "CUBLAS_WORKSPACE_CONFIG"}
BY_OTHER_PROGRAMS = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
READERS = re.compile(r"^(env_\w+|_positive|os\.environ\.(get|setdefault)|os\.getenv)$")


@cache
def variables() -> list[tuple[str, str]]:
    """Every environment variable that the program reads, and its default as written in the source."""
    found = []
    for room in ("benchmark", "workers", "tasks"):
        for path in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and node.args and READERS.match(ast.unparse(node.func)):
                    name = node.args[0]
                    if isinstance(name, ast.Constant):
                        found.append((str(name.value), ast.unparse(node.args[1]) if len(node.args) > 1 else ""))
    return found


def table() -> dict[str, str]:
    """Name and default of each row of the settings table."""
    page = (ROOT / "docs" / "running.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`[^|]+) \| [^|]+ \| ([^|]+) \|", page, re.MULTILINE)
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


def default_of(text: str) -> str:
    """Values in compose.yaml without any variable set."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text)


@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_every_image_runs_as_an_ordinary_user(target: str) -> None:
    stage = re.split(r"^FROM ", DOCKERFILE, flags=re.MULTILINE)
    final = next(text for text in stage if text.startswith(f"site AS {target}\n"))
    user = re.search(r"^USER (\d+)$", final.rstrip().rpartition("\n")[2])
    assert user is not None, "a number: from it, the runtime can tell that it is not root"
    assert f"--uid {user[1]} " in DOCKERFILE


def test_every_image_has_a_version() -> None:
    stages = re.findall(r"^FROM (\S+) AS (\S+)", DOCKERFILE, re.MULTILINE)
    known = {name for _, name in stages}
    arguments = dict(re.findall(r"^ARG (\w+)=(\S+)$", DOCKERFILE, re.MULTILINE))
    images = {arguments.get(image.strip("${}"), image) for image, _ in stages} - known
    images |= {default_of(str(service["image"])) for service in COMPOSE["services"].values()}
    assert all(":" in image and not image.endswith(":latest") for image in images), images


def test_the_dockerfile_keeps_to_hadolints_rules() -> None:
    """Rules that can be checked in the text: absolute WORKDIR, JSON for CMD, no ADD, sudo, cd or pipe without pipefail,
    and packages by a file that pins them."""
    assert re.findall(r"^WORKDIR (?!/)", DOCKERFILE, re.MULTILINE) == []
    assert re.findall(r"^\s*CMD (?!\[)", DOCKERFILE, re.MULTILINE) == []
    runs = re.findall(r"^RUN (.*)", DOCKERFILE.replace("\\\n", " "), re.MULTILINE)
    assert any("&&" in run for run in runs), "commands that continue on the next line are checked too"
    assert not any(re.search(r"\bsudo\b|\bcd\b| \| ", run) for run in runs)
    for run in (run for run in runs if "apt-get" in run):  # its packages have versions
        assert re.search(r"apt-get install --yes --no-install-recommends \"\S+=\S+\" && ", run)
        assert run.rstrip().endswith("rm -rf /var/lib/apt/lists/*")
    assert "ADD " not in DOCKERFILE
    assert "PIP_NO_CACHE_DIR=1" in DOCKERFILE
    installs = [step for run in runs for step in re.split(r"&&", run) if "pip install" in step]
    assert len(installs) == 4
    assert all(re.search(r" -r [\w-]+\.txt\s*$", step) for step in installs), installs


def test_a_site_is_prepared_alike_with_and_without_containers() -> None:
    page = (ROOT / "docs" / "running.md").read_text(encoding="utf-8")
    block = next(
        text for text in re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL) if "migrate" in text
    )
    asked = [line.split("#")[0].replace('"', "").strip() for line in block.splitlines()]
    command = re.search(r'sh -c "(.*)"', COMPOSE["services"]["prepare"]["command"].replace("$$", "$"))
    assert command is not None
    assert command[1].split(" && ") == asked


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
        assert "env_file" in COMPOSE["services"][service], service
    for ignored in (".gitignore", ".dockerignore"):
        assert ".env" in (ROOT / ignored).read_text(encoding="utf-8").splitlines()


def test_every_image_can_be_pinned_by_digest() -> None:
    """One variable per image: a tag may move, a digest cannot."""
    images = [str(service["image"]) for service in COMPOSE["services"].values()]
    assert all(re.fullmatch(r"\$\{\w+_IMAGE:-[^}]+\}|vecboard:(cpu|cuda)", image) for image in images), images
    assert re.findall(r"^FROM (?!\w+ )(\S+)", DOCKERFILE, re.MULTILINE) == ["${PYTHON_IMAGE}"]
    page = (ROOT / "docs" / "running.md").read_text(encoding="utf-8")
    for variable in {found for image in images for found in re.findall(r"\w+_IMAGE", image)} | {"PYTHON_IMAGE"}:
        assert f"{variable}" in page


def test_the_plain_port_is_published_on_this_machine_only() -> None:
    """Forwarded headers count only from the proxy, which has its own address."""
    services = COMPOSE["services"]
    assert [default_of(port) for port in services["web"]["ports"]] == ["127.0.0.1:8000:8000"]
    assert not any("ports" in services[name] for name in ("postgres", "redis"))
    proxy = default_of(services["proxy"]["networks"]["default"]["ipv4_address"])
    assert default_of(COMPOSE["x-vecboard"]["environment"]["VECBOARD_PROXY_ADDRESSES"]) == proxy
    subnet = default_of(COMPOSE["networks"]["default"]["ipam"]["config"][0]["subnet"])
    assert ipaddress.ip_address(proxy) in ipaddress.ip_network(subnet)


def test_the_health_check_uses_the_port_of_the_web_process() -> None:
    """``.env`` sets this machine's PORT and also reaches the containers, where ``environment`` overrides it."""
    inside = COMPOSE["x-vecboard"]["environment"]["PORT"]
    assert re.search(r"--bind \S+:(\d+)", COMPOSE["services"]["web"]["command"])[1] == inside  # type: ignore[index]
    assert "os.environ['PORT']" in DOCKERFILE


def test_logs_of_the_proxies_have_no_secrets() -> None:
    nginx = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")
    formats = re.findall(r"log_format (\w+) (.*?);", nginx, re.DOTALL)
    assert [name for name, _ in formats] == ["vecboard"]
    logged = set(re.findall(r"\$(\w+)", formats[0][1]))
    assert logged.isdisjoint({"request", "request_uri", "uri", "http_referer", "http_cookie", "args", "query_string"})
    assert set(re.findall(r"access_log \S+ (\w+);", nginx)) == {"vecboard"}
    assert nginx.count("access_log ") == len(re.findall(r"^server ", nginx, re.MULTILINE))
    pattern = re.search(r'"~(\^.*?)" "\$before-\$after"', nginx)
    assert pattern is not None
    hides = re.compile(pattern[1].replace("(?<", "(?P<"))
    for address in ("/s/abc/owner/SECRET", "/people/abc/owner/SECRET?x=1", "/account/password/reset/key/SECRET/"):
        assert "SECRET" not in hides.sub(r"\g<before>-\g<after>", address)
    caddy = (ROOT / "deploy" / "Caddyfile").read_text(encoding="utf-8")
    assert re.search(r"^\s*log\b", caddy, re.MULTILINE) is None, "without this directive Caddy logs no requests"


def test_nginx_passes_uploads_and_downloads() -> None:
    """It passes on complete pieces, does not buffer whole files, and limits every other body."""
    nginx = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")
    places = re.findall(r"location ~ (\S+) \{(.*?)\}", nginx, re.DOTALL)
    of_pieces, of_files = places
    for address in (reverse("submissions:upload", args=["abcdefghijkl"]), "/api/v1/uploads/abcdefghijkl"):
        assert re.match(of_pieces[0], address)
    assert "proxy_request_buffering" not in of_pieces[1]
    for address in (reverse("submissions:submit"), "/api/v1/submissions"):
        assert re.match(of_files[0], address)
    assert "proxy_request_buffering off" in of_files[1]
    assert nginx.count("proxy_request_buffering off") == 1
    for bound in ("limit_conn vecboard_addresses", "client_header_timeout", "client_body_timeout", "send_timeout"):
        assert f"    {bound} " in nginx
