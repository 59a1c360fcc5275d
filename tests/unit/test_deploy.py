"""The files of deploy/ say what is so: their paths exist, their commands are the program's, and they give nothing away.

`python -m tests.unit.test_deploy >deploy/env.example` writes the settings' file anew.
"""

from __future__ import annotations

import configparser
import json
import re
import shlex
import subprocess
import textwrap
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from pydantic.fields import FieldInfo
from typer.main import get_command

from bot.cli import cli
from bot.config import PREFIX, Settings

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
ENV_HEAD = """\
# Every setting of Paperround, with its default. Take the # off a line to change it.
# Containers read this file as deploy/.env, the systemd unit as /etc/paperround/env.

# For containers only: the password of the database that compose.yaml runs. It has no default.
#POSTGRES_PASSWORD=
"""


def env_example() -> str:
    """Return what deploy/env.example has to say."""
    return ENV_HEAD + "".join(_setting(name, field) for name, field in Settings.model_fields.items())


def _setting(name: str, field: FieldInfo) -> str:
    comment = textwrap.fill(field.description or "", 100, initial_indent="# ", subsequent_indent="# ")
    default = "" if field.default_factory else field.default  # a factory's value is this machine's
    default = {True: "yes", False: "no"}.get(default, default) if isinstance(default, bool) else default
    return f"\n{comment}\n#{PREFIX}{name.upper()}={default}\n"


@cache
def verbs() -> set[str]:
    """Return the verbs of the program."""
    return set(get_command(cli).commands)  # type: ignore[attr-defined]


def test_the_verbs_are_found() -> None:
    assert {"import", "run", "demo", "status"} <= verbs()


class TestSettings:
    def test_the_example_names_every_setting_with_its_default(self) -> None:
        assert (DEPLOY / "env.example").read_text() == env_example(), (
            "write it anew: python -m tests.unit.test_deploy >deploy/env.example"
        )

    def test_the_example_sets_nothing_as_it_stands(self) -> None:
        assert all(not line or line.startswith("#") for line in env_example().splitlines())

    def test_every_setting_is_described(self) -> None:
        assert [name for name, field in Settings.model_fields.items() if not field.description] == []


class Instruction(NamedTuple):
    """One instruction of a Dockerfile."""

    stage: int
    name: str
    flags: dict[str, str]
    rest: str

    @property
    def words(self) -> list[str]:
        """What follows the flags: a JSON list or words."""
        return list(map(str, json.loads(self.rest))) if self.rest.startswith("[") else shlex.split(self.rest)


def parse_dockerfile(text: str) -> list[Instruction]:
    """Read a Dockerfile into its instructions; stages count from 0."""
    body = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    stage, found = -1, []
    for line in re.sub(r"\\\n\s*", " ", body).splitlines():
        if not line.strip():
            continue
        name, _, rest = line.strip().partition(" ")
        flags = {}
        while match := re.match(r"--([a-z-]+)=(\S+)\s+", rest):
            flags[match[1]] = match[2]
            rest = rest[match.end() :]
        stage += name == "FROM"
        found.append(Instruction(stage, name, flags, rest.strip()))
    return found


class TestDockerfile:
    @pytest.fixture
    def image(self) -> list[Instruction]:
        return parse_dockerfile((DEPLOY / "Dockerfile").read_text())

    @staticmethod
    def of(image: list[Instruction], *names: str, stage: int | None = None) -> list[Instruction]:
        return [one for one in image if one.name in names and stage in (None, one.stage)]

    def test_it_has_one_stage_to_build_and_one_to_run(self, image: list[Instruction]) -> None:
        known = {"FROM", "LABEL", "ENV", "WORKDIR", "COPY", "RUN", "USER", "VOLUME"} | {
            "STOPSIGNAL",
            "HEALTHCHECK",
            "ENTRYPOINT",
            "CMD",
        }
        assert {one.name for one in image} <= known
        assert [one.words[1:] for one in self.of(image, "FROM")] == [["AS", "build"], ["AS", "run"]]
        assert all(re.fullmatch(r"python:3\.\d+-slim", one.words[0]) for one in self.of(image, "FROM"))

    def test_what_it_copies_exists(self, image: list[Instruction]) -> None:
        stages = {one.words[-1] for one in self.of(image, "FROM")}
        for copy in self.of(image, "COPY"):
            if "from" in copy.flags:
                assert copy.flags["from"] in stages
            else:
                assert [source for source in copy.words[:-1] if not (ROOT / source).exists()] == []

    def test_the_build_has_all_that_the_wheel_is_made_of(self, image: list[Instruction]) -> None:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())
        wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
        needed = {"pyproject.toml", project["project"]["readme"], *project["project"]["license-files"]}
        needed |= {*wheel["packages"], *wheel["force-include"]}
        copied = {source.rstrip("/") for one in self.of(image, "COPY", stage=0) for source in one.words[:-1]}
        assert needed <= copied

    def test_the_install_is_pinned_and_can_reach_postgresql(self, image: list[Instruction]) -> None:
        [install] = [one.rest for one in self.of(image, "RUN") if " install --" in one.rest and "pip" in one.rest][:1]
        assert "--constraint deploy/constraints.txt" in install
        assert '".[postgres]"' in install

    def test_the_stage_that_runs_installs_no_packages(self, image: list[Instruction]) -> None:
        for run in self.of(image, "RUN", stage=1):
            assert not re.search(r"apt|pip install|curl|gcc|build-essential", run.rest)
        copies = self.of(image, "COPY", stage=1)
        assert [copy.words for copy in copies] == [["/opt/paperround", "/opt/paperround"]]

    def test_it_does_not_run_as_root(self, image: list[Instruction]) -> None:
        last = self.of(image, "USER", stage=1)[-1]
        assert re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", last.rest)
        uid = last.rest.split(":")[0]
        assert any(f"--uid {uid}" in run.rest for run in self.of(image, "RUN", stage=1))
        order = [one.name for one in image if one.stage == 1]
        assert order.index("USER") > max(i for i, name in enumerate(order) if name in ("RUN", "COPY"))

    def test_the_data_is_in_a_volume(self, image: list[Instruction]) -> None:
        env = dict(word.split("=", 1) for one in self.of(image, "ENV", stage=1) for word in one.words)
        assert [one.rest for one in self.of(image, "VOLUME")] == [env["PAPERROUND_DATA_DIR"]]

    def test_its_commands_are_the_programs(self, image: list[Instruction]) -> None:
        [entry] = self.of(image, "ENTRYPOINT")
        [command] = self.of(image, "CMD")
        [health] = self.of(image, "HEALTHCHECK")
        assert entry.words == ["paperround"]
        assert command.words == ["run"]
        _, _, check = health.rest.partition("CMD ")
        assert json.loads(check) == ["paperround", "status", "--quick"]
        assert {"run", "status"} <= verbs()
        assert {"interval", "timeout", "start-period"} <= set(health.flags)
        assert [one.rest for one in self.of(image, "STOPSIGNAL")] == ["SIGTERM"]

    def test_it_holds_no_secret(self, image: list[Instruction]) -> None:
        for one in self.of(image, "ENV", "ARG", "LABEL"):
            assert not re.search(r"password|token|secret|key|database_url", one.rest, re.IGNORECASE)


class TestCompose:
    @pytest.fixture
    def compose(self) -> dict[str, Any]:
        loaded: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
        return loaded

    def test_it_runs_the_bot_and_its_database(self, compose: dict[str, Any]) -> None:
        assert set(compose["services"]) == {"bot", "database"}
        assert compose["services"]["database"]["image"].startswith("postgres:")
        assert compose["services"]["bot"]["depends_on"] == {"database": {"condition": "service_healthy"}}

    def test_its_paths_exist(self, compose: dict[str, Any]) -> None:
        bot = compose["services"]["bot"]
        context = DEPLOY / bot["build"]["context"]
        assert (context / "pyproject.toml").is_file()
        assert (context / bot["build"]["dockerfile"]).is_file()
        for file in bot["env_file"]:
            assert (DEPLOY / file["path"]).is_file() or file["required"] is False

    def test_the_volumes_are_named_and_declared(self, compose: dict[str, Any]) -> None:
        mounts = {name: service["volumes"] for name, service in compose["services"].items()}
        named = {mount.split(":")[0] for service in mounts.values() for mount in service}
        assert named == set(compose["volumes"])
        assert mounts["bot"] == [f"data:{compose['services']['bot']['environment']['PAPERROUND_DATA_DIR']}"]

    def test_the_bot_finds_the_database(self, compose: dict[str, Any]) -> None:
        bot, database = (compose["services"][name]["environment"] for name in ("bot", "database"))
        url = f"postgresql://{database['POSTGRES_USER']}@database/{database['POSTGRES_DB']}"
        assert bot["PAPERROUND_DATABASE_URL"] == url
        settings = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
        assert {name for name in bot if name.startswith(PREFIX)} <= settings

    def test_the_password_is_asked_for_and_nowhere_written(self, compose: dict[str, Any]) -> None:
        for name, variable in (("bot", "PGPASSWORD"), ("database", "POSTGRES_PASSWORD")):
            assert compose["services"][name]["environment"][variable].startswith("${POSTGRES_PASSWORD:?")

    def test_the_database_is_healthy_once_it_answers_over_the_network(self, compose: dict[str, Any]) -> None:
        check = compose["services"]["database"]["healthcheck"]["test"]
        assert check[:2] == ["CMD", "pg_isready"]
        assert "--host=127.0.0.1" in check

    @pytest.mark.parametrize("name", ["bot", "database"])
    def test_a_service_may_do_no_more_than_it_must(self, compose: dict[str, Any], name: str) -> None:
        service = compose["services"][name]
        assert service["restart"] == "unless-stopped"
        assert service["read_only"] is True
        assert "/tmp" in service["tmpfs"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        refused = {"privileged", "ports", "network_mode", "pid", "ipc", "cap_add", "devices", "userns_mode", "user"}
        assert refused.isdisjoint(service)
        assert compose["networks"]["database"] == {"internal": True}
        assert compose["services"]["database"]["networks"] == ["database"]


class TestUnit:
    @pytest.fixture
    def unit(self) -> configparser.ConfigParser:
        parser = configparser.ConfigParser(strict=False, interpolation=None, delimiters=("=",), comment_prefixes=("#",))
        parser.optionxform = str  # type: ignore[assignment,method-assign]
        parser.read(DEPLOY / "paperround.service")
        return parser

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("NoNewPrivileges", "yes"),
            ("CapabilityBoundingSet", ""),
            ("ProtectSystem", "strict"),
            ("ProtectHome", "yes"),
            ("PrivateTmp", "yes"),
            ("PrivateDevices", "yes"),
            ("ProtectKernelTunables", "yes"),
            ("ProtectKernelModules", "yes"),
            ("ProtectControlGroups", "yes"),
            ("RestrictNamespaces", "yes"),
            ("RestrictAddressFamilies", "AF_UNIX AF_INET AF_INET6"),
            ("LockPersonality", "yes"),
            ("SystemCallArchitectures", "native"),
            ("UMask", "0077"),
            ("Restart", "on-failure"),
        ],
    )
    def test_it_is_boxed_in(self, unit: configparser.ConfigParser, name: str, value: str) -> None:
        assert unit["Service"][name] == value

    def test_it_may_call_what_services_call_and_nothing_privileged(self) -> None:
        text = (DEPLOY / "paperround.service").read_text()
        assert re.findall(r"^SystemCallFilter=(.*)$", text, re.MULTILINE) == ["@system-service", "~@privileged"]
        assert "\nMemoryDenyWriteExecute" not in text

    def test_its_memory_is_bounded(self, unit: configparser.ConfigParser) -> None:
        assert re.fullmatch(r"\d+[MG]", unit["Service"]["MemoryMax"])

    def test_it_has_a_user_and_a_folder_of_its_own(self, unit: configparser.ConfigParser) -> None:
        service = unit["Service"]
        assert service["User"] not in ("", "root", "nobody")
        folder = f"/var/lib/{service['StateDirectory']}"
        assert service["Environment"] == f"{PREFIX}DATA_DIR={folder}"
        assert service["WorkingDirectory"] == folder

    def test_it_starts_what_its_install_steps_installed(self, unit: configparser.ConfigParser) -> None:
        program, verb = unit["Service"]["ExecStart"].split()
        steps = (DEPLOY / "paperround.service").read_text().partition("[Unit]")[0]
        venv = PurePosixPath(program).parents[1]
        assert f"python3 -m venv {venv}" in steps
        assert f'{venv}/bin/pip install --constraint deploy/constraints.txt ".[postgres]"' in steps
        assert f"useradd --system --home-dir /var/lib/{unit['Service']['User']}" in steps
        assert f"deploy/env.example {unit['Service']['EnvironmentFile']} " in steps
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        assert PurePosixPath(program).name in project["scripts"]
        assert verb in verbs()


def pins() -> dict[str, str]:
    """Return the pinned release of each distribution."""
    lines = [line for line in (DEPLOY / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    return {canonicalize_name(name): release for name, _, release in (line.partition("==") for line in lines)}


def direct_dependencies() -> Iterator[Requirement]:
    """Yield what pyproject.toml asks for, extras included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = [project["project"]["dependencies"], *project["project"]["optional-dependencies"].values()]
    yield from (Requirement(text) for group in groups for text in group)


class TestConstraints:
    @pytest.mark.parametrize("wanted", list(direct_dependencies()), ids=lambda wanted: wanted.name)
    def test_a_dependency_is_pinned_to_a_release_that_is_allowed(self, wanted: Requirement) -> None:
        assert wanted.specifier.contains(pins()[canonicalize_name(wanted.name)])

    def test_a_line_is_a_name_and_a_release(self) -> None:
        for line in (DEPLOY / "constraints.txt").read_text().splitlines():
            assert line.startswith("#") or re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line)

    def test_no_line_has_an_address(self) -> None:
        assert not re.search(r"://|@|--hash|index", (DEPLOY / "constraints.txt").read_text())

    def test_a_name_stands_once_and_in_order(self) -> None:
        lines = [line for line in (DEPLOY / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
        names = [line.partition("==")[0].casefold() for line in lines]
        assert names == sorted(set(names))


@pytest.mark.parametrize("name", [".ci/run", "tests/check", "deploy/demo"])
def test_a_script_can_be_run(name: str) -> None:
    script = ROOT / name
    assert script.stat().st_mode & 0o111 == 0o111
    assert script.read_text().startswith("#!/usr/bin/env bash\n")


@pytest.mark.parametrize("name", [".ci/run", "tests/check", "deploy/demo", "deploy/environment.sh"])
def test_a_script_is_whole(name: str) -> None:
    done = subprocess.run(["bash", "-n", str(ROOT / name)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


if __name__ == "__main__":
    print(env_example(), end="")
