"""The program as it is started: its verbs, what they print, and how they end."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.cli import cli
from bot.core.credential import read_keys
from bot.demo import SEED, seeds_folder
from bot.errors import UsageError

OF_DISCORD = "ignore:'audioop' is deprecated:DeprecationWarning"  # which discord.py imports for voice
PROGRAM = [sys.executable, "-W", "error", "-W", OF_DISCORD, "-c", "from bot.cli import main; main()"]


def environment(folder: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PAPERROUND_")}
    own = {"PAPERROUND_DATA_DIR": str(folder / "data"), "PAPERROUND_METRICS_ADDRESS": "off"}
    return kept | own | {"PYTHONPATH": str(Path(__file__).parents[2])} | more


def run(folder: Path, *args: str, typed: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*PROGRAM, *args],
        input=typed,
        capture_output=True,
        text=True,
        timeout=120,
        cwd=folder,
        env=environment(folder, **more),
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def verdicts(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    return {check["name"]: check["verdict"] for check in json.loads(done.stdout)["checks"]}


def said(done: subprocess.CompletedProcess[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_import_counts_and_a_second_time_changes_nothing(tmp_path: Path) -> None:
    seeds = str(seeds_folder() / SEED)
    first = run(tmp_path, "import", seeds)
    assert first.stdout == f"{SEED}: 19 papers read: 19 new, 0 already known, 0 merged, 0 refused\n"
    before = run(
        tmp_path, "chat", "--json", typed="show Rex-Thinker: Grounded Object Referring via Chain-of-Thought Reasoning\n"
    )
    second = run(tmp_path, "import", seeds)
    assert second.stdout == f"{SEED}: 19 papers read: 0 new, 19 already known, 0 merged, 0 refused\n"
    after = run(
        tmp_path, "chat", "--json", typed="show Rex-Thinker: Grounded Object Referring via Chain-of-Thought Reasoning\n"
    )
    assert said(before)[0]["cards"][0]["lines"] == said(after)[0]["cards"][0]["lines"]  # type: ignore[index]


def test_bad_lines_are_named_and_good_ones_go_in(tmp_path: Path) -> None:
    file = tmp_path / "mixed.jsonl.gz"
    good = json.dumps(
        {"id": "arXiv:2401.00001", "title": "A good paper on sparse attention", "abstract": "It is about attention."}
    )
    file.write_bytes(gzip.compress(f'{good}\n{{"title": \n\n[1, 2]\n{{"title": null}}\n'.encode()))
    done = run(tmp_path, "import", str(file))
    assert done.returncode == 0
    assert "1 paper read: 1 new, 0 already known, 0 merged, 3 refused" in done.stdout
    assert [line.split(":")[0].strip() for line in done.stdout.splitlines()[1:]] == ["line 2", "line 4", "line 5"]


@pytest.mark.parametrize(
    ("name", "content"),
    [("missing.txt", None), ("empty.txt", b""), ("binary.pdf", b"%PDF-1.7\x00\x01\x02" * 50), ("folder", "folder")],
)
def test_a_file_that_is_no_use_is_one_line_and_writes_nothing(tmp_path: Path, name: str, content: object) -> None:
    if isinstance(content, bytes):
        (tmp_path / name).write_bytes(content)
    elif content:
        (tmp_path / name).mkdir()
    done = run(tmp_path, "import", str(seeds_folder() / SEED), name)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert name in done.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"PAPERROUND_DATABASE_URL": "sqlite:////proc/none/x.db"}, "/proc/none"),
        ({"PAPERROUND_DATABASE_URL": "mysql://me:secret@127.0.0.1/x"}, "mysql"),
        ({"PAPERROUND_DATABASE_URL": "postgresql://me:secret@127.0.0.1:9/x"}, "127.0.0.1"),
        ({"PAPERROUND_RANKER": "magic"}, "PAPERROUND_RANKER"),
        ({"PAPERROUND_TIME_ZONE": "Mars/Base"}, "PAPERROUND_TIME_ZONE"),
        ({"PAPERROUND_DATABSE_URL": "x"}, "PAPERROUND_DATABASE_URL"),
    ],
)
def test_a_setup_that_is_wrong_is_one_line_that_names_it(tmp_path: Path, settings: dict[str, str], named: str) -> None:
    done = run(tmp_path, "chat", **settings)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("paperround: ")
    assert named in done.stderr
    assert "secret" not in done.stderr


def test_a_script_drives_the_whole_bot_with_json(tmp_path: Path) -> None:
    run(tmp_path, "import", str(seeds_folder() / SEED))
    first = said(run(tmp_path, "chat", "--json", "--user", "lin", typed="/papers subscribe language models\n"))
    assert len(first) == 1
    cards = first[0]["cards"]
    assert isinstance(cards, list)
    assert set(cards[0]) >= {"paper", "title", "link", "body", "why", "buttons"}
    assert cards[0]["why"]
    assert "why:" not in cards[0]["body"]
    press = next(button["action"] for button in cards[0]["buttons"] if button["label"] == "More like this")
    then = said(run(tmp_path, "chat", "--json", "--user", "lin", typed=f"{press}\n/papers profile\n"))
    assert str(then[0]["text"]).startswith("More like “")
    assert "more like 1 paper" in str(then[1]["text"])
    others = said(run(tmp_path, "chat", "--json", "--user", "eve", typed=f"{press}\nprofile\n"))
    assert "expired" in str(others[0]["text"])
    assert "I know nothing of you" in str(others[1]["text"])


def test_numbers_press_buttons_even_in_the_next_run(tmp_path: Path) -> None:
    run(tmp_path, "import", str(seeds_folder() / SEED))
    run(tmp_path, "chat", typed="/papers search transformers\n")
    done = run(tmp_path, "chat", typed="3\n")
    assert done.stdout.startswith("Saved “")


def test_the_tour_shows_feedback_at_work(tmp_path: Path) -> None:
    done = run(tmp_path, "demo")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    text = done.stdout
    for part in (
        "subscribe",
        "/papers more",
        "/papers less",
        "/papers digest",
        "/papers search",
        "/papers similar",
        "/papers profile",
        "/papers schedule",
        "/papers pause",
        "A preview:",
        "next: ",
        "Nothing new for “language models” today: no paper came since",
    ):
        assert part in text
    assert "which you liked" in text.partition("> /papers less")[2].partition("> /papers pause")[0]
    assert not (tmp_path / "data").exists()


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -c 'from bot.cli import main; main()' demo | head -1"],
        capture_output=True, text=True, timeout=120, cwd=tmp_path, env=environment(tmp_path), input="",
    )  # fmt: skip
    assert done.stdout.startswith("Imported ")
    assert done.stderr == ""


def test_a_running_bot_gives_signs_of_life_and_the_other_verbs_work_beside_it(tmp_path: Path) -> None:
    assert run(tmp_path, "status", "--quick").returncode == 1
    assert not (tmp_path / "data").exists()  # a health check makes nothing
    process = subprocess.Popen(
        [*PROGRAM, "run"], cwd=tmp_path, env=environment(tmp_path), stderr=subprocess.PIPE, text=True
    )
    try:
        deadline = time.monotonic() + 60
        while run(tmp_path, "status", "--quick").returncode != 0:
            assert time.monotonic() < deadline, "no sign of life"
        second = run(tmp_path, "run")
        assert (second.returncode, second.stdout, second.stderr.count("\n")) == (2, "", 1)
        assert f"already (process {process.pid})" in second.stderr
        assert run(tmp_path, "import", str(seeds_folder() / SEED)).returncode == 0
        assert run(tmp_path, "backup", "copy.sqlite").returncode == 0
        assert verdicts(run(tmp_path, "doctor", "--json"))["processes"] == "ok"
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 0
    lines = [json.loads(line) for line in errors.splitlines()]
    said = [line["event"] for line in lines]
    assert said.pop(0) == "sources"
    assert "no platform is set up" in said.pop(1)
    assert said == ["running", "stopping", "stopped"]
    assert run(tmp_path, "status", "--json").returncode == 1


def test_log_lines_hold_no_words_that_people_typed(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        "chat",
        "--user",
        "secretname",
        typed="search secretword\nfollow secretauthor\n",
        PAPERROUND_LOG_LEVEL="debug",
    )
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert [line["event"] for line in lines] == ["request", "request"]
    assert "secret" not in done.stderr


def test_an_import_that_gives_nothing_fails_by_name(tmp_path: Path) -> None:
    (tmp_path / "few.jsonl").write_text("[]\n")
    done = run(tmp_path, "import", str(tmp_path / "few.jsonl"))
    assert done.returncode == 2
    assert done.stderr.strip().endswith("paperround: no paper was found: few.jsonl")


def test_one_paper_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text('{"id": "x:1", "title": "On graphs and their uses", "abstract": "We do."}\n')
    assert "one.jsonl: 1 paper read: 1 new" in run(tmp_path, "import", str(tmp_path / "one.jsonl")).stdout


def test_the_doctor_looks_and_changes_nothing(tmp_path: Path) -> None:
    before = run(tmp_path, "doctor")
    assert "none yet" in before.stdout
    assert not (tmp_path / "data").exists()
    run(tmp_path, "import", str(seeds_folder() / SEED))
    done = run(tmp_path, "doctor", "--json", PAPERROUND_LOG_LEVEL="debug")
    assert done.stderr == ""
    found = verdicts(done)
    assert set(found) >= {"database", "migrations", "clock", "time zones", "sources", "outbox", "set aside"}
    assert set(found) >= {"paused", "processes", "index", "platforms", "packages", "disk"}
    assert done.returncode == int("wrong" in found.values())
    assert {name for name, verdict in found.items() if verdict != "ok"} <= {
        "processes",
        "disk",
        "packages",
        "platforms",
        "sources",
    }


def test_the_doctor_says_what_is_wrong_with_exit_code_1(tmp_path: Path) -> None:
    done = run(tmp_path, "doctor", PAPERROUND_DATABASE_URL="postgresql://me:secret@127.0.0.1:9/x")
    assert done.returncode == 1
    assert done.stdout.startswith("wrong  database")
    assert "secret" not in done.stdout + done.stderr
    assert " wrong" in done.stdout.splitlines()[-1]


@pytest.mark.parametrize("name", ["", "smoke", "console"])
def test_a_manifest_of_nothing_says_of_what_there_is_one(name: str) -> None:
    done = CliRunner().invoke(cli, ["manifest", name])
    assert isinstance(done.exception, UsageError)
    assert "There is one for: " in str(done.exception)


def test_a_key_is_made_anew_each_time() -> None:
    keys = [CliRunner().invoke(cli, ["key"]).stdout.strip() for _ in range(2)]
    assert keys[0] != keys[1]
    assert read_keys(",".join(keys)) == ",".join(keys)


def test_a_backup_goes_into_an_empty_database_and_the_bot_goes_on_there(tmp_path: Path) -> None:
    assert "nothing to back up" in run(tmp_path, "backup", "none.sqlite").stderr
    assert not (tmp_path / "data").exists()
    run(tmp_path, "import", str(seeds_folder() / SEED))
    run(tmp_path, "chat", typed="/papers subscribe language models at=09:00\n")
    made = run(tmp_path, "backup", "copy.sqlite")
    assert (made.returncode, made.stderr) == (0, "")
    assert made.stdout.startswith("copy.sqlite: 19 papers, 1 person or channel, 1 subscription; ")
    twice = run(tmp_path, "backup", "copy.sqlite")
    assert (twice.returncode, twice.stdout, twice.stderr.count("\n")) == (2, "", 1)
    assert "there already" in twice.stderr
    other = {"PAPERROUND_DATA_DIR": str(tmp_path / "other")}
    back = run(tmp_path, "restore", "copy.sqlite", **other)
    assert (back.returncode, back.stderr) == (0, "")
    assert "19 papers" in back.stdout
    assert "a second time" in back.stdout
    facts = json.loads(run(tmp_path, "status", "--json", **other).stdout)
    assert (facts["alive"], facts["papers"], facts["messages waiting"], facts["messages given up"]) == (False, 19, 0, 0)
    assert (facts["sources failing or behind"], facts["oldest message due"]) == ("none", "none")
    assert "T" in facts["next digest due"]
    again = run(tmp_path, "restore", "copy.sqlite", **other)
    assert again.returncode == 2
    assert "19 papers, 1 people and channels" in again.stderr
