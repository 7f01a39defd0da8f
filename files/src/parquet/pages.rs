//! The pages of a leaf in a row group: their headers, and the pages themselves, which are checked before they are decoded.
//!
//! The decoders of the crate `parquet` reserve memory for as many values as a page claims to have.

use std::io;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, bail, ensure};
use bytes::Bytes;
use parquet::basic::{Compression, Encoding, Type};
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::ColumnChunkMetaData;

use super::codecs::decompress;
use super::guard::ListCounter;
use super::thrift::{self, FieldNumbers, StructTag, is_too_short};
use crate::file::InputFile;

/// The largest page, compressed and decompressed together, in bytes.
pub const MAX_PAGE: u64 = 64 << 20;
/// How much is read at first to find a header, and how much at most, in bytes.
const HEADER: u64 = 4 << 10;
const MAX_HEADER: u64 = 16 << 20;
/// The most values of a page in encodings whose decoders look at all of them at once.
const MAX_LENGTHS: u32 = 1 << 22;

/// The number of unused pages that are kept, and the maximum size of each.
const SPARE: usize = 4;
const MAX_SPARE: usize = 2 << 20;

/// The memory of unused pages, for reuse. Otherwise, the system would clear new memory for each page.
#[derive(Clone, Default)]
pub struct SparePages(Arc<Mutex<Vec<Vec<u8>>>>);

/// A page in memory that is used again.
struct PageMemory {
    memory: Vec<u8>,
    /// How many bytes the page has.
    length: usize,
    spare: SparePages,
}

impl SparePages {
    /// A page of this many bytes, whatever these are.
    fn page(&self, length: usize) -> PageMemory {
        // Not one that is much larger: what is made of the page may keep it.
        let fits = |memory: &Vec<u8>| (length..=2 * length).contains(&memory.len());
        let mut spare = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = spare.iter().position(fits);
        let memory = place.map(|place| spare.remove(place)).unwrap_or_else(|| vec![0; length]);
        drop(spare);
        PageMemory { memory, length, spare: self.clone() }
    }
}

impl AsRef<[u8]> for PageMemory {
    fn as_ref(&self) -> &[u8] {
        &self.memory[..self.length]
    }
}

impl Drop for PageMemory {
    fn drop(&mut self) {
        let mut spare = self.spare.0.lock().unwrap_or_else(PoisonError::into_inner);
        if self.memory.len() <= MAX_SPARE {
            // The oldest makes room: it may fit no page that is to come.
            spare.truncate(SPARE - 1);
            spare.insert(0, mem::take(&mut self.memory));
        }
    }
}

/// The dictionary and the last page of a leaf, decompressed, for readers that begin at different rows of it.
#[derive(Default)]
pub struct SharedPages([Mutex<Option<(u64, Bytes)>>; 2]);

impl SharedPages {
    /// The page that begins at this byte. If it is not here, `read` gives it, and others that need it wait for that.
    fn get(&self, is_dictionary: bool, at: u64, read: impl FnOnce() -> Result<Bytes>) -> Result<Bytes> {
        let mut last = self.0[usize::from(is_dictionary)].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, bytes)) = last.as_ref().filter(|(place, _)| *place == at) {
            return Ok(bytes.clone());
        }
        *last = None;
        let bytes = read()?;
        *last = Some((at, bytes.clone()));
        Ok(bytes)
    }
}

/// The pages of a leaf in a row group.
pub struct Pages {
    file: Arc<InputFile>,
    spare: SparePages,
    shared: Option<Arc<SharedPages>>,
    /// Where the rest of them is.
    at: u64,
    end: u64,
    /// The header of the next page, if it has been read.
    next: Option<PageHeader>,
    /// A dictionary, and where it is, until a page needs it.
    dictionary: Option<(PageHeader, u64)>,
    /// How many values the pages before have.
    values: u64,
    codec: Compression,
    kind: Type,
    /// The highest levels: definition, repetition.
    levels: [i16; 2],
    /// The counter of list values, and the weight of each.
    lists: Option<(Arc<ListCounter>, u64)>,
}

/// The header of a page.
#[derive(Clone, Copy, Debug)]
pub struct PageHeader {
    kind: PageKind,
    /// Its sizes, compressed and decompressed.
    stored: u64,
    size: u64,
    /// How many values it has, nulls and empty lists among them, or how many entries a dictionary has.
    values: u32,
    encoding: Encoding,
}

#[derive(Clone, Copy, Debug)]
enum PageKind {
    Dictionary,
    /// The encodings of levels: definition, repetition.
    V1([Encoding; 2]),
    /// How many nulls and rows it has, and the lengths of levels.
    V2 {
        nulls: u32,
        rows: u32,
        levels: [u32; 2],
        is_compressed: bool,
    },
    /// An index, which is passed over.
    Other,
}

impl PageHeader {
    /// How many bytes the page takes, compressed and decompressed together.
    pub fn bytes(&self) -> u64 {
        self.stored + self.size
    }

    /// How many values it has, nulls and empty lists among them; a dictionary has none.
    pub fn values(&self) -> u64 {
        if self.is_dictionary() { 0 } else { self.values.into() }
    }

    /// Whether it is a dictionary.
    pub fn is_dictionary(&self) -> bool {
        matches!(self.kind, PageKind::Dictionary)
    }

    /// The header at the beginning of these bytes, and how many bytes it takes.
    fn parse(bytes: &[u8]) -> Result<(PageHeader, u64)> {
        let (mut page, mut of_kind) = (FieldNumbers::default(), FieldNumbers::default());
        let mut visit = |tag, numbers: &FieldNumbers, _: [&[u8]; 2]| {
            match tag {
                StructTag::Page => page = *numbers,
                StructTag::PageOfKind => of_kind = *numbers,
                _ => {}
            }
            Ok(())
        };
        let (_, length) = thrift::walk(bytes, &thrift::PAGE, &mut visit)?;
        let natural = |numbers: &FieldNumbers, field: usize| -> Result<u32> {
            let number = numbers[field].with_context(|| format!("field {field} is missing"))?;
            number.try_into().with_context(|| format!("field {field} is {number}"))
        };
        let (number, encoding) = (|field| natural(&of_kind, field), |field| encoding(natural(&of_kind, field)?));
        let (kind, encoding, values) = match natural(&page, 1)? {
            0 => (PageKind::V1([encoding(3)?, encoding(4)?]), encoding(2)?, number(1)?),
            2 => (PageKind::Dictionary, encoding(2)?, number(1)?),
            3 => {
                let levels = [number(5)?, number(6)?];
                let is_compressed = of_kind[7] != Some(0);
                let kind = PageKind::V2 { nulls: number(2)?, rows: number(3)?, levels, is_compressed };
                (kind, encoding(4)?, number(1)?)
            }
            1 => (PageKind::Other, Encoding::PLAIN, 0),
            other => bail!("unknown page type {other}"),
        };
        let described = [5, 7, 8].iter().filter(|&&field| page[field].is_some()).count();
        ensure!(described <= 1, "it describes {described} pages");
        let (size, stored) = (natural(&page, 2)?.into(), natural(&page, 3)?.into());
        Ok((PageHeader { kind, stored, size, values, encoding }, length as u64))
    }
}

fn encoding(number: u32) -> Result<Encoding> {
    let known = Encoding::VARIANTS.iter().find(|&&encoding| encoding as u32 == number);
    known.copied().with_context(|| format!("unknown encoding {number}"))
}

impl Pages {
    /// The pages of a leaf. If it has lists, their values are counted, and each counts as this many.
    pub fn new(
        file: Arc<InputFile>,
        chunk: &ColumnChunkMetaData,
        lists: Option<(Arc<ListCounter>, u64)>,
        spare: SparePages,
    ) -> Pages {
        let (at, length) = chunk.byte_range();
        let leaf = chunk.column_descr();
        let levels = [leaf.max_def_level(), leaf.max_rep_level()];
        let (codec, kind) = (chunk.compression(), chunk.column_type());
        let end = at + length;
        Pages {
            file,
            spare,
            shared: None,
            at,
            end,
            next: None,
            dictionary: None,
            values: 0,
            codec,
            kind,
            levels,
            lists,
        }
    }

    /// Shares its pages with others of the same leaf.
    pub fn share(mut self, shared: Option<Arc<SharedPages>>) -> Pages {
        self.shared = shared;
        self
    }

    /// The header of the next page that is a dictionary or has values.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is damaged.
    pub fn peek(&mut self) -> Result<Option<PageHeader>> {
        while self.next.is_none() && self.at < self.end {
            let (header, length) =
                self.header().with_context(|| format!("the header of a page at byte {}", self.at))?;
            self.at += length;
            ensure!(header.stored <= self.end - self.at, "page exceeds its column chunk");
            if let PageKind::V2 { rows, .. } = header.kind {
                let is_right = if self.levels[1] > 0 { rows <= header.values } else { rows == header.values };
                ensure!(is_right, "a page has {rows} rows with {} values", header.values);
            }
            match header.kind {
                PageKind::Other => self.at += header.stored,
                _ => self.next = Some(header),
            }
        }
        Ok(self.next)
    }

    /// Passes over the next page.
    pub fn pass(&mut self) {
        if let Some(header) = self.next.take() {
            self.at += header.stored;
            self.values += header.values();
        }
    }

    /// Some bytes of the file, from this one on.
    fn bytes(&self, at: u64, count: u64) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; count as usize];
        // Other threads read other pages of the same file.
        match self.file.read_at(&mut bytes, at)? as u64 {
            read if read == count => Ok(bytes),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    fn header(&self) -> Result<(PageHeader, u64)> {
        let mut count = HEADER;
        loop {
            let all = self.end - self.at;
            match PageHeader::parse(&self.bytes(self.at, count.min(all))?) {
                Err(error) if is_too_short(&error) && count < all.min(MAX_HEADER) => count *= 8,
                header => return header,
            }
        }
    }

    /// The header of the next page that is to be read or passed over: a dictionary waits until a page needs it.
    fn peek_needed(&mut self) -> Result<Option<PageHeader>> {
        loop {
            match self.peek()? {
                Some(header) if header.is_dictionary() && self.dictionary.is_none() => {
                    self.dictionary = Some((header, self.at));
                    self.pass();
                }
                header => return Ok(header),
            }
        }
    }

    /// The next page, or the dictionary that it needs.
    fn page(&mut self) -> Result<Option<Page>> {
        let Some(header) = self.peek_needed()? else { return Ok(None) };
        let is_needed =
            header.is_dictionary() || matches!(header.encoding, Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY);
        let ((header, at), is_next) = match self.dictionary.take_if(|_| is_needed) {
            Some(dictionary) => (dictionary, false),
            None => ((header, self.at), true),
        };
        ensure!(header.bytes() <= MAX_PAGE, "page of {} bytes exceeds the limit of {MAX_PAGE}", header.bytes());
        if is_next {
            self.pass();
        }
        if let Some((lists, weight)) = &self.lists {
            lists.ask(self.values.saturating_mul(*weight))?;
        }
        let bytes = match &self.shared {
            Some(shared) => shared.get(header.is_dictionary(), at, || self.read(&header, at))?,
            None => self.read(&header, at)?,
        };
        let (num_values, encoding, buf) = (header.values, header.encoding, bytes);
        Ok(Some(match header.kind {
            PageKind::V2 { nulls, rows, levels: [definition, repetition], .. } => Page::DataPageV2 {
                buf,
                num_values,
                encoding,
                num_nulls: nulls,
                num_rows: rows,
                def_levels_byte_len: definition,
                rep_levels_byte_len: repetition,
                is_compressed: false,
                statistics: None,
            },
            PageKind::V1([def_level_encoding, rep_level_encoding]) => {
                Page::DataPage { buf, num_values, encoding, def_level_encoding, rep_level_encoding, statistics: None }
            }
            _ => Page::DictionaryPage { buf, num_values, encoding, is_sorted: false },
        }))
    }

    /// The bytes of a page, decompressed and checked.
    fn read(&self, header: &PageHeader, at: u64) -> Result<Bytes> {
        let stored = self.bytes(at, header.stored)?;
        let (levels, is_compressed) = match header.kind {
            PageKind::V2 { levels, is_compressed, .. } => (levels.map(u64::from).iter().sum(), is_compressed),
            _ => (0, true),
        };
        let bytes = match self.codec {
            codec if is_compressed && codec != Compression::UNCOMPRESSED => {
                let size = header.size.checked_sub(levels).context("page size does not match its header")?;
                let (levels, values) = stored.split_at_checked(levels as usize).context("levels exceed their page")?;
                let mut page = self.spare.page(levels.len() + size as usize);
                let (before, after) = page.memory[..page.length].split_at_mut(levels.len());
                before.copy_from_slice(levels);
                decompress(codec, values, after)?;
                Bytes::from_owner(page)
            }
            _ => stored.into(),
        };
        self.check(header, &bytes, levels as usize)?;
        Ok(bytes)
    }

    /// Checks that a page has no more values than can be in its bytes, where a decoder believes what it claims.
    fn check(&self, header: &PageHeader, bytes: &[u8], levels: usize) -> Result<()> {
        let most = match self.kind {
            _ if !header.is_dictionary() => {
                let values = match header.kind {
                    PageKind::V1(encodings) => skip_levels(bytes, header.values, encodings, self.levels),
                    _ => bytes.get(levels..),
                };
                return check_lengths(header, values.context("levels exceed their page")?);
            }
            Type::BOOLEAN => 8 * bytes.len(),
            Type::INT64 | Type::DOUBLE => bytes.len() / 8,
            Type::INT96 => bytes.len() / 12,
            Type::FIXED_LEN_BYTE_ARRAY => bytes.len(),
            Type::INT32 | Type::FLOAT | Type::BYTE_ARRAY => bytes.len() / 4,
        };
        let (values, length) = (header.values, bytes.len());
        ensure!(values as usize <= most, "dictionary declares {values} values in {length} bytes");
        Ok(())
    }
}

/// Checks the encodings that begin with the lengths of all values.
fn check_lengths(header: &PageHeader, bytes: &[u8]) -> Result<()> {
    let lists = match header.encoding {
        Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
        // The lengths of what each value shares with the one before, and of the rest of it.
        Encoding::DELTA_BYTE_ARRAY => 2,
        _ => 0,
    };
    let (mut rest, most) = (bytes, header.values.min(MAX_LENGTHS));
    for _ in 0..lists {
        rest = skip_deltas(rest, most.into())
            .with_context(|| format!("page of {} values: lengths do not match its header", header.values))?;
    }
    Ok(())
}

/// What follows some numbers in the encoding `DELTA_BINARY_PACKED`: at most `most`.
fn skip_deltas(mut bytes: &[u8], most: u64) -> Option<&[u8]> {
    let mut number = || {
        let (number, rest) = unsigned(bytes)?;
        bytes = rest;
        Some(number)
    };
    let (block, parts, mut count, _) = (number()?, number()?, number()?, number()?);
    if count > most || parts == 0 {
        return None;
    }
    // The first number has been read.
    count = count.saturating_sub(1);
    while count > 0 {
        (_, bytes) = unsigned(bytes)?;
        let (widths, mut rest) = bytes.split_at_checked(parts.try_into().ok()?)?;
        for &width in widths {
            if count > 0 {
                let length = u64::from(width).checked_mul(block / parts)? / 8;
                rest = rest.get(length.try_into().ok()?..)?;
            }
            count = count.saturating_sub(block / parts);
        }
        bytes = rest;
        if block / parts == 0 {
            return None;
        }
    }
    Some(bytes)
}

/// A number in groups of seven bits, the lowest first, and what follows it.
fn unsigned(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let end = bytes.iter().take(10).position(|&byte| byte < 0x80)?;
    let number = bytes[..=end].iter().rev().fold(0, |number, &byte| number << 7 | u64::from(byte & 0x7f));
    Some((number, &bytes[end + 1..]))
}

/// What follows the levels in a page of the first version. The highest levels are given.
fn skip_levels(mut bytes: &[u8], values: u32, encodings: [Encoding; 2], highest: [i16; 2]) -> Option<&[u8]> {
    for (encoding, highest) in encodings.into_iter().zip(highest).rev().filter(|&(_, highest)| highest > 0) {
        let length = if encoding == Encoding::RLE {
            let (length, rest) = bytes.split_first_chunk()?;
            bytes = rest;
            u32::from_le_bytes(*length) as usize
        } else {
            let bits = u64::from(16 - highest.leading_zeros());
            (u64::from(values) * bits).div_ceil(8).try_into().ok()?
        };
        bytes = bytes.get(length..)?;
    }
    Some(bytes)
}

impl Iterator for Pages {
    type Item = ParquetResult<Page>;

    fn next(&mut self) -> Option<ParquetResult<Page>> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> ParquetResult<Option<Page>> {
        self.page().map_err(damaged)
    }

    fn peek_next_page(&mut self) -> ParquetResult<Option<PageMetadata>> {
        let metadata = |header: PageHeader| PageMetadata {
            num_rows: match header.kind {
                PageKind::V2 { rows, .. } => Some(rows as usize),
                _ => None,
            },
            num_levels: (!header.is_dictionary()).then_some(header.values as usize),
            is_dict: header.is_dictionary(),
        };
        Ok(self.peek_needed().map_err(damaged)?.map(metadata))
    }

    fn skip_next_page(&mut self) -> ParquetResult<()> {
        self.peek_needed().map_err(damaged)?;
        self.pass();
        Ok(())
    }

    fn at_record_boundary(&mut self) -> ParquetResult<bool> {
        Ok(self.peek_next_page()?.is_none_or(|page| page.num_rows.is_some()))
    }
}

fn damaged(error: anyhow::Error) -> ParquetError {
    ParquetError::General(format!("{error:#}"))
}

/// The pages of one row group.
pub struct OneChunk(pub Option<Pages>);

impl Iterator for OneChunk {
    type Item = ParquetResult<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<ParquetResult<Box<dyn PageReader>>> {
        Some(Ok(Box::new(self.0.take()?)))
    }
}

impl PageIterator for OneChunk {}
