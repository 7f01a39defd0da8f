//! Rows are allocated by the call, not by the position.

#![expect(unsafe_code, reason = "an allocator that counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use slider_attacks::position::Positions;
use slider_attacks::{Backend, Lists};
use slider_attacks_features::{FeatureSet, Features, PieceLayout, RowOrder, ThreatLayout, ViewOrder};

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

#[test]
fn nothing_is_allocated_per_position() {
    let mut positions = Positions::new();
    positions.read_lines(include_str!("../../tests/data/sample.epd").repeat(20)).expect("all are positions");
    let sets =
        [FeatureSet::Pieces(PieceLayout::HALF_KA_HM), FeatureSet::Threats(ThreatLayout::V16), FeatureSet::PawnPairs];
    let inputs = Features::new(sets).expect("three sets");
    for backend in Backend::available() {
        for order in [RowOrder::Found, RowOrder::Ascending] {
            let mut rows = [Lists::<u32>::new(), Lists::new()];
            let mut count = |len: usize| {
                let before = ALLOCATIONS.get();
                let filled = inputs.fill(backend, positions.slice(0..len), ViewOrder::Mover, order, &mut rows);
                filled.expect("rows");
                ALLOCATIONS.get() - before
            };
            // The first call makes room for all rows.
            count(positions.len());
            let one = count(1);
            assert!((1..10).contains(&one), "{one} allocations, {backend}");
            assert_eq!(count(positions.len()), one, "{backend}");
        }
    }
}
