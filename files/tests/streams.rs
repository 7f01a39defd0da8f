//! Streams of the caller yield the same as a file, but only once.

use std::io::{self, Cursor, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use slider_attacks::position::Positions;
use slider_attacks_arrow::OnError;
use slider_attacks_files::block::ReadLimits;
use slider_attacks_files::input::{Input, Stream};
use slider_attacks_files::inputs::Inputs;
use slider_attacks_formats::request::Wanted;

const SAMPLE: &str = include_str!("../../tests/data/sample.epd");

/// The positions of some inputs, and the numbers of their lines.
fn positions(inputs: Vec<Input>) -> Result<Vec<(u64, String)>> {
    let wanted = Wanted { column: "fen".to_owned(), ..Wanted::default() };
    let mut found = Vec::new();
    Inputs::of(inputs, "")?.read(&wanted, &mut |mut block| {
        let records =
            block.next(ReadLimits::all(usize::MAX), OnError::Fail, Positions::new())?.expect("there are some");
        found.extend(records.numbers.iter().enumerate().map(|(row, line)| (*line, records.positions.fen(row))));
        block.origin.check(records.failure.as_ref()).map(ControlFlow::Continue)
    })?;
    Ok(found)
}

fn stream(name: &str, bytes: impl Read + Send + 'static) -> Input {
    Input::stream(Stream::new(name, bytes), 0)
}

/// Gives some bytes at a time.
struct Slow(Cursor<Vec<u8>>);

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = buffer.len().min(61);
        self.0.read(&mut buffer[..length])
    }
}

fn lines() -> impl Iterator<Item = &'static str> {
    SAMPLE.lines().filter(|line| !line.starts_with('#'))
}

#[test]
fn a_stream_gives_what_a_file_gives() {
    let file = positions(vec![Input::new(Path::new("../tests/data/sample.epd"), 0)]).unwrap();
    assert!(file.len() > 10);
    assert_eq!(positions(vec![stream("x", SAMPLE.as_bytes())]).unwrap(), file);
    assert_eq!(positions(vec![stream("x", Slow(Cursor::new(SAMPLE.into())))]).unwrap(), file);
    let mut packed = flate2::read::GzEncoder::new(SAMPLE.as_bytes(), flate2::Compression::fast());
    let mut bytes = Vec::new();
    packed.read_to_end(&mut bytes).unwrap();
    assert_eq!(positions(vec![stream("x", Cursor::new(bytes))]).unwrap(), file);
    let csv: String = lines().map(|line| format!("1\t{line}\n")).collect();
    let csv = positions(vec![stream("an/x.tsv", Cursor::new("id\tfen\n".to_owned() + &csv))]).unwrap();
    assert!(csv.iter().map(|(_, fen)| fen).eq(file.iter().map(|(_, fen)| fen)));
    assert_eq!(positions(vec![stream("x", io::empty())]).unwrap(), []);
    let both = positions(vec![stream("x", SAMPLE.as_bytes()), stream("x", SAMPLE.as_bytes())]).unwrap();
    assert_eq!(both, [file.clone(), file].concat());
}

fn some_lines() -> &'static [u8] {
    let end = SAMPLE[..2_000].rfind('\n').unwrap();
    &SAMPLE.as_bytes()[..end + 1]
}

/// A member of gzip, or a frame of zstd.
fn compressed(text: &[u8], is_gzip: bool) -> Vec<u8> {
    if !is_gzip {
        return zstd::bulk::compress(text, 3).unwrap();
    }
    let mut bytes = Vec::new();
    flate2::read::GzEncoder::new(text, flate2::Compression::fast()).read_to_end(&mut bytes).unwrap();
    bytes
}

#[test]
fn members_and_frames_one_after_the_other_are_one_text() {
    let text = some_lines();
    let whole = positions(vec![stream("x", text)]).unwrap();
    let skippable = b"\x5f\x2a\x4d\x18\x03\0\0\0abc".as_slice();
    for is_gzip in [true, false] {
        let between = if is_gzip { Vec::new() } else { skippable.to_vec() };
        for cut in 0..=text.len() {
            let parts = [&text[..cut], &[], &text[cut..]].map(|part| compressed(part, is_gzip));
            let bytes = parts.join(between.as_slice());
            assert_eq!(positions(vec![stream("x", Cursor::new(bytes))]).unwrap(), whole, "{is_gzip}, {cut}");
        }
    }
}

#[test]
fn a_member_or_frame_that_is_cut_off_is_an_error_after_the_rows_before() {
    let text = some_lines();
    for is_gzip in [true, false] {
        let first = compressed(text, is_gzip);
        let both = [first.clone(), first.clone()].concat();
        // Fewer than four bytes do not show what they are.
        for length in 4..both.len() {
            let mut rows = Vec::new();
            let inputs = Inputs::of(vec![stream("x", Cursor::new(both[..length].to_vec()))], "").unwrap();
            let read = inputs.read(&Wanted { column: "fen".to_owned(), ..Wanted::default() }, &mut |block| {
                block.contents().for_each(|content| rows.extend_from_slice(content.bytes()));
                Ok(ControlFlow::Continue(()))
            });
            assert!(text.repeat(2).starts_with(&rows), "{is_gzip}, {length}");
            let is_whole = length == first.len();
            assert_eq!(read.is_ok(), is_whole, "{is_gzip}, {length}");
            assert!(!is_whole || rows == text);
            if let Err(error) = read {
                assert_eq!(error.to_string(), "cannot read x", "{is_gzip}, {length}");
            }
        }
    }
}

#[test]
#[cfg(feature = "parquet")]
fn parquet_is_copied_and_then_read_from_its_end() {
    use arrow_array::{RecordBatch, StringArray};
    use parquet::arrow::ArrowWriter;

    let texts: StringArray = lines().map(Some).collect();
    let batch = RecordBatch::try_from_iter([("fen", Arc::new(texts) as _)]).unwrap();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    let bytes = writer.into_inner().unwrap();
    let wanted = positions(vec![stream("x", SAMPLE.as_bytes())]).unwrap();
    for bytes in [stream("x", Cursor::new(bytes.clone())), stream("x", Slow(Cursor::new(bytes.clone())))] {
        let found = positions(vec![bytes]).unwrap();
        assert!(found.iter().map(|(_, fen)| fen).eq(wanted.iter().map(|(_, fen)| fen)));
        assert!(found.iter().map(|(row, _)| *row).eq(1..=wanted.len() as u64));
    }
    for length in [4, 11, bytes.len() - 1] {
        let error = positions(vec![stream("x", Cursor::new(bytes[..length].to_vec()))]).unwrap_err();
        assert!(error.to_string().starts_with("cannot read x as Parquet"), "{error:#}");
    }
}

/// Fails after its bytes.
struct Failing(Cursor<Vec<u8>>);

impl Read for Failing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(io::Error::other("the line is dead")),
            read => Ok(read),
        }
    }
}

#[test]
fn what_a_stream_fails_with_is_the_cause() {
    // Without the feature, Parquet is an error by itself.
    let parquet = cfg!(feature = "parquet").then_some("PAR1");
    for start in ["", "PA", SAMPLE].into_iter().chain(parquet) {
        let error = positions(vec![stream("my stream", Failing(Cursor::new(start.into())))]).unwrap_err();
        assert!(error.to_string().starts_with("cannot read my stream"), "{error:#}");
        let cause = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>()).unwrap();
        assert!(cause.get_ref().is_some_and(|cause| cause.to_string() == "the line is dead"), "{error:#}");
    }
}

#[test]
fn a_stream_is_read_once_and_dropped_at_its_end() {
    struct Noted(Cursor<&'static [u8]>, #[expect(dead_code, reason = "it is counted")] Arc<()>);
    impl Read for Noted {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(buffer)
        }
    }
    let count = Arc::new(());
    let input = stream("x", Noted(Cursor::new(SAMPLE.as_bytes()), count.clone()));
    assert_eq!((Arc::strong_count(&count), input.name()), (2, "x".to_owned()));
    positions(vec![input.clone()]).unwrap();
    assert_eq!(Arc::strong_count(&count), 1);
    let error = positions(vec![input]).unwrap_err();
    assert_eq!(error.to_string(), "cannot read x: stream already consumed");
}
