//! The options of products, with the names and values of all interfaces.

use slider_attacks_arrow::{Options, Plan, Product};

/// A plan of some products, from lines such as `what maps,pins` or `through own`. What no line says is as usual; without
/// `what`, it is all products.
///
/// # Errors
///
/// An option or a value that there is not.
pub fn plan(text: &str) -> Result<Plan, String> {
    let (mut plan, mut options) = (Plan::new(Product::ALL), Options::default());
    for line in text.lines().filter(|line| !line.is_empty()) {
        let (name, value) = line.split_once(' ').unwrap_or((line, ""));
        if name == "what" {
            let products = value.split(',').filter(|name| !name.is_empty()).map(str::parse);
            let products: Result<Vec<Product>, _> = products.collect();
            plan = plan.what(products.map_err(|error| error.to_string())?);
        } else {
            options.set(name, value).map_err(|error| error.to_string())?;
        }
    }
    Ok(plan.options(options))
}
