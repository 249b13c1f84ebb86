"""Agreement of two runs."""

from __future__ import annotations

from typing import Any, Sequence

from ._library import Diagnostics, ffi, lib, required, text
from .run import Table


def _plain(value: Any) -> Any:
    if isinstance(value, ffi.CData) and ffi.typeof(value).kind == "struct":
        return {name: getattr(value, name) for name, _ in ffi.typeof(value).fields}
    return value


def compare(first: Table, second: Table, columns: Sequence[str] = ()) -> dict[str, Any]:
    """Differences, Bland-Altman limits and intraclass correlation of each common column:
    {"rows": …, "largest": name, "columns": {name: {"max_difference": …, "bias": {…}, …}}}."""
    options = lib.trm_default_compare_options()
    kept = [ffi.new("char[]", name.encode()) for name in columns]
    array = ffi.new("const char *[]", kept or [ffi.NULL])
    options.columns, options.column_count = array, len(kept)
    diagnostics, status = Diagnostics(), ffi.new("trm_status *")
    pointer = required(lib.trm_compare_results(first._table, second._table,
                                               ffi.addressof(options), diagnostics.pointer, status),
                       status, diagnostics)
    comparison = ffi.gc(pointer, lib.trm_comparison_destroy)
    found = {}
    for k in range(comparison.column_count):
        column = comparison.columns[k]
        found[text(column.name)] = {name: _plain(getattr(column, name))
                                    for name, _ in ffi.typeof(column).fields if name != "name"}
    return {"rows": comparison.rows, "first_time": comparison.first_time,
            "last_time": comparison.last_time, "columns": found,
            "largest": text(comparison.columns[comparison.largest].name)}
