//! Lists of legal moves have the moves of cozy-chess, in chess and in Chess960.
//!
//! A million positions of random games in builds for speed. `LISTED_POSITIONS=100000000` takes more.

use cozy_chess::{Board as Oracle, Color as OracleColor, Piece as OraclePiece};
use slider_attacks::moves::{Move, MoveKind, Moves};
use slider_attacks::position::{Castling, Color, Piece, Positions};
use slider_attacks::{Backend, Square};
use slider_attacks_games::Board;

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

/// Numbers of games that others have counted. Each move of a list is played.
#[test]
fn lists_lead_to_as_many_games_as_known() {
    fn perft(board: &Board, depth: u32) -> usize {
        let (mut positions, mut moves) = (Positions::new(), Moves::new());
        board.push_to(&mut positions);
        Backend::active().moves(&positions, &mut moves);
        if depth == 1 {
            return moves[0].len();
        }
        let after = moves[0].iter().map(|&mv| {
            let mut board = board.clone();
            board.play(mv).expect("the move is legal");
            perft(&board, depth - 1)
        });
        after.sum()
    }
    let known = [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 4, 197_281),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3, 97_862),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4, 43_238),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 3, 9_467),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 3, 62_379),
        ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 3, 89_890),
    ];
    for (fen, depth, games) in known {
        assert_eq!(perft(&fen.parse().expect("it is FEN"), depth), games, "{fen}");
    }
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
    // The bits put promotions in order.
    moves.sort_by_key(|(_, mv)| (mv.start(), mv.target(), mv.bits()));
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
