//! `cpu`, `verify`, `bench`, `products`, and the help.

use slider_attacks::Backend;
use slider_attacks::Cpu;
use slider_attacks_arrow::Product;

use crate::run;

#[test]
fn cpu_prints_the_report() {
    let build = "build       debug: vector backends are slower than scalar; use --release\n";
    let build = if cfg!(debug_assertions) { build } else { "" };
    assert_eq!(run("cpu", "").ok(), format!("{}\n{build}", Cpu::detect()));
    assert!(run("cpu --backend scalar", "").ok().ends_with("requested scalar: by --backend\n"));
    assert!(run("--version", "").ok().starts_with("slider-attacks "));
}

#[test]
fn products_lists_all() {
    let out = run("products", "").ok();
    let names: Vec<&str> = out.lines().skip(2).filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.iter().copied().eq(Product::ALL.iter().map(|product| product.name())), "{out}");
}

#[test]
fn products_need_rays_or_other_columns() {
    let out = run("products --needs", "").ok();
    let rows: Vec<(&str, &str)> = out
        .lines()
        .skip(2)
        .map(|row| row.split_once("  ").map_or((row, ""), |(name, needs)| (name, needs.trim())))
        .collect();
    let names: Vec<&str> =
        Product::ALL.iter().flat_map(|product| product.columns()).map(|column| column.name()).collect();
    assert!(rows.iter().map(|row| row.0).eq(names.iter().copied()), "{out}");
    for (column, needs) in &rows {
        for need in needs.split(", ").filter(|need| !need.is_empty()) {
            assert!(need == "attacks" || need.ends_with("_rays") || names.contains(&need), "{column}: {need}");
        }
    }
    assert!(rows.contains(&("white_pinned", "attacks, white_king_rays")), "{out}");
    assert!(rows.contains(&("black_wins", "black_gains")), "{out}");
}

#[test]
fn verify_agrees() {
    let out = run("verify --backend scalar", "").ok();
    let (table, summary) = out.split_once("\n\n").expect("the summary stands below the table");
    assert!(summary.starts_with("4 of 4 rows agree with the ray walk.\n"), "{summary}");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["backend", "slider", "cases", "result", "seconds"]);
    assert_eq!(rows.len(), 2 + 4);
    for (row, slider) in rows[2..].iter().zip(["bishop", "rook", "queen", "set"]) {
        assert_eq!(row[..4], ["scalar", slider, "1119744", "agrees"]);
    }
}

#[test]
fn bench_shows_every_backend_and_judges_the_choice() {
    let backends: Vec<&str> = Backend::available().map(Backend::name).chain(["memory"]).collect();
    let out = run("bench --pairs-in-memory 5000", "").ok();
    let (table, verdict) = out.split_once("\n\n").expect("the verdict stands below the table");
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    let rows: Vec<Vec<&str>> = table.lines().skip(2).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows.len(), 3 * backends.len(), "{out}");
    for (rows, pairs) in rows.chunks_exact(backends.len()).zip(["4096", "65536", "5000"]) {
        for (row, name) in rows.iter().zip(&backends) {
            assert_eq!(row[..2], [pairs, *name]);
            for (time, ratio) in [(row[2], row[3]), (row[4], row[5]), (row[6], row[7])] {
                assert!(time.parse::<f64>().is_ok() && ratio.parse::<f64>().is_ok(), "{row:?}");
                assert!(*name != "scalar" || ratio == "1.00", "{row:?}");
            }
        }
    }
    assert!(verdict.starts_with(&format!("{} is ", Backend::active())), "{verdict}");
}

#[test]
fn bench_shows_more_with_all() {
    let out = run("bench --all --backend scalar --pairs-in-memory 100", "").ok();
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    let rows: Vec<Vec<&str>> = out.lines().skip(2).map(|line| line.split_whitespace().collect()).collect();
    let sizes = ["1", "8", "64", "512", "4096", "65536", "1048576", "100"];
    let expected = sizes.iter().flat_map(|size| {
        ["queen", "rook", "bishop"]
            .iter()
            .flat_map(move |slider| ["scalar", "memory"].map(|name| [size, *slider, name]))
    });
    let expected: Vec<[&str; 3]> = expected.collect();
    for (row, expected) in rows.iter().zip(&expected) {
        assert_eq!(row[..3], expected[..]);
        let number = |cell: &str| cell.parse::<f64>().expect("a number");
        assert!(number(row[3]) <= number(row[4]), "{row:?}");
        assert!(row[2] != "scalar" || row[6] == "1.00", "{row:?}");
        assert!(row[2] != "memory" || row[7] == "100", "{row:?}");
    }
    assert_eq!(rows.len(), expected.len() + 2, "{out}");
    assert!(out.ends_with("\nscalar is the only backend here.\n"), "{out}");
}

#[test]
fn bench_compares_a_backend_with_scalar() {
    if Backend::avx2().is_some() {
        let out = run("bench --pairs-in-memory 1 --backend avx2", "").ok();
        assert!(out.contains("\n\navx2 is ") && !out.contains("bmi2") && !out.contains("only backend"), "{out}");
    }
}

/// Published counts: "Perft Results", <https://www.chessprogramming.org/Perft_Results>.
#[test]
fn perft_counts_leaves() {
    let perft = |fen: &str, options: &str| {
        let mut command = crate::command("perft");
        if !fen.is_empty() {
            command.arg(fen);
        }
        command.args(options.split_whitespace());
        crate::finish(&mut command, "")
    };
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -";
    for (fen, depth, count) in [("", 0, 1), ("", 1, 20), ("", 2, 400), ("", 5, 4_865_609), (kiwipete, 4, 4_085_603)] {
        for options in ["", "--threads 1", "--threads 3", "--backend scalar"] {
            let out = perft(fen, &format!("--depth {depth} {options}")).ok();
            let lines: Vec<(&str, &str)> = out.lines().map(|line| line.split_once(": ").expect("a name")).collect();
            let names: Vec<&str> = lines.iter().map(|line| line.0).collect();
            assert_eq!(
                (names.as_slice(), lines[0].1),
                (&["leaves", "seconds", "leaves per second"][..], &*count.to_string())
            );
            assert!(lines[1..].iter().all(|line| line.1.parse::<f64>().is_ok()), "{out}");
        }
    }
    // The king on g8 castles with the rook on f8 or h8.
    let mate = "R5k1/5ppp/8/8/8/8/8/K7 b - -";
    let castles = "4k3/8/8/8/8/8/P7/1R2K1R1 w GB -";
    for (fen, depth, expected) in [
        (mate, 3, "leaves: 0"),
        ("", 0, "leaves: 1"),
        ("k7/8/8/8/8/8/7P/K7 w - -", 2, "a1b1: 3\na1a2: 3\na1b2: 3\nh2h3: 3\nh2h4: 3\nleaves: 15"),
    ] {
        let out = perft(fen, &format!("--divide --depth {depth}")).ok();
        assert!(out.starts_with(&format!("{expected}\nseconds: ")), "{out}");
    }
    let out = perft(castles, "--divide --depth 1").ok();
    assert!(out.contains("\ne1b1: 1\n") && out.contains("\ne1g1: 1\n"), "{out}");
    for (fen, options, message) in [
        ("k7/8", "--depth 1", "error: invalid value 'k7/8' for '[FEN]': column 5"),
        ("", "", "error: the following required arguments were not provided:\n  --depth <NUMBER>"),
        ("", "--depth 31", "error: invalid value '31' for '--depth <NUMBER>': 31 is not in 0..=30"),
        ("", "--depth 1 --threads 0", "error: invalid value '0' for '--threads <NUMBER>'"),
    ] {
        let run = perft(fen, options);
        assert!(run.code == Some(2) && run.stdout.is_empty() && run.stderr.starts_with(message), "{run:?}");
    }
}

/// `serve` starts what is installed next to the command, or else what is on the path, with all arguments and its exit code.
#[test]
#[cfg(unix)]
fn serve_starts_the_service() {
    use std::os::unix::fs::PermissionsExt;
    let [own, other] = ["serve", "serve-path"].map(crate::directory);
    let copy = own.join("slider-attacks");
    std::fs::copy(env!("CARGO_BIN_EXE_slider-attacks"), &copy).expect("the command can be copied");
    let serve = || {
        // As `command` does, but the copy.
        let mut command = crate::command("");
        let runner = command.get_program() != env!("CARGO_BIN_EXE_slider-attacks");
        let mut words: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
        if runner {
            words.pop();
            command = std::process::Command::new(command.get_program());
            command.args(words).arg(&copy);
        } else {
            command = std::process::Command::new(&copy);
        }
        command
            .args(["serve", "--listen", "127.0.0.1:0", "-x", "--help"])
            .env("PATH", format!("{}:/bin:/usr/bin", other.display()));
        crate::finish(&mut command, "")
    };
    serve().fails("slider-attacks-serve is neither next to this command nor on the PATH: from a clone, `cargo install");
    for (directory, name) in [(&other, "path"), (&own, "beside")] {
        let service = directory.join("slider-attacks-serve");
        std::fs::write(&service, format!("#!/bin/sh\necho {name} \"$@\"\nexit 7\n"))
            .expect("the directory can be written to");
        std::fs::set_permissions(&service, PermissionsExt::from_mode(0o755)).expect("it is a file of this test");
        let run = serve();
        assert_eq!((run.code, run.stderr.as_str()), (Some(7), ""), "{run:?}");
        assert_eq!(run.stdout, format!("{name} --listen 127.0.0.1:0 -x --help\n"));
    }
}

/// Runs each example in a shell, with files of the names that it mentions.
#[test]
#[cfg(unix)]
fn the_examples_of_the_help_run() {
    let directory = crate::directory("examples");
    let sample = include_str!("../../../tests/data/sample.epd");
    let csv = "PuzzleId,FEN,Moves,Rating\n00a,4k3/8/8/8/8/8/8/4K3 w - - 0 1,e1e2 e8e7,1500\n";
    let evals =
        "{\"fen\":\"4k3/8/8/8/8/8/8/4K3 w - -\",\"evals\":[{\"pvs\":[{\"cp\":0,\"line\":\"e1e2\"}],\"depth\":50}]}\n";
    let (gzip, zstd) = (crate::gzip(sample.as_bytes()), crate::zstd(csv.as_bytes()));
    for (name, bytes) in [
        ("a.epd", sample.as_bytes()),
        ("a.epd.gz", &gzip),
        ("games.epd", sample.as_bytes()),
        ("games.epd.gz", &gzip),
        ("games.csv.zst", &zstd),
        ("lichess_db_puzzle.csv.zst", &zstd),
        ("train.csv", csv.as_bytes()),
        ("evals.csv", b"fen,cp\n4k3/8/8/8/8/8/8/4K3 w - -,12\n"),
        ("lichess_db_eval.jsonl.zst", &crate::zstd(evals.as_bytes())),
        ("games-of-lichess.csv", b"WhiteElo,movetext\n2200,1. e4 e5 1-0\n"),
        ("games.pgn", include_bytes!("../../../tests/data/games.pgn")),
        ("run.bin", &crate::training::bulletformat()),
        ("pairs.txt", b"e4 0\n"),
    ] {
        std::fs::write(directory.join(name), bytes).expect("the directory can be written to");
    }
    for name in ["a.epd", "b.epd"] {
        std::fs::create_dir_all(directory.join("games")).expect("the directory can be written to");
        std::fs::write(directory.join("games").join(name), sample).expect("the directory can be written to");
    }
    let mut count = 0;
    for page in [
        "--help",
        "attacks --help",
        "pairs --help",
        "analyze --help",
        "summarize --help",
        "convert --help",
        "show --help",
        "perft --help",
    ] {
        let help = run(page, "").ok();
        assert!(help.lines().all(|line| line.chars().count() <= 110), "{help}");
        let (_, examples) = help.split_once("Examples:\n").expect("examples");
        for example in examples.lines().take_while(|line| line.starts_with("  ")) {
            // The text after an example says what it does.
            let example = example.trim_start().split("    ").next().expect("a command").replace("| less", "| cat");
            let command = example.replace("slider-attacks ", "\"$0\" ");
            let mut shell = std::process::Command::new("sh");
            shell.args(["-ec", &command, env!("CARGO_BIN_EXE_slider-attacks")]).current_dir(&directory);
            let run = crate::finish(&mut shell, "");
            // What is left out, `convert` says.
            let is_said = |line: &str| example.contains(" convert ") && line.contains(": left out ");
            assert!(run.code == Some(0) && run.stderr.lines().all(is_said), "{example}: {run:?}");
            count += 1;
        }
    }
    assert_eq!(count, 40);
}
