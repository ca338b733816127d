"""The proxies in front of the web service: what they pass on, log and limit, and that they hide a restart."""

from __future__ import annotations

import re
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.urls import reverse

from benchmark.operations import gate
from tests.deploy.compose import ROOT
from tests.servers import Server, eventually, free_port
from tests.workers.running_site import ONE_EACH, Site

NGINX = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")
CADDY = (ROOT / "deploy" / "Caddyfile").read_text(encoding="utf-8")
BEHIND = {"BEHIND_TLS": "1", "VECBOARD_PROXIES": "1"} | ONE_EACH


class Nginx(Server):
    """nginx with deploy/nginx.conf: only addresses, certificates and the place of the log are others."""

    def __init__(self, *upstream: int) -> None:
        if shutil.which("nginx") is None:
            pytest.skip("nginx is not installed (Debian: apt install nginx-light)")
        super().__init__("nginx")
        key, certificate = self.directory / "key.pem", self.directory / "certificate.pem"
        subject = ("-subj", "/CN=localhost", "-days", "2", "-keyout", str(key), "-out", str(certificate))
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *subject], check=True, capture_output=True
        )
        site = NGINX
        for written, here in (
            ("listen 443 ", f"listen 127.0.0.1:{self.port} "),
            ("listen 80;", f"listen 127.0.0.1:{free_port()};"),
            ("/etc/letsencrypt/live/vecboard.example/fullchain.pem", str(certificate)),
            ("/etc/letsencrypt/live/vecboard.example/privkey.pem", str(key)),
            ("/var/log/nginx/vecboard.log", str(self.directory / "access.log")),
            *((f"127.0.0.1:{8000 + number} ", f"127.0.0.1:{port} ") for number, port in enumerate(upstream)),
        ):
            assert written in site
            site = site.replace(written, here)
        (self.directory / "site.conf").write_text(site)
        (self.directory / "nginx.conf").write_text(
            f"daemon off; pid {self.directory}/pid; user root;\nevents {{}}\n"
            f"http {{ client_body_temp_path {self.directory}/body; include site.conf; }}\n"
        )

    def command(self) -> list[str]:
        return ["nginx", "-e", "stderr", "-c", str(self.directory / "nginx.conf")]

    @property
    def url(self) -> str:
        return f"https://localhost:{self.port}"


class Caddy(Server):
    """Caddy with deploy/Caddyfile: only the address of the web service is another."""

    def __init__(self, upstream: int) -> None:
        if shutil.which("caddy") is None:
            pytest.skip("Caddy is not installed (Debian: apt install caddy)")
        super().__init__("caddy")
        written = CADDY.replace("{$SITE_URL}", self.url).replace("web:8000", f"127.0.0.1:{upstream}")
        assert "web:" not in written
        (self.directory / "Caddyfile").write_text(written.replace("{\n", "{\n\tadmin off\n", 1))

    def command(self) -> list[str]:
        return ["env", f"HOME={self.directory}", "caddy", "run", "--config", "Caddyfile"]

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"


def test_debians_nginx_loads_the_configuration() -> None:
    server = Nginx()
    done = subprocess.run([*server.command(), "-t"], capture_output=True, text=True, check=False)
    shutil.rmtree(server.directory)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    site = Site(tmp_path_factory.mktemp("site"), **BEHIND)
    site.start_web()
    yield site
    site.kill_all()


def visitor(server: Any) -> httpx.Client:
    return httpx.Client(base_url=server.url, verify=False, timeout=60)


@pytest.mark.slow
def test_a_form_is_accepted_through_nginx_on_another_port(site: Site) -> None:
    with Nginx(site.port) as server, visitor(server) as browser:
        page = browser.get("/account/login/").text
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        assert token is not None, page[:2000]
        form = {"csrfmiddlewaretoken": token[1], "login": "eve@vectors.example", "password": "none"}
        answer = browser.post("/account/login/", data=form, headers={"Origin": server.url})
    assert "The address or the password is wrong." in answer.text


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(gate.TEXTS))
def test_nginx_leaves_the_limit_of_texts_to_the_site(site: Site, path: str) -> None:
    """The answer to a file of 25 MB is the site's, which says what it takes."""
    with Nginx(site.port) as server, visitor(server) as browser:
        answer = browser.post(path, files={"file": ("texts.txt", b"a b c\n" * 4_200_000)})
    assert "<center>nginx" not in answer.text
    assert answer.headers["X-Request-ID"]


class Visits:
    """The status of a page, asked for again and again by another thread."""

    def __init__(self, server: Any) -> None:
        self.server, self.over = server, threading.Event()
        self.seen: list[int] = []
        self.thread = threading.Thread(target=self._visit)

    def _visit(self) -> None:
        while not self.over.is_set():
            with visitor(self.server) as browser:
                self.seen.append(browser.get("/").status_code)
            time.sleep(0.05)

    def __enter__(self) -> Visits:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()


def answers(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/healthz").status_code == 200
    except httpx.HTTPError:
        return False


def stop(site: Site, name: str) -> None:
    process = site.processes.pop(name)
    process.terminate()
    process.wait(60)


@pytest.mark.slow
def test_the_second_web_service_serves_while_the_first_one_restarts(site: Site) -> None:
    second = free_port()
    with Nginx(site.port, second) as server, Visits(server) as visits:
        site.start("second", "manage", "serve", "--bind", f"127.0.0.1:{second}")
        eventually(lambda: answers(second), 120)
        stop(site, "web")
        site.start_web()
        eventually(lambda: answers(site.port), 120)
        stop(site, "second")
    assert len(visits.seen) > 20
    assert set(visits.seen) == {200}


@pytest.mark.slow
def test_caddy_keeps_requests_until_the_restarted_web_service_answers(tmp_path: Path) -> None:
    site = Site(tmp_path / "site", VECBOARD_PROXIES="1", **ONE_EACH)
    site.start_web()
    eventually(lambda: answers(site.port), 120)
    try:
        with Caddy(site.port) as server, Visits(server) as visits:
            eventually(lambda: len(visits.seen) > 3)
            stop(site, "web")
            site.start_web()
            eventually(lambda: answers(site.port), 120)
        assert set(visits.seen) == {200}
    finally:
        site.kill_all()


def test_logs_of_the_proxies_have_no_secrets() -> None:
    formats = re.findall(r"log_format (\w+) (.*?);", NGINX, re.DOTALL)
    assert [name for name, _ in formats] == ["vecboard"]
    logged = set(re.findall(r"\$(\w+)", formats[0][1]))
    assert logged.isdisjoint({"request", "request_uri", "uri", "http_referer", "http_cookie", "args", "query_string"})
    assert set(re.findall(r"access_log \S+ (\w+);", NGINX)) == {"vecboard"}
    assert NGINX.count("access_log ") == len(re.findall(r"^server ", NGINX, re.MULTILINE))
    pattern = re.search(r'"~(\^.*?)" "\$before-\$after"', NGINX)
    assert pattern is not None
    hides = re.compile(pattern[1].replace("(?<", "(?P<"))
    for address in ("/s/abc/owner/SECRET", "/people/abc/owner/SECRET?x=1", "/account/password/reset/key/SECRET/"):
        assert "SECRET" not in hides.sub(r"\g<before>-\g<after>", address)
    assert re.search(r"^\s*log\b", CADDY, re.MULTILINE) is None, "without this directive Caddy logs no requests"


def test_nginx_passes_uploads_and_downloads() -> None:
    """It passes on complete pieces, does not buffer whole files, and limits every other body."""
    places = re.findall(r"location ~ (\S+) \{(.*?)\}", NGINX, re.DOTALL)
    of_pieces, of_files = places
    for address in (reverse("submissions:upload", args=["abcdefghijkl"]), "/api/v1/uploads/abcdefghijkl"):
        assert re.match(of_pieces[0], address)
    assert "proxy_request_buffering" not in of_pieces[1]
    for address in ("/submit", "/api/v1/submissions", *gate.TEXTS):
        assert re.match(of_files[0], address)
    for address in ("/submitted", "/api/v1/own/abc", "/own/abc", "/owner", "/mine"):
        assert not re.match(of_files[0], address)
    assert "proxy_request_buffering off" in of_files[1]
    assert NGINX.count("proxy_request_buffering off") == 1
    for bound in ("limit_conn vecboard_addresses", "client_header_timeout", "client_body_timeout", "send_timeout"):
        assert f"    {bound} " in NGINX
