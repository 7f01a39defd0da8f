//! The pages that list products and options agree with the lists in the code. With `UPDATE=1` in the environment, the test
//! rewrites them.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use slider_attacks_arrow::{ColumnKind, OptionKind, Options, Product, ProductOption};

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

/// A sentence on the function of a product in SQL, if it has another name, between two of these marks.
fn in_sql(product: Product, mark: &str) -> Option<String> {
    let function = product.function();
    (function != product.name()).then(|| format!("In SQL: {mark}{function}(fen){mark}."))
}

/// The list of products in `docs/products.md`.
fn list() -> String {
    let mut text = String::from("\n");
    for product in Product::ALL {
        let in_sql = in_sql(*product, "`").map(|sentence| format!(" {sentence}")).unwrap_or_default();
        writeln!(text, "### `{}`\n\n{}.{in_sql}", product.name(), product.definition()).unwrap();
        if let Some(options) = options(*product, "`") {
            writeln!(text, "{options}").unwrap();
        }
        text.push('\n');
        for column in product.columns() {
            let kind = match column.kind() {
                ColumnKind::Bitboard | ColumnKind::Key => "",
                ColumnKind::Numbers => ", a `FixedSizeList` of 64 `UInt8`",
                ColumnKind::Number => ", a `UInt16`",
                ColumnKind::Sets => ", a `FixedSizeList` of 64 `UInt64`",
                ColumnKind::Moves => ", a `List` of `UInt16` or `Utf8`",
                ColumnKind::Threats => ", a `List` of `Struct`",
                other => panic!("a page must say what {other:?} is"),
            };
            writeln!(text, "- `{}`{kind}: {}", column.name(), column.meaning()).unwrap();
        }
        text.push('\n');
    }
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
        let more = in_sql(*product, "").into_iter().chain(options(*product, ""));
        let more: String = more.map(|sentence| format!(" {sentence}")).collect();
        text += &comment(&format!("{}.{more}", product.definition()), 4);
        for column in product.columns() {
            let kind = match column.kind() {
                ColumnKind::Bitboard => "uint64",
                ColumnKind::Numbers => "64 numbers, uint8",
                ColumnKind::Number => "uint16",
                ColumnKind::Key => "uint64",
                ColumnKind::Sets => "64 sets, uint64",
                ColumnKind::Moves => "a list of uint16, or of str",
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

/// The names of an option's values, the usual one first; of other values, none.
fn choices(option: &ProductOption) -> Vec<&'static str> {
    match option.kind() {
        OptionKind::Choice(names) => {
            let others = names.iter().copied().filter(|name| *name != option.default());
            [option.default()].into_iter().chain(others).collect()
        }
        _ => Vec::new(),
    }
}

/// The table of options in `docs/products.md`.
fn options_table() -> String {
    let mut text = String::from("\n| option | values | meaning |\n|---|---|---|\n");
    for option in Options::ALL {
        let mut values = format!("`{}` (default)", option.default());
        match option.kind() {
            OptionKind::Choice(_) => choices(option)[1..].iter().for_each(|name| values += &format!(", `{name}`")),
            OptionKind::PieceValues => values += ", or five other numbers from 0 to 63",
            other => panic!("a page must say which values {other:?} has"),
        }
        writeln!(text, "| `{}` | {values} | {} |", option.name(), option.help()).unwrap();
    }
    text.push('\n');
    text
}

/// What Python's stub calls the type of the values of this option.
fn type_name(option: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    format!("_{}", option.split('_').map(capital).collect::<String>())
}

/// The type of an option's values in Python, where lists have items of this type.
fn python_type(option: &ProductOption, item: &str) -> String {
    match choices(option)[..] {
        [] => format!("str | Iterable[{item}]"),
        ref names => format!("Literal[\"{}\"] | str", names.join("\", \"")),
    }
}

/// The types of the options' values in Python's stub.
fn option_types() -> String {
    let line = |option: &ProductOption| {
        format!("{}: TypeAlias = {}\n", type_name(option.name()), python_type(option, "SupportsIndex"))
    };
    Options::ALL.iter().map(line).collect()
}

/// The parameters in Python's help of `analyze` that are options.
fn parameters() -> String {
    let parameter = |option: &ProductOption| {
        let names: Vec<String> = choices(option).iter().map(|name| format!("\"{name}\"")).collect();
        let values = match &names[..] {
            [] => "five integers, as in (1, 3, 3, 5, 9), or a text such as \"1,3,3,5,9\"".to_owned(),
            [names @ .., last] => format!("{} or {last}", names.join(", ")),
        };
        comment(&format!("{} : {values}", option.name()), 0) + &comment(&format!("{}.", option.help()), 4)
    };
    Options::ALL.iter().map(parameter).collect()
}

/// The keys of the options of engines.
fn typed_dict() -> String {
    let line = |option: &ProductOption| format!("    {}: {}\n", option.name(), python_type(option, "int"));
    Options::ALL.iter().map(line).collect()
}

/// A part of Python's interface with the options anew. They stand before `backend` in each signature: in the stub a line each, in
/// the text of a signature on one line.
fn with_signatures(file: &str, page: &str) -> String {
    let is_stub = file.ends_with(".pyi");
    let backend = if is_stub { "backend: _Backend" } else { "backend=None" };
    // The types of options are named after them. That of `integers`, which is no option of products, is as well.
    let is_option = |line: &mut &str| match line.trim().split_once(if is_stub { ": " } else { "='" }) {
        Some((name, value)) if is_stub => name != "integers" && value.starts_with(&format!("{} =", type_name(name))),
        found => found.is_some_and(|(name, _)| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')),
    };
    let (mut lines, mut text, mut has_products) = (Vec::new(), String::new(), false);
    for line in page.split_inclusive('\n') {
        let word = line.trim_start();
        // Other functions have a backend, and no products.
        has_products =
            (has_products || word.starts_with("what: ") || word.contains("what=")) && !word.starts_with("def ");
        // Where the line before goes on, this is the text of a signature.
        let goes_on = |line: &&str| line.ends_with(" \\\n");
        if word.starts_with(backend) && has_products && (is_stub || lines.last().is_some_and(goes_on)) {
            while lines.pop_if(|line| is_option(line)).is_some() {}
            lines.drain(..).for_each(|line| text += line);
            let indent = &line[..line.len() - word.len()];
            if is_stub {
                for option in Options::ALL {
                    let (name, kind) = (option.name(), type_name(option.name()));
                    writeln!(text, "{indent}{name}: {kind} = \"{}\",", option.default()).unwrap();
                }
            } else {
                let option = |option: &ProductOption| format!("{}='{}', ", option.name(), option.default());
                writeln!(text, "{indent}{}\\", Options::ALL.iter().map(option).collect::<String>()).unwrap();
            }
        }
        lines.push(line);
    }
    text + &lines.concat()
}

#[test]
fn the_pages_list_products_and_options() {
    let files = ["analyze", "files", "games", "positions", "summarize"].map(|name| format!("python/src/{name}.rs"));
    for file in files.into_iter().chain(["python/package/slider_attacks/_native.pyi".to_owned()]) {
        let page = fs::read_to_string(path(&file)).unwrap();
        update(&file, &page, &with_signatures(&file, &page));
    }
    let parts = [
        Part {
            file: "docs/products.md",
            begin: "<!-- The list of options. -->\n",
            end: "<!-- The end of the options. -->\n",
            text: options_table(),
        },
        Part {
            file: "python/package/slider_attacks/_native.pyi",
            begin: "_Integers: TypeAlias = Literal[\"unsigned\", \"signed\"] | str\n",
            end: "_OnError: TypeAlias",
            text: option_types(),
        },
        Part {
            file: "python/src/analyze.rs",
            begin: "/// integers : \"unsigned\", or \"signed\" for engines without unsigned integers: the same bits as int64, int16, int8\n",
            end: "/// backend : one of `backends()`",
            text: parameters(),
        },
        Part {
            file: "python/package/slider_attacks/_engines.py",
            begin: "    \"\"\"The options of products.\"\"\"\n\n",
            end: "    backend: str | None\n",
            text: typed_dict(),
        },
        Part {
            file: "docs/products.md",
            begin: "<!-- The list of products. -->\n",
            end: "<!-- The end of the list. -->\n",
            text: list(),
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
        let page = fs::read_to_string(path(file)).unwrap();
        let (before, rest) = page.split_once(begin).unwrap_or_else(|| panic!("{file} has no line {begin:?}"));
        let (_, after) = rest.split_once(end).unwrap_or_else(|| panic!("{file} has no line {end:?}"));
        update(file, &page, &[before, begin, &text, end, after].concat());
    }
}

/// Compares a page with what it should be, or writes that.
fn update(file: &str, page: &str, current: &str) {
    if page != current && env::var_os("UPDATE").is_some() {
        fs::write(path(file), current).unwrap();
    } else {
        assert_eq!(page, current, "{file} is not current: UPDATE=1 cargo test -p slider-attacks-arrow --test pages");
    }
}
