//! Summaries against the values of each position, summed by a plain loop.

use slider_attacks::position::Positions;
use slider_attacks::{Backend, BatchError};
use slider_attacks_arrow::{ColumnKind, Plan, Product, Summary, Values};

use crate::common::Random;

fn positions(random: &mut Random, length: usize) -> Positions {
    let sample = include_str!("../../../tests/data/sample.epd");
    let lines: Vec<&str> = sample.lines().filter(|line| !line.starts_with('#')).collect();
    let mut positions = Positions::new();
    positions.push_fens((0..length).map(|_| lines[random.below(lines.len())].as_bytes())).unwrap();
    positions
}

/// For each part of each column: its name, and for each group the positions with a value that is not zero, and the sum; by
/// square, or once for the position.
type Expected = Vec<(String, Vec<[Vec<u64>; 2]>)>;

fn expected(plan: &Plan, positions: &Positions, groups: &[u32], room: usize) -> Expected {
    let mut all = Expected::new();
    let mut add = |name: &str, values: usize, value: &dyn Fn(usize, usize) -> u64| {
        let mut sums = vec![[vec![0; values], vec![0; values]]; room];
        for (index, &group) in groups.iter().enumerate() {
            let [present, sum] = &mut sums[group as usize];
            for square in 0..values {
                let value = value(index, square);
                present[square] += u64::from(value > 0);
                sum[square] += value;
            }
        }
        all.push((name.to_owned(), sums));
    };
    for (column, values) in plan.product_columns().zip(plan.values(positions)) {
        let name = column.name();
        match values {
            _ if matches!(column.kind(), ColumnKind::Key | ColumnKind::Sets) => {}
            Values::Boards(boards) => add(name, 64, &|index, square| boards[index] >> square & 1),
            Values::Numbers(numbers) => add(name, 64, &|index, square| u64::from(numbers[index][square])),
            Values::Number(numbers) => add(name, 1, &|index, _| u64::from(numbers[index])),
            Values::Moves { offsets, moves, .. } => add(name, 64, &|index, square| {
                let targets = moves[offsets[index]..offsets[index + 1]].iter().map(|mv| mv.target().index());
                targets.filter(|&target| usize::from(target) == square).count() as u64
            }),
            Values::Threats { offsets, threats } => {
                for (name, is_white) in [("white_threats", true), ("black_threats", false)] {
                    add(name, 64, &|index, square| {
                        let of = |threat: &&[u8; 4]| threat[0].is_ascii_uppercase() == is_white;
                        let of_position = threats[offsets[index]..offsets[index + 1]].iter().filter(of);
                        of_position.filter(|threat| usize::from(threat[2]) == square).count() as u64
                    });
                }
            }
            _ => panic!("no product has columns of this kind"),
        }
    }
    all
}

fn check(summary: &Summary, expected: &Expected, groups: &[u32], what: &str) {
    assert!(summary.columns().iter().map(|column| column.name()).eq(expected.iter().map(|(name, _)| name)), "{what}");
    for group in 0..summary.groups() {
        let positions = groups.iter().filter(|&&other| other as usize == group).count();
        assert_eq!((summary.positions(group), summary.nulls(group)), (positions as u64, 0), "{what}, group {group}");
        for (column, (name, sums)) in summary.columns().iter().zip(expected) {
            assert_eq!([column.present(group), column.sum(group)], sums[group], "{what}, {name}, group {group}");
            assert_eq!(column.is_single(), column.sum(group).len() == 1, "{what}, {name}");
        }
    }
}

#[test]
fn all_products_by_any_groups() {
    let mut random = Random(1);
    for length in [0, 1, 65, 1_100] {
        let positions = positions(&mut random, length);
        for room in [1, 3, 100, 9_000].into_iter().take(1 + length) {
            let any: Vec<u32> = (0..length).map(|_| random.below(room) as u32).collect();
            let mut sorted = any.clone();
            sorted.sort_unstable();
            for backend in [Backend::active(), Backend::scalar()] {
                let plan = Plan::new(Product::ALL).backend(backend);
                for (groups, order) in [(&any, "any order"), (&sorted, "sorted")] {
                    let what = format!("{backend}, {length} positions, {room} groups, {order}");
                    let mut summary = Summary::new(&plan, room);
                    plan.summarize(&positions, Some(groups), &mut summary).unwrap();
                    check(&summary, &expected(&plan, &positions, groups, room), groups, &what);
                }
                if room == 1 {
                    let mut summary = Summary::new(&plan, 1);
                    plan.summarize(&positions, None, &mut summary).unwrap();
                    check(&summary, &expected(&plan, &positions, &any, 1), &any, "no groups");
                }
            }
        }
    }
}

#[test]
fn each_product_by_itself_and_parts_that_add_up() {
    let mut random = Random(2);
    let positions = positions(&mut random, 500);
    let groups: Vec<u32> = (0..500).map(|_| random.below(4) as u32).collect();
    for product in Product::ALL {
        let plan = Plan::new([product]);
        let expected = expected(&plan, &positions, &groups, 4);
        let mut whole = Summary::new(&plan, 2);
        for (number, part) in groups.chunks(100).enumerate() {
            let some = positions.slice(0..500).slice(100 * number..500).slice(0..part.len());
            // The groups of the part in another order.
            let own: Vec<u32> = part.iter().map(|group| 3 - group).collect();
            let mut summary = Summary::new(&plan, 4);
            plan.summarize(some, Some(&own), &mut summary).unwrap();
            whole.grow(4);
            whole.add(&summary, Some(&[3, 2, 1, 0]));
        }
        check(&whole, &expected, &groups, product.name());
        let mut known = Summary::new(&plan, 4);
        for group in 0..4 {
            let columns = whole.columns().iter().map(|column| [column.present(group), column.sum(group)]);
            known.add_known(group, whole.positions(group), &columns.collect::<Vec<_>>());
        }
        assert_eq!(known, whole);
        let mut twice = whole.clone();
        twice.add(&whole, None);
        twice.add_nulls(1, 7);
        assert_eq!((twice.positions(3), twice.nulls(1)), (2 * whole.positions(3), 7));
        let columns = twice.columns().iter().zip(whole.columns());
        columns.for_each(|(twice, once)| {
            assert!(twice.sum(2).iter().eq(&once.sum(2).iter().map(|sum| 2 * sum).collect::<Vec<_>>()))
        });
    }
}

#[test]
fn on_an_error_nothing_is_added() {
    let positions = positions(&mut Random(3), 3);
    let plan = Plan::new(Product::ALL);
    let mut summary = Summary::new(&plan, 2);
    let mut fails = |groups: Option<&[u32]>, error| {
        assert_eq!(plan.summarize(&positions, groups, &mut summary), Err(error));
        assert_eq!(summary, Summary::new(&plan, 2));
    };
    fails(Some(&[0, 1]), BatchError::GroupLengthMismatch { elements: 3, groups: 2 });
    fails(Some(&[0, 1, 2]), BatchError::GroupOutOfRange { index: 2, group: 2, room: 2 });
    let error = plan.summarize(&positions, None, &mut Summary::new(&plan, 0));
    assert_eq!(error, Err(BatchError::GroupOutOfRange { index: 0, group: 0, room: 0 }));
}
