//! Records of engines, against encoders written from the layouts, square by square, over random games of cozy-chess.

use cozy_chess::{
    BitBoard, Board as Oracle, Color as OracleColor, File, Move as OracleMove, Piece as OraclePiece, Rank,
    Square as OracleSquare, get_bishop_moves, get_king_moves, get_knight_moves, get_pawn_attacks, get_rook_moves,
};
use slider_attacks::Square;
use slider_attacks::position::{BoardError, Color, Piece, Positions};
use slider_attacks_games::records::binpack::{Chains, HEADER};
use slider_attacks_games::records::{
    Error, Labels, Outcome, RecordProblem, RecordReader, TrainingFormat, binpack, bulletformat, marlinformat,
    viriformat,
};
use slider_attacks_games::{Board, Move, MoveKind};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// A game: positions, each with the move that was played and the score as white sees it.
struct Game {
    plies: Vec<(Oracle, OracleMove, i16)>,
    outcome: Outcome,
}

fn moves(oracle: &Oracle) -> Vec<OracleMove> {
    let mut moves = Vec::new();
    oracle.generate_moves(|some| {
        moves.extend(some);
        false
    });
    moves
}

/// Random games of up to some number of half moves, half of them of Chess960. Promotions and castling come often.
fn games(count: usize, most: usize) -> Vec<Game> {
    let mut random = Random(1);
    let game = |at: usize| {
        let number = if at.is_multiple_of(2) { 518 } else { random.below(960) as u32 };
        let mut board = match at % 5 {
            4 => Oracle::from_fen("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", false)
                .expect("it is FEN"),
            _ => Oracle::chess960_startpos(number),
        };
        let mut plies = Vec::new();
        for _ in 0..1 + random.below(most) {
            let moves = moves(&board);
            if moves.is_empty() || board.halfmove_clock() == 100 {
                break;
            }
            let rare: Vec<&OracleMove> = moves.iter().filter(|mv| kind(&board, **mv) != MoveKind::Normal).collect();
            let mv = match rare.len() {
                0 => moves[random.below(moves.len())],
                len => *rare[random.below(len)],
            };
            let score = match random.below(4) {
                0 => random.next() as i16,
                1 => [0, 1, -1, i16::MAX, -i16::MAX][random.below(5)],
                _ => random.below(400) as i16 - 200,
            };
            plies.push((board.clone(), mv, score.max(-i16::MAX)));
            board.play_unchecked(mv);
        }
        Game { plies, outcome: [Outcome::Black, Outcome::Draw, Outcome::White][random.below(3)] }
    };
    (0..count).map(game).filter(|game| !game.plies.is_empty()).collect()
}

fn square(square: OracleSquare) -> Square {
    Square::new(square as u8).expect("it is a square")
}

/// The move, as this library writes it.
fn translated(oracle: &Oracle, mv: OracleMove) -> Move {
    let (from, to) = (square(mv.from), square(mv.to));
    if let Some(piece) = mv.promotion {
        return Move::promotion(from, to, Piece::ALL[piece as usize]);
    }
    Move::new(from, to, kind(oracle, mv))
}

fn kind(oracle: &Oracle, mv: OracleMove) -> MoveKind {
    if mv.promotion.is_some() {
        MoveKind::Promotion
    } else if oracle.color_on(mv.to) == Some(oracle.side_to_move()) {
        MoveKind::Castling
    } else if oracle.piece_on(mv.from) == Some(OraclePiece::Pawn)
        && mv.from.file() != mv.to.file()
        && oracle.piece_on(mv.to).is_none()
    {
        MoveKind::EnPassant
    } else {
        MoveKind::Normal
    }
}

/// The square on which a legal move takes en passant.
fn en_passant(oracle: &Oracle) -> Option<OracleSquare> {
    moves(oracle).into_iter().find(|&mv| kind(oracle, mv) == MoveKind::EnPassant).map(|mv| mv.to)
}

fn may_castle(oracle: &Oracle, square: OracleSquare) -> bool {
    let home = |color| if color == OracleColor::White { Rank::First } else { Rank::Eighth };
    [OracleColor::White, OracleColor::Black].into_iter().any(|color| {
        let rights = oracle.castle_rights(color);
        square.rank() == home(color) && [rights.long, rights.short].contains(&Some(square.file()))
    })
}

/// The results of a reader.
#[derive(Debug, Default, PartialEq)]
struct Found {
    /// FEN, with the counters where the format has them.
    fens: Vec<String>,
    labels: Labels,
    errors: Vec<Error>,
}

/// Reads all, at most some positions at a time.
fn read(format: TrainingFormat, bytes: &[u8], most: usize) -> Found {
    let (mut positions, mut found) = (Positions::new(), Found::default());
    let mut reader = RecordReader::new(format, bytes);
    loop {
        let before = positions.len();
        match reader.read(most, &mut positions, &mut found.labels) {
            Ok(0) => break,
            Ok(count) => assert_eq!((positions.len() - before, count.max(most)), (count, most)),
            Err(error) => {
                assert!(positions.len() - before <= most && error.byte <= bytes.len(), "{error:?}");
                found.errors.push(error);
            }
        }
        assert!(found.errors.len() <= bytes.len(), "it goes on");
        assert_eq!(positions.len(), found.labels.scores.len());
    }
    assert_eq!(reader.read(most, &mut positions, &mut found.labels), Ok(0));
    let (len, labels) = (positions.len(), &found.labels);
    assert_eq!((labels.scores.len(), labels.outcomes.len()), (len, len));
    let counters = if format == TrainingFormat::Bulletformat { 0 } else { len };
    assert_eq!((labels.halfmoves.len(), labels.numbers.len()), (counters, counters));
    let moves = if matches!(format, TrainingFormat::Viriformat | TrainingFormat::Binpack) { len } else { 0 };
    assert_eq!(labels.moves.len(), moves);
    found.fens = (0..len)
        .map(|at| match counters {
            0 => positions.fen(at),
            _ => format!("{} {} {}", positions.fen(at), labels.halfmoves[at], labels.numbers[at]),
        })
        .collect();
    found
}

/// The pieces of a board: squares, kinds and whether they are black, from a1 on.
fn pieces(oracle: &Oracle) -> Vec<(OracleSquare, OraclePiece, bool)> {
    let at = |square| Some((square, oracle.piece_on(square)?, oracle.color_on(square)? == OracleColor::Black));
    OracleSquare::ALL.into_iter().filter_map(at).collect()
}

/// Occupancy and nibbles.
fn packed(numbers: &[(usize, u8)]) -> [u8; 32] {
    let mut record = [0; 32];
    for (at, &(square, number)) in numbers.iter().enumerate() {
        record[square / 8] |= 1 << (square % 8);
        record[8 + at / 2] |= if at % 2 == 0 { number } else { number << 4 };
    }
    record
}

fn bulletformat_of(oracle: &Oracle, score: i16, outcome: Outcome) -> [u8; 32] {
    let is_black = oracle.side_to_move() == OracleColor::Black;
    let seen = |square: OracleSquare| if is_black { square as usize ^ 56 } else { square as usize };
    let number = |piece: OraclePiece| match piece {
        OraclePiece::Pawn => 0,
        OraclePiece::Knight => 1,
        OraclePiece::Bishop => 2,
        OraclePiece::Rook => 3,
        OraclePiece::Queen => 4,
        OraclePiece::King => 5,
    };
    let mut numbers: Vec<(usize, u8)> = pieces(oracle)
        .into_iter()
        .map(|(square, piece, black)| (seen(square), number(piece) + if black == is_black { 0 } else { 8 }))
        .collect();
    numbers.sort();
    let mut record = packed(&numbers);
    record[24..26].copy_from_slice(&(if is_black { -score } else { score }).to_le_bytes());
    record[26] = if is_black { 2 - outcome as u8 } else { outcome as u8 };
    record[27] = seen(oracle.king(oracle.side_to_move())) as u8;
    record[28] = seen(oracle.king(!oracle.side_to_move())) as u8 ^ 56;
    record
}

fn marlinformat_of(oracle: &Oracle, score: i16, outcome: Outcome) -> [u8; 32] {
    let number = |square, piece| match piece {
        OraclePiece::Pawn => 0,
        OraclePiece::Knight => 1,
        OraclePiece::Bishop => 2,
        OraclePiece::Rook if may_castle(oracle, square) => 6,
        OraclePiece::Rook => 3,
        OraclePiece::Queen => 4,
        OraclePiece::King => 5,
    };
    let numbers: Vec<(usize, u8)> = pieces(oracle)
        .into_iter()
        .map(|(square, piece, black)| (square as usize, number(square, piece) + if black { 8 } else { 0 }))
        .collect();
    let mut record = packed(&numbers);
    record[24] = en_passant(oracle).map_or(64, |square| square as u8);
    record[24] += if oracle.side_to_move() == OracleColor::Black { 128 } else { 0 };
    record[25] = oracle.halfmove_clock();
    record[26..28].copy_from_slice(&oracle.fullmove_number().to_le_bytes());
    record[28..30].copy_from_slice(&score.to_le_bytes());
    record[30] = outcome as u8;
    record
}

fn viriformat_of(game: &Game) -> Vec<u8> {
    let (first, _, _) = &game.plies[0];
    let mut bytes = marlinformat_of(first, 0, game.outcome).to_vec();
    for (oracle, mv, score) in &game.plies {
        let mut bits = mv.from as u16 + 64 * mv.to as u16;
        bits += match (kind(oracle, *mv), mv.promotion) {
            (MoveKind::Normal, _) => 0,
            (MoveKind::EnPassant, _) => 0x4000,
            (MoveKind::Castling, _) => 0x8000,
            (MoveKind::Promotion, Some(OraclePiece::Knight)) => 0xc000,
            (MoveKind::Promotion, Some(OraclePiece::Bishop)) => 0xd000,
            (MoveKind::Promotion, Some(OraclePiece::Rook)) => 0xe000,
            (MoveKind::Promotion, _) => 0xf000,
        };
        bytes.extend(bits.to_le_bytes());
        bytes.extend(score.to_le_bytes());
    }
    bytes.extend([0; 4]);
    bytes
}

fn zigzag(number: i16) -> u16 {
    if number < 0 { (-1 - i32::from(number)) as u16 * 2 + 1 } else { number as u16 * 2 }
}

/// Bits, the upper ones first.
#[derive(Default)]
struct Bits(Vec<bool>);

impl Bits {
    fn push(&mut self, number: usize, bits: usize) {
        self.0.extend((0..bits).rev().map(|bit| number >> bit & 1 != 0));
    }

    /// As many bits as the largest number below `count` needs.
    fn push_below(&mut self, number: usize, count: usize) {
        assert!(number < count);
        let bits = (0..).find(|&bits| 1 << bits >= count).expect("some number of bits is enough");
        self.push(number, bits);
    }

    fn bytes(&self) -> Vec<u8> {
        let byte = |bits: &[bool]| bits.iter().enumerate().map(|(at, &bit)| u8::from(bit) << (7 - at)).sum();
        self.0.chunks(8).map(byte).collect()
    }
}

/// The number of a move in a binpack, and of how many it is one.
fn choice(oracle: &Oracle, mv: OracleMove) -> (usize, usize) {
    let side = oracle.side_to_move();
    let (own, occupied) = (oracle.colors(side), oracle.occupied());
    let piece = oracle.piece_on(mv.from).expect("a piece moves");
    let mut targets: Vec<OracleSquare> = match piece {
        OraclePiece::Pawn => {
            let mut targets = BitBoard::EMPTY;
            let (step, start) = if side == OracleColor::White { (1, Rank::Second) } else { (-1, Rank::Seventh) };
            let one = mv.from.try_offset(0, step).expect("a pawn is not on the last rank");
            if !occupied.has(one) {
                targets |= one.bitboard();
                let two = one.try_offset(0, step).filter(|&two| mv.from.rank() == start && !occupied.has(two));
                targets |= two.map_or(BitBoard::EMPTY, OracleSquare::bitboard);
            }
            let passed = en_passant(oracle).map_or(BitBoard::EMPTY, OracleSquare::bitboard);
            targets | get_pawn_attacks(mv.from, side) & (oracle.colors(!side) | passed)
        }
        OraclePiece::Knight => get_knight_moves(mv.from) - own,
        OraclePiece::Bishop => get_bishop_moves(mv.from, occupied) - own,
        OraclePiece::Rook => get_rook_moves(mv.from, occupied) - own,
        OraclePiece::Queen => (get_rook_moves(mv.from, occupied) | get_bishop_moves(mv.from, occupied)) - own,
        OraclePiece::King => get_king_moves(mv.from) - own,
    }
    .into_iter()
    .collect();
    if piece == OraclePiece::King {
        let (rights, home) = (oracle.castle_rights(side), mv.from.rank());
        targets
            .extend([rights.long, rights.short].into_iter().flatten().map(|file: File| OracleSquare::new(file, home)));
    }
    let at = targets.iter().position(|&to| to == mv.to).expect("it is one of the targets");
    let seventh = if side == OracleColor::White { Rank::Seventh } else { Rank::Second };
    if piece == OraclePiece::Pawn && mv.from.rank() == seventh {
        let becomes = mv.promotion.expect("it is promoted") as usize - OraclePiece::Knight as usize;
        return (4 * at + becomes, 4 * targets.len());
    }
    (at, targets.len())
}

/// A chain of positions of a game.
fn chain_of(game: &Game) -> Vec<u8> {
    let for_side =
        |oracle: &Oracle, score: i16| if oracle.side_to_move() == OracleColor::White { score } else { -score };
    let (first, mv, score) = &game.plies[0];
    let is_black = first.side_to_move() == OracleColor::Black;
    let passed = en_passant(first);
    let number = |square: OracleSquare, piece: OraclePiece, black: bool| {
        let behind = square.try_offset(0, if black { 1 } else { -1 });
        match piece {
            OraclePiece::Pawn if black != is_black && passed.is_some() && behind == passed => 12,
            OraclePiece::Rook if may_castle(first, square) => 13 + u8::from(black),
            OraclePiece::King if black && is_black => 15,
            _ => 2 * piece as u8 + u8::from(black),
        }
    };
    let numbers: Vec<(usize, u8)> = pieces(first)
        .into_iter()
        .map(|(square, piece, black)| (square as usize, number(square, piece, black)))
        .collect();
    let mut bytes = packed(&numbers).to_vec();
    bytes[..8].reverse();
    let becomes = mv.promotion.map_or(0, |piece| piece as u16 - OraclePiece::Knight as u16);
    let kind = match kind(first, *mv) {
        MoveKind::Normal => 0,
        MoveKind::Promotion => 1,
        MoveKind::Castling => 2,
        MoveKind::EnPassant => 3,
    };
    let bits = kind << 14 | (mv.from as u16) << 8 | (mv.to as u16) << 2 | becomes;
    bytes[24..26].copy_from_slice(&bits.to_be_bytes());
    bytes[26..28].copy_from_slice(&zigzag(for_side(first, *score)).to_be_bytes());
    let count = 2 * (first.fullmove_number() - 1) + u16::from(is_black);
    let outcome = for_side(first, game.outcome as i16 - 1);
    bytes[28..30].copy_from_slice(&(count | zigzag(outcome) << 14).to_be_bytes());
    bytes[30..32].copy_from_slice(&u16::from(first.halfmove_clock()).to_be_bytes());
    bytes.extend((game.plies.len() as u16 - 1).to_be_bytes());
    let (mut stream, mut last) = (Bits::default(), for_side(first, *score));
    for (oracle, mv, score) in &game.plies[1..] {
        let own = oracle.colors(oracle.side_to_move());
        let at = own.into_iter().position(|square| square == mv.from).expect("a piece moves");
        stream.push_below(at, own.len() as usize);
        let (number, count) = choice(oracle, *mv);
        stream.push_below(number, count);
        let score = for_side(oracle, *score);
        let mut rest = zigzag(score.wrapping_add(last));
        loop {
            let more = rest > 15;
            stream.push(usize::from(rest % 16) + if more { 16 } else { 0 }, 5);
            rest /= 16;
            if !more {
                break;
            }
        }
        last = score;
    }
    bytes.extend(stream.bytes());
    bytes
}

fn chunk_of(chains: &[u8]) -> Vec<u8> {
    [b"BINP", &(chains.len() as u32).to_le_bytes()[..], chains].concat()
}

fn encoded(format: TrainingFormat, games: &[Game]) -> Vec<u8> {
    let plies = || games.iter().flat_map(|game| game.plies.iter().map(|ply| (ply, game.outcome)));
    match format {
        TrainingFormat::Bulletformat => {
            plies().flat_map(|((oracle, _, score), end)| bulletformat_of(oracle, *score, end)).collect()
        }
        TrainingFormat::Marlinformat => {
            plies().flat_map(|((oracle, _, score), end)| marlinformat_of(oracle, *score, end)).collect()
        }
        TrainingFormat::Viriformat => games.iter().flat_map(viriformat_of).collect(),
        // A few games per chunk.
        _ => {
            games.chunks(3).flat_map(|games| chunk_of(&games.iter().flat_map(chain_of).collect::<Vec<u8>>())).collect()
        }
    }
}

/// FEN as this library writes it, with the counters.
fn fen(oracle: &Oracle) -> String {
    format!("{oracle:#}").parse::<Board>().expect("it is FEN").to_string()
}

/// The board as the side to move sees it.
fn fen_of_bulletformat(oracle: &Oracle) -> String {
    let fen = oracle.to_string();
    let board = fen.split(' ').next().expect("a field");
    if oracle.side_to_move() == OracleColor::White {
        return format!("{board} w - -");
    }
    let swap = |letter: char| {
        if letter.is_ascii_uppercase() { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() }
    };
    let ranks: Vec<String> = board.split('/').rev().map(|rank| rank.chars().map(swap).collect()).collect();
    format!("{} w - -", ranks.join("/"))
}

/// The expected results of a reader of games.
fn expected(format: TrainingFormat, games: &[Game]) -> Found {
    let mut found = Found::default();
    for game in games {
        for (oracle, mv, score) in &game.plies {
            let is_black = oracle.side_to_move() == OracleColor::Black;
            if format == TrainingFormat::Bulletformat {
                found.fens.push(fen_of_bulletformat(oracle));
                found.labels.scores.push(if is_black { -score } else { *score });
                found.labels.outcomes.push(if is_black { game.outcome.swapped() } else { game.outcome });
                continue;
            }
            found.fens.push(fen(oracle));
            found.labels.scores.push(*score);
            found.labels.outcomes.push(game.outcome);
            found.labels.halfmoves.push(oracle.halfmove_clock().into());
            found.labels.numbers.push(oracle.fullmove_number());
            if format != TrainingFormat::Marlinformat {
                found.labels.moves.push(translated(oracle, *mv));
            }
        }
    }
    found
}

#[test]
fn what_encoders_write_is_read() {
    let games = games(150, 120);
    let kinds = |wanted| {
        games.iter().flat_map(|game| &game.plies).filter(|(oracle, mv, _)| kind(oracle, *mv) == wanted).count()
    };
    let kinds = [MoveKind::EnPassant, MoveKind::Castling, MoveKind::Promotion].map(kinds);
    assert!(kinds.iter().all(|&count| count > 20), "{kinds:?}");
    for format in TrainingFormat::ALL {
        let (bytes, expected) = (encoded(format, &games), expected(format, &games));
        for most in [usize::MAX, 1_000, 256, 77, 1] {
            let found = read(format, &bytes, most);
            for (at, fen) in expected.fens.iter().enumerate() {
                assert_eq!(found.fens.get(at), Some(fen), "{format:?}, {most}, {at}, {:?}", found.errors);
            }
            assert!(found == expected, "{format:?}, {most}");
        }
    }
}

#[test]
fn what_is_written_is_what_encoders_write() {
    for game in games(60, 120) {
        for (oracle, _, score) in &game.plies {
            let (board, mut out): (Board, _) = (fen(oracle).parse().expect("it is FEN"), vec![1]);
            bulletformat::write(&board, *score, game.outcome, &mut out).expect("it can be written");
            marlinformat::write(&board, *score, game.outcome, &mut out).expect("it can be written");
            let records =
                [bulletformat_of(oracle, *score, game.outcome), marlinformat_of(oracle, *score, game.outcome)];
            assert_eq!(out[1..], *records.as_flattened(), "{board}");
            // The crate that defines bulletformat.
            let outcome = ["0.0", "0.5", "1.0"][game.outcome as usize];
            let text = format!("{oracle} | {score} | {outcome}");
            let theirs: ::bulletformat::ChessBoard = text.parse().expect("it is their text");
            let ours = |from: usize| out[1 + from];
            assert_eq!((theirs.score, theirs.result), (i16::from_le_bytes([ours(24), ours(25)]), ours(26)), "{board}");
            assert_eq!((theirs.ksq, theirs.opp_ksq), (ours(27), ours(28)), "{board}");
            assert_eq!(
                (theirs.occ.to_le_bytes(), theirs.pcs),
                (*out[1..].first_chunk().unwrap(), *out[9..].first_chunk().unwrap()),
                "{board}"
            );
        }
        let moves: Vec<(Move, i16)> =
            game.plies.iter().map(|(oracle, mv, score)| (translated(oracle, *mv), *score)).collect();
        let (board, mut out): (Board, _) = (fen(&game.plies[0].0).parse().expect("it is FEN"), vec![1]);
        viriformat::write(&board, game.outcome, &moves, &mut out).expect("it can be written");
        assert_eq!(out[1..], viriformat_of(&game));
        out.truncate(1);
        let written = binpack::write(&board, game.outcome, &moves, &mut out);
        if binpack::drop_rights(&mut board.clone()) {
            assert_eq!((written, &out[..]), (Err(RecordProblem::Chess960), &[1][..]));
            continue;
        }
        assert_eq!((written, &out[1..]), (Ok(()), &chain_of(&game)[..]));
        let mut chunk = vec![1];
        binpack::write_chunk(&out[1..], &mut chunk);
        assert_eq!(chunk[1..], chunk_of(&chain_of(&game)));
    }
    let mut out = Vec::new();
    binpack::write(&Board::INITIAL, Outcome::Draw, &[], &mut out).expect("it can be written");
    binpack::write_chunk(&[], &mut out);
    assert_eq!(out, []);
}

/// A binpack as readers have it that know no Chess960, such as those of nnue-pytorch: a rook that may castle is one in a corner, and
/// rights are lost when something moves from or to the squares of kings and rooks in the usual chess.
mod usual_readers {
    use super::*;

    type Squares = [Option<(OraclePiece, bool)>; 64];

    /// A position and its labels.
    pub struct Entry {
        pub fen: String,
        pub score: i16,
        pub outcome: Outcome,
        pub mv: (usize, usize),
    }

    struct Position {
        squares: Squares,
        /// K, Q, k, q.
        rights: [bool; 4],
        passed: Option<usize>,
        black: bool,
    }

    fn at(square: usize) -> OracleSquare {
        OracleSquare::index(square)
    }

    fn board(squares: &Squares, is: impl Fn((OraclePiece, bool)) -> bool) -> BitBoard {
        let some = (0..64).filter(|&square| squares[square].is_some_and(&is)).map(|square| at(square).bitboard());
        some.fold(BitBoard::EMPTY, |all, square| all | square)
    }

    fn slides(piece: OraclePiece, from: OracleSquare, occupied: BitBoard) -> BitBoard {
        match piece {
            OraclePiece::Knight => get_knight_moves(from),
            OraclePiece::Bishop => get_bishop_moves(from, occupied),
            OraclePiece::Rook => get_rook_moves(from, occupied),
            OraclePiece::Queen => get_rook_moves(from, occupied) | get_bishop_moves(from, occupied),
            OraclePiece::King => get_king_moves(from),
            OraclePiece::Pawn => BitBoard::EMPTY,
        }
    }

    fn color(black: bool) -> OracleColor {
        if black { OracleColor::Black } else { OracleColor::White }
    }

    /// Whether the king of a side is attacked.
    fn is_check(squares: &Squares, black: bool) -> bool {
        let king = board(squares, |man| man == (OraclePiece::King, black));
        let occupied = board(squares, |_| true);
        (0..64).any(|square| match squares[square] {
            Some((piece, of)) if of != black => {
                let attacks = match piece {
                    OraclePiece::Pawn => get_pawn_attacks(at(square), color(of)),
                    piece => slides(piece, at(square), occupied),
                };
                !(attacks & king).is_empty()
            }
            _ => false,
        })
    }

    impl Position {
        fn play(&mut self, kind: MoveKind, from: usize, to: usize, becomes: Option<OraclePiece>) {
            let (man, home) = (self.squares[from].expect("a piece moves"), if self.black { 56 } else { 0 });
            for square in [from, to] {
                for (number, lost) in [[4, 7], [4, 0], [60, 63], [60, 56]].into_iter().enumerate() {
                    self.rights[number] &= !lost.contains(&square);
                }
            }
            let passed = self.passed.take();
            self.squares[from] = None;
            if kind == MoveKind::Castling {
                self.squares[to] = None;
                let (king, rook) = if to > from { (6, 5) } else { (2, 3) };
                self.squares[home + king] = Some(man);
                self.squares[home + rook] = Some((OraclePiece::Rook, self.black));
            } else {
                self.squares[to] = Some((becomes.unwrap_or(man.0), self.black));
                if man.0 == OraclePiece::Pawn && passed == Some(to) {
                    self.squares[if self.black { to + 8 } else { to - 8 }] = None;
                }
            }
            self.black = !self.black;
            if man.0 == OraclePiece::Pawn && from.abs_diff(to) == 16 {
                self.passed = Some((from + to) / 2).filter(|&passed| self.can_take(passed, to));
            }
        }

        /// Whether a legal move takes the pawn on `pawn` en passant.
        fn can_take(&self, passed: usize, pawn: usize) -> bool {
            (0..64).any(|from| {
                let is_pawn = self.squares[from] == Some((OraclePiece::Pawn, self.black));
                let mut squares = self.squares;
                (squares[passed], squares[from], squares[pawn]) = (squares[from], None, None);
                is_pawn
                    && get_pawn_attacks(at(from), color(self.black)).has(at(passed))
                    && !is_check(&squares, self.black)
            })
        }

        /// The meanings of the move numbers of a piece: the square and the promotion; and whether it castles.
        fn moves(&self, from: usize) -> Vec<(MoveKind, usize, Option<OraclePiece>)> {
            let (piece, _) = self.squares[from].expect("a piece moves");
            let [own, occupied] = [board(&self.squares, |man| man.1 == self.black), board(&self.squares, |_| true)];
            let step = |square: usize| if self.black { square - 8 } else { square + 8 };
            let mut targets = slides(piece, at(from), occupied) - own;
            if piece == OraclePiece::Pawn {
                let passed = self.passed.map_or(BitBoard::EMPTY, |square| at(square).bitboard());
                targets = get_pawn_attacks(at(from), color(self.black)) & ((occupied - own) | passed);
                if !occupied.has(at(step(from))) {
                    targets |= at(step(from)).bitboard();
                    if from / 8 == if self.black { 6 } else { 1 } && !occupied.has(at(step(step(from)))) {
                        targets |= at(step(step(from))).bitboard();
                    }
                }
            }
            let is_seventh = piece == OraclePiece::Pawn && from / 8 == if self.black { 1 } else { 6 };
            let becomes: &[_] = match is_seventh {
                true => &[OraclePiece::Knight, OraclePiece::Bishop, OraclePiece::Rook, OraclePiece::Queen].map(Some),
                false => &[None],
            };
            let kind = if is_seventh { MoveKind::Promotion } else { MoveKind::Normal };
            let mut moves: Vec<_> = targets
                .into_iter()
                .flat_map(|to| becomes.iter().map(move |&piece| (kind, to as usize, piece)))
                .collect();
            if piece == OraclePiece::King {
                let (home, rights) = if self.black { (56, &self.rights[2..]) } else { (0, &self.rights[..2]) };
                let castles = [(rights[1], home), (rights[0], home + 7)];
                moves.extend(
                    castles.into_iter().filter(|(has, _)| *has).map(|(_, rook)| (MoveKind::Castling, rook, None)),
                );
            }
            moves
        }

        fn fen(&self) -> String {
            let letter = |square: usize| match self.squares[square] {
                None => '1',
                Some((piece, black)) => {
                    let letter = "PNBRQK".chars().nth(piece as usize).expect("a piece");
                    if black { letter.to_ascii_lowercase() } else { letter }
                }
            };
            let ranks: Vec<String> = (0..8).rev().map(|rank| (8 * rank..8 * rank + 8).map(letter).collect()).collect();
            let rights: String = "KQkq".chars().zip(self.rights).filter(|right| right.1).map(|right| right.0).collect();
            let passed = self.passed.map_or("-".to_owned(), |square| at(square).to_string());
            let (side, rights) = (if self.black { 'b' } else { 'w' }, if rights.is_empty() { "-" } else { &rights });
            let fen = format!("{} {side} {rights} {passed}", ranks.join("/"));
            // With numbers of empty squares.
            (2..=8).rev().fold(fen, |fen, count| fen.replace(&"1".repeat(count), &count.to_string()))
        }
    }

    fn unzigzag(number: u16) -> i16 {
        if number.is_multiple_of(2) { (number / 2) as i16 } else { -((number / 2) as i16) - 1 }
    }

    /// Reads the chains of a chunk.
    pub fn read(mut bytes: &[u8]) -> Vec<Entry> {
        let mut entries = Vec::new();
        while !bytes.is_empty() {
            let word = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
            let occupied = u64::from_be_bytes(bytes[..8].try_into().expect("eight bytes"));
            let mut position = Position { squares: [None; 64], rights: [false; 4], passed: None, black: false };
            let kinds = OraclePiece::ALL;
            for (number, square) in (0..64).filter(|square| occupied >> square & 1 != 0).enumerate() {
                let nibble = bytes[8 + number / 2] >> (4 * (number % 2)) & 15;
                position.squares[square] = Some(match nibble {
                    12 => {
                        position.passed = Some(if square / 8 == 3 { square - 8 } else { square + 8 });
                        (OraclePiece::Pawn, square / 8 == 4)
                    }
                    13 => {
                        position.rights[usize::from(square == 0)] = true;
                        (OraclePiece::Rook, false)
                    }
                    14 => {
                        position.rights[2 + usize::from(square == 56)] = true;
                        (OraclePiece::Rook, true)
                    }
                    15 => {
                        position.black = true;
                        (OraclePiece::King, true)
                    }
                    nibble => (kinds[usize::from(nibble / 2)], nibble % 2 != 0),
                });
            }
            let (mv, mut score, count) = (word(24), unzigzag(word(26)), usize::from(word(32)));
            let mut result = unzigzag(word(28) >> 14);
            let bits: Vec<bool> =
                bytes[34..].iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 != 0)).collect();
            let mut next = 0;
            let mut take = |count: usize| {
                next += count;
                bits[next - count..next].iter().fold(0, |number, &bit| 2 * number + usize::from(bit))
            };
            let below = |take: &mut dyn FnMut(usize) -> usize, count: usize| {
                take((0..).find(|&bits| 1 << bits >= count).expect("some number of bits is enough"))
            };
            let kinds = [MoveKind::Normal, MoveKind::Promotion, MoveKind::Castling, MoveKind::EnPassant];
            let mut mv = (
                kinds[usize::from(mv >> 14)],
                usize::from(mv >> 8) % 64,
                usize::from(mv >> 2) % 64,
                (mv >> 14 == 1).then(|| OraclePiece::ALL[1 + usize::from(mv % 4)]),
            );
            for left in (0..=count).rev() {
                let for_white = |number: i16| if position.black { -number } else { number };
                let outcome = Outcome::ALL[(for_white(result) + 1) as usize];
                let (kind, from, to, becomes) = mv;
                entries.push(Entry { fen: position.fen(), score: for_white(score), outcome, mv: (from, to) });
                position.play(kind, from, to, becomes);
                result = -result;
                if left == 0 {
                    break;
                }
                let own: Vec<usize> = (0..64)
                    .filter(|&square| position.squares[square].is_some_and(|man| man.1 == position.black))
                    .collect();
                let from = own[below(&mut take, own.len())];
                let moves = position.moves(from);
                let (kind, to, becomes) = moves[below(&mut take, moves.len())];
                mv = (kind, from, to, becomes);
                let (mut number, mut shift) = (0, 0);
                loop {
                    let group = take(5);
                    number |= (group % 16) << shift;
                    shift += 4;
                    if group < 16 {
                        break;
                    }
                }
                score = (-score).wrapping_add(unzigzag(number as u16));
            }
            bytes = &bytes[34 + next.div_ceil(8)..];
        }
        entries
    }
}

/// Readers that know no Chess960 find the same boards, scores, results and moves as this library.
#[test]
fn castling_rights_of_chess960_are_not_written() {
    let (mut lost, mut castling, mut castles) = (0, 0, 0);
    for game in games(200, 150) {
        // The parts of the game between castling moves that cannot be kept.
        let (mut parts, mut expected) = (vec![Vec::new()], Vec::new());
        for (oracle, mv, score) in &game.plies {
            let mut board: Board = fen(oracle).parse().expect("it is FEN");
            lost += usize::from(binpack::drop_rights(&mut board));
            assert!(!binpack::drop_rights(&mut board));
            let mv = translated(oracle, *mv);
            if board.clone().play(mv).is_err() {
                assert_eq!(mv.kind(), MoveKind::Castling);
                castling += 1;
                parts.push(Vec::new());
                continue;
            }
            castles += usize::from(mv.kind() == MoveKind::Castling);
            let fen = board.to_string();
            let fields = fen.splitn(5, ' ').take(4).collect::<Vec<_>>().join(" ");
            expected.push((fields, *score, game.outcome, (mv.start() as usize, mv.target() as usize)));
            parts.last_mut().expect("there is one").push((board, mv, *score));
        }
        let mut chains = Vec::new();
        for part in parts.iter().filter(|part| !part.is_empty()) {
            let moves: Vec<(Move, i16)> = part.iter().map(|(_, mv, score)| (*mv, *score)).collect();
            binpack::write(&part[0].0, game.outcome, &moves, &mut chains).expect("it can be written");
        }
        let found: Vec<_> = usual_readers::read(&chains)
            .into_iter()
            .map(|entry| (entry.fen, entry.score, entry.outcome, entry.mv))
            .collect();
        assert_eq!(found, expected);
        let ours = read(TrainingFormat::Binpack, &chunk_of(&chains), 1_000);
        let fields = |fen: &String| fen.splitn(5, ' ').take(4).collect::<Vec<_>>().join(" ");
        assert!(
            ours.errors.is_empty() && ours.fens.iter().map(fields).eq(expected.iter().map(|entry| entry.0.clone()))
        );
    }
    assert!(lost > 1_000 && castling > 20 && castles > 20, "{lost}, {castling}, {castles}");
}

/// Longer than one chain, with scores of any 16 bits, and counters beyond those of the format.
#[test]
fn what_is_written_of_a_long_game_is_read() {
    let mut random = Random(5);
    let knights =
        [(Square::G1, Square::F3), (Square::G8, Square::F6), (Square::F3, Square::G1), (Square::F6, Square::G8)];
    let ply = |at: usize| (Move::new(knights[at % 4].0, knights[at % 4].1, MoveKind::Normal), random.next() as i16);
    let moves: Vec<(Move, i16)> = (0..70_000).map(ply).collect();
    let (mut chains, mut bytes) = (Vec::new(), Vec::new());
    binpack::write(&Board::INITIAL, Outcome::White, &moves, &mut chains).expect("it can be written");
    binpack::write_chunk(&chains, &mut bytes);
    let found = read(TrainingFormat::Binpack, &bytes, 1_000);
    assert_eq!((&found.errors[..], found.fens.len()), (&[][..], moves.len()));
    let mut board = Board::INITIAL;
    for (at, &(mv, score)) in moves.iter().enumerate() {
        let score = if at % 2 == 0 { score } else { score.max(-i16::MAX) };
        assert_eq!((found.labels.moves[at], found.labels.scores[at]), (mv, score), "{at}");
        // The second chain begins with the highest number that there is.
        let number = if at < 1 << 16 { board.fullmove_number() } else { 8_192 + (at as u16) / 2 };
        board.set_counters(board.halfmove_clock(), number);
        assert_eq!(found.fens[at], board.to_string(), "{at}");
        board.play(mv).expect("it is legal");
    }
}

#[test]
fn what_cannot_be_written() {
    let mut out = vec![1];
    let many: Board = "rnbqkbnr/pppppppp/8/8/P7/8/PPPPPPPP/RNBQKBNR w - - 0 1".parse().expect("it is FEN");
    assert_eq!(bulletformat::write(&many, 0, Outcome::Draw, &mut out), Err(RecordProblem::Pieces(33)));
    assert_eq!(marlinformat::write(&many, 0, Outcome::Draw, &mut out), Err(RecordProblem::Pieces(33)));
    assert_eq!(viriformat::write(&many, Outcome::Draw, &[], &mut out), Err(RecordProblem::Pieces(33)));
    let two: Board = "4k3/8/8/8/8/8/8/RR2K3 w AB - 0 1".parse().expect("it is FEN");
    assert_eq!(marlinformat::write(&two, 0, Outcome::Draw, &mut out), Err(RecordProblem::Castling));
    let mv = Move::new(Square::E2, Square::E5, MoveKind::Normal);
    let e4 = Move::new(Square::E2, Square::E4, MoveKind::Normal);
    assert_eq!(
        viriformat::write(&Board::INITIAL, Outcome::Draw, &[(e4, 1), (mv, 2)], &mut out),
        Err(RecordProblem::Move(mv))
    );
    assert_eq!(
        binpack::write(&Board::INITIAL, Outcome::Draw, &[(e4, 1), (mv, 2)], &mut out),
        Err(RecordProblem::Move(mv))
    );
    assert_eq!(binpack::write(&Board::INITIAL, Outcome::Draw, &[(mv, 2)], &mut out), Err(RecordProblem::Move(mv)));
    assert_eq!(binpack::write(&many, Outcome::Draw, &[(e4, 1)], &mut out), Err(RecordProblem::Pieces(33)));
    assert_eq!(binpack::write(&two, Outcome::Draw, &[(e4, 1)], &mut out), Err(RecordProblem::Castling));
    let f1: Board = "4k3/8/8/8/8/8/4P3/4KR2 w F - 0 1".parse().expect("it is FEN");
    assert_eq!(binpack::write(&f1, Outcome::Draw, &[(e4, 1)], &mut out), Err(RecordProblem::Chess960));
    assert_eq!(out, [1]);
    let late: Board = "4k3/8/8/8/8/8/8/4K3 w - - 300 200".parse().expect("it is FEN");
    marlinformat::write(&late, 0, Outcome::Draw, &mut out).expect("it can be written");
    assert_eq!(out[1 + 25], 255);
}

/// Changes the third of five records, and checks the result.
fn assert_wrong(format: TrainingFormat, change: impl Fn(&mut [u8; 32]), problem: RecordProblem) {
    let start = Oracle::default();
    let record = if format == TrainingFormat::Bulletformat { bulletformat_of } else { marlinformat_of };
    let mut records = [record(&start, 3, Outcome::White); 5];
    change(&mut records[2]);
    for most in [1, 2, 3, 4, 100] {
        let found = read(format, records.as_flattened(), most);
        let [error] = found.errors[..] else { panic!("{problem}: {:?}", found.errors) };
        assert_eq!((error.record, error.byte, error.problem), (3, 64, problem));
        assert_eq!(found.labels.scores, [3; 4]);
        assert!(error.to_string().starts_with("record 3, byte 64: expected "), "{error}");
    }
    // All are wrong.
    change(&mut records[0]);
    let all = read(format, [records[0]; 700].as_flattened(), 1_000);
    assert!(all.errors.iter().enumerate().all(|(at, error)| (error.byte, error.problem) == (32 * at, problem)));
    assert_eq!((all.errors.len(), all.fens.len()), (700, 0));
}

#[test]
fn wrong_records_of_positions() {
    let one_king = |color, kings| RecordProblem::Board(BoardError::OneKing { color, kings });
    let unknown = |square| RecordProblem::Board(BoardError::UnknownPiece { square });
    for format in [TrainingFormat::Bulletformat, TrainingFormat::Marlinformat] {
        // White's king is piece 4, the lower nibble of byte 10; black's is piece 28.
        assert_wrong(format, |record| record[10] = record[10] & 0xf0 | 4, one_king(Color::White, 0));
        assert_wrong(format, |record| record[22] = record[22] & 0xf0 | 12, one_king(Color::Black, 0));
        assert_wrong(format, |record| record[9] = record[9] & 0x0f | 0x50, one_king(Color::White, 2));
        assert_wrong(format, |record| record[12] = record[12] & 0xf0 | 7, unknown(Square::A2));
        assert_wrong(format, |record| record[12] = record[12] & 0x0f | 0xf0, unknown(Square::B2));
        assert_wrong(format, |record| record[2] = 1, RecordProblem::Pieces(33));
        assert_wrong(format, |record| record[..8].fill(255), RecordProblem::Pieces(64));
        assert_wrong(format, |record| record.fill(0), one_king(Color::White, 0));
        let outcome = if format == TrainingFormat::Bulletformat { 26 } else { 30 };
        for number in [3, 4, 128, 255] {
            assert_wrong(format, |record| record[outcome] = number, RecordProblem::Outcome(number));
        }
    }
    let bullet = TrainingFormat::Bulletformat;
    assert_wrong(bullet, |record| record[12] = record[12] & 0xf0 | 6, unknown(Square::A2));
    for (byte, king) in [(27, 5), (28, 60), (27, 68), (28, 68), (28, 255)] {
        assert_wrong(bullet, |record| record[byte] = king, RecordProblem::Kings);
    }
    let marlin = TrainingFormat::Marlinformat;
    // A pawn on a2 becomes a rook that may castle; so do two knights; white's king and queen change places with rooks.
    assert_wrong(marlin, |record| record[12] = record[12] & 0xf0 | 6, RecordProblem::Castling);
    assert_wrong(marlin, |record| record[8] = 0x66, RecordProblem::Castling);
    assert_wrong(marlin, |record| (record[8], record[10]) = (0x15, 0x26), RecordProblem::Castling);
    assert_wrong(marlin, |record| record[8] = record[8] & 0xf0 | 14, RecordProblem::Castling);
    for square in [0, 16, 39, 48, 65, 127] {
        assert_wrong(marlin, |record| record[24] = square, RecordProblem::EnPassant(square));
    }
    for square in [40, 15, 24] {
        assert_wrong(marlin, |record| record[24] = square | 128, RecordProblem::EnPassant(square));
    }
}

#[test]
fn records_that_are_cut_off() {
    let games = games(6, 40);
    for format in TrainingFormat::ALL {
        let (bytes, whole) = (encoded(format, &games), expected(format, &games));
        let mut boundaries = 0;
        for len in 0..bytes.len() {
            let found = read(format, &bytes[..len], 1_000);
            assert_eq!(found.fens, whole.fens[..found.fens.len()], "{format:?}, {len}");
            if found.errors.is_empty() {
                boundaries += 1;
                continue;
            }
            let [error] = found.errors[..] else { panic!("{format:?}, {len}: {:?}", found.errors) };
            let is_cut_off =
                matches!(error.problem, RecordProblem::CutOff | RecordProblem::Size(_) | RecordProblem::Chunk);
            assert!(is_cut_off, "{format:?}, {len}: {error}");
        }
        let records = match format {
            TrainingFormat::Viriformat => games.len(),
            TrainingFormat::Binpack => games.len().div_ceil(3),
            _ => whole.fens.len(),
        };
        assert_eq!(boundaries, records, "{format:?}");
    }
}

/// A game that goes wrong is left there, and the next one is read.
#[test]
fn wrong_games() {
    let games = games(9, 60);
    let whole = expected(TrainingFormat::Viriformat, &games);
    let starts: Vec<usize> = games
        .iter()
        .scan(0, |sum, game| {
            *sum += game.plies.len();
            Some(*sum - game.plies.len())
        })
        .collect();
    let (mut byte, mut random) = (0, Random(3));
    for (at, game) in games.iter().enumerate() {
        let bytes = encoded(TrainingFormat::Viriformat, &games);
        let rest = starts[at] + game.plies.len()..whole.fens.len();
        let check = |bytes: &[u8], read_of_it: usize, wrong: usize, problem: RecordProblem| {
            let found = read(TrainingFormat::Viriformat, bytes, 100);
            let [error] = found.errors[..] else { panic!("{:?}", found.errors) };
            assert_eq!((error.record, error.byte, error.problem), (at as u64 + 1, wrong, problem));
            let fens = [&whole.fens[..starts[at] + read_of_it], &whole.fens[rest.clone()]].concat();
            assert_eq!(found.fens, fens);
        };
        let ply = random.below(game.plies.len());
        let mut wrong = bytes.clone();
        let place = byte + 32 + 4 * ply;
        // From a1 to a1, with a score.
        wrong[place..place + 4].copy_from_slice(&[0, 0, 1, 0]);
        check(&wrong, ply, place, RecordProblem::Move(Move::NONE));
        let mut wrong = bytes.clone();
        wrong[byte + 30] = 9;
        check(&wrong, 0, byte, RecordProblem::Outcome(9));
        let mut wrong = bytes;
        wrong[byte..byte + 8].fill(255);
        check(&wrong, 0, byte, RecordProblem::Pieces(64));
        byte += 32 + 4 * game.plies.len() + 4;
    }
}

/// A wrong chunk gives one error, and the next chunk is read.
#[test]
fn wrong_chunks() {
    let games = games(9, 60);
    let chunks: Vec<Vec<u8>> =
        games.chunks(3).map(|games| chunk_of(&games.iter().flat_map(chain_of).collect::<Vec<u8>>())).collect();
    let fens: Vec<Vec<String>> = games.chunks(3).map(|games| expected(TrainingFormat::Binpack, games).fens).collect();
    let check = |second: &[u8], problem: Option<RecordProblem>, record: u64| {
        let bytes = [&chunks[0], second, &chunks[2]].concat();
        for most in [1, 50, 10_000] {
            let found = read(TrainingFormat::Binpack, &bytes, most);
            let [error] = found.errors[..] else { panic!("{problem:?}: {:?}", found.errors) };
            assert_eq!(error.record, record, "{error}");
            assert!(problem.is_none_or(|problem| problem == error.problem), "{error}");
            assert!((chunks[0].len()..=chunks[0].len() + second.len()).contains(&error.byte), "{error}");
            let (first, last) = (&fens[0], &fens[2]);
            assert_eq!(found.fens[..first.len()], first[..]);
            assert_eq!(found.fens[found.fens.len() - last.len()..], last[..]);
            let middle = &found.fens[first.len()..found.fens.len() - last.len()];
            assert!(fens[1].starts_with(middle), "{error}");
        }
    };
    let changed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut chunk = chunks[1].clone();
        change(&mut chunk);
        chunk
    };
    check(&changed(&|chunk| chunk[0] = b'b'), Some(RecordProblem::Chunk), 1);
    check(b"garbage between", Some(RecordProblem::Chunk), 1);
    for size in [u32::MAX, (100 << 20) + 1, 100 << 20] {
        check(&changed(&|chunk| chunk[4..8].copy_from_slice(&size.to_le_bytes())), Some(RecordProblem::Size(size)), 2);
    }
    check(&changed(&|chunk| chunk[8..16].fill(255)), Some(RecordProblem::Pieces(64)), 2);
    check(&changed(&|chunk| chunk[32..34].fill(0)), Some(RecordProblem::Move(Move::NONE)), 2);
    check(&changed(&|chunk| chunk[36] |= 0xc0), Some(RecordProblem::Outcome(3)), 2);
    // More moves than there are bits.
    check(&chunk_of(&[&chain_of(&games[3])[..32], &[255; 2]].concat()), Some(RecordProblem::CutOff), 2);
    // A size that is too small by one, and one without a chain.
    let short = (chunks[1].len() - 8 - 1) as u32;
    let found = read(
        TrainingFormat::Binpack,
        &[&changed(&|chunk| chunk[4..8].copy_from_slice(&short.to_le_bytes())), &chunks[2][..]].concat(),
        1_000,
    );
    assert!(!found.errors.is_empty() && found.fens.ends_with(&fens[2]), "{:?}", found.errors);
    check(&chunk_of(&[0; 33]), Some(RecordProblem::CutOff), 2);
    check(&chunk_of(&[0; 40]), Some(RecordProblem::Board(BoardError::OneKing { color: Color::White, kings: 0 })), 2);
}

/// Chains give the same, however the bytes of their chunk come, whatever is in them, and whether they are decoded now or later.
#[test]
fn chains_in_parts() {
    let (mut random, chunk) = (Random(3), chunk_of(&games(20, 90).iter().flat_map(chain_of).collect::<Vec<u8>>()));
    for round in 0..300 {
        let mut chunk = chunk.clone();
        for _ in 0..round % 3 {
            let at = HEADER + random.below(chunk.len() - HEADER);
            chunk[at] ^= 1 << random.below(8);
        }
        chunk.truncate(chunk.len() - round / 3 % 40);
        let size = (chunk.len() - HEADER) as u32;
        chunk[4..8].copy_from_slice(&size.to_le_bytes());
        let whole = read(TrainingFormat::Binpack, &chunk, 1_000);
        let (mut positions, mut found, mut parts) = (Positions::new(), Found::default(), 0);
        let (chunk, step) = (&chunk[HEADER..], 1 + random.below(400));
        let (mut done, mut here) = (0, 0);
        while done < chunk.len() && found.errors.is_empty() {
            here = (here + step).min(chunk.len());
            let mut chains = Chains::new(&chunk[done..here], here == chunk.len());
            let before = positions.len();
            loop {
                let most = 1 + random.below(50);
                let read = match round % 2 {
                    0 => chains.read(most, &mut positions, &mut found.labels),
                    _ => {
                        let (undecoded, read) = chains.skip(most);
                        let (count, labels) = (undecoded.count(), &mut found.labels);
                        // Those after the first ones are decoded again.
                        let first = undecoded.read(random.below(count + 1), &mut positions, &mut Labels::default());
                        positions.truncate(positions.len() - first);
                        assert_eq!(undecoded.read(most + 1, &mut positions, labels), count);
                        assert!(read.is_err() || read == Ok(count));
                        read
                    }
                };
                match read {
                    Ok(0) => break,
                    Ok(_) => {}
                    Err(mut error) => {
                        error.byte += done + HEADER;
                        found.errors.push(error);
                        break;
                    }
                }
            }
            parts += usize::from(positions.len() > before);
            done += chains.bytes_read();
            assert!(done <= here);
        }
        let fen = |at| format!("{} {} {}", positions.fen(at), found.labels.halfmoves[at], found.labels.numbers[at]);
        found.fens = (0..positions.len()).map(fen).collect();
        assert!(whole == found, "{:?}, {:?}", whole.errors, found.errors);
        assert!(parts > 3 || !found.errors.is_empty(), "{parts} parts of {step} bytes");
    }
}

/// The sample, which other tests read. `WRITE_SAMPLE=1` writes it.
#[test]
fn the_sample_is_a_chunk_of_games() {
    let sample = chunk_of(&games(25, 80).iter().flat_map(chain_of).collect::<Vec<u8>>());
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/sample.binpack");
    if std::env::var_os("WRITE_SAMPLE").is_some() {
        std::fs::write(path, &sample).expect("it can be written");
    }
    assert!(std::fs::read(path).expect("it is there") == sample);
}

/// Nothing panics or hangs, and there are no more positions than the bytes can have.
#[test]
fn any_bytes() {
    let (games, mut random) = (games(12, 60), Random(2));
    for format in TrainingFormat::ALL {
        let bytes = encoded(format, &games);
        for round in 0..150 {
            let mut changed = bytes.clone();
            for _ in 0..1 + random.below(if round % 2 == 0 { 3 } else { 200 }) {
                let at = random.below(changed.len());
                match random.below(4) {
                    0 => changed[at] = random.next() as u8,
                    1 => changed[at] = [0, 255][random.below(2)],
                    _ => changed[at] ^= 1 << random.below(8),
                }
            }
            if random.below(4) == 0 {
                let (from, len) = (random.below(changed.len()), random.below(50));
                changed.drain(from..(from + len).min(bytes.len()));
            }
            let found = read(format, &changed, 1 + random.below(500));
            assert!(found.fens.len() <= 2 * changed.len(), "{format:?}");
        }
        for _ in 0..100 {
            let mut noise: Vec<u8> = (0..random.below(2_000)).map(|_| random.next() as u8).collect();
            for start in (0..noise.len().saturating_sub(8)).step_by(300) {
                noise[start..start + 4].copy_from_slice(b"BINP");
                noise[start + 4..start + 8].copy_from_slice(&(random.below(600) as u32).to_le_bytes());
            }
            read(format, &noise, 1_000);
        }
        assert_eq!(read(format, &[], 10), Found::default());
    }
}
