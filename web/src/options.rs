//! The options of products, with the names and values that every face has.

use std::str::FromStr;

use slider_attacks_arrow::{Plan, Product};

/// A plan of some products, from lines such as `what maps,pins` or `through own`. What no line says is as usual; without
/// `what`, it is all products.
///
/// # Errors
///
/// An option or a value that there is not.
pub fn plan(text: &str) -> Result<Plan, String> {
    let mut plan = Plan::new(Product::ALL);
    for line in text.lines().filter(|line| !line.is_empty()) {
        let (name, value) = line.split_once(' ').unwrap_or((line, ""));
        plan = match name {
            "what" => {
                let products = value.split(',').filter(|name| !name.is_empty()).map(read);
                plan.what(products.collect::<Result<Vec<Product>, String>>()?)
            }
            "through" => plan.through(read(value)?),
            "victims" => plan.victims(read(value)?),
            "values" => plan.piece_values(read(value)?),
            "pinned" => plan.pinned(read(value)?),
            _ => return Err(format!("there is no option {name:?}")),
        };
    }
    Ok(plan)
}

fn read<T: FromStr<Err: ToString>>(value: &str) -> Result<T, String> {
    value.parse().map_err(|error: T::Err| error.to_string())
}
