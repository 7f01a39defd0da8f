//! `analyze` on games.

use std::fs::{self, File};

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::{Run, command, directory, file, finish, gzip, run, zstd};

/// Three games: with clocks and evaluations, with a mistake, and without moves.
const GAMES: &str = r#"[Event "Casual"]
[White "Doe, Jane"]
[WhiteElo "2250"]
[Result "1-0"]

1. e4 { [%eval 0.17] [%clk 0:03:00] } e5 { [%eval -1.2] [%clk 0:02:59.5] } 2. Qh5 { [%eval #-4] } 1-0

[White "Roe"]
[WhiteElo "?"]

1. d4 d5 2. Nf9 Nf6 0-1

[White "Poe"]
[WhiteElo "2100"]

*
"#;

/// The same moves in a table, as games of Lichess are on Hugging Face.
const TABLE: &str = "\
White,Result,movetext,WhiteElo
\"Doe, Jane\",1-0,1. e4 { [%eval 0.17] [%clk 0:03:00] } e5 { [%eval -1.2] [%clk 0:02:59.5] } 2. Qh5 { [%eval #-4] } 1-0,2250
Roe,0-1,1. d4 d5 2. Nf9 Nf6 0-1,
Poe,*,*,2100
";

/// Runs `analyze` on these bytes, in a file of this name.
fn analyze(name: &str, bytes: impl AsRef<[u8]>, args: &str) -> Run {
    finish(command("analyze").arg(file(name, bytes.as_ref())).args(args.split_whitespace()), "")
}

#[test]
fn frames_that_several_threads_decompress_are_one_file() {
    let games = GAMES.repeat(4_000);
    // As pzstd does, but what is skipped makes the file so large that threads share it.
    let gap = [b"\x50\x2a\x4d\x18\0\0\x02\0".as_slice(), &[0; 2 << 16]].concat();
    let frames: Vec<Vec<u8>> = games.as_bytes().chunks(20_001).map(|part| [gap.clone(), zstd(part)].concat()).collect();
    assert!(frames.len() > 30);
    let whole = frames.concat();
    let args = "--what threats --on-error skip --keep game,White,ply,san,eval --threads";
    let expected = analyze("plain.pgn", &games, &format!("{args} 1"));
    assert_eq!((expected.code, expected.stdout.lines().count()), (Some(0), 1 + 8 * 4_000));
    for threads in [1, 2, 3, 4, 16] {
        let found = analyze("frames.pgn.zst", &whole, &format!("{args} {threads}"));
        assert!(found.code == Some(0) && found.stdout == expected.stdout, "{threads}: {}", found.stderr);
        let cut = analyze("cut.pgn.zst", &whole[..whole.len() - 1], &format!("{args} {threads}"));
        assert!(cut.code == Some(1) && cut.stderr.ends_with("incomplete frame\n"), "{threads}: {}", cut.stderr);
        assert!(expected.stdout.starts_with(&cut.stdout) && cut.stdout.len() > expected.stdout.len() / 2, "{threads}");
    }
}

#[test]
fn games_become_positions_with_their_record() {
    let args = "--what threats --on-error skip --keep game,White,Result,ply,san,eval,mate,clk,result,fen";
    let expected = "\
line,game,White,Result,ply,san,eval,mate,clk,result,fen,threats
1,1,\"Doe, Jane\",1-0,0,,,,,1-0,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -,
1,1,\"Doe, Jane\",1-0,1,e4,17,,180,1-0,rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -,
1,1,\"Doe, Jane\",1-0,2,e5,-120,,179.5,1-0,rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -,
1,1,\"Doe, Jane\",1-0,3,Qh5,,-4,,1-0,rnbqkbnr/pppp1ppp/8/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR b KQkq -,Qh5xpe5 Qh5xpf7 Qh5xph7
2,2,Roe,,0,,,,,,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -,
2,2,Roe,,1,d4,,,,,rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq -,
2,2,Roe,,2,d5,,,,,rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq -,
3,3,Poe,,0,,,,,,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -,
";
    let name = |ending: &str| format!("record{ending}");
    for (ending, bytes) in [
        (".pgn", GAMES.as_bytes().to_vec()),
        (".txt", GAMES.as_bytes().to_vec()),
        (".pgn.gz", gzip(GAMES.as_bytes())),
        (".pgn.zst", zstd(GAMES.as_bytes())),
        ("-crlf.pgn", GAMES.replace('\n', "\r\n").into_bytes()),
        ("-mark.pgn", format!("\u{feff}{GAMES}").into_bytes()),
    ] {
        let run = analyze(&name(ending), bytes, args);
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), expected), "{ending}");
        assert!(run.stderr.contains("game 2, line 11, column 13, ply 2: expected a move, found \"Nf9\""), "{run:?}");
    }
    let run = run(&format!("analyze - {args}"), GAMES);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), expected));
}

#[test]
fn games_of_a_table_become_positions_with_their_row() {
    let keep = "--what threats --on-error skip --keep White,WhiteElo,ply,san,eval,mate,clk,result,Result,fen";
    let expected = "\
White,WhiteElo,ply,san,eval,mate,clk,result,Result,fen,threats
\"Doe, Jane\",2250,0,,,,,1-0,1-0,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -,
\"Doe, Jane\",2250,1,e4,17,,180,1-0,1-0,rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -,
\"Doe, Jane\",2250,2,e5,-120,,179.5,1-0,1-0,rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -,
\"Doe, Jane\",2250,3,Qh5,,-4,,1-0,1-0,rnbqkbnr/pppp1ppp/8/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR b KQkq -,Qh5xpe5 Qh5xpf7 Qh5xph7
Roe,,0,,,,,,0-1,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -,
Roe,,1,d4,,,,,0-1,rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq -,
Roe,,2,d5,,,,,0-1,rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq -,
Poe,2100,0,,,,,,*,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -,
";
    // The command itself makes JSON lines and Parquet of a table that has positions, too.
    let position = |at: usize| if at == 0 { "fen" } else { "4k3/8/8/8/8/8/8/4K3 w - -" };
    let table: String = TABLE.lines().enumerate().map(|(at, line)| format!("{line},{}\n", position(at))).collect();
    let folder = directory("tables-of-games");
    for name in ["table.csv", "table.jsonl", "table.parquet"] {
        let path = folder.join(name);
        let table =
            analyze("table.csv", &table, &format!("--keep White,Result,movetext,WhiteElo -o {}", path.display()));
        assert_eq!(table.code, Some(0), "{table:?}");
        let run = finish(command(&format!("analyze --column movetext {keep}")).arg(&path), "");
        let rows: String =
            run.stdout.lines().map(|row| row.split_once(',').expect("a number").1.to_owned() + "\n").collect();
        assert_eq!((run.code, rows.as_str()), (Some(0), expected), "{name}");
        let mistake = ", field \"movetext\", column 13, ply 2: expected a move, found \"Nf9\"";
        assert!(run.stderr.contains(mistake), "{run:?}");
    }
}

#[test]
fn puzzles_begin_after_the_first_move() {
    let table = "PuzzleId,FEN,Moves,Rating
00008,r6k/pp2r2p/4Rp1Q/3p4/8/1N1P2R1/PqP2bPP/7K b - - 0 24,f2g3 e6e7 b2b1 b3c1 b1c1 h6c1,1807
0000D,5rk1/1p3ppp/pq3b2/8/8/1P1Q1N2/P4PPP/3R2K1 w - - 2 27,d3d6 f8d8 d6d8 f6d8,1502
000hf,4k3/8/8/8/8/8/8/4K3 w - - 0 1,e1e3,1502
";
    let run = analyze("puzzles.csv", table, "--after-first-move --keep PuzzleId --what threats --on-error null");
    let expected = "\
line,PuzzleId,threats
2,00008,Ph2xbg3 Re6xpf6 Re6xre7 Qh6xpf6 Qh6xph7 bg3xPh2 re7xRe6 qb2xPa2 qb2xPc2 qb2xNb3
3,0000D,Qd6xqb6 Qd6xbf6 Qd6xrf8 qb6xPf2 qb6xPb3 qb6xQd6
4,000hf,
";
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), expected), "{run:?}");
    analyze("puzzles.csv", table, "--after-first-move")
        .fails("puzzles.csv, line 4, field \"Moves\": expected a legal move, found \"e1e3\"");
    analyze("no-moves.csv", "fen,a\n", "--after-first-move")
        .fails("no-moves.csv has no column \"Moves\" for --after-first-move; its columns are fen, a");
    analyze("no-moves.pgn", GAMES, "--after-first-move")
        .fails("no-moves.pgn has no column of moves: --after-first-move is for CSV, JSON lines and Parquet");
    analyze("table.csv", TABLE, "--column movetext --games WhiteElo>=2200")
        .fails("table.csv: --games compares tags of PGN, and column \"movetext\" is none");
}

#[test]
fn numbers_are_numbers_in_every_format() {
    let args = "--what threats --on-error null --keep ply,eval,clk,White";
    let run = analyze("numbers.pgn", GAMES, &format!("{args} --format jsonl"));
    let rows: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(rows[2], r#"{"line":1,"ply":2,"eval":-120,"clk":179.5,"White":"Doe, Jane","threats":[]}"#);
    assert_eq!(rows[7], r#"{"line":2,"ply":3,"eval":null,"clk":null,"White":"Roe","threats":null}"#);
    let path = directory("games-as-Parquet").join("games.parquet");
    assert_eq!(analyze("numbers.pgn", GAMES, &format!("{args} -o {}", path.display())).code, Some(0));
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(File::open(&path).expect("it is there")).expect("it is Parquet");
    let types: Vec<String> =
        reader.schema().fields().iter().take(5).map(|field| field.data_type().to_string()).collect();
    assert_eq!(types, ["UInt64", "Int64", "Int64", "Float64", "Utf8"]);
    let rows: usize =
        reader.build().expect("it can be read").map(|batch| batch.expect("it can be read").num_rows()).sum();
    assert_eq!(rows, 9);
}

#[test]
fn mistakes_in_games_are_reported() {
    let run = analyze("mistake.pgn", GAMES, "--what threats");
    assert_eq!((run.code, run.stdout.lines().count()), (Some(1), 1 + 4 + 3));
    run.fails("mistake.pgn, game 2, line 11, column 13, ply 2: expected a move, found \"Nf9\"");
    let run = analyze("mistake.pgn", GAMES, "--what threats --on-error report --keep ply");
    let rows: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(rows.len(), 1 + 4 + 4 + 1);
    assert!(rows[8].starts_with("2,3,,\"line 11, column 13, ply 2: expected"), "{}", rows[8]);
    let run = analyze("mistake.pgn", GAMES, "--what threats --limit 7");
    assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 8));
}

/// What people write, and the rows of each game: its number, the last move, the result and the tag `White`.
const PEOPLE: &str = "\
[Event \"a\"] [White \"Doe\"] [Result \"1-0\"] 1. e4 e5 2. Nf3+- 1-0
[Event \"b\"]

[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]

[White \"Roe\"]
{ a comment }

  1. e3 {[%eval 23,14]} Kd7= 1/2 - 1/2

[White \"Poe\"]

[White \"Moe\"]
[Result \"0-0\"]

0-0

[pgn]1.\u{a0}d4 d5 ½–½[/pgn]
";

#[test]
fn what_people_write_is_read() {
    let rows = "\
1,0,,,1-0,Doe\n1,1,e4,,1-0,Doe\n1,2,e5,,1-0,Doe\n1,3,Nf3,,1-0,Doe
2,0,,,1/2-1/2,Roe\n2,1,e3,23,1/2-1/2,Roe\n2,2,Kd7,,1/2-1/2,Roe
3,0,,,,Poe
4,0,,,0-0,Moe
5,0,,,1/2-1/2,\n5,1,d4,,1/2-1/2,\n5,2,d5,,1/2-1/2,
";
    let args = "--what threats --no-header --keep game,ply,san,eval,result,White";
    let found = |run: Run| -> String {
        run.ok().lines().map(|row| row.split(',').skip(1).take(6).collect::<Vec<_>>().join(",") + "\n").collect()
    };
    for (name, bytes) in [
        ("people.pgn", PEOPLE.as_bytes().to_vec()),
        ("people.txt", PEOPLE.as_bytes().to_vec()),
        ("people-crlf.pgn", PEOPLE.replace('\n', "\r\n").into_bytes()),
        ("people.pgn.zst", zstd(PEOPLE.as_bytes())),
    ] {
        assert_eq!(found(analyze(name, bytes, args)), rows, "{name}");
    }
    assert_eq!(found(run(&format!("analyze - {args}"), PEOPLE)), rows);
    // In blocks and in shards, each copy has the same games.
    let path = file("people-many.pgn", PEOPLE.repeat(2_000).as_bytes());
    let shards = |of: usize| -> Vec<String> {
        let shard = |number| {
            let run = finish(command(&format!("analyze {args} --shard {number}/{of}")).arg(&path), "");
            found(run).lines().map(|row| row.split_once(',').unwrap_or_default().1.to_owned()).collect::<Vec<_>>()
        };
        (1..=of).flat_map(shard).collect()
    };
    let each: Vec<&str> = rows.lines().map(|row| row.split_once(',').unwrap_or_default().1).collect();
    for of in [1, 3, 8] {
        let found = shards(of);
        assert!(
            found.len() == 2_000 * each.len() && found.iter().eq(each.iter().cycle().take(found.len())),
            "{of} shards"
        );
    }
    // A double forfeit is no outcome to learn from.
    let text = "[Result \"0-0\"]\n\n1. e4 {[%eval 0.3]} e5 {[%eval 0.2]} 0-0\n";
    let run = finish(command("convert --to bulletformat -o -").arg(file("forfeit.pgn", text.as_bytes())), "");
    assert!(run.stdout.is_empty() && run.stderr.contains("result"), "{run:?}");
}

#[test]
fn a_variant_is_told_with_a_way_out() {
    let text = "[Variant \"Crazyhouse\"]\n\n1. e4 *\n\n[White \"Doe\"]\n\n1. d4 *\n";
    let what = "game 1, line 1, column 11, ply 0: expected chess or Chess960, found \"Crazyhouse\"";
    analyze("variant.pgn", text, "--what threats").fails(&format!("{what}; --on-error skip leaves out such games"));
    let run = analyze("variant.pgn", text, "--what threats --no-header --on-error skip");
    assert!(run.code == Some(0) && run.stderr.contains(what) && run.stdout.lines().count() == 2, "{run:?}");
}

#[test]
fn games_and_plies_are_chosen() {
    let rows = |args: &str| -> Vec<String> {
        let run = analyze("chosen.pgn", GAMES, &format!("--what threats --keep game,ply {args}"));
        assert_eq!(run.code, Some(0), "{run:?}");
        run.stdout.lines().skip(1).map(|row| row.split(',').skip(1).take(2).collect::<Vec<_>>().join(" ")).collect()
    };
    assert_eq!(rows("--games WhiteElo>=2200"), ["1 0", "1 1", "1 2", "1 3"]);
    assert_eq!(rows("--games WhiteElo<2200 --to-ply 0"), ["3 0"]);
    assert_eq!(rows("--games WhiteElo>=2100 --games WhiteElo<2200"), ["3 0"]);
    assert_eq!(rows("--games WhiteElo>=2100,Result=1-0 --from-ply 1"), ["1 1", "1 2", "1 3"]);
    assert_eq!(rows("--games Result=1-0 --from-ply 1 --to-ply 3 --every 2"), ["1 1", "1 3"]);
    assert_eq!(rows("--to-ply 1"), ["1 0", "1 1", "2 0", "2 1", "3 0"]);
    assert_eq!(rows("--games Missing=1"), [""; 0]);
    let variations = analyze("variations.pgn", "1. e4 (1. d4 d5) e5 *", "--variations --what threats --keep san,depth");
    let sans: Vec<String> =
        variations.ok().lines().skip(1).map(|row| row.split(',').skip(1).take(2).collect()).collect();
    assert_eq!(sans, ["0", "e40", "d41", "d51", "e50"]);
}

#[test]
fn what_cannot_be_chosen_is_an_error() {
    for (args, message) in [
        ("--games WhiteElo", "expected a tag, =, !=, <, <=, > or >=, and a value"),
        ("--games WhiteElo>=", "expected a value for the tag WhiteElo"),
        ("--every 0", "0 is not in 1.."),
        ("--from-ply 3 --to-ply 2", "--to-ply is before --from-ply"),
    ] {
        let run = analyze("wrong.pgn", GAMES, args);
        assert!(run.code == Some(2) && run.stderr.contains(message), "{args}: {run:?}");
    }
    for args in ["--games A=1", "--variations", "--every 2", "--to-ply 5", "--from-ply 1"] {
        let run = analyze("no-games.epd", "4k3/8/8/8/8/8/8/4K3 w - -\n", args);
        run.fails("no-games.epd has no games: --games, --games-where, --variations, --from-ply, --to-ply and --every are for PGN");
    }
    analyze("twice.pgn", GAMES, "--keep ply,ply").fails("cannot keep column \"ply\"");
}

#[test]
fn shards_are_cut_at_games() {
    let directory = directory("shards of games");
    let game = |number: usize| {
        let (moves, number) = (["e4 e5 2. Nf3", "d4", "Nf9", ""][number % 4], number * number);
        format!("[Event \"{}\"]\n[Round \"{number}\"]\n\n1. {moves} *\n\n", "x".repeat(number % 300))
    };
    let text = "1. e4 *\n1. d4 *\n\n".to_owned() + &(0..200).map(game).collect::<String>();
    fs::write(directory.join("a.pgn"), &text).expect("it can be written");
    fs::write(directory.join("b.epd"), "4k3/8/8/8/8/8/8/4K3 w - -\n".repeat(30)).expect("it can be written");
    fs::write(directory.join("c.pgn"), text.replace('\n', "\r\n")).expect("it can be written");
    let analyze = |args: &str| {
        let [skipped, reported] = ["skip", "report"].map(|on_error| {
            let mut command = command("analyze --what threats --no-header --on-error");
            finish(command.arg(on_error).args(args.split(' ')).arg(&directory), "")
        });
        let mistakes = skipped.skipped().1;
        (skipped.stdout, mistakes, reported.stdout)
    };
    let whole = analyze("--threads 1");
    assert!(whole.0.lines().count() > 500 && whole.1 == 100);
    for of in [1, 2, 3, 7, 60, 900] {
        let (mut rows, mut mistakes, mut reports, mut filled) = (String::new(), 0, String::new(), 0);
        for number in 1..=of {
            // Of this many shards, some are enough.
            let part = if of < 100 || number % 30 == 1 { analyze(&format!("--shard {number}/{of}")) } else { continue };
            filled += usize::from(!part.0.is_empty());
            rows += &part.0;
            mistakes += part.1;
            reports += &part.2;
        }
        if of < 100 {
            assert!(rows == whole.0 && mistakes == whole.1 && reports == whole.2, "{of} shards");
            assert!(filled as u32 >= of.min(40), "{filled} of {of}");
        } else {
            assert!(rows.lines().all(|row| whole.0.contains(row)) && filled > 10, "{filled}");
        }
    }
}

#[test]
fn a_tag_that_no_game_has_is_a_warning() {
    let other = "[White \"A\"]\n[BlackElo \"1\"]\n[ECO \"B90\"]\n\n1. e4 *\n";
    let directory = directory("tags that no game has");
    for (name, text) in [("a.pgn", GAMES), ("b.pgn", other), ("c.pgn", "")] {
        fs::write(directory.join(name), text).expect("it can be written");
    }
    let run_in = |args: &str| finish(command(args).current_dir(&directory), "");
    let skip = "--on-error skip";
    for (args, expected) in [
        (format!("analyze a.pgn --keep WhiteELO {skip}"), "no game has a tag \"WhiteELO\"; did you mean \"WhiteElo\"?"),
        (format!("analyze a.pgn b.pgn --keep Elo,ECO {skip}"), "no game has a tag \"Elo\"; did you mean \"BlackElo\"?"),
        (format!("analyze a.pgn --keep Ply {skip}"), "no game has a tag \"Ply\"; did you mean \"ply\"?"),
        (format!("analyze a.pgn --keep Opening {skip}"), "no game has a tag \"Opening\""),
        (
            "analyze a.pgn --games WhiteELO>=2000".to_owned(),
            "no game has a tag \"WhiteELO\"; did you mean \"WhiteElo\"?",
        ),
        ("analyze a.pgn --games ply>=2".to_owned(), "no game has a tag \"ply\""),
        (
            "analyze a.pgn --keep WhiteELO --games WhiteELO>=2000".to_owned(),
            "no game has a tag \"WhiteELO\"; did you mean \"WhiteElo\"?",
        ),
        (
            "analyze . --keep blackelo --games White=A".to_owned(),
            "no game has a tag \"blackelo\"; did you mean \"BlackElo\"?",
        ),
        (
            "analyze a.pgn --keep WhiteELO --limit 2".to_owned(),
            "none of the games read has a tag \"WhiteELO\"; did you mean \"WhiteElo\"?",
        ),
        (
            format!("analyze a.pgn b.pgn --keep eco --shard 2/2 {skip}"),
            "none of the games read has a tag \"eco\"; did you mean \"ECO\"?",
        ),
        (format!("summarize b.pgn a.pgn --by eco {skip}"), "no game has a tag \"eco\"; did you mean \"ECO\"?"),
        (
            format!("summarize a.pgn --by WhiteELO:100,side {skip}"),
            "no game has a tag \"WhiteELO\"; did you mean \"WhiteElo\"?",
        ),
        ("convert b.pgn --to csv --score Eval".to_owned(), "no game has a tag \"Eval\"; did you mean \"eval\"?"),
        ("convert b.pgn --to csv --games Wite=A".to_owned(), "no game has a tag \"Wite\"; did you mean \"White\"?"),
        (format!("analyze . --keep eco --output-dir out {skip}"), "no game has a tag \"eco\"; did you mean \"ECO\"?"),
    ] {
        assert_eq!(run_in(&args).warning(), expected, "{args}");
    }
    // What is in a file that cannot be read is not known.
    let cut = gzip(GAMES.as_bytes());
    fs::write(directory.join("d.pgn.gz"), &cut[..cut.len() / 2]).expect("it can be written");
    let run = run_in("analyze b.pgn d.pgn.gz --keep eco --output-dir cut --on-error skip");
    let expected = "\nslider-attacks: warning: none of the games read has a tag \"eco\"; did you mean \"ECO\"?\n";
    assert!(run.code == Some(1) && run.stderr.contains(expected), "{run:?}");
    fs::remove_file(directory.join("d.pgn.gz")).expect("it is there");
    // Nothing is missing from no games, and what one game has is there.
    for args in [
        "analyze c.pgn --keep WhiteELO --games BlackELO>1",
        "analyze b.pgn c.pgn --keep White,ECO,ply --games BlackElo>0",
        "analyze a.pgn b.pgn --on-error skip --keep ECO --games WhiteElo>0",
        "analyze a.pgn --on-error skip --keep all",
        "analyze a.pgn --keep WhiteELO --limit 0",
        "summarize b.pgn --by side,phase,White",
        "convert b.pgn --to csv",
    ] {
        let run = run_in(args);
        assert!(run.code == Some(0) && !run.stderr.contains("warning"), "{run:?}");
    }
    // One run, one warning, however many games and files there are.
    let many = GAMES.replace("Nf9", "Nf3").repeat(20_000);
    fs::write(directory.join("many.pgn"), many).expect("it can be written");
    let files = ["many.pgn"; 5].join(" ");
    for threads in [1, 4] {
        let run = run_in(&format!(
            "summarize {files} --by eco,Whitee,white --games Whiteelo>0,WhiteElo>0 --threads {threads}"
        ));
        let warnings: Vec<&str> = run.stderr.lines().filter(|line| line.contains("warning")).collect();
        assert_eq!(warnings.len(), 4, "{run:?}");
    }
}

/// Nothing shows where games without tags begin that follow one with tags. They are an error also if that one is not read, or not to
/// its end.
#[test]
fn games_without_tags_are_not_passed_over_in_silence() {
    let last = "[White \"B\"]\n\n1. c4 *\n";
    for (one, lost) in [
        ("1. e4 e5 1-0\n\n1. d4 d5 0-1\n", Some("line 5, column 1")),
        ("1. e4 e5 1/2-1/2 d4 d5\n", Some("line 3, column 18")),
        ("1. e4 (1. d4 1-0) e5 {*} * ; *\n1. d4", Some("line 4, column 1")),
        ("1. e4 {1-0 1. d4} (1. d4 {1-0} 1-0) e5 1-0 {1. d4}\n; 1. d4\n", None),
        ("1. e4 e5 2. Nf3-g1 1-0 1-0\n\n", None),
        ("1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. 0-0 O-O {[%eval -0.3]} *\n", None),
    ] {
        let games = format!("[White \"A\"]\n\n{one}\n{last}");
        for (args, rows) in [("--games White=B", 2), ("--games White=B --each-move", 40), ("--to-ply 0", 2)] {
            let args = format!("analyze - {args} --what legal_moves --no-header");
            let skipping = run(&format!("{args} --on-error skip"), games.as_str());
            assert_eq!((skipping.stdout.lines().count(), skipping.code), (rows, Some(0)), "{args} {skipping:?}");
            let (skipped, _) = skipping.skipped();
            assert_eq!(skipped.len(), usize::from(lost.is_some()), "{args} {skipping:?}");
            let Some(place) = lost else { continue };
            assert!(skipped[0].contains(&format!("game 1, {place}, ply 0: expected tags")), "{skipping:?}");
            let failed = run(&args, games.as_str());
            assert!(failed.code == Some(1) && failed.stderr.contains("expected tags or the end after"), "{failed:?}");
            assert_eq!(run(&format!("{args} --on-error null"), games.as_str()).stdout.lines().count(), rows + 1);
        }
    }
}
