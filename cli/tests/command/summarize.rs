//! `summarize`: groups and sums against `analyze`, in every format.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use slider_attacks::Square;

use crate::analyze::{GOOD, positions, read_npy};
use crate::{Run, command, directory, file, finish, run};

fn summarize(args: &str, stdin: impl Into<Vec<u8>>) -> Run {
    run(&format!("summarize {args}"), stdin)
}

fn rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// The positions of the sample, many times, with columns: a name and a number.
fn table() -> String {
    let sample = positions();
    let row = |at: usize| {
        let name = ["Ann", "Bob", "", "Eve"][at * at % 7 % 4];
        format!(
            "\"{}\",{name},{}\n",
            sample[at % sample.len()].replace('"', "\"\""),
            if at.is_multiple_of(11) { "-".to_owned() } else { (at % 37).to_string() }
        )
    };
    "fen,name,number\n".to_owned() + &(0..3_000).map(row).collect::<String>()
}

/// The numbers of `analyze`, added up by group, column and square.
fn expected(input: &str, key: &dyn Fn(&Value) -> String) -> BTreeMap<(String, String, usize), [i64; 3]> {
    let all = run("analyze - --keep all --what counts,pins --format jsonl", input).ok();
    let mut sums: BTreeMap<_, [i64; 3]> = BTreeMap::new();
    for row in rows(&all) {
        let group = key(&row);
        let numbers = |name: &str| -> Vec<i64> {
            match &row[name] {
                Value::String(board) => {
                    let board = u64::from_str_radix(&board[2..], 16).expect("hexadecimal");
                    (0..64).map(|square| (board >> square & 1) as i64).collect()
                }
                numbers => numbers.as_array().expect("64").iter().map(|number| number.as_i64().expect("one")).collect(),
            }
        };
        for what in ["attackers", "king_checkers", "pinned"] {
            let (white, black) = (numbers(&format!("white_{what}")), numbers(&format!("black_{what}")));
            for square in 0..64 {
                let [(w, b), counts] = [(white[square], black[square]), (white[square].min(1), black[square].min(1))];
                let (cw, cb) = counts;
                for (side, count, sum) in [("white", cw, w), ("black", cb, b), ("difference", cw - cb, w - b)] {
                    let entry = sums.entry((group.clone(), format!("{side}_{what}"), square)).or_default();
                    entry.iter_mut().zip([1, count, sum]).for_each(|(all, one)| *all += one);
                }
            }
        }
    }
    sums
}

fn check(found: &str, expected: &BTreeMap<(String, String, usize), [i64; 3]>, key: &dyn Fn(&Value) -> String) {
    let found = rows(found);
    assert_eq!(found.len(), expected.len());
    for (place, row) in found.iter().enumerate() {
        let square = place % 64;
        let name = ["a", "b", "c", "d", "e", "f", "g", "h"][square % 8].to_owned() + &(square / 8 + 1).to_string();
        assert_eq!(row["square"], name.as_str());
        let column = row["column"].as_str().expect("a name").to_owned();
        let [positions, count, sum] = expected[&(key(row), column, square)];
        assert_eq!(
            [&row["positions"], &row["count"], &row["sum"]],
            [positions, count, sum].map(Value::from).each_ref()
        );
        let close =
            |name: &str, sum: i64| (row[name].as_f64().expect("one") - sum as f64 / positions as f64).abs() < 1e-6;
        assert!(close("share", count) && close("mean", sum), "{row}");
    }
}

#[test]
fn groups_add_up_to_the_rows_of_analyze() {
    let input = table();
    let by = "- --what counts,pins --format jsonl --by";
    let name = |row: &Value| row["name"].as_str().unwrap_or_default().to_owned();
    check(&summarize(&format!("{by} name"), input.as_str()).ok(), &expected(&input, &name), &name);

    let step =
        |row: &Value| row["number"].as_str().and_then(|text| text.parse::<i64>().ok()).map(|number| number / 10 * 10);
    let stepped = |row: &Value| row["number"].as_i64().map_or("none".to_owned(), |number| number.to_string());
    let kept = |row: &Value| step(row).map_or("none".to_owned(), |number| number.to_string());
    check(&summarize(&format!("{by} number:10"), input.as_str()).ok(), &expected(&input, &kept), &stepped);

    let mover = |row: &Value| {
        let is_white = row["fen"].as_str().expect("text").split(' ').nth(1) == Some("w");
        name(row) + if is_white { " white" } else { " black" }
    };
    // `analyze --keep all` keeps the column of the positions as well.
    let found = summarize(&format!("{by} name,side"), input.as_str()).ok();
    check(&found, &expected(&input, &mover), &|row| name(row) + " " + row["side"].as_str().expect("a side"));
}

#[test]
fn phases_by_what_is_left_on_the_board() {
    let fens = [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", "opening"), // 24
        ("r1bqk2r/8/8/8/8/8/8/R1BQK1NR w - -", "middlegame"),                // 19
        ("rnbqkb1r/8/8/8/8/8/8/R1BQKBN1 w - -", "opening"),                  // 20
        ("1q2k3/8/8/8/8/8/8/1Q2K1N1 w - -", "middlegame"),                   // 9
        ("1q2k3/8/8/8/8/8/8/1Q2K3 w - -", "endgame"),                        // 8
        ("4k3/8/8/8/8/8/P7/4K3 w - -", "endgame"),
    ];
    for (fen, phase) in fens {
        let found = rows(&summarize("- --by phase --format jsonl", fen).ok());
        assert_eq!(found[0]["phase"], phase, "{fen}");
    }
    let all = summarize("--by phase,side --format csv", "").ok();
    let mut groups: Vec<String> =
        all.lines().skip(1).map(|line| line.split(',').take(2).collect::<Vec<_>>().join(" ")).collect();
    groups.dedup();
    let phases = ["opening", "middlegame", "endgame"].into_iter();
    assert_eq!(
        groups,
        phases.flat_map(|phase| [format!("{phase} white"), format!("{phase} black")]).collect::<Vec<_>>()
    );
}

#[test]
fn formats_agree_with_each_other_and_with_any_number_of_threads() {
    let input = file("summarize.csv", table().as_bytes());
    let by = format!("{} --by name,number:10 --what maps,mobility,threats", input.display());
    let lines = summarize(&format!("{by} --format jsonl"), "").ok();
    for threads in [1, 2, 4] {
        assert_eq!(summarize(&format!("{by} --format jsonl --threads {threads}"), "").ok(), lines);
    }
    let found = rows(&lines);
    let csv = summarize(&format!("{by} --format csv"), "").ok();
    assert!(csv.starts_with("name,number,positions,column,square,count,share,sum,mean\n"), "{csv}");
    assert_eq!(csv.lines().count(), 1 + found.len());

    let directory = directory("summaries");
    let parquet = directory.join("x.parquet");
    summarize(&format!("{by} -o {}", parquet.display()), "").ok();
    let batches = ParquetRecordBatchReaderBuilder::try_new(fs::File::open(&parquet).expect("it is there"))
        .and_then(|builder| builder.build())
        .expect("a file of Parquet");
    let mut at = 0;
    for batch in batches {
        let batch = batch.expect("rows");
        let (numbers, names) = (batch["number"].as_primitive::<Int64Type>(), batch["name"].as_string::<i32>());
        let (counts, means) = (batch["count"].as_primitive::<Int64Type>(), batch["mean"].as_primitive::<Float64Type>());
        for row in 0..batch.num_rows() {
            let line = &found[at];
            assert_eq!(line["number"].as_i64(), (!numbers.is_null(row)).then(|| numbers.value(row)));
            assert_eq!(line["name"].as_str(), (!names.is_null(row)).then(|| names.value(row)));
            assert_eq!(line["count"], counts.value(row));
            assert!((line["mean"].as_f64().expect("one") - means.value(row)).abs() < 1e-9);
            at += 1;
        }
    }
    assert_eq!(at, found.len());

    let arrays = directory.join("arrays");
    summarize(&format!("{by} --format npy -o {}", arrays.display()), "").ok();
    let labels: Value =
        serde_json::from_slice(&fs::read(arrays.join("labels.json")).expect("it is there")).expect("JSON");
    let (groups, columns) =
        (labels["groups"].as_array().expect("a list"), labels["columns"].as_array().expect("a list"));
    let bytes = fs::read(arrays.join("values.npy")).expect("it is there");
    let values = npyz::NpyFile::new(&bytes[..]).expect("an array");
    assert_eq!(values.shape(), [groups.len() as u64, columns.len() as u64, 64]);
    let values: Vec<f64> = values.into_vec().expect("numbers");
    let bytes = fs::read(arrays.join("positions.npy")).expect("it is there");
    let positions: Vec<u64> = npyz::NpyFile::new(&bytes[..]).and_then(npyz::NpyFile::into_vec).expect("numbers");
    for (place, line) in found.iter().enumerate() {
        let (group, column) = (place / 64 / columns.len(), place / 64 % columns.len());
        assert_eq!((&line["column"], &line["positions"]), (&columns[column], &positions[group].into()));
        assert_eq!(line["name"], groups[group]["name"]);
        assert!((line["mean"].as_f64().expect("one") - values[place]).abs() < 1e-6);
    }
}

#[test]
fn a_table_and_drawn_boards() {
    let table = summarize("", "").ok();
    assert!(table.starts_with("146 positions\n\nsquare  white_attackers_share"), "{table}");
    assert_eq!(table.lines().count(), 2 + 2 + 64);
    let table = summarize("--by side --what maps", "").ok();
    assert!(table.starts_with("side white: ") && table.contains("\n\nside black: "), "{table}");
    assert_eq!(summarize("- --what maps --limit 0", GOOD).ok().lines().next(), Some("0 positions"));
    assert_eq!(summarize("- --format csv --by side --limit 0", GOOD).ok().lines().count(), 1);

    // A number per position has no squares.
    let boards = ["4k3/8/8/8/8/8/8/4K3 w - -", "7k/5Q2/6K1/8/8/8/8/8 b - -", "4k3/8/8/8/8/8/8/4K2R w K -"].join("\n");
    let table = summarize("- --what legal_moves", boards.as_str()).ok();
    assert_eq!(table, "3 positions\n\nlegal_moves: share 0.6667, mean 6.6667\n");
    let table = summarize("- --what maps,legal_moves --by side", boards.as_str()).ok();
    let groups: Vec<Vec<&str>> = table.split("\n\nside ").map(|group| group.lines().collect()).collect();
    assert_eq!((groups.len(), groups[0].len(), groups[1].len()), (2, 70, 70), "{table}");
    assert_eq!(groups[1][..4], ["black: 1 position", "", "legal_moves: share 0.0000, mean 0.0000", ""]);
    let rows = summarize("- --what pins,legal_moves --format csv", boards.as_str()).ok();
    assert_eq!(
        (rows.lines().count(), rows.lines().last()),
        (1 + 6 * 64 + 1, Some("3,legal_moves,,2,0.666667,20,6.666667"))
    );
    let row = summarize("- --what legal_moves --format jsonl", boards.as_str()).ok();
    assert!(row.starts_with("{\"positions\":3,\"column\":\"legal_moves\",\"square\":null,\"count\":2,"), "{row}");
    summarize("- --what maps,legal_moves --format svg", boards.as_str()).fails("legal_moves has no squares");
    let rows = summarize("- --what status --format csv", boards.as_str()).ok();
    let rows: Vec<&str> = rows.lines().skip(1).collect();
    let expected = ["in_check,,0,0", "checkmate,,0,0", "stalemate,,1,0.333333", "insufficient_material,,1,0.333333"];
    assert!(rows.iter().zip(expected).all(|(row, begin)| row.starts_with(&format!("3,{begin}"))), "{rows:?}");
    let arrays = directory("one-number");
    summarize(&format!("- --what legal_moves --format npy -o {}", arrays.display()), boards.as_str()).ok();
    let (shape, values) = read_npy::<f64>(&arrays.join("values.npy"));
    assert_eq!((shape, values), (vec![1, 1, 64], vec![20.0 / 3.0; 64]));

    let svg = directory("drawn").join("board.svg");
    summarize(&format!("-o {}", svg.display()), "").ok();
    let drawn = fs::read_to_string(&svg).expect("it is there");
    assert!(drawn.contains("prefers-color-scheme: dark") && drawn.ends_with("</svg>\n"), "{drawn}");
    assert_eq!(drawn.matches("class=\"value\"").count(), 64);
    let drawn = summarize("--by phase --what counts,mobility --format svg --theme light", "").ok();
    assert_eq!((drawn.matches("class=\"value\"").count(), drawn.contains("@media")), (6 * 64, false));
    assert!(!drawn.contains("NaN") && drawn.contains(">difference_attackers, phase opening<"), "{drawn}");
    let empty = summarize("- --format svg --limit 0", GOOD).ok();
    assert!(!empty.contains("NaN") && !empty.contains("inf"), "{empty}");
    let run = summarize("--by fen --format svg", "");
    run.fails("boards exceed the limit of 48 per drawing: use fewer groups, or fewer products");
}

/// What stands between two texts, as often as it does.
fn between<'t>(text: &'t str, start: &'t str, end: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(start).skip(1).map(move |rest| rest.split_once(end).expect(end).0)
}

/// The numbers of a page.
fn numbers(page: &str) -> Value {
    let text = between(page, "id=\"sums\">", "</script>").next().expect("numbers");
    serde_json::from_str(text).expect(text)
}

#[test]
fn a_page_has_the_numbers_of_the_rows() {
    let args = "- --what counts,maps,threats --by name,number:20";
    let page = summarize(&format!("{args} --format html"), table()).ok();
    let lines = rows(&summarize(&format!("{args} --format jsonl"), table()).ok());
    let numbers_of_page = numbers(&page);
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let columns = list(&numbers_of_page["columns"]);
    let is_minus = |line: &&Value| line["column"].as_str().expect("a name").starts_with("difference_");
    let mut lines = lines.iter().filter(|line| !is_minus(line));
    let mut all = vec![vec![0; 128]; columns.len()];
    for group in list(&numbers_of_page["groups"]) {
        for ((column, sums), all) in columns.iter().zip(list(&group["sums"])).zip(&mut all) {
            assert_eq!(sums[1].is_null(), column["hasSum"] == false, "{column}: the sums of sets are their counts");
            let last = sums.as_array().map_or(0, Vec::len) - 1;
            for square in Square::ALL {
                let (line, place) = (lines.next().expect("a row"), usize::from(square.index()));
                assert_eq!((&line["column"], &line["square"]), (&column["name"], &square.to_string().into()));
                assert_eq!((&line["positions"], &line["name"]), (&group["positions"], &group["keys"][0]));
                let range = line["number"].as_i64().map(|first| format!("{first} to {}", first + 19));
                assert_eq!(range.as_deref(), group["keys"][1].as_str());
                assert_eq!((&line["count"], &line["sum"]), (&sums[0][place], &sums[last][place]), "{line}");
                all[place] += sums[0][place].as_u64().expect("a count");
                all[64 + place] += sums[last][place].as_u64().expect("a sum");
            }
        }
    }
    assert!(lines.next().is_none());
    for (sums, all) in list(&numbers_of_page["sums"]).iter().zip(all) {
        let found = list(sums).into_iter().flat_map(|sums| list(&sums)).map(|number| number.as_u64());
        assert!(found.eq(all[..64 * list(sums).len()].iter().copied().map(Some)), "{sums}");
    }
    let products = list(&numbers_of_page["products"]);
    assert_eq!(
        products.iter().map(|product| list(&product["columns"]).len()).sum::<usize>(),
        columns.len(),
        "each column is one of a product: {products:?}"
    );
    assert!(products.iter().all(|product| !product["definition"].as_str().expect("a text").is_empty()));

    for theme in ["auto", "light", "dark"] {
        let page = summarize(&format!("- --format html --theme {theme}"), GOOD).ok();
        assert!(page.contains(&format!("<html lang=\"en\" data-theme=\"{theme}\">")), "{theme}");
    }
    let path = directory("page").join("sets.html");
    summarize(&format!("- --what maps,legal_moves -o {}", path.display()), GOOD).ok();
    let page = fs::read_to_string(&path).expect("it is there");
    assert!(page.starts_with("<!DOCTYPE html>") && !page.lines().any(|line| line.starts_with("import ")));
    let numbers_of_page = numbers(&page);
    let of =
        |name: &str| list(&numbers_of_page["columns"]).iter().map(|column| column[name] == true).collect::<Vec<_>>();
    assert_eq!((of("isSingle"), of("hasSum")), (vec![false, false, true], vec![false, false, true]));
    assert_eq!(list(&numbers_of_page["groups"][0]["sums"][2][1]).len(), 1);
    let empty = summarize("- --format html --limit 0", GOOD).ok();
    assert!(empty.contains("<p>0 positions") && numbers(&empty)["positions"] == 0, "{empty}");
}

#[test]
fn a_page_takes_names_as_text_and_has_a_bounded_size() {
    let names =
        ["</script><script>", "<!--", "\"'><img src=x>", "&lt;", "\u{202e}\u{5d0}", "\u{1}", &"x".repeat(90_000)];
    let json = |name: &&str| serde_json::json!({"fen": GOOD, "a\"<b>": name}).to_string() + "\n";
    let input: String = names.iter().map(json).collect();
    let page = summarize("- --by a\"<b> --format html", input.clone()).ok();
    assert_eq!(["<script", "</script", "<!--", "<img", "<b>"].map(|tag| page.matches(tag).count()), [3, 3, 0, 0, 0]);
    let keys = |page: &str| -> Vec<String> {
        let numbers = numbers(page);
        let groups = numbers["groups"].as_array().expect("a list").iter();
        groups.map(|group| group["keys"][0].as_str().expect("text").to_owned()).collect()
    };
    let shown = |name: &&str| match *name {
        "\u{1}" => "\u{fffd}".to_owned(),
        "\u{202e}\u{5d0}" => "\u{5d0}".to_owned(),
        name if name.len() > 200 => format!("{}…", &name[..200]),
        name => name.to_owned(),
    };
    let (mut found, mut expected) = (keys(&page), names.iter().map(shown).collect::<Vec<_>>());
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    assert!(page.contains(", by <bdi>a\"&lt;b&gt;</bdi></h1>") && !page.contains(&"x".repeat(201)));
    // Without their text, two pages are alike: none of it is in a tag.
    let tags = |page: &str| page.split('<').map(|rest| rest.split('>').next().map(str::to_owned)).collect::<Vec<_>>();
    let harmless: String = (0..names.len()).map(|name| json(&name.to_string().as_str())).collect();
    assert_eq!(tags(&page), tags(&summarize("- --by a\"<b> --format html", harmless).ok()));

    let rows = |(name, count): (usize, usize)| format!("{GOOD},{name}\n").repeat(count);
    let many: String = (0..500).map(|name| (name, 1 + usize::from(name % 7 == 0))).map(rows).collect();
    let run = summarize("- --by id --format html", format!("fen,id\n{many}"));
    assert!(run.stderr.contains("note: the page has the 120 of 500 groups with the most positions"), "{}", run.stderr);
    assert!(run.stdout.contains("Here are the 120 groups with the most positions:") && run.stdout.len() < 1 << 18);
    let shown: Vec<usize> = keys(&run.stdout).iter().map(|id| id.parse().expect(id)).collect();
    assert!(shown.is_sorted() && (0..500).step_by(7).all(|id| shown.contains(&id)), "{shown:?}");
    assert_eq!(numbers(&run.stdout)["positions"], 500 + 72, "all groups, also those that are not shown");
}

#[test]
fn games_malformed_lines_and_too_many_groups() {
    let pgn = file("summarize.pgn", b"[White \"A\"]\n\n1. e4 e5 2. Nf3 1-0\n\n[White \"B\"]\n\n1. d4 1/2-1/2\n");
    let out = summarize(&format!("{} --by White,result --format csv", pgn.display()), "").ok();
    let groups: Vec<&str> = out.lines().skip(1).step_by(3 * 64).collect();
    assert!(groups[0].starts_with("A,1-0,4,white_attackers,a1,") && groups[1].starts_with("B,1/2-1/2,2,"), "{out}");
    let out = summarize(&format!("{} --by ply:2 --format csv", pgn.display()), "").ok();
    let groups: Vec<&str> = out.lines().skip(1).step_by(3 * 64).collect();
    assert!(groups[0].starts_with("0,4,") && groups[1].starts_with("2,2,"), "{out}");

    let text = format!("{GOOD}\nnonsense\n{GOOD}\n");
    let directory = directory("not-summarized");
    let path = directory.join("out.csv");
    summarize(&format!("- -o {}", path.display()), text.as_str()).fails("standard input, line 2, column 2: expected");
    assert_eq!(fs::read_dir(&directory).expect("it is there").count(), 0);
    let skipping = summarize("- --on-error skip", text.as_str());
    assert!(skipping.stdout.starts_with("2 positions\n") && skipping.stderr.contains("skipped 1 of 3 positions"));
    summarize("- --by missing", "fen,x\n").fails("has no column \"missing\" to keep");
    summarize("- --by count", format!("fen,count\n{GOOD},1\n")).fails("the output already has a column of that name");

    let many: String = (0..10_001).map(|number| format!("{GOOD},{number}\n")).collect();
    let run =
        summarize(&format!("- --by id,side -o {}", directory.join("out.html").display()), format!("fen,id\n{many}"));
    run.fails("key \"id\" yields more than 10000 groups: use a key with fewer values, such as id:100 for numbers, or fewer products; the formats table, csv");
    assert_eq!(fs::read_dir(&directory).expect("it is there").count(), 0);
    let fewer: String = many.lines().take(10_000).map(|line| format!("{line}\n")).collect();
    let arrays = directory.join("arrays");
    let args = format!("- --by id --what mobility --format npy -o {}", arrays.display());
    summarize(&args, format!("fen,id\n{fewer}")).ok();
    let labels: Value =
        serde_json::from_slice(&fs::read(arrays.join("labels.json")).expect("it is there")).expect("JSON");
    let ids = labels["groups"].as_array().expect("a list").iter().map(|group| group["id"].as_str().expect("text"));
    assert!(ids.eq((0..10_000).map(|id| id.to_string())), "in the order of numbers");
}

/// Groups that go to files a few at a time give the same bytes as those in memory, whatever the keys are.
#[test]
fn groups_in_files_are_those_in_memory() {
    let sample = positions();
    let hostile =
        ["null", "\"\"", "7", "\"07\"", "-1.5", "\"nan\"", "true", "\"\\u0000\"", "\"\u{202e}\u{e9}\"", "[1]"];
    let long = format!("\"{}\"", "x".repeat(60_000));
    let row = |at: usize| {
        let name = match at * at % 12 {
            name @ 0..10 => hostile[name].to_owned(),
            _ if at == 600 => long.clone(),
            _ => format!("\"Player {}\"", at % 700),
        };
        let fen = serde_json::to_string(&sample[at % sample.len()]).expect("text");
        format!("{{\"fen\":{fen},\"name\":{name},\"number\":{}}}\n", at % 91)
    };
    let input = file("groups.jsonl", (0..4_000).map(row).collect::<String>().as_bytes());
    let directory = directory("groups");
    for (by, what) in [("name,number:5,side", "pins,legal_moves"), ("fen", "counts")] {
        let args = format!("{} --by {by} --what {what} --block-bytes 1500", input.display());
        for format in ["csv", "jsonl", "table", "parquet", "npy"] {
            let outputs = ["1000000000", "1 --threads 1", "1 --threads 4", "300000 --keep-going"].map(|memory| {
                let output = directory.join("out");
                let args = format!("{args} --format {format} -o {} --group-memory {memory}", output.display());
                summarize(&args, "").ok();
                if output.is_file() {
                    return vec![fs::read(output).expect("it is there")];
                }
                let files = ["values.npy", "positions.npy", "labels.json"];
                let files = files.map(|name| fs::read(output.join(name)).expect("it is there"));
                fs::remove_dir_all(output).expect("it is there");
                files.into()
            });
            assert!(outputs[0][0].len() > 10_000, "{by}, {format}");
            assert!(outputs.iter().all(|output| *output == outputs[0]), "{by}, {format}");
            let _ = fs::remove_file(directory.join("out"));
        }
    }

    let with = |directory: &str, limit: &str| {
        let args = format!("summarize {} --by fen --group-memory 1", input.display());
        let mut shell = Command::new("sh");
        let inner = command(&args);
        shell.args(["-c", &format!("{limit} exec \"$@\""), "sh"]).arg(inner.get_program()).args(inner.get_args());
        finish(shell.env("TMPDIR", directory), "")
    };
    with("/no/such/directory", "").fails("cannot write groups to a temporary file in /no/such/directory: No such file");
    let place = directory.display().to_string();
    if cfg!(unix) {
        let full = with(&place, "ulimit -f 8;");
        full.fails(&format!("cannot write groups to a temporary file in {place}: File too large"));
    }
    assert_eq!((fs::read_dir(&directory).expect("it is there").count(), with(&place, "").code), (0, Some(0)));
    assert_eq!(fs::read_dir(&directory).expect("it is there").count(), 0);
    let text = format!("{{\"fen\":\"{GOOD}\",\"name\":\"{}\"}}\n", "x".repeat(70_000));
    let [long, good] = [("long.jsonl", text), ("good.jsonl", format!("{{\"fen\":\"{GOOD}\",\"name\":\"x\"}}\n"))]
        .map(|(name, text)| file(name, text.as_bytes()).display().to_string());
    let message = format!("{long}: a group has a value of 70000 bytes for key \"name\": use keys with values of");
    summarize(&format!("{long} --by side,name"), "").fails(&message);
    // Of this file, nothing is added, and the run goes on.
    let run = summarize(&format!("{good} {long} {good} --by side,name --keep-going --format csv"), "");
    assert!(run.code == Some(1) && run.stderr.contains(&format!("failed: {message}")), "{run:?}");
    assert_eq!(run.stdout, summarize(&format!("{good} {good} --by side,name --format csv"), "").ok());
}
