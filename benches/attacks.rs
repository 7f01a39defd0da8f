//! Every backend that this CPU can run, compared with a plain loop of scalar calls: `cargo bench`.
//!
//! An id is `slider/backend/pairs per call`, such as `queen/avx2/4096`; a word after `--` selects the ids that contain it.
//! This is for watching one's own changes over time:
//!
//! ```bash
//! cargo bench -- queen/avx2 --save-baseline before
//! cargo bench -- queen/avx2 --baseline before
//! ```
//!
//! Two backends are not measured at the same moment, so for ratios of a few percent take
//! `cargo bench -p peers --bench ratios`. Each result is compared before it is timed: attack sets with the ray walk,
//! products with those of the scalar backend.
//!
//! All options of criterion work. The defaults here are shorter than its own, for a run of two minutes.

#![allow(missing_docs, reason = "criterion's macros define public functions")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::cell::RefCell;
use std::hint::black_box;
use std::sync::LazyLock;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use slider_attacks::analysis::{ExchangeRules, KeyKind, Side, Status, Threats};
use slider_attacks::moves::Moves;
use slider_attacks::position::{Color, Positions};
use slider_attacks::{
    Backend, Slider, SliderArrays, Square, bishop_attacks, queen_attacks, reference, rook_attacks, set_attacks,
};

use common::Random;

/// Pairs per call: single ones, fewer than any block, one block, what fits into the caches of level 1, 2 and 3, and memory.
const SIZES: [usize; 7] = [1, 8, 64, 4_096, 65_536, 1 << 20, 1 << 22];
/// Calls of a smaller size go through this many pairs, so that they do not repeat a few.
const POOL: usize = 4_096;

/// Boards of about 16 pieces, the same in every run, with one slider each and with a set of about four of each kind.
struct Boards {
    squares: Vec<Square>,
    occs: Vec<u64>,
    orthogonal: Vec<u64>,
    diagonal: Vec<u64>,
}

static BOARDS: LazyLock<Boards> = LazyLock::new(|| {
    let mut random = Random(0);
    let mut boards = Boards { squares: vec![], occs: vec![], orthogonal: vec![], diagonal: vec![] };
    for _ in 0..SIZES[SIZES.len() - 1] {
        let occ = random.board();
        boards.squares.push(random.square());
        boards.occs.push(occ);
        boards.orthogonal.push(occ & random.board());
        boards.diagonal.push(occ & random.board());
    }
    boards
});

/// A way to compute `out[i]` for the boards from `first` on.
type Run<'a> = Box<dyn Fn(&Boards, usize, &mut [u64]) + 'a>;

/// Times the contestants of a group at all sizes. A size is compared with the first results of `expected`.
fn measure(criterion: &mut Criterion, name: &str, contestants: &[(&str, Run<'_>)], expected: &dyn Fn(usize) -> u64) {
    let mut group = criterion.benchmark_group(name);
    // The same memory for all: how far apart arrays are, modulo 4 KiB, makes a difference.
    let out = RefCell::new(vec![0; SIZES[SIZES.len() - 1]]);
    let known = RefCell::new(Vec::new());
    for size in SIZES {
        let length = size.max(POOL);
        group.throughput(Throughput::Elements(size as u64));
        for (name, run) in contestants {
            let mut checked = false;
            group.bench_function(BenchmarkId::new(*name, size), |bencher| {
                let (boards, out) = (&*BOARDS, &mut out.borrow_mut()[..length]);
                if !checked {
                    out.fill(0);
                    (0..length).step_by(size).for_each(|first| run(boards, first, &mut out[first..first + size]));
                    let mut known = known.borrow_mut();
                    let old = known.len();
                    known.extend((old..length.max(old)).map(expected));
                    assert!(out == &known[..length], "{name} is wrong in calls of {size}");
                    checked = true;
                }
                let mut first = 0;
                bencher.iter(|| {
                    run(black_box(boards), first, black_box(&mut out[first..first + size]));
                    first = if first + size == length { 0 } else { first + size };
                });
            });
        }
    }
}

/// Times a slider with every backend, and the loop that a caller writes who has no batch call.
fn slider(criterion: &mut Criterion, slider: Slider, name: &str, per_pair: impl Fn(Square, u64) -> u64 + 'static) {
    let mut contestants: Vec<(&str, Run<'_>)> = vec![(
        "per_pair",
        Box::new(move |boards, first, out| {
            let pairs = boards.squares[first..].iter().zip(&boards.occs[first..]);
            pairs.zip(out).for_each(|((&square, &occ), out)| *out = per_pair(square, occ));
        }),
    )];
    contestants.extend(Backend::available().map(|backend| {
        let run: Run<'_> = Box::new(move |boards, first, out| {
            let range = first..first + out.len();
            backend
                .batch_slider_attacks(slider, &boards.squares[range.clone()], &boards.occs[range], out)
                .expect("one length");
        });
        (backend.name(), run)
    }));
    let expected = |i: usize| reference::attacks(slider, BOARDS.squares[i], BOARDS.occs[i]);
    measure(criterion, name, &contestants, &expected);
}

fn queen(criterion: &mut Criterion) {
    slider(criterion, Slider::Queen, "queen", queen_attacks);
}

fn rook(criterion: &mut Criterion) {
    slider(criterion, Slider::Rook, "rook", rook_attacks);
}

fn bishop(criterion: &mut Criterion) {
    slider(criterion, Slider::Bishop, "bishop", bishop_attacks);
}

/// Whole sets of sliders. The loop calls the function for one board.
fn sets(criterion: &mut Criterion) {
    let mut contestants: Vec<(&str, Run<'_>)> = vec![(
        "per_board",
        Box::new(|boards, first, out| {
            let sets = boards.orthogonal[first..].iter().zip(&boards.diagonal[first..]).zip(&boards.occs[first..]);
            sets.zip(out).for_each(|(((&orthogonal, &diagonal), &occ), out)| {
                *out = set_attacks(orthogonal, diagonal, occ);
            });
        }),
    )];
    contestants.extend(Backend::available().map(|backend| {
        let run: Run<'_> = Box::new(move |boards, first, out| {
            let [orthogonal, diagonal, occupancies] =
                [&boards.orthogonal, &boards.diagonal, &boards.occs].map(|array| &array[first..first + out.len()]);
            let sliders = SliderArrays { orthogonal, diagonal, occupancies };
            backend.batch_attack_sets(sliders, out).expect("one length");
        });
        (backend.name(), run)
    }));
    let expected = |i: usize| {
        let union = |slider, set: u64| {
            let on = Square::ALL.into_iter().filter(|square| set >> square.index() & 1 == 1);
            on.fold(0, |union, square| union | reference::attacks(slider, square, BOARDS.occs[i]))
        };
        union(Slider::Rook, BOARDS.orthogonal[i]) | union(Slider::Bishop, BOARDS.diagonal[i])
    };
    measure(criterion, "sets", &contestants, &expected);
}

/// In how many boards each square is set. The loop asks for one bit after the other.
fn count_squares(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("count_squares");
    for size in [64, 4_096, 1 << 22] {
        let boards = &BOARDS.occs[..size];
        let per_bit = || {
            let mut counts = [0; 64];
            for board in black_box(boards) {
                counts.iter_mut().enumerate().for_each(|(square, count)| *count += board >> square & 1);
            }
            counts
        };
        let expected = per_bit();
        group.throughput(Throughput::Elements(size as u64));
        group.bench_function(BenchmarkId::new("per_bit", size), |bencher| bencher.iter(per_bit));
        for backend in Backend::available() {
            assert_eq!(backend.count_squares(boards), expected, "count_squares is wrong on {backend}");
            group.bench_function(BenchmarkId::new(backend.name(), size), |bencher| {
                bencher.iter(|| backend.count_squares(black_box(boards)));
            });
        }
    }
}

/// Reading 1,024 lines by every backend, from a text that is in the cache.
fn read_lines(criterion: &mut Criterion) {
    let sample = include_str!("../tests/data/sample.epd").lines().filter(|line| !line.starts_with('#'));
    // The four fields and two counters, as most files have them.
    let fens = sample.map(|line| line.split(' ').take(4).chain(["0", "1\n"]).collect::<Vec<_>>().join(" "));
    let lines: Vec<String> = fens.collect::<Vec<_>>().into_iter().cycle().take(1_024).collect();
    let text = lines.concat();
    let mut group = criterion.benchmark_group("read_lines");
    group.throughput(Throughput::Elements(lines.len() as u64));
    let mut read = Positions::with_capacity(lines.len());
    for backend in Backend::available() {
        let mut checked = false;
        group.bench_function(backend.name(), |bencher| {
            if !checked {
                read.clear();
                assert_eq!(backend.read_lines(text.as_bytes(), &mut read), Ok(lines.len()));
                assert!(
                    (0..lines.len()).all(|i| lines[i].starts_with(&read.fen(i))),
                    "read_lines is wrong on {backend}"
                );
                checked = true;
            }
            bencher.iter(|| {
                read.clear();
                backend.read_lines(black_box(text.as_bytes()), &mut read)
            });
        });
    }
}

/// Reading lines, and what a position asks, on the 146 positions of the sample, 28 times over.
fn positions(criterion: &mut Criterion) {
    let text = include_str!("../tests/data/sample.epd").repeat(28);
    let lines: Vec<&[u8]> = text.lines().filter(|line| !line.starts_with('#')).map(str::as_bytes).collect();
    let mut positions = Positions::new();
    positions.read_lines(text.as_bytes()).expect("the sample is right");
    assert_eq!(positions.len(), lines.len());

    let mut group = criterion.benchmark_group("positions");
    group.throughput(Throughput::Elements(lines.len() as u64));
    let mut read = Positions::with_capacity(lines.len());
    let mut checked = false;
    group.bench_function("read_lines", |bencher| {
        if !checked {
            assert!((0..lines.len()).all(|i| lines[i].starts_with(positions.fen(i).as_bytes())), "read_lines is wrong");
            checked = true;
        }
        bencher.iter(|| {
            read.clear();
            read.read_lines(black_box(text.as_bytes()))
        });
    });
    group.bench_function("push_fen", |bencher| {
        bencher.iter(|| {
            read.clear();
            black_box(&lines).iter().try_for_each(|line| read.push_fen(line))
        });
    });

    let (white, p) = (Color::White, &positions);
    let threats = |backend: Backend| {
        let mut out = Threats::new();
        backend.threats(p, &[white], Side::Enemy, &mut out);
        out
    };
    let board = vec![0_u64; lines.len()];
    let squares = vec![[0_u8; 64]; lines.len()];
    product(&mut group, "attack_maps", &board, |backend, out| backend.attack_maps(p, white, out).expect("one length"));
    product(&mut group, "checkers", &board, |backend, out| backend.checkers(p, white, out).expect("one length"));
    product(&mut group, "pinned", &board, |backend, out| backend.pinned(p, white, out).expect("one length"));
    product(&mut group, "xray_attacks", &board, |backend, out| {
        backend.xray_attacks(p, white, Side::Any, out).expect("one length");
    });
    product(&mut group, "hanging", &board, |backend, out| backend.hanging(p, white, out).expect("one length"));
    product(&mut group, "forks", &board, |backend, out| backend.forks(p, white, out).expect("one length"));
    product(&mut group, "skewers", &board, |backend, out| backend.skewers(p, white, out).expect("one length"));
    product(&mut group, "relatively_pinned", &board, |backend, out| {
        backend.relatively_pinned(p, white, out).expect("one length");
    });
    product(&mut group, "discovered", &board, |backend, out| backend.discovered(p, white, out).expect("one length"));
    product(&mut group, "batteries", &board, |backend, out| backend.batteries(p, white, out).expect("one length"));
    product(&mut group, "overloaded", &board, |backend, out| backend.overloaded(p, white, out).expect("one length"));
    product(&mut group, "attacker_counts", &squares, |backend, out| {
        backend.attacker_counts(p, white, out).expect("one length");
    });
    product(&mut group, "exchanges", &squares, |backend, out| {
        backend.exchanges(p, white, ExchangeRules::default(), out).expect("one length");
    });
    product(&mut group, "winning_captures", &board, |backend, out| {
        backend.winning_captures(p, white, ExchangeRules::default(), out).expect("one length");
    });
    product(&mut group, "trapped", &board, |backend, out| {
        backend.trapped(p, white, ExchangeRules::default(), out).expect("one length");
    });
    product(&mut group, "safe_mobility", &squares, |backend, out| {
        backend.safe_mobility(p, ExchangeRules::default(), out).expect("one length");
    });
    product(&mut group, "passed_pawns", &board, |backend, out| {
        backend.passed_pawns(p, white, out).expect("one length");
    });
    product(&mut group, "backward_pawns", &board, |backend, out| {
        backend.backward_pawns(p, white, out).expect("one length");
    });
    product(&mut group, "outposts", &board, |backend, out| backend.outposts(p, white, out).expect("one length"));
    product(&mut group, "king_ring", &board, |backend, out| backend.king_ring(p, white, out).expect("one length"));
    product(&mut group, "safe_checks", &board, |backend, out| backend.safe_checks(p, white, out).expect("one length"));
    product(&mut group, "legal_moves", &vec![0_u16; lines.len()], |backend, out| {
        backend.legal_moves(p, out).expect("one length");
    });
    product(&mut group, "targets", &vec![[0_u64; 64]; lines.len()], |backend, out| {
        backend.targets(p, out).expect("one length");
    });
    for status in Status::ALL {
        product(&mut group, status.name(), &vec![0_u16; lines.len()], |backend, out| {
            backend.status(p, status, out).expect("one length");
        });
    }
    for kind in KeyKind::ALL {
        product(&mut group, &format!("{kind}_keys"), &board, |backend, out| {
            backend.keys(p, kind, out).expect("one length");
        });
    }
    product(&mut group, "mobility", &squares, |backend, out| backend.mobility(p, out).expect("one length"));
    let mut expected = Moves::new();
    let lists: [(&str, ListMoves); 3] = [
        ("mating_moves", |backend, p, out| backend.mating_moves(p, out)),
        ("checking_moves", |backend, p, out| backend.checking_moves(p, out)),
        ("moves", |backend, p, out| backend.moves(p, out)),
    ];
    for (name, list) in lists {
        list(Backend::scalar(), p, &mut expected);
        for backend in Backend::available() {
            let (mut out, mut checked) = (Moves::new(), false);
            group.bench_function(BenchmarkId::new(backend.name(), name), |bencher| {
                if !checked {
                    list(backend, p, &mut out);
                    assert!(out == expected, "{name} are wrong on {backend}");
                    checked = true;
                }
                bencher.iter(|| list(backend, black_box(p), &mut out));
            });
        }
    }
    let mut after = Positions::new();
    Backend::scalar().after(p, &expected, &mut after).expect("the moves are legal");
    group.throughput(Throughput::Elements(after.len() as u64));
    for backend in Backend::available() {
        let (mut out, mut checked) = (Positions::new(), false);
        group.bench_function(BenchmarkId::new(backend.name(), "after"), |bencher| {
            if !checked {
                backend.after(p, &expected, &mut out).expect("the moves are legal");
                assert!(out == after, "positions after moves are wrong on {backend}");
                checked = true;
            }
            bencher.iter(|| backend.after(black_box(p), &expected, &mut out));
        });
    }
    group.throughput(Throughput::Elements(lines.len() as u64));
    let scalar = threats(Backend::scalar());
    for backend in Backend::available() {
        let mut out = Threats::new();
        let mut checked = false;
        group.bench_function(BenchmarkId::new(backend.name(), "threats"), |bencher| {
            if !checked {
                assert_eq!(threats(backend).as_slice(), scalar.as_slice(), "threats are wrong on {backend}");
                checked = true;
            }
            bencher.iter(|| backend.threats(black_box(p), &[white], Side::Enemy, &mut out));
        });
    }
}

/// Lists some of the moves.
type ListMoves = fn(Backend, &Positions, &mut Moves);

/// Times a product on every backend.
fn product<T: Clone + PartialEq>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    zeros: &[T],
    compute: impl Fn(Backend, &mut [T]),
) {
    let mut expected = zeros.to_vec();
    compute(Backend::scalar(), &mut expected);
    let mut out = zeros.to_vec();
    for backend in Backend::available() {
        let mut checked = false;
        group.bench_function(BenchmarkId::new(backend.name(), name), |bencher| {
            if !checked {
                out.clone_from_slice(zeros);
                compute(backend, &mut out);
                assert!(out == expected, "{name} is wrong on {backend}");
                checked = true;
            }
            bencher.iter(|| compute(backend, black_box(&mut out)));
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(400))
        .nresamples(2_000);
    targets = queen, rook, bishop, sets, count_squares, read_lines, positions
}
criterion_main!(benches);
