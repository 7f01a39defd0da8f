//! Keys of positions, compared with texts that are the same for positions that count as equal.

use std::collections::HashMap;

use crate::analysis::{Board, Man, positions_to_move, rounds};
use crate::common::{self, Random};
use slider_attacks::analysis::KeyKind;
use slider_attacks::flip::square;
use slider_attacks::position::{Castling, Color, Piece, Positions};
use slider_attacks::{Backend, BatchError, Square};

/// All that a key may depend on.
#[derive(Clone)]
struct Facts {
    men: Vec<Man>,
    color: Color,
    rooks: Vec<Square>,
    /// If a capture there is legal.
    passed: Option<Square>,
}

type Symmetry = fn(Square) -> Square;

/// All eight; the first two of them leave pawns on their files.
const SYMMETRIES: [Symmetry; 8] = [
    |square| square,
    square::mirror_horizontal,
    square::flip_vertical,
    square::rotate_180,
    square::flip_diagonal,
    square::flip_anti_diagonal,
    square::rotate_90_clockwise,
    square::rotate_90_anti_clockwise,
];

impl Facts {
    fn new(positions: &Positions, index: usize) -> Facts {
        let (board, color) = (Board::new(positions, index), positions.side_to_move()[index]);
        let (castling, passed) = (positions.castling()[index], positions.en_passant()[index]);
        let count = |passed| board.legal_moves(color, Castling::NONE, passed);
        let passed = passed.filter(|_| count(passed) > count(None));
        let rooks = Color::ALL.into_iter().flat_map(|color| board.castling_rooks(color, castling)).flatten().collect();
        Facts { men: board.men, color, rooks, passed }
    }

    /// The same for equal positions.
    fn text(&self) -> String {
        let mut board = ['.'; 64];
        for &(square, color, piece) in &self.men {
            board[usize::from(square.index())] = piece.letter(color);
        }
        for &rook in &self.rooks {
            board[usize::from(rook.index())] = if board[usize::from(rook.index())] == 'R' { 'C' } else { 'c' };
        }
        if let Some(passed) = self.passed {
            board[usize::from(passed.index())] = '*';
        }
        board.iter().chain(&[self.color.name().chars().next().unwrap()]).collect()
    }

    fn image(&self, symmetry: Symmetry, swaps: bool) -> Facts {
        let color = |color: Color| if swaps { color.other() } else { color };
        Facts {
            men: self.men.iter().map(|man| (symmetry(man.0), color(man.1), man.2)).collect(),
            color: color(self.color),
            rooks: self.rooks.iter().map(|&rook| symmetry(rook)).collect(),
            passed: self.passed.map(symmetry),
        }
    }

    fn images(&self) -> Vec<Facts> {
        let has_pawns = self.men.iter().any(|man| man.2 == Piece::Pawn);
        let both = |symmetry| [self.image(symmetry, false), self.image(symmetry, true)];
        match (has_pawns, self.rooks.is_empty()) {
            (_, false) => vec![self.clone(), self.image(square::flip_vertical, true)],
            (true, true) => vec![
                self.clone(),
                self.image(square::flip_vertical, true),
                self.image(square::mirror_horizontal, false),
                self.image(square::rotate_180, true),
            ],
            (false, true) => SYMMETRIES.into_iter().flat_map(both).collect(),
        }
    }

    /// The same for a position and its images.
    fn canonical_text(&self) -> String {
        self.images().iter().map(Facts::text).min().unwrap()
    }

    fn push(&self, positions: &mut Positions) {
        let mut pieces = [[0; 6]; 2];
        for &(square, color, piece) in &self.men {
            pieces[color as usize][piece as usize] |= square.bitboard();
        }
        let rooks = self.rooks.iter().fold(0, |all, rook| all | rook.bitboard());
        positions.push_boards(pieces, self.color, Castling::from_rooks(rooks), self.passed).unwrap();
    }
}

/// Positions, many of them equal or images of each other.
fn related() -> Positions {
    let mut all = positions_to_move();
    let mut random = Random(44);
    let len = all.len();
    for index in 0..len {
        let position = all.get(index).unwrap();
        let fen = position.to_string();
        let fields: Vec<&str> = fen.split(' ').collect();
        let rights = ["-", "KQkq", "HAha", "Kq", fields[2]][random.below(5)];
        let passed = ["-", fields[3]][random.below(2)];
        all.push_fen(format!("{} {} {rights} {passed}", fields[0], fields[1])).unwrap();
        let images = Facts::new(&all, index).images();
        images[random.below(images.len())].push(&mut all);
    }
    // Without pawns.
    for _ in 0..rounds(3_000) {
        let mut squares = Square::ALL.to_vec();
        let kings = Color::ALL.map(|color| (color, Piece::King));
        let others = (0..random.below(4)).map(|_| (Color::ALL[random.below(2)], Piece::ALL[1 + random.below(4)]));
        let men = kings.into_iter().chain(others.collect::<Vec<_>>());
        let men = men.map(|(color, piece)| (squares.swap_remove(random.below(squares.len())), color, piece)).collect();
        let color = Color::ALL[random.below(2)];
        let facts = Facts { men, color, rooks: Vec::new(), passed: None };
        facts.push(&mut all);
        for image in facts.images().iter().skip(random.below(16)) {
            image.push(&mut all);
        }
    }
    all
}

fn keys(backend: Backend, positions: &Positions, kind: KeyKind) -> Vec<u64> {
    let mut keys = vec![0; positions.len()];
    backend.keys(positions, kind, &mut keys).unwrap();
    keys
}

/// The same text, and nothing else, has the same key.
#[test]
fn equal_positions_have_equal_keys() {
    let positions = related();
    let facts: Vec<Facts> = (0..positions.len()).map(|index| Facts::new(&positions, index)).collect();
    for (kind, text) in
        [(KeyKind::Position, Facts::text as fn(&Facts) -> String), (KeyKind::Canonical, Facts::canonical_text)]
    {
        let keys = keys(Backend::active(), &positions, kind);
        let (mut of_text, mut of_key) = (HashMap::new(), HashMap::new());
        for (index, (facts, &key)) in facts.iter().zip(&keys).enumerate() {
            let text = text(facts);
            let expected = *of_text.entry(text.clone()).or_insert(key);
            assert_eq!(key, expected, "{kind}: {}", positions.fen(index));
            let other = of_key.entry(key).or_insert_with(|| text.clone());
            assert_eq!(text, *other, "{kind}: {}", positions.fen(index));
        }
        let repeated = positions.len() - of_text.len();
        assert!(repeated > rounds(5_000), "{repeated} positions are equal to one before them, {kind}");
    }
    for kind in [|facts: &Facts| facts.passed.is_some(), |facts: &Facts| facts.rooks.len() > 1] {
        assert!(facts.iter().filter(|facts| kind(facts)).count() > rounds(300));
    }
}

#[test]
fn all_backends_give_the_same_keys_for_any_length() {
    let positions = related();
    for kind in KeyKind::ALL {
        let expected = keys(Backend::scalar(), &positions, kind);
        for backend in common::backends("keys") {
            for len in (0..=65).chain([127, 128, 129, positions.len()]) {
                let start = positions.len() - len;
                let mut out = vec![0; len];
                assert_eq!(backend.keys(positions.slice(start..positions.len()), kind, &mut out), Ok(()));
                assert_eq!(out, expected[start..], "{kind}, {backend}, {len}");
            }
            let mut out = [9; 2];
            let error = backend.keys(positions.slice(0..3), kind, &mut out).unwrap_err();
            assert_eq!(error, BatchError::PositionLengthMismatch { positions: 3, out: 2 });
            assert_eq!(out, [9; 2], "{backend} writes on an error");
        }
    }
}

/// The examples of the page that describes the format, and positions with rights that no rook has.
#[test]
fn polyglot_keys_that_are_published() {
    let known = [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", 0x463b_9618_1691_fc9c),
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3", 0x823c_9b50_fd11_4196),
        ("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq d6", 0x0756_b944_61c5_0fb0),
        ("rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq -", 0x662f_afb9_65db_29d4),
        ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6", 0x22a4_8b5a_8e47_ff78),
        ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq -", 0x652a_607c_a3f2_42c1),
        ("rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - -", 0x00fd_d303_c946_bdd9),
        ("rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3", 0x3c81_23ea_7b06_7637),
        ("rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq -", 0x5c3f_9b82_9b27_9560),
        // The king has moved.
        ("rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w KQkq -", 0x00fd_d303_c946_bdd9),
    ];
    let mut positions = Positions::new();
    positions.push_fens(known.map(|(fen, _)| fen)).unwrap();
    assert_eq!(keys(Backend::active(), &positions, KeyKind::Polyglot), known.map(|(_, key)| key));
}

/// Keys of this library may change with its version, but not by mistake.
#[test]
fn keys_stay_the_same() {
    let fens = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
        "8/8/4k3/8/8/2KR4/8/8 b - - 0 1",
    ];
    let mut positions = Positions::new();
    positions.push_fens(fens).unwrap();
    let found = [KeyKind::Position, KeyKind::Canonical].map(|kind| keys(Backend::active(), &positions, kind));
    let expected = [
        [0x20be_125d_85cd_138b, 0xeef9_77b7_acc5_2590, 0xa85d_3729_e352_5682],
        [0x20be_125d_85cd_138b, 0x8352_7151_1f8d_2d95, 0x568d_9599_9b96_ed5e],
    ];
    assert_eq!(found, expected);
}

/// Two million positions that differ in three pieces, on squares that share the highest bits of many boards.
#[test]
fn keys_are_like_random_numbers() {
    let squares: Vec<Square> =
        Square::ALL.into_iter().filter(|square| square.rank() >= 6 || square.rank() == 3).collect();
    let men: Vec<(usize, usize)> = (0..10).map(|man| (man / 5, man % 5)).collect();
    let (mut positions, mut keys) = (Positions::new(), Vec::new());
    let count = rounds(squares.len());
    for (first, second, third) in (0..count).flat_map(|a| (0..a).flat_map(move |b| (0..b).map(move |c| (a, b, c)))) {
        positions.clear();
        for kinds in 0..1_000 {
            let mut pieces = [[0; 6]; 2];
            pieces[0][5] = Square::E1.bitboard();
            pieces[1][5] = Square::E3.bitboard();
            for (place, kind) in [(first, kinds % 10), (second, kinds / 10 % 10), (third, kinds / 100)] {
                let (color, piece) = men[kind];
                pieces[color][piece] |= squares[place].bitboard();
            }
            positions.push_boards(pieces, Color::White, Castling::NONE, None).unwrap();
        }
        keys.extend(self::keys(Backend::active(), &positions, KeyKind::Position));
    }
    let total = keys.len() as f64;
    for bit in 0..64 {
        let ones = keys.iter().filter(|&key| key >> bit & 1 == 1).count() as f64;
        assert!((ones - total / 2.0).abs() < 5.0 * total.sqrt() / 2.0, "bit {bit}: {ones} of {total}");
    }
    // Of 32 bits, as many pairs are equal as of random numbers.
    for shift in [0, 16, 32] {
        let mut halves: Vec<u32> = keys.iter().map(|key| (key >> shift) as u32).collect();
        halves.sort_unstable();
        let equal = halves.windows(2).filter(|pair| pair[0] == pair[1]).count() as f64;
        let expected = total * total / 2.0 / 2.0_f64.powi(32);
        assert!((equal - expected).abs() < 5.0 * expected.sqrt(), "from bit {shift}: {equal}, expected {expected}");
    }
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len() as f64, total);
}
