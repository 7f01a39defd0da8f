//! The feature `serde`: values as the text that they are written as, and errors that say what was expected.

use core::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use slider_attacks::analysis::{PieceValues, Pinned, Side};
use slider_attacks::diagram::Theme;
use slider_attacks::line::Line;
use slider_attacks::position::{Castling, Color, Piece, Position};
use slider_attacks::{Backend, Slider, Square};

#[track_caller]
fn check<T: Serialize + DeserializeOwned + Debug + PartialEq + ToString>(value: T) {
    let written = serde_json::to_string(&value).expect("a value");
    assert_eq!(written, format!("\"{value}\"", value = value.to_string()));
    assert_eq!(serde_json::from_str::<T>(&written).expect("what was written"), value);
}

#[test]
fn every_value_is_its_text() {
    Square::ALL.into_iter().for_each(check);
    Slider::ALL.into_iter().for_each(check);
    Color::ALL.into_iter().for_each(check);
    Piece::ALL.into_iter().for_each(check);
    Line::ALL.into_iter().for_each(check);
    Side::ALL.into_iter().for_each(check);
    Pinned::ALL.into_iter().for_each(check);
    Theme::ALL.into_iter().for_each(check);
    Backend::available().for_each(check);
    check(PieceValues::default());
    [Castling::NONE, Castling::from_rooks(1 << 7 | 1 << 57)].into_iter().for_each(check);
    check("r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6".parse::<Position>().expect("a position"));
}

#[test]
fn errors_say_what_was_expected_and_where() {
    #[track_caller]
    fn refused<T: DeserializeOwned + Debug>(text: &str, message: &str) {
        let error = serde_json::from_str::<T>(text).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
    refused::<Square>("\"i9\"", "expected a square from a1 to h8");
    refused::<Slider>("\"knight\"", "expected one of bishop, rook, queen");
    refused::<Castling>("\"KK\"", "expected - or castling rights");
    refused::<Position>("\"4k3/8/8/8/8/8/8/8 w - -\"", "column 1: expected one white king, found 0");
    refused::<Backend>("\"mmx\"", "expected one of scalar, bmi2,");
    refused::<Square>("7", "invalid type: integer `7`, expected a text");
}
