//! The service's reader of requests: whatever comes, it is refused or computed, row for row, and never makes it panic.
//!
//! An input is the length of a command, the command, and messages: each with the lengths of its header and its body.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use slider_attacks::Backend;
use slider_attacks_serve::{Call, Decoder};

/// Takes as many bytes as the first two say.
fn part<'a>(data: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, rest) = data.split_first_chunk::<2>()?;
    let (part, rest) = rest.split_at(rest.len().min(usize::from(u16::from_le_bytes(*length))));
    *data = rest;
    Some(part)
}

fuzz_target!(
    // The decoder catches panics of the reader of Arrow's format, which are no failures. Others still end the run.
    init: std::panic::set_hook(Box::new(|_| {})),
    |data: &[u8]| {
    let mut data = data;
    let Some(command) = part(&mut data) else { return };
    let call = match Call::of_command(command, Backend::active()) {
        Ok(call) => Arc::new(call),
        Err(error) => {
            let message = error.to_string();
            assert!(message.len() < 1_000, "{message:?}");
            return;
        }
    };
    let mut decoder = Decoder::new(call.clone(), 10_000);
    while let (Some(header), Some(body)) = (part(&mut data), part(&mut data)) {
        match decoder.read(header, body.to_vec().into()) {
            Ok(None) => {}
            Ok(Some(batch)) => match call.run(&batch.rows) {
                Ok(result) => {
                    assert_eq!((result.num_rows(), result.schema()), (batch.rows.num_rows(), call.result()));
                }
                Err(error) => {
                    let row = error.row().expect("what is wrong with a column was found in the schema");
                    assert!(row < batch.rows.num_rows());
                    let message = call.failure(batch.number, 0, error).to_string();
                    assert!(message.len() < 1_000, "{message:?}");
                }
            },
            Err(error) => {
                let message = error.to_string();
                assert!(message.len() < 1_000, "{message:?}");
                return;
            }
        }
    }
}
);
