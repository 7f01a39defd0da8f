//! Reading positions and computing what their pieces attack, compared with other crates. `benches/README.md` says how to
//! run it.
//!
//! Everything runs on one core. The positions are those of the embedded sample and those that random legal moves lead to
//! from them, so every crate accepts them; or those of a file, whose name follows the seconds. Every line is a complete FEN.
//! Reading ends with the type that a crate turns a line into. The products are computed from positions already read. Their
//! rival is cozy-chess, in a loop over the pieces of a position; its lookups use PEXT if the whole build does. The results are
//! compared before anything is timed.

#![forbid(unsafe_code)]

use std::hint::black_box;
use std::time::Duration;

use cozy_chess::{BitBoard, Board, Color as CozyColor, Piece as CozyPiece, Square};
use peers::timing::{Rounds, Timing, time_passes};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};
use slider_attacks::Backend;
use slider_attacks::analysis::{ExchangeRules, Side, Threats};
use slider_attacks::moves::{Move, MoveKind, Moves, perft};
use slider_attacks::position::{Color, Piece as OurPiece, Positions};

const SAMPLE: &str = include_str!("../../../tests/data/sample.epd");
/// The number of positions taken from each random game, if it lasts that long.
const MOVES: usize = 30;
/// The number of positions taken from a file.
const MOST: usize = 4_096;

fn main() {
    let seconds = std::env::args().nth(1).map_or(2.0, |text| text.parse().expect("expected a number of seconds"));
    let rounds = Rounds { time: Duration::from_secs_f64(seconds), count: 7 };
    let lines = std::env::args().nth(2).map_or_else(lines, |file| lines_of(&file));
    let text = lines.join("\n");
    println!("{} positions, {:.1} bytes per line\n", lines.len(), text.len() as f64 / lines.len() as f64);

    let readers = readers(&lines, &text);
    let (names, mut runs): (Vec<_>, Vec<_>) = readers.into_iter().unzip();
    let timings = time_passes(runs.len(), rounds, lines.len(), |at| runs[at]());
    println!("| reading | ns per position | median | M positions/s | relative time |\n|---|---|---|---|---|");
    for (name, Timing { fastest, median }) in names.iter().zip(&timings) {
        let relative = fastest / timings[0].fastest;
        println!("| {name} | {fastest:.1} | {median:.1} | {:.2} | {relative:.2} |", 1e3 / fastest);
    }

    let mut positions = Positions::new();
    positions.read_lines(text.as_bytes()).expect("they are well-formed");
    let boards: Vec<Board> = lines.iter().map(|line| line.parse().expect("they are legal")).collect();
    let backends: Vec<Backend> = Backend::available().collect();
    let marked: Vec<String> = backends.iter().map(|backend| format!("`{backend}` |")).collect();
    let lookups = if cfg!(target_feature = "bmi2") { "PEXT" } else { "multiplications" };
    println!(
        "\n| ns per position | {} cozy-chess, {lookups} | best is x times faster | M positions/s |",
        marked.join(" ")
    );
    println!("|---|{}---|---|---|", "---|".repeat(backends.len()));
    let (size, white, positions) = (positions.len(), Color::White, &positions);
    let (mut sets, mut numbers, mut moves) = (vec![0; size], vec![[0; 64]; size], vec![0; size]);
    // The name of each product, its array, the call of a backend, and the function for a board of cozy-chess.
    macro_rules! products {
        ($($name:literal $out:ident = $method:ident($($argument:expr),*), $theirs:expr;)*) => {$(
            let ours = |backend: Backend, out: &mut [_]| backend.$method(positions, $($argument,)* out).unwrap();
            ours(Backend::active(), &mut $out);
            let expected: Vec<_> = boards.iter().map($theirs).collect();
            assert!($out == expected, concat!($name, " differ"));
            let timings = time_passes(backends.len() + 1, rounds, size, |at| match backends.get(at) {
                Some(&backend) => ours(backend, &mut $out),
                None => boards.iter().zip(&mut $out).for_each(|(board, out)| *out = $theirs(board)),
            });
            row($name, &timings);
        )*};
    }
    products! {
        "attack map, one colour" sets = attack_maps(white), |board| map(board, CozyColor::White);
        "attacker counts, one colour" numbers = attacker_counts(white), counts;
        "mobility, all pieces" numbers = mobility(), mobility;
        "checkers, one colour" sets = checkers(white), checkers;
        "pinned, one colour" sets = pinned(white), pinned;
        "x-rays, one colour, through any" sets = xray_attacks(white, Side::Any), xrays;
        "hanging, one colour" sets = hanging(white), hanging;
        "exchanges, one colour" numbers = exchanges(white, ExchangeRules::default()), exchanges;
        "forks, one colour" sets = forks(white), forks;
        "skewers, one colour" sets = skewers(white), skewers;
        "relative pins, one colour" sets = relatively_pinned(white), relatively_pinned;
        "discovered attacks, one colour" sets = discovered(white), discovered;
        "batteries, one colour" sets = batteries(white), batteries;
        "overloaded, one colour" sets = overloaded(white), overloaded;
        "winning captures, one colour" sets = winning_captures(white, ExchangeRules::default()), winning_captures;
        "passed pawns, one colour" sets = passed_pawns(white), passed_pawns;
        "isolated pawns, one colour" sets = isolated_pawns(white), isolated_pawns;
        "doubled pawns, one colour" sets = doubled_pawns(white), doubled_pawns;
        "backward pawns, one colour" sets = backward_pawns(white), backward_pawns;
        "outposts, one colour" sets = outposts(white), outposts;
        "king ring, one colour" sets = king_ring(white), king_ring;
        "safe checks, one colour" sets = safe_checks(white), safe_checks;
        "trapped, one colour" sets = trapped(white, ExchangeRules::default()), trapped;
        "safe mobility, all pieces" numbers = safe_mobility(ExchangeRules::default()), safe_mobility;
        "legal moves" moves = legal_moves(), legal_moves;
    }

    let (mut moves, mut theirs, mut list) = (Moves::new(), Vec::new(), Vec::new());
    Backend::active().moves(positions, &mut moves);
    list_moves(&boards, &mut theirs);
    assert!(moves.as_slice() == theirs, "moves differ");
    let timings = time_passes(backends.len() + 1, rounds, size, |at| match backends.get(at) {
        Some(backend) => backend.moves(positions, &mut moves),
        None => boards.iter().for_each(|board| plain_list(board, &mut list)),
    });
    row(&format!("legal moves as lists, {:.1} each", theirs.len() as f64 / size as f64), &timings);
    let games: Vec<Chess> = lines.iter().filter_map(|line| game_of(line)).collect();
    let timings = time_passes(backends.len() + 1, rounds, size, |at| match backends.get(at) {
        Some(backend) => backend.moves(positions, &mut moves),
        None => games.iter().for_each(|game| {
            black_box(game.legal_moves());
        }),
    });
    row("the same, but the rival is shakmaty", &timings);
    let tests: [(&str, ListMoves, BoardTest); 2] = [
        (
            "moves that give check",
            |backend, positions, out| backend.checking_moves(positions, out),
            |after| !after.checkers().is_empty(),
        ),
        (
            "moves that give checkmate",
            |backend, positions, out| backend.mating_moves(positions, out),
            |after| !after.checkers().is_empty() && !after.generate_moves(|_| true),
        ),
    ];
    for (name, ours, test) in tests {
        ours(Backend::active(), positions, &mut moves);
        let mut count = 0;
        let timings = time_passes(backends.len() + 1, rounds, size, |at| match backends.get(at) {
            Some(&backend) => ours(backend, positions, &mut moves),
            None => count = boards.iter().map(|board| count_moves(board, test)).sum(),
        });
        assert_eq!(moves.as_slice().len(), count, "{name} differ");
        row(&format!("{name}, {:.2} each", count as f64 / size as f64), &timings);
    }

    let (mut threats, mut all_threats) = (Threats::new(), Vec::new());
    Backend::active().threats(positions, &[white], Side::Enemy, &mut threats);
    list_threats(&boards, &mut all_threats);
    assert_eq!(threats.as_slice().len(), all_threats.len(), "threats differ");
    let timings = time_passes(backends.len() + 1, rounds, size, |at| match backends.get(at) {
        Some(backend) => backend.threats(positions, &[white], Side::Enemy, &mut threats),
        None => list_threats(&boards, &mut all_threats),
    });
    row("threats, one colour", &timings);

    // Batches as searches have them, whose results stay in the cache.
    let (some, some_boards) = (positions.slice(0..BATCH), &boards[..BATCH]);
    let (mut lists, mut after) = (Moves::new(), Positions::new());
    Backend::active().moves(some, &mut lists);
    let their_lists: Vec<_> = some_boards.iter().map(sorted_moves).collect();
    let mut their_after = Vec::new();
    Backend::active().after(some, &lists, &mut after).expect("the moves are legal");
    play_all(some_boards, &their_lists, &mut their_after);
    assert!(their_after.iter().map(|board| board.occupied().0).eq(after.occupancies().iter().copied()), "they differ");
    let timings = time_passes(backends.len() + 1, rounds, after.len(), |at| match backends.get(at) {
        Some(backend) => backend.after(some, &lists, &mut after).expect("the moves are legal"),
        None => play_all(some_boards, &their_lists, &mut their_after),
    });
    row("a position after a move", &timings);

    for (fen, depth) in PERFT {
        let (position, board) = (fen.parse().expect("it is FEN"), fen.parse().expect("it is FEN"));
        let leaves = perft(Backend::active(), position, depth);
        assert_eq!(leaves, count_leaves(&board, depth), "perft differs");
        let timings = time_passes(backends.len() + 1, rounds, leaves as usize, |at| match backends.get(at) {
            Some(&backend) => assert_eq!(perft(backend, position, depth), leaves),
            None => assert_eq!(count_leaves(&board, depth), leaves),
        });
        row(&format!("a leaf of perft {depth} of `{fen}`"), &timings);
    }
}

/// Whether a board after a move is looked for.
type BoardTest = fn(&Board) -> bool;

/// Lists some of the moves.
type ListMoves = fn(Backend, &Positions, &mut Moves);

/// How many moves lead to a position like this.
fn count_moves(board: &Board, test: fn(&Board) -> bool) -> usize {
    let mut count = 0;
    board.generate_moves(|moves| {
        count += moves
            .into_iter()
            .filter(|&mv| {
                let mut after = board.clone();
                after.play_unchecked(mv);
                test(&after)
            })
            .count();
        false
    });
    count
}

/// The positions whose moves are made at once.
const BATCH: usize = 64;

/// Positions to count games from, and of how many half moves.
const PERFT: [(&str, u8); 2] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 6),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 5),
];

/// The legal moves in the order of this library.
fn sorted_moves(board: &Board) -> Vec<cozy_chess::Move> {
    let mut moves = Vec::new();
    board.generate_moves(|some| {
        moves.extend(some);
        false
    });
    moves.sort_by_key(|mv| (mv.from as u8, mv.to as u8, mv.promotion.map(|piece| piece as u8)));
    moves
}

fn play_all(boards: &[Board], lists: &[Vec<cozy_chess::Move>], after: &mut Vec<Board>) {
    after.clear();
    for (board, moves) in boards.iter().zip(lists) {
        for &mv in moves {
            let mut board = board.clone();
            board.play_unchecked(mv);
            after.push(board);
        }
    }
}

/// Counts the leaves, without making the last moves.
fn count_leaves(board: &Board, depth: u8) -> u64 {
    let mut count = 0;
    board.generate_moves(|moves| {
        if depth == 1 {
            count += moves.len() as u64;
        } else {
            for mv in moves {
                let mut after = board.clone();
                after.play_unchecked(mv);
                count += count_leaves(&after, depth - 1);
            }
        }
        false
    });
    count
}

/// Prints the times of the backends, and of cozy-chess, which come last.
fn row(name: &str, timings: &[Timing]) {
    let times: Vec<String> = timings.iter().map(|timing| format!("{:.2} |", timing.fastest)).collect();
    let (theirs, ours) = timings.split_last().expect("there are contestants");
    let best = ours.iter().map(|timing| timing.fastest).fold(f64::INFINITY, f64::min);
    println!("| {name} | {} {:.1} | {:.0} |", times.join(" "), theirs.fastest / best, 1e3 / best);
}

/// Complete FENs of the sample and of random games from its positions; the same in every run.
fn lines() -> Vec<String> {
    let mut state = 0_u64;
    let mut lines = Vec::new();
    for line in SAMPLE.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(' ').take(4).collect();
        let Some(mut game) = game_of(&format!("{} 0 1", fields.join(" "))) else { continue };
        for _ in 0..MOVES {
            let fen = Fen::from_position(&game, EnPassantMode::Always).to_string();
            if fen.parse::<Board>().is_ok() {
                lines.push(fen);
            }
            let moves = game.legal_moves();
            if moves.is_empty() {
                break;
            }
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            game.play_unchecked(moves[(state >> 33) as usize % moves.len()]);
        }
    }
    lines
}

/// The lines of a file that cozy-chess and shakmaty take for positions, at most as many as stay in the cache.
fn lines_of(file: &str) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let (mut lines, mut skipped) = (Vec::new(), 0);
    for line in text.lines() {
        if lines.len() == MOST {
            break;
        }
        if line.parse::<Board>().is_ok() && game_of(line).is_some() {
            lines.push(line.to_owned());
        } else {
            skipped += 1;
        }
    }
    assert!(!lines.is_empty(), "{file}: no line is a complete FEN that cozy-chess and shakmaty take");
    println!("{file}: {skipped} lines skipped");
    lines
}

/// The position of shakmaty, if it takes it for one.
fn game_of(fen: &str) -> Option<Chess> {
    let fen: Fen = fen.parse().ok()?;
    fen.into_position(CastlingMode::Standard).ok()
}

type Reader<'a> = (String, Read<'a>);

/// Reads all lines.
type Read<'a> = Box<dyn FnMut() + 'a>;

/// The calls of this library with one backend.
fn calls<'a>(backend: Backend, lines: &'a [String], text: &'a str) -> [Reader<'a>; 4] {
    let ours = |call: &str, read: fn(Backend, &[String], &str, &mut Positions)| {
        let mut positions = Positions::new();
        let run = move || {
            positions.clear();
            read(backend, lines, black_box(text), &mut positions);
            assert_eq!(positions.len(), lines.len());
        };
        (format!("**slider-attacks**, `{call}`, `{backend}`"), Box::new(run) as Box<dyn FnMut() + 'a>)
    };
    [
        ours("read_lines", |backend, _, text, positions| {
            backend.read_lines(text.as_bytes(), positions).expect("they are well-formed");
        }),
        ours("push_lines", |backend, _, text, positions| {
            backend.push_lines(text.as_bytes(), usize::MAX, positions);
        }),
        ours("push_fens", |backend, lines, _, positions| {
            backend.push_fens(lines.iter().map(String::as_bytes), positions).expect("they are well-formed");
        }),
        ours("push_fens_in", |backend, lines, text, positions| {
            let mut next = 0;
            let parts = lines.iter().map(|line| {
                let start = next;
                next += line.len() + 1;
                start..start + line.len()
            });
            backend.push_fens_in(text.as_bytes(), parts, positions).expect("they are well-formed");
        }),
    ]
}

/// All readers, over the same lines: the calls of this library with the backend that it chooses, and without vectors; then
/// crates. Most of these keep only the last position.
fn readers<'a>(lines: &'a [String], text: &'a str) -> Vec<Reader<'a>> {
    fn each<'a, T>(lines: &'a [String], read: impl Fn(&'a str) -> T + 'a) -> Read<'a> {
        Box::new(move || lines.iter().for_each(|line| drop(black_box(read(line)))))
    }
    let mut one_by_one = Positions::new();
    let push_fen = move || {
        one_by_one.clear();
        lines.iter().for_each(|line| one_by_one.push_fen(line.as_bytes()).expect("they are well-formed"));
    };
    let with_score: &[String] = lines.iter().map(|line| format!("{line} | 0 | 0.5")).collect::<Vec<_>>().leak();
    let bulletformat = each(with_score, |line| line.parse::<bulletformat::ChessBoard>().unwrap());
    let sfbinpack = each(lines, |line| sfbinpack::chess::position::Position::from_fen(line).unwrap());
    let mut backends = vec![Backend::active(), Backend::scalar()];
    backends.dedup();
    let mut readers: Vec<Reader<'a>> = backends.into_iter().flat_map(|backend| calls(backend, lines, text)).collect();
    let others: [(&str, Read<'a>); 8] = [
        ("**slider-attacks**, `push_fen`", Box::new(push_fen)),
        ("shakmaty 0.30.1, `Fen`", each(lines, |line| Fen::from_ascii(line.as_bytes()).unwrap())),
        ("cozy-chess 0.3.4, `Board`", each(lines, |line| Board::from_fen(line, false).unwrap())),
        ("chess 3.2.0, `BoardBuilder`", each(lines, |line| line.parse::<chess::BoardBuilder>().unwrap())),
        ("laura_core 0.5.0, `Board`", each(lines, |line| line.parse::<laura_core::Board>().unwrap())),
        ("timecat 1.53.0, `ChessPosition`", each(lines, |line| timecat::ChessPosition::from_fen(line).unwrap())),
        ("bulletformat 1.8.0, `ChessBoard`", bulletformat),
        ("sfbinpack 0.6.5, `Position`", sfbinpack),
    ];
    readers.extend(others.map(|(name, run)| (name.to_owned(), run)));
    readers
}

fn attacks(piece: CozyPiece, color: CozyColor, square: Square, occupied: BitBoard) -> BitBoard {
    match piece {
        CozyPiece::Pawn => cozy_chess::get_pawn_attacks(square, color),
        CozyPiece::Knight => cozy_chess::get_knight_moves(square),
        CozyPiece::Bishop => cozy_chess::get_bishop_moves(square, occupied),
        CozyPiece::Rook => cozy_chess::get_rook_moves(square, occupied),
        CozyPiece::Queen => {
            cozy_chess::get_bishop_moves(square, occupied) | cozy_chess::get_rook_moves(square, occupied)
        }
        CozyPiece::King => cozy_chess::get_king_moves(square),
    }
}

/// Calls `act` with every piece of a colour, its square, and the squares that it attacks.
#[inline(always)]
fn for_each_piece(board: &Board, color: CozyColor, mut act: impl FnMut(CozyPiece, Square, BitBoard)) {
    let occupied = board.occupied();
    for piece in CozyPiece::ALL {
        for square in board.colored_pieces(color, piece) {
            act(piece, square, attacks(piece, color, square, occupied));
        }
    }
}

fn map(board: &Board, color: CozyColor) -> u64 {
    let mut map = BitBoard::EMPTY;
    for_each_piece(board, color, |_, _, attacks| map |= attacks);
    map.0
}

fn counts(board: &Board) -> [u8; 64] {
    let mut counts = [0; 64];
    for_each_piece(board, CozyColor::White, |_, _, attacks| {
        attacks.into_iter().for_each(|square| counts[square as usize] += 1)
    });
    counts
}

fn mobility(board: &Board) -> [u8; 64] {
    let mut mobility = [0; 64];
    for color in CozyColor::ALL {
        let own = board.colors(color);
        for_each_piece(board, color, |_, square, attacks| mobility[square as usize] = (attacks - own).len() as u8);
    }
    mobility
}

/// The crate keeps the checkers of the side to move. These are white's in every position.
fn checkers(board: &Board) -> u64 {
    let (king, occupied) = (board.king(CozyColor::White), board.occupied());
    let mut checkers = BitBoard::EMPTY;
    for piece in CozyPiece::ALL {
        checkers |= attacks(piece, CozyColor::White, king, occupied) & board.colored_pieces(CozyColor::Black, piece);
    }
    checkers.0
}

fn pinned(board: &Board) -> u64 {
    let (king, black) = (board.king(CozyColor::White), board.colors(CozyColor::Black));
    let queens = board.pieces(CozyPiece::Queen);
    let rooks = cozy_chess::get_rook_rays(king) & (board.pieces(CozyPiece::Rook) | queens);
    let bishops = cozy_chess::get_bishop_rays(king) & (board.pieces(CozyPiece::Bishop) | queens);
    let mut pinned = BitBoard::EMPTY;
    for slider in (rooks | bishops) & black {
        let between = cozy_chess::get_between_rays(king, slider) & board.occupied();
        if between.len() == 1 {
            pinned |= between & board.colors(CozyColor::White);
        }
    }
    pinned.0
}

fn xrays(board: &Board) -> u64 {
    let occupied = board.occupied();
    let mut xrays = BitBoard::EMPTY;
    for_each_piece(board, CozyColor::White, |piece, square, direct| {
        if matches!(piece, CozyPiece::Bishop | CozyPiece::Rook | CozyPiece::Queen) {
            xrays |= attacks(piece, CozyColor::White, square, occupied - direct) - direct;
        }
    });
    xrays.0
}

fn hanging(board: &Board) -> u64 {
    let loose = board.colors(CozyColor::White).0 & map(board, CozyColor::Black) & !map(board, CozyColor::White);
    loose & !board.pieces(CozyPiece::King).0
}

/// What pieces are worth in tactics.
fn worth(piece: CozyPiece) -> u8 {
    [0, 1, 1, 2, 3, 4][piece as usize]
}

/// For each kind of white piece, the black pieces that are worth more or undefended.
fn targets(board: &Board) -> [BitBoard; 6] {
    let loose = BitBoard(board.colors(CozyColor::Black).0 & !map(board, CozyColor::Black));
    let more = |than: CozyPiece| {
        let more = CozyPiece::ALL.into_iter().filter(|&piece| worth(piece) > worth(than));
        more.fold(BitBoard::EMPTY, |all, piece| all | board.colored_pieces(CozyColor::Black, piece))
    };
    CozyPiece::ALL.map(|than| more(than) | (loose - board.pieces(CozyPiece::King)))
}

fn forks(board: &Board) -> u64 {
    let targets = targets(board);
    let mut forks = BitBoard::EMPTY;
    for_each_piece(board, CozyColor::White, |piece, square, attacks| {
        if (attacks & targets[piece as usize]).len() >= 2 {
            forks |= square.bitboard();
        }
    });
    forks.0
}

/// Calls `act` with each slider of a colour, each piece of `fronts` that it attacks, and what it sees behind that one.
#[inline(always)]
fn for_each_line(board: &Board, color: CozyColor, fronts: BitBoard, mut act: impl FnMut(CozyPiece, Square, BitBoard)) {
    let occupied = board.occupied();
    for_each_piece(board, color, |piece, square, seen| {
        if matches!(piece, CozyPiece::Bishop | CozyPiece::Rook | CozyPiece::Queen) {
            for front in seen & fronts {
                act(piece, front, attacks(piece, color, square, occupied - front.bitboard()) - seen);
            }
        }
    });
}

fn skewers(board: &Board) -> u64 {
    let (black, mut skewers) = (board.colors(CozyColor::Black), BitBoard::EMPTY);
    for_each_line(board, CozyColor::White, black, |_, front, behind| {
        let of = |square| worth(board.piece_on(square).expect("a piece stands there"));
        if (behind & black).into_iter().any(|behind| of(behind) <= of(front)) {
            skewers |= front.bitboard();
        }
    });
    skewers.0
}

fn relatively_pinned(board: &Board) -> u64 {
    let (white, mut pinned) = (board.colors(CozyColor::White), BitBoard::EMPTY);
    for_each_line(board, CozyColor::Black, white, |_, front, behind| {
        let of = |square| worth(board.piece_on(square).expect("a piece stands there"));
        if ((behind & white) - board.pieces(CozyPiece::King)).into_iter().any(|behind| of(behind) > of(front)) {
            pinned |= front.bitboard();
        }
    });
    pinned.0
}

fn discovered(board: &Board) -> u64 {
    let (targets, mut discovered) = (targets(board), BitBoard::EMPTY);
    for_each_line(board, CozyColor::White, board.colors(CozyColor::White), |slider, front, behind| {
        if !(behind & targets[slider as usize]).is_empty() {
            discovered |= front.bitboard();
        }
    });
    discovered.0
}

fn batteries(board: &Board) -> u64 {
    let pieces = |piece| board.colored_pieces(CozyColor::White, piece);
    let queens = pieces(CozyPiece::Queen);
    let (orthogonal, diagonal) = (pieces(CozyPiece::Rook) | queens, pieces(CozyPiece::Bishop) | queens);
    let mut batteries = BitBoard::EMPTY;
    for square in orthogonal {
        batteries |= cozy_chess::get_rook_moves(square, board.occupied()) & orthogonal;
    }
    for square in diagonal {
        batteries |= cozy_chess::get_bishop_moves(square, board.occupied()) & diagonal;
    }
    batteries.0
}

fn overloaded(board: &Board) -> u64 {
    let white = board.colors(CozyColor::White);
    let attacked = (BitBoard(map(board, CozyColor::Black)) & white) - board.pieces(CozyPiece::King);
    let (men, mut once, mut twice) = (Men::new(board), BitBoard::EMPTY, BitBoard::EMPTY);
    for square in attacked {
        let defenders = attackers(&men, square, board.occupied()) & white;
        if defenders.len() == 1 {
            twice |= once & defenders;
            once |= defenders;
        }
    }
    twice.0
}

/// The pieces of a board. Some may have moved.
#[derive(Clone, Copy)]
struct Men {
    kinds: [BitBoard; 6],
    colors: [BitBoard; 2],
}

impl Men {
    fn new(board: &Board) -> Men {
        Men {
            kinds: CozyPiece::ALL.map(|kind| board.pieces(kind)),
            colors: CozyColor::ALL.map(|color| board.colors(color)),
        }
    }

    fn occupied(&self) -> BitBoard {
        self.colors[0] | self.colors[1]
    }

    /// Takes a piece off the board.
    fn take(&mut self, square: Square) -> Option<CozyPiece> {
        let kind = CozyPiece::ALL.into_iter().find(|&kind| self.kinds[kind as usize].has(square))?;
        self.kinds[kind as usize] -= square.bitboard();
        self.colors = self.colors.map(|of| of - square.bitboard());
        Some(kind)
    }
}

/// What White gains by the capture of each piece that it attacks.
fn exchanges(board: &Board) -> [u8; 64] {
    let (men, mut gains) = (Men::new(board), [0; 64]);
    let victims = board.colors(CozyColor::Black) - board.pieces(CozyPiece::King);
    for square in BitBoard(map(board, CozyColor::White)) & victims {
        let victim = board.piece_on(square).expect("a victim stands there");
        gains[square as usize] = swap(&men, square, victim, CozyColor::White) as u8;
    }
    gains
}

fn winning_captures(board: &Board) -> u64 {
    let gains = exchanges(board);
    Square::ALL
        .into_iter()
        .filter(|&square| gains[square as usize] > 0)
        .fold(0, |wins, square| wins | square.bitboard().0)
}

const VALUES: [i32; 6] = [1, 3, 3, 5, 9, 0];

/// The swap algorithm in its usual form: captures until no attacker is left, then the choices backwards. `side` begins.
fn swap(men: &Men, square: Square, victim: CozyPiece, mut side: CozyColor) -> i32 {
    let is_last = matches!(square.rank(), cozy_chess::Rank::First | cozy_chess::Rank::Eighth);
    let mut occupied = men.occupied();
    let mut worth = VALUES[victim as usize];
    let (mut gains, mut count) = ([0; 64], 0);
    let mut attackers = attackers(men, square, occupied);
    let least = |attackers: BitBoard, side: CozyColor| {
        let attackers = attackers & men.colors[side as usize];
        CozyPiece::ALL.into_iter().find(|&kind| !(attackers & men.kinds[kind as usize]).is_empty())
    };
    while let Some(piece) = least(attackers, side) {
        let from = attackers & men.colors[side as usize] & men.kinds[piece as usize];
        occupied -= from.next_square().expect("one was found").bitboard();
        attackers = self::attackers(men, square, occupied);
        if piece == CozyPiece::King && !(attackers & men.colors[!side as usize]).is_empty() {
            break;
        }
        let promotes = piece == CozyPiece::Pawn && is_last;
        gains[count] = worth + if promotes { 8 } else { 0 };
        worth = if promotes { 9 } else { VALUES[piece as usize] };
        count += 1;
        side = !side;
    }
    gains[..count].iter().rev().fold(0, |lost, gain| (gain - lost).max(0))
}

/// Whether a piece is not lost after a move.
fn is_safe(men: &Men, color: CozyColor, piece: CozyPiece, from: Square, to: Square) -> bool {
    let mut after = *men;
    let captured = after.take(to).map_or(0, |kind| VALUES[kind as usize]);
    after.take(from);
    after.kinds[piece as usize] |= to.bitboard();
    after.colors[color as usize] |= to.bitboard();
    swap(&after, to, piece, !color) <= captured
}

/// Calls `act` with each piece of a colour other than pawns and the king, and where it may go.
fn for_each_mover(board: &Board, color: CozyColor, mut act: impl FnMut(CozyPiece, Square, BitBoard)) {
    let barred = board.colors(color) | board.king(!color).bitboard();
    for_each_piece(board, color, |piece, from, reached| {
        if !matches!(piece, CozyPiece::Pawn | CozyPiece::King) {
            act(piece, from, reached - barred);
        }
    });
}

fn trapped(board: &Board) -> u64 {
    let (men, attacked) = (Men::new(board), BitBoard(map(board, CozyColor::Black)));
    let mut trapped = BitBoard::EMPTY;
    for_each_mover(board, CozyColor::White, |piece, from, reached| {
        let is_lost = attacked.has(from) && swap(&men, from, piece, CozyColor::Black) > 0;
        if is_lost && !reached.into_iter().any(|to| is_safe(&men, CozyColor::White, piece, from, to)) {
            trapped |= from.bitboard();
        }
    });
    trapped.0
}

fn safe_mobility(board: &Board) -> [u8; 64] {
    let (men, mut safe) = (Men::new(board), [0; 64]);
    for color in CozyColor::ALL {
        for_each_mover(board, color, |piece, from, reached| {
            let count = reached.into_iter().filter(|&to| is_safe(&men, color, piece, from, to)).count();
            safe[from as usize] = count as u8;
        });
    }
    safe
}

fn attackers(men: &Men, square: Square, occupied: BitBoard) -> BitBoard {
    let [pawns, knights, bishops, rooks, queens, kings] = men.kinds;
    let by_pawns = |color: CozyColor| cozy_chess::get_pawn_attacks(square, !color) & pawns & men.colors[color as usize];
    let found = by_pawns(CozyColor::White)
        | by_pawns(CozyColor::Black)
        | cozy_chess::get_knight_moves(square) & knights
        | cozy_chess::get_king_moves(square) & kings
        | cozy_chess::get_bishop_moves(square, occupied) & (bishops | queens)
        | cozy_chess::get_rook_moves(square, occupied) & (rooks | queens);
    found & occupied
}

/// For each square: the squares in front of a white pawn there on its file, and on the files next to it.
static FRONTS: [[u64; 2]; 64] = {
    let mut fronts = [[0; 2]; 64];
    let mut square = 0;
    while square < 64 {
        let file = 0x0101_0101_0101_0101_u64 << (square % 8);
        let above = if square < 56 { !0 << (square / 8 * 8 + 8) } else { 0 };
        fronts[square] = [file & above, beside(file) & above];
        square += 1;
    }
    fronts
};

/// The files next to a file.
const fn beside(file: u64) -> u64 {
    (file & !0x8080_8080_8080_8080) << 1 | (file & !0x0101_0101_0101_0101) >> 1
}

/// White's pawns for which this holds, as the plain loop has it: with White's pawns, and Black's.
#[inline(always)]
fn pawns_that(board: &Board, holds: impl Fn(Square, u64, u64) -> bool) -> u64 {
    let [white, black] = CozyColor::ALL.map(|color| board.colored_pieces(color, CozyPiece::Pawn));
    white.into_iter().filter(|&pawn| holds(pawn, white.0, black.0)).fold(0, |all, pawn| all | pawn.bitboard().0)
}

fn passed_pawns(board: &Board) -> u64 {
    pawns_that(board, |pawn, _, black| {
        let [ahead, beside] = FRONTS[pawn as usize];
        black & (ahead | beside) == 0
    })
}

fn isolated_pawns(board: &Board) -> u64 {
    pawns_that(board, |pawn, white, _| white & beside(pawn.file().bitboard().0) == 0)
}

fn doubled_pawns(board: &Board) -> u64 {
    pawns_that(board, |pawn, white, _| white & pawn.file().bitboard().0 != pawn.bitboard().0)
}

/// White's pawns that attack the square, now or once they have advanced, are on the files next to it and below.
fn is_attacked_later(square: Square, pawns: u64, below: u64) -> bool {
    pawns & below & beside(square.file().bitboard().0) != 0
}

fn backward_pawns(board: &Board) -> u64 {
    pawns_that(board, |pawn, white, black| {
        let stop = Square::index(pawn as usize + 8);
        let attacked = cozy_chess::get_pawn_attacks(stop, CozyColor::White).0 & black != 0;
        attacked && !is_attacked_later(stop, white, (1 << (stop as usize / 8 * 8)) - 1)
    })
}

fn outposts(board: &Board) -> u64 {
    let [white, black] = CozyColor::ALL.map(|color| board.colored_pieces(color, CozyPiece::Pawn));
    let defended =
        white.into_iter().fold(BitBoard::EMPTY, |all, pawn| all | cozy_chess::get_pawn_attacks(pawn, CozyColor::White));
    let squares = BitBoard(defended.0 & 0x0000_ffff_ff00_0000);
    let stays = |square: &Square| !is_attacked_later(*square, black.0, FRONTS[*square as usize][1]);
    squares.into_iter().filter(stays).fold(0, |all, square| all | square.bitboard().0)
}

fn king_ring(board: &Board) -> u64 {
    let king = board.king(CozyColor::White);
    let ring = cozy_chess::get_king_moves(king) | king.bitboard();
    let mut found = 0;
    for_each_piece(board, CozyColor::Black, |_, square, attacks| {
        if !(attacks & ring).is_empty() {
            found |= square.bitboard().0;
        }
    });
    found
}

fn safe_checks(board: &Board) -> u64 {
    let (king, occupied) = (board.king(CozyColor::Black), board.occupied());
    let enemies = CozyPiece::ALL.map(|piece| board.colored_pieces(CozyColor::Black, piece));
    let is_attacked = |square: Square, occupied: BitBoard| {
        let seen = |piece| attacks(piece, CozyColor::White, square, occupied);
        CozyPiece::ALL.iter().zip(enemies).any(|(&piece, enemies)| !(seen(piece) & enemies).is_empty())
    };
    let mut found = BitBoard::EMPTY;
    for_each_piece(board, CozyColor::White, |piece, from, reached| {
        if !matches!(piece, CozyPiece::Pawn | CozyPiece::King) {
            let left = occupied - from.bitboard();
            let checks = (reached & attacks(piece, CozyColor::White, king, left)) - board.colors(CozyColor::White);
            for to in checks {
                if !is_attacked(to, left) {
                    found |= to.bitboard();
                }
            }
        }
    });
    found.0
}

/// cozy-chess lists moves as a set of squares for each piece; a pawn that promotes has four.
fn legal_moves(board: &Board) -> u16 {
    let mut count = 0;
    board.generate_moves(|moves| {
        count += moves.len() as u16;
        false
    });
    count
}

/// The moves of one board, in the memory of the last ones, as a program would take them that needs no others.
fn plain_list(board: &Board, moves: &mut Vec<cozy_chess::Move>) {
    moves.clear();
    board.generate_moves(|some| {
        moves.extend(some);
        false
    });
    black_box(moves);
}

/// The moves of cozy-chess in the order and with the bits of this library.
fn list_moves(boards: &[Board], all: &mut Vec<Move>) {
    all.clear();
    for board in boards {
        let before = all.len();
        let own = board.colors(board.side_to_move());
        board.generate_moves(|moves| {
            all.extend(moves.into_iter().map(|mv| {
                let (from, to) =
                    (slider_attacks::Square::ALL[mv.from as usize], slider_attacks::Square::ALL[mv.to as usize]);
                let kind = if own.has(mv.to) {
                    MoveKind::Castling
                } else if moves.piece == CozyPiece::Pawn
                    && mv.from.file() != mv.to.file()
                    && !board.occupied().has(mv.to)
                {
                    MoveKind::EnPassant
                } else {
                    MoveKind::Normal
                };
                mv.promotion
                    .map_or(Move::new(from, to, kind), |piece| Move::promotion(from, to, OurPiece::ALL[piece as usize]))
            }));
            false
        });
        all[before..].sort_unstable_by_key(|mv| (mv.start(), mv.target(), mv.bits()));
    }
}

fn list_threats(boards: &[Board], threats: &mut Vec<(CozyPiece, Square, Square, CozyPiece)>) {
    threats.clear();
    for board in boards {
        let victims = board.colors(CozyColor::Black);
        for_each_piece(board, CozyColor::White, |attacker, from, attacks| {
            for to in attacks & victims {
                threats.push((attacker, from, to, board.piece_on(to).expect("a victim stands there")));
            }
        });
    }
}
