//! Table columns with positions, moves or games: all formats give the same results.

use std::io::Cursor;
use std::ops::ControlFlow;
#[cfg(feature = "parquet")]
use std::sync::Arc;

use anyhow::Result;
#[cfg(feature = "parquet")]
use arrow_array::{Array, ArrayRef, Int16Array, RecordBatch, StringArray};
use slider_attacks::position::Positions;
use slider_attacks_arrow::OnError;
use slider_attacks_files::block::ReadLimits;
use slider_attacks_files::input::{Input, Stream};
use slider_attacks_files::inputs::Inputs;
use slider_attacks_formats::columns::{KeptColumn, text_of_json};
use slider_attacks_formats::games::{Condition, Games};
use slider_attacks_formats::request::Wanted;

/// Columns of a table, and their values in each row.
type Table<'t> = Vec<(&'t str, Vec<Option<String>>)>;

/// A format of tables, and how it is written.
type Writer = fn(&Table<'_>) -> Vec<u8>;

const FORMATS: &[(&str, Writer)] = &[
    ("x.csv", csv),
    ("x.jsonl", jsonl),
    #[cfg(feature = "parquet")]
    ("x.parquet", parquet),
];

fn rows<'t>(table: &'t Table<'_>) -> impl Iterator<Item = Vec<(&'t str, Option<&'t str>)>> {
    let row = |row: usize| table.iter().map(move |(name, values)| (*name, values[row].as_deref())).collect();
    (0..table[0].1.len()).map(row)
}

fn csv(table: &Table<'_>) -> Vec<u8> {
    let field = |text: &str| match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    let names = table.iter().map(|(name, _)| field(name)).collect::<Vec<_>>().join(",");
    let row =
        |row: Vec<(&str, Option<&str>)>| row.iter().map(|(_, text)| field(text.unwrap_or(""))).collect::<Vec<_>>();
    let lines: String = rows(table).map(|fields| row(fields).join(",") + "\n").collect();
    format!("{names}\n{lines}").into_bytes()
}

fn jsonl(table: &Table<'_>) -> Vec<u8> {
    let line = |row: Vec<(&str, Option<&str>)>| {
        let member =
            |(name, text): &(&str, Option<&str>)| format!("{}:{}", serde_json::json!(name), serde_json::json!(text));
        format!("{{{}}}\n", row.iter().map(member).collect::<Vec<_>>().join(","))
    };
    rows(table).map(line).collect::<String>().into_bytes()
}

#[cfg(feature = "parquet")]
fn parquet(table: &Table<'_>) -> Vec<u8> {
    let columns =
        table.iter().map(|(name, values)| (*name, Arc::new(StringArray::from(values.clone())) as ArrayRef, true));
    written(RecordBatch::try_from_iter_with_nullable(columns).unwrap())
}

#[cfg(feature = "parquet")]
fn written(batch: RecordBatch) -> Vec<u8> {
    let mut writer = ::parquet::arrow::ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

fn texts(values: &[&str]) -> Vec<Option<String>> {
    values.iter().map(|&text| Some(text.to_owned())).collect()
}

fn wanted(column: &str, keep: &str) -> Wanted {
    let keep = keep.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    Wanted { column: column.to_owned(), keep, any_fields: true, ..Wanted::default() }
}

/// What is read of an input: its columns, its rows and its messages; each row and each message with the number of its unit.
#[derive(Debug, Default, PartialEq)]
struct Found {
    columns: Vec<String>,
    rows: Vec<(u64, String)>,
    messages: Vec<(u64, String)>,
}

impl Found {
    /// The values of the rows, without the positions.
    fn values(&self) -> Vec<&str> {
        self.rows.iter().map(|(_, row)| row.split_once(" | ").map_or("", |(_, values)| values)).collect()
    }
}

/// Few records at a time, so that reading goes on within blocks.
const SOME: ReadLimits = ReadLimits { limit: usize::MAX, enough: 7 };

fn read(name: &str, bytes: Vec<u8>, wanted: &Wanted, on_error: OnError) -> Result<Found> {
    let (mut found, mut blocks) = (Found::default(), 0);
    Inputs::of(vec![Input::stream(Stream::new(name, Cursor::new(bytes)), 0)], "")?.read(wanted, &mut |mut block| {
        while let Some(records) = block.next(SOME, on_error, Positions::new())? {
            assert_eq!(records.numbers.len(), records.positions.len());
            found.columns = block.origin.columns().to_vec();
            let mut nulls = records.nulls.iter().peekable();
            for (row, number) in records.numbers.iter().enumerate() {
                let is_null = nulls.next_if(|(place, _)| *place == row).is_some();
                let fen = if is_null { "null".to_owned() } else { records.positions.fen(row).to_string() };
                let value = |column: &KeptColumn| match column {
                    KeptColumn::Text(texts) | KeptColumn::Fields(texts) => texts.get(row).unwrap_or("-").to_owned(),
                    KeptColumn::Json(texts) => texts.get(row).and_then(text_of_json).unwrap_or("-".into()).into_owned(),
                    KeptColumn::Numbers(numbers) => {
                        numbers.get(row).map_or("-".to_owned(), |value| numbers.text(value))
                    }
                    #[cfg(feature = "parquet")]
                    KeptColumn::Array(_, array) => {
                        let array = arrow_array::cast::AsArray::as_string_opt::<i32>(array).expect("a column of text");
                        if array.iter().nth(row).flatten().is_none() {
                            "-".to_owned()
                        } else {
                            array.value(row).to_owned()
                        }
                    }
                };
                let values: Vec<String> = records.kept.iter().map(value).collect();
                // In CSV, a field without text is empty.
                let values = values.into_iter().map(|value| if value.is_empty() { "-".to_owned() } else { value });
                found.rows.push((*number, [fen].into_iter().chain(values).collect::<Vec<_>>().join(" | ")));
            }
            let malformed = records.skipped.iter().chain(records.nulls.iter().map(|(_, malformed)| malformed));
            found.messages.extend(malformed.map(|malformed| (malformed.number, malformed.what.to_string())));
            blocks += 1;
            block.origin.check(records.failure.as_ref())?;
        }
        Ok(ControlFlow::Continue(()))
    })?;
    assert!(blocks > 0);
    Ok(found)
}

/// Numbers that follow no pattern.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % end
    }
}

/// The moves of a game, some of them wrong.
fn game(random: &mut Random) -> String {
    let moves = [
        "e4", "d4", "e5", "d5", "Nf3", "Nc6", "Nf6", "Bb5", "a6", "c4", "O-O", "Nc3", "exd5", "g6", "--", "Nf9", "e2e4",
    ];
    let others = [
        "{ a \"comment\", and more } ",
        "{ [%eval 0.17] [%clk 0:03:00] } ",
        "$1 ",
        "1. ",
        "\n",
        "; to the end\r\n",
        "( ",
        ") ",
        "{ é \\ \u{1} } ",
        "(1. d4 Nf6) ",
    ];
    let mut text = String::new();
    for _ in 0..1 + random.below(30) {
        match random.below(4) {
            0 => text += others[random.below(others.len())],
            _ => text += &format!("{} ", moves[random.below(moves.len())]),
        }
    }
    format!("1. e4 {text} {}", ["1-0", "0-1", "1/2-1/2", "*", ""][random.below(5)])
}

#[test]
fn a_table_of_games_gives_what_pgn_gives() {
    const OWN: &str = "ply,san,White,uci,move,next_san,next_uci,next_move,eval,mate,clk,result,depth,fen,Round";
    let mut random = Random(3);
    for round in 0..120 {
        let games: Vec<String> = (0..1 + random.below(20)).map(|_| game(&mut random)).collect();
        let tags = |at: usize| format!("[White \"W {at}, \\\"x\\\"\"]\n[Round \"{}\"]\n\n", at % 7);
        let pgn: String = games.iter().enumerate().map(|(at, game)| tags(at) + game + "\n\n").collect();
        let has_tags = round % 3 == 0;
        let texts = games.iter().enumerate().map(|(at, game)| if has_tags { tags(at) + game } else { game.clone() });
        let column = if has_tags { "PGN" } else { "Movetext" };
        let values = |value: &dyn Fn(usize) -> String| (0..games.len()).map(|at| Some(value(at))).collect();
        let table: Table<'_> = vec![
            ("Round", values(&|at| (at % 7).to_string())),
            (column, texts.map(Some).collect()),
            ("white", values(&|at| format!("W {at}, \"x\""))),
        ];
        let mut wanted = wanted(&column.to_lowercase(), if round % 4 == 3 { "" } else { OWN });
        wanted.block_bytes = [None, Some(1 + random.below(2_000))][round % 2];
        wanted.games = Games {
            variations: round % 5 < 2,
            from_ply: [0, 3][usize::from(round % 7 == 6)],
            to_ply: [u32::MAX, 9][usize::from(round % 11 > 7)],
            every: [1, 2][usize::from(round % 13 == 12)],
            ..Games::default()
        };
        let on_error = [OnError::Skip, OnError::Null, OnError::Report][round % 3];
        let expected = read("x.pgn", pgn.into_bytes(), &wanted, on_error).unwrap();
        for (name, write) in FORMATS {
            let found = read(name, write(&table), &wanted, on_error).unwrap();
            let shown = || format!("{name}, {games:#?}, {:?}, {on_error}", wanted.games);
            assert_eq!(found.values(), expected.values(), "{}", shown());
            let fens = |found: &Found| {
                found.rows.iter().map(|(_, row)| row.split(" | ").next().unwrap().to_owned()).collect::<Vec<_>>()
            };
            assert_eq!(fens(&found), fens(&expected), "{}", shown());
            let problems = |found: &Found| -> Vec<String> {
                found.messages.iter().map(|(_, what)| what.split_once("ply ").unwrap().1.to_owned()).collect()
            };
            assert_eq!(problems(&found), problems(&expected), "{}", shown());
            if *name != "x.csv" {
                let numbers = |found: &Found| found.rows.iter().map(|(number, _)| *number).collect::<Vec<_>>();
                assert_eq!(numbers(&found), numbers(&expected), "{}", shown());
            }
        }
    }
}

#[test]
fn each_mistake_is_one_of_its_row() {
    let cells = [
        "1. e4 e5 2. Nf9 Nf6 1-0",
        "1. d4 *",
        "[White \"x\"]\n\n1. e4\n  (1. d4 e4) 1-0",
        "",
        "{ no moves }",
        "1. e4 1-0 1. d4 0-1",
        "*",
        "[FEN \"8/8 w - -\"]\n\n*",
        "1. e4 {",
        "[Variant \"Atomic\"]\n\n1. e4 *",
    ];
    let expected = [
        (1, "column 13, ply 2: expected a move, found \"Nf9\""),
        (3, "line 4, column 10, ply 1: expected a legal move, found \"e4)\""),
        (4, ": expected a game, found none"),
        (5, ": expected a game, found none"),
        (6, ": expected a game, found several"),
        (8, "column 7, ply 0: tag FEN: column 4: expected 8 ranks separated by /, found 2"),
        (9, "column 7, ply 1: expected a comment or variation that ends, found \"{\""),
        (10, "column 11, ply 0: expected chess or Chess960, found \"Atomic\""),
    ];
    let table = vec![("movetext", texts(&cells)), ("Id", (1..=10).map(|id| Some(format!("#{id}"))).collect())];
    for (name, write) in FORMATS {
        let games = Games { variations: true, ..Games::default() };
        let wanted = Wanted { games, ..wanted("movetext", "Id,ply") };
        let found = read(name, write(&table), &wanted, OnError::Skip).unwrap();
        let ids: Vec<&str> = found.values().into_iter().map(|values| values.split(' ').next().unwrap()).collect();
        let expected_ids: Vec<&str> = [("#1", 3), ("#2", 2), ("#3", 3), ("#6", 2), ("#7", 1), ("#9", 2)]
            .iter()
            .flat_map(|&(id, count)| std::iter::repeat_n(id, count))
            .collect();
        assert_eq!(ids, expected_ids, "{name}");
        for ((number, what), (row, expected)) in found.messages.iter().zip(expected) {
            let comma = if expected.starts_with(':') { "" } else { ", " };
            assert_eq!(*what, format!("field \"movetext\"{comma}{expected}"), "{name}");
            assert!(name == &"x.csv" || *number == row, "{name}: {number}, {what}");
        }
        assert_eq!(found.messages.len(), expected.len());
        // With their rows, which have what is kept of the row.
        let report = read(name, write(&table), &wanted, OnError::Report).unwrap();
        assert_eq!(report.messages, found.messages);
        let nulls: Vec<&(u64, String)> = report.rows.iter().filter(|(_, row)| row.starts_with("null")).collect();
        let nulls: Vec<&str> = nulls.iter().map(|(_, row)| row.as_str()).collect();
        let of = ["#1 | 3", "#3 | 2", "#4 | -", "#5 | -", "#6 | -", "#8 | 1", "#9 | 2", "#10 | 1"];
        assert_eq!(nulls, of.map(|values| format!("null | {values}")), "{name}");
        let error = read(name, write(&table), &wanted, OnError::Fail).unwrap_err().to_string();
        assert!(error.contains(" 1, field \"movetext\", column 13") || error.contains("line 2, field"), "{error}");
    }
}

#[test]
fn missing_games_are_mistakes() {
    let table: Table<'_> = vec![("movetext", vec![None, Some("1. e4 *".to_owned())]), ("Id", texts(&["a", "b"]))];
    for (name, write) in FORMATS {
        let found = read(name, write(&table), &wanted("movetext", "Id,ply,result"), OnError::Null).unwrap();
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        let after = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -";
        let rows: Vec<&str> = found.rows.iter().map(|(_, row)| row.as_str()).collect();
        assert_eq!(
            rows,
            ["null | a | - | -", &format!("{start} | b | 0 | -"), &format!("{after} | b | 1 | -")],
            "{name}"
        );
        let what = match *name {
            "x.csv" => "field \"movetext\": expected a game, found none",
            "x.jsonl" => "JSON: field \"movetext\": expected text, found null",
            _ => "field \"movetext\": expected a game, found null",
        };
        assert_eq!(found.messages[0].1, what);
    }
}

#[test]
fn columns_of_games_have_their_names_first() {
    let table = vec![
        ("movetext", texts(&["1. e4 { [%clk 0:01:00] } 1-0"])),
        ("Result", texts(&["0-1"])),
        ("ply", texts(&["all"])),
        ("Opening", texts(&["King's Pawn"])),
    ];
    for (name, write) in FORMATS {
        let read = |keep: &str| read(name, write(&table), &wanted("movetext", keep), OnError::Fail).unwrap();
        let some = read("result,Result,opening,ply,clk");
        let opening = if *name == "x.jsonl" { "opening" } else { "Opening" };
        assert_eq!(some.columns, ["result", "Result", opening, "ply", "clk"]);
        assert_eq!(some.values()[1], "1-0 | 0-1 | King's Pawn | 1 | 60");
        let all = read("all");
        let own = "ply san uci move next_san next_uci next_move halfmove fullmove eval mate clk result depth fen";
        let others = if *name == "x.jsonl" { "" } else { " Result Opening" };
        assert_eq!(all.columns.join(" "), own.to_owned() + others);
        let kept =
            if *name == "x.jsonl" { "\"Result\":\"0-1\",\"Opening\":\"King's Pawn\"" } else { "0-1 | King's Pawn" };
        let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -";
        assert_eq!(
            all.values()[1],
            format!("1 | e4 | e2e4 | 1804 | - | - | - | 0 | 1 | - | - | 60 | 1-0 | 0 | {fen} | {kept}")
        );
    }
    for (name, write) in &FORMATS[..1] {
        let error = read(name, write(&table), &wanted("movetext", "PLY,ply"), OnError::Fail).unwrap_err();
        assert_eq!(
            error.to_string(),
            "x.csv: cannot keep column \"ply\": the output already has a column of that name"
        );
        let error = read(name, write(&table), &wanted("movetext", "game"), OnError::Fail).unwrap_err();
        assert_eq!(
            error.to_string(),
            "x.csv has no column \"game\" to keep; its columns are ply, san, uci, move, next_san, next_uci, next_move, \
             halfmove, fullmove, eval, mate, clk, result, depth, fen, Result, Opening"
        );
    }
}

#[test]
fn a_game_begins_where_its_row_says() {
    let start = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    let table: Table<'_> = vec![
        (
            "pgn",
            texts(&[
                "1. e4 *",
                "1. e4 *",
                "[FEN \"4k3/8/8/8/8/8/3P4/4K3 w - -\"]\n\n1. d4 *",
                "1. e4 *",
                "*",
                "1. O-O-O *",
            ]),
        ),
        ("FEN", texts(&[start, "", start, "8/8 w - -", start, "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1"])),
    ];
    for (name, write) in FORMATS {
        let found = read(name, write(&table), &wanted("pgn", ""), OnError::Skip).unwrap();
        let rows: Vec<&str> = found.rows.iter().map(|(_, row)| row.as_str()).collect();
        assert_eq!(
            rows,
            [
                "4k3/8/8/8/8/8/4P3/4K3 w - -",
                "4k3/8/8/8/4P3/8/8/4K3 b - -",
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
                "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -",
                "4k3/8/8/8/8/8/3P4/4K3 w - -",
                "4k3/8/8/8/3P4/8/8/4K3 b - -",
                "4k3/8/8/8/8/8/4P3/4K3 w - -",
                "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb -",
                "1r2k1r1/8/8/8/8/8/8/2KR2R1 b gb -",
            ]
        );
        assert_eq!(found.messages[0].1, "field \"FEN\", column 4: expected 8 ranks separated by /, found 2");
        // With another case, it may be the position at the end.
        let table = vec![table[0].clone(), ("fen", table[1].1.clone())];
        let found = read(name, write(&table), &wanted("pgn", ""), OnError::Skip).unwrap();
        assert!(found.rows[0].1.starts_with("rnbqkbnr/"), "{found:?}");
    }
}

#[test]
fn first_moves_are_played() {
    let before = "r6k/pp2r2p/4Rp1Q/3p4/8/1N1P2R1/PqP2bPP/7K b - - 0 24";
    let after = "r6k/pp5p/4rp1Q/3p4/8/1N1P2R1/PqP2bPP/7K w - -";
    let castles = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -";
    let table = vec![
        (
            "Moves",
            texts(&["e7e6 e6e7", "e7e3", "", "  e7e6", "e6", "0000", "e1g1", "e1h1", "a7a8n", "a7a8", "e7e6", "e5d6"]),
        ),
        (
            "FEN",
            texts(&[
                before,
                before,
                before,
                before,
                before,
                before,
                castles,
                castles,
                "4k3/P7/8/8/8/8/8/4K3 w - -",
                "4k3/P7/8/8/8/8/8/4K3 w - -",
                "x",
                "4k3/8/8/3pP3/8/8/8/4K3 w - d6",
            ]),
        ),
        ("Rating", (1..=12).map(|rating| Some(rating.to_string())).collect()),
    ];
    let wanted = Wanted { after_first_move: true, ..wanted("fen", "Rating") };
    for (name, write) in FORMATS {
        let found = read(name, write(&table), &wanted, OnError::Skip).unwrap();
        let rows: Vec<&str> = found.rows.iter().map(|(_, row)| row.as_str()).collect();
        assert_eq!(
            rows,
            [
                format!("{after} | 1"),
                format!("{after} | 4"),
                "r3k2r/8/8/8/8/8/8/R4RK1 b kq - | 7".to_owned(),
                "r3k2r/8/8/8/8/8/8/R4RK1 b kq - | 8".to_owned(),
                "N3k3/8/8/8/8/8/8/4K3 b - - | 9".to_owned(),
                "4k3/8/3P4/8/8/8/8/4K3 b - - | 12".to_owned(),
            ],
            "{name}"
        );
        let messages: Vec<&str> = found.messages.iter().map(|(_, what)| what.as_str()).collect();
        let field = if *name == "x.jsonl" { "fen" } else { "FEN" };
        let last = format!("field {field:?}, column 1: expected KQRBNP, kqrbnp or 1 to 8 in rank 8, found 'x'");
        let wrong = [
            "field \"Moves\": expected a legal move, found \"e7e3\"",
            "field \"Moves\": expected a move, found none",
            "field \"Moves\": expected a move, found \"e6\"",
            "field \"Moves\": expected a move, found \"0000\"",
            "field \"Moves\": expected a legal move, found \"a7a8\"",
        ];
        assert_eq!(messages[..5], wrong, "{name}");
        assert_eq!(messages[5..], [last]);
        // Malformed rows stay in their place.
        let nulls = read(name, write(&table), &wanted, OnError::Null).unwrap();
        let of = |row: &(u64, String)| row.1.starts_with("null");
        assert_eq!(
            nulls.rows.iter().map(of).collect::<Vec<_>>(),
            [2, 3, 5, 6, 10, 11].iter().fold(vec![false; 12], |mut all, &row| {
                all[row - 1] = true;
                all
            })
        );
        assert_eq!(nulls.values(), (1..=12).map(|rating| rating.to_string()).collect::<Vec<_>>());
        // Without the column.
        let table = table[1..].to_vec();
        match read(name, write(&table), &wanted, OnError::Skip) {
            Err(error) => assert_eq!(
                error.to_string(),
                format!("{name} has no column \"Moves\" for --after-first-move; its columns are FEN, Rating")
            ),
            Ok(found) => assert_eq!((*name, found.messages.len()), ("x.jsonl", 12)),
        }
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    let table = vec![("fen", texts(&["4k3/8/8/8/8/8/8/4K3 w - -"])), ("movetext", texts(&["1. e4 *"]))];
    let conditions = Condition::list("WhiteElo>=2200").unwrap();
    for (name, write) in FORMATS {
        let error = |wanted: Wanted| read(name, write(&table), &wanted, OnError::Fail).unwrap_err().to_string();
        let games = Games { conditions: conditions.clone(), ..Games::default() };
        assert_eq!(
            error(Wanted { games: games.clone(), ..wanted("movetext", "") }),
            format!("{name}: --games compares tags of PGN, and column \"movetext\" is none")
        );
        assert_eq!(
            error(Wanted { after_first_move: true, ..wanted("movetext", "") }),
            format!("{name}: column \"movetext\" has games, and --after-first-move is for positions")
        );
        assert_eq!(
            error(Wanted { games: Games { every: 2, ..Games::default() }, ..wanted("fen", "") }),
            format!(
                "{name} has no games: --games, --games-where, --variations, --from-ply, --to-ply and --every are for PGN, and for a column \
                 of games, such as movetext or pgn"
            )
        );
    }
    for (name, bytes) in [("x.pgn", "1. e4 *"), ("x.epd", "4k3/8/8/8/8/8/8/4K3 w - -")] {
        let wanted = Wanted { after_first_move: true, ..wanted("fen", "") };
        let error = read(name, bytes.as_bytes().to_vec(), &wanted, OnError::Fail).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("{name} has no column of moves: --after-first-move is for CSV, JSON lines and Parquet")
        );
    }
}

#[test]
fn a_game_gives_only_so_many_positions() {
    let moves = "Nf3 Nf6 Ng1 Ng8 ".repeat(10_000);
    let long = "x".repeat(20_000);
    let table = vec![("movetext", texts(&[&moves, "1. e4 *"])), ("Long", texts(&[&long, &long]))];
    for (name, write) in FORMATS {
        let found = read(name, write(&table), &wanted("movetext", ""), OnError::Skip).unwrap();
        assert_eq!(found.rows.len(), (1 << 13) + 2, "{name}");
        assert_eq!(found.messages[0].1, "length: expected at most 8192 positions, found more", "{name}");
        let found = read(name, write(&table), &wanted("movetext", "Long"), OnError::Skip).unwrap();
        assert!((200..900).contains(&found.rows.len()), "{name}: {}", found.rows.len());
        assert_eq!(found.messages.len(), 1);
    }
    // Longer than a row may be: it is left out, and those after it are read.
    let table = vec![("movetext", texts(&["1. d4 *", &moves.repeat(20), "1. e4 *"]))];
    for (name, write) in &FORMATS[1..] {
        let found = read(name, write(&table), &wanted("movetext", ""), OnError::Skip).unwrap();
        assert_eq!(found.rows.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1, 1, 3, 3], "{name}");
        assert_eq!(found.messages, [(2, "length: expected at most 1048576 bytes, found more".to_owned())], "{name}");
    }
}

#[test]
fn evaluations_of_lichess_are_read() {
    let fen = "7r/1p3k2/p1bPR3/5p2/2B2P1p/8/PP4P1/3K4 b - -";
    let line = |pvs: &str| {
        let more = "{\"pvs\":[{\"cp\":311,\"line\":\"g8g7\"}],\"knodes\":5,\"depth\":39}";
        format!("{{\"fen\":\"{fen}\",\"evals\":[{{\"pvs\":[{pvs}],\"knodes\":4189972,\"depth\":46}},{more}]}}\n")
    };
    let lines = line("{\"cp\":69,\"line\":\"f7g7 e6e2\"},{\"cp\":163,\"line\":\"h8d8\"}")
        + &line("{\"mate\":-4,\"line\":\"f7g7\"}");
    let keep = "evals.0.pvs.0.cp,evals.0.pvs.0.mate,evals.0.depth,Evals.1.PVS.0.line,evals.0.pvs.1";
    let found = read("x.jsonl", lines.into_bytes(), &wanted("fen", keep), OnError::Fail).unwrap();
    assert_eq!(found.columns.join(","), keep);
    assert_eq!(found.values(), ["69 | - | 46 | g8g7 | {\"cp\":163,\"line\":\"h8d8\"}", "- | -4 | 46 | g8g7 | -"]);
}

#[test]
fn a_path_leads_into_a_value() {
    let object = "{\"fen\":\"4k3/8/8/8/8/8/8/4K3 w - -\",\"a\":{\"b\":[1,[\"x\\n\"],{\"c.d\":2}],\"b.0\":3,\"e\":null},\"a.e\":4,\"n\":5}";
    for (path, expected) in [
        ("a.b.0", "1"),
        ("a.b.1", "[\"x\\n\"]"),
        ("a.b.1.0", "x\n"),
        ("a.e", "4"),
        ("A.B.0", "1"),
        ("a.b.00", "-"),
        ("a.b.+0", "-"),
        ("a.b.3", "-"),
        ("a.b.-1", "-"),
        ("a.b.x", "-"),
        ("a.b.99999999999999999999", "-"),
        ("a.c", "-"),
        ("n.0", "-"),
        ("n.", "-"),
        (".n", "-"),
        ("a..b", "-"),
    ] {
        // White space makes it unusual, so that another reader reads it.
        for object in [object.to_owned(), object.replace(":", ":\t")] {
            let found = read("x.jsonl", object.into_bytes(), &wanted("fen", path), OnError::Fail);
            assert_eq!(found.unwrap().values(), [expected], "{path}");
        }
    }
    // A text that is none is an error, wherever it is.
    let surrogate = "{\"fen\":\"4k3/8/8/8/8/8/8/4K3 w - -\",\"a\":[\"\\ud800\"]}";
    let error = read("x.jsonl", surrogate.into(), &wanted("fen", "a.0"), OnError::Fail).unwrap_err().to_string();
    assert!(error.starts_with("x.jsonl, line 1, JSON: field \"a.0\": expected text, found"), "{error}");
}

#[test]
#[cfg(feature = "parquet")]
fn rows_of_parquet_keep_their_types() {
    let movetext: ArrayRef = Arc::new(StringArray::from(vec![Some("1. e4 *"), None, Some("1. d4 d5 *")]));
    let elo: ArrayRef = Arc::new(Int16Array::from(vec![Some(2_200), Some(1), None]));
    let bytes = written(
        RecordBatch::try_from_iter_with_nullable([("WhiteElo", elo, true), ("movetext", movetext, true)]).unwrap(),
    );
    let stream = Input::stream(Stream::new("x", Cursor::new(bytes)), 0);
    let mut all = Vec::new();
    Inputs::of(vec![stream], "")
        .unwrap()
        .read(&wanted("movetext", "ply,whiteelo"), &mut |mut block| {
            let records =
                block.next(ReadLimits::all(usize::MAX), OnError::Null, Positions::new())?.expect("there are some");
            let [KeptColumn::Numbers(plies), KeptColumn::Array(_, elo)] = &records.kept[..] else {
                panic!("two columns")
            };
            let elo = arrow_array::cast::AsArray::as_primitive::<arrow_array::types::Int16Type>(elo);
            all.extend(elo.iter().enumerate().map(|(row, elo)| (plies.get(row), elo)));
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    let elo = Some(2_200);
    assert_eq!(
        all,
        [(Some(0), elo), (Some(1), elo), (None, Some(1)), (Some(0), None), (Some(1), None), (Some(2), None)]
    );
}

#[test]
fn columns_hold_games_if_their_first_values_do() {
    let numbers = |values: &[Option<&str>], column: &str| {
        let table = vec![
            (column, values.iter().map(|value| value.map(str::to_owned)).collect::<Vec<_>>()),
            ("Id", vec![Some("x".to_owned()); values.len()]),
        ];
        FORMATS
            .iter()
            .map(|(name, write)| {
                let found = read(name, write(&table), &wanted(column, ""), OnError::Skip).unwrap();
                let numbers: Vec<u64> =
                    found.rows.iter().map(|(number, _)| number - u64::from(*name == "x.csv")).collect();
                let wrong: Vec<u64> =
                    found.messages.iter().map(|(number, _)| number - u64::from(*name == "x.csv")).collect();
                (numbers, wrong)
            })
            .reduce(|one, other| {
                assert_eq!(one, other, "{values:?}");
                one
            })
            .unwrap()
    };
    let fen = "4k3/8/8/8/8/8/8/4K3 w - -";
    for game in [
        "1. e4 e5 1-0",
        "1.e4 e5",
        "1... 1. e4 e5",
        "e4 e5",
        "e2e4 e7e5",
        "{ a comment } 1. e4 e5",
        "1. e4 { a comment } e5",
        "e4 $1 e5",
        "Nf3 Nf6",
        "  e4  e5  ",
        "1 e4 e5",
        "1.\te4 e5",
        "g1f3 g8f6",
        "[pgn]1. e4 e5[/pgn]",
    ] {
        let game_numbers = numbers(&[Some(game), Some("d4")], "Partie");
        assert_eq!(game_numbers, (vec![1, 1, 1, 2, 2], vec![]), "{game}");
        // Nulls, results and single moves do not show it.
        let later = numbers(&[None, Some("*"), Some("e4"), Some("1-0"), Some(game)], "moves");
        assert_eq!(later, (vec![2, 3, 3, 4, 5, 5, 5], vec![1]), "{game}");
        for result in ["1/2 - 1/2", "½-½", "1:0", "0–1", "0-0", " 1-0 "] {
            assert!(numbers(&[Some(result), Some(game)], "moves").1.is_empty(), "{result}, {game}");
        }
        // What is no game among them is malformed, as is a game among positions.
        assert_eq!(numbers(&[Some(game), Some(fen)], "moves").1, [2], "{game}");
        assert_eq!(numbers(&[Some(fen), Some(game)], "moves"), (vec![1], vec![2]), "{game}");
        // A column called `fen` holds positions.
        assert_eq!(numbers(&[Some(game), Some(fen)], "Fen"), (vec![2], vec![1]), "{game}");
    }
    for other in ["x", "12", "e4x/", "8/8 e4 e5", "white e4", "e9 e5", "score: 1", "a b c", "[a]", "{"] {
        assert_eq!(numbers(&[Some(other), Some(fen)], "moves"), (vec![2], vec![1]), "{other}");
    }
    assert_eq!(numbers(&[Some("e4"), Some("e5")], "moves"), (vec![], vec![1, 2]));
    for (name, write) in FORMATS {
        let table = vec![("moves", texts(&["[Event \"a\"]\n\n1. e4 e5 *", "d4"]))];
        let found = read(name, write(&table), &wanted("moves", ""), OnError::Fail).unwrap();
        assert_eq!(found.rows.len(), 5, "{name}");
    }
    assert_eq!(numbers(&[None, None], "moves"), (vec![], vec![1, 2]));
}

#[test]
fn moves_of_puzzles_are_games_that_begin_with_their_positions() {
    let puzzle = "r6k/pp2r2p/4Rp1Q/3p4/8/1N1P2R1/PqP2bPP/7K b - - 0 24";
    let table = vec![("FEN", texts(&[puzzle])), ("Moves", texts(&["f2g3 e6e7 b2b1"]))];
    for (name, write) in FORMATS {
        let found = read(name, write(&table), &wanted("Moves", "san"), OnError::Fail).unwrap();
        assert_eq!(found.rows.len(), 4, "{name}");
        assert!(found.rows[0].1.starts_with("r6k/pp2r2p/4Rp1Q/3p4/8/1N1P2R1/PqP2bPP/7K b - -"), "{name}");
    }
}

#[test]
fn arrays_of_moves_are_games_in_json() {
    let text = "{\"m\":[\"e4\",\"e5\"]}\n{\"m\":[]}\n{\"m\":[\"e2e4\"]}\n{\"m\":[1]}\n{\"m\":[\"e5\"]}\n{\"m\":null}\n";
    let found = read("x.jsonl", text.as_bytes().to_vec(), &wanted("m", ""), OnError::Skip).unwrap();
    let numbers: Vec<u64> = found.rows.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [1, 1, 1, 3, 3, 5]);
    assert_eq!(found.messages.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [2, 4, 5, 6]);
    // Moves. The first are not legal.
    assert!(found.messages[2].1.contains("e5"), "{:?}", found.messages);
}

#[test]
fn names_of_columns_are_found_by_one_rule() {
    let read = |columns: &[&str], column: &str, keep: &str| {
        let mut found = Vec::new();
        for (name, write) in FORMATS {
            // Values say which column was taken; the first one with a position is not empty.
            let table: Table<'_> = columns
                .iter()
                .enumerate()
                .map(|(at, &name)| {
                    let is_position = name.eq_ignore_ascii_case("fen");
                    (
                        name,
                        if is_position {
                            texts(&[["4k3/8/8/8/8/8/8/4K3 w - -", "k7/8/8/8/8/8/8/K7 w - -"][at % 2]])
                        } else {
                            vec![Some(at.to_string())]
                        },
                    )
                })
                .collect();
            let wanted = wanted(column, keep);
            let rows = read(name, write(&table), &wanted, OnError::Fail);
            let warnings: Vec<String> = wanted
                .warnings
                .messages(false)
                .into_iter()
                .map(|warning| {
                    warning
                        .replace(&format!("{name}: "), "")
                        .replace("fields", "columns")
                        .trim_start_matches(": ")
                        .to_owned()
                })
                .collect();
            let result = rows.map(|found| found.rows[0].1.clone()).map_err(|_| ());
            found.push((result, warnings));
        }
        found.dedup();
        assert_eq!(found.len(), 1, "{columns:?}: {found:?}");
        found.remove(0)
    };
    let [one, other] = ["4k3/8/8/8/8/8/8/4K3 w - -", "k7/8/8/8/8/8/8/K7 w - -"];
    let row = |fen: &str, value: &str| Ok(format!("{fen} | {value}"));
    assert_eq!(read(&["FEN", "fen", "a"], "fen", "a"), (row(other, "2"), vec![]));
    assert_eq!(read(&["x", "A", "Fen", "a"], "fen", "a"), (row(one, "3"), vec![]));
    let warning = |one: &str, other: &str, wanted: &str| {
        vec![format!("columns {one:?} and {other:?} both match {wanted:?}; {one:?} is read")]
    };
    assert_eq!(read(&["Fen", "FEN", "a"], "fen", "a"), (row(one, "2"), warning("Fen", "FEN", "fen")));
    assert_eq!(read(&["a", "FEN", "Fen", "Fen"], "fEN", "a").1, warning("FEN", "Fen", "fEN"));
    assert_eq!(read(&["fen", "Ab", "AB"], "fen", "aB"), (row(one, "1"), warning("Ab", "AB", "aB")));
    // Columns of the same name.
    assert_eq!(read(&["fen", "fen", "a"], "fen", "a").0, Err(()));
    assert_eq!(read(&["Fen", "Fen", "a"], "fen", "a").0, Err(()));
    assert_eq!(read(&["fen", "a", "a"], "fen", "a").0, Err(()));
    assert_eq!(read(&["fen", "A", "A"], "fen", "a").0, Err(()));
    assert_eq!(read(&["fen", "a", "a"], "fen", "all").0, Err(()));
    assert_eq!(read(&["fen", "b", "b", "a"], "fen", "a"), (row(one, "3"), vec![]));
}

/// A column of nulls has no type of its own.
#[cfg(feature = "parquet")]
#[test]
fn columns_of_nulls_alone_are_read() {
    let fens = Arc::new(StringArray::from(vec!["4k3/8/8/8/8/8/8/4K3 w - -"; 3]));
    let nulls = || Arc::new(arrow_array::NullArray::new(3)) as ArrayRef;
    let batch =
        RecordBatch::try_from_iter_with_nullable([("fen", fens as ArrayRef, true), ("n", nulls(), true)]).unwrap();
    let bytes = written(batch);
    for column in ["n", "N"] {
        let found = read("x.parquet", bytes.clone(), &wanted(column, "fen"), OnError::Null).unwrap();
        assert_eq!(found.rows.len(), 3);
        assert_eq!(found.messages[2], (3, format!("field {:?}, expected a position, found null", "n")));
        let error = read("x.parquet", bytes.clone(), &wanted(column, ""), OnError::Fail).unwrap_err().to_string();
        assert_eq!(error, "x.parquet, row 1, field \"n\", expected a position, found null");
    }
    let inputs = Inputs::of(vec![Input::stream(Stream::new("x.parquet", Cursor::new(bytes)), 0)], "").unwrap();
    inputs
        .read(&wanted("fen", "n"), &mut |mut block| {
            let records =
                block.next(ReadLimits::all(usize::MAX), OnError::Fail, Positions::new())?.expect("there are some");
            assert!(records.failure.is_none() && records.numbers == [1, 2, 3]);
            let [KeptColumn::Array(field, array)] = &records.kept[..] else { panic!("one column") };
            assert_eq!((field.name().as_str(), array.len(), array.logical_null_count()), ("n", 3, 3));
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    let games =
        RecordBatch::try_from_iter_with_nullable([("movetext", nulls(), true), ("FEN", nulls(), true)]).unwrap();
    let found = read("x.parquet", written(games), &wanted("movetext", ""), OnError::Skip).unwrap();
    assert_eq!((found.rows.len(), found.messages.len()), (0, 3));
}
