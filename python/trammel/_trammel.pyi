# What CFFI makes of the public headers: functions in lib, types and memory in ffi.
from typing import Any

ffi: Any
lib: Any
