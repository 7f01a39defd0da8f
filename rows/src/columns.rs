//! The columns of an output: the origin of a record, its kept columns, its position, its products, and the error if it has no
//! position.

use std::iter;
use std::mem;
use std::sync::Arc;

use slider_attacks_arrow::{Integers, OnError, Plan, Values};
use slider_attacks_files::Input;
use slider_attacks_formats::batch::{MOVE, Records};
use slider_attacks_formats::columns::{KeptColumn, OutputColumn, OutputValues};

use crate::boards;
use crate::format::RowFormat;

/// The name of the column with the numbers of records in files: lines, games or rows.
pub const LINE: &str = "line";

/// The columns of an output, in addition to those kept from its input.
#[derive(Clone, Copy, Debug)]
pub struct OutputColumns<'a> {
    /// The name of the column with the numbers of the records.
    pub number: &'a str,
    /// The records are positions after moves, which have a column.
    pub each_move: bool,
    /// There are columns of bitboards, with these integers.
    pub boards: Option<Integers>,
    /// The products.
    pub plan: &'a Plan,
    /// How to handle malformed records. Those that are kept are null in the columns of the position and of products.
    pub on_error: OnError,
    /// The format of the rows.
    pub format: RowFormat,
}

impl OutputColumns<'_> {
    /// The names of the columns, with these columns of the input. The first is that of the input if `with_file` is set.
    pub fn names(&self, with_file: bool, kept: &[String]) -> Vec<String> {
        let error = (self.on_error == OnError::Report).then_some(OnError::COLUMN);
        let boards = self.boards.into_iter().flat_map(|_| boards::names());
        self.first_names(with_file, kept)
            .chain(boards)
            .chain(self.plan.names().chain(error).map(str::to_owned))
            .collect()
    }

    /// The names of the columns before those of the position.
    fn first_names(&self, with_file: bool, kept: &[String]) -> impl Iterator<Item = String> {
        let own = with_file.then_some("file").into_iter().chain([self.number]).chain(self.each_move.then_some(MOVE));
        own.map(str::to_owned).chain(kept.iter().cloned())
    }

    /// The columns of these records, whose products have been computed. `names` are those of the columns of the input. The
    /// numbers and moves are taken out of the records, and the positions stay.
    ///
    /// Each row may be null in the columns of the position and of products, whatever a block holds: so all blocks have the same
    /// schema.
    pub fn build(
        &self,
        records: &mut Records,
        file: Option<&Input>,
        names: &[String],
        kept: Vec<OutputValues>,
        products: Vec<Values>,
    ) -> Vec<OutputColumn> {
        let error = (self.on_error == OnError::Report).then(|| KeptColumn::Text(records.reasons()));
        let nulls: Arc<[usize]> = records.nulls.iter().map(|(place, _)| *place).collect();
        let boards = self.boards.map(|integers| boards::columns(records, &nulls, self.format, integers));
        let lines = OutputValues::Lines(mem::take(&mut records.numbers));
        let input = file.map(|input| OutputValues::File { name: input.name(), index: input.index });
        // All fields of JSON lines are one column more, which needs no name.
        let first = self.first_names(file.is_some(), names).chain([String::new()]);
        let moves = records.after.take().map(|after| OutputValues::Kept(KeptColumn::Text(after.moves)));
        let first = iter::zip(first, input.into_iter().chain([lines]).chain(moves).chain(kept));
        let first = first.map(|(name, values)| OutputColumn::new(name, values));
        let products = iter::zip(self.plan.names(), products).map(|(name, values)| OutputColumn {
            nulls: Some(nulls.clone()),
            ..OutputColumn::new(name, OutputValues::Product(values))
        });
        let error = error.map(|error| OutputColumn::new(OnError::COLUMN, OutputValues::Kept(error)));
        first.chain(boards.into_iter().flatten()).chain(products).chain(error).collect()
    }
}
