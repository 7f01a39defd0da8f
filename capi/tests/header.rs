//! The header is the one that cbindgen makes from the code. `UPDATE=1 cargo test -p slider-attacks-capi` writes it.

use std::{env, fs};

#[test]
fn the_header_says_what_the_code_says() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let path = format!("{folder}/include/slider_attacks.h");
    let mut header = Vec::new();
    let made = cbindgen::generate(folder).expect("cbindgen reads the code");
    made.write(&mut header);
    let header = String::from_utf8(header).expect("a header is text");
    if env::var_os("UPDATE").is_some() {
        fs::write(&path, &header).expect("the header can be written");
    }
    let stored = fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == header, "{path} differs from the code: UPDATE=1 cargo test -p slider-attacks-capi writes it");
}
