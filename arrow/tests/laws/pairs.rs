//! Attack sets of columns of squares and occupancies.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt64Type};
use arrow_array::*;
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use slider_attacks::{Backend, Slider};
use slider_attacks_arrow::{Error, Integers, attack_sets, attack_sets_with, attacks, attacks_with};

use super::Nulls;
use super::common::{Random, backends};

const LENGTHS: [usize; 9] = [0, 1, 7, 8, 16, 63, 64, 129, 1000];

/// The squares as a column of each type of integers. What is no square lies under the nulls.
fn columns_of_squares(squares: &[u8], nulls: Option<&NullBuffer>, random: &mut Random) -> Vec<ArrayRef> {
    macro_rules! columns {
        ($($array:ident $type:ident)*) => {
            vec![$({
                let garbage = [$type::MIN, $type::MAX, 64, 100];
                let value = |(row, &square): (usize, &u8)| match nulls {
                    Some(nulls) if nulls.is_null(row) => garbage[random.below(4)],
                    _ => square as $type,
                };
                let values: Vec<$type> = squares.iter().enumerate().map(value).collect();
                Arc::new($array::new(values.into(), nulls.cloned())) as ArrayRef
            }),*]
        };
    }
    columns!(UInt8Array u8 UInt16Array u16 UInt32Array u32 UInt64Array u64 Int8Array i8 Int16Array i16 Int32Array i32
        Int64Array i64)
}

/// The bitboards as a column of each type that holds bitboards.
fn columns_of_boards(boards: &[u64], nulls: Option<&NullBuffer>) -> [ArrayRef; 2] {
    let array = UInt64Array::new(boards.to_vec().into(), nulls.cloned());
    [Integers::Unsigned.bitboards(array.clone()), Integers::Signed.bitboards(array)]
}

fn is_valid(nulls: &Option<NullBuffer>, row: usize) -> bool {
    nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row))
}

#[test]
fn attacks_are_those_of_the_library_for_all_types_nulls_and_slices() {
    let backends = backends("the laws of columns");
    let mut random = Random(1);
    for length in LENGTHS {
        let numbers: Vec<u8> = (0..length).map(|_| random.square().index()).collect();
        let boards: Vec<u64> = (0..length).map(|_| random.board()).collect();
        for (square_nulls, occ_nulls) in Nulls::ALL.into_iter().flat_map(|nulls| Nulls::ALL.map(|it| (nulls, it))) {
            let nulls = [square_nulls, occ_nulls].map(|nulls| nulls.buffer(&mut random, length));
            let slider = Slider::ALL[random.below(3)];
            let expected: UInt64Array = (0..length)
                .map(|row| {
                    let square = slider_attacks::Square::ALL[usize::from(numbers[row])];
                    nulls.iter().all(|nulls| is_valid(nulls, row)).then(|| slider.attacks(square, boards[row]))
                })
                .collect();
            for squares in columns_of_squares(&numbers, nulls[0].as_ref(), &mut random) {
                for occs in columns_of_boards(&boards, nulls[1].as_ref()) {
                    let what = format!("{slider}, {}, {}, {nulls:?}", squares.data_type(), occs.data_type());
                    let backend = backends[random.below(backends.len())];
                    assert_eq!(attacks_with(backend, slider, &squares, &occs).unwrap(), expected, "{backend}, {what}");
                    let start = random.below(length + 1);
                    let part = random.below(length - start + 1);
                    let found = attacks(slider, &squares.slice(start, part), &occs.slice(start, part)).unwrap();
                    assert_eq!(found, expected.slice(start, part), "{start}, {part}, {what}");
                }
            }
        }
    }
}

#[test]
fn every_backend_and_slider_gives_the_same_column() {
    let mut random = Random(2);
    let squares: UInt8Array = (0..300).map(|_| (random.below(5) > 0).then(|| random.square().index())).collect();
    let occs: UInt64Array = (0..300).map(|_| (random.below(5) > 0).then(|| random.board())).collect();
    super::common::for_each(|backend, slider| {
        let expected = attacks_with(Backend::scalar(), slider, &squares, &occs).unwrap();
        assert_eq!(attacks_with(backend, slider, &squares, &occs).unwrap(), expected, "{backend}, {slider}");
        let expected = attack_sets_with(Backend::scalar(), &occs, &expected, &occs).unwrap();
        let sets = attacks_with(backend, slider, &squares, &occs).unwrap();
        assert_eq!(attack_sets_with(backend, &occs, &sets, &occs).unwrap(), expected, "{backend}, {slider}");
    });
}

#[test]
fn attack_sets_are_those_of_the_library_for_all_types_nulls_and_slices() {
    let mut random = Random(3);
    for (length, nulls) in LENGTHS.into_iter().flat_map(|length| Nulls::ALL.map(|nulls| (length, nulls))) {
        let boards = [(); 3].map(|()| (0..length).map(|_| random.board()).collect::<Vec<u64>>());
        let nulls = [(); 3].map(|()| nulls.buffer(&mut random, length));
        let expected: UInt64Array = (0..length)
            .map(|row| {
                let attacks = slider_attacks::set_attacks(boards[0][row], boards[1][row], boards[2][row]);
                nulls.iter().all(|nulls| is_valid(nulls, row)).then_some(attacks)
            })
            .collect();
        for form in 0..8 {
            let [orthogonal, diagonal, occs] =
                std::array::from_fn(|at| columns_of_boards(&boards[at], nulls[at].as_ref())[form >> at & 1].clone());
            assert_eq!(attack_sets(&orthogonal, &diagonal, &occs).unwrap(), expected);
            let (start, part) = (length / 3, length / 2);
            let slice = |column: ArrayRef| column.slice(start, part);
            let found = attack_sets(&slice(orthogonal), &slice(diagonal), &slice(occs)).unwrap();
            assert_eq!(found, expected.slice(start, part));
        }
    }
}

#[test]
fn a_scalar_stands_for_a_column_of_equal_values() {
    let (square, occ) = (UInt8Array::new_scalar(27), Int64Array::new_scalar(-1));
    let squares = Int16Array::from(vec![Some(27), None, Some(0)]);
    let occs = UInt64Array::from(vec![Some(u64::MAX), Some(0), None]);
    let whole = |slider, squares: &dyn Array, occs: &dyn Array| attacks(slider, &squares, &occs).unwrap();
    for slider in Slider::ALL {
        let expected = whole(slider, &squares, &Int64Array::from(vec![-1; 3]));
        assert_eq!(attacks(slider, &squares, &occ).unwrap(), expected);
        assert_eq!(attacks(slider, &square, &occs).unwrap(), whole(slider, &UInt8Array::from(vec![27; 3]), &occs));
        assert_eq!(attacks(slider, &square, &occ).unwrap(), expected.slice(0, 1));
        let null = Scalar::new(UInt64Array::from(vec![None]));
        assert_eq!(attacks(slider, &squares, &null).unwrap(), UInt64Array::new_null(3));
        assert_eq!(attack_sets(&occs, &null, &occ).unwrap(), UInt64Array::new_null(3));
        assert_eq!(attacks(slider, &squares.slice(0, 0), &occ).unwrap().len(), 0);
        // A scalar that is no square matters only if a row needs it.
        let off = Int32Array::new_scalar(-7);
        assert_eq!(attacks(slider, &off, &null).unwrap(), UInt64Array::new_null(1));
        assert_eq!(attacks(slider, &off, &occs.slice(2, 1)).unwrap(), UInt64Array::new_null(1));
        let occs = UInt64Array::from(vec![None, Some(0)]);
        assert_eq!(attacks(slider, &off, &occs), Err(Error::Square { row: 1, column: "squares", square: -7 }));
    }
}

#[test]
fn what_is_no_square_is_an_error_with_its_row_and_value() {
    fn check(squares: impl Array, row: usize, square: i128) {
        let occs = UInt64Array::from(vec![0; squares.len()]);
        let error = attacks(Slider::Queen, &squares, &occs).unwrap_err();
        assert_eq!(error, Error::Square { row, column: "squares", square });
        assert_eq!(
            (error.row(), error.to_string()),
            (Some(row), format!("row {row}: square {square} is not on the board"))
        );
        let end = squares.len() - 1;
        let found = attacks(Slider::Queen, &squares.slice(1, end), &occs.slice(1, end));
        assert_eq!(
            found,
            Err(Error::Square { row: row - 1, column: "squares", square }),
            "rows count from the first of the slice"
        );
    }
    check(UInt8Array::from(vec![Some(0), None, Some(64), Some(99)]), 2, 64);
    check(Int8Array::from(vec![Some(0), None, Some(63), Some(-1)]), 3, -1);
    check(UInt16Array::from(vec![0, 256, 63]), 1, 256);
    check(Int16Array::from(vec![0, i16::MIN, 64]), 1, i16::MIN.into());
    check(UInt32Array::from(vec![0, 1 << 31, 64]), 1, 1 << 31);
    check(Int32Array::from(vec![0, -192, 64]), 1, -192);
    check(UInt64Array::from(vec![0, u64::MAX, 64]), 1, u64::MAX.into());
    check(Int64Array::from(vec![0, 1 << 40, 64]), 1, 1 << 40);
}

#[test]
fn columns_of_other_types_or_lengths_are_errors_that_name_the_column() {
    let (squares, occs) = (UInt8Array::from(vec![0; 2]), UInt64Array::from(vec![0; 2]));
    let text: ArrayRef = Arc::new(StringArray::from(vec!["0"; 2]));
    let message = |found: Result<UInt64Array, Error>| found.unwrap_err().to_string();
    let of = |squares: &dyn Datum, occs: &dyn Datum| message(attacks(Slider::Rook, squares, occs));
    assert_eq!(of(&text, &occs), "column squares: expected integers, found Utf8");
    assert_eq!(of(&Float32Array::from(vec![0.0; 2]), &occs), "column squares: expected integers, found Float32");
    assert_eq!(of(&squares, &text), "column occupancies: expected UInt64 or Int64, found Utf8");
    assert_eq!(of(&squares, &squares), "column occupancies: expected UInt64 or Int64, found UInt8");
    assert_eq!(of(&squares, &occs.slice(0, 1)), "column occupancies: expected 2 rows, found 1");
    assert_eq!(message(attack_sets(&text, &occs, &occs)), "column orthogonal: expected UInt64 or Int64, found Utf8");
    let short = occs.slice(1, 1);
    assert_eq!(message(attack_sets(&occs, &short, &occs)), "column diagonal: expected 2 rows, found 1");
    assert_eq!(
        message(attack_sets(&short, &UInt64Array::new_scalar(0), &occs)),
        "column occupancies: expected 1 rows, found 2"
    );
}

#[test]
fn signed_bitboards_have_the_same_bits_at_the_same_place() {
    let boards = UInt64Array::from(vec![Some(1 << 63), None, Some(u64::MAX)]);
    let signed = Integers::Signed.bitboards(boards.clone());
    let values = signed.as_primitive::<Int64Type>();
    assert_eq!(values, &Int64Array::from(vec![Some(i64::MIN), None, Some(-1)]));
    assert_eq!(values.values().inner().as_ptr(), boards.values().inner().as_ptr(), "nothing is copied");
    let unsigned = Integers::Unsigned.bitboards(boards.clone());
    assert_eq!(unsigned.as_primitive::<UInt64Type>(), &boards);
    assert_eq!([signed.data_type(), unsigned.data_type()], [&DataType::Int64, &DataType::UInt64]);
}
