"""Tests HTTP by its description and by curl: `web.py SERVER [EXAMPLES]`.

SERVER is the path of `slider-attacks-serve`. schemathesis makes EXAMPLES requests of each kind from `/openapi.json`, and compares
the answers with it. Then the calls of curl in docs/service.md run, as they stand there. Needs schemathesis, in the same
environment, and curl.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import schemathesis

ROOT = Path(__file__).parents[2]


@schemathesis.serializer(
    "application/jsonl",
    "application/ndjson",
    "application/vnd.chess-pgn",
    "application/x-chess-pgn",
    "application/x-ndjson",
)
def text(_: schemathesis.SerializationContext, value: object) -> bytes:
    """schemathesis imports this file as well, because it does not know these types."""
    return value if isinstance(value, bytes) else str(value).encode(errors="replace")


def described(address: str, examples: str) -> None:
    checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
    command = ["schemathesis", "run", f"{address}/openapi.json", "--checks", checks, "--max-examples", examples]
    command += ["--phases", "examples,coverage,fuzzing", "--generation-deterministic", "--no-color"]
    command[0] = str(Path(sys.executable).parent / command[0])
    imports = {"SCHEMATHESIS_HOOKS": Path(__file__).stem, "PYTHONPATH": str(Path(__file__).parent)}
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    done = subprocess.run(command, cwd=ROOT / "target", env=os.environ | imports, **output)
    # Without a request, nothing is shown.
    assert done.returncode == 0 and re.search(r"[1-9]\d* generated", done.stdout), done.stdout


def curl(address: str) -> None:
    """Each call succeeds, and gives what the guide says in the comment after it, if anything."""
    blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / "docs/service.md").read_text(), re.M | re.S)
    calls = [line for block in blocks for line in block.splitlines() if "curl " in line]
    assert len(calls) == 5, calls
    for call in calls:
        assert "http://127.0.0.1:8816" in call
        command, _, expected = call.replace("http://127.0.0.1:8816", address).partition("  # ")
        command = f"set -o pipefail; {command.replace('curl ', 'curl --fail-with-body --silent --show-error ', 1)}"
        done = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, cwd=ROOT, timeout=20)
        assert done.returncode == 0 and done.stdout, (call, done)
        assert expected.encode() in done.stdout, (call, done.stdout[:1000])


def main(server: str, examples: str = "5") -> None:
    arguments = ["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--log-level", "error", "--grace", "1"]
    process = subprocess.Popen([server, *arguments], stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    address = process.stdout.readline().strip()
    try:
        curl(address)
        described(address, examples)
    finally:
        process.terminate()
    assert process.wait(20) == 0
    print("HTTP, as it is described, and the calls of curl in the guide: right")


if __name__ == "__main__":
    main(*sys.argv[1:])
