//! The command's reader of positions: whatever the text, no panic; and what it accepts, it has read as it stands there.

#![no_main]

use libfuzzer_sys::fuzz_target;
use position::Position;

#[path = "../../cli/src/position.rs"]
mod position;

fuzz_target!(|line: &str| {
    let position = match Position::parse(line) {
        Ok(position) => position,
        Err(error) => {
            let message = error.to_string();
            assert!(message.len() < 2_000 && !message.contains('\n'), "{message:?}");
            return;
        }
    };
    let fields: Vec<&str> = line.split_ascii_whitespace().take(4).collect();
    let count = |letters: &str| fields[0].chars().filter(|&letter| letters.contains(letter)).count();
    assert_eq!(position.occupancy().count_ones() as usize, count("KQRBNPkqrbnp"));
    assert_eq!(position.sliders().count(), count("QRBqrb"));
    for (square, letter, slider) in position.sliders() {
        assert_ne!(position.occupancy() & square.bitboard(), 0, "{letter} on {square}, {slider}");
    }
    // What comes after the fourth field, and the blanks between them, make no difference.
    assert_eq!(Position::parse(&fields.join(" ")), Ok(position));
});
