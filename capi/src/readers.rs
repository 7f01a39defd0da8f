//! Readers of files in any format of the library, from bytes that the caller pushes.

use core::ffi::{CStr, c_char};
use core::mem;
use core::ops::ControlFlow;
use core::ptr;
use std::ffi::CString;

use slider_attacks::position::Positions;
use slider_attacks_arrow::OnError;
use slider_attacks_formats::batch::{ReadLimits, Records};
use slider_attacks_formats::beginning::{PARQUET, extension, other_format};
use slider_attacks_formats::columns::KeptColumn;
use slider_attacks_formats::content::{BlockStart, Content};
use slider_attacks_formats::cut::{Contents, Cutter};
use slider_attacks_formats::error::{Malformed, OpenError};
use slider_attacks_formats::format::{FORMATS, find};
use slider_attacks_formats::request::Wanted;
use slider_attacks_formats::source::{CutMethod, parse};
use slider_attacks_formats::training::BinpackChunks;
use slider_attacks_formats::{Beginning, Source};

use crate::memory::{ElementBytes, apart, free, handle, input, name, output, place};
use crate::positions::{exclusive, sla_positions};
use crate::status::{
    CallResult, Failed, SLA_ERROR_FORMAT, SLA_ERROR_KIND, SLA_ERROR_LENGTH, SLA_ERROR_POSITION, SLA_ERROR_ROOM,
    SLA_ERROR_UNKNOWN, call, fail, fail_at, sla_status,
};
use crate::views::{list_bad, sla_bad_row, sla_on_error};

/// A reader of one input: FEN, EPD, PGN, CSV, JSON lines, or training records of engines. Calls need exclusive access. The library
/// has readers if it was built with the feature `readers`.
pub struct sla_reader {
    beginning: Beginning,
    wanted: Wanted,
    state: ReaderState,
    has_bytes: bool,
    /// What the last call has read: the number of the unit of each position, and the columns of some positions at a time.
    numbers: Vec<u64>,
    /// With the place of the first of them.
    kept: Vec<(usize, Vec<KeptColumn>)>,
}

/// How far a reader is.
enum ReaderState {
    /// The format is not known yet.
    Opening,
    Open(OpenReader),
    /// All has been read, or an error has ended it.
    Done,
}

/// A reader that knows its format.
struct OpenReader {
    format: CString,
    columns: Vec<CString>,
    source: Box<dyn Source>,
    units: ReaderUnits,
}

/// The bytes, on their way to be parsed.
enum ReaderUnits {
    Cut(Contents),
    Chunks(Box<BinpackChunks>),
}

/// Makes a reader, and writes its handle to `reader`. `sla_reader_free` frees it. `file` is the name of the file: its extension counts
/// where bytes alone do not show the format, as for records of engines; null is allowed. `column` is the name of the column with
/// the positions in tables and JSON lines; null stands for `fen`. `columns` are the names of other columns, of tags of PGN, or of labels
/// of training records (`score`, `result`), whose values are wanted.
///
/// Errors: those of memory, and `SLA_ERROR_UNKNOWN` for names of more than 63 bytes and those that are not UTF-8. Names that the input
/// lacks are errors of `sla_reader_push`; in PGN none is, and a tag that a game lacks has no value there. `all` alone
/// stands for all of them.
///
/// # Safety
///
/// Texts end with a null byte, and there are `column_count` of them at `columns`. There is room for a pointer at `reader`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_reader_new(
    file: *const c_char,
    column: *const c_char,
    columns: *const *const c_char,
    column_count: usize,
    reader: *mut *mut sla_reader,
) -> sla_status {
    call(|| {
        // SAFETY: by the contract of this function.
        let (out, names) = unsafe { (place("reader", reader)?, input("columns", columns, column_count)?) };
        // SAFETY: by the contract of this function.
        let keep = names.iter().map(|&text| unsafe { short_name("a column", text) });
        let keep = keep.collect::<CallResult<Vec<String>>>()?;
        let column = if column.is_null() {
            "fen".to_owned()
        } else {
            // SAFETY: by the contract of this function.
            unsafe { short_name("column", column)? }
        };
        let file = if file.is_null() {
            "the input".into()
        } else {
            // SAFETY: by the contract of this function.
            unsafe { CStr::from_ptr(file) }.to_string_lossy()
        };
        let made = sla_reader {
            beginning: Beginning::new(&*file, extension(&file)),
            wanted: Wanted { column, keep, ..Wanted::default() },
            state: ReaderState::Opening,
            has_bytes: false,
            numbers: Vec::new(),
            kept: Vec::new(),
        };
        // SAFETY: by the contract of this function, and it has been checked.
        unsafe { *out = Box::into_raw(Box::new(made)) };
        Ok(())
    })
}

/// A name that is neither too long nor malformed.
///
/// # Safety
///
/// As for [`name`].
unsafe fn short_name(what: &str, text: *const c_char) -> CallResult<String> {
    // SAFETY: by the contract of this function.
    let start = unsafe { name(what, text)? };
    // SAFETY: the same, and it is not null.
    match unsafe { CStr::from_ptr(text) }.to_str() {
        Ok(all) if all.len() <= 63 => Ok(all.to_owned()),
        Ok(_) => Err(fail(SLA_ERROR_UNKNOWN, format_args!("{what} {start:?}… is too long a name"))),
        Err(_) => Err(fail(SLA_ERROR_UNKNOWN, format_args!("{what} {start:?}… is not UTF-8"))),
    }
}

/// Frees a handle. Null is allowed.
///
/// # Safety
///
/// The handle is from `sla_reader_new`, has not been freed, and is no longer in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_reader_free(reader: *mut sla_reader) {
    // SAFETY: by the contract of this function.
    unsafe { free(reader) }
}

/// The reader behind a handle.
///
/// # Safety
///
/// The handle is null, or from `sla_reader_new` and has not been freed. Nobody changes it meanwhile.
unsafe fn reader_of<'a>(reader: *const sla_reader) -> CallResult<&'a sla_reader> {
    // SAFETY: by the contract of this function, and it is neither null nor misaligned.
    Ok(unsafe { &*handle("reader", reader)? })
}

/// Reads the next `length` bytes of the input, in pieces of any length, and adds the positions of all lines, games and records that end in
/// them. `is_last` is not 0 for the last piece, which may be empty. Malformed lines, games and records are listed in `bad` as by
/// `sla_positions_read_valid`, with their index in the input.
///
/// Errors: `SLA_ERROR_FORMAT` if the format is unknown or lacks a column, if a damaged input ends early, and for pieces after the last
/// one or after an error; `SLA_ERROR_UNKNOWN` for `on_error`, and those of memory. Then nothing has been added.
///
/// # Safety
///
/// `bytes` has `length` bytes. There is room for `capacity` descriptions at `bad`, and for a number at `total`. The handles have not been
/// freed, and no other thread uses them during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_reader_push(
    reader: *mut sla_reader,
    positions: *mut sla_positions,
    bytes: *const c_char,
    length: usize,
    is_last: u8,
    on_error: sla_on_error,
    bad: *mut sla_bad_row,
    capacity: usize,
    total: *mut usize,
) -> sla_status {
    call(|| {
        // SAFETY: by the contract of this function.
        unsafe {
            let (reader, positions) = (&mut *handle("reader", reader)?.cast_mut(), exclusive(positions)?);
            let bytes = input("bytes", bytes.cast::<u8>(), length)?;
            let inputs = [("bytes", ElementBytes::of_array(bytes.as_ptr(), length))].into_iter();
            list_bad(on_error, inputs, bad, capacity, total, |keep, bad| {
                let before = positions.len();
                reader.push(bytes, is_last != 0, keep, positions, bad).inspect_err(|_| {
                    positions.truncate(before);
                    reader.stop();
                })
            })
        }
    })
}

impl sla_reader {
    fn push(
        &mut self,
        bytes: &[u8],
        is_last: bool,
        keep: bool,
        positions: &mut Positions,
        bad: &mut dyn FnMut(sla_bad_row),
    ) -> CallResult {
        self.numbers.clear();
        self.kept.clear();
        let mut piece = bytes.to_vec();
        let mut open = match mem::replace(&mut self.state, ReaderState::Done) {
            ReaderState::Open(open) => open,
            ReaderState::Done => return Err(fail(SLA_ERROR_FORMAT, format_args!("the input has ended before"))),
            ReaderState::Opening => match self.open(bytes, is_last)? {
                Some((open, rest)) => {
                    piece = rest;
                    open
                }
                None => {
                    self.state = ReaderState::Opening;
                    return Ok(());
                }
            },
        };
        let mut failure = None;
        let mut take = |start: BlockStart, content: Content| {
            failure = failure.take().or(self.parse(&*open.source, start, &content, keep, positions, bad));
            if failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let ended = match &mut open.units {
            ReaderUnits::Cut(contents) => {
                contents.push(piece.into(), is_last).into_iter().try_for_each(|(start, content)| take(start, content))
            }
            ReaderUnits::Chunks(chunks) => chunks.push(&piece, is_last, &mut take),
        };
        if ended.is_break()
            && let Some(wrong) = failure
        {
            let (unit, index) = (open.source.unit(), wrong.number.saturating_sub(1) as usize);
            return Err(fail_at(SLA_ERROR_FORMAT, index, format_args!("{unit} {}, {}", wrong.number, wrong.what)));
        }
        if !is_last {
            self.state = ReaderState::Open(open);
        }
        Ok(())
    }

    /// Finds the format, once there are enough bytes. Returns also the bytes that have not been read.
    fn open(&mut self, bytes: &[u8], is_last: bool) -> CallResult<Option<(OpenReader, Vec<u8>)>> {
        if !self.has_bytes && !bytes.is_empty() {
            self.has_bytes = true;
            let is_parquet = bytes.starts_with(PARQUET);
            let other = if is_parquet { Some("Parquet, which is not read in pieces") } else { other_format(bytes) };
            self.beginning.set_other(other);
        }
        self.beginning.push(bytes);
        if is_last {
            self.beginning.finish();
        }
        let (format, opened) = match find(FORMATS, &mut self.beginning, &self.wanted) {
            Err(OpenError::MoreBytes { .. }) => return Ok(None),
            found => found.map_err(|error| fail(SLA_ERROR_FORMAT, format_args!("{error}")))?,
        };
        let line = opened.passed.line;
        let number = if opened.source.counts().has_lines { 1 } else { line };
        let start = BlockStart { number, line, column: 0, byte: 0 };
        let rest = self.beginning.take_rest(opened.passed);
        let units = match opened.blocks {
            CutMethod::Cut(cut) => ReaderUnits::Cut(Contents::new(Cutter::new(cut, opened.source.counts()), start)),
            CutMethod::Chunks(chunks) => ReaderUnits::Chunks(chunks),
        };
        let text = |text: &str| CString::new(text).unwrap_or_default();
        let columns = opened.source.columns().iter().map(|name| text(name)).collect();
        Ok(Some((OpenReader { format: text(format), columns, source: opened.source, units }, rest)))
    }

    /// Adds what a block holds. Returns what ends the input, if something does.
    fn parse(
        &mut self,
        source: &dyn Source,
        start: BlockStart,
        content: &Content,
        keep: bool,
        positions: &mut Positions,
        bad: &mut dyn FnMut(sla_bad_row),
    ) -> Option<Malformed> {
        let on_error = if keep { OnError::Null } else { OnError::Skip };
        let (records, _) =
            parse(source, (start, content), (0, 0), ReadLimits::all(usize::MAX), on_error, Positions::new());
        let Records { positions: read, numbers, kept, skipped, nulls, failure, .. } = records;
        let before = positions.len();
        let row = |position: usize, wrong: &Malformed| sla_bad_row {
            index: wrong.number.saturating_sub(1) as usize,
            position: before + position,
            column: 0,
            status: SLA_ERROR_POSITION,
        };
        for wrong in &skipped {
            // The positions of a game before its wrong move have its number.
            bad(row(numbers.partition_point(|&number| number <= wrong.number), wrong));
        }
        nulls.iter().for_each(|(position, wrong)| bad(row(*position, wrong)));
        positions.extend_from(&read);
        self.kept.push((self.numbers.len(), kept));
        self.numbers.extend(numbers);
        failure
    }

    /// Ends this, with nothing read.
    fn stop(&mut self) {
        self.state = ReaderState::Done;
        self.numbers.clear();
        self.kept.clear();
    }

    /// The value of a position of the last call in a column: the column of its part, and its row there.
    fn value(&self, column: u32, row: usize) -> CallResult<(&KeptColumn, usize)> {
        let parts = &self.kept[..self.kept.partition_point(|&(start, _)| start <= row)];
        let part = parts.last().filter(|_| row < self.numbers.len());
        let Some((start, kept)) = part else {
            return Err(fail(
                SLA_ERROR_LENGTH,
                format_args!("the last call has read {} positions", self.numbers.len()),
            ));
        };
        let wrong =
            || fail(SLA_ERROR_UNKNOWN, format_args!("there are {} columns, and no column {column}", kept.len()));
        kept.get(column as usize).map(|found| (found, row - start)).ok_or_else(wrong)
    }
}

/// Returns the name of the format, such as `"PGN"`; null as long as it is unknown, after the end, and for null. The text is valid until the
/// next call of `sla_reader_push` or `sla_reader_free`.
///
/// # Safety
///
/// The handle is from `sla_reader_new` and has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_reader_format(reader: *const sla_reader) -> *const c_char {
    // SAFETY: by the contract of this function.
    match unsafe { reader.as_ref() }.map(|reader| &reader.state) {
        Some(ReaderState::Open(open)) => open.format.as_ptr(),
        _ => ptr::null(),
    }
}

/// Returns the name of a column, numbered from 0 as in `sla_reader_new`; null if there is none, and as for `sla_reader_format`.
///
/// # Safety
///
/// As for `sla_reader_format`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_reader_column(reader: *const sla_reader, column: u32) -> *const c_char {
    // SAFETY: by the contract of this function.
    match unsafe { reader.as_ref() }.map(|reader| &reader.state) {
        Some(ReaderState::Open(open)) => open.columns.get(column as usize).map_or(ptr::null(), |name| name.as_ptr()),
        _ => ptr::null(),
    }
}

/// Writes for each position of the last call of `sla_reader_push` the index of its line, game or record in the input, from 0. `count` is how many
/// positions that call has added.
///
/// Errors: `SLA_ERROR_LENGTH` for another number of positions, and those of memory.
///
/// # Safety
///
/// There is room for `count` numbers at `out`. The handle has not been freed, and nobody changes it during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_reader_indices(reader: *const sla_reader, out: *mut u64, count: usize) -> sla_status {
    call(|| {
        // SAFETY: by the contract of this function.
        let (reader, out) = unsafe { (reader_of(reader)?, output("out", out, count)?) };
        reader.has(count)?;
        for (out, number) in out.iter_mut().zip(&reader.numbers) {
            out.write(number.saturating_sub(1));
        }
        Ok(())
    })
}

impl sla_reader {
    fn has(&self, count: usize) -> CallResult {
        let there = self.numbers.len();
        if count == there {
            return Ok(());
        }
        Err(fail(SLA_ERROR_LENGTH, format_args!("the last call has read {there} positions, not {count}")))
    }
}

/// Writes the integers of a column for the positions of the last call of `sla_reader_push`, such as the score of a record. `is_known[i]` becomes 0 where there
/// is none, else 1; the number is 0 there.
///
/// Errors: `SLA_ERROR_KIND` for a column of texts, or of numbers with fractions, which `sla_reader_text` returns; `SLA_ERROR_UNKNOWN` for another
/// column, `SLA_ERROR_LENGTH` for another number of positions, and those of memory.
///
/// # Safety
///
/// There is room for `count` numbers at `out` and at `is_known`. The handle has not been freed, and nobody changes it during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_reader_integers(
    reader: *const sla_reader,
    column: u32,
    out: *mut i64,
    is_known: *mut u8,
    count: usize,
) -> sla_status {
    call(|| {
        apart(("out", out, count), ("is_known", is_known, count))?;
        // SAFETY: by the contract of this function. They share no memory.
        let (reader, out, known) =
            unsafe { (reader_of(reader)?, output("out", out, count)?, output("is_known", is_known, count)?) };
        reader.has(count)?;
        let value = |row: usize| match reader.value(column, row)? {
            (KeptColumn::Numbers(numbers), row) if numbers.are_integers() => Ok(numbers.get(row)),
            _ => Err(fail(SLA_ERROR_KIND, format_args!("column {column} has values other than integers"))),
        };
        let values = (0..count).map(value).collect::<Result<Vec<_>, Failed>>()?;
        for ((value, out), known) in values.into_iter().zip(out).zip(known) {
            out.write(value.unwrap_or_default());
            known.write(value.is_some().into());
        }
        Ok(())
    })
}

/// Writes the value of a position of the last call of `sla_reader_push` in a column as text, with a null byte at the end, and its length without it;
/// `SIZE_MAX` as the length if there is no value.
///
/// Errors: `SLA_ERROR_LENGTH` if there is no such position, `SLA_ERROR_UNKNOWN` for another column, `SLA_ERROR_ROOM` if `capacity` is not larger
/// than the length, which is then written nevertheless, and those of memory.
///
/// # Safety
///
/// There is room for `capacity` bytes at `text`, and for a number at `length`. The handle has not been freed, and nobody changes it
/// during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_reader_text(
    reader: *const sla_reader,
    column: u32,
    position: usize,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> sla_status {
    call(|| {
        apart(("text", text, capacity), ("length", length, 1))?;
        // SAFETY: by the contract of this function. They share no memory.
        let (reader, out, len) =
            unsafe { (reader_of(reader)?, output("text", text.cast::<u8>(), capacity)?, place("length", length)?) };
        let (values, row) = reader.value(column, position)?;
        let value = match values {
            KeptColumn::Text(texts) | KeptColumn::Json(texts) | KeptColumn::Fields(texts) => {
                texts.get(row).map(str::to_owned)
            }
            KeptColumn::Numbers(numbers) if numbers.are_integers() => numbers.get(row).map(|value| value.to_string()),
            KeptColumn::Numbers(numbers) => numbers.get(row).map(|value| numbers.text(value)),
            #[allow(
                unreachable_patterns,
                reason = "arrays come from Parquet, which the formats have in builds of other crates"
            )]
            _ => return Err(fail(SLA_ERROR_KIND, format_args!("column {column} has arrays"))),
        };
        // SAFETY: by the contract of this function, and it has been checked.
        unsafe { *len = value.as_ref().map_or(usize::MAX, String::len) };
        let Some(value) = value else { return Ok(()) };
        if capacity <= value.len() {
            let wrong = format_args!("the text needs {} bytes, and the capacity is {capacity}", value.len() + 1);
            return Err(fail(SLA_ERROR_ROOM, wrong));
        }
        out[..value.len()].write_copy_of_slice(value.as_bytes());
        out[value.len()].write(0);
        Ok(())
    })
}
