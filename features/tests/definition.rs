//! Rows equal their definition, written plainly: one position, one piece and one square at a time, with attacks by
//! walking.
//!
//! The sums in `sums_of_the_sample` were made by a program in Python on python-chess that shares no code with this
//! crate. Its indices of threats, pairs and `HalfKAv2_hm` are those of nnue-pytorch's loader for 18,000 positions.

use std::collections::BTreeSet;

use slider_attacks::position::{Color, Piece, Position, Positions};
use slider_attacks::{Backend, Lists, Square};
use slider_attacks_features::{
    FeatureError, FeatureIndex, FeatureSet, Features, Mirror, PieceLayout, RowOrder, RowSlices, ThreatLayout, ViewOrder,
};

/// The squares that a piece attacks, by walking from its square. With `occupied` empty, those that it attacks on an
/// empty board.
fn attacks(color: Color, piece: Piece, square: u8, pushes: bool, occupied: &dyn Fn(u8) -> bool) -> Vec<u8> {
    let diagonals = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
    let lines = [(1, 0), (-1, 0), (0, 1), (0, -1)];
    let leaps = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)];
    let north = if color == Color::White { 1 } else { -1 };
    let (steps, reach): (Vec<(i8, i8)>, _) = match piece {
        Piece::Pawn if !(8..56).contains(&square) => (vec![], 0),
        Piece::Pawn if pushes => (vec![(-1, north), (1, north), (0, north)], 1),
        Piece::Pawn => (vec![(-1, north), (1, north)], 1),
        Piece::Knight => (leaps.to_vec(), 1),
        Piece::Bishop => (diagonals.to_vec(), 7),
        Piece::Rook => (lines.to_vec(), 7),
        Piece::Queen => ([diagonals, lines].concat(), 7),
        Piece::King => ([diagonals, lines].concat(), 1),
    };
    let mut squares = Vec::new();
    for (east, up) in steps {
        let (mut file, mut rank) = (square as i8 % 8, square as i8 / 8);
        for _ in 0..reach {
            (file, rank) = (file + east, rank + up);
            if !(0..8).contains(&file) || !(0..8).contains(&rank) {
                break;
            }
            let target = (8 * rank + file) as u8;
            squares.push(target);
            if occupied(target) {
                break;
            }
        }
    }
    squares.sort_unstable();
    squares
}

/// The pieces as `color` sees them, with its own king on the side that `mirror` says: own ones are White's.
fn seen(position: &Position, color: Color, mirror: Mirror) -> Vec<(u8, Color, Piece)> {
    let pieces = Square::ALL.into_iter().filter_map(|at| position.piece_at(at).map(|piece| (at.index(), piece)));
    let flipped: Vec<_> = pieces
        .map(|(at, (side, piece))| match color {
            Color::White => (at, side, piece),
            Color::Black => (at ^ 56, side.other(), piece),
        })
        .collect();
    let king = flipped.iter().find(|it| (it.1, it.2) == (Color::White, Piece::King)).expect("a king").0;
    let mirrored = match mirror {
        Mirror::Never => false,
        Mirror::ToQueenside => king % 8 >= 4,
        Mirror::ToKingside => king % 8 < 4,
    };
    let mut seen: Vec<_> =
        flipped.into_iter().map(|(at, side, piece)| (if mirrored { at ^ 7 } else { at }, side, piece)).collect();
    seen.sort_unstable();
    seen
}

/// What an attacker reaches on an empty board, by its square, and how many inputs there are before those of this
/// attacker.
struct Reach {
    squares: Vec<Vec<u8>>,
    base: u32,
    pairs: u32,
}

impl Reach {
    /// By side and piece.
    fn all(layout: &ThreatLayout) -> Vec<Reach> {
        let (mut all, mut base) = (Vec::new(), 0);
        for (side, piece) in Color::ALL.into_iter().flat_map(|side| Piece::ALL.map(|piece| (side, piece))) {
            let squares: Vec<_> = (0..64).map(|at| attacks(side, piece, at, layout.pushes(), &|_| false)).collect();
            let pairs = squares.iter().map(Vec::len).sum::<usize>() as u32;
            all.push(Reach { squares, base, pairs });
            base += 2 * victims(layout, piece) * pairs;
        }
        all
    }

    /// How many pairs of squares come before this one.
    fn before(&self, from: u8, to: u8) -> u32 {
        let lower = self.squares[..usize::from(from)].iter().map(Vec::len).sum::<usize>();
        (lower + self.squares[usize::from(from)].iter().filter(|&&at| at < to).count()) as u32
    }
}

fn victims(layout: &ThreatLayout, piece: Piece) -> u32 {
    layout.slots()[piece as usize].iter().flatten().count() as u32
}

fn threats(layout: &ThreatLayout, reaches: &[Reach], position: &Position, color: Color) -> Vec<u32> {
    let pieces = seen(position, color, Mirror::ToQueenside);
    let occupied = |at: u8| pieces.iter().any(|it| it.0 == at);
    let mut indices = Vec::new();
    for &(from, side, piece) in &pieces {
        for to in attacks(side, piece, from, layout.pushes(), &occupied) {
            let Some(&(_, other, victim)) = pieces.iter().find(|it| it.0 == to) else { continue };
            let Some(slot) = layout.slots()[piece as usize][victim as usize] else { continue };
            if piece == victim && (piece != Piece::Pawn || side != other) && from < to {
                continue;
            }
            let reach = &reaches[6 * side as usize + piece as usize];
            let slot = u32::from(slot) + if other == Color::Black { victims(layout, piece) } else { 0 };
            indices.push(reach.base + slot * reach.pairs + reach.before(from, to));
        }
    }
    indices
}

fn pawn_pairs(position: &Position, color: Color) -> Vec<u32> {
    let pawns: Vec<(u32, u32)> = seen(position, color, Mirror::ToQueenside)
        .into_iter()
        .filter(|it| it.2 == Piece::Pawn)
        .map(|(at, side, _)| (u32::from(at % 8), u32::from(at) - 8 + 48 * side as u32))
        .collect();
    let mut indices = Vec::new();
    for &(file, number) in &pawns {
        for &(other_file, other) in &pawns {
            if number > other && file.abs_diff(other_file) <= 1 {
                indices.push(number * (number - 1) / 2 + other);
            }
        }
    }
    indices
}

fn pieces(layout: &PieceLayout, position: &Position, color: Color) -> Vec<u32> {
    let pieces = seen(position, color, layout.mirror());
    let king = pieces.iter().find(|it| (it.1, it.2) == (Color::White, Piece::King)).expect("a king").0;
    let planes = 1 + u32::from(*layout.planes().as_flattened().iter().max().expect("twelve"));
    let bucket = u32::from(layout.buckets()[usize::from(king)]);
    pieces
        .iter()
        .map(|&(at, side, piece)| {
            let plane = u32::from(layout.planes()[side as usize][piece as usize]);
            64 * (bucket * planes + plane) + u32::from(at)
        })
        .collect()
}

/// The indices of a position in a set, as a colour sees it.
type RowOf = Box<dyn Fn(&Position, Color) -> Vec<u32>>;

fn row_of(set: FeatureSet) -> RowOf {
    match set {
        FeatureSet::Pieces(layout) => Box::new(move |position, color| pieces(&layout, position, color)),
        FeatureSet::Threats(layout) => {
            let reaches = Reach::all(&layout);
            Box::new(move |position, color| threats(&layout, &reaches, position, color))
        }
        FeatureSet::PawnPairs => Box::new(pawn_pairs),
        _ => unreachable!("there are no others"),
    }
}

/// The rows of a sum, ascending.
fn rows(sets: &[FeatureSet], positions: &Positions, perspective: ViewOrder) -> [Vec<Vec<u32>>; 2] {
    let sets: Vec<_> = sets.iter().map(|&set| (row_of(set), set.size())).collect();
    [false, true].map(|is_second| {
        let of = |position: Position| {
            let first = match perspective {
                ViewOrder::Mover => position.side_to_move(),
                _ => Color::White,
            };
            let color = if is_second { first.other() } else { first };
            let (mut all, mut offset) = (Vec::new(), 0);
            for (row, size) in &sets {
                all.extend(row(&position, color).into_iter().map(|index| index + offset));
                offset += size;
            }
            all.sort_unstable();
            all
        };
        positions.iter().map(of).collect()
    })
}

/// Random pieces on random squares, from two kings to a full board, with no pawns on the last ranks.
fn random_positions(count: usize, last_ranks: bool) -> Positions {
    let mut state = 1_u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1); // with the multiplier of Knuth
        (state >> 33) as usize % below
    };
    let mut positions = Positions::new();
    while positions.len() < count {
        let (mut boards, mut squares): ([[u64; 6]; 2], Vec<u64>) = ([[0; 6]; 2], (0..64).map(|at| 1 << at).collect());
        for color in Color::ALL {
            boards[color as usize][Piece::King as usize] = squares.swap_remove(random(squares.len()));
        }
        let most = [4, 16, 32, 62][random(4)];
        // All kinds, or mostly one.
        let only = random(10);
        for _ in 0..random(most + 1) {
            let (square, piece) = (squares.swap_remove(random(squares.len())), random(6));
            let piece = if only < 5 && piece < 4 { only } else { piece.min(4) };
            if piece > 0 || last_ranks || square & 0xff00_0000_0000_00ff == 0 {
                boards[random(2)][piece] |= square;
            }
        }
        let side = Color::ALL[random(2)];
        positions.push_boards(boards, side, slider_attacks::position::Castling::NONE, None).expect("it is a position");
    }
    positions
}

fn sample() -> Positions {
    let mut positions = Positions::new();
    positions.read_lines(include_str!("../../tests/data/sample.epd")).expect("all are positions");
    positions
}

fn layouts() -> Vec<FeatureSet> {
    let named = [
        ("halfka_hm", None),
        ("halfka_hm", Some("merged")),
        ("pieces", None),
        ("pawn_pairs", None),
        ("threats", Some("v10")),
        ("threats", Some("v11")),
        ("threats", Some("v12")),
        ("threats", Some("v14")),
        ("threats", None),
    ];
    let mut sets: Vec<_> = named.map(|(name, layout)| FeatureSet::by_name(name, layout).expect("a name")).into();
    // Layouts of one's own: an attacker without victims before others, slots in another order, pushes.
    let mut slots = [[None; 6]; 6];
    slots[0] = [Some(1), Some(0), None, None, None, Some(2)];
    slots[2] = [Some(5), Some(4), Some(3), Some(2), Some(1), Some(0)];
    slots[5] = [Some(0), None, None, None, Some(1), None];
    sets.push(FeatureSet::Threats(ThreatLayout::new(slots, true).expect("slots in order")));
    let full = [0, 1, 2, 3, 4, 5].map(Some);
    sets.push(FeatureSet::Threats(ThreatLayout::new([full; 6], true).expect("slots in order")));
    let planes = PieceLayout::new([[3, 1, 4, 1, 5, 9], [2, 6, 5, 3, 5, 8]]).expect("planes below twelve");
    sets.push(FeatureSet::Pieces(planes.with_buckets(std::array::from_fn(|at| at as u8 * 4), Mirror::Never)));
    let castled = std::array::from_fn(|at| u8::from(at % 8 < 2));
    sets.push(FeatureSet::Pieces(PieceLayout::CHESS_768.with_buckets(castled, Mirror::ToQueenside)));
    sets
}

fn sorted<I: FeatureIndex>(rows: &Lists<I>) -> Vec<Vec<u32>> {
    let sort = |row: &[I]| row.iter().map(|&index| index.into()).collect::<BTreeSet<u32>>().into_iter().collect();
    rows.iter().map(sort).collect()
}

fn as_numbers<I: FeatureIndex>(rows: &Lists<I>) -> Vec<Vec<u32>> {
    rows.iter().map(|row| row.iter().map(|&index| index.into()).collect()).collect()
}

/// Compares all backends with the definition, in both orders.
fn check<I: FeatureIndex>(sets: &[FeatureSet], positions: &Positions, perspective: ViewOrder) {
    let expected = rows(sets, positions, perspective);
    let inputs = Features::new(sets.iter().copied()).expect("a few sets");
    let found = inputs.rows::<I>(Backend::scalar(), positions, perspective, RowOrder::Found).expect("rows");
    for backend in Backend::available() {
        let ascending = inputs.rows::<I>(backend, positions, perspective, RowOrder::Ascending).expect("rows");
        for ((rows, expected), side) in ascending.iter().zip(&expected).zip(["first", "second"]) {
            for (at, (row, expected)) in as_numbers(rows).iter().zip(expected).enumerate() {
                assert_eq!(row, expected, "{backend}, {sets:?}, {side} row of {}", positions.fen(at));
            }
            assert_eq!(rows.len(), positions.len());
        }
        let again = inputs.rows::<I>(backend, positions, perspective, RowOrder::Found).expect("rows");
        assert_eq!(again, found, "{backend}, {sets:?}");
        assert_eq!(again.each_ref().map(sorted), expected, "{backend}, {sets:?}");
    }
}

#[test]
fn every_layout_equals_its_definition_on_every_backend() {
    let (sample, random) = (sample(), random_positions(300, false));
    for set in layouts() {
        for positions in [&sample, &random] {
            check::<u32>(&[set], positions, ViewOrder::Colors);
            check::<u32>(&[set], positions, ViewOrder::Mover);
            if set.size() <= 1 << 16 {
                check::<u16>(&[set], positions, ViewOrder::Colors);
            }
        }
    }
}

#[test]
fn sets_follow_each_other_in_a_sum() {
    let positions = random_positions(200, false);
    let three = ["halfka_hm", "threats", "pawn_pairs"].map(|name| FeatureSet::by_name(name, None).expect("a name"));
    check::<u32>(&three, &positions, ViewOrder::Mover);
    // PlentyChess's order.
    check::<u16>(&[three[2], three[1]], &positions, ViewOrder::Colors);
    check::<u32>(&[three[1]; 10], &positions, ViewOrder::Colors);
    check::<u32>(&[], &positions, ViewOrder::Colors);
    let wide = FeatureSet::Threats(ThreatLayout::V10);
    check::<u32>(&[wide, three[2], wide, three[0]], &positions, ViewOrder::Colors);
    let inputs = Features::new(three).expect("three sets");
    assert_eq!((inputs.size(), inputs.offsets()), (88_944, &[0, 24_576, 84_384][..]));
}

#[test]
fn any_number_of_positions_works() {
    let positions = random_positions(131, false);
    let inputs = Features::new([FeatureSet::Threats(ThreatLayout::V16), FeatureSet::PawnPairs]).expect("two sets");
    for backend in Backend::available() {
        let all = inputs.rows::<u16>(backend, &positions, ViewOrder::Mover, RowOrder::Found).expect("rows");
        for len in 0..positions.len() {
            for start in [0, 1, positions.len() - len] {
                if start + len <= positions.len() {
                    let slice = positions.slice(start..start + len);
                    let rows = inputs.rows::<u16>(backend, slice, ViewOrder::Mover, RowOrder::Found).expect("rows");
                    for (rows, all) in rows.iter().zip(&all) {
                        assert!(rows.iter().eq(all.iter().skip(start).take(len)), "{backend}, {len} from {start}");
                    }
                }
            }
        }
    }
}

#[test]
fn memory_of_the_caller_holds_the_same_rows() {
    let positions = random_positions(100, false);
    let inputs = Features::new([FeatureSet::Threats(ThreatLayout::V16), FeatureSet::PawnPairs]).expect("two sets");
    for backend in Backend::available() {
        let fill = |room: [usize; 2], rows: usize| {
            let mut memory = room.map(|room| (vec![!0_u16; room + 1], vec![!0_usize; rows]));
            let slices = memory.each_mut().map(|(indices, offsets)| {
                let indices = indices.split_last_mut().expect("one more").1;
                RowSlices { indices, offsets }
            });
            let filled = inputs.fill_slices(backend, &positions, ViewOrder::Colors, RowOrder::Found, slices);
            assert!(
                memory.iter().all(|(indices, _)| indices.last() == Some(&!0)),
                "{backend}: more than there is room"
            );
            (memory, filled)
        };
        let lists = inputs.rows::<u16>(backend, &positions, ViewOrder::Colors, RowOrder::Found).expect("rows");
        let room = lists.each_ref().map(|rows| rows.as_slice().len());
        let (memory, filled) = fill(room, 101);
        assert_eq!(filled, Ok(()));
        for ((indices, offsets), rows) in memory.iter().zip(&lists) {
            assert_eq!((&indices[..indices.len() - 1], &offsets[..]), (rows.as_slice(), rows.offsets()));
        }
        // The last position with indices has no room in one of them.
        for side in 0..2 {
            let (mut less, last) = (room, lists[side].iter().rposition(|row| !row.is_empty()).expect("there are some"));
            less[side] -= 1;
            assert_eq!(fill(less, 101).1, Err(no_room(last)), "{backend}");
        }
        let first = lists[0].iter().zip(&lists[1]).position(|rows| !(rows.0.is_empty() && rows.1.is_empty()));
        assert_eq!(fill([0, 0], 101).1, Err(no_room(first.expect("there are some"))));
        assert_eq!(fill(room, 100).1, Err(no_room(99)));
        assert_eq!(fill(room, 102).1, Err(no_room(100)));
        assert_eq!(fill(room, 0).1, Err(no_room(0)));
    }
}

/// [`FeatureError::NoRoom`], which only the crate can make.
fn no_room(position: usize) -> FeatureError {
    let mut positions = Positions::new();
    let boards = [[0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 2]];
    for _ in 0..position + 1 {
        positions.push_boards(boards, Color::White, slider_attacks::position::Castling::NONE, None).expect("two kings");
    }
    let inputs = Features::new([FeatureSet::Pieces(PieceLayout::CHESS_768)]).expect("one set");
    let (mut indices, mut offsets) = (vec![0_u16; 2 * position], vec![0; position + 2]);
    let (mut other, mut other_offsets) = (vec![0_u16; 2 * position + 2], vec![0; position + 2]);
    let slices = [(&mut indices, &mut offsets), (&mut other, &mut other_offsets)]
        .map(|(indices, offsets)| RowSlices { indices, offsets });
    let error = inputs.fill_slices(Backend::scalar(), &positions, ViewOrder::Colors, RowOrder::Found, slices);
    let error = error.expect_err("there is no room for the last one");
    assert_eq!(error.to_string(), format!("no room for the row of position {position}"));
    error
}

#[test]
fn pawns_on_the_last_ranks_are_errors_where_they_have_no_number() {
    let positions = random_positions(300, true);
    let wrong = |position: &Position| {
        let pawns = Color::ALL.map(|color| position.pieces(color, Piece::Pawn));
        (pawns[0] | pawns[1]) & 0xff00_0000_0000_00ff
    };
    let (at, position) =
        positions.iter().enumerate().find(|it| wrong(&it.1) != 0).expect("random ones have such pawns");
    let square = Square::ALL[wrong(&position).trailing_zeros() as usize];
    for set in [FeatureSet::PawnPairs, FeatureSet::Threats(ThreatLayout::V16)] {
        let inputs = Features::new([FeatureSet::Pieces(PieceLayout::CHESS_768), set]).expect("two sets");
        for backend in Backend::available() {
            let mut rows = [Lists::new(), Lists::new()];
            rows[0].push(&[7]);
            let before = rows.clone();
            let filled = inputs.fill::<u32>(backend, &positions, ViewOrder::Colors, RowOrder::Found, &mut rows);
            let error = filled.expect_err("there is such a pawn");
            assert_eq!(error.to_string(), format!("position {at}: a pawn on {square} has no threats and pairs"));
            assert_eq!(rows, before);
        }
    }
    // A layout in which pawns only are victims, and pieces on squares, have all numbers.
    let mut slots = [[None; 6]; 6];
    slots[3][0] = Some(0);
    let layout = ThreatLayout::new(slots, false).expect("slots in order");
    check::<u16>(&[FeatureSet::Threats(layout)], &positions, ViewOrder::Colors);
    check::<u16>(&[FeatureSet::Pieces(PieceLayout::HALF_KA_HM)], &positions, ViewOrder::Colors);
}

#[test]
fn sizes_and_errors() {
    let sizes = layouts().iter().map(FeatureSet::size).collect::<Vec<_>>();
    assert_eq!(sizes[..9], [24_576, 22_528, 768, 4_560, 79_856, 66_864, 60_144, 60_720, 59_808]);
    for names in [("threats", Some("v9")), ("threats", Some("")), ("pieces", Some("v16")), ("", None)] {
        assert_eq!(FeatureSet::by_name(names.0, names.1), None);
    }
    for (name, layouts) in FeatureSet::NAMES {
        assert!(FeatureSet::by_name(name, None).is_some());
        assert!(layouts.iter().all(|&layout| FeatureSet::by_name(name, Some(layout)).is_some()));
    }
    let twice = [[Some(0), Some(0), None, None, None, None], [None; 6], [None; 6], [None; 6], [None; 6], [None; 6]];
    let gap = [[Some(0), Some(2), None, None, None, None], [None; 6], [None; 6], [None; 6], [None; 6], [None; 6]];
    assert_eq!([ThreatLayout::new(twice, false), ThreatLayout::new(gap, true)], [None, None]);
    assert_eq!(PieceLayout::new([[0; 6], [0, 0, 0, 12, 0, 0]]), None);
    let inputs = Features::new([FeatureSet::Threats(ThreatLayout::V10)]).expect("one set");
    let narrow = inputs.rows::<u16>(Backend::scalar(), &sample(), ViewOrder::Colors, RowOrder::Found);
    assert_eq!(narrow.expect_err("too many").to_string(), "79856 inputs do not fit indices of 16 bits");
    assert!(matches!(Features::new([FeatureSet::PawnPairs; 11]), Err(FeatureError::TooManyInputs)));
}

/// The index is known from the description of the layout: enemy rooks begin at 38,080, own rooks are their fourth
/// victim, a rook attacks 14 squares from each of the seven before h1, and a1 is the first of those from h1.
#[test]
fn a_mutual_attack_counts_once() {
    let mut positions = Positions::new();
    positions.push_fen("7k/8/8/8/8/8/K7/R6r w - - 0 1").expect("it is a position");
    let inputs = Features::new([FeatureSet::Threats(ThreatLayout::V16)]).expect("one set");
    for backend in Backend::available() {
        let rows = inputs.rows::<u16>(backend, &positions, ViewOrder::Colors, RowOrder::Found).expect("rows");
        assert_eq!((rows[0].as_slice(), rows[1].len()), (&[38_080 + 3 * 896 + 7 * 14][..], 1), "{backend}");
    }
}

/// FNV-1a over the indices of both perspectives, four bytes each, with `!0` after each row.
fn sum(inputs: &Features, positions: &Positions, backend: Backend) -> u64 {
    let rows = inputs.rows::<u32>(backend, positions, ViewOrder::Colors, RowOrder::Ascending).expect("rows");
    let numbers = rows[0].iter().zip(&rows[1]).flat_map(|(white, black)| [white, &[!0], black, &[!0]].concat());
    let bytes = numbers.flat_map(u32::to_le_bytes);
    bytes.fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[test]
fn sums_of_the_sample() {
    let sums = [
        ("halfka_hm", None, 0x5808_786a_0e74_c2b2),
        ("pawn_pairs", None, 0x1ac8_cca0_5649_1d2c),
        ("threats", Some("v10"), 0xf74d_ea20_7728_7b43),
        ("threats", Some("v11"), 0x7074_dc51_cae2_7d69),
        ("threats", Some("v12"), 0x6e81_6318_3d49_a01e),
        ("threats", Some("v14"), 0xf5d2_37c1_02fe_39d4),
        ("threats", Some("v16"), 0x57a1_05e8_47e6_920e),
    ];
    for (name, layout, expected) in sums {
        let inputs = Features::new(FeatureSet::by_name(name, layout)).expect("one set");
        for backend in Backend::available() {
            assert_eq!(sum(&inputs, &sample(), backend), expected, "{name}, {layout:?}, {backend}");
        }
    }
}
