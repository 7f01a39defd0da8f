//! Products of columns of positions.

use std::sync::Arc;

use arrow_array::builder::{BinaryViewBuilder, StringDictionaryBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use slider_attacks::analysis::{ExchangeRules, KeyKind, PieceValues, Pinned, Side, Status, Threats};
use slider_attacks::moves::Moves;
use slider_attacks::position::{Color, Piece, Positions};
use slider_attacks::{Backend, Square};
use slider_attacks_arrow::{
    BatchBuilder, Error, Integers, MOST_ERRORS, Notation, OnError, Plan, PositionArray, Product, Share, UncomputedRows,
};

use super::common::{Random, backends};

const SAMPLE: &str = include_str!("../../../tests/data/sample.epd");

/// Texts that are no positions. The last are one and something else on a line of its own.
const MALFORMED: [&str; 8] = [
    "",
    "nonsense",
    "8/8/8/8/8/8/8/8 w - -",
    "4k3/8/8/8/8/8/8/4K3 x - -",
    "4k3/8/8/8/8/8/8/4K3 w KK -",
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1\n4k3/8/8/8/8/8/8/4K3 b - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 w - -\rx",
    "4k3/8/8/8/8/8/8/4K3\r\nw - -",
];

fn sample() -> Vec<&'static str> {
    SAMPLE.lines().filter(|line| !line.starts_with('#')).collect()
}

/// Rows, some of them null. If `malformed`, some of the others are no positions.
fn rows(random: &mut Random, length: usize, malformed: bool) -> Vec<Option<&'static str>> {
    let sample = sample();
    (0..length)
        .map(|_| match random.below(8) {
            0 => None,
            1 if malformed => Some(MALFORMED[random.below(MALFORMED.len())]),
            _ => Some(sample[random.below(sample.len())]),
        })
        .collect()
}

/// The texts as a column of each type that is read. Under the nulls of a dictionary, keys lead nowhere.
fn columns(rows: &[Option<&str>]) -> Vec<ArrayRef> {
    let iter = || rows.iter().copied();
    let bytes = || iter().map(|row| row.map(str::as_bytes));
    let mut views = BinaryViewBuilder::new();
    bytes().for_each(|row| views.append_option(row));
    let mut dictionary = StringDictionaryBuilder::<Int32Type>::new();
    iter().for_each(|row| dictionary.append_option(row));
    let dictionary = dictionary.finish();
    let mut columns: Vec<ArrayRef> = vec![
        Arc::new(iter().collect::<StringArray>()),
        Arc::new(iter().collect::<LargeStringArray>()),
        Arc::new(iter().collect::<StringViewArray>()),
        Arc::new(bytes().collect::<BinaryArray>()),
        Arc::new(bytes().collect::<LargeBinaryArray>()),
        Arc::new(views.finish()),
        Arc::new(dictionary.clone()),
    ];
    // The keys of null rows are out of bounds, the values have a null and a text that no key leads to.
    let texts = dictionary.values().as_string::<i32>();
    for values in columns_of_values(texts) {
        let key = |row: usize| if dictionary.is_null(row) { u64::MAX } else { dictionary.keys().value(row) as u64 };
        let keys: Vec<u64> = (0..rows.len()).map(key).collect();
        let keys = UInt64Array::new(keys.into(), dictionary.nulls().cloned());
        columns.push(Arc::new(DictionaryArray::<UInt64Type>::new(keys, values.clone())));
        // The null is a value.
        let null = texts.len();
        let key = |row: usize| if dictionary.is_null(row) { null as i16 } else { dictionary.keys().value(row) as i16 };
        let keys: Int16Array = (0..rows.len()).map(|row| Some(key(row))).collect();
        columns.push(Arc::new(DictionaryArray::<Int16Type>::new(keys, values)));
    }
    columns
}

fn columns_of_values(texts: &StringArray) -> [ArrayRef; 2] {
    let all = || texts.iter().chain([None, Some("no key leads here")]);
    [
        Arc::new(all().collect::<LargeStringArray>()),
        Arc::new(all().map(|it| it.map(str::as_bytes)).collect::<BinaryArray>()),
    ]
}

fn positions_of<'a>(rows: impl IntoIterator<Item = &'a str>) -> Positions {
    let mut positions = Positions::new();
    rows.into_iter().for_each(|row| positions.push_fen(row.as_bytes()).unwrap());
    positions
}

fn is_position(row: &str) -> bool {
    row.trim().lines().count() == 1 && !row.trim().contains('\r') && Positions::new().push_fen(row.as_bytes()).is_ok()
}

/// All products, in all ways.
fn plans() -> Vec<Plan> {
    let mut plans = Vec::new();
    for (at, backend) in backends("the laws of plans").into_iter().enumerate() {
        for integers in [Integers::Unsigned, Integers::Signed] {
            let (through, victims) = (Side::ALL[at % 3], Side::ALL[(at + 1) % 3]);
            let plan = Plan::new(Product::ALL).backend(backend).through(through).victims(victims).integers(integers);
            plans.push(plan.pinned(Pinned::ALL[at % 2]).notation(Notation::ALL[at % 2]));
        }
    }
    plans
}

/// Checks that the rows of a batch that are positions have the values of `columns`, and that the others are null.
fn check(plan: &Plan, batch: &RecordBatch, rows: &[Option<&str>]) {
    let good = rows.iter().flatten().copied().filter(|row| is_position(row));
    let columns = plan.columns(&positions_of(good)).unwrap();
    assert_eq!(batch.schema(), plan.schema());
    assert_eq!((batch.num_rows(), batch.num_columns()), (rows.len(), columns.len()));
    for (found, expected) in batch.columns().iter().zip(&columns) {
        let mut next = 0;
        for (row, text) in rows.iter().enumerate() {
            if text.is_some_and(is_position) {
                assert_eq!(&found.slice(row, 1), &expected.slice(next, 1), "row {row}, {text:?}");
                next += 1;
            } else {
                assert!(found.is_null(row), "row {row}, {text:?}");
            }
        }
        assert_eq!(next, expected.len());
    }
}

#[test]
fn columns_are_those_of_the_library() {
    let positions = positions_of(sample());
    for backend in Backend::available() {
        for (through, victims) in Side::ALL.into_iter().flat_map(|through| Side::ALL.map(|victims| (through, victims)))
        {
            let pinned = Pinned::ALL[through as usize % 2];
            let values = PieceValues::new([1, 3, 4, victims as u8, 9]).unwrap();
            let rules = ExchangeRules { values, pinned };
            let plan = Plan::new(Product::ALL).backend(backend).through(through).victims(victims);
            let plan = plan.piece_values(values).pinned(pinned);
            let schema = plan.schema();
            let columns = plan.columns(&positions).unwrap();
            let column = |name: &str| &columns[schema.index_of(name).unwrap()];
            let boards = |name: &str, compute: &dyn Fn(&mut [u64])| {
                let mut out = vec![0; positions.len()];
                compute(&mut out);
                assert_eq!(column(name).as_primitive::<UInt64Type>(), &UInt64Array::from(out), "{name}");
            };
            let numbers = |name: &str, compute: &dyn Fn(&mut [[u8; 64]])| {
                let mut out = vec![[0; 64]; positions.len()];
                compute(&mut out);
                let list = column(name).as_fixed_size_list();
                assert_eq!(list.values().as_primitive::<UInt8Type>().values(), out.as_flattened(), "{name}");
            };
            for color in Color::ALL {
                let name = |of: &str| format!("{color}_{of}");
                for piece in Piece::ALL {
                    let pieces = |out: &mut [u64]| out.copy_from_slice(positions.pieces(color, piece));
                    boards(&name(&format!("{piece}s")), &pieces);
                }
                boards(&name("attacks"), &|out| backend.attack_maps(&positions, color, out).unwrap());
                numbers(&name("attackers"), &|out| backend.attacker_counts(&positions, color, out).unwrap());
                boards(&name("king_checkers"), &|out| backend.checkers(&positions, color, out).unwrap());
                boards(&name("pinned"), &|out| backend.pinned(&positions, color, out).unwrap());
                boards(&name("xrays"), &|out| backend.xray_attacks(&positions, color, through, out).unwrap());
                boards(&name("hanging"), &|out| backend.hanging(&positions, color, out).unwrap());
                boards(&name("forks"), &|out| backend.forks(&positions, color, out).unwrap());
                boards(&name("skewers"), &|out| backend.skewers(&positions, color, out).unwrap());
                let relatively_pinned = |out: &mut [_]| backend.relatively_pinned(&positions, color, out).unwrap();
                boards(&name("relatively_pinned"), &relatively_pinned);
                boards(&name("discovered"), &|out| backend.discovered(&positions, color, out).unwrap());
                boards(&name("batteries"), &|out| backend.batteries(&positions, color, out).unwrap());
                boards(&name("overloaded"), &|out| backend.overloaded(&positions, color, out).unwrap());
                boards(&name("trapped"), &|out| backend.trapped(&positions, color, rules, out).unwrap());
                boards(&name("wins"), &|out| backend.winning_captures(&positions, color, rules, out).unwrap());
                boards(&name("passed"), &|out| backend.passed_pawns(&positions, color, out).unwrap());
                boards(&name("isolated"), &|out| backend.isolated_pawns(&positions, color, out).unwrap());
                boards(&name("doubled"), &|out| backend.doubled_pawns(&positions, color, out).unwrap());
                boards(&name("backward"), &|out| backend.backward_pawns(&positions, color, out).unwrap());
                boards(&name("outposts"), &|out| backend.outposts(&positions, color, out).unwrap());
                boards(&name("king_ring"), &|out| backend.king_ring(&positions, color, out).unwrap());
                boards(&name("safe_checks"), &|out| backend.safe_checks(&positions, color, out).unwrap());
                numbers(&name("gains"), &|out| backend.exchanges(&positions, color, rules, out).unwrap());
            }
            numbers("mobility", &|out| backend.mobility(&positions, out).unwrap());
            numbers("safe_mobility", &|out| backend.safe_mobility(&positions, rules, out).unwrap());
            let mut moves = vec![0; positions.len()];
            backend.legal_moves(&positions, &mut moves).unwrap();
            assert_eq!(column("legal_moves").as_primitive::<UInt16Type>(), &UInt16Array::from(moves));
            for (name, status) in
                ["in_check", "checkmate", "stalemate", "insufficient_material"].into_iter().zip(Status::ALL)
            {
                let mut out = vec![0; positions.len()];
                backend.status(&positions, status, &mut out).unwrap();
                assert_eq!(column(name).as_primitive::<UInt16Type>(), &UInt16Array::from(out), "{name}");
            }
            for kind in KeyKind::ALL {
                boards(&format!("{kind}_key"), &|out| backend.keys(&positions, kind, out).unwrap());
            }
            assert_eq!(columns.len(), 2 * 28 + 15, "each column is looked at, the lists below");

            let mut targets = vec![[0; 64]; positions.len()];
            backend.targets(&positions, &mut targets).unwrap();
            let sets = column("targets").as_fixed_size_list();
            assert_eq!(sets.values().as_primitive::<UInt64Type>().values(), targets.as_flattened());
            type List = fn(Backend, &Positions, &mut Moves);
            let lists: [(&str, List); 3] = [
                ("moves", |backend, positions, out| backend.moves(positions, out)),
                ("checking_moves", |backend, positions, out| backend.checking_moves(positions, out)),
                ("mating_moves", |backend, positions, out| backend.mating_moves(positions, out)),
            ];
            let texts = plan.clone().notation(Notation::Uci).columns(&positions).unwrap();
            for (name, list) in lists {
                let mut moves = Moves::new();
                list(backend, &positions, &mut moves);
                let numbers = column(name).as_list::<i32>();
                let offsets: Vec<usize> = numbers.offsets().iter().map(|&offset| offset as usize).collect();
                assert_eq!(offsets, moves.offsets(), "{name}");
                let bits: Vec<u16> = moves.as_slice().iter().map(|mv| mv.bits()).collect();
                assert_eq!(numbers.values().as_primitive::<UInt16Type>().values()[..], bits, "{name}");
                let texts = texts[schema.index_of(name).unwrap()].as_list::<i32>();
                assert_eq!(texts.offsets(), numbers.offsets(), "{name}");
                let texts = texts.values().as_string::<i32>().iter().flatten();
                assert!(texts.eq(moves.as_slice().iter().map(|mv| mv.encode_uci(&mut [0; 5]).to_owned())), "{name}");
            }

            let mut threats = Threats::new();
            backend.threats(&positions, &Color::ALL, victims, &mut threats);
            let lists = column("threats").as_list::<i32>();
            let offsets: Vec<usize> = lists.offsets().iter().map(|&offset| offset as usize).collect();
            assert_eq!(offsets, threats.offsets());
            let parts = lists.values().as_struct();
            let part = |name: &str| parts.column_by_name(name).unwrap().as_primitive::<UInt8Type>().values();
            for (at, threat) in threats.as_slice().iter().enumerate() {
                let code = |(color, piece): (Color, Piece)| piece.letter(color) as u8;
                let found = ["attacker", "from", "to", "victim"].map(|name| part(name)[at]);
                assert_eq!(
                    found,
                    [
                        code(threat.attacker),
                        threat.attacker_square.index(),
                        threat.victim_square.index(),
                        code(threat.victim)
                    ]
                );
            }
        }
    }
}

/// The result in which rows that cannot be read are null, and the errors of these rows.
fn or_null(plan: &Plan, rows: &dyn Array) -> (RecordBatch, Vec<Error>) {
    let mut builder = plan.clone().on_error(OnError::Null).builder(0);
    builder.append(rows).unwrap();
    let errors = builder.errors().to_vec();
    (builder.finish().unwrap(), errors)
}

#[test]
fn rows_that_cannot_be_read_are_left_out_or_null_with_a_reason() {
    let mut random = Random(9);
    let rows = rows(&mut random, 3000, true);
    let fens: StringArray = rows.iter().copied().collect();
    let is_bad = |text: &Option<&str>| text.is_some_and(|text| !is_position(text));
    assert!(rows.iter().any(is_bad));
    for plan in plans() {
        let (nulls, errors) = or_null(&plan, &fens);
        // Null, with the reason of each row alone in a last column.
        let report = plan.clone().on_error(OnError::Report);
        let reported = report.compute(&fens).unwrap();
        assert_eq!(reported.schema(), report.schema());
        let columns = nulls.num_columns();
        assert_eq!(reported.columns()[..columns], nulls.columns()[..]);
        let reasons: Vec<Option<&str>> = reported["error"].as_string::<i32>().iter().collect();
        for (row, text) in rows.iter().enumerate() {
            let alone = PositionArray::read(&StringArray::from(vec![*text])).err();
            assert_eq!(reasons[row].map(str::to_owned), alone.map(|error| error.reason()), "row {row}");
        }
        assert_eq!(report.batch(&PositionArray::read_with(&fens, OnError::Report).unwrap()).unwrap(), reported);
        let without = report.batch(&PositionArray::read_with(&fens, OnError::Null).unwrap()).unwrap();
        assert_eq!(without.columns()[..columns], reported.columns()[..columns]);
        assert_eq!(without["error"].null_count(), rows.len());
        // Left out: the rest is what it would be without them.
        let rest: StringArray = rows.iter().filter(|text| !is_bad(text)).copied().collect();
        let skip = plan.clone().on_error(OnError::Skip);
        assert_eq!(skip.compute(&fens).unwrap(), plan.compute(&rest).unwrap());
        let read = PositionArray::read_with(&fens, OnError::Skip).unwrap();
        assert_eq!((plan.batch(&read).unwrap(), read.errors()), (plan.compute(&rest).unwrap(), &errors[..]));
        let bad: Vec<usize> = (0..rows.len()).filter(|&row| is_bad(&rows[row])).collect();
        assert_eq!(read.skipped_rows(), bad);
        let of_skipped = report.batch(&read).unwrap();
        assert_eq!(of_skipped["error"].null_count(), rest.len());
    }
}

#[test]
fn of_many_errors_the_first_are_kept_and_the_others_counted() {
    let rows = 3 * MOST_ERRORS;
    let fens: StringArray = (0..rows).map(|_| Some("?")).collect();
    for on_error in [OnError::Skip, OnError::Null, OnError::Report] {
        let plan = Plan::new([Product::Maps]).on_error(on_error);
        let mut builder = plan.builder(0);
        let mut read = PositionArray::with(on_error);
        for part in 0..3 {
            builder.append(&fens.slice(part * MOST_ERRORS, MOST_ERRORS)).unwrap();
            read.append(&fens.slice(part * MOST_ERRORS, MOST_ERRORS)).unwrap();
        }
        for (errors, count) in [(builder.errors(), builder.error_count()), (read.errors(), read.error_count())] {
            assert_eq!((errors.len(), count), (MOST_ERRORS, rows));
            assert!(errors.iter().enumerate().all(|(row, error)| error.row() == Some(row)));
        }
        let batch = builder.finish().unwrap();
        assert_eq!(plan.batch(&read).unwrap(), batch);
        if on_error == OnError::Report {
            assert_eq!(batch["error"].null_count(), 0);
        }
    }
}

#[test]
fn text_of_all_types_nulls_and_slices_gives_the_same_rows() {
    let mut random = Random(4);
    let plans = plans();
    for (length, has_nulls) in [0, 1, 2, 100, 1100].into_iter().flat_map(|length| [(length, true), (length, false)]) {
        let mut rows = rows(&mut random, length, true);
        if !has_nulls {
            rows.iter_mut().for_each(|row| _ = row.get_or_insert(SAMPLE.lines().last().unwrap()));
        }
        for (at, column) in columns(&rows).into_iter().enumerate() {
            let plan = &plans[(at + length) % plans.len()];
            let (batch, errors) = or_null(plan, &column);
            check(plan, &batch, &rows);
            let bad = |(row, text): (usize, &Option<&str>)| text.filter(|text| !is_position(text)).map(|_| row);
            let bad: Vec<usize> = rows.iter().enumerate().filter_map(bad).collect();
            let row_of = |error: &Error| error.row().unwrap();
            assert_eq!(errors.iter().map(row_of).collect::<Vec<_>>(), bad, "{}", column.data_type());
            // The first of them fails the strict call.
            match (plan.compute(&column), errors.first()) {
                (Ok(strict), None) => assert_eq!(strict, batch),
                (found, first) => assert_eq!(found.as_ref().err(), first),
            }
            // The same, read once.
            let read = PositionArray::read_with(&column, OnError::Null).unwrap();
            assert_eq!((plan.batch(&read).unwrap(), read.errors()), (batch.clone(), &errors[..]));
            assert_eq!(PositionArray::read(&column).err().as_ref(), errors.first());
            // A slice.
            let start = random.below(length + 1);
            let part = random.below(length - start + 1);
            let (sliced, errors) = or_null(plan, &column.slice(start, part));
            assert_eq!(sliced, batch.slice(start, part), "{start}, {part}, {}", column.data_type());
            let bad: Vec<usize> =
                bad.iter().filter_map(|row| row.checked_sub(start)).filter(|&row| row < part).collect();
            assert_eq!(errors.iter().map(row_of).collect::<Vec<_>>(), bad);
        }
    }
}

#[test]
fn a_line_end_within_a_text_is_an_error_and_around_it_is_none() {
    let good = "4k3/8/8/8/8/8/8/4K3 w - -";
    for length in [1, 2, 1_023, 1_024, 1_025, 3_000] {
        let texts = (0..length).map(|row| match row % 4 {
            0 => None,
            1 => Some(format!("{good}\n")),
            2 => Some(format!("\r\n {good} 0 1 \r\n\n")),
            _ => Some(good.to_owned()),
        });
        let mut texts: Vec<Option<String>> = texts.collect();
        let ones = |texts: &[Option<String>]| columns(&texts.iter().map(Option::as_deref).collect::<Vec<_>>());
        for column in ones(&texts) {
            assert_eq!(PositionArray::read(&column).unwrap().len(), length, "{}", column.data_type());
        }
        let bad = [0, length / 2, length - 1];
        bad.iter().for_each(|&row| texts[row] = Some(format!("\n{good}\r{good}\n")));
        let bad: std::collections::BTreeSet<usize> = bad.into();
        for column in ones(&texts) {
            let error = PositionArray::read(&column).unwrap_err();
            let text = format!("\n{good}\r{good}\n");
            assert_eq!(error, Error::LineEnd { row: 0, column: 27, text: text.clone() });
            assert_eq!(error.to_string(), format!("row 0, {}: {text:?}", error.reason()));
            let read = PositionArray::read_with(&column, OnError::Skip).unwrap();
            assert_eq!(read.len(), length - bad.len());
            assert!(read.errors().iter().map(|error| error.row().unwrap()).eq(bad.iter().copied()));
        }
    }
}

#[test]
fn a_column_of_nulls_has_no_position() {
    let (batch, errors) = or_null(&Plan::new(Product::ALL), &NullArray::new(3));
    assert!(errors.is_empty() && batch.columns().iter().all(|column| column.null_count() == 3));
    let keys = Int8Array::new_null(3);
    let empty = DictionaryArray::<Int8Type>::new(keys, Arc::new(StringArray::from(Vec::<&str>::new())));
    assert_eq!(Plan::new(Product::ALL).compute(&empty).unwrap(), batch);
}

#[test]
fn signed_columns_have_the_same_bytes() {
    fn check(unsigned: &ArrayRef, signed: &ArrayRef) {
        let (unsigned, signed) = (unsigned.to_data(), signed.to_data());
        assert_eq!((unsigned.len(), unsigned.nulls()), (signed.len(), signed.nulls()));
        assert_eq!(unsigned.buffers(), signed.buffers());
        let kinds = [unsigned.data_type(), signed.data_type()];
        let pairs = [
            [DataType::UInt64, DataType::Int64],
            [DataType::UInt16, DataType::Int16],
            [DataType::UInt8, DataType::Int8],
        ];
        assert!(kinds[0].is_nested() || pairs.iter().any(|pair| kinds == pair.each_ref()), "{kinds:?}");
        for (unsigned, signed) in unsigned.child_data().iter().zip(signed.child_data()) {
            check(&make_array(unsigned.clone()), &make_array(signed.clone()));
        }
    }
    let rows = rows(&mut Random(5), 300, false);
    let fens: StringArray = rows.into_iter().collect();
    let plan = Plan::new(Product::ALL);
    let (unsigned, signed) = (plan.compute(&fens).unwrap(), plan.integers(Integers::Signed).compute(&fens).unwrap());
    unsigned.columns().iter().zip(signed.columns()).for_each(|(unsigned, signed)| check(unsigned, signed));
}

#[test]
fn bitboards_in_columns_give_the_same_positions_and_products() {
    let mut random = Random(6);
    let plan = Plan::new(Product::ALL);
    for (length, integers) in
        [0, 1, 300].into_iter().flat_map(|it| [Integers::Unsigned, Integers::Signed].map(|i| (it, i)))
    {
        let fens: StringArray = rows(&mut random, length, false).into_iter().collect();
        let read = PositionArray::read(&fens).unwrap();
        let boards = read.boards(integers);
        assert_eq!(boards.schema(), PositionArray::boards_schema(integers));
        assert!(boards.columns()[..14].iter().all(|column| column.logical_nulls().as_ref() == read.nulls()));
        let columns = StructArray::from(boards);
        let again = PositionArray::read(&columns).unwrap();
        assert_eq!((again.positions(), again.nulls()), (read.positions(), read.nulls()));
        assert_eq!(again.fens(), read.fens());
        let batch = plan.compute(&fens).unwrap();
        assert_eq!(plan.compute(&columns).unwrap(), batch);
        let (start, part) = (length / 3, length / 2);
        assert_eq!(plan.compute(&columns.slice(start, part)).unwrap(), batch.slice(start, part));
    }
    let four_fields = |line: &str| line.split_ascii_whitespace().take(4).collect::<Vec<_>>().join(" ");
    let expected: StringArray = sample().into_iter().map(|line| Some(four_fields(line))).collect();
    assert_eq!(PositionArray::read(&expected).unwrap().fens(), expected);
}

/// Columns of bitboards of the initial position in three rows, with some of them changed.
fn boards(change: impl Fn(&str, ArrayRef) -> Option<ArrayRef>) -> StructArray {
    let initial = sample()[0];
    let batch = PositionArray::read(&StringArray::from(vec![initial; 3])).unwrap().boards(Integers::Unsigned);
    let schema = batch.schema();
    let columns = schema.fields().iter().zip(batch.columns());
    let columns = columns.filter_map(|(field, column)| {
        let column = change(field.name(), column.clone())?;
        Some((Arc::new(field.as_ref().clone().with_data_type(column.data_type().clone())), column))
    });
    StructArray::from(columns.collect::<Vec<_>>())
}

#[test]
fn what_the_columns_beside_the_bitboards_may_be() {
    // The keys and the moves depend on these columns.
    let of_moves = [Product::Moves, Product::CheckingMoves, Product::MatingMoves, Product::Targets];
    let is_of_pieces = |product: &&Product| **product != Product::Keys && !of_moves.contains(product);
    let plan = Plan::new(Product::ALL.iter().filter(is_of_pieces));
    let all = boards(|_, column| Some(column));
    let expected = plan.compute(&all).unwrap();
    let only_pieces =
        boards(|name, column| (name.starts_with("white_") || name.starts_with("black_")).then_some(column));
    assert_eq!(plan.compute(&only_pieces).unwrap(), expected);
    assert!(PositionArray::read(&only_pieces).unwrap().fens().value(0).ends_with(" w - -"));
    let others = boards(|name, column| {
        Some(match name {
            "side_to_move" => Arc::new(BinaryViewArray::from(vec![&b"b"[..]; 3])),
            "castling" => Arc::new(vec!["Kq"; 3].into_iter().collect::<DictionaryArray<Int8Type>>()),
            "en_passant" => Arc::new(Int64Array::from(vec![Some(i64::from(Square::E3.index())), None, Some(40)])),
            _ => column,
        })
    });
    assert_eq!(plan.compute(&others).unwrap(), expected);
    let fens = PositionArray::read(&others).unwrap().fens();
    let ends: Vec<&str> = fens.iter().map(|fen| fen.unwrap().split_once(' ').unwrap().1).collect();
    assert_eq!(ends, ["b Kq e3", "b Kq -", "b Kq a6"]);
}

#[test]
fn a_null_in_any_column_of_bitboards_makes_the_row_null() {
    let middle = || Some(NullBuffer::from(vec![true, false, true]));
    let is_null = |columns: &StructArray| {
        let read = PositionArray::read(columns).unwrap();
        [0, 1, 2].map(|row| read.is_null(row))
    };
    let schema = PositionArray::boards_schema(Integers::Unsigned);
    for field in schema.fields().iter().filter(|field| field.name() != "en_passant") {
        let columns = boards(|name, column| {
            let with_null = || make_array(column.to_data().into_builder().nulls(middle()).build().unwrap());
            Some(if name == field.name() { with_null() } else { column })
        });
        assert_eq!(is_null(&columns), [false, true, false], "{field}");
    }
    // A null of the struct, over a row that is no position.
    let no_king: ArrayRef = Arc::new(UInt64Array::from(vec![16, 0, 16]));
    let columns = boards(|name, column| Some(if name == "white_king" { no_king.clone() } else { column }));
    let (fields, columns, _) = columns.into_parts();
    assert_eq!(is_null(&StructArray::new(fields, columns, middle())), [false, true, false]);
}

#[test]
fn columns_of_type_null_are_columns_of_nulls() {
    let none: ArrayRef = Arc::new(NullArray::new(3));
    for name in ["white_rook", "side_to_move", "castling"] {
        let read =
            PositionArray::read(&boards(|of, array| Some(if of == name { none.clone() } else { array }))).unwrap();
        assert_eq!(read.nulls().unwrap().null_count(), read.len(), "{name}");
    }
    let all = PositionArray::read(&boards(|_, array| Some(array))).unwrap();
    let read = boards(|of, array| Some(if of == "en_passant" { none.clone() } else { array }));
    let read = PositionArray::read(&read).unwrap();
    assert!(read.nulls().is_none() && read.positions().en_passant().iter().all(Option::is_none));
    assert_eq!(read.positions().occupancies(), all.positions().occupancies());
}

#[test]
fn bitboards_that_are_no_position_are_errors_with_the_row() {
    let changed =
        |column: &'static str, to: ArrayRef| boards(move |name, it| Some(if name == column { to.clone() } else { it }));
    let unsigned = |values: [u64; 3]| -> ArrayRef { Arc::new(UInt64Array::from(values.to_vec())) };
    for (columns, message) in [
        (changed("white_king", unsigned([16, 0, 16])), "row 1: expected one white king, found 0"),
        (changed("black_king", unsigned([1 << 60, 1 << 60, 3 << 36])), "row 2: expected one black king, found 2"),
        (
            changed("white_pawn", unsigned([0x100ff00, 0x10000, 1])),
            "row 2: expected at most one piece on a1, found several",
        ),
        (
            changed("side_to_move", Arc::new(StringArray::from(vec!["w", "b", "white"]))),
            "row 2, column side_to_move: expected w or b, found \"white\"",
        ),
        (
            changed("castling", Arc::new(StringArray::from(vec!["-", "KK", ""]))),
            "row 1, column castling: expected - or letters of KQkq, A-H and a-h, none twice, found \"KK\"",
        ),
        (changed("en_passant", Arc::new(Int8Array::from(vec![16, -1, 0]))), "row 1: square -1 is not on the board"),
        (
            changed("en_passant", Arc::new(UInt8Array::from(vec![16, 0, 0]))),
            "row 1: expected an en passant square on rank 3 or 6, found a1",
        ),
    ] {
        let error = PositionArray::read(&columns).unwrap_err();
        assert_eq!(error.to_string(), message);
        let read = PositionArray::read_with(&columns, OnError::Null).unwrap();
        assert_eq!(read.errors()[0], error);
        let rows: Vec<usize> = read.errors().iter().filter_map(Error::row).collect();
        assert_eq!((0..3).filter(|&row| read.is_null(row)).collect::<Vec<_>>(), rows);
    }
    let missing = boards(|name, column| (name != "black_queen").then_some(column));
    assert_eq!(
        PositionArray::read(&missing).unwrap_err().to_string(),
        "column black_queen is missing: bitboards are twelve columns, white_pawn to black_king"
    );
}

#[test]
fn other_types_are_errors_that_name_the_type() {
    let message = |column: &dyn Array| PositionArray::read(column).unwrap_err().to_string();
    let expected = "expected strings or bytes, or a dictionary of them";
    assert_eq!(message(&Int32Array::from(vec![1])), format!("column positions: {expected}, found Int32"));
    assert_eq!(message(&Int32Array::from(Vec::<i32>::new())), format!("column positions: {expected}, found Int32"));
    let numbers = DictionaryArray::<Int8Type>::new(vec![0].into(), Arc::new(Int32Array::from(vec![1])));
    assert_eq!(message(&numbers), format!("column positions: {expected}, found Dictionary(Int8, Int32)"));
    let pawns = boards(|name, column| {
        Some(if name == "black_pawn" { Arc::new(Float64Array::from(vec![0.0; 3])) } else { column })
    });
    assert_eq!(message(&pawns), "column black_pawn: expected UInt64 or Int64, found Float64");
    let side = boards(|name, column| {
        Some(if name == "side_to_move" { Arc::new(BooleanArray::from(vec![true; 3])) } else { column })
    });
    assert_eq!(message(&side), format!("column side_to_move: {expected}, found Boolean"));
}

#[test]
fn pieces_of_a_column_one_after_the_other_give_the_whole() {
    let mut random = Random(7);
    let rows = rows(&mut random, 5000, true);
    let fens: StringArray = rows.iter().copied().collect();
    for plan in plans() {
        let (batch, errors) = or_null(&plan, &fens);
        let (mut builder, mut read) =
            (plan.clone().on_error(OnError::Null).builder(100), PositionArray::with(OnError::Null));
        let mut start = 0;
        while start < fens.len() {
            let part = random.below(2000).min(fens.len() - start);
            builder.append(&fens.slice(start, part)).unwrap();
            read.append(&fens.slice(start, part)).unwrap();
            start += part;
            assert_eq!((builder.len(), read.len()), (start, start));
            let nulls = rows[..start].iter().filter(|row| row.is_none_or(|text| !is_position(text)));
            assert_eq!(read.nulls().map_or(0, NullBuffer::null_count), nulls.count());
        }
        assert_eq!((builder.errors(), read.errors()), (&errors[..], &errors[..]));
        assert_eq!((builder.finish().unwrap(), plan.batch(&read).unwrap()), (batch.clone(), batch));
    }
}

/// Columns of few rows share memory, those of more rows do not, and a result may grow from one to the other.
#[test]
fn results_of_few_rows_are_those_of_positions_that_were_read() {
    let mut random = Random(13);
    for (plan, length) in plans().into_iter().flat_map(|plan| (0..40).map(move |length| (plan.clone(), length))) {
        let on_error = [OnError::Skip, OnError::Null, OnError::Report][length % 3];
        let (plan, fens) = (plan.on_error(on_error), StringArray::from(rows(&mut random, length, true)));
        let (mut builder, mut read) = (plan.builder(random.below(20)), PositionArray::with(on_error));
        let mut start = 0;
        while start < length {
            let part = (1 + random.below(20)).min(length - start);
            builder.append(&fens.slice(start, part)).unwrap();
            read.append(&fens.slice(start, part)).unwrap();
            start += part;
        }
        let (columns, batch) = (builder.finish_values().unwrap(), plan.batch(&read).unwrap());
        assert_eq!(
            (columns.num_rows(), columns.schema(), columns.batch()),
            (read.len(), batch.schema_ref(), batch.clone())
        );
        assert!(batch.columns().iter().enumerate().all(|(place, column)| &columns.column(place) == column));
    }
}

#[test]
fn shares_give_the_whole_in_any_order() {
    let mut random = Random(11);
    let fens: StringArray = rows(&mut random, 5000, true).into_iter().collect();
    for (plan, &on_error) in
        plans().into_iter().flat_map(|plan| OnError::ALL[1..].iter().map(move |on| (plan.clone(), on)))
    {
        let plan = plan.on_error(on_error);
        let mut builder = plan.builder(0);
        let mut start = 0;
        while start < fens.len() {
            let mut slices = Vec::new();
            for _ in 0..random.below(5) {
                let part = random.below(700).min(fens.len() - start);
                slices.push(fens.slice(start, part));
                start += part;
            }
            let pieces: Vec<UncomputedRows<'_>> = slices.iter().map(|slice| UncomputedRows::Column(slice)).collect();
            let backwards = |shares: &mut [Share<'_>]| {
                shares.iter_mut().rev().for_each(Share::compute);
                shares.iter_mut().for_each(Share::compute); // has nothing left to do
            };
            builder.append_shared(&pieces, backwards).unwrap();
        }
        let errors = (builder.errors().to_vec(), builder.error_count());
        let read = PositionArray::read_with(&fens, on_error).unwrap();
        assert_eq!(errors, (read.errors().to_vec(), read.error_count()));
        let skipped = if on_error == OnError::Skip { read.error_count() } else { 0 };
        assert_eq!((builder.skipped_rows(), skipped), (read.skipped_rows(), read.skipped_rows().len()));
        let whole = plan.batch(&read).unwrap();
        assert_eq!(builder.finish().unwrap(), whole);
        // Positions that have been read have no errors left to report.
        if on_error != OnError::Report {
            let mut builder = plan.builder(0);
            let (length, half) = (read.len(), read.len() / 3);
            let pieces = [
                UncomputedRows::Positions(&read, 0..half),
                UncomputedRows::Positions(&read, half..half),
                UncomputedRows::Positions(&read, half..length),
            ];
            builder.append_shared(&pieces, |shares| shares.iter_mut().for_each(Share::compute)).unwrap();
            assert_eq!(builder.finish().unwrap(), whole);
        }
    }
}

#[test]
#[should_panic(expected = "rows 1..3 of 2")]
fn shares_of_positions_that_there_are_not() {
    let read = PositionArray::read(&StringArray::from(vec!["4k3/8/8/8/8/8/8/4K3 w - -"; 2])).unwrap();
    let _ = Plan::new(Product::ALL).builder(2).append_shared(&[UncomputedRows::Positions(&read, 1..3)], |_| {});
}

#[test]
fn a_piece_with_an_error_adds_nothing() {
    let mut random = Random(8);
    let plan = Plan::new(Product::ALL);
    let good: StringArray = rows(&mut random, 1500, false).into_iter().collect();
    // The bad row is in the second part that is computed at a time.
    let bad: StringArray = rows(&mut random, 1400, false).into_iter().chain([Some("x")]).collect();
    let numbers = Int32Array::from(vec![1]);
    let check = |builder: &mut BatchBuilder, read: &mut PositionArray| {
        let before = builder.len();
        for column in [&bad as &dyn Array, &numbers] {
            let errors = (builder.append(column).unwrap_err(), read.append(column).unwrap_err());
            assert_eq!(errors.0, errors.1);
            assert_eq!(errors.0.row(), (column.len() > 1).then_some(before + 1400));
            assert_eq!((builder.len(), read.len()), (before, before));
        }
    };
    let (mut builder, mut read) = (plan.builder(0), PositionArray::new());
    for _ in 0..2 {
        check(&mut builder, &mut read);
        builder.append(&good).unwrap();
        read.append(&good).unwrap();
    }
    check(&mut builder, &mut read);
    let once = plan.compute(&good).unwrap();
    let twice = builder.finish().unwrap();
    assert_eq!((twice.slice(0, 1500), twice.slice(1500, 1500)), (once.clone(), once));
    assert_eq!(plan.batch(&read).unwrap(), twice);
}

#[test]
fn a_plan_has_each_product_once_in_their_order() {
    let plan = Plan::new([Product::Pins, Product::Maps, Product::Pins]);
    assert_eq!(plan.products(), [Product::Maps, Product::Pins]);
    let names: Vec<String> = plan.schema().fields().iter().map(|field| field.name().clone()).collect();
    let expected = [
        "white_attacks",
        "black_attacks",
        "white_king_checkers",
        "black_king_checkers",
        "white_pinned",
        "black_pinned",
    ];
    assert_eq!(names, expected);
    let nothing = Plan::new([Product::Maps; 0]).compute(&StringArray::from(vec![sample()[0]; 3])).unwrap();
    assert_eq!((nothing.num_rows(), nothing.num_columns()), (3, 0));
    for product in Product::ALL {
        assert_eq!(product.name().parse(), Ok(*product));
    }
    for on_error in OnError::ALL {
        assert_eq!(on_error.name().parse(), Ok(*on_error));
    }
    assert_eq!("signed".parse(), Ok(Integers::Signed));
    let error = "Maps".parse::<Product>().unwrap_err().to_string();
    let names: Vec<&str> = Product::ALL.iter().map(|product| product.name()).collect();
    assert_eq!(error, format!("expected one of {}, found \"Maps\"", names.join(", ")));
}
