//! The positions after each legal move, in place of those that were read.
//!
//! A position has about 30 moves, and may have hundreds. So the rows are made some at a time, and a part of them may end between
//! two moves of a position: its size depends neither on the number of moves nor on what is kept of each position.

use std::iter;
use std::ops::Range;
use std::sync::Arc;

use slider_attacks::Backend;
use slider_attacks::moves::Moves;
use slider_attacks::position::Positions;
use slider_attacks_formats::batch::{AfterMoves, ReadLimits, Records};
use slider_attacks_formats::columns::KeptColumn;
use slider_attacks_formats::columns::texts::TextTable;

#[cfg(feature = "parquet")]
use crate::parquet::sizes::row_sizes;

/// How many moves a position has, as a rule.
pub const USUAL_MOVES: usize = 32;
/// How many positions are read at a time. Of a long game, each part is read from its beginning, so there must not be many parts.
pub const AT_A_TIME: usize = 256;
/// More moves than a position can have. There are at most 218 in a game, but a board may hold many queens: no square is reached
/// from more than 16 others, which leaves fewer than 700 even with promotions.
const MOST_MOVES: usize = 700;
/// The most bytes that the moves take of the positions whose rows are made at a time.
pub const MOST_BYTES: usize = AT_A_TIME * MOST_MOVES * size_of::<u16>();
/// The most bytes that kept columns take in the rows that are made at a time, unless a single row takes more.
const MOST_KEPT: usize = 256 << 10;

/// Records that were read, and whose moves are taken some at a time.
#[derive(Debug)]
pub struct MoveRows {
    records: Records,
    /// How many bytes the kept columns of each record take.
    kept: Vec<usize>,
    /// Which of these columns have a value.
    found: Vec<bool>,
}

/// How many records have had all of their moves, and how many moves have been taken of the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MovePlace {
    /// The records.
    pub records: usize,
    /// The moves of the next one.
    pub moves: usize,
}

impl MoveRows {
    /// The moves of these records.
    pub fn new(records: Records) -> MoveRows {
        let mut found = Vec::new();
        records.add_found(&mut found);
        let mut kept = vec![0; records.numbers.len()];
        for column in &records.kept {
            let sizes = sizes(column, kept.len());
            kept.iter_mut().zip(sizes).for_each(|(all, size)| *all += size);
        }
        MoveRows { records, kept, found }
    }

    /// The number of the unit of the next record.
    pub fn number(&self, place: MovePlace) -> Option<u64> {
        self.records.numbers.get(place.records).copied()
    }

    /// Whether all moves have been taken.
    pub fn is_end(&self, place: MovePlace) -> bool {
        place.records == self.records.numbers.len()
    }

    /// The next rows, at most `most.enough`, after moves of at most `most.limit` more records; and where they end. The memory of
    /// `positions` is used.
    ///
    /// A malformed record that is kept has one row, without a move. Those that were left out, and one that ends the run, come with
    /// the last rows.
    pub fn next(
        &self,
        from: MovePlace,
        most: ReadLimits,
        backend: Backend,
        mut positions: Positions,
    ) -> (Records, MovePlace) {
        let Records { numbers, nulls, kept, skipped, failure, .. } = &self.records;
        let end = numbers.len().min(from.records.saturating_add(most.limit));
        let parents =
            self.records.positions.slice(from.records..from.records + self.window(from.records..end, most.enough));
        let mut legal = Moves::new();
        backend.moves(parents, &mut legal);

        let mut nulls = nulls[nulls.partition_point(|(row, _)| *row < from.records)..].iter().peekable();
        let (mut moves, mut texts, mut rows, mut nulls_after) =
            (Moves::new(), TextTable::new(1), Vec::new(), Vec::new());
        let (mut to, mut bytes) = (from, 0_usize);
        for (record, legal) in (from.records..).zip(&legal) {
            let null = nulls.next_if(|(row, _)| *row == record);
            // The placeholder of a malformed record has moves, and one of them stands for the record.
            let left = if null.is_some() { &legal[..1] } else { &legal[to.moves..] };
            let fits = MOST_KEPT.saturating_sub(bytes) / self.kept[record].max(1);
            let fits = fits.min(most.enough.saturating_sub(rows.len())).max(usize::from(rows.is_empty()));
            let taken = &left[..fits.min(left.len())];
            if let Some((_, malformed)) = null.filter(|_| !taken.is_empty()) {
                nulls_after.push((rows.len(), malformed.clone()));
            }
            for &mv in taken {
                texts.push([null.is_none().then_some(mv.encode_uci(&mut [0; 5]))]);
            }
            rows.extend(iter::repeat_n(record as u32, taken.len()));
            bytes += taken.len() * self.kept[record];
            moves.push(taken);
            if taken.len() < left.len() {
                to.moves += taken.len();
                break;
            }
            to = MovePlace { records: record + 1, moves: 0 };
        }
        let made = backend.after(parents.slice(0..moves.len()), &moves, &mut positions);
        made.expect("these are moves of these positions");

        let rows: Arc<[u32]> = rows.into();
        let after = AfterMoves {
            moves: texts.columns().next().expect("the table has a column"),
            read: to.records - from.records,
            found: self.found.clone(),
        };
        let mut records = Records {
            positions,
            numbers: rows.iter().map(|&row| numbers[row as usize]).collect(),
            kept: kept.iter().map(|column| column.in_rows(&rows)).collect(),
            nulls: nulls_after,
            after: Some(after),
            ..Records::default()
        };
        if to.records == end && end - from.records == most.limit {
            // What comes after the last record is not looked at. In a game, that is also what is wrong with its rest.
            let last = end.checked_sub(1).map_or(0, |last| numbers[last]);
            records.skipped = skipped.iter().filter(|malformed| malformed.number < last).cloned().collect();
        } else if self.is_end(to) {
            (records.skipped, records.failure) = (skipped.clone(), failure.clone());
        }
        (records, to)
    }

    /// How many of these records have about as many moves as are to be taken.
    fn window(&self, records: Range<usize>, enough: usize) -> usize {
        let (most, mut kept) = (at_a_time(enough).min(records.len()), 0);
        let fits = |bytes: &&usize| {
            kept += USUAL_MOVES * **bytes;
            kept <= MOST_KEPT
        };
        self.kept[records].iter().take(most).take_while(fits).count().max(1).min(most)
    }
}

/// How many bytes the values of this many rows take, with what there is of each.
fn sizes(column: &KeptColumn, rows: usize) -> Vec<usize> {
    match column {
        KeptColumn::Text(texts) | KeptColumn::Json(texts) | KeptColumn::Fields(texts) => {
            (0..rows).map(|row| size_of::<u32>() + texts.get(row).map_or(0, str::len)).collect()
        }
        #[cfg(feature = "parquet")]
        KeptColumn::Array(_, array) => row_sizes(std::slice::from_ref(array), rows),
        _ => vec![size_of::<i64>(); rows],
    }
}

/// How many positions are to be read for this many rows.
pub fn at_a_time(rows: usize) -> usize {
    (rows / USUAL_MOVES).clamp(1, AT_A_TIME)
}
