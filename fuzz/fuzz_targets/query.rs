//! The reader of conditions: any text is a condition, which holds for some of the positions, or an error in one line.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use slider_attacks::position::Positions;
use slider_attacks_arrow::{Plan, Product};
use slider_attacks_query::PositionQuery;

/// A position with captures en passant, castling, checks and promotions.
static POSITIONS: LazyLock<Positions> = LazyLock::new(|| {
    let mut positions = Positions::new();
    let fens = ["r3k2r/1P2qp2/2n2n2/3pP3/1b3P2/2N2N2/p2Q2P1/R3K2R w KQkq d6", "8/4k3/8/2r5/5P2/8/4K3/3R4 b - -"];
    fens.iter().for_each(|fen| positions.push_fen(fen).expect("it is a position"));
    positions
});

fuzz_target!(|text: &str| {
    match text.parse::<PositionQuery>() {
        Ok(query) => {
            let rows = query.rows(&Plan::new([Product::Maps]), &*POSITIONS, &());
            assert_eq!(rows.len(), POSITIONS.len());
            // Conditions are parts of others.
            let other: PositionQuery = format!("not ({text})").parse().unwrap_or(query.clone());
            let opposite = other.rows(&Plan::new([Product::Maps]), &*POSITIONS, &());
            assert!(other.text() == text || rows.iter().zip(opposite).all(|(one, other)| *one != other), "{text}");
        }
        Err(error) => {
            let message = error.to_string();
            assert!(message.len() < 2_000 && !message.contains('\n'), "{message:?}");
            assert!((1..=text.len() + 1).contains(&error.column), "{message:?}");
        }
    }
});
