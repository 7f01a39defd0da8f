use slider_attacks::position::Positions;
use slider_attacks_arrow::OnError;

use super::*;
use crate::batch::{ReadLimits, Records};
use crate::content::{BlockStart, Content};
use crate::cut::{Cutter, cut_in_parts, games_bytes};
use crate::games::game_rows::MAX_POSITIONS;
use crate::games::{Condition, Games};
use crate::source;
use crate::testing::{Random, rows_and_messages};

fn source(keep: &str, games: Games) -> PgnGames {
    let wanted = Wanted { games, ..Wanted::default() };
    PgnGames::new(keep.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect(), &wanted)
}

/// What a block has.
fn parse(source: &PgnGames, start: BlockStart, content: &Content, on_error: OnError) -> Records {
    let (records, stopped) =
        source::parse(source, (start, content), (0, 0), ReadLimits::all(usize::MAX), on_error, Positions::new());
    assert!(stopped.is_none() || records.failure.is_some());
    records
}

/// What all blocks of a text have, if they are cut about so, and read at most this many positions at a time, but whole games.
fn read(
    source: &PgnGames,
    text: &[u8],
    size: usize,
    most: usize,
    on_error: OnError,
) -> (Vec<String>, Vec<String>, usize) {
    let (mut rows, mut messages, mut blocks) = (Vec::new(), Vec::new(), 0);
    let cutter = Cutter::new(Box::new(WholeGames::default()), source.counts());
    let most = ReadLimits { limit: usize::MAX, enough: most };
    let mut take = |start, content| {
        let mut next = Some((0, 0));
        while let Some(from) = next {
            let found;
            (found, next) = source::parse(source, (start, &content), from, most, on_error, Positions::new());
            let (more_rows, more_messages) = rows_and_messages(&found);
            rows.extend(more_rows);
            messages.extend(more_messages);
        }
        blocks += 1;
        Ok::<(), ()>(())
    };
    cut_in_parts(cutter, 1.into(), text, games_bytes(size), &mut take).0.unwrap();
    (rows, messages, blocks)
}

/// What the text has as one block.
fn read_whole(source: &PgnGames, text: &[u8], on_error: OnError) -> (Vec<String>, Vec<String>) {
    let content = Content::Bytes(text.to_vec().into());
    rows_and_messages(&parse(source, 1.into(), &content, on_error))
}

const ALL: &str = "game,ply,san,uci,move,next_san,next_uci,next_move,eval,mate,clk,result,depth,fen,White,Missing";

/// Parts of games. No writer would write some of them.
const PARTS: [&str; 98] = [
    "[Event \"?\"]\n",
    "[White \"A\"]\n",
    "[White \"M\\\"\"]\r\n",
    "[Result \"1-0\"]\n",
    "[Result \"*\"]\n",
    "\n",
    "\n\n",
    "\r\n",
    "\r\n\r\n",
    " ",
    "1. ",
    "e4 ",
    "e5 ",
    "Nf3\n",
    "1... ",
    "2.Nc6 ",
    "d4!? ",
    "d5 $1 ",
    "1-0",
    "0-1\n",
    "1/2-1/2 ",
    "* ",
    "*",
    "{",
    "}",
    "{ a comment } ",
    "{[%clk 0:01:02.5]} ",
    "{[%eval -0.35] [%clk 1:00]} ",
    "{[%eval #-4]}",
    "(",
    ")",
    "(1. d4 ",
    "; rest\n",
    "% line\n",
    "\n% line\n",
    "[",
    "]",
    "\n[White \"in a comment\"]\n",
    "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n",
    "[FEN \"4k3/8 w - - 0 1\"]\n",
    "[Variant \"Atomic\"]\n",
    "-- ",
    "Nf9 ",
    "O-O ",
    "e2e4 ",
    "\u{feff}",
    "\x01",
    "$1d4 ",
    "1.1-0 ",
    "[White \"\u{1}\"] [Black \"x\"]\n",
    "...",
    "\n[White\n",
    "[White  \t \"b\"]\n",
    "\"",
    "#",
    "1/2",
    "1/2 ",
    "1/2 - 1/2 ",
    "½ – ½",
    "– ",
    "- ",
    "1 - 0\n",
    "0-0 ",
    "0-0 1. ",
    "0 – 0\n",
    "1.d4 ",
    "12. ",
    "[Event \"?\"] ",
    "[Event \"x\"] [White \"w\"] 1. e4 1-0\n",
    "\n  [Event \"?\"]\n",
    "\n[Black \"c\"]\n\n",
    "[Black \"c\"]\r\n",
    "\n[ White \"D\"] {a}\n",
    "\n{ a [b \"c\"] }\n",
    "\n{ a }  }\"] [Site \"}\"]\n",
    "}\n\n",
    "\n; a }\n",
    "\n; a {\n",
    "\n; a\n\n",
    "\n[pgn]\n",
    "[PGN]",
    "[/pgn]",
    "[/pgn]\n\n[pgn]",
    "\n[Source \"C:\\\"]\n",
    "\n[Source \"C:\\\"] [A \"}\"]\n",
    "[A \"}",
    "Nf3+- ",
    "e4\u{a0}",
    "\u{2003}",
    "1…",
    "\n\u{feff}",
    "{\n\n",
    "\n-----\n",
    "\n--\n",
    "\n[Round 1]\n",
    "\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"",
    "±e5 ",
    "N\u{200b}",
];

fn text_of(random: &mut Random, parts: usize) -> Vec<u8> {
    let mut text = Vec::new();
    for _ in 0..parts {
        match random.below(12) {
            0 => text.extend_from_slice(
                b"\n[Event \"x\"]\n[White \"\xe9\"]\n\n1. e4 { [%eval 0.3] } e5 (1... c5 2. Nf3) 2. Nf3 1-0\n",
            ),
            1 => text.extend_from_slice(b"\n1. d4 d5 (1... Nf6 (1... f5)) 2. c4 *\n"),
            _ => text.extend_from_slice(PARTS[random.below(PARTS.len())].as_bytes()),
        }
    }
    text
}

#[test]
fn games_are_the_same_wherever_blocks_end() {
    let mut random = Random(7);
    for round in 0..2_000 {
        let parts = 1 + random.below(60);
        let text = text_of(&mut random, parts);
        // A byte order mark at the beginning is for who finds the format.
        let mut text = &*text;
        while let Some(rest) = text.strip_prefix(b"\xef\xbb\xbf") {
            text = rest;
        }
        // With other line ends, everything is the same.
        if round % 5 == 0 {
            let source = source(ALL, Games::default());
            let lf: Vec<u8> = text.iter().copied().filter(|&byte| byte != b'\r').collect();
            let cr: Vec<u8> = lf.iter().map(|&byte| if byte == b'\n' { b'\r' } else { byte }).collect();
            assert_eq!(read_whole(&source, &lf, OnError::Skip), read_whole(&source, &cr, OnError::Skip), "{lf:?}");
        }
        let games = Games { variations: round % 3 == 0, from_ply: (round % 5 / 4) * 2, ..Games::default() };
        let source = source(if round % 2 == 0 { ALL } else { "" }, games);
        let on_error = [OnError::Skip, OnError::Report][round as usize / 2 % 2];
        let (rows, messages) = read_whole(&source, text, on_error);
        let size = 4 * (1 + random.below(100));
        let most = if round % 7 == 0 { 1 + random.below(3) } else { usize::MAX };
        let (found_rows, found_messages, _) = read(&source, text, size, most, on_error);
        let shown = String::from_utf8_lossy(text);
        assert_eq!(found_messages, messages, "{size} {most} {shown:?}");
        assert_eq!(found_rows, rows, "{size} {most} {shown:?}");
    }
}

/// What people write: tags in one line, with gaps, and indented; results with blanks; games within `[pgn]`.
const PEOPLE: &str = include_str!("../../../tests/data/people.pgn");

#[test]
fn what_people_write_is_the_same_wherever_blocks_end() {
    let source = source("game,ply,san,result,Event,White,Black,Site,Date,Round,Source,fen", Games::default());
    let bare = "1. e4 e5 1/2 - 1/2 1. d4 1/2 – 1/2 1. c4 1 - 0\n1. e4 0-0 1. d4 d5 0 - 0\n1. Nf3 * [/pgn] 1. Nc3 1/2 1. Na3 *\n";
    for (text, is_cut) in [
        (PEOPLE.to_owned(), true),
        (PEOPLE.replace('\n', "\r\n"), false),
        (bare.to_owned(), true),
        (bare.repeat(2) + "\n" + PEOPLE + bare, false),
    ] {
        let text = text.as_bytes();
        for end in if is_cut { 0..=text.len() } else { text.len()..=text.len() } {
            let (whole, text) = (read_whole(&source, &text[..end], OnError::Skip), &text[..end]);
            for size in if end == text.len() { 1..200 } else { 5..6 } {
                let (rows, messages, _) = read(&source, text, 4 * size, usize::MAX, OnError::Skip);
                assert_eq!((rows, messages), whole, "{size} {:?}", String::from_utf8_lossy(text));
            }
        }
    }
    let (rows, messages) = read_whole(&source, PEOPLE.as_bytes(), OnError::Skip);
    let games: Vec<String> = (1..=11)
        .map(|game| {
            let mut rows = rows.iter().filter(|row| row.starts_with(&format!("{game} ")));
            let last: Vec<&str> = rows.next_back().unwrap().split(" | ").skip(2).collect();
            last[..last.len() - 1].join(",")
        })
        .collect();
    assert_eq!(
        games,
        [
            "2,e5,1/2-1/2,a,b,-,-,-,-,-",
            "2,Kd7,0-0,c,-,d,-,-,-,-",
            "0,-,-,-,e,-,-,-,-,-",
            "0,-,-,-,f,-,-,-,-,-",
            "2,e5,1-0,g,-,-,-,-,-,-",
            "2,d5,-,-,-,-,-,-,-,-",
            "0,-,-,-,h,-,-,-,-,-",
            "0,-,-,-,i,-,-,-,-,-",
            "0,-,-,-,j,-,-,-,-,-",
            "1,d4,-,-,k,-,l,-,-,-",
            "0,-,-,-,-,-,m,},n,C:\\",
        ]
    );
    assert_eq!(messages.len(), 2, "{messages:?}");
}

#[test]
fn a_game_of_another_variant_is_malformed() {
    let content = Content::Bytes(b"[Variant \"Crazyhouse\"]\n\n1. e4 *\n".to_vec().into());
    let what = "line 1, column 11, ply 0: expected chess or Chess960, found \"Crazyhouse\"";
    let records = parse(&source("", Games::default()), 1.into(), &content, OnError::Fail);
    let failure = records.failure.unwrap();
    assert_eq!((&*failure.what, failure.place.unwrap().is_variant()), (what, true));
    let (_, messages) = read_whole(&source("", Games::default()), content.bytes(), OnError::Skip);
    assert_eq!(messages, [format!("1: {what}")]);
}

#[test]
fn games_are_counted_as_they_are_read() {
    let mut random = Random(9);
    for _ in 0..2_000 {
        let parts = 1 + random.below(30);
        let text = text_of(&mut random, parts);
        struct Last(u64);
        impl Visitor<'_> for Last {
            fn game(&mut self, number: u64, _: Tags<'_>) -> GameChoice {
                self.0 = number;
                GameChoice::Positions
            }
            fn position(&mut self, _: &Board, ply: &Ply<'_>) -> bool {
                ply.ply != 2
            }
            fn end(&mut self, _: Option<&[u8]>, _: Option<Error<'_>>) {}
        }
        for variations in [false, true] {
            let mut options = PgnOptions::default();
            options.variations = variations;
            let mut last = Last(0);
            pgn::read(&text, options, &mut last);
            assert_eq!(count(&text), last.0, "{:?}", String::from_utf8_lossy(&text));
        }
    }
}

#[test]
fn columns_have_what_games_say() {
    let text = b"[White \"Andr\xe9\"]\n[Result \"*\"]\n\n1. e4 { [%eval 0.17] [%clk 0:03:00] } e5?! { [%eval #-4] [%clk 0:02:59.9] } \
        (1... c5) 2. Nf3 -- 3. Bc4 a6 4. O-O 1/2-1/2\n";
    let names = "game,ply,san,uci,eval,mate,clk,result,depth,White,White Elo,move";
    let (rows, messages) =
        read_whole(&source(names, Games { variations: true, ..Games::default() }), text, OnError::Fail);
    assert!(messages.is_empty(), "{messages:?}");
    let kept: Vec<&str> = rows.iter().map(|row| row.split_once(" | ").unwrap().1).collect();
    assert_eq!(
        kept,
        [
            "1 | 0 | - | - | - | - | - | 1/2-1/2 | 0 | André | - | -",
            "1 | 1 | e4 | e2e4 | 17 | - | 180 | 1/2-1/2 | 0 | André | - | 1804",
            "1 | 2 | e5 | e7e5 | - | -4 | 179.9 | 1/2-1/2 | 0 | André | - | 2356",
            "1 | 2 | c5 | c7c5 | - | - | - | 1/2-1/2 | 1 | André | - | 2226",
            "1 | 3 | Nf3 | g1f3 | - | - | - | 1/2-1/2 | 0 | André | - | 1350",
            "1 | 4 | -- | 0000 | - | - | - | 1/2-1/2 | 0 | André | - | -",
            "1 | 5 | Bc4 | f1c4 | - | - | - | 1/2-1/2 | 0 | André | - | 1669",
            "1 | 6 | a6 | a7a6 | - | - | - | 1/2-1/2 | 0 | André | - | 2608",
            "1 | 7 | O-O | e1g1 | - | - | - | 1/2-1/2 | 0 | André | - | 33220",
        ]
    );
}

#[test]
fn the_next_move_is_the_one_played_from_a_position() {
    let text = b"1. e4 e5?! (1... c5 2. Nc3) 2. Nf3 -- 3. Bc4 a6 4. O-O *\n\n[White \"B\"]\n\n1. d4 Nf9 *\n";
    let read = |games: Games| -> Vec<String> {
        let source = source("ply,san,next_san,next_uci,next_move,next_move", games);
        let (rows, _) = read_whole(&source, text, OnError::Null);
        rows.iter().map(|row| row.split_once(" | ").unwrap().1.to_owned()).collect()
    };
    let rows = [
        "0 | - | e4 | e2e4 | 1804 | 1804",
        "1 | e4 | e5 | e7e5 | 2356 | 2356",
        "2 | e5 | Nf3 | g1f3 | 1350 | 1350",
        "3 | Nf3 | -- | 0000 | - | -",
        "4 | -- | Bc4 | f1c4 | 1669 | 1669",
        "5 | Bc4 | a6 | a7a6 | 2608 | 2608",
        "6 | a6 | O-O | e1g1 | 33220 | 33220",
        "7 | O-O | - | - | - | -",
        // Another game; what is wrong with it has a row without a position.
        "0 | - | d4 | d2d4 | 1739 | 1739",
        "1 | d4 | - | - | - | -",
        "2 | - | - | - | - | -",
    ];
    assert_eq!(read(Games::default()), rows);
    // The move is known although the position after it is not wanted.
    let some = read(Games { from_ply: 1, to_ply: 6, every: 2, ..Games::default() });
    assert_eq!(some, [rows[1], rows[3], rows[5], rows[9], rows[10]]);
    assert_eq!(read(Games { to_ply: 2, ..Games::default() })[..3], rows[..3]);
    // A position in a variation has the next move there, and those of the game stay.
    let all = read(Games { variations: true, ..Games::default() });
    assert_eq!(all[..3], rows[..3]);
    assert_eq!(all[3..5], ["2 | c5 | Nc3 | b1c3 | 1153 | 1153", "3 | Nc3 | - | - | - | -"]);
    assert_eq!(all[5..], rows[3..]);
}

#[test]
fn a_result_is_that_of_the_tag_or_else_of_the_moves() {
    let text = "[Result \"1-0\"]\n\n1. e4 0-1\n\n[Result \"?\"]\n\n1. e4 0-1\n\n[A \"b\"]\n\n1. e4\n\n[A \"b\"]\n\n1. d4 1/2\n";
    // Also if no more positions are wanted.
    for to_ply in [0, 1, 100] {
        let (rows, _) =
            read_whole(&source("result", Games { to_ply, ..Games::default() }), text.as_bytes(), OnError::Fail);
        let results: Vec<&str> = rows.iter().map(|row| row.rsplit_once(' ').unwrap().1).collect();
        let mut expected = vec!["1-0", "1-0", "0-1", "0-1", "-", "-", "1/2-1/2", "1/2-1/2"];
        if to_ply == 0 {
            expected = expected.into_iter().step_by(2).collect();
        }
        assert_eq!(results, expected);
    }
}

#[test]
fn only_wanted_plies_are_read() {
    let text = b"1. e4 e5 (1... c5 2. Nf3 d6) 2. Nc3 Nc6 3. f4 exf4 *\n\n1. d4 *\n";
    let plies = |games: Games| -> Vec<String> {
        let (rows, _) = read_whole(&source("ply,depth", games), text, OnError::Fail);
        rows.iter().map(|row| row.split_once(" | ").unwrap().1.replace(" | ", "/")).collect()
    };
    let games = Games { from_ply: 1, to_ply: 5, every: 2, ..Games::default() };
    assert_eq!(plies(games.clone()), ["1/0", "3/0", "5/0", "1/0"]);
    assert_eq!(plies(Games { variations: true, ..games }), ["1/0", "3/1", "3/0", "5/0", "1/0"]);
    assert_eq!(
        plies(Games { to_ply: 2, variations: true, ..Games::default() }),
        ["0/0", "1/0", "2/0", "2/1", "0/0", "1/0"]
    );
}

#[test]
fn games_are_left_out_by_their_tags() {
    let game = |elo: &str, moves: &str| format!("[WhiteElo \"{elo}\"]\n\n{moves}\n\n");
    let text = game("2100", "1. wrong *")
        + &game("2200", "1. e4 *")
        + &game("?", "*")
        + &game("2300", "1. d4 {")
        + "[A \"b\"]\n*\n";
    let games = Games { conditions: Condition::list("WhiteElo>=2200").unwrap(), ..Games::default() };
    let (rows, messages) = read_whole(&source("game,san", games), text.as_bytes(), OnError::Skip);
    let rows: Vec<&str> = rows.iter().map(|row| row.split_once(" | ").unwrap().1).collect();
    assert_eq!(rows, ["2 | -", "2 | e4", "4 | -", "4 | d4"]);
    assert_eq!(messages, ["4: line 15, column 7, ply 1: expected a comment or variation that ends, found \"{\""]);
}

#[test]
fn a_mistake_leaves_out_the_rest_of_its_game() {
    let good = "[A \"b\"]\r\n\r\n1. e4 *\r\n\r\n";
    let text = good.repeat(300) + "[A \"c\"]\r\n\r\n1. e4 e5\r\n2. Nf9 d6 1-0\r\n\r\n" + &good.repeat(300);
    for size in [16, 1_000, 1 << 20] {
        let (rows, messages, blocks) =
            read(&source("ply,san", Games::default()), text.as_bytes(), size, usize::MAX, OnError::Skip);
        assert_eq!(rows.len(), 600 * 2 + 3);
        assert_eq!(messages, ["301: line 1204, column 4, ply 2: expected a move, found \"Nf9\""]);
        assert!(blocks > 5 || size == 1 << 20);
    }
    let (rows, messages) = read_whole(&source("ply,san,A", Games::default()), text.as_bytes(), OnError::Report);
    assert_eq!((rows.len(), messages.len()), (600 * 2 + 4, 1));
    assert_eq!(rows[603], "301 null | 3 | - | c");
    let content = Content::Bytes(text.clone().into_bytes().into());
    let records = parse(&source("", Games::default()), 1.into(), &content, OnError::Fail);
    assert_eq!(records.numbers.len(), 603);
    assert_eq!(records.failure.unwrap().number, 301);
}

#[test]
fn a_limit_ends_within_a_game() {
    let content = Content::Bytes(b"1. e4 e5 2. Nf9 1-0\n\n1. d4 d5 0-1\n".to_vec().into());
    for limit in 0..=6 {
        let mut parser = Parser::new(1, &content, 0, ReadLimits::all(limit), OnError::Skip, Positions::new());
        source("result", Games::default()).parse(&mut parser);
        let (rows, messages) = rows_and_messages(&parser.records);
        assert_eq!(rows.len(), limit);
        assert_eq!(messages.len(), usize::from(limit > 3));
        assert!(rows.iter().skip(3).all(|row| row.ends_with("0-1")), "{rows:?}");
    }
}

#[test]
fn a_game_that_is_too_long_is_left_out() {
    let good = "[A \"b\"]\n\n1. e4 *\n\n";
    let long = "{ a long comment\n }".repeat(70_000);
    for before in [0, 1, 40] {
        for tag in ["[A \"long\"]\n", "[A \"long\"]\n[B \"c\"]\n[C \"d\"]\n"] {
            let text = good.repeat(before) + tag + "\n1. e4 " + &long + "\nNf9 *\n" + &good.repeat(100);
            let bad = format!("{}: length: expected at most 1048576 bytes, found more", before + 1);
            let text = text + "[A \"b\"]\n\nNf9";
            let line = text.lines().count();
            let last = format!("{}: line {line}, column 1, ply 0: expected a move, found \"Nf9\"", before + 102);
            for size in [1_000, 4 << 15, 16 << 20] {
                let source = source("A", Games::default());
                let (rows, messages, _) = read(&source, text.as_bytes(), size, usize::MAX, OnError::Skip);
                assert_eq!(rows.len(), 2 * (before + 100) + 1);
                assert_eq!(messages, [bad.clone(), last.clone()]);
            }
        }
    }
}

#[test]
fn a_game_without_tags_that_is_too_long_ends_before_tags() {
    let long = "1. e4 ".to_owned() + &"{ a long comment }".repeat(70_000) + " *\n1. d4 *\n";
    let text = "1. d4 *\n".to_owned() + &long + "\n[A \"b\"]\n\n1. d4 *\n";
    for size in [1_000, 4 << 15, 16 << 20] {
        let (rows, messages, _) =
            read(&source("game", Games::default()), text.as_bytes(), size, usize::MAX, OnError::Skip);
        let rows: Vec<&str> = rows.iter().map(|row| row.split_once(" | ").unwrap().1).collect();
        assert_eq!(rows, ["1", "1", "3", "3"], "{size}");
        assert_eq!(messages, ["2: length: expected at most 1048576 bytes, found more"]);
    }
}

#[test]
fn a_game_without_an_end_is_one_mistake() {
    for endless in ["{", "(", "[A \"b\"]\n", "[", "[A", "1. ", "\0", "x", "* "] {
        let text = endless.repeat((3 << 20) / endless.len());
        let (rows, messages, _) =
            read(&source("", Games::default()), text.as_bytes(), 32 << 10, usize::MAX, OnError::Skip);
        assert!(messages.len() <= 3, "{endless:?}: {messages:?}");
        assert!(rows.len() <= 3 || endless == "* ", "{endless:?}: {}", rows.len());
    }
}

#[test]
fn a_game_gives_only_so_many_positions() {
    let moves = "Nf3 Nf6 Ng1 Ng8 ".repeat(10_000);
    let text = format!("[A \"b\"]\n\n{moves}*\n\n[A \"b\"]\n\n1. e4 *\n");
    let (rows, messages) = read_whole(&source("", Games::default()), text.as_bytes(), OnError::Skip);
    assert_eq!(rows.len(), MAX_POSITIONS + 2);
    assert_eq!(messages, ["1: length: expected at most 8192 positions, found more"]);
    // Each of them has the tags to keep.
    let text = format!("[A \"{}\"]\n\n{moves}*\n", "x".repeat(10_000));
    let (rows, messages) = read_whole(&source("A", Games::default()), text.as_bytes(), OnError::Skip);
    assert_eq!((rows.len(), messages.len()), ((16 << 20) / 10_000, 1));
}
