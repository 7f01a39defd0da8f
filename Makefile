# What DuckDB's community repository builds; everything else is in CONTRIBUTING.md.
include packaging/duckdb/community.mk
