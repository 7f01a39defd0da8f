//! Fancy magic bitboards (<https://www.chessprogramming.org/Magic_Bitboards#Fancy>): a multiplication maps the relevant
//! blockers of a square to an index of as many bits as there are relevant squares.

use std::sync::LazyLock;

use peers::relevant_blockers;
use slider_attacks::verify::subsets;
use slider_attacks::{Slider, Square, reference};

use crate::contest::{Contestant, Group, Run, four_per_step};

struct Entry {
    mask: u64,
    magic: u64,
    start: u32,
    shift: u32,
}

struct Table {
    entries: [Entry; 64],
    attacks: Vec<u64>,
}

static ROOK: LazyLock<Table> = LazyLock::new(|| Table::search(Slider::Rook));
static BISHOP: LazyLock<Table> = LazyLock::new(|| Table::search(Slider::Bishop));

pub fn contestant(slider: Slider) -> Contestant {
    let table_bytes = 8 * (ROOK.attacks.len() + BISHOP.attacks.len()) + 2 * size_of::<[Entry; 64]>();
    Contestant {
        name: "magics",
        group: Group::Method,
        how: "fancy magics, load 8 bytes",
        needs: "-",
        table_bytes: Some(table_bytes),
        run: run(slider),
    }
}

fn run(slider: Slider) -> Run {
    // Taken out of their cells once, not once per pair.
    let (rook, bishop): (&'static Table, &'static Table) = (&ROOK, &BISHOP);
    match slider {
        Slider::Rook => Box::new(|squares, occs, out| one_table(rook, squares, occs, out)),
        Slider::Bishop => Box::new(|squares, occs, out| one_table(bishop, squares, occs, out)),
        Slider::Queen => Box::new(|squares, occs, out| both_tables(rook, bishop, squares, occs, out)),
    }
}

#[inline(never)]
fn one_table(table: &Table, squares: &[Square], occs: &[u64], out: &mut [u64]) {
    four_per_step(squares, occs, out, |square, occ| table.attacks(square, occ));
}

#[inline(never)]
fn both_tables(rook: &Table, bishop: &Table, squares: &[Square], occs: &[u64], out: &mut [u64]) {
    four_per_step(squares, occs, out, |square, occ| rook.attacks(square, occ) | bishop.attacks(square, occ));
}

impl Entry {
    #[inline(always)]
    fn index(&self, occ: u64) -> usize {
        ((occ & self.mask).wrapping_mul(self.magic) >> self.shift) as usize
    }
}

impl Table {
    #[inline(always)]
    fn attacks(&self, square: Square, occ: u64) -> u64 {
        // The mask lets the compiler see that the index is in bounds.
        let entry = &self.entries[usize::from(square.index() & 63)];
        // SAFETY: an index is below 2 to the power of the number of bits in the mask, and the table has that many attack sets
        // from `start` on. An engine would not check this either.
        unsafe { *self.attacks.get_unchecked(entry.start as usize + entry.index(occ)) }
    }

    /// Finds a magic for each square by trial.
    fn search(slider: Slider) -> Table {
        let mut attacks = Vec::new();
        // xorshift64* (Vigna, 2016: https://arxiv.org/abs/1402.6246). Magics with few bits are found sooner.
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = || {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            state.wrapping_mul(0x2545_f491_4f6c_dd1d)
        };
        let entries = Square::ALL.map(|square| {
            let mask = relevant_blockers(slider, square);
            let bits = mask.count_ones();
            let answers: Vec<(u64, u64)> =
                subsets(mask).map(|occ| (occ, reference::attacks(slider, square, occ))).collect();
            let start = attacks.len();
            attacks.resize(start + (1 << bits), 0);
            loop {
                let magic = random() & random() & random();
                let entry = Entry { mask, magic, start: start as u32, shift: 64 - bits };
                if fill(&mut attacks[start..], &entry, &answers) {
                    return entry;
                }
            }
        });
        Table { entries, attacks }
    }
}

/// Stores all answers. Returns false if two different attack sets have the same index.
fn fill(attacks: &mut [u64], entry: &Entry, answers: &[(u64, u64)]) -> bool {
    // No attack set is empty.
    attacks.fill(0);
    answers.iter().all(|&(occ, answer)| {
        let place = &mut attacks[entry.index(occ)];
        let fits = *place == 0 || *place == answer;
        *place = answer;
        fits
    })
}
