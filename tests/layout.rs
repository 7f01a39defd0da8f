//! The fixed layout of the repository: four packages, and the locations of their parts.

use std::path::Path;

use bytemuck as _;
use criterion as _;
use proptest as _;
#[cfg(target_arch = "x86_64")]
use raw_cpuid as _;

#[test]
fn the_parts_are_where_they_were_asked_for() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for part in ["Cargo.toml", "README.md", "src/lib.rs", "benches/attacks.rs", "tests/layout.rs", "asm-notes/avx2.md"]
    {
        assert!(root.join(part).is_file(), "{part} is missing");
    }
}

#[test]
fn cargo_bench_runs_criterion() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |file: &str| std::fs::read_to_string(root.join(file)).expect("the file is there");
    let manifest = read("Cargo.toml");
    let (_, bench) = manifest.split_once("[[bench]]\n").expect("the package has a benchmark");
    let bench = bench.split("\n[").next().expect("a first part");
    assert!(bench.contains("name = \"attacks\"") && bench.contains("harness = false"), "{bench}");
    assert!(read("benches/attacks.rs").contains("criterion_main!"));
}
