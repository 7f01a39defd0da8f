//! Positions from text: accepted and rejected lines, errors, and that an error changes nothing.

use std::error::Error;
use std::io::{self, Read};

use crate::common::Random;
use proptest::prelude::*;
use slider_attacks::position::{BoardError, Castling, Color, FenError, Piece, PlanesError, Positions, ReadError};
use slider_attacks::{Backend, Square};

const SAMPLE: &str = include_str!("../data/sample.epd");
const INITIAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The lines of the sample that are positions.
fn sample() -> impl Iterator<Item = &'static str> {
    SAMPLE.lines().filter(|line| !line.starts_with('#'))
}

fn four_fields(line: &str) -> String {
    line.split_ascii_whitespace().take(4).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_initial_position() {
    let mut positions = Positions::with_capacity(1);
    positions.push_fen(INITIAL.as_bytes()).unwrap();
    let expected = [0xff00, 0x42, 0x24, 0x81, 0x08, 0x10];
    for (piece, expected) in Piece::ALL.into_iter().zip(expected) {
        assert_eq!(positions.pieces(Color::White, piece), [expected], "{piece}");
        assert_eq!(positions.pieces(Color::Black, piece), [u64::swap_bytes(expected)], "{piece}");
    }
    assert_eq!((positions.color(Color::White), positions.color(Color::Black)), (&[0xffff][..], &[0xffff << 48][..]));
    assert_eq!(positions.occupancies(), [0xffff_0000_0000_ffff]);
    assert_eq!((positions.side_to_move(), positions.en_passant()), (&[Color::White][..], &[None][..]));
    assert_eq!(positions.castling()[0].letters().collect::<String>(), "KQkq");
    assert_eq!(positions.piece_at(0, Square::D8), Some((Color::Black, Piece::Queen)));
    assert_eq!(positions.piece_at(0, Square::D4), None);
}

#[test]
fn pieces_have_letters_and_colors_have_another() {
    let letters = Color::ALL.map(|color| Piece::ALL.map(|piece| piece.letter(color)));
    assert_eq!(letters, [['P', 'N', 'B', 'R', 'Q', 'K'], ['p', 'n', 'b', 'r', 'q', 'k']]);
    assert_eq!(Color::ALL.map(Color::other), [Color::Black, Color::White]);
}

#[test]
fn the_sample_comes_back_as_it_was() {
    let mut positions = Positions::new();
    assert_eq!(positions.read_lines(SAMPLE.as_bytes()), Ok(146));
    for (index, line) in sample().enumerate() {
        assert_eq!(positions.fen(index), four_fields(line));
    }
    assert!(positions.side_to_move().contains(&Color::Black) && positions.castling().contains(&Castling::NONE));
}

#[test]
fn what_is_well_formed() {
    let board = "4k3/44/8/8/8/8/8/P3K2R";
    let cases = [
        ("w - -", "w - -"),
        ("b KQkq e3", "b KQkq e3"),
        ("w qkQK h6 0 1", "w KQkq h6"),
        ("w Kq a3 12 345", "w Kq a3"),
        ("b HAha -", "b HAha -"),
        ("b ABCDEFGHabcdefgh -", "b HGFEDCBAhgfedcba -"),
        ("w KQHAkqha -", "w KQHAkqha -"),
        ("w - - bm Qd1+; id \"\u{265c}\";", "w - -"),
        ("w - -; bm Qd1+;", "w - -"),
        ("b HAha e3; bm Qd1+;", "b HAha e3"),
        ("b - a6;", "b - a6"),
        ("w - -;;x", "w - -"),
        ("w - - [", "w - -"),
        (" \t w\t-  -  \r\n", "w - -"),
        ("w\u{c}K\tg6\t", "w K g6"),
    ];
    for (fields, expected) in cases {
        for lead in ["", " ", "\t  "] {
            let mut positions = Positions::new();
            positions.push_fen(format!("{lead}{board} {fields}").as_bytes()).expect(fields);
            assert_eq!(positions.fen(0), format!("4k3/8/8/8/8/8/8/P3K2R {expected}"));
        }
    }
}

#[test]
fn castling_rights_are_letters() {
    let mut positions = Positions::new();
    positions.push_fen(b"4k3/8/8/8/8/8/8/4K3 w Hkb -").unwrap();
    let castling = positions.castling()[0];
    let given: String = ('\0'..='\u{ff}').filter(|&letter| castling.has(letter)).collect();
    assert_eq!(given, "Hbk");
    assert!(!castling.has('\u{148}'), "its lowest byte is an H");
    assert_eq!((castling.to_string(), castling.is_none()), ("Hkb".into(), false));
    assert_eq!((Castling::NONE.to_string(), Castling::NONE.is_none()), ("-".into(), true));
}

#[test]
fn every_malformed_field_is_named() {
    const END: &str = "the end of the line";
    const PIECE: &str = "KQRBNP, kqrbnp or 1 to 8 in rank 1";
    const POCKET: &str = "no pocket of captured pieces";
    const SIDE: &str = "w or b as the side to move";
    const RIGHTS: &str = "- or castling rights (letters of KQkq, A-H and a-h, none twice)";
    const EN_PASSANT: &str = "- or an en passant square on rank 3 or 6";
    let cases = [
        ("", 1, "a position", END),
        ("  ", 3, "a position", END),
        ("8/8/8/8/8/8/8 w - -", 14, "8 ranks separated by /", "7"),
        ("8/8/8/8/8/8/8/8/8 w - -", 16, "8 ranks separated by /", "9"),
        ("k7/8/8/9/8/8/8/K7 w - -", 8, "KQRBNP, kqrbnp or 1 to 8 in rank 5", "'9'"),
        ("k7/8/8/ppppppppp/8/8/8/K7 w - -", 17, "8 files in rank 5", "9"),
        ("k7/8/8/88888888888888888888/8/8/8/K7 w - -", 28, "8 files in rank 5", "160"),
        ("k7/8/8//8/8/8/K7 w - -", 8, "8 files in rank 5", "0"),
        ("k7/8/8/7/8/8/8/K7 w - -", 9, "8 files in rank 5", "7"),
        ("k7/8/8/8/8/8/8/K8 w - -", 18, "8 files in rank 1", "9"),
        ("k7/8/8/8/8/8/8/K6x w - -", 18, PIECE, "'x'"),
        ("k7/8/8/8/8/8/8/K6\u{265c} w - -", 18, PIECE, "the byte 0xe2"),
        ("k7/8/8/8/8/8/8/K6\0 w - -", 18, PIECE, "'\\0'"),
        ("k7/8/8/8/8/8/8/K6Q~ w - -", 19, PIECE, "'~'"),
        ("k7/8/8/8/8/8/8/K7[Qn] w - -", 18, POCKET, "one: crazyhouse is not read"),
        ("k7/8/8/8/8/8/8/K7[] w - -", 18, POCKET, "one: crazyhouse is not read"),
        ("k7/8/8/8/8/8/8/K7/Qn w - -", 18, "8 ranks separated by /", "9"),
        ("8/8/8/8/8/8/8/K7 w - -", 1, "one black king", "0"),
        (" k7/8/8/8/8/8/8/8 w - -", 2, "one white king", "0"),
        ("k7/8/8/8/8/8/8/KK6 w - -", 1, "one white king", "2"),
        ("k7/8/8/8/8/8/8/K7", 18, SIDE, END),
        ("k7/8/8/8/8/8/8/K7 W - -", 19, SIDE, "'W'"),
        ("k7/8/8/8/8/8/8/K7 wb - -", 20, SIDE, "'b'"),
        ("k7/8/8/8/8/8/8/K7 w", 20, RIGHTS, END),
        ("k7/8/8/8/8/8/8/K7 w KK -", 22, RIGHTS, "'K'"),
        ("k7/8/8/8/8/8/8/K7 w -K -", 21, RIGHTS, "'-'"),
        ("k7/8/8/8/8/8/8/K7 w K- -", 22, RIGHTS, "'-'"),
        ("k7/8/8/8/8/8/8/K7 w - ", 23, EN_PASSANT, END),
        ("k7/8/8/8/8/8/8/K7 w - e4", 23, EN_PASSANT, "'e'"),
        ("k7/8/8/8/8/8/8/K7 w - -e3", 24, EN_PASSANT, "'e'"),
        ("k7/8/8/8/8/8/8/K7 w - e3-", 25, EN_PASSANT, "'-'"),
        ("k7/8/8/8/8/8/8/K7 w - ;", 23, EN_PASSANT, "';'"),
        ("k7/8/8/8/8/8/8/K7 w -; -", 21, RIGHTS, "'-'"),
        ("k7/8/8/8/8/8/8/K7 w - bm Qd1+;", 23, EN_PASSANT, "'b'"),
    ];
    let mut positions = Positions::new();
    for (line, column, expected, found) in cases {
        let expected = format!("column {column}: expected {expected}, found {found}");
        assert_eq!(positions.push_fen(line.as_bytes()).expect_err(line).to_string(), expected, "{line:?}");
        if !line.trim().is_empty() {
            let error = positions.read_lines(format!("# first\n\n{line}\n").as_bytes()).expect_err(line);
            assert_eq!(error.to_string(), format!("line 3, {expected}"), "{line:?}");
            assert_eq!(error.source().map(ToString::to_string), Some(expected), "{line:?}");
        }
        assert!(positions.is_empty());
    }
}

#[test]
fn every_prefix_of_a_position_is_an_error_up_to_the_fourth_field() {
    let whole = INITIAL.find("- 0").unwrap() + 1;
    for end in 0..INITIAL.len() {
        let mut positions = Positions::new();
        assert_eq!(positions.push_fen(&INITIAL.as_bytes()[..end]).is_ok(), end >= whole, "{:?}", &INITIAL[..end]);
    }
}

#[test]
fn lines_end_in_lf_crlf_or_cr_or_with_the_text() {
    let tails = ["", " ", " 0 1", " bm Qd1+; id \"something long enough to be searched through\";"];
    for (end, tail) in ["\n", "\r\n", "\r"].into_iter().flat_map(|end| tails.map(|tail| (end, tail))) {
        let line = format!("{}{tail}", four_fields(INITIAL));
        for text in [
            format!("{line}{end}{line}"),
            format!("{line}{end}{line}{end}"),
            format!("\u{feff}{line}{end}{end} \t{end}# comment{end}  # comment w - -{end}{line}{end}{end}"),
            format!("\u{feff}# k7{end}  {line}{end}{line}\r"),
            format!("{line}\r{line}{end}"),
            format!("{line}\r\r\n\n\r{line}\r\r"),
        ] {
            let mut positions = Positions::new();
            assert_eq!(positions.read_lines(text.as_bytes()), Ok(2), "{text:?}");
            assert_eq!(positions.fen(1), four_fields(INITIAL));
        }
        for backend in Backend::available() {
            // What follows the fourth field is ignored up to the end of its line, and no further.
            let text = format!("{line}\r{line}{end}# comment\rnonsense{end}{line}\r\n{line}");
            let mut positions = Positions::new();
            let error = backend.read_lines(text.as_bytes(), &mut positions).unwrap_err();
            assert_eq!((error.line, error.error.column, positions.len()), (4, 2, 0), "{backend}, {text:?}");
            let lines = backend.push_lines(text.as_bytes(), usize::MAX, &mut positions);
            assert_eq!((lines, positions.len()), (2 * line.len() + 1 + end.len(), 2), "{backend}, {text:?}");
        }
    }
    for nothing in ["", "\n", "\u{feff}", "\r\n\r\n", "#", " # x", "\r"] {
        assert_eq!(Positions::new().read_lines(nothing.as_bytes()), Ok(0), "{nothing:?}");
    }
}

/// Blocks of an input may end anywhere, and the input may give few bytes at a time.
#[test]
fn an_input_is_read_as_its_text() {
    struct Slow<'a>(&'a [u8], usize);
    impl Read for Slow<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let len = self.1.min(out.len());
            self.0.read(&mut out[..len])
        }
    }

    // Lines of 30 bytes, more than two blocks of them.
    for end in ["\n", "\r\n", "\r"] {
        let line = format!("4k3/8/8/8/8/8/8/4K3 w - -{}{end}", &"    ;"[end.len() - 1..]);
        let lines = (600 << 10) / line.len();
        for lead in ["\u{feff}".to_owned(), String::new(), "#".repeat(300 << 10) + end] {
            for shift in 0..32 {
                let text = format!("{lead}#{}{end}{}", " ".repeat(shift), line.repeat(lines));
                let mut positions = Positions::new();
                let read = positions.read_lines_from(Slow(text.as_bytes(), 100_000 + shift)).unwrap();
                assert_eq!((read, positions.len()), (lines, lines), "{end:?}, {shift}");
                if shift % 8 > 0 {
                    continue;
                }
                for wrong in ["nonsense", "\u{feff}4k3/8/8/8/8/8/8/4K3 w - -"] {
                    let text = text.clone() + wrong;
                    let error = positions.read_lines_from(text.as_bytes()).unwrap_err();
                    assert_eq!((error.kind(), positions.len()), (io::ErrorKind::InvalidData, lines));
                    let whole = Positions::new().read_lines(&text).unwrap_err();
                    assert_eq!(error.downcast::<ReadError>().unwrap(), whole, "{end:?}, {shift}");
                }
            }
        }
    }
    let mut positions = Positions::new();
    assert_eq!(positions.read_lines_from(io::empty()).unwrap(), 0);
    let cut_off = INITIAL.as_bytes().chain(Failing);
    assert_eq!(positions.read_lines_from(cut_off).unwrap_err().to_string(), "it failed");
    assert!(positions.is_empty());

    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("it failed"))
        }
    }
}

/// Blanks before a board are no part of the line before it: they stay with a line that is not read.
#[test]
fn blanks_before_a_board() {
    let line = four_fields(INITIAL);
    for (blanks, end) in
        [" ", "\t", "   \x0c", &" ".repeat(300)].iter().flat_map(|it| ["\n", "\r\n"].map(|end| (it, end)))
    {
        for count in [1, 3, 64, 65, 130] {
            let lines = format!("{blanks}{line}{end}{line}{end}").repeat(count);
            for (rest, column) in [("nonsense", 2), ("", 0), ("4k3/8/8/8/8/8/8/4K3 x - -", 21), ("# comment", 0)] {
                let text = format!("{lines}{blanks}{rest}");
                for backend in Backend::available() {
                    let mut positions = Positions::new();
                    let read = backend.push_lines(&text, usize::MAX, &mut positions);
                    assert_eq!((positions.len(), read), (2 * count, lines.len()), "{backend}, {blanks:?}, {rest:?}");
                    let read = backend.read_lines(&text, &mut positions);
                    let place = read.map_err(|error| (error.line, error.error.column));
                    let expected = if column > 0 { Err((2 * count + 1, blanks.len() + column)) } else { Ok(2 * count) };
                    assert_eq!(place, expected, "{backend}, {blanks:?}, {rest:?}");
                }
            }
        }
    }
}

#[test]
fn any_number_of_lines() {
    let lines: Vec<&str> = sample().collect();
    for count in [0, 1, 2, 63, 64, 65, 127, 128, 129, 146] {
        let mut positions = Positions::new();
        positions.push_fen(INITIAL.as_bytes()).unwrap();
        assert_eq!(positions.read_lines(lines[..count].join("\n").as_bytes()), Ok(count));
        assert_eq!((positions.len(), positions.fen(0)), (count + 1, four_fields(INITIAL)));
        assert!(!positions.is_empty());
        for (index, line) in lines[..count].iter().enumerate() {
            assert_eq!(positions.fen(index + 1), four_fields(line));
        }
        positions.truncate(1);
        assert_eq!(positions.occupancies(), [0xffff_0000_0000_ffff]);
        positions.clear();
        assert_eq!(positions, Positions::new());
    }
}

/// The FEN of a position, and the pieces on the board.
fn position() -> impl Strategy<Value = (String, Vec<char>)> {
    let squares = proptest::collection::vec(
        prop_oneof![2 => Just('1'), 1 => prop::sample::select(b"PNBRQpnbrq".as_slice()).prop_map(char::from)],
        64,
    );
    let kings = (0..64_usize, 0..63_usize);
    let rights = prop_oneof![
        Just(String::new()),
        prop::sample::subsequence(b"KQkq".to_vec(), 0..=4).prop_map(text),
        prop::sample::subsequence(b"KQHGFEDCBAkqhgfedcba".to_vec(), 0..=20).prop_map(text)
    ];
    let en_passant = prop_oneof![Just("-".to_owned()), "[a-h][36]"];
    (squares, kings, prop::bool::ANY, rights, en_passant).prop_map(
        |(mut squares, (white, black), turn, rights, en_passant)| {
            squares[white] = 'K';
            squares[(white + 1 + black) % 64] = 'k';
            let ranks: Vec<String> = squares.chunks(8).map(rank).collect();
            let (side, rights) = (if turn { "w" } else { "b" }, if rights.is_empty() { "-" } else { &rights });
            (format!("{} {side} {rights} {en_passant}", ranks.join("/")), squares)
        },
    )
}

fn text(letters: Vec<u8>) -> String {
    String::from_utf8(letters).expect("they are ASCII")
}

/// A rank in FEN, with digits for empty squares.
fn rank(squares: &[char]) -> String {
    let mut rank = String::new();
    for &square in squares {
        match (square, rank.pop()) {
            ('1', Some(digit @ '1'..='7')) => rank.push((digit as u8 + 1) as char),
            (square, last) => rank.extend(last.into_iter().chain([square])),
        }
    }
    rank
}

/// A line with a few bytes replaced, inserted or removed.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let line = prop::sample::select(sample().chain([INITIAL]).collect::<Vec<_>>());
    let byte = prop_oneof![3 => prop::sample::select(b" /-12345678KQRBNPkqrbnpwbAHah36[]~#;\t\r\n".as_slice()), 1 => any::<u8>()];
    let change = (0..3_u8, any::<prop::sample::Index>(), byte);
    (line, proptest::collection::vec(change, 0..4)).prop_map(|(line, changes)| {
        let mut line = line.as_bytes().to_vec();
        for (kind, at, byte) in changes {
            let at = at.index(line.len());
            match kind {
                0 => line[at] = byte,
                1 => line.insert(at, byte),
                _ => drop(line.remove(at)),
            }
        }
        line
    })
}

/// A line of a text: a position with any white space between its fields, a comment, a blank line, or none of them.
fn text_line() -> impl Strategy<Value = String> {
    let line = prop::sample::select(sample().chain([INITIAL]).collect::<Vec<_>>());
    let blanks = prop::sample::select(vec![" ", " ", "  ", "\t", " \x0c ", "     "]);
    let position = (line, proptest::collection::vec(blanks, 12)).prop_map(|(line, blanks)| {
        line.split(' ').zip(blanks.into_iter().cycle()).flat_map(|(field, blanks)| [field, blanks]).collect()
    });
    let other = |lines: &'static [&str]| prop::sample::select(lines).prop_map(String::from);
    prop_oneof![
        160 => position,
        40 => other(&["", " \t", "# comment", "\x0c# 4k3/8/8/8/8/8/8/4K3 w - -"]),
        1 => other(&["4k3/8/8/8/8/8/8/4K3  w  -  e4", "4k3/8/8/8/8/8/8/4K3  w -", "k7/8/8/8/8/8/8/8  w - -"]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn text_to_positions_and_back((fen, squares) in position()) {
        let mut positions = Positions::new();
        prop_assert_eq!(positions.push_fen(fen.as_bytes()), Ok(()));
        prop_assert_eq!(positions.read_lines(format!("\n{fen} 0 1\n {fen}\r\n").as_bytes()), Ok(2));
        for index in 0..3 {
            prop_assert_eq!(positions.fen(index), &fen[..]);
            let en_passant = positions.en_passant()[index].map_or("-".to_owned(), |square| square.to_string());
            prop_assert!(fen.ends_with(&format!(" {} {en_passant}", positions.castling()[index])), "{}", fen);
            for (at, &letter) in squares.iter().enumerate() {
                let square = Square::from_file_rank(at as u8 % 8, 7 - at as u8 / 8).unwrap();
                let piece = positions.piece_at(index, square).map_or('1', |(color, piece)| piece.letter(color));
                prop_assert_eq!(piece, letter, "{} of {}", square, fen);
            }
            let mut all = 0;
            for color in Color::ALL {
                let pieces = Piece::ALL.map(|piece| positions.pieces(color, piece)[index]);
                prop_assert_eq!(pieces.into_iter().map(u64::count_ones).sum::<u32>(), positions.color(color)[index].count_ones());
                prop_assert_eq!(pieces.into_iter().fold(0, |all, board| all | board), positions.color(color)[index]);
                prop_assert_eq!(all & positions.color(color)[index], 0);
                all |= positions.color(color)[index];
            }
            prop_assert_eq!(positions.occupancies()[index], all);
        }
    }

    /// A line has the same result in all ways of reading it: the same position, or the same error, which changes nothing.
    /// A line end before it makes sure that the line is read byte by byte.
    #[test]
    fn mutated_lines(line in mutated()) {
        let mut positions = Positions::new();
        positions.push_fen(INITIAL.as_bytes()).unwrap();
        let before = positions.clone();
        let pushed = positions.push_fen(&line);
        match pushed {
            Ok(()) => prop_assert_eq!(positions.len(), 2),
            Err(error) => {
                prop_assert_eq!(&positions, &before);
                prop_assert!((1..=line.len() + 1).contains(&error.column), "{}", error);
                let at_end = error.to_string().ends_with("found the end of the line");
                prop_assert!(!at_end || error.column == line.len() + 1, "{}", error);
            }
        }
        let mut by_byte = before.clone();
        let slowly = by_byte.push_fen([b"\n", &line[..]].concat());
        let what = |error: FenError| error.to_string().split_once(": ").map(|(_, what)| what.to_owned());
        prop_assert_eq!(slowly.map_err(|error| (error.column - 1, what(error))), pushed.map_err(|error| (error.column, what(error))));
        prop_assert_eq!(&by_byte, &positions);

        let one_line = !line.iter().any(|byte| matches!(byte, b'\r' | b'\n'));
        if one_line && !matches!(line.trim_ascii_start().first(), None | Some(b'#')) {
            let mut read = before.clone();
            let text = [INITIAL.as_bytes(), b"\n\n", &line, b"\n", INITIAL.as_bytes()].concat();
            match (pushed, read.read_lines(&text)) {
                (Ok(()), Ok(3)) => prop_assert_eq!(read.fen(2), positions.fen(1)),
                (Err(pushed), Err(error)) => {
                    prop_assert_eq!((error.line, error.error), (3, pushed));
                    prop_assert_eq!(&read, &before);
                }
                (pushed, read) => prop_assert!(false, "{:?} alone, {:?} among others", pushed, read),
            }
        }
    }

    /// Of valid and malformed texts in any order, around the numbers that are stored at a time.
    #[test]
    fn many_texts_are_read_as_one_by_one(texts in proptest::collection::vec(mutated(), 0..150)) {
        let (mut one_by_one, mut many) = (Positions::new(), Positions::new());
        let errors: Vec<_> = texts.iter().filter_map(|text| one_by_one.push_fen(text).err()).collect();
        let (mut rest, mut found) = (texts.iter().map(Vec::as_slice), Vec::new());
        while let Err(error) = many.push_fens(&mut rest) {
            // Exactly the texts up to this one are gone.
            prop_assert_eq!(texts.len() - rest.len(), many.len() + found.len() + 1);
            found.push(error);
        }
        prop_assert_eq!((many, found), (one_by_one, errors));
    }

    /// With comments, blank lines and white space, which vectors pass over.
    #[test]
    fn a_text_is_read_as_its_lines_are(
        lines in proptest::collection::vec(text_line(), 0..150),
        end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
    ) {
        let mut expected = (Positions::new(), None);
        for (number, line) in lines.iter().enumerate() {
            if matches!(line.trim_ascii_start().chars().next(), None | Some('#')) {
                continue;
            }
            if let Err(error) = expected.0.push_fen(line.as_bytes()) {
                expected = (Positions::new(), Some((number + 1, error)));
                break;
            }
        }
        let text: String = lines.iter().flat_map(|line| [line, end]).collect();
        for backend in Backend::available() {
            let mut positions = Positions::new();
            let error = backend.read_lines(text.as_bytes(), &mut positions).err();
            prop_assert_eq!(&(positions, error.map(|error| (error.line, error.error))), &expected, "{}", backend);
        }
    }

    #[test]
    fn any_text(text in proptest::collection::vec(any::<u8>(), 0..300)) {
        let mut positions = Positions::new();
        prop_assert!(positions.read_lines(&text).is_ok() || positions.is_empty());
    }
}

/// Random lines of letters that FEN uses: nothing panics.
#[test]
fn noise() {
    let mut random = Random(7);
    let letters = b" /-12345678KQRBNPkqrbnpwbAHah36\n";
    let mut positions = Positions::new();
    for _ in 0..200_000 {
        let line: Vec<u8> = (0..random.below(90)).map(|_| letters[random.below(letters.len())]).collect();
        assert_eq!(positions.push_fen(&line).is_ok(), !positions.is_empty(), "{line:?}");
        positions.clear();
    }
}

/// The bitboards of a position, as `push_boards` takes them.
fn boards(positions: &Positions, index: usize) -> [[u64; 6]; 2] {
    Color::ALL.map(|color| Piece::ALL.map(|piece| positions.pieces(color, piece)[index]))
}

#[test]
fn positions_of_bitboards_are_those_of_their_text() {
    let (mut read, mut built) = (Positions::new(), Positions::new());
    read.read_lines(SAMPLE.as_bytes()).unwrap();
    for index in 0..read.len() {
        let (side, en_passant) = (read.side_to_move()[index], read.en_passant()[index]);
        built.push_boards(boards(&read, index), side, read.castling()[index], en_passant).unwrap();
    }
    assert_eq!(built, read);
}

#[test]
fn bitboards_that_are_no_position_add_nothing() {
    let mut positions = Positions::new();
    positions.push_fen(INITIAL.as_bytes()).unwrap();
    let initial = boards(&positions, 0);
    let before = positions.clone();
    let mut push = |change: &dyn Fn(&mut [[u64; 6]; 2]), en_passant| {
        let mut pieces = initial;
        change(&mut pieces);
        let error = positions.push_boards(pieces, Color::White, Castling::NONE, en_passant).unwrap_err();
        assert_eq!(positions, before);
        error
    };
    for (color, other) in [(Color::White, Color::Black), (Color::Black, Color::White)] {
        let king = |color: Color, board| move |pieces: &mut [[u64; 6]; 2]| pieces[color as usize][5] = board;
        assert_eq!(push(&king(color, 0), None), BoardError::OneKing { color, kings: 0 });
        assert_eq!(push(&king(color, 3 << 32), None), BoardError::OneKing { color, kings: 2 });
        let pawn = |pieces: &mut [[u64; 6]; 2]| pieces[color as usize][0] |= pieces[other as usize][1];
        let square = if other == Color::White { Square::B1 } else { Square::B8 };
        assert_eq!(push(&pawn, None), BoardError::TwoPieces { square });
    }
    for square in Square::ALL.into_iter().filter(|square| !matches!(square.rank(), 2 | 5)) {
        assert_eq!(push(&|_| {}, Some(square)), BoardError::EnPassant { square });
    }
}

#[test]
fn castling_rights_are_read_as_they_are_written() {
    for subset in 0..1 << 20 {
        let letters = "KQHGFEDCBAkqhgfedcba".char_indices().filter(|(at, _)| subset >> at & 1 != 0);
        let text: String = letters.map(|(_, letter)| letter).collect();
        let text = if text.is_empty() { "-" } else { &text };
        assert_eq!(text.parse::<Castling>().map(|castling| castling.to_string()).as_deref(), Ok(text));
    }
    assert_eq!("qkQK".parse::<Castling>().map(|castling| castling.to_string()).as_deref(), Ok("KQkq"));
    for text in ["", "--", "KK", "-K", "K-", "x", " K", "K ", "é"] {
        assert!(text.parse::<Castling>().is_err(), "{text:?}");
    }
}

/// The position of four planes, by a plain loop over squares.
fn of_planes(planes: [u64; 4], en_passant: Option<Square>) -> Result<[[u64; 6]; 2], BoardError> {
    let mut pieces = [[0; 6]; 2];
    for square in Square::ALL {
        let bit = |plane: usize| (planes[plane] >> square.index() & 1) as usize;
        match (bit(0) | bit(1) << 1 | bit(2) << 2, bit(3)) {
            (0, 0) => {}
            (number @ 1..=6, color) => pieces[color][number - 1] |= square.bitboard(),
            _ => return Err(BoardError::UnknownPiece { square }),
        }
    }
    for color in Color::ALL {
        match pieces[color as usize][Piece::King as usize].count_ones() {
            1 => {}
            kings => return Err(BoardError::OneKing { color, kings }),
        }
    }
    match en_passant.filter(|square| ![2, 5].contains(&square.rank())) {
        None => Ok(pieces),
        Some(square) => Err(BoardError::EnPassant { square }),
    }
}

/// All boards were added, as expected, or none, because of the first wrong one.
#[track_caller]
fn assert_all_or_none(
    pushed: Result<(), PlanesError>,
    first: Option<(usize, BoardError)>,
    positions: &Positions,
    [before, expected]: [&Positions; 2],
    len: usize,
) {
    match first {
        None => assert_eq!((pushed, positions), (Ok(()), expected), "{len}"),
        Some((index, error)) => {
            assert_eq!(pushed, Err(PlanesError::Board { index, error }), "{len}");
            assert_eq!(positions, before, "{len}");
        }
    }
}

#[test]
fn planes_are_positions_or_nothing_is_added() {
    let mut random = Random(1);
    let mut kinds = [0; 4];
    for len in (0..140).chain([256, 1_000]) {
        for wrong in 0..4 {
            let mut planes = [(); 4].map(|()| Vec::new());
            let (mut sides, mut castling, mut en_passant) = (Vec::new(), Vec::new(), Vec::new());
            for _ in 0..len {
                // Pieces of all kinds but kings, then two kings.
                let [mut a, mut b, mut c, mut black] = [(); 4].map(|()| random.next());
                c &= !b;
                black &= a | b | c;
                let (white_king, black_king) = (random.next() % 32, 32 + random.next() % 32);
                for king in [white_king, black_king] {
                    (a, b, c) = (a & !(1 << king), b | 1 << king, c | 1 << king);
                }
                black = black & !(1 << white_king) | 1 << black_king;
                for (plane, board) in planes.iter_mut().zip([a, b, c, black]) {
                    plane.push(board);
                }
                sides.push(Color::ALL[random.next() as usize % 2]);
                castling.push(Castling::from_rooks(random.next()));
                en_passant.push(Square::new(
                    (random.next() % 2 * 24 + 16 + random.next() % 8 + 48 * (random.next() % 2)) as u8,
                ));
            }
            // Some are no positions.
            for _ in 0..if len == 0 { 0 } else { wrong } {
                let at = random.next() as usize % len;
                match random.next() % 3 {
                    0 => planes[random.next() as usize % 4][at] = random.next() & random.next(),
                    1 => en_passant[at] = Square::new(random.next() as u8 % 64),
                    _ => planes[random.next() as usize % 4][at] ^= 1 << (random.next() % 64),
                }
            }
            let mut expected = Positions::new();
            expected.push_fen(INITIAL.as_bytes()).unwrap();
            let (mut positions, before) = (expected.clone(), expected.clone());
            let planes = planes.each_ref().map(Vec::as_slice);
            let first = (0..len).find_map(|at| match of_planes(planes.map(|plane| plane[at]), en_passant[at]) {
                Ok(pieces) => {
                    expected.push_boards(pieces, sides[at], castling[at], en_passant[at]).map(|()| None).unwrap()
                }
                Err(error) => Some((at, error)),
            });
            assert!(wrong > 0 || first.is_none());
            let pushed = positions.push_planes(planes, &sides, &castling, &en_passant);
            assert_all_or_none(pushed, first, &positions, [&before, &expected], len);
            kinds[match first {
                None => 0,
                Some((_, BoardError::UnknownPiece { .. })) => 1,
                Some((_, BoardError::OneKing { .. })) => 2,
                Some(_) => 3,
            }] += 1;
        }
    }
    let mut positions = Positions::new();
    let lengths = positions.push_planes([&[0], &[0], &[0], &[]], &[Color::White], &[Castling::NONE], &[None]);
    assert_eq!((lengths, positions.len()), (Err(PlanesError::LengthMismatch), 0));
    assert!(kinds.iter().all(|&count| count > 10), "{kinds:?}");
}

/// Many boards at a time are those that are pushed one by one, up to the first one that is wrong, which is the error.
#[test]
fn arrays_are_positions_or_nothing_is_added() {
    let mut random = Random(2);
    let mut kinds = [0; 4];
    for len in (0..130).chain([256, 1_000]) {
        for wrong in 0..4 {
            let mut pieces = [[(); 6]; 2].map(|kinds| kinds.map(|()| vec![0; len]));
            let mut en_passant = vec![None; len];
            for at in 0..len {
                for square in 0..64 {
                    // One square in eight is empty.
                    let [color, kind] = [random.next() as usize % 2, random.next() as usize % 6];
                    if kind < 5 && !random.next().is_multiple_of(8) {
                        pieces[color][kind][at] |= 1 << square;
                    }
                }
                for (color, king) in [random.next() % 32, 32 + random.next() % 32].into_iter().enumerate() {
                    pieces.as_flattened_mut().iter_mut().for_each(|boards| boards[at] &= !(1 << king));
                    pieces[color][5][at] = 1 << king;
                }
                en_passant[at] = Square::new((16 + random.next() % 8) as u8);
            }
            for _ in 0..if len == 0 { 0 } else { wrong } {
                let at = random.next() as usize % len;
                match random.next() % 3 {
                    0 => pieces[random.next() as usize % 2][5][at] = 0,
                    1 => en_passant[at] = Square::new(random.next() as u8 % 64),
                    _ => pieces[random.next() as usize % 2][random.next() as usize % 6][at] |= random.next(),
                }
            }
            let sides: Vec<Color> = (0..len).map(|_| Color::ALL[random.next() as usize % 2]).collect();
            let castling: Vec<Castling> = (0..len).map(|_| Castling::from_rooks(random.next())).collect();
            let mut expected = Positions::new();
            expected.push_fen(INITIAL.as_bytes()).unwrap();
            let (mut positions, before) = (expected.clone(), expected.clone());
            let first = (0..len).find_map(|at| {
                let boards = pieces.each_ref().map(|kinds| kinds.each_ref().map(|boards| boards[at]));
                let error = expected.push_boards(boards, sides[at], castling[at], en_passant[at]).err()?;
                Some((at, error))
            });
            assert!(wrong > 0 || first.is_none());
            let pieces = pieces.each_ref().map(|kinds| kinds.each_ref().map(Vec::as_slice));
            maps_are_those_of_positions(pieces, len);
            let pushed = positions.push_arrays(pieces, &sides, &castling, &en_passant);
            assert_all_or_none(pushed, first, &positions, [&before, &expected], len);
            kinds[match first {
                None => 0,
                Some((_, BoardError::TwoPieces { .. })) => 1,
                Some((_, BoardError::OneKing { .. })) => 2,
                Some(_) => 3,
            }] += 1;
        }
    }
    let mut positions = Positions::new();
    let mut pieces: [[&[u64]; 6]; 2] = [[&[0]; 6]; 2];
    pieces[1][2] = &[];
    let lengths = positions.push_arrays(pieces, &[Color::White], &[Castling::NONE], &[None]);
    assert_eq!((lengths, positions.len()), (Err(PlanesError::LengthMismatch), 0));
    for lengths in [[1, 1], [0, 1], [1, 0]] {
        let mut maps = lengths.map(|len| vec![7; len]);
        let found = Backend::active().attack_maps_of_arrays(pieces, maps.each_mut().map(Vec::as_mut_slice));
        assert_eq!((found, maps), (Err(PlanesError::LengthMismatch), lengths.map(|len| vec![7; len])));
    }
    assert!(kinds.iter().all(|&count| count > 10), "{kinds:?}");
}

/// The attack maps of arrays are those of the positions, on every backend, or none is written.
fn maps_are_those_of_positions(pieces: [[&[u64]; 6]; 2], len: usize) {
    let mut positions = Positions::new();
    let error =
        positions.push_arrays(pieces, &vec![Color::White; len], &vec![Castling::NONE; len], &vec![None; len]).err();
    for backend in Backend::available() {
        let mut maps = [vec![7; len], vec![7; len]];
        let found = backend.attack_maps_of_arrays(pieces, maps.each_mut().map(Vec::as_mut_slice));
        assert_eq!(found.err(), error, "{backend}");
        for (color, maps) in Color::ALL.into_iter().zip(maps) {
            let mut expected = vec![7; len];
            if error.is_none() {
                backend.attack_maps(&positions, color, &mut expected).unwrap();
            }
            assert_eq!(maps, expected, "{backend}, {len} boards");
        }
    }
}

#[test]
fn rights_of_rooks_are_letters() {
    for byte in 0..=u8::MAX {
        let files = (0..8).rev().filter(|file| byte >> file & 1 != 0);
        let white: String = files
            .map(|file| match file {
                7 => 'K',
                0 => 'Q',
                _ => char::from(b'A' + file),
            })
            .collect();
        let expected = |text: String| text.parse::<Castling>().unwrap_or(Castling::NONE);
        // Nothing between the first and the last rank counts.
        let middle = 0x00ff_ffff_ffff_ff00;
        assert_eq!(Castling::from_rooks(u64::from(byte) | middle), expected(white.clone()));
        assert_eq!(Castling::from_rooks(u64::from(byte) << 56 | middle), expected(white.to_ascii_lowercase()));
        assert_eq!(
            Castling::from_rooks(u64::from(byte) << 56 | u64::from(byte)),
            expected(white.clone() + &white.to_ascii_lowercase())
        );
    }
}
