//! Files of Parquet, read as `analyze` reads them, with all columns.

#![no_main]

use std::ops::ControlFlow::{Break, Continue};
use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

use slider_attacks::position::Positions;
use slider_attacks_arrow::OnError;
use slider_attacks_files::Inputs;
use slider_attacks_files::block::ReadLimits;
use slider_attacks_files::parquet::install_panic_filter;
use slider_attacks_formats::request::Wanted;

/// A file of this process, because several may run side by side.
static FILE: LazyLock<PathBuf> = LazyLock::new(|| std::env::temp_dir().join(format!("parquet.{}", std::process::id())));

// Panics that the reader catches are no crashes.
fuzz_target!(init: install_panic_filter(), |data: &[u8]| {
    std::fs::write(&*FILE, data).expect("the directory for temporary files can be written to");
    let wanted = Wanted { column: "fen".to_owned(), keep: vec!["all".to_owned()], ..Wanted::default() };
    let inputs = Inputs::new(&[FILE.clone()], "").expect("the file is there");
    // A few bytes can stand for any number of rows.
    let mut blocks = 0;
    let _ = inputs.read(&wanted, &mut |mut block| {
        blocks += 1;
        drop(block.next(ReadLimits::all(usize::MAX), OnError::Skip, Positions::new())?);
        Ok(if blocks < 100 { Continue(()) } else { Break(()) })
    });
});
