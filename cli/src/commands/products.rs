//! `slider-attacks products`: lists the products, or what their columns share.

use anyhow::{Context, Result};
use slider_attacks_arrow::Product;
use slider_attacks_rows::write::table;

use crate::args::ProductsArgs;
use crate::target::stdout;

/// Writes the table.
pub fn run(options: &ProductsArgs) -> Result<()> {
    let (names, rows) =
        if options.needs { (["column", "needs"], needs()) } else { (["product", "definition"], list()) };
    table::write(&mut stdout()?, &names, &rows).context("cannot write the results")
}

/// The products.
fn list() -> Vec<[String; 2]> {
    Product::ALL.iter().map(|product| [product.to_string(), product.definition().to_owned()]).collect()
}

/// What plans share, from the table that they use.
fn needs() -> Vec<[String; 2]> {
    let columns = Product::ALL.iter().flat_map(|product| product.columns());
    columns.map(|column| [column.name().to_owned(), column.needs().join(", ")]).collect()
}
