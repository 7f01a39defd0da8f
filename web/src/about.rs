//! The lists of products and methods.

use serde_json::{Value, json};
use slider_attacks::Backend;
use slider_attacks::line::Line;
use slider_attacks::methods::Method;
use slider_attacks_arrow::{ColumnKind, OptionKind, Options, Product, ProductColumn, ProductOption};

use crate::analyze::kind_columns;

/// The list of products, and before it the maps by kind of piece, which are no product; the options; the methods; what computes.
pub fn about() -> Value {
    let kinds: Vec<Value> =
        kind_columns().map(|(name, meaning)| json!({ "name": name, "meaning": meaning, "kind": "board" })).collect();
    let kinds = json!({
        "name": "kind_maps",
        "definition": "The squares that the pieces of each kind attack",
        "options": [],
        "columns": kinds,
        "isProduct": false,
    });
    let products = Product::ALL.iter().filter(|product| is_shown(**product)).map(|product| {
        json!({
            "name": product.name(),
            "definition": product.definition(),
            "options": product.options(),
            "columns": product.columns().iter().map(column).collect::<Vec<_>>(),
            "isProduct": true,
        })
    });
    let methods = Method::ALL.iter().filter(|method| method.can_run()).map(|method| {
        json!({
            "name": method.name(),
            "source": method.source(),
            "operations": method.operations(),
            "tableBytes": method.table_bytes(),
        })
    });
    let products: Vec<Value> = [kinds].into_iter().chain(products).collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "backend": Backend::active().to_string(),
        "products": products,
        "options": Options::ALL.iter().filter(|option| is_offered(option)).map(option).collect::<Vec<_>>(),
        "methods": methods.collect::<Vec<_>>(),
        "lines": Line::ALL.map(Line::name),
    })
}

/// Whether the page offers an option. It shows the board as it is, and no lists of moves.
pub fn is_offered(option: &ProductOption) -> bool {
    !["notation", "perspective"].contains(&option.name())
}

/// Whether the page shows a product. It is built without those that list moves, which would make it larger.
pub fn is_shown(product: Product) -> bool {
    product.columns().iter().all(|column| !matches!(column.kind(), ColumnKind::Moves | ColumnKind::Sets))
}

/// An option. The choices, if it has some, begin with the usual one.
fn option(option: &ProductOption) -> Value {
    let usual = option.default();
    let choices = match option.kind() {
        OptionKind::Choice(names) => {
            let others = names.iter().copied().filter(|name| *name != usual);
            [usual].into_iter().chain(others).collect()
        }
        _ => Vec::new(),
    };
    json!({ "name": option.name(), "usual": usual, "choices": choices, "help": option.help() })
}

fn column(column: &ProductColumn) -> Value {
    json!({ "name": column.name(), "meaning": column.meaning(), "kind": kind(column.kind()) })
}

fn kind(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::Bitboard => "board",
        ColumnKind::Numbers => "numbers",
        ColumnKind::Number => "number",
        ColumnKind::Key => "key",
        _ => "threats",
    }
}
