//! Lines of FEN through every backend and every call that reads them, compared with a plain reader that shares no code
//! with the library: the same positions, the same lines refused, nothing added that should not be, and every byte counted.
//!
//! `FEN_LINES=2000 cargo test --release --test fen` changes 2,000 lines at each of their bytes, in place of 300: three
//! million lines. With fewer than 300, as for emulated CPUs, the other laws try the same share of their cases.

use std::fmt::{self, Debug, Display};
use std::iter;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::thread;

use crate::common::{self, Random};
use slider_attacks::Backend;
use slider_attacks::position::{self, Color, FenError, Piece, Positions, ReadError};

const SAMPLE: &str = include_str!("../data/sample.epd");
const INITIAL: &[u8] = b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A position, as the rules in the documentation of `slider_attacks::position` have it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Position {
    /// In the order of [`PIECES`].
    boards: [u64; 12],
    white_to_move: bool,
    /// A bit for each letter, counted from `A`.
    rights: u64,
    en_passant: Option<u8>,
}

const PIECES: &[u8; 12] = b"PNBRQKpnbrqk";

/// The position of one line, if it has one.
fn plain(line: &[u8]) -> Option<Position> {
    let mut fields = line.split(|byte| b" \t\n\r\x0c".contains(byte)).filter(|field| !field.is_empty());

    let mut boards = [0_u64; 12];
    let mut ranks = 0;
    for rank in fields.next()?.split(|&byte| byte == b'/') {
        let mut file = 0;
        for byte in rank {
            if let Some(empty) = b"12345678".iter().position(|digit| digit == byte) {
                file += empty + 1;
            } else {
                let piece = PIECES.iter().position(|letter| letter == byte)?;
                if file < 8 && ranks < 8 {
                    boards[piece] |= 1 << (8 * (7 - ranks) + file);
                }
                file += 1;
            }
        }
        if file != 8 {
            return None;
        }
        ranks += 1;
    }
    if ranks != 8 || boards[5].count_ones() != 1 || boards[11].count_ones() != 1 {
        return None;
    }

    let white_to_move = match fields.next()? {
        b"w" => true,
        b"b" => false,
        _ => return None,
    };

    let mut rights = 0;
    match fields.next()? {
        b"-" => {}
        letters => {
            for byte in letters {
                let bit = 1 << byte.checked_sub(b'A').filter(|_| b"KQkqABCDEFGHabcdefgh".contains(byte))?;
                if rights & bit != 0 {
                    return None;
                }
                rights |= bit;
            }
        }
    }

    let field = fields.next()?;
    let en_passant = match field.split(|&byte| byte == b';').next()? {
        b"-" => None,
        [file @ b'a'..=b'h', b'3'] => Some(16 + file - b'a'),
        [file @ b'a'..=b'h', b'6'] => Some(40 + file - b'a'),
        _ => return None,
    };
    Some(Position { boards, white_to_move, rights, en_passant })
}

/// A line of a text.
struct Line {
    /// The bytes before its end.
    content: Range<usize>,
    /// Where the next line begins.
    end: usize,
    what: What,
}

enum What {
    Position(Position),
    /// A blank line or a comment.
    Nothing,
    /// Not a position.
    Wrong,
}

fn what(content: &[u8]) -> What {
    match content.iter().find(|byte| !b" \t\x0c".contains(byte)) {
        None | Some(b'#') => What::Nothing,
        _ => plain(content).map_or(What::Wrong, What::Position),
    }
}

/// The lines of a text. A byte order mark is part of the first one.
fn lines(text: &[u8]) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let content = text[start..].iter().position(|byte| b"\r\n".contains(byte)).map_or(text.len(), |at| start + at);
        let end = match text[content..] {
            [] => content,
            [b'\r', b'\n', ..] => content + 2,
            _ => content + 1,
        };
        lines.push(Line { content: start..content, end, what: what(&text[start..content]) });
        start = end;
    }
    lines
}

/// What reads: a backend, or the methods of `Positions`.
#[derive(Clone, Copy)]
struct Reader(Option<Backend>);

impl Display for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(backend) => write!(f, "{backend}"),
            None => f.write_str("Positions"),
        }
    }
}

impl Reader {
    fn read_lines(self, text: &[u8], positions: &mut Positions) -> Result<usize, ReadError> {
        match self.0 {
            Some(backend) => backend.read_lines(text, positions),
            None => positions.read_lines(text),
        }
    }

    fn push_lines(self, text: &[u8], most: usize, positions: &mut Positions) -> usize {
        match self.0 {
            Some(backend) => backend.push_lines(text, most, positions),
            None => positions.push_lines(text, most),
        }
    }

    fn push_fens<'a>(self, fens: impl Iterator<Item = &'a [u8]>, positions: &mut Positions) -> Result<(), FenError> {
        match self.0 {
            Some(backend) => backend.push_fens(fens, positions),
            None => positions.push_fens(fens),
        }
    }

    fn push_fens_in(
        self,
        text: &[u8],
        ranges: impl Iterator<Item = Range<usize>>,
        positions: &mut Positions,
    ) -> Result<(), FenError> {
        match self.0 {
            Some(backend) => backend.push_fens_in(text, ranges, positions),
            None => positions.push_fens_in(text, ranges),
        }
    }
}

/// Checks that hold for any text, and the number of cases that they have seen.
struct Laws {
    law: &'static str,
    readers: Vec<Reader>,
    lines: usize,
    parts: usize,
    positions: usize,
}

impl Laws {
    fn new(law: &'static str) -> Laws {
        let backends = common::backends(&format!("fen, {law}"));
        let readers = backends.into_iter().map(Some).chain([None]).map(Reader).collect();
        Laws { law, readers, lines: 0, parts: 0, positions: 0 }
    }

    /// For laws with many cases: without the methods of `Positions`, which call a backend.
    fn of_backends(law: &'static str) -> Laws {
        let mut laws = Laws::new(law);
        laws.readers.pop();
        laws
    }

    /// Every way of reading, for these as lines of a text, and as parts of a text with `between` after each.
    fn all<'a>(&mut self, these: impl IntoIterator<Item = &'a [u8]>, between: &[u8]) {
        let (mut text, mut parts) = (Vec::new(), Vec::new());
        let these: Vec<&[u8]> = these.into_iter().collect();
        for line in &these {
            parts.push(text.len()..text.len() + line.len());
            text.extend([line, between].concat());
        }
        self.parts(&text, &parts);
        if between.is_empty() {
            text = these.join(&b'\n');
        }
        self.lines(&text);
    }

    /// The lines of a text, by `push_lines` and `read_lines`.
    fn lines(&mut self, text: &[u8]) {
        let lines = lines(text);
        let expected: Vec<&Position> = lines.iter().filter_map(|line| line.what.position()).collect();
        self.lines += lines.len();
        self.positions += expected.len();
        let mut same = Same::new(&expected);
        for &reader in &self.readers {
            let mut positions = initial();
            push_all_lines(reader, text, &lines, &mut positions);
            same.check(reader, "push_lines", &positions);
        }
        self.read_lines(text, lines);
    }

    /// Reads the lines up to each one that is wrong, and a few more: nothing may be added. Then the lines before it.
    fn read_lines(&self, text: &[u8], mut lines: Vec<Line>) {
        let mut read = vec![initial(); self.readers.len()];
        let mut first = 0;
        while first < lines.len() {
            let start = first.checked_sub(1).map_or(0, |before| lines[before].end);
            if text[start..].starts_with(BYTE_ORDER_MARK) {
                let content = start + BYTE_ORDER_MARK.len()..lines[first].content.end;
                lines[first] = Line { what: what(&text[content.clone()]), content, ..lines[first] };
            }
            let wrong = (first..lines.len()).find(|&at| lines[at].what.is_wrong());
            let end = wrong.unwrap_or(lines.len());
            let count = lines[first..end].iter().filter(|line| line.what.position().is_some()).count();
            for (reader, positions) in self.readers.iter().zip(&mut read) {
                let before = positions.len();
                if let Some(wrong) = wrong {
                    let more = wrong % 3 + if wrong % 16 == 0 { 16 } else { 0 };
                    let part = &text[start..lines[(wrong + more).min(lines.len() - 1)].end];
                    let Err(error) = reader.read_lines(part, positions) else {
                        panic!("{reader}, read_lines: {} has been read", show(part));
                    };
                    let content = &text[lines[wrong].content.clone()];
                    let is_right = error.error == malformed(content);
                    let line = wrong - first + 1;
                    assert!(is_right && error.line == line, "{reader}, line {line} of {}: {error}", show(part));
                    assert_eq!(positions.len(), before, "{reader}, read_lines: added on an error");
                }
                let part = &text[start..end.checked_sub(1).map_or(0, |before| lines[before].end).max(start)];
                assert_eq!(reader.read_lines(part, positions), Ok(count), "{reader}, read_lines: {}", show(part));
                assert_eq!(positions.len(), before + count, "{reader}, read_lines: {}", show(part));
            }
            first = end + 1;
        }
        let expected: Vec<&Position> = lines.iter().filter_map(|line| line.what.position()).collect();
        let mut same = Same::new(&expected);
        for (&reader, positions) in self.readers.iter().zip(&read) {
            same.check(reader, "read_lines", positions);
        }
    }

    /// Parts of a text, by `push_fens` and `push_fens_in`.
    fn parts(&mut self, text: &[u8], parts: &[Range<usize>]) {
        let read: Vec<Option<Position>> = parts.iter().map(|part| plain(&text[part.clone()])).collect();
        let expected: Vec<&Position> = read.iter().flatten().collect();
        self.parts += parts.len();
        self.positions += expected.len();
        let wrong = read.iter().enumerate().filter(|(_, read)| read.is_none());
        let wrong: Vec<(usize, FenError)> = wrong.map(|(at, _)| (at, malformed(&text[parts[at].clone()]))).collect();
        let mut same = Same::new(&expected);
        for &reader in &self.readers {
            for call in ["push_fens_in", "push_fens"] {
                let (mut positions, mut rest) = (initial(), parts.iter().cloned());
                let mut refused = 0;
                loop {
                    let result = match call {
                        "push_fens_in" => reader.push_fens_in(text, rest.clone(), &mut positions),
                        _ => reader.push_fens((&mut rest).map(|part| &text[part]), &mut positions),
                    };
                    let Err(error) = result else { break };
                    // Those before the part that is wrong have been added.
                    let at = positions.len() - 1 + refused;
                    let part = || show(&text[parts[at].clone()]);
                    assert_eq!(Some(&(at, error)), wrong.get(refused), "{reader}, {call}: {}", part());
                    refused += 1;
                    match call {
                        "push_fens_in" => rest = parts[at + 1..].iter().cloned(),
                        // Nothing after it has been taken.
                        _ => assert_eq!(rest.len(), parts.len() - at - 1, "{reader}, {call}: {}", part()),
                    }
                }
                let accepted = wrong.get(refused).map(|&(at, _)| show(&text[parts[at].clone()]));
                assert_eq!(accepted, None, "{reader}, {call}");
                same.check(reader, call, &positions);
            }
        }
    }
}

impl Drop for Laws {
    fn drop(&mut self) {
        let Laws { law, lines, parts, positions, .. } = self;
        if *lines > 0 {
            common::say(format_args!("fen, {law}: {lines} lines and {parts} parts, of these {positions} positions"));
        }
    }
}

impl What {
    fn position(&self) -> Option<&Position> {
        match self {
            What::Position(position) => Some(position),
            _ => None,
        }
    }

    fn is_wrong(&self) -> bool {
        matches!(self, What::Wrong)
    }
}

/// Reads a whole text with `push_lines`, which stops before each line that is not a position. Such lines are left out.
fn push_all_lines(reader: Reader, text: &[u8], lines: &[Line], positions: &mut Positions) {
    let mut lines = lines.iter().peekable();
    let mut start = 0;
    while lines.peek().is_some() {
        let (mut end, mut len) = (start, positions.len());
        while let Some(line) = lines.next_if(|line| line.what.position().is_some()) {
            (end, len) = (line.end, len + 1);
        }
        let read = reader.push_lines(&text[start..], usize::MAX, positions);
        assert_eq!((start + read, positions.len()), (end, len), "{reader}, push_lines: {}", show(&text[start..]));
        start = lines.next().map_or(end, |line| line.end);
    }
    assert_eq!(start, text.len());
}

/// What the reader says that has no vectors.
fn malformed(line: &[u8]) -> FenError {
    match Positions::new().push_fen(line) {
        Err(error) => error,
        Ok(()) => panic!("push_fen has read {}", show(line)),
    }
}

/// One position, so that what is added is not all there is.
fn initial() -> Positions {
    let mut positions = Positions::new();
    positions.push_fen(INITIAL).expect("it is a position");
    positions
}

/// The beginning of a text, for a message.
fn show(text: &[u8]) -> String {
    format!("\"{}\" ({} bytes)", text[..text.len().min(300)].escape_ascii(), text.len())
}

/// What several calls must have read: the first one is compared with the plain reader, and the others with the first.
struct Same<'a> {
    expected: &'a [&'a Position],
    first: Option<Positions>,
}

impl<'a> Same<'a> {
    fn new(expected: &'a [&'a Position]) -> Same<'a> {
        Same { expected, first: None }
    }

    fn check(&mut self, reader: Reader, call: &str, positions: &Positions) {
        if self.first.as_ref() == Some(positions) {
            return;
        }
        let initial = plain(INITIAL).expect("it is a position");
        let expected: Vec<&Position> = [&initial].into_iter().chain(self.expected.iter().copied()).collect();
        assert_eq!(positions.len(), expected.len(), "{reader}, {call}");
        let mut arrays =
            Color::ALL.into_iter().flat_map(|color| Piece::ALL.map(|piece| positions.pieces(color, piece)));
        let boards: [&[u64]; 12] = std::array::from_fn(|_| arrays.next().expect("there are two times six"));
        let others = [positions.color(Color::White), positions.color(Color::Black), positions.occupancies()];
        assert!(boards.iter().chain(&others).all(|boards| boards.len() == expected.len()), "{reader}, {call}");
        assert_eq!(positions.side_to_move().len(), expected.len(), "{reader}, {call}");
        assert_eq!(positions.castling().len(), expected.len(), "{reader}, {call}");
        assert_eq!(positions.en_passant().len(), expected.len(), "{reader}, {call}");
        for (at, expected) in expected.into_iter().enumerate() {
            let read = Position {
                boards: boards.map(|boards| boards[at]),
                white_to_move: positions.side_to_move()[at] == Color::White,
                rights: positions.castling()[at]
                    .letters()
                    .fold(0, |rights, letter| rights | 1 << (letter as u8 - b'A')),
                en_passant: positions.en_passant()[at].map(|square| square.index()),
            };
            assert_eq!(read, *expected, "{reader}, {call}: position {at}");
            let all = |boards: &[u64]| boards.iter().fold(0, |all, board| all | board);
            let colors = [all(&read.boards[..6]), all(&read.boards[6..]), all(&read.boards)];
            assert_eq!(others.map(|boards| boards[at]), colors, "{reader}, {call}: position {at}");
        }
        assert!(self.first.is_none(), "{reader}, {call}: not as the first call, but otherwise right");
        self.first = Some(positions.clone());
    }
}

/// How much to try.
struct Share {
    lines: usize,
    random: Random,
}

/// The number of lines for which the laws try all their cases.
const LINES: usize = 300;

impl Share {
    fn new() -> Share {
        let lines = std::env::var("FEN_LINES").ok().map(|lines| lines.parse().expect("FEN_LINES is a number"));
        Share { lines: lines.unwrap_or(if cfg!(debug_assertions) { 10 } else { LINES }), random: Random(3) }
    }

    /// Whether to try this case.
    fn has(&mut self) -> bool {
        self.random.below(LINES) < self.lines
    }

    fn of(&self, all: usize) -> usize {
        (all * self.lines).div_ceil(LINES).min(all)
    }
}

// Lines to read.

/// The lines of the sample that are positions.
fn sample() -> Vec<&'static [u8]> {
    SAMPLE.lines().filter(|line| !line.starts_with('#')).map(str::as_bytes).collect()
}

/// The board of these squares, a8 first; the digit 1 stands for an empty square.
fn board(squares: &[u8; 64]) -> Vec<u8> {
    let mut board = Vec::new();
    for rank in squares.chunks(8) {
        for &square in rank {
            match board.last_mut() {
                Some(digit @ b'1'..=b'7') if square == b'1' => *digit += 1,
                _ => board.push(square),
            }
        }
        board.push(b'/');
    }
    board.pop();
    board
}

/// A board in its usual form that takes `length` bytes, of 17 to 71.
fn board_of(length: usize, random: &mut Random) -> Vec<u8> {
    loop {
        let mut squares = [b'1'; 64];
        // In a corner at first, where the shortest boards have them.
        let [white, black] =
            if length < 25 { [0, 63 - 7 * random.below(2)] } else { [random.below(32), 32 + random.below(32)] };
        (squares[white], squares[black]) = (b'K', b'k');
        for _ in 0..200 {
            let board = board(&squares);
            if board.len() == length {
                return board;
            }
            let square = random.below(64);
            if squares[square] == b'1' {
                squares[square] = b"PNBRQpnbrq"[random.below(10)];
            }
        }
    }
}

/// Writes some of the digits of a board as two: `5` as `23`.
fn unusual(board: &[u8], random: &mut Random) -> Vec<u8> {
    let mut split = Vec::new();
    for &byte in board {
        match byte {
            b'2'..=b'8' if random.below(2) == 0 => {
                let left = 1 + random.below(usize::from(byte - b'1')) as u8;
                split.extend([b'0' + left, byte - left]);
            }
            _ => split.push(byte),
        }
    }
    split
}

fn pick<T: Copy>(random: &mut Random, from: &[T]) -> T {
    from[random.below(from.len())]
}

/// A line that is a position: mostly in its usual form, with a board of any length. Some have other white space.
fn line(random: &mut Random) -> Vec<u8> {
    let line = usual_line(random);
    if random.below(8) > 0 {
        return line;
    }
    let blanks: [&[u8]; 6] = [b" ", b"  ", b"   ", b"\t", b" \t", b"\x0c "];
    line.split(|&byte| byte == b' ').flat_map(|field| [field, pick(random, &blanks)].concat()).collect()
}

fn usual_line(random: &mut Random) -> Vec<u8> {
    let length = 17 + random.below(55);
    let mut line = board_of(length, random);
    if random.below(8) == 0 {
        line = unusual(&line, random);
    }
    line.extend([b" w ", b" b "][random.below(2)]);
    let mut letters: Vec<u8> = if random.below(8) == 0 { b"KQHGFEDCBAkqhgfedcba" } else { b"KQkq".as_slice() }.to_vec();
    letters.retain(|_| random.below(2) == 0);
    if random.below(8) == 0 {
        letters.sort_by_key(|_| random.next());
    }
    line.extend(if letters.is_empty() { b"-" } else { letters.as_slice() });
    line.push(b' ');
    match random.below(3) {
        0 => line.extend([b'a' + random.below(8) as u8, b"36"[random.below(2)]]),
        _ => line.push(b'-'),
    }
    let tails: [&[u8]; 8] = [b"", b"", b" 0 1", b" 0 1", b" 12 345", b" bm Qd1+; id \"no. 1\";", b";", b"; bm Nf6;"];
    line.extend(tails[random.below(tails.len())]);
    line
}

/// `count` different lines, those of the sample among them.
fn many_lines(count: usize, random: &mut Random) -> Vec<Vec<u8>> {
    let sample = sample().into_iter().map(|line| line[..line.len().min(100)].to_vec());
    let mut lines: Vec<Vec<u8>> = sample.step_by(3).take(count / 2).collect();
    while lines.len() < count {
        lines.push(line(random));
    }
    lines
}

// Laws.

/// Every byte of a line in turn becomes another, with a good line after some of them.
#[test]
fn replaced_bytes() {
    let (mut laws, mut random, share) = (Laws::of_backends("replaced bytes"), Random(11), Share::new());
    for (number, line) in many_lines(share.lines, &mut random).iter().enumerate() {
        let mut changed = Vec::new();
        for at in 0..line.len() {
            // All values at some places, which are others in the next line.
            let all = (at + number) % 16 == 0;
            let values = if all { (0..=255).collect() } else { some_bytes(5, &mut random) };
            for value in values {
                changed.push(line.clone());
                changed.last_mut().expect("just added")[at] = value;
                if value % 4 == 0 {
                    changed.push(line.clone());
                }
            }
        }
        laws.all(changed.iter().map(Vec::as_slice), [b"\n".as_slice(), b"\r\n", b"\r"][number % 3]);
    }
}

/// Bytes are inserted, deleted and exchanged.
#[test]
fn moved_bytes() {
    let (mut laws, mut random, share) = (Laws::of_backends("moved bytes"), Random(12), Share::new());
    for (number, line) in many_lines(share.lines, &mut random).iter().enumerate() {
        let mut changed = Vec::new();
        let mut change = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut line = line.clone();
            change(&mut line);
            changed.push(line);
        };
        for at in 0..line.len() {
            change(&|line| _ = line.remove(at));
            change(&|line| line.swap(at, at.saturating_sub(1)));
            let all = (at + number) % 32 == 0;
            let values = if all { (0..=255).collect() } else { some_bytes(3, &mut random) };
            values.into_iter().for_each(|value| change(&|line| line.insert(at, value)));
            // Each digit of a board that counts one more, where another counts one less.
            let other = random.below(line.len());
            change(&|line| line.swap(at, other));
            change(&|line| {
                line[at] = line[at].wrapping_add(1);
                line[other] = line[other].wrapping_sub(1);
            });
            change(&|line| line.truncate(at));
        }
        // Without anything between the parts, too.
        laws.all(changed.iter().map(Vec::as_slice), [b"\r\n".as_slice(), b"\n", b"", b"\r"][number % 4]);
    }
}

/// `count` bytes. Most have a meaning in a line.
fn some_bytes(count: usize, random: &mut Random) -> Vec<u8> {
    let known = b" /-12345678KQRBNPkqrbnpwbAHah36[]~#;:?@`_09\t\r\n\x0b\x0c\0\x7f\x80\xaf\xb8\xcb\xeb\xff";
    (0..count)
        .map(|_| if random.below(4) == 0 { random.next() as u8 } else { known[random.below(known.len())] })
        .collect()
}

/// Lines that are unlike others, between 0 to 130 lines before them and 70 lines after them.
#[test]
fn each_place_among_other_lines() {
    let (mut laws, mut random, mut share) = (Laws::of_backends("each place"), Random(13), Share::new());
    let good: Vec<Vec<u8>> = (0..200).map(|_| line(&mut random)).collect();
    let [long, rights] = [[b"k7/8/8/8/8/8/8/K7 w - - ", &[b'x'; 300][..]].concat(), b"K".repeat(200)];
    let unlike: [&[u8]; 20] = [
        b"",
        b"# 8/8/8/8/8/8/8/8 w - -",
        b"nonsense",
        b"k7/8/8/8/8/8/8/K7 w - - \r 0 1",
        b"8/8/8/8/8/8/8/K7 w - -",
        b"kk6/8/8/8/8/8/8/K7 w - -",
        b"k7/8/8/8/8/8/8/K7/8 w - -",
        b"k7/8/8/8/8/8/K7 w - -",
        b"k7/8/8/7/9/8/8/K7 w - -",
        b"k7/8/8/7/81/8/8/K7 w - -",
        b"k7/8/8/8/8/8/8/K7",
        b"k7/8/8/8/8/8/8/K7 W - -",
        b"k7/8/8/8/8/8/8/K7 b KK -",
        &[b"k7/8/8/8/8/8/8/K7 b ", &rights[..]].concat(),
        b"k7/8/8/8/8/8/8/K7 b - e4",
        b" \t k7/44/8/8/8/8/8/K7\x0cb  qkQK e3;",
        &[&[b' '; 150][..], b"k7/8/8/8/8/8/8/K7 w HAha a6"].concat(),
        &long,
        b"rnbqkbnr/pppppppp/rnbqqbnr/pppppppp/PPPPPPPP/RNBQQBNR/PPPPPPPP/RNBQKBNR w KQHGFEDCBAkqhgfedcba a3 0 1",
        b"k7/8/8/8/8/8/8/K7 w - -\0\0",
    ];
    for (unlike, place) in unlike.into_iter().flat_map(|unlike| (0..=130).map(move |place| (unlike, place))) {
        if share.has() {
            let lines = good[..place].iter().map(Vec::as_slice).chain([unlike]);
            laws.all(lines.chain(good[130..].iter().map(Vec::as_slice)), b"\n");
        }
    }
}

#[test]
fn boards_of_all_lengths() {
    let (mut laws, mut random, share) = (Laws::new("boards"), Random(14), Share::new());
    // The shortest two have no place for a king, or for two.
    let mut boards = vec![b"8/8/8/8/8/8/8/8".to_vec(), b"k7/8/8/8/8/8/8/8".to_vec()];
    for length in 17..=71 {
        for _ in 0..share.of(100) {
            let board = board_of(length, &mut random);
            boards.extend([unusual(&board, &mut random), board]);
        }
    }
    // One after the other in different orders, so that each length follows each.
    for fields in [&b" w KQkq e3 0 1"[..], b" b - -", b" w Kq h6", b" b HAha -;"] {
        let mut lines: Vec<Vec<u8>> = boards.iter().map(|board| [board, fields].concat()).collect();
        lines.sort_by_cached_key(|_| random.next());
        laws.all(lines.iter().map(Vec::as_slice), b"\n");
    }
}

/// Ranks of 0 to 300 bytes, and of lengths after which sums of bytes or words begin anew.
#[test]
fn ranks_of_all_lengths() {
    let (mut laws, mut share) = (Laws::new("ranks"), Share::new());
    let mut lines = Vec::new();
    for (rank, byte) in (0..8).flat_map(|rank| b"12345678pP/".map(|byte| (rank, byte))) {
        for length in (0..=300).chain([511, 512, 1_023, 1_024, 8_191, 8_192, 8_193, 65_535, 65_536, 65_537]) {
            if share.has() && (length <= 300 || rank == 3 || share.lines >= LINES && rank % 7 == 0) {
                let mut ranks: [&[u8]; 8] = [b"k7", b"8", b"8", b"8", b"8", b"8", b"8", b"K7"];
                let repeated = vec![byte; length];
                ranks[rank] = &repeated;
                lines.push([&ranks.join(&b'/')[..], b" w - -"].concat());
                // The kings are elsewhere.
                ranks[if rank == 4 { 5 } else { 4 }] = b"k6K";
                lines.push([&ranks.join(&b'/')[..], b" w - -"].concat());
            }
        }
    }
    // Eight ranks of 8 squares in the sum, but not each.
    for (more, less) in (0..8).flat_map(|more| (0..8).map(move |less| (more, less))).filter(|(more, less)| more != less)
    {
        for (long, short) in
            [("81", "7"), ("18", "7"), ("88", ""), ("62", "8"), ("ppppppppp", "7"), ("54", "p6"), ("8P", "61")]
        {
            for kings in 0..8 {
                let mut ranks = ["8"; 8];
                ranks[kings] = "kK6";
                (ranks[more], ranks[less]) = (long, short);
                lines.push(format!("{} b - -", ranks.join("/")).into_bytes());
            }
        }
    }
    laws.chunks(&lines);
}

#[test]
fn every_side() {
    let mut laws = Laws::new("sides");
    let sides = (0..=255).map(|byte| vec![byte]);
    let two = (0..=255).flat_map(|byte| [b"w", b"b"].map(|side| [[byte, side[0]], [side[0], byte]])).flatten();
    let lines: Vec<Vec<u8>> =
        sides.chain(two.map(Vec::from)).map(|side| [b"4k3/8/8/8/8/8/8/4K3 ", &side[..], b" KQkq -"].concat()).collect();
    laws.chunks(&lines);
}

#[test]
fn every_spelling_of_castling_rights() {
    let (mut laws, mut random, mut share) = (Laws::of_backends("castling rights"), Random(15), Share::new());
    let mut spellings: Vec<Vec<u8>> = vec![vec![]];
    // All that up to five of these can spell, and each subset in each order with one byte changed to any other.
    for length in 0..5 {
        let longest: Vec<Vec<u8>> = spellings.iter().filter(|spelling| spelling.len() == length).cloned().collect();
        spellings
            .extend(longest.iter().flat_map(|spelling| b"KQkq-".map(|letter| [&spelling[..], &[letter]].concat())));
    }
    let once =
        |spelling: &&Vec<u8>| b"KQkq".iter().all(|letter| spelling.iter().filter(|it| *it == letter).count() < 2);
    let subsets: Vec<Vec<u8>> = spellings.iter().filter(|it| !it.contains(&b'-')).filter(once).cloned().collect();
    assert_eq!(subsets.len(), 1 + 4 + 12 + 24 + 24);
    for (subset, byte) in subsets.iter().flat_map(|subset| (0..=255).map(move |byte| (subset, byte))) {
        spellings.extend((0..subset.len()).map(|at| [&subset[..at], &[byte], &subset[at + 1..]].concat()));
        spellings.push([&subset[..], &[byte]].concat());
    }
    spellings.extend((0..=u16::MAX).map(|two| two.to_le_bytes().to_vec()));
    for _ in 0..20_000 {
        let mut letters = b"KQHGFEDCBAkqhgfedcba".to_vec();
        letters.retain(|_| random.below(3) > 0);
        letters.sort_by_key(|_| random.next());
        if let (Some(&twice), 0) = (letters.first(), random.below(4)) {
            letters.insert(random.below(letters.len()), twice);
        }
        spellings.push(letters);
    }
    spellings.retain(|_| share.has());
    spellings.extend(subsets);
    let lines: Vec<Vec<u8>> = spellings
        .iter()
        .map(|spelling| {
            let (board, rest) =
                (board_short(&mut random), [&b" -"[..], b" e3 0 1", b" -\t", b" h6; id;"][random.below(4)]);
            [board, b" b ", spelling, rest].concat()
        })
        .collect();
    laws.chunks(&lines);
}

/// One of a few boards, short and long.
fn board_short(random: &mut Random) -> &'static [u8] {
    let boards: [&[u8]; 4] = [
        b"k7/8/8/8/8/8/8/K7",
        b"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R",
        b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
        b"rnbqkbnr/pppppppp/rnbqqbnr/pppppppp/PPPPPPPP/RNBQQBNR/PPPPPPPP/RNBQKBNR",
    ];
    boards[random.below(boards.len())]
}

/// Boards of all lengths with all rights come back as they were, from each backend, in arrays of all lengths.
#[test]
fn positions_as_text() {
    let (mut random, share) = (Random(21), Share::new());
    let mut lines: Vec<String> = Vec::new();
    for length in (17..=71).flat_map(|length| iter::repeat_n(length, share.of(60))) {
        let mut letters = b"KQHGFEDCBAkqhgfedcba".to_vec();
        letters.truncate(if random.below(4) == 0 { 20 } else { 2 });
        letters.extend((letters.len() == 2).then_some(b"kq").into_iter().flatten());
        letters.retain(|_| random.below(3) > 0);
        let letters = if letters.is_empty() { b"-".to_vec() } else { letters };
        let square = [b'a' + random.below(8) as u8, b"36"[random.below(2)]];
        let square: &[u8] = if random.below(3) == 0 { &square } else { b"-" };
        let fields = [&board_of(length, &mut random)[..], &b"wb"[random.below(2)..][..1], &letters, square];
        lines.push(String::from_utf8(fields.join(&b' ')).expect("it is ASCII"));
    }
    lines.sort_by_cached_key(|_| random.next());
    let positions: Positions = lines.iter().map(|line| line.parse::<position::Position>().unwrap()).collect();
    for backend in common::backends("fen, text") {
        let fens = backend.fens(&positions);
        assert!(fens.iter().eq(&lines), "{backend}");
        assert_eq!((fens.text(), fens.ends().last()), (&*lines.concat(), Some(&fens.text().len())));
        for length in 0..=lines.len().min(130) {
            let start = random.below(lines.len() - length + 1);
            let fens = backend.fens(positions.slice(start..start + length));
            assert!(fens.iter().eq(&lines[start..start + length]), "{backend}, {length}");
            assert_eq!((fens.len(), fens.is_empty(), fens.get(length)), (length, length == 0, None));
        }
    }
    assert!(lines.iter().enumerate().all(|(index, line)| positions.fen(index) == *line));
    assert_eq!((positions.fens(), positions.slice(0..0).fens().is_empty()), (Backend::scalar().fens(&positions), true));
}

#[test]
fn every_spelling_of_en_passant() {
    let (mut laws, mut random, mut share) = (Laws::of_backends("en passant"), Random(16), Share::new());
    let mut spellings: Vec<Vec<u8>> = (0..=u16::MAX).map(|two| two.to_le_bytes().to_vec()).collect();
    spellings.extend((0..=255).map(|byte| vec![byte]));
    let squares = (b'a'..=b'i').flat_map(|file| (b'0'..=b'9').map(move |rank| vec![file, rank]));
    let squares: Vec<Vec<u8>> = squares.chain([b"-".to_vec(), vec![]]).collect();
    spellings.extend(squares.iter().flat_map(|square| (0..=255).map(|byte| [&square[..], &[byte]].concat())));
    spellings.retain(|_| share.has());
    spellings.extend(squares);
    let lines: Vec<Vec<u8>> = spellings
        .iter()
        .map(|spelling| {
            let rest = [&b""[..], b" 0 1", b" ", b";", b"\t0"][random.below(5)];
            [
                board_short(&mut random),
                [b" b ", b" w "][random.below(2)],
                [&b"-"[..], b"KQkq", b"Qk"][random.below(3)],
                b" ",
                spelling,
                rest,
            ]
            .concat()
        })
        .collect();
    laws.chunks(&lines);
}

/// A line at every address in a group of 64, and 0 to 200 bytes after it, which may begin other lines.
#[test]
fn every_alignment_and_distance_from_the_end() {
    let (mut laws, mut random, mut share) = (Laws::of_backends("alignments and ends"), Random(17), Share::new());
    let lines = many_lines(200, &mut random);
    let mut memory = vec![b'K'; 1_024];
    for (alignment, after) in (0..64).flat_map(|alignment| (0..=200).map(move |after| (alignment, after))) {
        if !share.has() {
            continue;
        }
        let line = &lines[random.below(lines.len())];
        for kind in 0..3 {
            let mut text = line.clone();
            match kind {
                0 => text.extend(b" ".iter().chain(&[b'8'; 200]).take(after)), // of the same line
                1 => text.extend(b"\n#".iter().chain(&[b'/'; 200]).take(after)),
                _ => text.extend(b"\r\n".iter().chain(lines[random.below(100)..].concat().iter()).take(after)),
            }
            let start = memory.as_ptr().align_offset(64) + alignment;
            memory.fill(b" w - KQkq"[random.below(9)]);
            memory[start..start + text.len()].copy_from_slice(&text);
            let text = &memory[start..start + text.len()];
            laws.lines(text);
            let parts = [0..line.len(), 0..text.len(), text.len()..text.len(), 0..line.len()];
            laws.parts(text, &parts);
        }
    }
}

/// White space of any length before, between and after the fields, and operations of any length after them.
#[test]
fn white_space_and_what_follows() {
    let (mut laws, mut random, mut share) = (Laws::of_backends("white space"), Random(18), Share::new());
    let mut lines = Vec::new();
    for (place, length) in (0..6).flat_map(|place| (0..=300).map(move |length| (place, length))) {
        for blanks in [&b" "[..], b"\t", b" \t", b"\x0c", b"\x0b", b"\n", b" \r\n", b"\0", b"\xa0", b"\xe2\x80\x83"] {
            if share.has() && (length <= 140 || blanks == b" " && place % 5 == 0) {
                let blanks: Vec<u8> = blanks.iter().copied().cycle().take(length).collect();
                let mut fields =
                    [b"".as_slice(), board_short(&mut random), b"w", b"Kkq", b"a3", b"0 1"].map(<[u8]>::to_vec);
                fields[..5].iter_mut().skip(1).for_each(|field| field.push(b' '));
                match place {
                    0 => fields[0] = blanks,
                    5 => fields[5].extend(blanks),
                    _ => {
                        fields[place].pop();
                        fields[place].extend(blanks);
                    }
                }
                lines.push(fields.concat());
            }
        }
    }
    let letters = b" ;#/-kK8w\"\t\0\x0b\x7f\x80\xff";
    for length in 0..=300 {
        for start in [&b" "[..], b";", b"; ", b" -", b"\t"] {
            if share.has() {
                let any = (0..length).map(|_| letters[random.below(letters.len())]);
                let after: Vec<u8> = start.iter().copied().chain(any).collect();
                lines.push([board_short(&mut random), b" b - -", &after].concat());
                lines.push([board_short(&mut random), b" b HAha e6", &after].concat());
            }
        }
    }
    laws.chunks(&lines);
}

impl Laws {
    /// The same for any number of these, a thousand at a time.
    fn chunks(&mut self, lines: &[Vec<u8>]) {
        for (lines, end) in lines.chunks(1_000).zip([b"\n".as_slice(), b"\r\n", b"", b"\r"].into_iter().cycle()) {
            self.all(lines.iter().map(Vec::as_slice), end);
        }
    }
}

/// Lines of all kinds, in any order.
#[test]
fn random_texts() {
    let (mut laws, mut random, share) = (Laws::new("random texts"), Random(19), Share::new());
    let lines = many_lines(500, &mut random);
    for _ in 0..share.of(5_000) {
        let mut text = if random.below(8) == 0 { BYTE_ORDER_MARK.to_vec() } else { vec![] };
        // In some texts, hardly any line is unlike the others.
        let good = pick(&mut random, &[1, 2, 8, 50, 1_000]);
        let crlf = random.below(3);
        let most = pick(&mut random, &[4, 20, 100]);
        for _ in 0..random.below(most) {
            let line = &lines[random.below(lines.len())];
            match if random.below(good) == 0 { random.below(12) } else { 12 } {
                0 => {}
                1 => text.extend(b" \t\x0c".iter().cycle().take(random.below(100))),
                2 => text.extend([&b"#"[..], line].concat()),
                3 => text.extend([&b" \t # "[..], &line[..random.below(line.len())]].concat()),
                4 => text.extend(&line[..random.below(line.len())]),
                5 => text.extend(&line[random.below(line.len())..]),
                6 => text.extend([&line[..], b"\r", line].concat()),
                7 => text.extend([&[b' '; 70][..random.below(70)], line].concat()),
                8 => text.extend([&line[..], b"; ", &[b'z'; 300][..random.below(300)]].concat()),
                9 => text.extend([BYTE_ORDER_MARK, line].concat()),
                10 => text.extend((0..random.below(100)).map(|_| random.next() as u8)),
                11 => text.extend(some_bytes(60, &mut random)),
                _ => text.extend(line),
            }
            let ends: [&[u8]; 6] = [b"\n", b"\r\n", b"\n\n", b"\r\n\r\n", b"\r", b"\r\r\n"];
            let usual = crlf + random.below(2);
            text.extend(ends[if random.below(60) == 0 { random.below(6) } else { usual.min(3) / 2 }]);
        }
        // Some end without the end of a line, or in the middle of one.
        let most = pick(&mut random, &[1, 3, 100]);
        text.truncate(text.len() - random.below(most).min(text.len()));
        laws.lines(&text);
        let parts: Vec<Range<usize>> = self::lines(&text).iter().map(|line| line.content.clone()).collect();
        laws.parts(&text, &parts);
        // Parts that overlap, in another order, with the ends of their lines.
        let any = |random: &mut Random| parts.get(random.below(parts.len().max(1))).cloned().unwrap_or_default();
        let ends = |part: Range<usize>| part.start..(part.end + 1).min(text.len());
        let others: Vec<Range<usize>> = (0..random.below(70)).map(|_| ends(any(&mut random))).collect();
        laws.parts(&text, &others);
    }
}

/// `push_lines` reads no more lines than it may, wherever the text has another reason to stop.
#[test]
fn at_most_so_many_lines() {
    let (laws, mut random, mut share) = (Laws::new("at most"), Random(20), Share::new());
    let good: Vec<Vec<u8>> = (0..150).map(|_| line(&mut random)).collect();
    for stop in (0..=150).filter(|stop| stop % 7 < 2) {
        let mut text = Vec::new();
        let mut ends = vec![0];
        for (number, line) in good[..stop].iter().enumerate() {
            text.extend([&line[..], [b"\r".as_slice(), b"\r\n", b"\n"][(stop - number) % 3]].concat());
            ends.push(text.len());
        }
        text.extend([&b""[..], b"# 8/8", b"\n", b"k7/8/8/8/8/8/8/K7 w - e4\n", b" \t\n"][stop % 5]);
        text.extend(if stop % 5 == 0 { &[] } else { &good[0][..] });
        for most in (0..=stop + 2).chain([usize::MAX - 1, usize::MAX]).filter(|_| share.has()) {
            for reader in &laws.readers {
                let mut positions = initial();
                let read = reader.push_lines(&text, most, &mut positions);
                let expected = most.min(stop);
                let what = format_args!("{reader}, {most} of {stop} lines").to_string();
                assert_eq!((read, positions.len()), (ends[expected], 1 + expected), "{what}");
            }
        }
    }
}

/// An iterator that says that it has another number of texts than it has.
struct Claims<I>(I, (usize, Option<usize>));

impl<I: Iterator> Iterator for Claims<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.1
    }
}

#[test]
fn iterators_that_lie_and_iterators_that_panic() {
    let (laws, mut random) = (Laws::new("iterators"), Random(21));
    let lines: Vec<Vec<u8>> = (0..150).map(|_| line(&mut random)).collect();
    let text = lines.concat();
    let mut end = 0;
    let parts: Vec<Range<usize>> = lines
        .iter()
        .map(|line| {
            end += line.len();
            end - line.len()..end
        })
        .collect();
    let mut whole = initial();
    lines.iter().for_each(|line| whole.push_fen(line).expect("it is a position"));
    for (&reader, count) in
        laws.readers.iter().flat_map(|reader| [0, 1, 7, 8, 63, 64, 65, 150].map(|count| (reader, count)))
    {
        let mut expected = whole.clone();
        expected.truncate(1 + count);
        for claim in [
            (0, None),
            (0, Some(0)),
            (1, Some(1)),
            (count / 2, Some(count / 2)),
            (count + 1, None),
            (5_000, Some(5_000)),
        ] {
            let mut read = [initial(), initial()];
            let slices = lines[..count].iter().map(Vec::as_slice);
            assert_eq!(reader.push_fens(Claims(slices, claim), &mut read[0]), Ok(()), "{reader}");
            let ranges = parts[..count].iter().cloned();
            assert_eq!(reader.push_fens_in(&text, Claims(ranges, claim), &mut read[1]), Ok(()), "{reader}");
            assert!(read.iter().all(|read| *read == expected), "{reader}, {count} texts, {claim:?}");
        }
        // What is there afterwards are whole positions, in all arrays: those before, and perhaps some of the new ones.
        let mut read = [initial(), initial()];
        let [slices, ranges] = &mut read;
        let past = || -> ! { panic::resume_unwind(Box::new("no more")) };
        let panics = [
            catch_unwind(AssertUnwindSafe(|| {
                let texts = (0..=count).map(|at| if at < count { &lines[at][..] } else { past() });
                reader.push_fens(texts, slices)
            })),
            catch_unwind(AssertUnwindSafe(|| {
                let parts = (0..=count).map(|at| if at < count { parts[at].clone() } else { past() });
                reader.push_fens_in(&text, parts, ranges)
            })),
        ];
        assert!(panics.iter().all(Result::is_err), "{reader}");
        for read in &mut read {
            assert!((1..=1 + count).contains(&read.len()), "{reader}");
            let mut begun = expected.clone();
            begun.truncate(read.len());
            assert_eq!(*read, begun, "{reader}");
            read.push_fen(INITIAL).expect("it is a position");
        }
    }
}

#[test]
#[expect(clippy::reversed_empty_ranges, reason = "they are wrong")]
fn parts_that_are_not_in_the_text() {
    // Hundreds of panics are what this test wants. Only others get a message.
    let here = thread::current().id();
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        let wanted = panic.location().is_some_and(|at| at.file() != file!());
        if thread::current().id() != here || !wanted {
            report(panic);
        }
    }));
    let laws = Laws::new("parts outside");
    let text = INITIAL;
    let whole = 0..text.len();
    for &reader in &laws.readers {
        for wrong in [
            0..text.len() + 1,
            1..text.len() + 1,
            57..usize::MAX,
            usize::MAX..usize::MAX,
            2..1,
            usize::MAX..0,
            200..100,
            text.len() + 1..text.len() + 1,
        ] {
            // A part that is no position comes first, and is the error.
            let mut positions = Positions::new();
            let read = reader.push_fens_in(text, [whole.clone(), 1..9, wrong.clone()].into_iter(), &mut positions);
            assert!(read.is_err() && positions.len() == 1, "{reader}: {wrong:?}");
            for before in [0, 1, 7, 8, 63, 64] {
                let parts = vec![whole.clone(); before].into_iter().chain([wrong.clone(), whole.clone()]);
                let mut positions = initial();
                let result = catch_unwind(AssertUnwindSafe(|| reader.push_fens_in(text, parts, &mut positions)));
                assert!(result.is_err(), "{reader}: {wrong:?} of {} bytes", text.len());
                let all = vec![text; positions.len()];
                let mut expected = Positions::new();
                all.into_iter().for_each(|fen| expected.push_fen(fen).expect("it is a position"));
                assert!(positions == expected && positions.len() <= 1 + before, "{reader}");
            }
        }
    }
}
