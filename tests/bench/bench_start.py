"""How long a fresh process takes to answer a lookup on 38,000 stored papers, and its memory. Run by hand.

    python tests/bench/bench_start.py [DATA_DIR]      needs the shared data beside the project

Without a data folder, both corpora are imported into a new one first, which takes some minutes. Then `paperround chat`
is started and asked at once; the time is from the start of the process to the first line of its answer. Linux only.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORPORA = ROOT.parent / "shared" / "corpora"
PROGRAM = [sys.executable, "-c", "from bot.cli import main; main()"]
QUERIES = ("graph neural networks for molecules", "federated learning", "diffusion models for video")


def environment(data: str) -> dict[str, str]:
    """Return the environment of a process with its own data folder."""
    return {**os.environ, "PAPERROUND_DATA_DIR": data}


def ask(data: str, query: str) -> tuple[float, float, str]:
    """Return seconds until the answer begins, peak resident memory in MB, and the answer's first line."""
    start = time.perf_counter()
    with subprocess.Popen(
        [*PROGRAM, "chat"],
        cwd=ROOT,
        env=environment(data),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"/papers search {query}\n")
        process.stdin.flush()
        answer = process.stdout.readline().strip()
        seconds = time.perf_counter() - start
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
        process.stdin.close()
        process.stdout.read()
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return seconds, int(peak.split()[1]) / 1024, answer


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as fresh:
        data = sys.argv[1] if len(sys.argv) > 1 else fresh
        if data == fresh:
            files = [str(path) for path in sorted(CORPORA.glob("*.jsonl.gz"))]
            subprocess.run([*PROGRAM, "import", *files], cwd=ROOT, env=environment(data), check=True)
        print("| start | first answer, s | peak memory, MB | it begins |\n|---|---|---|---|")
        for number, query in enumerate(QUERIES, 1):
            seconds, memory, answer = ask(data, query)
            print(f"| {number} | {seconds:.2f} | {memory:.0f} | {answer} |")


if __name__ == "__main__":
    main()
