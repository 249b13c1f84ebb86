"""Reads MAT-files, level 5, by the published format: uncompressed, little-endian, matrices of doubles and cells of texts."""
import struct


def elements(data):
    at = 0
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        yield kind, data[at + 8:at + 8 + size]
        at += 8 + (size + 7) // 8 * 8


def array(data):
    """(name, value): a list of rows of numbers, a text, or a list of what a cell holds."""
    (_, flags), (_, dimensions), (_, name), *parts = elements(data)
    bits, _ = struct.unpack("<II", flags)
    rows, columns = struct.unpack("<ii", dimensions)
    if bits & 0xff == 1:
        return name.decode(), [array(part)[1] for kind, part in parts if kind == 14]
    if bits & 0xff == 4:
        assert [kind for kind, _ in parts] == [4]
        return name.decode(), parts[0][1].decode("utf-16-le")
    assert bits & 0xff == 6 and all(kind == 9 and len(part) == 8 * rows * columns for kind, part in parts)
    assert len(parts) == (2 if bits & 0x0800 else 1)
    numbers = [struct.unpack(f"<{rows * columns}d", part) for _, part in parts]
    values = [complex(*pair) for pair in zip(*numbers)] if len(numbers) == 2 else numbers[0]
    return name.decode(), [list(values[i::rows]) for i in range(rows)]


def load(path):
    data = path.read_bytes()
    assert data[:10] == b"MATLAB 5.0" and data[124:128] == b"\x00\x01IM"
    found = list(elements(data[128:]))
    assert all(kind == 14 for kind, _ in found)
    return dict(array(part) for _, part in found)
