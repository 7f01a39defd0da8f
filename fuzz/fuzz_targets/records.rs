//! Records of engines: whatever the bytes are, and however they come, the source of files gives what is read from all of them.
//!
//! The first byte says which format, the second how many bytes come at a time.

#![no_main]

use std::io::{self, Read};
use std::ops::ControlFlow;

use libfuzzer_sys::fuzz_target;

use slider_attacks::position::Positions;
use slider_attacks_arrow::OnError;
use slider_attacks_files::Inputs;
use slider_attacks_files::block::{BlockPlace, ReadLimits};
use slider_attacks_files::compression::{PARQUET, is_compressed};
use slider_attacks_files::input::{Input, Stream};
use slider_attacks_formats::request::Wanted;
use slider_attacks_games::records::binpack::HEADER;
use slider_attacks_games::records::{TrainingFormat, Labels, RecordReader};

/// Gives so many bytes at a time.
struct Slow(Vec<u8>, usize, usize);

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = &self.0[self.1..];
        let count = rest.len().min(buffer.len()).min(self.2);
        buffer[..count].copy_from_slice(&rest[..count]);
        self.1 += count;
        Ok(count)
    }
}

/// Whether the bytes are chunks, each as long as it claims. One that claims more than there is ends where the next one begins,
/// which is not known while its bytes come.
fn are_chunks(mut bytes: &[u8]) -> bool {
    while let Some(&[magic @ .., a, b, c, d]) = bytes.first_chunk::<HEADER>() {
        let rest = bytes[HEADER..].get(u32::from_le_bytes([a, b, c, d]) as usize..);
        let (b"BINP", Some(rest)) = (&magic, rest) else { return false };
        bytes = rest;
    }
    bytes.is_empty()
}

fuzz_target!(|data: &[u8]| {
    let Some((&[format, step], bytes)) = data.split_first_chunk() else { return };
    if is_compressed(bytes) || bytes.starts_with(PARQUET) {
        return;
    }
    let format = TrainingFormat::ALL[usize::from(format) % 4];
    let (mut expected, mut labels, mut problems) = (Positions::new(), Labels::default(), Vec::new());
    let mut reader = RecordReader::new(format, bytes);
    loop {
        match reader.read(1 << 10, &mut expected, &mut labels) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) => problems.push(error.problem),
        }
    }
    assert!(expected.len() <= 2 * bytes.len());
    let is_same = format != TrainingFormat::Binpack || are_chunks(bytes);

    let slow = Slow(bytes.to_vec(), 0, 1 + usize::from(step));
    let inputs = Inputs::of(vec![Input::stream(Stream::new("x", slow), 0)], "").expect("there is one");
    let keep = vec!["all".to_owned()];
    let wanted = Wanted { from: Some(format), keep, block_bytes: Some(1 + usize::from(step)), ..Wanted::default() };
    let (mut positions, mut wrong, mut last) = (Positions::new(), 0, 0);
    let read = inputs.read(&wanted, &mut |mut block| {
        let records = block.next(ReadLimits::all(usize::MAX), OnError::Skip, Positions::new())?.expect("there are some");
        assert!(records.numbers.iter().all(|&number| number >= last));
        last = records.numbers.last().copied().unwrap_or(last);
        positions.extend_from(&records.positions);
        wrong += records.skipped.len();
        block.go_back(BlockPlace::default());
        let nulls = block.next(ReadLimits::all(usize::MAX), OnError::Null, Positions::new())?.expect("there are some");
        assert_eq!(nulls.numbers.len(), records.numbers.len() + records.skipped.len());
        Ok(ControlFlow::Continue(()))
    });
    read.expect("it can be read");
    assert!(!is_same || positions == expected && wrong == problems.len());
});
