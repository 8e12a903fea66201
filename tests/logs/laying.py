"""Lays a made-up file of a source where its repository, or our folder of logs, has it."""

import gzip
import json
from pathlib import Path


def put(folder: Path, path: str, content) -> Path:
    """A text or bytes as they are (.gz: compressed), rows as .jsonl, anything else as JSON."""
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    if path.endswith(".jsonl") and isinstance(content, list):
        content = "".join(json.dumps(row) + "\n" for row in content)
    elif not isinstance(content, str | bytes):
        content = json.dumps(content)
    data = content.encode() if isinstance(content, str) else content
    file.write_bytes(gzip.compress(data) if path.endswith(".gz") else data)
    return file
