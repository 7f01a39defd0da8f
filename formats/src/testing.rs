//! Utilities that the tests of several formats share.

use crate::batch::Records;
use crate::columns::KeptColumn;
use crate::error::Malformed;

/// Numbers that follow no pattern.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % end
    }
}

/// The rows as text, and the messages about those that are left out or null.
pub fn rows_and_messages(records: &Records) -> (Vec<String>, Vec<String>) {
    let mut nulls = records.nulls.iter().peekable();
    let rows = records.numbers.iter().enumerate().map(|(row, number)| {
        let null = nulls.next_if(|(place, _)| *place == row);
        let fen = if null.is_some() { "null".to_owned() } else { records.positions.fen(row).to_string() };
        let value = |column: &KeptColumn| match column {
            KeptColumn::Text(texts) => texts.get(row).unwrap_or("-").to_owned(),
            KeptColumn::Numbers(numbers) => numbers.get(row).map_or("-".to_owned(), |value| numbers.text(value)),
            _ => unreachable!(),
        };
        let kept: Vec<String> = records.kept.iter().map(value).collect();
        format!("{number} {fen} | {}", kept.join(" | "))
    });
    let rows = rows.collect();
    let messages = records.skipped.iter().chain(records.nulls.iter().map(|(_, malformed)| malformed));
    (rows, messages.map(message).collect())
}

/// The message about a record.
pub fn message(malformed: &Malformed) -> String {
    format!("{}: {}", malformed.number, malformed.what)
}
