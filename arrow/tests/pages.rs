//! The pages that list the products say what the list of products says. With `UPDATE=1` in the environment, the test writes
//! them anew.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use slider_attacks_arrow::{ColumnKind, Product};

/// What stands between two lines of a file, in a checkout of the whole project.
struct Part {
    file: &'static str,
    /// The line before it.
    begin: &'static str,
    /// The line after it.
    end: &'static str,
    text: String,
}

/// The tables of `docs/products.md`.
fn tables() -> String {
    let mut text = String::from("\n");
    for product in Product::ALL {
        let (name, function, definition) = (product.name(), product.function(), product.definition());
        writeln!(text, "### `{name}`\n\n{definition}. In SQL: `{function}(fen)`.").unwrap();
        if let Some(option) = product.option() {
            writeln!(text, "Option: `{option}`.").unwrap();
        }
        writeln!(text, "\n| column | holds | type |\n|---|---|---|").unwrap();
        for column in product.columns() {
            let kind = match column.kind() {
                ColumnKind::Bitboard => "`UInt64`",
                ColumnKind::Numbers => "`FixedSizeList` of 64 `UInt8`",
                ColumnKind::Threats => "`List` of `Struct`",
                other => panic!("a page must say what {other:?} is"),
            };
            writeln!(text, "| `{}` | {} | {kind} |", column.name(), column.meaning()).unwrap();
        }
        text.push('\n');
    }
    text
}

/// The names of all products as a type of Python's stub.
fn literal() -> String {
    let names: Vec<String> = Product::ALL.iter().map(|product| format!("\"{}\"", product.name())).collect();
    format!("_Product: TypeAlias = Literal[{}]\n", names.join(", "))
}

#[test]
fn the_pages_list_the_products() {
    let parts = [
        Part {
            file: "docs/products.md",
            begin: "<!-- The list of products. -->\n",
            end: "<!-- The end of the list. -->\n",
            text: tables(),
        },
        Part {
            file: "python/package/slider_attacks/_native.pyi",
            begin: "_Number: TypeAlias = int | np.integer[Any]\n",
            end: "_Products: TypeAlias",
            text: literal(),
        },
    ];
    for Part { file, begin, end, text } in parts {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
        let page = fs::read_to_string(&path).unwrap();
        let (before, rest) = page.split_once(begin).unwrap_or_else(|| panic!("{file} has no line {begin:?}"));
        let (found, after) = rest.split_once(end).unwrap_or_else(|| panic!("{file} has no line {end:?}"));
        if found != text && env::var_os("UPDATE").is_some() {
            fs::write(&path, [before, begin, &text, end, after].concat()).unwrap();
        } else {
            assert_eq!(found, text, "{file} is not current: UPDATE=1 cargo test -p slider-attacks-arrow --test pages");
        }
    }
}
