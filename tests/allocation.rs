//! Reading allocates only the arrays, and the products allocate nothing.

#![expect(unsafe_code, reason = "an allocator that counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use slider_attacks::Backend;
use slider_attacks::analysis::{ExchangeRules, KeyKind, Side, Status};
use slider_attacks::moves::Moves;
use slider_attacks::position::{Color, Positions};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: the system's allocator does all the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// How many allocations `act` makes in this thread.
fn allocations(act: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    act();
    ALLOCATIONS.get() - before
}

#[test]
fn nothing_is_allocated_per_line_or_per_position() {
    let sample = include_str!("data/sample.epd");
    // Some of the lines are in a form that is read byte by byte.
    let text = format!("{sample}{}", sample.replace("\nr", "\n  r")).repeat(10);
    let mut positions = Positions::with_capacity(2_920);
    let (mut sets, mut numbers) = (vec![0; 2_920], vec![[0; 64]; 2_920]);
    let (mut moves, mut lists, mut targets) = (vec![0; 2_920], Moves::new(), vec![[0; 64]; 2_920]);
    let mut after = Positions::new();
    let (color, through, rules) = (Color::Black, Side::Any, ExchangeRules::default());
    let backend = Backend::active();
    let mut all = || {
        positions.clear();
        assert_eq!(positions.read_lines(text.as_bytes()), Ok(2_920));
        backend.attack_maps(&positions, color, &mut sets).unwrap();
        backend.attacker_counts(&positions, color, &mut numbers).unwrap();
        backend.mobility(&positions, &mut numbers).unwrap();
        backend.checkers(&positions, color, &mut sets).unwrap();
        backend.pinned(&positions, color, &mut sets).unwrap();
        backend.xray_attacks(&positions, color, through, &mut sets).unwrap();
        backend.hanging(&positions, color, &mut sets).unwrap();
        backend.forks(&positions, color, &mut sets).unwrap();
        backend.skewers(&positions, color, &mut sets).unwrap();
        backend.relatively_pinned(&positions, color, &mut sets).unwrap();
        backend.discovered(&positions, color, &mut sets).unwrap();
        backend.batteries(&positions, color, &mut sets).unwrap();
        backend.overloaded(&positions, color, &mut sets).unwrap();
        backend.exchanges(&positions, color, rules, &mut numbers).unwrap();
        backend.trapped(&positions, color, rules, &mut sets).unwrap();
        backend.safe_mobility(&positions, rules, &mut numbers).unwrap();
        backend.winning_captures(&positions, color, rules, &mut sets).unwrap();
        backend.backward_pawns(&positions, color, &mut sets).unwrap();
        backend.outposts(&positions, color, &mut sets).unwrap();
        backend.king_ring(&positions, color, &mut sets).unwrap();
        backend.safe_checks(&positions, color, &mut sets).unwrap();
        backend.legal_moves(&positions, &mut moves).unwrap();
        backend.targets(&positions, &mut targets).unwrap();
        // These keep the memory of the call before.
        backend.checking_moves(&positions, &mut lists);
        backend.moves(&positions, &mut lists);
        Status::ALL.into_iter().for_each(|status| backend.status(&positions, status, &mut moves).unwrap());
        KeyKind::ALL.into_iter().for_each(|kind| backend.keys(&positions, kind, &mut sets).unwrap());
        backend.after(&positions, &lists, &mut after).unwrap();
    };
    // The backend is chosen in the first call.
    all();
    assert_eq!(allocations(&mut all), 0);
}

#[test]
fn room_is_made_at_once_and_is_enough() {
    let mut positions = Positions::with_capacity(10);
    let add = |positions: &mut Positions, count: usize| {
        allocations(|| {
            for _ in 0..count {
                positions.push_fen(b"4k3/8/8/8/8/8/8/4K3 w - -").unwrap();
            }
        })
    };
    assert_eq!(add(&mut positions, 10), 0);
    assert!(add(&mut positions, 100) > 0, "arrays that grow are counted");
    positions.reserve(1_000);
    assert_eq!(add(&mut positions, 1_000), 0);
}
