//! Moves are played as cozy-chess plays them, in chess and in Chess960.
//!
//! `PERFT_DEPTH=5` goes through all games of that many half moves from the usual six positions: some minutes.

use std::collections::HashSet;

use cozy_chess::util::{display_san_move, display_uci_move};
use cozy_chess::{
    Board as Oracle, Color as OracleColor, File, Move as OracleMove, Piece as OraclePiece, Rank, Square as OracleSquare,
};
use slider_attacks::moves::{Moves, perft_by_move};
use slider_attacks::position::{Color, Piece, Positions};
use slider_attacks::{Backend, BatchError, Square};
use slider_attacks_games::{Board, Move, MoveError, MoveKind};

const USUAL: [(&str, [u64; 5]); 6] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", [20, 400, 8_902, 197_281, 4_865_609]),
    (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        [48, 2_039, 97_862, 4_085_603, 193_690_690],
    ),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", [14, 191, 2_812, 43_238, 674_624]),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", [6, 264, 9_467, 422_333, 15_833_292]),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", [44, 1_486, 62_379, 2_103_487, 89_941_194]),
    (
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        [46, 2_079, 89_890, 3_894_594, 164_075_551],
    ),
];

/// Positions of Chess960 in which castling is close to a mistake: rooks that shield, kings that do not move, full paths.
const CHESS960: [&str; 8] = [
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
    "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1",
    "q1k5/8/8/8/8/8/8/1RK4r w B - 0 1",
    "r1k4r/8/8/8/8/8/8/RK5R w HAha - 0 1",
    "k7/8/8/8/8/8/8/qR1K3R w HB - 0 1",
    "5rk1/8/8/8/8/8/8/q1R3KR w HC - 0 1",
    "rkr5/p1p5/8/8/8/8/P1P5/RKR5 w CAca - 0 1",
];

fn square(square: OracleSquare) -> Square {
    Square::new(square as u8).expect("it is a square")
}

/// The move, and how this library writes it.
fn translated(oracle: &Oracle, mv: OracleMove) -> Move {
    let (from, to) = (square(mv.from), square(mv.to));
    let is_pawn = oracle.piece_on(mv.from) == Some(OraclePiece::Pawn);
    if let Some(piece) = mv.promotion {
        let pieces = [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen, Piece::King];
        return Move::promotion(from, to, pieces[piece as usize]);
    }
    let kind = if oracle.color_on(mv.to) == Some(oracle.side_to_move()) {
        MoveKind::Castling
    } else if is_pawn && mv.from.file() != mv.to.file() && oracle.piece_on(mv.to).is_none() {
        MoveKind::EnPassant
    } else {
        MoveKind::Normal
    };
    Move::new(from, to, kind)
}

fn moves(oracle: &Oracle) -> Vec<OracleMove> {
    let mut moves = Vec::new();
    oracle.generate_moves(|some| {
        moves.extend(some);
        false
    });
    moves
}

/// Checks all that a board knows.
fn assert_same(board: &Board, oracle: &Oracle) {
    let mut planes = [0; 4];
    for piece in OraclePiece::ALL {
        for (bit, plane) in planes[..3].iter_mut().enumerate() {
            *plane |= if (piece as usize + 1) >> bit & 1 != 0 { oracle.pieces(piece).0 } else { 0 };
        }
    }
    planes[3] = oracle.colors(OracleColor::Black).0;
    assert_eq!(board.planes(), planes, "{oracle}");
    assert_eq!(board.side_to_move() == Color::White, oracle.side_to_move() == OracleColor::White);
    assert_eq!(board.halfmove_clock(), u16::from(oracle.halfmove_clock()), "{oracle}");
    assert_eq!(board.fullmove_number(), oracle.fullmove_number());
    let mut rights = String::new();
    for (color, home) in [(OracleColor::White, Rank::First), (OracleColor::Black, Rank::Eighth)] {
        let of_color = oracle.castle_rights(color);
        for file in File::ALL.into_iter().rev().filter(|&file| [of_color.short, of_color.long].contains(&Some(file))) {
            let letter = match file {
                File::H => 'K',
                File::A => 'Q',
                _ => char::from(b'A' + file as u8),
            };
            rights.push(if home == Rank::First { letter } else { letter.to_ascii_lowercase() });
        }
    }
    let expected: slider_attacks::position::Castling =
        if rights.is_empty() { "-" } else { &rights }.parse().expect("they are letters");
    assert_eq!(board.castling(), expected, "{oracle}");
    let en_passant =
        moves(oracle).into_iter().map(|mv| translated(oracle, mv)).find(|mv| mv.kind() == MoveKind::EnPassant);
    assert_eq!(board.en_passant(), en_passant.map(Move::target), "{oracle}");
    assert_eq!(board.is_check(), !oracle.checkers().is_empty(), "{oracle}");
    let fen = board.to_string();
    assert_eq!(&fen.parse::<Board>().expect("it writes what it reads"), board, "{fen}");
    let mut positions = Positions::new();
    Board::INITIAL.push_to(&mut positions);
    board.push_to(&mut positions);
    let mut same = Board::from_position(&positions, 1);
    same.set_counters(board.halfmove_clock(), board.fullmove_number());
    assert_eq!(&same, board, "{fen}");
}

fn perft(board: &Board, oracle: &Oracle, depth: u32) -> u64 {
    let moves = moves(oracle);
    if depth == 1 {
        // The moves themselves are compared where the game goes on.
        let played = moves.iter().filter(|&&mv| board.clone().play(translated(oracle, mv)).is_ok()).count();
        assert_eq!(played, moves.len(), "{oracle}");
        return played as u64;
    }
    let children = moves.into_iter().map(|mv| {
        let (mut board, mut after) = (board.clone(), oracle.clone());
        board.play(translated(oracle, mv)).expect("the move is legal");
        after.play_unchecked(mv);
        if depth >= 3 {
            assert_same(&board, &after);
        }
        perft(&board, &after, depth - 1)
    });
    children.sum()
}

#[test]
fn as_many_games_as_known() {
    let depth = std::env::var("PERFT_DEPTH").map_or(4, |depth| depth.parse().expect("a number"));
    for (fen, counts) in USUAL {
        let (board, oracle) =
            (fen.parse::<Board>().expect("it is FEN"), Oracle::from_fen(fen, false).expect("it is FEN"));
        assert_same(&board, &oracle);
        let depth = if depth <= 4 && counts[3] > 1_000_000 { 3 } else { depth };
        assert_eq!(perft(&board, &oracle, depth), counts[depth as usize - 1], "{fen}");
    }
    for fen in CHESS960 {
        let (board, oracle) =
            (fen.parse::<Board>().expect("it is FEN"), Oracle::from_fen(fen, true).expect("it is FEN"));
        perft(&board, &oracle, depth - 1);
    }
}

/// The games of `depth` half moves, at least one, by cozy-chess.
fn leaves(oracle: &Oracle, depth: u8) -> u64 {
    let moves = moves(oracle);
    if depth == 1 {
        return moves.len() as u64;
    }
    let after = moves.into_iter().map(|mv| {
        let mut after = oracle.clone();
        after.play_unchecked(mv);
        after
    });
    after.map(|after| leaves(&after, depth - 1)).sum()
}

/// Counts games by lists and positions after moves on all backends.
fn assert_leaves(fen: &str, depth: u8, expected: u64) {
    let position = fen.parse().expect("it is FEN");
    for backend in Backend::available() {
        let counts = perft_by_move(backend, position, depth);
        assert_eq!(counts.iter().map(|(_, count)| count).sum::<u64>(), expected, "{backend}: {fen} {depth}");
        assert_eq!(slider_attacks::moves::perft(backend, position, depth), expected, "{backend}: {fen} {depth}");
    }
}

#[test]
fn batches_count_as_many_games_as_known() {
    for (fen, counts) in USUAL {
        for (depth, count) in (1..).zip(counts).filter(|(_, count)| *count < 1_000_000) {
            assert_leaves(fen, depth, count);
        }
    }
    for fen in CHESS960 {
        let oracle = Oracle::from_fen(fen, true).expect("it is FEN");
        for depth in 1..=3 {
            assert_leaves(fen, depth, leaves(&oracle, depth));
        }
    }
    // All positions at once, of different sides to move, and some without a move.
    let mut positions = Positions::new();
    positions.push_fens(CHESS960.into_iter().chain(["R5k1/5ppp/8/8/8/8/8/K7 b - -"])).expect("they are FEN");
    for depth in 0..=4 {
        let mut counts = [99; 9];
        Backend::active().perft(&positions, depth, &mut counts).expect("there is a place for each count");
        let one_by_one =
            positions.iter().map(|position| slider_attacks::moves::perft(Backend::active(), position, depth));
        assert!(counts.into_iter().eq(one_by_one) && counts[8] == u64::from(depth == 0), "{counts:?}");
        let error = Backend::active().perft(&positions, depth, &mut counts[1..]).expect_err("a place is missing");
        assert_eq!(error, BatchError::PositionLengthMismatch { positions: 9, out: 8 });
    }
}

/// The counts that are published (<https://www.chessprogramming.org/Perft_Results>), and those of Chess960 to the same depth.
#[test]
#[ignore = "counts 20 billion games"]
fn batches_count_as_many_games_as_published() {
    let full =
        [(6, 119_060_324), (5, 193_690_690), (7, 178_633_661), (6, 706_045_033), (5, 89_941_194), (5, 164_075_551)];
    for ((fen, _), (depth, count)) in USUAL.into_iter().zip(full) {
        assert_leaves(fen, depth, count);
    }
    for fen in CHESS960 {
        assert_leaves(fen, 5, leaves(&Oracle::from_fen(fen, true).expect("it is FEN"), 5));
    }
}

/// Random games. Half of them begin with a position of Chess960.
fn games(count: u32, mut visit: impl FnMut(&Board, &Oracle, &[OracleMove])) {
    let mut state = 1_u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (state >> 33) as usize % below
    };
    for game in 0..count {
        let number = if game % 2 == 0 { 518 } else { random(960) as u32 };
        let mut oracle =
            Oracle::double_chess960_startpos(number, if game % 4 == 3 { random(960) as u32 } else { number });
        let mut board: Board = format!("{oracle:#}").parse().expect("it is FEN");
        for _ in 0..150 {
            let moves = moves(&oracle);
            assert_same(&board, &oracle);
            visit(&board, &oracle, &moves);
            if moves.is_empty() {
                break;
            }
            let mv = moves[random(moves.len())];
            board.play(translated(&oracle, mv)).expect("the move is legal");
            oracle.play_unchecked(mv);
        }
    }
}

/// The positions after moves, on all backends, and as boards have them.
#[test]
fn positions_after_moves_are_those_that_boards_play() {
    let mut kinds = [0; 4];
    let (mut positions, mut lists, mut expected) = (Positions::new(), Moves::new(), Positions::new());
    let (mut passed, mut out) = (0, Positions::new());
    games(400, |board, oracle, moves| {
        board.push_to(&mut positions);
        let moves: Vec<Move> = moves.iter().map(|&mv| translated(oracle, mv)).collect();
        for &mv in &moves {
            let mut after = board.clone();
            after.play(mv).expect("the move is legal");
            after.push_to(&mut expected);
            kinds[mv.kind() as usize] += 1;
            passed += usize::from(after.en_passant().is_some());
        }
        lists.push(&moves);
        // Lists of all lengths end at the end of all moves.
        if positions.len() < 64 && expected.len() % 5 != 0 {
            return;
        }
        for backend in Backend::available() {
            backend.after(&positions, &lists, &mut out).expect("all moves are legal");
            if out != expected {
                for (index, (out, expected)) in out.iter().zip(&expected).enumerate() {
                    assert_eq!(out, expected, "{backend}, {}", lists.as_slice()[index]);
                }
                panic!("{backend}: {} positions instead of {}", out.len(), expected.len());
            }
        }
        positions.clear();
        lists.clear();
        expected.clear();
    });
    assert!(kinds.iter().all(|&count| count > 100) && passed > 100, "{kinds:?} {passed}");
}

/// For any 16 bits, the result is the position, another one, or an error.
#[test]
fn moves_that_a_position_does_not_have_make_positions_or_errors() {
    let (mut made, mut wrong, mut out) = (0, 0, Positions::new());
    games(4, |board, oracle, moves| {
        if oracle.fullmove_number() % 12 != 0 {
            return;
        }
        let legal: Vec<Move> = moves.iter().map(|&mv| translated(oracle, mv)).collect();
        let mut positions = Positions::new();
        (0..2).for_each(|_| board.push_to(&mut positions));
        let mut fit = Moves::new();
        fit.push(&[]);
        let mut all = Vec::new();
        for mv in (0..=u16::MAX).map(Move::from_bits) {
            let mut lists = Moves::new();
            lists.push(&legal);
            lists.push(&[mv]);
            match Backend::active().after(&positions, &lists, &mut out) {
                Ok(()) => {
                    all.push(mv);
                    let after = out.get(legal.len()).expect("it is the last");
                    let pieces = Color::ALL.map(|color| Piece::ALL.map(|piece| after.pieces(color, piece)));
                    let rights = (after.side_to_move(), after.castling(), after.en_passant());
                    let checked = slider_attacks::position::Position::new(pieces, rights.0, rights.1, rights.2);
                    assert_eq!(checked, Ok(after), "{oracle}: {mv}");
                    assert_eq!(
                        [after.color(Color::White), after.color(Color::Black)],
                        pieces.map(|side| side.iter().sum())
                    );
                }
                Err(error) => {
                    assert_eq!(error, BatchError::WrongMove { position: 1, mv }, "{oracle}");
                    assert!(!legal.contains(&mv) && out.is_empty(), "{oracle}: {mv}");
                    wrong += 1;
                }
            }
        }
        made += all.len();
        fit.push(&all);
        for backend in Backend::available() {
            backend.after(&positions, &fit, &mut out).expect("they fit");
            assert_eq!(out.len(), all.len());
        }
    });
    assert!(made > 10_000 && wrong > 10_000, "{made} {wrong}");
    let mut lists = Moves::new();
    lists.push(&[]);
    let error = Backend::active().after(&Positions::new(), &lists, &mut out).expect_err("there is no position");
    assert_eq!(error, BatchError::ListLengthMismatch { positions: 0, lists: 1 });
}

#[test]
fn only_legal_moves_are_played() {
    games(24, |board, oracle, moves| {
        let legal: HashSet<Move> = moves.iter().map(|&mv| translated(oracle, mv)).collect();
        for bits in 0..=u16::MAX {
            let mv = Move::from_bits(bits);
            // Other moves have no piece that they become.
            let is_one = mv.kind() == MoveKind::Promotion || bits >> 12 & 3 == 0;
            if oracle.fullmove_number() % 5 == 0 && is_one {
                let mut after = board.clone();
                match after.play(mv) {
                    Ok(()) => assert!(legal.contains(&mv), "{oracle}: {mv} {:?}", mv.kind()),
                    Err(error) => {
                        assert!(!legal.contains(&mv), "{oracle}: {mv} {:?}", mv.kind());
                        assert_eq!((error, &after), (MoveError::Illegal, board));
                    }
                }
            }
        }
    });
}

#[test]
fn every_move_is_read_in_every_notation() {
    games(200, |board, oracle, moves| {
        for &mv in moves {
            let expected = translated(oracle, mv);
            let mut texts = vec![display_san_move(oracle, mv).to_string(), expected.to_string()];
            if expected.kind() == MoveKind::Castling {
                texts.push(texts[0].replace('O', "0"));
                let is_usual = expected.start().file() == 4 && [0, 7].contains(&expected.target().file());
                if is_usual {
                    texts.push(display_uci_move(oracle, mv).to_string());
                }
            } else {
                let uci = expected.to_string();
                let letter = &["", "N", "B", "R", "Q", "K"][oracle.piece_on(mv.from).expect("there is one") as usize];
                texts.push(format!("{letter}{}-{}", &uci[..2], &uci[2..4]) + &uci[4..].to_ascii_uppercase());
                texts.push(format!("{letter}{}x{}", &uci[..2], &uci[2..4]) + &uci[4..].to_ascii_uppercase());
                texts.push(texts[0].replace('=', ""));
            }
            for text in texts {
                for tail in ["", "+", "#", "!?", "+!!"] {
                    let text = format!("{text}{tail}");
                    assert_eq!(board.read_move(text.as_bytes()), Ok(expected), "{oracle}: {text}");
                }
            }
        }
    });
}

/// Any move read from any text is legal, and named by the text.
#[test]
fn texts_of_other_positions_are_legal_moves_or_errors() {
    let mut texts: Vec<String> = Vec::new();
    games(20, |_, oracle, moves| texts.extend(moves.iter().map(|&mv| display_san_move(oracle, mv).to_string())));
    texts.sort();
    texts.dedup();
    let mut counts = [0; 3];
    games(6, |board, oracle, moves| {
        let legal: HashSet<Move> = moves.iter().map(|&mv| translated(oracle, mv)).collect();
        let sans: HashSet<String> = moves.iter().map(|&mv| plain(&display_san_move(oracle, mv).to_string())).collect();
        for text in &texts {
            match board.read_move(text.as_bytes()) {
                Ok(mv) => {
                    assert!(legal.contains(&mv), "{oracle}: {text}");
                    counts[0] += 1;
                }
                Err(error) => {
                    assert!(!sans.contains(&plain(text)), "{oracle}: {text}: {error}");
                    counts[1 + usize::from(error == MoveError::Ambiguous)] += 1;
                }
            }
        }
    });
    assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
}

/// The move without marks of check.
fn plain(san: &str) -> String {
    san.trim_end_matches(['+', '#']).to_owned()
}

#[test]
fn texts_that_are_no_moves() {
    let board = Board::INITIAL;
    for text in [
        "",
        "e",
        "e9",
        "i4",
        "Nf",
        "N",
        "xe4",
        "e4e5e6",
        "Nf3Nf3",
        "e4Q",
        "e4=Q",
        "e8=",
        "Nf3=N",
        "Nf3Q",
        "Nf3x",
        "e4 ",
        "e4+-+-+-+-+-+-+-+-",
        "---",
        "Pe4=Q",
        "O-O-O-O",
        "\u{e9}4",
        "e4\0",
        "Q@e4",
        "12345678",
        "Na1b2c3d4",
    ] {
        let error = board.read_move(text.as_bytes()).expect_err(text);
        assert!([MoveError::NotAMove, MoveError::Illegal].contains(&error), "{text}: {error}");
    }
    // Suffixes of annotators are not part of a move, and other dashes and piece letters are accepted.
    for (text, expected) in [
        ("e4=", "e2e4"),
        ("e4N", "e2e4"),
        ("Nf3N", "g1f3"),
        ("Nf3+-", "g1f3"),
        ("Nf3+/-", "g1f3"),
        ("Nf3++", "g1f3"),
        ("Nf3=+", "g1f3"),
        ("Nf3\u{b1}", "g1f3"),
        ("Nf3!?\u{221e}", "g1f3"),
        ("e2\u{2013}e4", "e2e4"),
        ("Ng1\u{2212}f3", "g1f3"),
        ("\u{2658}f3", "g1f3"),
        ("\u{265e}\u{fe0e}c3", "b1c3"),
        ("\u{2659}e4", "e2e4"),
        ("\u{2014}\u{2014}", "0000"),
    ] {
        assert_eq!(board.read_move(text.as_bytes()).map(|mv| mv.to_string()), Ok(expected.to_owned()), "{text}");
    }
    let promotes: Board = "2r1k3/1P6/8/8/8/8/5P2/4K2R w K - 0 1".parse().expect("it is FEN");
    for (text, expected) in [
        ("b8=N", "b7b8n"),
        ("b8N", "b7b8n"),
        ("b8=Q+-", "b7b8q"),
        ("b8Q=", "b7b8q"),
        ("b8(R)+", "b7b8r"),
        ("bxc8=N+", "b7c8n"),
        ("b\u{d7}c8=\u{2655}+", "b7c8q"),
        ("b7c8q", "b7c8q"),
        ("Rh8N", "h1h8"),
        ("Rh8+N", "h1h8"),
        ("0\u{2013}0", "e1h1"),
        ("O\u{2010}O+-", "e1h1"),
        ("0 - 0", "e1h1"),
    ] {
        assert_eq!(promotes.read_move(text.as_bytes()).map(|mv| mv.to_string()), Ok(expected.to_owned()), "{text}");
    }
    assert_eq!(promotes.read_move(b"b8"), Err(MoveError::Illegal));
    assert_eq!(promotes.read_move(b"Rh8=N"), Err(MoveError::NotAMove));
    assert_eq!(board.read_move(b"O-O"), Err(MoveError::Illegal));
    assert_eq!(board.read_move(b"--"), Ok(Move::NONE));
    let two: Board = "4k3/8/8/8/8/8/8/R3K2R w - - 0 1".parse().expect("it is FEN");
    assert_eq!(two.read_move(b"Rb1").map(|mv| mv.to_string()), Ok("a1b1".to_owned()));
    let three: Board = "4k3/8/8/8/4K3/8/8/R6R w - - 0 1".parse().expect("it is FEN");
    assert_eq!(three.read_move(b"Rd1"), Err(MoveError::Ambiguous));
    // One of the two is pinned.
    let pinned: Board = "4k3/4r3/8/8/4N3/8/N7/4K3 w - - 0 1".parse().expect("it is FEN");
    assert_eq!(pinned.read_move(b"Nc3").map(|mv| mv.to_string()), Ok("a2c3".to_owned()));
}

#[test]
fn fens_that_are_not_quite_right() {
    for (fen, expected) in [
        ("4k3/8/8/8/8/8/8/4K2R w KQkq - 3 9", "4k3/8/8/8/8/8/8/4K2R w K - 3 9"),
        ("4k3/8/8/8/8/8/8/R3KR2 w K - 0 1", "4k3/8/8/8/8/8/8/R3KR2 w F - 0 1"),
        ("4k3/8/8/8/8/8/4K3/7R w K - 0 1", "4k3/8/8/8/8/8/4K3/7R w - - 0 1"),
        ("4k3/8/8/8/8/8/8/r3K2b w KQ - 0 1", "4k3/8/8/8/8/8/8/r3K2b w - - 0 1"),
        ("r2k3r/8/8/8/8/8/8/RR1K2RR w AGha - 0 1", "r2k3r/8/8/8/8/8/8/RR1K2RR w QGkq - 0 1"),
        ("r2k3r/8/8/8/8/8/8/RR1K2RR w KQkq - 0 1", "r2k3r/8/8/8/8/8/8/RR1K2RR w KQkq - 0 1"),
        ("4k3/8/8/8/8/8/8/K6R w KQ - 0 1", "4k3/8/8/8/8/8/8/K6R w K - 0 1"),
        (
            "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq e6 0 2",
            "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 2",
        ),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6; bm exd6;", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"),
        ("8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 2", "8/8/8/K2pP2r/8/8/8/4k3 w - - 0 2"),
        ("4k3/8/8/8/8/8/8/4K3 b - -", "4k3/8/8/8/8/8/8/4K3 b - - 0 1"),
    ] {
        assert_eq!(fen.parse::<Board>().map(|board| board.to_string()), Ok(expected.to_owned()), "{fen}");
    }
    for fen in ["", "8/8/8/8/8/8/8/8 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 70000 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1x"]
    {
        assert!(fen.parse::<Board>().is_err(), "{fen}");
    }
}
