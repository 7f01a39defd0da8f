//! The options that change products: their values, their errors, and which products they change.

use std::fs;

use slider_attacks::position::Positions;
use slider_attacks_arrow::{OptionError, OptionKind, Options, Plan, Product, ProductOption};

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

/// A product lists an option if, and only if, a value of it gives other results than the default.
#[test]
fn products_list_the_options_that_change_them() {
    let text = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/sample.epd")).unwrap();
    let mut positions = Positions::new();
    positions.read_lines(&text).unwrap();
    // The knight is trapped by a bishop that is pinned, and by two pawns.
    positions.read_lines(b"4k3/8/8/4b3/p7/3p4/8/N3R1K1 w - -").unwrap();
    for product in Product::ALL {
        let usual = Plan::new([product]).values(&positions);
        for option in Options::ALL {
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
    for option in Options::ALL {
        let is_of = |product: &&Product| product.options().contains(&option.name());
        assert!(Product::ALL.iter().any(|product| is_of(&product)), "{} changes nothing", option.name());
    }
}
