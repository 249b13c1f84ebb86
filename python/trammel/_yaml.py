"""Writes a model as the YAML that a person would write: short things on one line."""

from __future__ import annotations

import json
import re
from typing import Any

WIDTH = 96
PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.*+/() -]*\Z")
WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n", "~"}


def scalar(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        plain = PLAIN.match(value) and value.lower() not in WORDS and value == value.strip()
        return value if plain else json.dumps(value, ensure_ascii=False)
    if isinstance(value, int) or hasattr(value, "__index__"):
        return str(int(value))
    number = repr(float(value))
    return number[:-2] if number.endswith(".0") else number


def plain(value: Any) -> Any:
    """numpy arrays and tuples as lists."""
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return value


def flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(k)}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(entry) for entry in value) + "]"
    return scalar(value)


def block(value: dict, indent: int) -> list[str]:
    lines = []
    for key, entry in value.items():
        start = " " * indent + scalar(key) + ":"
        short = flow(entry)
        deep = indent == 0 and isinstance(entry, dict) and any(
            isinstance(inner, dict) for inner in entry.values())
        if isinstance(entry, dict) and entry and (deep or len(start) + 1 + len(short) > WIDTH):
            lines.append(start)
            lines += block(entry, indent + 2)
        elif isinstance(entry, list) and len(start) + 1 + len(short) > WIDTH:
            lines.append(start)
            lines += [" " * (indent + 2) + "- " + flow(item) for item in entry]
        else:
            lines.append(f"{start} {short}")
    return lines


def dump(document: dict) -> str:
    return "\n".join(block(plain(document), 0)) + "\n"
