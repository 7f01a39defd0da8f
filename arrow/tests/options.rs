//! The options that change products: their values, their errors, and which products they change.

use std::fs;

use slider_attacks::Backend;
use slider_attacks::moves::Moves;
use slider_attacks::position::Positions;
use slider_attacks_arrow::{
    ColumnMut, OptionError, OptionKind, Options, Perspective, Plan, Product, ProductOption, Summary, Values,
};

/// All values of an option; of piece values, some.
fn values(option: &ProductOption) -> Vec<&'static str> {
    match option.kind() {
        OptionKind::Choice(names) => names.to_vec(),
        OptionKind::PieceValues => vec!["1,3,3,5,9", "9,1,1,1,1", "0,63,3,10,9"],
        other => panic!("the test must know values of {other:?}"),
    }
}

#[test]
fn each_option_has_a_default_and_takes_its_values() {
    for option in Options::ALL {
        let name = option.name();
        assert_eq!(Options::find(name).map(ProductOption::name), Some(name));
        assert!(values(option).contains(&option.default()), "{name}");
        assert_eq!(option.value(&Options::default()), option.default());
        assert!(!option.help().ends_with('.') && !option.value_name().is_empty(), "{name}");
        for value in values(option) {
            let mut options = Options::default();
            options.set(name, value).unwrap();
            assert_eq!(option.value(&options), value, "{name}");
            assert_eq!(options == Options::default(), value == option.default(), "{name}={value}");
            // The others stay.
            for other in Options::ALL.iter().filter(|other| other.name() != name) {
                assert_eq!(other.value(&options), other.default());
            }
        }
    }
}

#[test]
fn errors_name_the_option_and_what_was_found() {
    for option in Options::ALL {
        let (name, mut options) = (option.name(), Options::default());
        for wrong in ["", "x", "1,3,3,5", "1,3,3,5,9,9", "1,3,3,5,64", "Any", " own", &"y".repeat(1000)] {
            let error = options.set(name, wrong).unwrap_err();
            let found: String = wrong.chars().take(40).collect();
            assert_eq!(error.to_string(), format!("{name}: {}, found {found:?}", error.reason()));
            assert!(error.reason().starts_with("expected "), "{error}");
            assert_eq!(options, Options::default());
        }
    }
    let unknown = Options::default().set("depth", "1").unwrap_err();
    assert_eq!(unknown, OptionError::Unknown { name: "depth".to_owned() });
    assert_eq!(unknown.to_string(), "unknown option \"depth\"");
}

/// A position with the colours swapped and the board upside down, from its FEN; or the same if White is to move.
fn turned(fen: &str) -> String {
    let fields: Vec<&str> = fen.split(' ').collect();
    let [board, side, castling, en_passant] = fields[..] else { panic!("{fen}") };
    if side == "w" {
        return fen.to_owned();
    }
    let swap = |text: &str| -> String {
        let swap = |letter: char| match letter {
            'a'..='z' => letter.to_ascii_uppercase(),
            _ => letter.to_ascii_lowercase(),
        };
        text.chars().map(swap).collect()
    };
    let ranks: Vec<&str> = board.rsplit('/').collect();
    format!("{} w {} {}", swap(&ranks.join("/")), swap(castling), en_passant.replace('3', "6"))
}

/// For the side to move, every product is that of the position in which it is White.
#[test]
fn the_side_to_move_sees_the_board_as_white_does() {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/sample.epd")).unwrap();
    let (mut positions, mut expected) = (Positions::new(), Positions::new());
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split_whitespace().take(4).collect();
        for side in ["w", "b"] {
            let fen = [fields[0], side, fields[2], "-"].join(" ");
            positions.push_fen(&fen).unwrap();
            expected.push_fen(turned(&fen)).unwrap();
        }
    }
    positions.push_fen("4k3/8/8/8/3Pp3/8/8/R3K2R b KQ d3").unwrap();
    expected.push_fen(turned("4k3/8/8/8/3Pp3/8/8/R3K2R b KQ d3")).unwrap();
    let (once, same) = (positions.clone(), expected.clone());
    // More than are turned at a time.
    while positions.len() < 3000 {
        positions.extend_from(&once);
        expected.extend_from(&same);
    }
    for backend in Backend::available() {
        let mut seen = Positions::new();
        backend.seen_by_mover(positions.slice(7..300), &mut seen);
        assert!((0..seen.len()).all(|at| seen.fen(at) == expected.fen(7 + at)), "{backend}");
        for product in Product::ALL {
            let plan = Plan::new([product]).backend(backend);
            let mover = plan.clone().perspective(Perspective::Mover);
            let values = plan.values(&expected);
            assert!(mover.values(&positions) == values, "{product} with {backend}");
            let [mut summary, mut other] = [0, 1].map(|_| Summary::new(&plan, 2));
            let groups: Vec<u32> = (0..positions.len() as u32).map(|at| at / 3 % 2).collect();
            mover.summarize(&positions, Some(&groups), &mut summary).unwrap();
            plan.summarize(&expected, Some(&groups), &mut other).unwrap();
            assert!(summary == other, "sums of {product} with {backend}");
            for (column, values) in product.columns().iter().zip(values) {
                let mut words = vec![0; positions.len()];
                if let Values::Boards(expected) = values {
                    mover.compute_column(column, &positions, ColumnMut::Boards(&mut words)).unwrap();
                    assert!(words == expected, "{} with {backend}", column.name());
                } else if let Values::Moves { moves, .. } = values {
                    let mut found = Moves::new();
                    mover.list_moves(column, &positions, &mut found);
                    assert!(found.as_slice() == moves && found.len() == positions.len(), "{}", column.name());
                }
            }
        }
    }
}

/// A product lists an option if, and only if, a value of it gives other results than the default. The perspective changes nearly all
/// of them, so none lists it.
#[test]
fn products_list_the_options_that_change_them() {
    let text = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/sample.epd")).unwrap();
    let mut positions = Positions::new();
    positions.read_lines(&text).unwrap();
    // The knight is trapped by a bishop that is pinned, and by two pawns.
    positions.read_lines(b"4k3/8/8/4b3/p7/3p4/8/N3R1K1 w - -").unwrap();
    for product in Product::ALL {
        let usual = Plan::new([product]).values(&positions);
        for option in Options::ALL.iter().filter(|option| option.name() != "perspective") {
            let changes = values(option).into_iter().any(|value| {
                let mut options = Options::default();
                options.set(option.name(), value).unwrap();
                Plan::new([product]).options(options).values(&positions) != usual
            });
            assert_eq!(changes, product.options().contains(&option.name()), "{product} {}", option.name());
        }
        let is_known = |name: &&&str| Options::find(name).is_none();
        assert_eq!(product.options().iter().find(is_known), None, "{product}");
    }
    for option in Options::ALL.iter().filter(|option| option.name() != "perspective") {
        let is_of = |product: &&Product| product.options().contains(&option.name());
        assert!(Product::ALL.iter().any(|product| is_of(&product)), "{} changes nothing", option.name());
    }
}
