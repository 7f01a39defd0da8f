//! Runs that go on after files that fail: `--keep-going`, `--max-errors`, `--report`, and the record of a directory of outputs.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::analyze::{names, positions};
use crate::{Run, command, directory, finish, gzip};

/// Runs the command in this directory. Blanks separate the arguments.
fn run_in(directory: &Path, args: &str) -> Run {
    finish(command(args).current_dir(directory), "")
}

/// A directory with files. `b.epd`, `c.epd.gz`, `d.csv` and `missing.epd` fail: the first after three good lines.
fn files(name: &str) -> std::path::PathBuf {
    let directory = directory(name);
    let lines = |from: usize, to: usize| positions()[from..to].iter().map(|it| format!("{it}\n")).collect::<String>();
    for (name, content) in [
        ("a.epd", lines(0, 5).into_bytes()),
        ("b.epd", format!("{}bad\n{}", lines(5, 8), lines(8, 9).repeat(50_000)).into_bytes()),
        ("c.epd.gz", gzip(lines(10, 20).as_bytes())[..60].to_vec()),
        ("d.csv", b"id,fan\n1,2\n".to_vec()),
        ("e.epd", lines(20, 24).into_bytes()),
    ] {
        fs::write(directory.join(name), content).expect("it can be written");
    }
    directory
}

const FILES: &str = "a.epd b.epd missing.epd c.epd.gz d.csv e.epd";

/// The report at `run.json`.
fn report(directory: &Path) -> Value {
    let text = fs::read(directory.join("run.json")).expect("there is a report");
    serde_json::from_slice(&text).expect("it is JSON")
}

/// What a scheduler reads: the status of each input, with the number of its positions.
fn statuses(report: &Value) -> Vec<(&str, &str, u64)> {
    let inputs = report["inputs"].as_array().expect("a list");
    inputs
        .iter()
        .map(|input| {
            let text = |name: &str| input[name].as_str().expect("a text");
            (text("input"), text("status"), input["positions"].as_u64().expect("a number"))
        })
        .collect()
}

#[test]
fn a_run_goes_on_after_files_that_fail() {
    let directory = files("keep going");
    for threads in [1, 3] {
        let args = format!("{FILES} --keep-going --threads {threads} --report run.json");
        // The rows before an error stay in an output for all.
        let run = run_in(&directory, &format!("analyze {args} --what maps -o all.csv"));
        let failed = "\nerror: 4 of 6 files failed: b.epd, missing.epd, c.epd.gz, d.csv\n";
        assert!(run.code == Some(1) && run.stderr.ends_with(failed), "{run:?}");
        assert_eq!(run.stderr.lines().filter(|line| line.starts_with("failed: ")).count(), 4, "{run:?}");
        let rows = fs::read_to_string(directory.join("all.csv")).expect("it is there");
        let of = |name: &str| rows.lines().filter(|row| row.starts_with(name)).count();
        assert_eq!(["a.epd", "b.epd", "e.epd"].map(of), [5, 3, 4]);
        let found = report(&directory);
        let counts = [("a.epd", "succeeded", 5), ("b.epd", "failed", 3), ("missing.epd", "failed", 0)];
        assert_eq!(statuses(&found)[..3], counts);
        assert_eq!(statuses(&found)[4..], [("d.csv", "failed", 0), ("e.epd", "succeeded", 4)]);
        let reason = |place: usize| found["inputs"][place]["error"].as_str().expect("a reason");
        assert!(reason(1).starts_with("b.epd, line 4, ") && reason(2).contains("missing.epd"), "{found}");
        let head = ["command", "status", "exit_code", "version"].map(|name| found[name].clone());
        assert_eq!(head, ["analyze".into(), "failed".into(), Value::from(1), env!("CARGO_PKG_VERSION").into()]);
        assert_eq!(found["options"]["what"], serde_json::json!(["maps"]));
        assert_eq!(run.stderr.lines().last(), Some(format!("error: {}", found["error"].as_str().unwrap()).as_str()));
        let totals = &found["totals"];
        assert_eq!([&totals["inputs"], &totals["succeeded"], &totals["failed"]], [6, 2, 4], "{totals}");

        // Sums have nothing of a file that fails.
        let sums = |files: &str| run_in(&directory, &format!("summarize {files} --by side --format csv"));
        let run = sums(&args);
        assert_eq!((run.code, run.stdout), (Some(1), sums("a.epd e.epd").ok()));
        assert_eq!(statuses(&report(&directory))[1], ("b.epd", "failed", 0));
        let run = run_in(&directory, &format!("convert {args} -o all.epd"));
        assert!(run.code == Some(1) && run.stderr.ends_with(failed), "{run:?}");
        assert_eq!(fs::read_to_string(directory.join("all.epd")).expect("it is there").lines().count(), 12);

        // With outputs of their own, files that fail have none.
        let run = run_in(&directory, &format!("analyze {args} --output-dir out-{threads}"));
        assert!(run.code == Some(1) && run.stderr.contains("4 of 6 files failed"), "{run:?}");
        let found = report(&directory);
        assert_eq!(statuses(&found)[1], ("b.epd", "failed", 0));
        assert_eq!(found["inputs"][0]["output"], format!("out-{threads}/a.epd.csv"));
        run_in(&directory, &format!("analyze {args} --output-dir out-{threads}"));
        let found = report(&directory);
        let done = [("a.epd", "already_done", 0), ("e.epd", "already_done", 0)];
        assert_eq!(statuses(&found)[..2], done, "{found}");
    }
    // If all fail, there is no output.
    for command in ["analyze", "summarize", "convert"] {
        let run = run_in(&directory, &format!("{command} d.csv missing.epd --keep-going -o none.csv"));
        assert!(run.code == Some(1) && run.stderr.ends_with("2 of 2 files failed: d.csv, missing.epd\n"), "{run:?}");
        assert!(!directory.join("none.csv").exists());
    }
}

#[test]
fn too_many_errors_end_a_run() {
    let directory = directory("max errors");
    let text = positions()[..40].iter().map(|line| format!("{line}\nbad\n")).collect::<String>();
    fs::write(directory.join("a.epd"), &text).expect("it can be written");
    for command in ["analyze a.epd -o x.csv", "summarize a.epd -o x.csv", "convert a.epd -o x.csv"] {
        let args = |most| format!("{command} --on-error skip --max-errors {most} --report run.json --threads 1");
        let run = run_in(&directory, &args(40));
        assert_eq!(run.code, Some(0), "{run:?}");
        let found = report(&directory);
        assert_eq!([&found["totals"]["skipped"], &found["totals"]["positions"]], [40, 40]);
        assert_eq!(found["inputs"][0]["malformed"].as_array().expect("messages").len(), 20);
        assert_eq!(found["error"], Value::Null);
        fs::remove_file(directory.join("x.csv")).expect("it is there");
        let run = run_in(&directory, &args(3));
        assert!(run.code == Some(1) && !directory.join("x.csv").exists(), "{run:?}");
        assert_eq!(run.skipped().1, 4, "{run:?}");
        assert!(run.stderr.ends_with("error: more than 3 errors: --max-errors ends the run\n"), "{run:?}");
        assert_eq!(statuses(&report(&directory))[0].1, "failed");
    }
    // Null rows and files that fail count as well.
    let run = run_in(&directory, "analyze a.epd -o x.csv --on-error null --max-errors 39");
    assert!(run.code == Some(1) && !directory.join("x.csv").exists(), "{run:?}");
    let run =
        run_in(&directory, "analyze a.epd no.epd none.epd nothing.epd --keep-going --max-errors 2 --report run.json");
    assert!(run.stderr.ends_with("error: more than 2 errors: --max-errors ends the run\n"), "{run:?}");
    assert_eq!(report(&directory)["totals"]["not_read"], 1);
    let run = run_in(&directory, "analyze a.epd --max-errors 3");
    assert!(run.code == Some(2) && run.stderr.contains("without --keep-going or --on-error skip"), "{run:?}");
}

#[test]
fn a_report_is_complete_or_that_of_a_run_that_was_killed() {
    let directory = files("reports");
    let run = run_in(&directory, "analyze a.epd missing.epd -o x.csv --report run.json");
    assert_eq!(run.code, Some(1));
    let found = report(&directory);
    assert!(found["status"] == "failed" && found["error"].as_str().unwrap().contains("missing.epd"), "{found}");
    assert_eq!(found["inputs"], serde_json::json!([]));
    // Of a run that ends at the first failure, the rest has not been read.
    run_in(&directory, "analyze a.epd d.csv e.epd --output-dir out --report run.json");
    let rows = [("a.epd", "succeeded", 5), ("d.csv", "failed", 0), ("e.epd", "not_read", 0)];
    assert_eq!(statuses(&report(&directory)), rows);
    let run = run_in(&directory, "analyze a.epd e.epd --limit 6 --report run.json --what maps -o x.csv");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(statuses(&report(&directory)), [("a.epd", "succeeded", 5), ("e.epd", "succeeded", 1)]);
    // It is read from standard output, if the results do not go there.
    let run = run_in(&directory, "analyze a.epd -o x.csv --report -");
    let found: Value = serde_json::from_str(&run.ok()).expect("JSON");
    assert_eq!((found["status"].as_str(), found["exit_code"].as_u64()), (Some("succeeded"), Some(0)));
    let run = run_in(&directory, "analyze a.epd --report -");
    assert!(run.code == Some(2) && run.stderr.contains("cannot both go to standard output"), "{run:?}");
    // It replaces nothing else.
    let before = fs::read(directory.join("a.epd")).expect("it is there");
    run_in(&directory, "analyze e.epd -o x.csv --report a.epd").fails("a.epd is no report");
    assert_eq!(fs::read(directory.join("a.epd")).expect("it is there"), before);
    run_in(&directory, "analyze e.epd -o run.json --format csv --report run.json").fails("cannot be both");
    run_in(&directory, "analyze e.epd -o x.csv --report a.epd/run.json").fails("cannot");
    assert!(names(&directory).iter().all(|name| !name.starts_with('.')));
}

#[test]
#[cfg(unix)]
fn a_killed_run_is_running_in_its_report() {
    let directory = files("killed");
    run_in(&directory, "analyze a.epd -o x.csv --report run.json").ok();
    let mut killed = command("analyze - -o x.csv --report run.json");
    let (mut child, stdin) = crate::start(killed.current_dir(&directory));
    let started = std::time::Instant::now();
    while report(&directory)["status"] != "running" {
        assert!(started.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    drop(stdin);
    assert_eq!(
        (report(&directory)["status"].as_str(), &report(&directory)["exit_code"]),
        (Some("running"), &Value::Null)
    );
}

#[test]
fn outputs_with_other_options_are_not_done_already() {
    let directory = files("options");
    run_in(&directory, "analyze a.epd --output-dir out --what maps --keep fen").ok();
    for (args, message) in [
        ("--what maps,pins --keep fen", "--what was maps for the outputs in out, and is maps,pins now: "),
        ("--each-move --keep fen", "--each-move was not set for the outputs in out, and is true now: "),
        ("", "--keep was fen for the outputs in out, and is not set now: "),
        ("--keep fen --csv-safe --overwrite", "--csv-safe was not set for the outputs in out, and is true now: "),
        ("--keep fen --through own", "--through was any for the outputs in out, and is own now: "),
    ] {
        run_in(&directory, &format!("analyze a.epd e.epd --output-dir out {args}")).fails(message);
    }
    assert_eq!(names(&directory.join("out")), [".slider-attacks.csv.json", "a.epd.csv"]);
    // The number of threads and the like changes nothing, and other formats have other outputs.
    let run = run_in(&directory, "analyze a.epd e.epd --output-dir out --keep fen --threads 2 --format csv");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), "already done: a.epd (out/a.epd.csv)\n"));
    run_in(&directory, "analyze a.epd --output-dir out --what pins --format jsonl").ok();
    // What was complete without skipping is complete with it, but not the other way round.
    let run = run_in(&directory, "analyze a.epd b.epd --output-dir some");
    assert_eq!(run.code, Some(1));
    let run = run_in(&directory, "analyze a.epd b.epd --output-dir some --on-error skip");
    assert!(run.code == Some(0) && run.stderr.contains("already done: a.epd"), "{run:?}");
    run_in(&directory, "analyze e.epd --output-dir some")
        .fails("--on-error was skip for the outputs in some, and is fail");
    // Outputs without a record may have any options.
    fs::remove_file(directory.join("some/.slider-attacks.csv.json")).expect("it is there");
    let args = "analyze a.epd --output-dir some --on-error skip";
    run_in(&directory, args).fails("no record of their options");
    fs::write(directory.join("some/.slider-attacks.csv.json"), "{\"options\": 7}").expect("it can be written");
    run_in(&directory, args).fails("it is no record of options");
    // So no record is made for those, wherever they are.
    for (output, format) in [("out/a.epd.csv", "csv"), ("out/sub/a.epd.csv", "csv"), ("out/a.epd/pins.npy", "npy")] {
        let older = directory.join("older").join(output);
        fs::create_dir_all(older.parent().expect("it has one")).expect("it can be made");
        fs::write(&older, "").expect("it can be written");
        let args = format!("analyze e.epd --output-dir older/out --format {format}");
        for more in ["", " --overwrite"] {
            let message = format!("already, such as older/{output}, but no record of their options");
            run_in(&directory, &(args.clone() + more)).fails(&message);
        }
        fs::remove_file(&older).expect("it is there");
        run_in(&directory, &args).ok();
        let run = run_in(&directory, &args);
        assert!(run.code == Some(0) && run.stderr.starts_with("already done: e.epd"), "{run:?}");
        fs::remove_dir_all(directory.join("older")).expect("it is there");
    }
    // Inputs are no outputs.
    fs::create_dir(directory.join("inputs")).expect("it can be made");
    fs::write(directory.join("inputs/x.csv"), format!("fen\n{}\n", positions()[0])).expect("it can be written");
    run_in(&directory, "analyze inputs/x.csv --output-dir inputs").ok();
    // A run without an output leaves no directory.
    run_in(&directory, "analyze d.csv --output-dir nothing").fails("no column");
    assert!(!directory.join("nothing").exists());
}

#[test]
fn a_limit_counts_nothing_of_what_follows_a_failure() {
    let directory = directory("limits and failures");
    let [one, other] = [&positions()[0], &positions()[9]].map(|line| format!("{line}\n"));
    for (name, content) in
        [("a.epd", format!("{}bad\n{}", one.repeat(3), one.repeat(9_000))), ("b.epd", other.repeat(2_000))]
    {
        fs::write(directory.join(name), content).expect("it can be written");
    }
    let expected = run_in(&directory, "summarize b.epd --limit 500 --format csv").ok();
    for threads in [1, 4] {
        let args = format!("a.epd b.epd --keep-going --limit 500 --block-bytes 2000 --threads {threads}");
        let run = run_in(&directory, &format!("analyze {args} --no-header --report run.json -o x.csv"));
        assert_eq!(run.code, Some(1), "{run:?}");
        let rows = fs::read_to_string(directory.join("x.csv")).expect("it is there");
        assert_eq!(rows.lines().count(), 500, "{threads} threads");
        assert_eq!(statuses(&report(&directory)), [("a.epd", "failed", 3), ("b.epd", "succeeded", 497)]);
        // What is dropped of a file that fails does not count.
        let run = run_in(&directory, &format!("summarize {args} --format csv"));
        assert_eq!((run.code, &run.stdout), (Some(1), &expected), "{threads} threads");
        // The limit is reached before the failure.
        let run = run_in(&directory, "summarize a.epd b.epd --keep-going --limit 2 --format csv");
        assert_eq!(run.ok(), run_in(&directory, "summarize a.epd --limit 2 --format csv").ok());
    }
}

#[test]
fn nothing_remains_of_files_that_fail() {
    let directory = directory("stale outputs");
    let write = |name: &str, content: &str| fs::write(directory.join(name), content).expect("it can be written");
    let good = &positions()[0];
    for format in ["csv", "npy"] {
        write("a.epd", good);
        let args = format!("analyze a.epd --output-dir {format} --format {format} --keep-going");
        run_in(&directory, &args).ok();
        write("a.epd", "bad");
        assert_eq!(run_in(&directory, &format!("{args} --overwrite")).code, Some(1));
        let run = run_in(&directory, &args);
        assert!(run.code == Some(1) && !run.stderr.contains("already done"), "{run:?}");
    }
    // A file without rows has no header.
    write("c1.csv", "id,fen,x\n1,bad,2\n");
    ["c2.csv", "c3.csv"].iter().for_each(|name| write(name, &format!("id,fen,y\n1,{good},2\n")));
    let run = run_in(&directory, "analyze c1.csv c2.csv c3.csv --keep all --keep-going -o all.csv --report run.json");
    assert!(run.stderr.ends_with("error: 1 of 3 files failed: c1.csv\n"), "{run:?}");
    let rows = fs::read_to_string(directory.join("all.csv")).expect("it is there");
    assert!(rows.lines().count() == 3 && rows.lines().next().is_some_and(|header| header.contains(",y")), "{rows}");
    assert_eq!(statuses(&report(&directory))[..2], [("c1.csv", "failed", 0), ("c2.csv", "succeeded", 1)]);
}

#[test]
fn a_report_has_what_a_format_cannot_hold() {
    let directory = directory("reports of conversions");
    ["a.pgn", "b.pgn"].iter().for_each(|name| fs::write(directory.join(name), "1. e4 e5 *\n").expect("it is written"));
    fs::write(directory.join("c.epd"), format!("{0}\n{0} | 5 | 0.5\n", "4k3/8/8/8/8/8/8/4K3 b - - 7 30"))
        .expect("it is");
    let run = run_in(&directory, "convert a.pgn b.pgn c.epd -o x.txt --to text --report run.json");
    assert!(run.code == Some(0) && run.stderr.ends_with("left out 7 of 8 positions: 7 without a score\n"), "{run:?}");
    let found = report(&directory);
    let left_out = found["inputs"].as_array().expect("a list").iter().map(|input| input["left_out"].as_u64());
    assert_eq!(left_out.collect::<Vec<_>>(), [Some(3), Some(3), Some(1)]);
    let counts = [("a.pgn", "succeeded", 0), ("b.pgn", "succeeded", 0), ("c.epd", "succeeded", 1)];
    assert_eq!(statuses(&found), counts);
}

#[test]
fn a_wrong_report_is_found_before_anything_is_written() {
    let directory = files("wrong reports");
    run_in(&directory, "analyze e.epd -o new.csv --report ./new.csv").fails("cannot be both");
    fs::create_dir(directory.join("folder")).expect("it can be made");
    run_in(&directory, "analyze e.epd -o new.csv --report folder").fails("cannot write folder: it is a directory");
    fs::write(directory.join("empty.epd"), "").expect("it can be written");
    run_in(&directory, "analyze empty.epd -o new.csv --report empty.epd").fails("empty.epd is an input");
    fs::write(directory.join("folder/empty.epd"), "").expect("it can be written");
    fs::write(directory.join("list.txt"), "folder/empty.epd\n").expect("it can be written");
    for inputs in ["folder", "folder/*.epd", "--files-from list.txt"] {
        for command in ["analyze", "summarize --format csv", "convert --to text"] {
            let run = run_in(&directory, &format!("{command} {inputs} -o new.csv --report folder/empty.epd"));
            run.fails("folder/empty.epd is an input: --report would replace it");
        }
    }
    // As `mktemp` makes it.
    run_in(&directory, "analyze e.epd -o new.csv --report empty.epd").ok();
    assert!(fs::read_to_string(directory.join("empty.epd")).expect("it is there").contains("\"succeeded\""));
    fs::remove_file(directory.join("new.csv")).expect("it is there");
    assert!(!directory.join("new.csv").exists());
    for stdout in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let run = run_in(&directory, &format!("analyze e.epd --report {stdout}"));
        assert!(run.code == Some(2) && run.stderr.contains("cannot both go to standard output"), "{run:?}");
    }
}

#[test]
fn an_output_never_replaces_an_input() {
    let directory = files("outputs that are inputs");
    let path = directory.join("folder/e.csv");
    fs::create_dir(directory.join("folder")).expect("it can be made");
    fs::copy(directory.join("e.epd"), directory.join("folder/e.epd")).expect("it can be copied");
    fs::write(&path, format!("fen,note\n{},x\n", positions()[0])).expect("it can be written");
    let before = fs::read(&path).expect("it can be read");
    fs::write(directory.join("list.txt"), "folder/e.csv\n").expect("it can be written");
    for inputs in ["folder/e.csv", "folder/e.epd folder/e.csv", "--files-from list.txt"] {
        for command in ["analyze", "summarize --format csv", "convert"] {
            for output in ["folder/e.csv", "./folder/../folder/e.csv"] {
                let run = run_in(&directory, &format!("{command} {inputs} -o {output}"));
                run.fails(&format!("{output} is an input: --output would replace it"));
                assert_eq!(fs::read(&path).expect("it can be read"), before);
            }
        }
    }
    // The output of an earlier run is none of the files in a directory.
    for inputs in ["folder/e.epd", "folder", "folder/*"] {
        fs::write(&path, &before).expect("it can be written");
        run_in(&directory, &format!("analyze {inputs} -o folder/e.csv")).ok();
        assert_eq!(fs::read_to_string(&path).expect("it can be read").lines().count(), 1 + 4, "{inputs}");
    }
}

#[test]
#[cfg(unix)]
fn a_reader_that_goes_away_is_no_failure_in_a_report() {
    let directory = directory("reports of pipes");
    fs::write(directory.join("a.epd"), format!("{}\n", positions()[0]).repeat(9_000)).expect("it can be written");
    let mut command = command("analyze a.epd --report run.json");
    let mut child = command.current_dir(&directory).stdout(std::process::Stdio::piped()).spawn().expect("it starts");
    drop(child.stdout.take());
    assert!(child.wait().expect("it ends").success());
    let found = report(&directory);
    assert_eq!(
        [&found["status"], &found["error"], &found["exit_code"]],
        [&"succeeded".into(), &Value::Null, &0.into()]
    );
}
