//! The reader of positions: no text makes it panic, and a position that it accepts is the one in the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use slider_attacks::position::{Color, Piece, Positions};

fuzz_target!(|line: &[u8]| {
    let mut positions = Positions::new();
    if let Err(error) = positions.push_fen(line) {
        let message = error.to_string();
        assert!(message.len() < 200 && !message.contains('\n'), "{message:?}");
        assert!((1..=line.len() + 1).contains(&error.column), "{message:?}");
        assert!(positions.is_empty());
        return;
    }
    let mut fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
    let board = fields.next().expect("there is a board");
    let count = |letters: &[u8]| board.iter().filter(|letter| letters.contains(letter)).count();
    assert_eq!(positions.occupancies()[0].count_ones() as usize, count(b"KQRBNPkqrbnp"));
    for color in Color::ALL {
        for piece in Piece::ALL {
            let squares = positions.pieces(color, piece)[0];
            assert_eq!(squares.count_ones() as usize, count(&[piece.letter(color) as u8]), "{color} {piece}");
        }
    }
    // Text after the fourth field, blanks between fields, and the function that reads the text make no difference.
    let mut again = Positions::new();
    again.push_fen(positions.fen(0).as_bytes()).expect("it is well-formed");
    assert_eq!(again, positions);
    let four: Vec<&[u8]> = [board].into_iter().chain(fields.take(3)).collect();
    let mut text = Positions::new();
    text.read_lines(&four.join(&b' ')).expect("so is this");
    assert_eq!(text, positions);
});
