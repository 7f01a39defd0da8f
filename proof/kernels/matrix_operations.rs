//! Compares each operation of bit matrices, on each instruction set, with its meaning on one lane.
//!
//! The product is compared on all pairs of a byte and a row. That is all of it: bit *i* of row *j* is a sum, modulo two, of
//! products of one bit of row *j* and one bit of the matrix, so it is linear in the matrix, and each matrix is the sum of
//! eight matrices that have one row. Each row of the first operand is a question by itself, and each of them is tried in every
//! place.
//!
//! Operations on whole blocks also move bytes. Their operands are random, so that a byte that takes a wrong way is noticed.

use std::array;

use super::lane::{Plain, Symbolic};
use super::matrices::{Lane, Model, known, value};
use super::term::Term;
use crate::batch::blocks::Traffic;
use crate::batch::enter::simd;
use crate::batch::simd::{Blocks, Matrices, Mirrors, Packs, Ranks, Rows};
use crate::{Slider, Square, reference};

/// Random numbers (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn lanes(&mut self, count: usize) -> Vec<u64> {
        (0..count).map(|_| self.next()).collect()
    }
}

const ROUNDS: usize = 64;
const MODEL: Model<true> = Model;

/// A vector of these lanes.
fn load<const N: usize, S: Matrices<Boards = [u64; N]>>(simd: S, lanes: &[u64]) -> S::Vector {
    let mut boards = [0; N];
    boards[..lanes.len()].copy_from_slice(lanes);
    simd.board(&boards, 0)
}

fn lanes<const N: usize, S: Matrices<Boards = [u64; N]>>(simd: S, vector: S::Vector) -> Vec<u64> {
    let mut boards = [0; N];
    simd.store(&mut boards, 0, vector, Traffic::PLAIN);
    boards[..N / 8].to_vec()
}

/// Checks an operation lane by lane: the second is its meaning.
fn same<const N: usize, S: Matrices<Boards = [u64; N]>, const OPERANDS: usize>(
    simd: S,
    operands: [Vec<u64>; OPERANDS],
    operation: impl Fn([S::Vector; OPERANDS]) -> S::Vector,
    meaning: impl Fn([Lane; OPERANDS]) -> Lane,
) {
    let actual = lanes(simd, operation(array::from_fn(|at| load(simd, &operands[at]))));
    for (lane, actual) in actual.into_iter().enumerate() {
        let expected = value(meaning(array::from_fn(|at| known(operands[at][lane]))));
        assert_eq!(actual, expected, "lane {lane} of {operands:x?}");
    }
}

/// The same byte in every place of a lane.
fn everywhere(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

fn products<const N: usize, S: Matrices<Boards = [u64; N]>>(simd: S) {
    for row in 0..8 {
        for value in 0..=255_u8 {
            let matrix = u64::from(value) << (8 * row);
            let matrices = load(simd, &vec![matrix; N / 8]);
            for first in (0..256).step_by(N / 8) {
                let rows: Vec<u64> = (first..first + N / 8).map(|byte| everywhere(byte as u8)).collect();
                let a = load(simd, &rows);
                let plain = lanes(simd, simd.product::<0>(a, matrices));
                for (lane, &actual) in plain.iter().enumerate() {
                    let odd = ((first + lane) as u8 & value).count_ones() % 2;
                    let expected = u64::from(odd) << (7 - row);
                    assert_eq!(actual, everywhere(expected as u8), "{} asks row {row}, {value:#x}", first + lane);
                }
                for (flipped, bits) in
                    [(simd.product::<0x08>(a, matrices), 0x08), (simd.product::<0x11>(a, matrices), 0x11)]
                {
                    let expected: Vec<u64> = plain.iter().map(|lane| lane ^ everywhere(bits)).collect();
                    assert_eq!(lanes(simd, flipped), expected);
                }
            }
        }
    }
}

fn lane_operations<const N: usize, S: Matrices<Boards = [u64; N]>>(simd: S) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for pairs in (0..1_u64 << 16).collect::<Vec<_>>().chunks(N) {
        let byte = |pair: u64, shift: u64| (pair >> shift) as u8;
        let of = |shift| -> Vec<u64> {
            let bytes: Vec<u8> = pairs.iter().map(|&pair| byte(pair, shift)).collect();
            bytes.chunks(8).map(|chunk| u64::from_le_bytes(chunk.try_into().expect("eight bytes"))).collect()
        };
        let operands = [of(0), of(8)];
        same(simd, operands.clone(), |[a, b]| simd.and(a, b), |[a, b]| MODEL.and(a, b));
        same(simd, operands.clone(), |[a, b]| simd.xor(a, b), |[a, b]| MODEL.xor(a, b));
        same(simd, operands.clone(), |[a, b]| simd.add(a, b), |[a, b]| MODEL.add(a, b));
        same(simd, operands, |[a, b]| simd.sub(a, b), |[a, b]| MODEL.sub(a, b));
    }
    for _ in 0..ROUNDS {
        let table = random.next();
        same(simd, [vec![0; N / 8]], |_| simd.splat(table), |_| MODEL.splat(table));
        let squares: Vec<u64> = (0..N / 8).map(|_| random.next() & everywhere(63)).collect();
        same(simd, [squares.clone()], |[s]| simd.by_file(table, s), |[s]| MODEL.by_file(table, s));
        same(simd, [squares], |[s]| simd.by_rank(table, s), |[s]| MODEL.by_rank(table, s));
        for half in 0..2 {
            let operands = [random.lanes(N / 8), random.lanes(N / 8)];
            same(simd, operands, |[a, b]| simd.pairs(a, b)[half], |[a, b]| MODEL.pairs(a, b)[half]);
        }
    }
}

/// Goes through all bytes, each in every place of a lane.
fn mirrors<const N: usize, S: Matrices<Boards = [u64; N]>>(simd: S) {
    fn of_bytes(meaning: fn(u8) -> u8) -> impl Fn([Lane; 1]) -> Lane {
        move |[a]| known(u64::from_le_bytes(value(a).to_le_bytes().map(meaning)))
    }
    for first in 0..=255_u8 {
        let bytes: Vec<u8> = (0..N as u8).map(|at| first.wrapping_add(at.wrapping_mul(3))).collect();
        let operand =
            [bytes.chunks(8).map(|chunk| u64::from_le_bytes(chunk.try_into().expect("eight bytes"))).collect()];
        let model = Plain::<true>;
        same(simd, operand.clone(), |[a]| simd.reversed(a), of_bytes(|a| Plain::<true>.reversed(a)));
        same(simd, operand.clone(), |[a]| simd.reversed_twice(a), of_bytes(|a| Plain::<true>.reversed_twice(a)));
        same(simd, operand, |[a]| simd.half(a), of_bytes(|a| Plain::<true>.half(a)));
        let term = Symbolic::<true>;
        let byte = Term::constant(u64::from(first), 8);
        let terms = [term.reversed(byte), term.reversed_twice(byte), term.half(byte)];
        let expected = [model.reversed(first), model.reversed_twice(first), model.half(first)];
        assert_eq!(terms.map(|term| term.evaluate(|_| 0) as u8), expected);
    }
}

/// The board that each byte of a vector of squares belongs to.
fn boards_of<const N: usize, const ROWS: usize, S>(simd: S) -> Vec<usize>
where
    S: Blocks<ROWS, Squares = [u8; N], Boards = [u64; N]>,
{
    let tags = array::from_fn(|board| board as u8);
    let squares = lanes(simd, simd.load_squares(&tags));
    let boards: Vec<usize> = squares.iter().flat_map(|lane| lane.to_le_bytes()).map(usize::from).collect();
    let mut sorted = boards.clone();
    sorted.sort_unstable();
    assert!(sorted.into_iter().eq(0..N), "each board has one square");
    boards
}

/// Bytes in the order of squares, from bytes in the order of boards.
fn in_order(boards: &[usize], bytes: &[u8]) -> Vec<u64> {
    let bytes: Vec<u8> = boards.iter().map(|&board| bytes[board]).collect();
    bytes.chunks(8).map(|chunk| u64::from_le_bytes(chunk.try_into().expect("eight bytes"))).collect()
}

fn products_of_packs<const N: usize, const ROWS: usize, S>(simd: S)
where
    S: Blocks<ROWS, Squares = [u8; N], Boards = [u64; N]>,
{
    let mut random = Random(0x1234_5678_9abc_def1);
    for _ in 0..ROUNDS {
        let pack = random.lanes(N / 8);
        let boards: [Vec<u64>; 8] = array::from_fn(|_| random.lanes(N / 8));
        let actual = simd.times(load(simd, &pack), &array::from_fn(|group| load(simd, &boards[group])));
        for (lane, actual) in lanes(simd, actual).into_iter().enumerate() {
            let boards = array::from_fn(|group| known(boards[group][lane]));
            assert_eq!(actual, value(Blocks::<ROWS>::times(MODEL, known(pack[lane]), &boards)));
        }
    }
}

fn ranks<const N: usize, const ROWS: usize, S>(simd: S)
where
    S: Ranks<ROWS> + Matrices<Squares = [u8; N], Boards = [u64; N]>,
{
    let order = boards_of::<N, ROWS, S>(simd);
    let mut random = Random(0xfeed_beef_1234_4321);
    for _ in 0..ROUNDS {
        let squares: [u8; N] = array::from_fn(|_| random.next() as u8 & 63);
        let boards: [u64; N] = array::from_fn(|_| random.next());
        let expected: Vec<u8> = (0..N).map(|at| (boards[at] >> (squares[at] & 56)) as u8).collect();
        let groups = array::from_fn(|group| simd.board(&boards, group));
        let actual = simd.ranks(simd.load_squares(&squares), &groups);
        assert_eq!(lanes(simd, actual), in_order(&order, &expected));
    }
}

fn packs<const N: usize, const ROWS: usize, S>(simd: S)
where
    S: Packs<ROWS> + Matrices<Squares = [u8; N], Boards = [u64; N]>,
{
    let order = boards_of::<N, ROWS, S>(simd);
    let mut random = Random(0x0dd0_5eed_0dd0_5eed);
    for round in 0..ROUNDS {
        let rows: [Vec<u8>; ROWS] = array::from_fn(|_| (0..N).map(|_| random.next() as u8).collect());
        let vectors = array::from_fn(|row| load(simd, &in_order(&order, &rows[row])));
        let packs = simd.packs(vectors);
        for (pack, &vector) in packs.iter().enumerate() {
            let copies = lanes(simd, simd.copies(pack, vectors[0]));
            for (lane, actual) in lanes(simd, vector).into_iter().enumerate() {
                let actual = actual.to_le_bytes();
                for place in 0..8 / ROWS {
                    let board = Blocks::<ROWS>::group(simd, pack, place) * (N / 8) + lane;
                    let expected: [u8; ROWS] = array::from_fn(|row| rows[row][board]);
                    let mut of_board: [u8; ROWS] = array::from_fn(|row| actual[ROWS * place + row]);
                    if ROWS == 2 && of_board != expected {
                        of_board.reverse();
                    }
                    assert_eq!(of_board, expected, "board {board}");
                    let copies = &copies[lane].to_le_bytes()[ROWS * place..][..ROWS];
                    assert_eq!(copies, [rows[0][board]; ROWS]);
                }
            }
        }
        let squares: [u8; N] = array::from_fn(|at| (at + round) as u8 & 63);
        let loaded = simd.load_squares(&squares);
        for group in 0..8 {
            let star = |slider, at: usize| reference::attacks(slider, Square::ALL[usize::from(squares[at])], 0);
            let of_group = group * (N / 8)..(group + 1) * (N / 8);
            let bishops: Vec<u64> = of_group.clone().map(|at| star(Slider::Bishop, at)).collect();
            let queens: Vec<u64> = of_group.map(|at| star(Slider::Queen, at)).collect();
            assert_eq!(lanes(simd, simd.star::<false>(loaded, group)), bishops);
            assert_eq!(lanes(simd, simd.star::<true>(loaded, group)), queens);
        }
    }
}

fn rows<const N: usize, const FEW: usize, const PLACES: usize, S>(simd: S)
where
    S: Rows<FEW, PLACES> + Matrices<Boards = [u64; N]>,
{
    let mut random = Random(0xabcd_ef01_2345_6789);
    let fourth_rows = if PLACES == 1 { 0xff << 24 } else { 0xff00_0000 * (1 << 32 | 1) };
    let fifth_row = if PLACES == 1 { 0xff << 32 } else { 0 };
    for round in 0..ROUNDS {
        let numbers: [[u8; FEW]; PLACES] =
            array::from_fn(|place| array::from_fn(|at| (at * (1 + 4 * place) + round * (1 + place)) as u8 & 63));
        let of_lane = |at: usize| u64::from_le_bytes(array::from_fn(|row| numbers[row * PLACES / 8][at]));
        let squares: Vec<u64> = (0..FEW).map(of_lane).collect();
        assert_eq!(lanes(simd, simd.load_few_squares(array::from_fn(|place| &numbers[place]))), squares);
        let boards: [[u64; FEW]; PLACES] = array::from_fn(|_| array::from_fn(|_| random.next()));
        let mut stored = [0; FEW];
        simd.store_few(&mut stored, simd.load_few(&boards[0]));
        assert_eq!(stored, boards[0]);
        assert_eq!(lanes(simd, simd.load_few(&boards[0])), boards[0]);

        for place in 0..PLACES {
            let model = |s| Rows::<1, PLACES>::star_of_lane::<false>(MODEL, s, place);
            same(simd, [squares.clone()], |[s]| simd.star_of_lane::<false>(s, place), |[s]| model(s));
            let model = |s| Rows::<1, PLACES>::star_of_lane::<true>(MODEL, s, place);
            same(simd, [squares.clone()], |[s]| simd.star_of_lane::<true>(s, place), |[s]| model(s));
        }
        for half in 0..2 {
            let model = |s| Rows::<1, PLACES>::doubles(MODEL, s)[half];
            same(simd, [squares.clone()], |[s]| simd.doubles(s)[half], |[s]| model(s));
        }
        let loaded = load(simd, &squares);
        let vectors = boards.map(|boards| load(simd, &boards));
        let models = |lane: usize| boards.map(|boards| known(boards[lane]));
        let given = |row: u64, vector: S::Vector, random: &mut Random| -> Vec<u64> {
            lanes(simd, vector).into_iter().map(|lane| lane & row | random.next() & !row).collect()
        };
        macro_rules! of_slider {
            ($rook:literal $bishop:literal) => {
                let rows = simd.rows_by_file::<$rook, $bishop>(loaded);
                let products = simd.answers(rows, vectors);
                // The fourth row of a rook may be anything if there are two places.
                let kept = if PLACES == 2 && $rook { !fourth_rows } else { !0 };
                for (lane, actual) in lanes(simd, rows).into_iter().enumerate() {
                    let model = Rows::<1, PLACES>::rows_by_file::<$rook, $bishop>(MODEL, known(squares[lane]));
                    assert_eq!(actual & kept, value(model) & kept, "lane {lane} of {squares:x?}");
                }
                if $rook {
                    // The rows that are replaced come from the operations before.
                    let answers = given(fourth_rows, products, &mut random);
                    let replaced = simd.with_rank(load(simd, &answers), loaded, vectors);
                    for (lane, actual) in lanes(simd, replaced).into_iter().enumerate() {
                        let (answers, squares) = (known(answers[lane]), known(squares[lane]));
                        let expected = Rows::<1, PLACES>::with_rank(MODEL, answers, squares, models(lane));
                        assert_eq!(actual, value(expected), "lane {lane}");
                    }
                    let operands =
                        [random.lanes(FEW), given(fourth_rows | fifth_row, rows, &mut random), squares.clone()];
                    for half in 0..2 {
                        let model = |a, r, s| Rows::<1, PLACES>::exchanged(MODEL, a, r, s)[half];
                        let operation = |a, r, s| simd.exchanged(a, r, s)[half];
                        same(simd, operands.clone(), |[a, r, s]| operation(a, r, s), |[a, r, s]| model(a, r, s));
                    }
                }
            };
        }
        of_slider! { false true }
        of_slider! { true false }
        of_slider! { true true }
        let rows = random.lanes(FEW);
        for (lane, actual) in lanes(simd, simd.answers(load(simd, &rows), vectors)).into_iter().enumerate() {
            assert_eq!(
                actual,
                value(Rows::<1, PLACES>::answers(MODEL, known(rows[lane]), models(lane))),
                "lane {lane}"
            );
        }
    }
}

macro_rules! tests {
    ($($backend:ident $boards:literal $few:literal)*) => {$(
        tests_on! { $backend
            the_product products::<$boards, _>;
            operations_on_lanes lane_operations::<$boards, _>;
            mirrored_bytes mirrors::<$boards, _>;
            products_of_one_row products_of_packs::<$boards, 1, _>;
            products_of_two_rows products_of_packs::<$boards, 2, _>;
            products_of_four_rows products_of_packs::<$boards, 4, _>;
            ranks_in_the_order_of_one ranks::<$boards, 1, _>;
            ranks_in_the_order_of_four ranks::<$boards, 4, _>;
            packs_of_two packs::<$boards, 2, _>;
            packs_of_four packs::<$boards, 4, _>;
            rows_of_one_board rows::<$boards, $few, 1, _>;
            rows_of_two_boards rows::<$boards, $few, 2, _>;
        }
    )*};
}

tests! { avx2_gfni 32 4 avx512_gfni 64 8 }
