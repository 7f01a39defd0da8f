//! Positions and pairs that are well-formed.

use slider_attacks::{Backend, Slider, Square, reference};

use crate::{file, gzip, run, zstd};

const SAMPLE: &str = include_str!("../../../tests/data/sample.epd");

/// White has a rook and a bishop, black has a queen.
const POSITION: &str = "4k3/8/8/3q4/8/8/8/R1B1K3 w - - 0 1\n";

/// The letters on the 64 squares, read from the FEN independently of the command.
fn letters(board: &str) -> Vec<char> {
    let digits = ('1'..='8').map(|digit| (digit, ".".repeat(digit as usize - '0' as usize)));
    let spelled = digits.fold(board.to_owned(), |text, (digit, dots)| text.replace(digit, &dots));
    spelled.split('/').rev().collect::<String>().chars().collect()
}

/// The rows that the reference gives for positions, without the header.
fn rows_by_reference(positions: &str) -> Vec<[String; 6]> {
    let mut rows = Vec::new();
    for (number, line) in (1..).zip(positions.lines()) {
        if line.starts_with('#') {
            continue;
        }
        let letters = letters(line.split(' ').next().expect("a board"));
        assert_eq!(letters.len(), 64, "{line}");
        let occupancy = (0..64).filter(|&square| letters[square] != '.').fold(0, |all, square| all | 1 << square);
        for (square, letter) in Square::ALL.into_iter().zip(letters) {
            let slider = match letter {
                'B' | 'b' => Slider::Bishop,
                'R' | 'r' => Slider::Rook,
                'Q' | 'q' => Slider::Queen,
                _ => continue,
            };
            let attacks = reference::attacks(slider, square, occupancy);
            rows.push([
                number.to_string(),
                letter.to_string(),
                square.to_string(),
                format!("0x{occupancy:016x}"),
                format!("0x{attacks:016x}"),
                attacks.count_ones().to_string(),
            ]);
        }
    }
    rows
}

#[test]
fn every_row_of_the_sample_is_that_of_the_reference() {
    let run = run("attacks", "");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let rows: Vec<Vec<&str>> = run.stdout.lines().skip(1).map(|line| line.split_whitespace().collect()).collect();
    let expected = rows_by_reference(SAMPLE);
    assert!(SAMPLE.lines().filter(|line| !line.starts_with('#')).count() >= 100);
    assert!(expected.len() > 1000);
    assert_eq!(rows, expected);
}

#[test]
fn all_backends_write_the_stored_output() {
    let backends = Backend::available().map(|backend| format!("--backend {backend}"));
    for backend in backends.chain([String::new()]) {
        let rows = run(&format!("attacks {backend}"), "").ok();
        assert!(rows.starts_with(include_str!("../expected/attacks.txt")), "{backend}:\n{rows}");
        // FNV-1a. `every_row_of_the_sample_is_that_of_the_reference` compares the values of all rows.
        let hash = rows
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        assert_eq!(hash, 0xfa3b_162e_91bb_72bc, "{backend}: rows after the stored ones differ");
        assert_eq!(run(&format!("pairs {backend}"), "").ok(), run("pairs", "").ok(), "{backend}");
    }
}

#[test]
fn a_position_in_every_format() {
    let table = "    line  piece  square  occupancy           attacks             count
       1  R      a1      0x1000000800000015  0x0101010101010106      9
       1  B      c1      0x1000000800000015  0x0000804020110a00      7
       1  q      d5      0x1000000800000015  0x492a1cf71c2a4988     27
";
    assert_eq!(run("attacks -", POSITION).ok(), table);
    assert_eq!(run("attacks - --format table", POSITION).ok(), table);
    let csv = "\
line,piece,square,occupancy,attacks,count
1,R,a1,0x1000000800000015,0x0101010101010106,9
1,B,c1,0x1000000800000015,0x0000804020110a00,7
1,q,d5,0x1000000800000015,0x492a1cf71c2a4988,27
";
    assert_eq!(run("attacks - --format csv", POSITION).ok(), csv);
    let jsonl = r#"{"line":1,"piece":"R","square":"a1","occupancy":"0x1000000800000015","attacks":"0x0101010101010106","count":9}
{"line":1,"piece":"B","square":"c1","occupancy":"0x1000000800000015","attacks":"0x0000804020110a00","count":7}
{"line":1,"piece":"q","square":"d5","occupancy":"0x1000000800000015","attacks":"0x492a1cf71c2a4988","count":27}
"#;
    assert_eq!(run("attacks - --format jsonl", POSITION).ok(), jsonl);
    let board = "\
line 1: q on d5 attacks 27 squares
occupancy            attacks 0x492a1cf71c2a4988
8  . . . . 1 . . .   8  1 . . 1 . . 1 .
7  . . . . . . . .   7  . 1 . 1 . 1 . .
6  . . . . . . . .   6  . . 1 1 1 . . .
5  . . . q . . . .   5  1 1 1 q 1 1 1 1
4  . . . . . . . .   4  . . 1 1 1 . . .
3  . . . . . . . .   3  . 1 . 1 . 1 . .
2  . . . . . . . .   2  1 . . 1 . . 1 .
1  1 . 1 . 1 . . .   1  . . . 1 . . . 1
   a b c d e f g h      a b c d e f g h

";
    assert_eq!(run("attacks - --format board --slider queen", POSITION).ok(), board);
}

#[test]
fn sliders_are_filtered() {
    let pieces = |args: &str| -> String {
        let out = run(&format!("attacks - --format csv {args}"), POSITION).ok();
        out.lines().skip(1).map(|line| line.split(',').nth(1).expect("a piece")).collect()
    };
    assert_eq!(pieces(""), "RBq");
    assert_eq!(pieces("--slider rook"), "R");
    assert_eq!(pieces("--slider queen --slider bishop"), "Bq");
    assert_eq!(pieces("--slider queen,bishop"), "Bq");
    assert_eq!(pieces("--slider rook --slider rook"), "R");
}

#[test]
fn ends_of_lines_comments_and_the_byte_order_mark() {
    let unix = run("attacks -", format!("\n# comment\n{POSITION}")).ok();
    assert!(unix.contains("\n       3  R      a1"));
    assert_eq!(run("attacks -", format!("\r\n# comment\r\n{}\r\n", POSITION.trim_end())).ok(), unix);
    assert_eq!(run("attacks -", format!("\r# comment\r{}\r", POSITION.trim_end())).ok(), unix);
    assert_eq!(run("attacks -", format!("\r\n# comment\r{}", POSITION.trim_end())).ok(), unix);
    assert_eq!(run("attacks -", format!("  \n  # \n{}", POSITION.trim_end())).ok(), unix);
    assert_eq!(run("attacks -", format!("\u{feff}\n#\n{POSITION}")).ok(), unix);
    assert_eq!(run("attacks -", format!("\u{feff}{POSITION}")).ok(), run("attacks -", POSITION).ok());
    assert_eq!(run("attacks -", [b"\n# caf\xe9\n", POSITION.as_bytes()].concat()).ok(), unix);
    // Text after the fourth field is ignored.
    for more in [" c0 \"caf\u{e9}\";", " bm Nf3, fen, Nd4;", " id \"a, fen, b\";", " id \"a;fen;b\";"] {
        let latin: Vec<u8> = more.chars().map(|letter| letter as u8).collect();
        let line = [b"\n#\n", POSITION.trim_end().as_bytes(), &latin].concat();
        assert_eq!(run("attacks -", line.clone()).ok(), unix, "{more}");
        assert_eq!(run("analyze -", line).ok(), run("analyze -", format!("\n#\n{POSITION}")).ok(), "{more}");
    }
}

/// In every format of text, also mixed.
#[test]
fn a_cr_alone_ends_a_line() {
    let fen = POSITION.trim_end();
    let json = |id: &str| format!("{{\"fen\":\"{fen}\",\"id\":\"{id}\"}}");
    for (args, lines) in [
        (
            "attacks - --format csv",
            vec![fen.to_owned(), "# comment".to_owned(), format!("{fen} 0 1 id \"x\";"), fen.to_owned()],
        ),
        ("analyze - --what hanging", vec![fen.to_owned(), String::new(), fen.to_owned(), fen.to_owned()]),
        (
            "analyze - --keep id --what hanging",
            vec!["fen,id".to_owned(), format!("{fen},a"), String::new(), format!("\"{fen}\",\"b\"")],
        ),
        ("analyze - --keep id --what hanging", vec![json("a"), String::new(), json("b"), json("c")]),
        (
            "pairs - --slider rook --format csv",
            vec!["a1 0".to_owned(), "e4 0x10 # comment".to_owned(), "h8 5".to_owned()],
        ),
        (
            "analyze - --keep san,White --what hanging",
            ["[White \"a\"]", "", "1. e4 ; a comment", "e5", "*", "", "[White \"b\"]", "", "1. d4 *"]
                .map(str::to_owned)
                .to_vec(),
        ),
    ] {
        let expected = run(args, lines.join("\n") + "\n").ok();
        assert!(expected.lines().count() > 2, "{args}: {expected}");
        for end in ["\r", "\r\n"] {
            assert_eq!(run(args, lines.join(end) + end).ok(), expected, "{args}, {end:?}");
            assert_eq!(run(args, lines.join(end)).ok(), expected, "{args}, {end:?}");
        }
        let mixed: String =
            lines.iter().zip(["\n", "\r", "\r\n"].iter().cycle()).map(|(line, end)| line.to_owned() + end).collect();
        assert_eq!(run(args, mixed).ok(), expected, "{args}");
    }
    // Within quotation marks, a CR stays in its value.
    let out =
        run("analyze - --keep id --what hanging --format jsonl", format!("fen,id\r{fen},\"a\rb\r\nc\nd\"\r{fen},x\r"))
            .ok();
    assert!(
        out.starts_with("{\"line\":2,\"id\":\"a\\rb\\r\\nc\\nd\"") && out.contains("\n{\"line\":6,\"id\":\"x\""),
        "{out}"
    );
}

#[test]
fn zero_bytes_after_compressed_text_are_padding() {
    let expected = run("analyze -", POSITION.repeat(2)).ok();
    for compress in [gzip, zstd] {
        let (part, zeros) = (compress(POSITION.as_bytes()), vec![0; 600]);
        for bytes in [[&part[..], &part, &zeros].concat(), [&part[..], &zeros, &part, &zeros[..1]].concat()] {
            assert_eq!(run("analyze -", bytes.clone()).ok(), expected);
            assert_eq!(run(&format!("analyze {} --threads 4", file("padded", &bytes).display()), "").ok(), expected);
        }
    }
}

#[test]
fn an_empty_input_gives_the_header_alone_and_a_note() {
    let path = file("empty.epd", b"").display().to_string();
    for (input, args, name, lines) in [
        ("", "attacks -", "positions in standard input", 1),
        ("\n\r\n# nothing\n", "attacks - --format csv", "positions in standard input", 1),
        ("\u{feff}", "attacks - --format jsonl", "positions in standard input", 0),
        ("", &format!("attacks {path} --format board"), &format!("positions in {path}"), 0),
        ("", "pairs -", "pairs in standard input", 1),
    ] {
        let run = run(args, input);
        assert_eq!((run.code, run.stdout.lines().count()), (Some(0), lines), "{run:?}");
        assert_eq!(run.stderr, format!("note: no {name}\n"));
    }
}

#[test]
fn a_position_without_sliders_gives_no_row_and_no_note() {
    assert_eq!(run("attacks - --format jsonl", "4k3/8/8/8/8/8/8/4K3 w - -\n").ok(), "");
}

#[test]
fn a_long_input_keeps_its_order_over_many_batches() {
    let lines = SAMPLE.lines().filter(|line| !line.starts_with('#'));
    let input: String = lines.cycle().take(20_000).map(|line| format!("{line}\n")).collect();
    let path = file("long.epd", input.as_bytes());
    let out = run(&format!("attacks {} --format csv", path.display()), "").ok();
    let expected = rows_by_reference(&input);
    assert_eq!(out.lines().count(), expected.len() + 1);
    for (line, row) in out.lines().skip(1).zip(expected) {
        assert_eq!(line, row.join(","));
    }
}

#[test]
fn pairs_in_their_forms() {
    let input = "e4 0\n28 0x0\n# comment\n\n  a1\t0xFF00 # the second rank\nh8 18446744073709551615\r\n0 0X1";
    let out = run("pairs - --slider rook", input).ok();
    let expected = "    line  slider  square  occupancy           attacks             count
       1  rook    e4      0x0000000000000000  0x10101010ef101010     14
       2  rook    e4      0x0000000000000000  0x10101010ef101010     14
       5  rook    a1      0x000000000000ff00  0x00000000000001fe      8
       6  rook    h8      0xffffffffffffffff  0x4080000000000000      2
       7  rook    a1      0x0000000000000001  0x01010101010101fe     14
";
    assert_eq!(out, expected);
    assert_eq!(
        run("pairs - --format csv", "d4 0x0000000008000000\n").ok(),
        "line,slider,square,occupancy,attacks,count\n1,queen,d4,0x0000000008000000,0x88492a1cf71c2a49,27\n"
    );
    assert_eq!(run("pairs -", zstd(b"e4 0 # comment\\n")).ok(), run("pairs -", "e4 0").ok());
    let json = run("pairs - --format jsonl --slider bishop", "a1 0").ok();
    assert_eq!(
        json,
        "{\"line\":1,\"slider\":\"bishop\",\"square\":\"a1\",\"occupancy\":\"0x0000000000000000\",\
         \"attacks\":\"0x8040201008040200\",\"count\":7}\n"
    );
}

#[test]
fn the_sample_of_pairs_is_that_of_the_reference() {
    for slider in Slider::ALL {
        let out = run(&format!("pairs --format csv --slider {slider}"), "").ok();
        assert!(out.lines().count() > 10);
        for line in out.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let number = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).expect("hexadecimal");
            let square = fields[2].parse().expect("a square");
            assert_eq!(number(fields[4]), reference::attacks(slider, square, number(fields[3])), "{line}");
        }
    }
}

/// Wherever the chunks of a file end, and however many threads fetch and cut them, it gives the same bytes and messages.
#[test]
fn chunks_end_anywhere() {
    let games = include_str!("../../../tests/data/games.pgn");
    let people = include_str!("../../../tests/data/people.pgn");
    let quoted = |number: usize| match number % 7 {
        0 => format!("\"two\r\nlines, {number}\",{}", POSITION.trim()),
        1 => format!("\"\"\"{number}\"\"\",\"{}\"", POSITION.trim()),
        2 => format!("{number},nonsense"),
        3 => format!("\"{number}\" x,{}", POSITION.trim()),
        _ => format!("{number},{}", POSITION.trim()),
    };
    let quoted: String = (0..60).map(|number| quoted(number) + ["\n", "\r\n", "\r"][number % 3]).collect();
    let line = |number: usize| format!("{{\"n\":{number},\"fen\":\"{}\"}}\r\n", POSITION.trim());
    let sample = std::fs::read("../tests/data/sample.binpack").expect("it can be read");
    let records = file("chunks.binpack", &sample);
    let games_of_engines = records.with_extension("viriformat");
    let converted = run(&format!("convert {} -o {}", records.display(), games_of_engines.display()), "");
    assert_eq!(converted.code, Some(0));
    let files = [
        file("chunks.epd", ("\u{feff}".to_owned() + &SAMPLE.replace('\n', "\r\n") + "nonsense\rx\n").as_bytes()),
        file("chunks.csv", ("n,fen\r\n".to_owned() + &quoted).as_bytes()),
        file("chunks-cr.epd", format!("{0}\r\r\r\n{0}\n\r\r{0}\r", POSITION.trim()).repeat(3).as_bytes()),
        file("chunks.jsonl", (0..40).map(line).collect::<String>().as_bytes()),
        file("chunks.pgn", format!("{games}\n{people}\n{{ a comment\n\n[Event \"x\"] }} 1. e9 *\n{games}").as_bytes()),
        file("untagged.pgn", "1. e4 e5 1-0 1. d4 0-1\n% escaped\n1. c4 Nf9 *\n1. Nf3 *\n".repeat(9).as_bytes()),
        records,
        games_of_engines,
        file("chunks-wrong.binpack", &[&sample[..], b"BINP\x01\0\0\0x", &sample, b"garbage", &sample[..900]].concat()),
    ];
    for file in files {
        let file = file.display();
        for command in [
            format!("analyze {file} --keep all --format jsonl --on-error skip"),
            format!("analyze {file} --format csv --on-error report"),
            format!("analyze {file} --format csv --limit 17"),
            format!("summarize {file} --by side --on-error skip --format csv"),
            format!("convert {file} --to fen --on-error skip"),
        ] {
            let whole = run(&format!("{command} --threads 1"), "");
            for (bytes, threads) in [(1, 2), (2, 1), (7, 7), (64, 3), (333, 2), (1_000, 32), (1 << 22, 2)] {
                let cut = run(&format!("{command} --threads {threads} --block-bytes {bytes}"), "");
                assert!(cut == whole, "{command}: {bytes} bytes, {threads} threads: {cut:?}, not {whole:?}");
            }
        }
    }
}

/// A game that is longer than what a thread works on at a time, or has much that is kept, comes in each format.
#[test]
fn long_games_come_in_every_format() {
    let moves = "Nf3 Nf6 Ng1 Ng8 ".repeat(1_500);
    let long = format!("[Event \"{}\"]\n\n{moves}*\n\n", "x".repeat(300));
    let much = format!("[Event \"{}\"]\n\n1. e4 e5 2. Nf3 *\n\n", "y".repeat(100_000));
    let short = "[Event \"z\"]\n\n1. e4 *\n\n";
    for text in [long.clone() + short, much.clone() + short, short.repeat(9) + &long + &much + short] {
        let path = file("long.pgn", text.as_bytes());
        let expected =
            run(&format!("analyze {} --format csv --keep Event,ply", path.display()), "").ok().lines().count();
        for threads in [1, 3] {
            for (name, more) in [("jsonl", ""), ("parquet", ""), ("parquet", "--what counts")] {
                let output = path.with_extension(name);
                let args = format!("analyze {} --keep Event,ply {more}", path.display());
                run(&format!("{args} --threads {threads} -o {}", output.display()), "").ok();
                if name == "jsonl" {
                    assert_eq!(std::fs::read_to_string(&output).unwrap().lines().count(), expected - 1);
                }
            }
        }
    }
}
