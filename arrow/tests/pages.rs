//! The pages that list the products say what the list of products says. With `UPDATE=1` in the environment, the test writes
//! them anew.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

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

/// Where a file of the checkout is.
fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file)
}

/// A sentence on the options of a product, if it has any, each of them between two of these marks.
fn options(product: Product, mark: &str) -> Option<String> {
    let options: Vec<String> = product.options().iter().map(|option| format!("{mark}{option}{mark}")).collect();
    match &options[..] {
        [] => None,
        [option] => Some(format!("Option: {option}.")),
        options => Some(format!("Options: {}.", options.join(", "))),
    }
}

/// The tables of `docs/products.md`.
fn tables() -> String {
    let mut text = String::from("\n");
    for product in Product::ALL {
        let (name, function, definition) = (product.name(), product.function(), product.definition());
        writeln!(text, "### `{name}`\n\n{definition}. In SQL: `{function}(fen)`.").unwrap();
        if let Some(options) = options(*product, "`") {
            writeln!(text, "{options}").unwrap();
        }
        writeln!(text, "\n| column | holds | type |\n|---|---|---|").unwrap();
        for column in product.columns() {
            let kind = match column.kind() {
                ColumnKind::Bitboard => "`UInt64`",
                ColumnKind::Numbers => "`FixedSizeList` of 64 `UInt8`",
                ColumnKind::Number => "`UInt16`",
                ColumnKind::Threats => "`List` of `Struct`",
                other => panic!("a page must say what {other:?} is"),
            };
            writeln!(text, "| `{}` | {} | {kind} |", column.name(), column.meaning()).unwrap();
        }
        text.push('\n');
    }
    text
}

/// The table of `python/README.md`.
fn short_table() -> String {
    let mut text = String::from("\n| product, and its columns | what it is |\n|---|---|\n");
    for product in Product::ALL {
        writeln!(text, "| **`{}`** | {} |", product.name(), product.definition()).unwrap();
        for column in product.columns() {
            writeln!(text, "| `{}` | {} |", column.name(), column.meaning()).unwrap();
        }
    }
    text.push('\n');
    text
}

/// A comment for documentation: this text, in lines that are not too long for a terminal.
fn comment(text: &str, indent: usize) -> String {
    /// The columns of a terminal that a line takes.
    const WIDTH: usize = 100;
    let (indent, mut lines) = (" ".repeat(indent), vec![String::new()]);
    for word in text.split_whitespace() {
        let line = lines.last_mut().unwrap();
        if line.is_empty() {
            *line = word.to_owned();
        } else if indent.len() + line.len() + 1 + word.len() <= WIDTH {
            *line = format!("{line} {word}");
        } else {
            // The rest of an item of a list stands behind its dash.
            let dash = if text.starts_with("- ") { "  " } else { "" };
            lines.push(format!("{dash}{word}"));
        }
    }
    lines.iter().map(|line| format!("/// {indent}{line}").trim_end().to_owned() + "\n").collect()
}

/// The part of Python's help of `analyze` that lists the products, below what `docs/products.md` says about their values.
fn help() -> String {
    let page = fs::read_to_string(path("docs/products.md")).unwrap();
    let rules = page.split_once("## What the values mean\n").unwrap().1.split_once("\nThe [library]").unwrap().0;
    let mut text = String::new();
    for paragraph in rules.replace('`', "").trim().split("\n\n") {
        for item in paragraph.split("\n- ") {
            // All items but the first have lost their dash.
            let dash = if paragraph.starts_with("- ") && !item.starts_with("- ") { "- " } else { "" };
            text += &comment(&format!("{dash}{item}"), 0);
        }
        text += "///\n";
    }
    text.truncate(text.len() - "///\n".len());
    for product in Product::ALL {
        write!(text, "///\n/// {}\n", product.name()).unwrap();
        let option = options(*product, "").map(|options| format!(" {options}")).unwrap_or_default();
        text += &comment(&format!("{}. In SQL: {}(fen).{option}", product.definition(), product.function()), 4);
        for column in product.columns() {
            let kind = match column.kind() {
                ColumnKind::Bitboard => "uint64",
                ColumnKind::Numbers => "64 numbers, uint8",
                ColumnKind::Number => "uint16",
                ColumnKind::Threats => "a list of structs of four uint8: attacker, from, to, victim",
                other => panic!("the help must say what {other:?} is"),
            };
            text += &comment(&format!("{} : {kind}", column.name()), 4);
            text += &comment(column.meaning(), 8);
        }
    }
    text
}

/// The names of all products as a type of Python's stub.
fn literal() -> String {
    let names: String = Product::ALL.iter().map(|product| format!("        \"{}\",\n", product.name())).collect();
    format!("_Product: TypeAlias = (\n    Literal[\n{names}    ]\n    | str\n)\n")
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
            file: "python/README.md",
            begin: "<!-- The list of products. -->\n",
            end: "<!-- The end of the list. -->\n",
            text: short_table(),
        },
        Part {
            file: "python/src/analyze.rs",
            begin: "/// Products\n/// --------\n",
            end: "#[pyfunction]\n",
            text: help(),
        },
        Part {
            file: "python/package/slider_attacks/_native.pyi",
            begin: "_Number: TypeAlias = int | np.integer[Any]\n",
            end: "_Products: TypeAlias",
            text: literal(),
        },
    ];
    for Part { file, begin, end, text } in parts {
        let path = path(file);
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
