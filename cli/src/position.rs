//! Chess positions in FEN and EPD: the first four fields, checked; what follows them is ignored.

use std::fmt;

use slider_attacks::{Slider, Square};

/// What is wrong with a line: in which field, what was expected there, and what stood there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError {
    field: &'static str,
    expected: String,
    found: String,
}

impl LineError {
    /// `found` says what stood there in words of its own.
    pub fn new(field: &'static str, expected: impl Into<String>, found: impl Into<String>) -> LineError {
        LineError { field, expected: expected.into(), found: found.into() }
    }

    /// `value` is the text that stood there, if the line went so far: quoted, and shortened if it is long.
    pub fn value(field: &'static str, expected: impl Into<String>, value: Option<&str>) -> LineError {
        LineError::new(field, expected, value.map_or_else(|| "the end of the line".to_owned(), quoted))
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, found {}", self.field, self.expected, self.found)
    }
}

/// The text in quotation marks, control characters escaped, cut off after what fills a line on the screen.
pub fn quoted(text: &str) -> String {
    const MOST: usize = 80;
    let shown: String = text.chars().take(MOST).collect();
    let rest = text.len() - shown.len();
    if rest == 0 { format!("{shown:?}") } else { format!("{shown:?}… ({rest} more bytes)") }
}

/// The pieces on a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The letter of the piece on each square, as in FEN; 0 on an empty one.
    pieces: [u8; 64],
}

impl Position {
    /// Reads the first four fields of a FEN or EPD line.
    ///
    /// The board is taken at its word where FEN leaves no doubt: `44` is eight empty squares, and pawns may stand on any
    /// rank. Castling rights may be those of Shredder-FEN, letters of files.
    pub fn parse(line: &str) -> Result<Position, LineError> {
        let mut fields = line.split_ascii_whitespace();
        let position = Position::parse_board(fields.next())?;
        let side = fields.next();
        if !matches!(side, Some("w" | "b")) {
            return Err(LineError::value("side to move", "w or b", side));
        }
        let castling = fields.next();
        if !castling.is_some_and(is_castling) {
            return Err(LineError::value("castling", "- or letters of KQkq (or of files, A-H and a-h)", castling));
        }
        let en_passant = fields.next();
        if !en_passant.is_some_and(is_en_passant) {
            return Err(LineError::value("en passant", "- or a square on rank 3 or 6", en_passant));
        }
        Ok(position)
    }

    fn parse_board(text: Option<&str>) -> Result<Position, LineError> {
        const FIELD: &str = "board";
        let text = text.ok_or_else(|| LineError::value(FIELD, "a position", None))?;
        let within = |what: String| format!("{what} in {}", quoted(text));
        let ranks = text.split('/').count();
        if ranks != 8 {
            return Err(LineError::new(FIELD, "8 ranks separated by /", within(ranks.to_string())));
        }
        let mut pieces = [0; 64];
        for (rank, rank_text) in (0..8).rev().zip(text.split('/')) {
            let mut file = 0;
            for letter in rank_text.chars() {
                match letter {
                    '1'..='8' => file += letter as usize - '0' as usize,
                    'K' | 'Q' | 'R' | 'B' | 'N' | 'P' | 'k' | 'q' | 'r' | 'b' | 'n' | 'p' => {
                        if file < 8 {
                            pieces[8 * rank + file] = letter as u8;
                        }
                        file += 1;
                    }
                    _ => {
                        let expected = format!("KQRBNP, kqrbnp or 1 to 8 in rank {}", rank + 1);
                        return Err(LineError::new(FIELD, expected, within(format!("{letter:?}"))));
                    }
                }
            }
            if file != 8 {
                let expected = format!("8 files in rank {}", rank + 1);
                return Err(LineError::new(FIELD, expected, within(file.to_string())));
            }
        }
        for (king, side) in [(b'K', "white"), (b'k', "black")] {
            let kings = pieces.iter().filter(|&&piece| piece == king).count();
            if kings != 1 {
                let found = if kings == 0 { "none".to_owned() } else { kings.to_string() };
                return Err(LineError::new(FIELD, format!("one {side} king"), within(found)));
            }
        }
        Ok(Position { pieces })
    }

    /// The squares with a piece on them.
    pub fn occupancy(&self) -> u64 {
        let occupied = Square::ALL.into_iter().zip(self.pieces).filter(|&(_, piece)| piece != 0);
        occupied.fold(0, |occupancy, (square, _)| occupancy | square.bitboard())
    }

    /// Every rook, bishop and queen of both sides, from a1 to h8: where it stands, its letter, how it moves.
    pub fn sliders(&self) -> impl Iterator<Item = (Square, &'static str, Slider)> {
        Square::ALL.into_iter().zip(self.pieces).filter_map(|(square, piece)| {
            let (letter, slider) = match piece {
                b'B' => ("B", Slider::Bishop),
                b'b' => ("b", Slider::Bishop),
                b'R' => ("R", Slider::Rook),
                b'r' => ("r", Slider::Rook),
                b'Q' => ("Q", Slider::Queen),
                b'q' => ("q", Slider::Queen),
                _ => return None,
            };
            Some((square, letter, slider))
        })
    }
}

/// `-`, or letters of castling rights, none of them twice.
fn is_castling(text: &str) -> bool {
    let letters = text.as_bytes();
    let known = |letter: &u8| matches!(letter, b'K' | b'Q' | b'k' | b'q' | b'A'..=b'H' | b'a'..=b'h');
    text == "-"
        || (letters.iter().all(known) && (1..letters.len()).all(|index| !letters[..index].contains(&letters[index])))
}

fn is_en_passant(text: &str) -> bool {
    text == "-" || text.parse().is_ok_and(|square: Square| matches!(square.rank(), 2 | 5))
}

#[cfg(test)]
mod tests {
    use super::*;

    const INITIAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    fn error(line: &str) -> String {
        Position::parse(line).expect_err(line).to_string()
    }

    #[test]
    fn the_initial_position() {
        let position = Position::parse(INITIAL).unwrap();
        assert_eq!(position.occupancy(), 0xffff_0000_0000_ffff);
        let sliders: String = position.sliders().map(|(_, letter, _)| letter).collect();
        assert_eq!(sliders, "RBQBRrbqbr");
        assert_eq!(position.sliders().next(), Some((Square::A1, "R", Slider::Rook)));
        assert_eq!(position.sliders().nth(7), Some((Square::D8, "q", Slider::Queen)));
    }

    #[test]
    fn what_is_well_formed() {
        for fields in ["w - -", "b KQkq e3", "w Kq h6 0 1", "b HAha -", "w - - bm Qd1+; id \"x\";", "  w\t-  -  "] {
            Position::parse(&format!("4k3/44/8/8/8/8/8/P3K2R {fields}")).expect(fields);
        }
    }

    #[test]
    fn every_malformed_field_is_named() {
        let cases = [
            ("", "board: expected a position, found the end of the line"),
            ("8/8/8/8/8/8/8 w - -", "board: expected 8 ranks separated by /, found 7 in \"8/8/8/8/8/8/8\""),
            ("8/8/8/8/8/8/8/8/8 w - -", "board: expected 8 ranks separated by /, found 9"),
            ("k7/8/8/9/8/8/8/K7 w - -", "board: expected KQRBNP, kqrbnp or 1 to 8 in rank 5, found '9' in"),
            ("k7/8/8/ppppppppp/8/8/8/K7 w - -", "board: expected 8 files in rank 5, found 9"),
            ("k7/8/8/88888888888888888888/8/8/8/K7 w - -", "board: expected 8 files in rank 5, found 160"),
            ("k7/8/8//8/8/8/K7 w - -", "board: expected 8 files in rank 5, found 0"),
            ("k7/8/8/7/8/8/8/K7 w - -", "board: expected 8 files in rank 5, found 7"),
            ("k7/8/8/8/8/8/8/K6x w - -", "board: expected KQRBNP, kqrbnp or 1 to 8 in rank 1, found 'x'"),
            ("k7/8/8/8/8/8/8/K6♜ w - -", "board: expected KQRBNP, kqrbnp or 1 to 8 in rank 1, found '♜'"),
            ("k7/8/8/8/8/8/8/K6\0 w - -", "in rank 1, found '\\0' in \"k7/8/8/8/8/8/8/K6\\0\""),
            ("8/8/8/8/8/8/8/K7 w - -", "board: expected one black king, found none in"),
            ("k7/8/8/8/8/8/8/8 w - -", "board: expected one white king, found none in"),
            ("k7/8/8/8/8/8/8/KK6 w - -", "board: expected one white king, found 2 in"),
            ("k7/8/8/8/8/8/8/K7", "side to move: expected w or b, found the end of the line"),
            ("k7/8/8/8/8/8/8/K7 W - -", "side to move: expected w or b, found \"W\""),
            ("k7/8/8/8/8/8/8/K7 w", "castling: expected - or letters of KQkq"),
            (
                "k7/8/8/8/8/8/8/K7 w KK -",
                "castling: expected - or letters of KQkq (or of files, A-H and a-h), found \"KK\"",
            ),
            ("k7/8/8/8/8/8/8/K7 w -K -", "castling: expected"),
            ("k7/8/8/8/8/8/8/K7 w - ", "en passant: expected - or a square on rank 3 or 6, found the end of the line"),
            ("k7/8/8/8/8/8/8/K7 w - e4", "en passant: expected - or a square on rank 3 or 6, found \"e4\""),
            ("k7/8/8/8/8/8/8/K7 w - bm Qd1+;", "en passant: expected - or a square on rank 3 or 6, found \"bm\""),
        ];
        for (line, expected) in cases {
            assert!(error(line).contains(expected), "{line:?} gave {:?}", error(line));
        }
    }

    #[test]
    fn every_prefix_of_a_position_is_an_error_up_to_the_fourth_field() {
        let whole = INITIAL.find("- 0").unwrap() + 1;
        for end in 0..INITIAL.len() {
            assert_eq!(Position::parse(&INITIAL[..end]).is_ok(), end >= whole, "{:?}", &INITIAL[..end]);
        }
    }

    #[test]
    fn long_values_are_shortened() {
        assert_eq!(quoted("a\tb"), "\"a\\tb\"");
        assert_eq!(quoted(&"é".repeat(80)), format!("\"{}\"", "é".repeat(80)));
        assert_eq!(quoted(&"é".repeat(90)), format!("\"{}\"… (20 more bytes)", "é".repeat(80)));
    }
}
