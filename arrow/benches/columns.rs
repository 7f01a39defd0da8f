//! The functions on columns compared with those on slices, on one core, interleaved: `cargo bench -p slider-attacks-arrow`.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int64Array, StringArray, StringViewArray, StructArray, UInt8Array, UInt64Array,
};
use slider_attacks::position::Positions;
use slider_attacks::{Backend, Slider};
use slider_attacks_arrow::{Integers, Plan, PositionArray, Product, attacks};
use timing::{Rounds, Timing, random_pairs, time_passes};

const ROUNDS: Rounds = Rounds { time: Duration::from_secs(2), count: 30 };

type Contestant<'a> = (&'a str, Box<dyn FnMut() + 'a>);

/// Prints a row per contestant: times per item, and how many times as fast as the first one.
fn compare(what: &str, items: usize, mut contestants: Vec<Contestant<'_>>) {
    println!("\n{what:<44}{:>10}{:>10}{:>8}{:>8}", "ns", "median", "x", "median");
    let timings = time_passes(contestants.len(), ROUNDS, items, |at| contestants[at].1());
    let Timing { fastest, median } = timings[0];
    for ((name, _), timing) in contestants.iter().zip(&timings) {
        let (by, by_median) = (fastest / timing.fastest, median / timing.median);
        println!("{name:<44}{:>10.3}{:>10.3}{by:>8.3}{by_median:>8.3}", timing.fastest, timing.median);
    }
}

fn pairs(length: usize) {
    let (squares, occs) = random_pairs(length);
    let bytes: Vec<u8> = squares.iter().map(|square| square.index()).collect();
    let (u8s, u64s) = (UInt8Array::from(bytes.clone()), UInt64Array::from(occs.clone()));
    let i64s: Int64Array = bytes.iter().map(|&square| Some(i64::from(square))).collect();
    let nulls: UInt8Array = bytes.iter().enumerate().map(|(row, &square)| (row % 10 > 0).then_some(square)).collect();
    let backend = Backend::active();
    let mut out = vec![0; length];
    let mut again = || backend.batch_slider_attacks(Slider::Queen, &bytes, &occs, &mut out).unwrap();
    let new = || {
        let mut out = vec![0; length];
        backend.batch_slider_attacks(Slider::Queen, &bytes, &occs, &mut out).unwrap();
        black_box(out);
    };
    let column = |squares: &dyn Array| drop(black_box(attacks(Slider::Queen, &squares, &u64s).unwrap()));
    compare(
        &format!("{length} pairs, per pair"),
        length,
        vec![
            ("library, the same output", Box::new(&mut again)),
            ("library, a new output", Box::new(new)),
            ("columns", Box::new(|| column(&u8s))),
            ("columns, nulls", Box::new(|| column(&nulls))),
            ("columns, Int64 squares", Box::new(|| column(&i64s))),
        ],
    );
}

fn positions(what: &str, products: &[Product]) {
    let sample = include_str!("../../tests/data/sample.epd");
    let lines: Vec<&str> = sample.lines().filter(|line| !line.starts_with('#')).cycle().take(20_000).collect();
    let text = lines.join("\n");
    let plan = Plan::new(products.iter().copied());
    let utf8: ArrayRef = Arc::new(StringArray::from(lines.clone()));
    let views: ArrayRef = Arc::new(StringViewArray::from(lines.clone()));
    let dictionary: ArrayRef = Arc::new(lines.iter().copied().collect::<DictionaryArray<Int32Type>>());
    let boards: ArrayRef = Arc::new(StructArray::from(PositionArray::read(&utf8).unwrap().boards(Integers::Unsigned)));
    let read = PositionArray::read(&utf8).unwrap();
    let compute = |column: &ArrayRef| drop(black_box(plan.compute(column).unwrap()));
    let mut positions = Positions::new();
    let library = || {
        positions.clear();
        positions.read_lines(text.as_bytes()).unwrap();
        black_box(plan.values(&positions));
    };
    let mut positions = Positions::new();
    let one_by_one = || {
        positions.clear();
        lines.iter().for_each(|line| positions.push_fen(line.as_bytes()).unwrap());
        black_box(plan.values(&positions));
    };
    compare(
        &format!("{what}, per position"),
        lines.len(),
        vec![
            ("library, read_lines and the products", Box::new(library)),
            ("library, push_fen and the products", Box::new(one_by_one)),
            ("Utf8", Box::new(|| compute(&utf8))),
            ("Utf8View", Box::new(|| compute(&views))),
            ("dictionary of Utf8", Box::new(|| compute(&dictionary))),
            ("bitboards in columns", Box::new(|| compute(&boards))),
            ("a PositionArray", Box::new(|| drop(black_box(plan.batch(&read).unwrap())))),
        ],
    );
}

fn main() {
    println!("backend {}", Backend::active());
    [64, 4 << 10, 64 << 10, 1 << 20].into_iter().for_each(pairs);
    positions("maps", &[Product::Maps]);
    positions("all products", Product::ALL);
}
