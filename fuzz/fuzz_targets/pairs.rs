//! The reader of pairs: no text makes it panic, and a pair that it accepts can be read in every other form.

#![no_main]

use libfuzzer_sys::fuzz_target;
use slider_attacks_formats::pairs;

fuzz_target!(|line: &str| {
    match pairs::parse(line) {
        Ok((square, occ)) => {
            for same in [
                format!("{square} {occ}"),
                format!("{} {occ:#x}", square.index()),
                format!("\t{square}\t0X{occ:016X} "),
            ] {
                assert_eq!(pairs::parse(&same), Ok((square, occ)), "{same}");
            }
        }
        Err(error) => {
            let message = error.to_string();
            assert!(message.len() < 2_000 && !message.contains('\n'), "{message:?}");
        }
    }
});
