//! `cpu`, `verify`, `bench`, and the help.

use slider_attacks::Backend;
use slider_attacks::cpu::Cpu;

use crate::run;

#[test]
fn cpu_prints_the_report() {
    assert_eq!(run("cpu", "").ok(), format!("{}\n", Cpu::detect()));
    assert!(run("cpu --backend scalar", "").ok().ends_with("asked for scalar: by --backend\n"));
}

#[test]
fn verify_agrees() {
    let out = run("verify --backend scalar", "").ok();
    let rows: Vec<Vec<&str>> = out.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["backend", "slider", "cases", "result", "seconds"]);
    assert_eq!(rows.len(), 2 + 3);
    for (row, slider) in rows[2..].iter().zip(["bishop", "rook", "queen"]) {
        assert_eq!(row[..4], ["scalar", slider, "1119744", "agrees"]);
    }
}

#[test]
fn bench_shows_every_backend_beside_the_roofline() {
    let out = run("bench --pairs-in-memory 5000", "").ok();
    let rows: Vec<Vec<&str>> = out.lines().skip(2).map(|line| line.split_whitespace().collect()).collect();
    let names: Vec<&str> = Backend::available().map(Backend::name).chain(["roofline"]).collect();
    assert_eq!(rows.len(), 2 * 3 * names.len());
    for (row, name) in rows.iter().zip(names.iter().cycle()) {
        assert_eq!(row[3], *name);
        let [best, median] = [row[4], row[5]].map(|time| time.parse::<f64>().expect("a time"));
        assert!(best <= median, "{row:?}");
        assert!(*name != "scalar" || row[7] == "1.00", "{row:?}");
    }
}

#[test]
fn help_has_examples() {
    for args in ["--help", "attacks --help", "pairs --help"] {
        let out = run(args, "").ok();
        assert!(out.contains("Examples:\n"), "{out}");
        assert!(out.lines().all(|line| line.chars().count() <= 110), "{out}");
    }
    assert!(run("--version", "").ok().starts_with("slider-attacks "));
}
