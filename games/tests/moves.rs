//! Lists of legal moves have the moves of cozy-chess, in chess and in Chess960.
//!
//! A million positions of random games in builds for speed. `LISTED_POSITIONS=100000000` takes more.

use cozy_chess::{Board as Oracle, Color as OracleColor, Piece as OraclePiece};
use slider_attacks::moves::{Move, MoveKind, Moves};
use slider_attacks::position::{Castling, Color, Piece, Positions};
use slider_attacks::{Backend, Square};

/// How many positions are listed at a time.
const BATCH: usize = 4_096;

#[test]
fn lists_have_the_moves_of_cozy_chess() {
    let usual = if cfg!(debug_assertions) { 20_000 } else { 1_000_000 };
    let count = std::env::var("LISTED_POSITIONS").map_or(usual, |count| count.parse().expect("a number"));
    let mut state = 1_u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1); // with the multiplier of Knuth
        (state >> 33) as usize % below
    };
    let (mut positions, mut boards) = (Positions::new(), Vec::new());
    let (mut compared, mut kinds) = (0, [0; 4]);
    let mut oracle = Oracle::default();
    let mut expected = Vec::new();
    for number in 0..count {
        list(&oracle, &mut expected);
        if number % 100 == 0 || expected.is_empty() {
            // Every other game is one of Chess960.
            let start = if number % 200 == 0 { 518 } else { random(960) as u32 };
            oracle = Oracle::chess960_startpos(start);
            list(&oracle, &mut expected);
        }
        push(&oracle, &mut positions);
        boards.push((oracle.clone(), expected.clone()));
        if boards.len() == BATCH || number + 1 == count {
            compared += boards.len();
            compare(&positions, &boards, &mut kinds);
            positions.clear();
            boards.clear();
        }
        let mv = expected[random(expected.len())];
        oracle.play_unchecked(mv.0);
    }
    assert_eq!(compared, count);
    assert!(kinds.iter().all(|&found| found > count / 1_000), "{kinds:?}");
}

/// A move of cozy-chess, and how this library writes it.
type Both = (cozy_chess::Move, Move);

fn list(oracle: &Oracle, moves: &mut Vec<Both>) {
    moves.clear();
    let own = oracle.colors(oracle.side_to_move());
    oracle.generate_moves(|some| {
        for mv in some {
            let [from, to] = [mv.from, mv.to].map(|square| Square::ALL[square as usize]);
            let ours = match mv.promotion {
                Some(piece) => Move::promotion(from, to, Piece::ALL[piece as usize]),
                None if own.has(mv.to) => Move::new(from, to, MoveKind::Castling),
                None if some.piece == OraclePiece::Pawn
                    && from.file() != to.file()
                    && oracle.piece_on(mv.to).is_none() =>
                {
                    Move::new(from, to, MoveKind::EnPassant)
                }
                None => Move::new(from, to, MoveKind::Normal),
            };
            moves.push((mv, ours));
        }
        false
    });
    // The bits of a move put its target above its start, and a promotion above both.
    moves.sort_by_key(|(_, mv)| (mv.start(), mv.bits()));
}

fn push(oracle: &Oracle, positions: &mut Positions) {
    let pieces = [OracleColor::White, OracleColor::Black]
        .map(|color| OraclePiece::ALL.map(|piece| oracle.colored_pieces(color, piece).0));
    let rooks = [(OracleColor::White, 0), (OracleColor::Black, 56)].map(|(color, rank)| {
        let rights = oracle.castle_rights(color);
        [rights.short, rights.long].into_iter().flatten().fold(0, |rooks, file| rooks | 1 << (rank + file as u8))
    });
    let color = if oracle.side_to_move() == OracleColor::White { Color::White } else { Color::Black };
    let rank = if color == Color::White { 5 } else { 2 };
    let passed = oracle.en_passant().and_then(|file| Square::from_file_rank(file as u8, rank));
    positions.push_boards(pieces, color, Castling::from_rooks(rooks[0] | rooks[1]), passed).expect("a position");
}

fn compare(positions: &Positions, boards: &[(Oracle, Vec<Both>)], kinds: &mut [usize; 4]) {
    let mut moves = Moves::new();
    for backend in Backend::available() {
        backend.moves(positions, &mut moves);
        assert_eq!(moves.len(), boards.len());
        for (ours, (oracle, theirs)) in moves.iter().zip(boards) {
            assert!(ours.iter().eq(theirs.iter().map(|(_, mv)| mv)), "{backend}, {oracle:#}: {ours:?}, {theirs:?}");
        }
    }
    moves.as_slice().iter().for_each(|mv| kinds[mv.kind() as usize] += 1);
}
