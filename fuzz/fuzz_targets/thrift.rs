//! The walk over descriptions of files of Parquet, and over headers of pages. What it writes anew means the same to it, and
//! takes about as many bytes.

#![no_main]

use libfuzzer_sys::fuzz_target;

// The walk needs nothing else of its package, which takes minutes to build.
#[path = "../../files/src/parquet/thrift.rs"]
mod thrift;

use thrift::{FILE, PAGE, StructTag, is_too_short, walk};

fuzz_target!(|data: &[u8]| {
    for of in [&FILE, &PAGE] {
        let mut structs = 0;
        let mut visit = |_: StructTag, _: &thrift::FieldNumbers, texts: [&[u8]; 2]| {
            structs += 1;
            assert!(texts.iter().all(|text| text.len() <= data.len()));
            Ok(())
        };
        let Ok((written, length)) = walk(data, of, &mut visit) else { continue };
        assert!(length <= data.len() && structs <= length && written.len() <= 3 * length);
        let mut again = 0;
        let rewritten = walk(&written, of, &mut |_, _, _| {
            again += 1;
            Ok(())
        });
        assert_eq!(rewritten.unwrap(), (written.clone(), written.len()));
        assert!(again <= structs);
        let part = &written[..written.len() / 2];
        assert!(is_too_short(&walk(part, of, &mut |_, _, _| Ok(())).unwrap_err()));
    }
});
