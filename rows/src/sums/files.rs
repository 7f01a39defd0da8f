//! Groups that do not fit into memory, in temporary files.
//!
//! Whenever the groups in memory reach their limit, they are written as a run: sorted, and compressed. At the end, all runs are merged.
//! Each run that is read needs a buffer. So a file has at most a few of them; then these are merged into one run in the file of the
//! next level, and the file is emptied.
//!
//! The files have no names, so the system removes them when the process ends, even if it is killed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::env;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::mem;
use std::ops::Range;

use anyhow::{Context, Result};
use slider_attacks_arrow::{Plan, Summary};
use zstd::bulk::{Compressor, Decompressor};

use super::keys::{GroupKey, GroupOrder, Key, order};
use super::table::Totals;

/// How many runs are merged into one of the next level.
const FAN_IN: usize = 32;

/// About how many bytes of a run are compressed at a time.
const PACKED: usize = 64 << 10;

/// About how many bytes the groups take that are passed on at a time.
const MERGED: usize = 1 << 20;

/// How well zstd compresses. A higher level takes more time than reading less saves.
const COMPRESSION: i32 = 1;

/// Groups in temporary files.
pub struct GroupFiles {
    layout: GroupLayout,
    levels: Vec<GroupFile>,
}

/// What the groups have: their keys, and the columns of a plan.
struct GroupLayout {
    plan: Plan,
    keys: Vec<Key>,
    /// About how many bytes each takes in memory.
    group_bytes: usize,
    /// For each column, how many numbers are counts, and how many are sums.
    columns: Vec<[usize; 2]>,
}

/// A temporary file, and where its runs are.
struct GroupFile {
    file: File,
    runs: Vec<Range<u64>>,
}

impl GroupFiles {
    /// No groups yet, of these keys. A group takes about so many bytes in memory.
    pub fn new(plan: &Plan, keys: &[Key], group_bytes: usize) -> GroupFiles {
        let squares = |is_single| if is_single { 1 } else { 64 };
        let none = Summary::new(plan, 0);
        let columns = none.columns().iter().map(|column| {
            let squares = squares(column.is_single());
            [squares, if column.has_sum() { squares } else { 0 }]
        });
        let columns = columns.collect();
        let layout = GroupLayout { plan: plan.clone(), keys: keys.to_vec(), group_bytes, columns };
        GroupFiles { layout, levels: Vec::new() }
    }

    /// Adds groups, some of which may be there already.
    ///
    /// # Errors
    ///
    /// A temporary file cannot be written or read.
    pub fn add(&mut self, totals: &Totals) -> Result<()> {
        self.write(0, |writer, _, _| writer.put(totals))?;
        let mut level = 0;
        while self.levels[level].runs.len() == FAN_IN {
            self.write(level + 1, |writer, layout, below| {
                layout.merge(&below[level..], &mut |totals| writer.put(totals))
            })?;
            let GroupFile { file, runs } = &mut self.levels[level];
            runs.clear();
            file.set_len(0).with_context(cannot_write)?;
            level += 1;
        }
        Ok(())
    }

    /// Writes a run into the file of a level, with the files of the levels below.
    fn write(
        &mut self,
        level: usize,
        write: impl FnOnce(&mut RunWriter<'_>, &GroupLayout, &[GroupFile]) -> Result<()>,
    ) -> Result<()> {
        if level == self.levels.len() {
            let file = tempfile::tempfile_in(env::temp_dir()).with_context(cannot_write)?;
            self.levels.push(GroupFile { file, runs: Vec::new() });
        }
        let (below, level) = self.levels.split_at_mut(level);
        let GroupFile { file, runs } = &mut level[0];
        let mut writer = RunWriter::new(file).with_context(cannot_write)?;
        write(&mut writer, &self.layout, below)?;
        runs.push(writer.finish().with_context(cannot_write)?);
        Ok(())
    }

    /// Passes on all groups in the order of their keys, some at a time; also if there are none.
    ///
    /// # Errors
    ///
    /// A temporary file cannot be read, or that of `each`.
    pub fn for_each(&self, each: &mut dyn FnMut(&Totals) -> Result<()>) -> Result<()> {
        self.layout.merge(&self.levels, each)
    }

    /// Groups like these, but none.
    pub fn no_totals(&self) -> Totals {
        self.layout.no_totals()
    }
}

/// What failed, and where the temporary files are.
fn cannot_write() -> String {
    format!("cannot write groups to a temporary file in {}", env::temp_dir().display())
}

fn cannot_read() -> String {
    format!("cannot read groups from a temporary file in {}", env::temp_dir().display())
}

impl GroupLayout {
    fn no_totals(&self) -> Totals {
        let (by, summary) = (self.keys.clone(), Summary::new(&self.plan, 0));
        Totals { by, keys: Vec::new(), places: Vec::new(), summary }
    }

    /// Merges all runs of these files, and passes on the groups, some at a time; also if there are none.
    fn merge(&self, files: &[GroupFile], each: &mut dyn FnMut(&Totals) -> Result<()>) -> Result<()> {
        let runs = files.iter().flat_map(|GroupFile { file, runs }| runs.iter().map(move |run| (file, run.clone())));
        let mut runs: Vec<RunReader<'_>> = runs.map(|(file, place)| RunReader::new(file, place)).collect();
        let mut unpack = Decompressor::new().with_context(cannot_read)?;
        let mut next = BinaryHeap::with_capacity(runs.len());
        for (number, run) in runs.iter_mut().enumerate() {
            let group = run.next(self, &mut unpack).with_context(cannot_read)?;
            next.extend(group.map(|order| Reverse((order, number))));
        }
        let most = (MERGED / self.group_bytes.max(1)).max(1);
        let (mut totals, mut texts, mut last) = (self.no_totals(), 0, None::<GroupOrder>);
        while let Some(Reverse((order, number))) = next.pop() {
            let run = &mut runs[number];
            if last.as_ref() != Some(&order) {
                if totals.keys.len() == most || texts >= MERGED {
                    each(&mem::replace(&mut totals, self.no_totals()))?;
                    texts = 0;
                }
                texts += run.values.iter().flatten().map(|text| text.len()).sum::<usize>();
                totals.places.push(totals.keys.len());
                totals.keys.push(mem::take(&mut run.values));
                totals.summary.grow(totals.keys.len());
                last = Some(order);
            }
            run.add_to(&mut totals.summary, totals.keys.len() - 1, self);
            let group = run.next(self, &mut unpack).with_context(cannot_read)?;
            next.extend(group.map(|order| Reverse((order, number))));
        }
        each(&totals)
    }
}

/// Writes a run at the end of a file.
///
/// It consists of blocks: how many bytes they have as they are and compressed, in 4 bytes each, and the compressed bytes. A group is
/// the length of each value of its keys plus one, or zero for none, and the value; its positions and rows without one; and the numbers
/// of its columns. Numbers are in groups of seven bits.
struct RunWriter<'a> {
    file: &'a mut File,
    start: u64,
    bytes: Vec<u8>,
    pack: Compressor<'a>,
}

impl<'a> RunWriter<'a> {
    fn new(file: &'a mut File) -> io::Result<RunWriter<'a>> {
        let start = file.seek(SeekFrom::End(0))?;
        Ok(RunWriter { file, start, bytes: Vec::new(), pack: Compressor::new(COMPRESSION)? })
    }

    /// Adds groups, which come after those before.
    fn put(&mut self, totals: &Totals) -> Result<()> {
        for (values, &place) in totals.keys.iter().zip(&totals.places) {
            for value in values {
                put_number(value.as_ref().map_or(0, |text| text.len() as u64 + 1), &mut self.bytes);
                self.bytes.extend_from_slice(value.as_deref().unwrap_or_default().as_bytes());
            }
            let summary = &totals.summary;
            put_number(summary.positions(place), &mut self.bytes);
            put_number(summary.nulls(place), &mut self.bytes);
            for column in summary.columns() {
                put_numbers(column.present(place), &mut self.bytes);
                if column.has_sum() {
                    put_numbers(column.sum(place), &mut self.bytes);
                }
            }
            if self.bytes.len() >= PACKED {
                self.flush().with_context(cannot_write)?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let packed = self.pack.compress(&self.bytes)?;
        let sizes = [self.bytes.len(), packed.len()].map(|length| (length as u32).to_le_bytes());
        self.file.write_all(sizes.as_flattened())?;
        self.file.write_all(&packed)?;
        self.bytes.clear();
        Ok(())
    }

    /// Where the run is.
    fn finish(mut self) -> io::Result<Range<u64>> {
        if !self.bytes.is_empty() {
            self.flush()?;
        }
        Ok(self.start..self.file.stream_position()?)
    }
}

/// Adds numbers: if there are several, first a bit for each that is not zero.
fn put_numbers(numbers: &[u64], bytes: &mut Vec<u8>) {
    if let [number] = numbers {
        return put_number(*number, bytes);
    }
    let set = (0..).zip(numbers).fold(0_u64, |set, (at, &number)| set | u64::from(number > 0) << at);
    bytes.extend_from_slice(&set.to_le_bytes());
    numbers.iter().filter(|&&number| number > 0).for_each(|&number| put_number(number, bytes));
}

fn put_number(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads a run, group by group.
struct RunReader<'a> {
    file: &'a File,
    /// The blocks that have not been read.
    place: Range<u64>,
    bytes: Vec<u8>,
    at: usize,
    /// The group that was read last.
    values: GroupKey,
    positions: u64,
    nulls: u64,
    numbers: Vec<u64>,
}

impl<'a> RunReader<'a> {
    fn new(file: &'a File, place: Range<u64>) -> RunReader<'a> {
        let (bytes, values, numbers) = (Vec::new(), GroupKey::new(), Vec::new());
        RunReader { file, place, bytes, at: 0, values, positions: 0, nulls: 0, numbers }
    }

    /// Reads the next group, if there is one. Returns its place among others.
    fn next(&mut self, layout: &GroupLayout, unpack: &mut Decompressor<'_>) -> io::Result<Option<GroupOrder>> {
        if self.at == self.bytes.len() {
            if self.place.is_empty() {
                return Ok(None);
            }
            self.unpack(unpack)?;
        }
        self.values = layout.keys.iter().map(|_| self.value()).collect::<io::Result<_>>()?;
        (self.positions, self.nulls) = (self.number()?, self.number()?);
        self.numbers.clear();
        for &count in layout.columns.as_flattened() {
            let set = match count {
                0 => continue,
                1 => 1,
                _ => u64::from_le_bytes(self.take(8)?.try_into().expect("there are eight")),
            };
            for at in 0..count {
                let number = if set >> at & 1 == 1 { self.number()? } else { 0 };
                self.numbers.push(number);
            }
        }
        Ok(Some(order(&layout.keys, &self.values)))
    }

    /// Reads the next block.
    fn unpack(&mut self, unpack: &mut Decompressor<'_>) -> io::Result<()> {
        let mut file = self.file;
        file.seek(SeekFrom::Start(self.place.start))?;
        let mut sizes = [[0; 4]; 2];
        file.read_exact(sizes.as_flattened_mut())?;
        let [size, packed] = sizes.map(u32::from_le_bytes);
        self.place.start += u64::from(packed) + 8;
        if self.place.start > self.place.end {
            return Err(damaged());
        }
        let mut bytes = vec![0; packed as usize];
        file.read_exact(&mut bytes)?;
        self.bytes = unpack.decompress(&bytes, size as usize)?;
        self.at = 0;
        Ok(())
    }

    fn take(&mut self, count: usize) -> io::Result<&[u8]> {
        let end = self.at.checked_add(count).ok_or_else(damaged)?;
        let bytes = self.bytes.get(self.at..end).ok_or_else(damaged)?;
        self.at = end;
        Ok(bytes)
    }

    fn number(&mut self) -> io::Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(damaged())
    }

    fn value(&mut self) -> io::Result<Option<std::sync::Arc<str>>> {
        let Some(length) = self.number()?.checked_sub(1) else { return Ok(None) };
        let text = str::from_utf8(self.take(length as usize)?).map_err(|_| damaged())?;
        Ok(Some(text.into()))
    }

    /// Adds the group that was read last to this group of a summary.
    fn add_to(&self, summary: &mut Summary, group: usize, layout: &GroupLayout) {
        let mut rest = &self.numbers[..];
        let known = layout.columns.iter().map(|counts| {
            counts.map(|count| {
                let (numbers, more) = rest.split_at(count);
                rest = more;
                numbers
            })
        });
        let known: Vec<[&[u64]; 2]> = known.collect();
        summary.add_known(group, self.positions, &known);
        summary.add_nulls(group, self.nulls);
    }
}

/// The error for bytes that this process has not written.
fn damaged() -> io::Error {
    io::Error::new(ErrorKind::InvalidData, "the file has been changed")
}

#[test]
fn numbers_are_read_as_they_were_written() {
    let numbers: Vec<u64> = (0..64).map(|at| if at % 5 == 0 { 0 } else { u64::MAX >> at }).collect();
    let (mut bytes, empty) = (Vec::new(), tempfile::tempfile().unwrap());
    [&numbers[..], &[7], &[u64::MAX]].iter().for_each(|numbers| put_numbers(numbers, &mut bytes));
    let mut reader = RunReader { bytes, ..RunReader::new(&empty, 0..0) };
    let set = u64::from_le_bytes(reader.take(8).unwrap().try_into().unwrap());
    let read = (0..64).map(|at| if set >> at & 1 == 1 { reader.number().unwrap() } else { 0 });
    assert_eq!(read.collect::<Vec<_>>(), numbers);
    assert_eq!([(); 2].map(|()| reader.number().unwrap()), [7, u64::MAX]);
    assert_eq!(reader.number().unwrap_err().kind(), ErrorKind::InvalidData);
}
