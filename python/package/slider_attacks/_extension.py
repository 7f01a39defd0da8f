"""The form of files that DuckDB loads. It stands alone: `duckdb/build` uses it without the package."""

API = "v1.2.0"
"""The version of DuckDB's interface for extensions in C, which DuckDB 1.2 and all later versions have."""


def extension(library: bytes, platform: str, version: str) -> bytes:
    """A library as a DuckDB extension for a platform, as `pragma platform` names it: with 512 bytes at its end.

    `duckdb_extensions()` shows the version.
    """
    fields = ["4", platform, API, version, "C_STRUCT", "", "", ""]
    # DuckDB reads the fields from the last one on. After them is room for a signature.
    return library + b"".join(field.encode().ljust(32, b"\0") for field in reversed(fields)) + bytes(256)
