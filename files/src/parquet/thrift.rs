//! A walk over structs in Thrift's compact protocol: file footers and page headers.
//!
//! The readers of the crate `parquet` trust such structs: they allocate memory for the claimed length of a list, and follow a
//! schema to any depth. So they get a rewritten struct: only with the needed fields, each once and of its type, and with lists
//! of their actual length.
//!
//! See <https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md> and
//! <https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift>.

use std::io::{self, ErrorKind::UnexpectedEof};
use std::ops::RangeInclusive;

use anyhow::{Context, Error, Result, bail, ensure};

/// The expected kind of a field.
#[derive(Clone, Copy)]
pub enum FieldKind {
    Bool,
    I8,
    I32,
    I64,
    Binary,
    List(&'static FieldKind),
    Struct(&'static Struct),
}

/// The fields of a struct that are needed, by their numbers.
pub struct Struct {
    pub tag: StructTag,
    pub fields: &'static [(i16, FieldKind)],
}

/// Which struct it is, if somebody asks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum StructTag {
    /// A node of the schema.
    Node,
    RowGroup,
    /// What is said of a column in a row group.
    Column,
    KeyValue,
    /// A header of a page.
    Page,
    /// What such a header says of a page of one kind: a dictionary, or values.
    PageOfKind,
    /// At most one field. If it is not a known one, all of it is left out.
    Union,
    Other,
}

/// The largest number of a field.
const MOST_FIELDS: usize = 32;
/// How deep a field can be that is passed over.
const DEPTH: usize = 64;

/// The numbers in a struct, by the numbers of their fields: of a text its length, of a list how many elements it has.
pub type FieldNumbers = [Option<i64>; MOST_FIELDS];

const fn other(fields: &'static [(i16, FieldKind)]) -> Struct {
    Struct { tag: StructTag::Other, fields }
}

static EMPTY: Struct = other(&[]);
static DECIMAL: Struct = other(&[(1, FieldKind::I32), (2, FieldKind::I32)]);
static TIME_UNIT: Struct =
    other(&[(1, FieldKind::Struct(&EMPTY)), (2, FieldKind::Struct(&EMPTY)), (3, FieldKind::Struct(&EMPTY))]);
static TIME: Struct = other(&[(1, FieldKind::Bool), (2, FieldKind::Struct(&TIME_UNIT))]);
static INTEGER: Struct = other(&[(1, FieldKind::I8), (2, FieldKind::Bool)]);
static LOGICAL_TYPE: Struct = Struct {
    tag: StructTag::Union,
    fields: &[
        (1, FieldKind::Struct(&EMPTY)),
        (2, FieldKind::Struct(&EMPTY)),
        (3, FieldKind::Struct(&EMPTY)),
        (4, FieldKind::Struct(&EMPTY)),
        (5, FieldKind::Struct(&DECIMAL)),
        (6, FieldKind::Struct(&EMPTY)),
        (7, FieldKind::Struct(&TIME)),
        (8, FieldKind::Struct(&TIME)),
        (10, FieldKind::Struct(&INTEGER)),
        (11, FieldKind::Struct(&EMPTY)),
        (12, FieldKind::Struct(&EMPTY)),
        (13, FieldKind::Struct(&EMPTY)),
        (14, FieldKind::Struct(&EMPTY)),
        (15, FieldKind::Struct(&EMPTY)),
    ],
};
static NODE: Struct = Struct {
    tag: StructTag::Node,
    fields: &[
        (1, FieldKind::I32),
        (2, FieldKind::I32),
        (3, FieldKind::I32),
        (4, FieldKind::Binary),
        (5, FieldKind::I32),
        (6, FieldKind::I32),
        (7, FieldKind::I32),
        (8, FieldKind::I32),
        (9, FieldKind::I32),
        (10, FieldKind::Struct(&LOGICAL_TYPE)),
    ],
};
static COLUMN: Struct = Struct {
    tag: StructTag::Column,
    fields: &[
        (1, FieldKind::I32),
        (2, FieldKind::List(&FieldKind::I32)),
        (4, FieldKind::I32),
        (5, FieldKind::I64),
        (6, FieldKind::I64),
        (7, FieldKind::I64),
        (9, FieldKind::I64),
        (11, FieldKind::I64),
    ],
};
static CHUNK: Struct = other(&[(2, FieldKind::I64), (3, FieldKind::Struct(&COLUMN))]);
static ROW_GROUP: Struct = Struct {
    tag: StructTag::RowGroup,
    fields: &[(1, FieldKind::List(&FieldKind::Struct(&CHUNK))), (2, FieldKind::I64), (3, FieldKind::I64)],
};
static KEY_VALUE: Struct =
    Struct { tag: StructTag::KeyValue, fields: &[(1, FieldKind::Binary), (2, FieldKind::Binary)] };

/// The description of a file.
pub static FILE: Struct = other(&[
    (1, FieldKind::I32),
    (2, FieldKind::List(&FieldKind::Struct(&NODE))),
    (3, FieldKind::I64),
    (4, FieldKind::List(&FieldKind::Struct(&ROW_GROUP))),
    (5, FieldKind::List(&FieldKind::Struct(&KEY_VALUE))),
]);

/// The header of a page.
pub static PAGE: Struct = Struct {
    tag: StructTag::Page,
    fields: &[
        (1, FieldKind::I32),
        (2, FieldKind::I32),
        (3, FieldKind::I32),
        (5, FieldKind::Struct(&PAGE_OF_KIND)),
        (7, FieldKind::Struct(&DICTIONARY_PAGE)),
        (8, FieldKind::Struct(&PAGE_V2)),
    ],
};
static PAGE_OF_KIND: Struct = Struct {
    tag: StructTag::PageOfKind,
    fields: &[(1, FieldKind::I32), (2, FieldKind::I32), (3, FieldKind::I32), (4, FieldKind::I32)],
};
static DICTIONARY_PAGE: Struct =
    Struct { tag: StructTag::PageOfKind, fields: &[(1, FieldKind::I32), (2, FieldKind::I32)] };
static PAGE_V2: Struct = Struct {
    tag: StructTag::PageOfKind,
    fields: &[
        (1, FieldKind::I32),
        (2, FieldKind::I32),
        (3, FieldKind::I32),
        (4, FieldKind::I32),
        (5, FieldKind::I32),
        (6, FieldKind::I32),
        (7, FieldKind::Bool),
    ],
};

/// Takes each struct that is needed when it ends: which one it is, its numbers, and the texts of its fields 1 and 2.
pub type StructVisitor<'a> = &'a mut dyn FnMut(StructTag, &FieldNumbers, [&[u8]; 2]) -> Result<()>;

/// Walks over a struct at the beginning of some bytes. Returns it written anew, and how many bytes it takes.
///
/// # Errors
///
/// It is malformed, a field is there twice or has another type than it should, or `visit` fails. If the bytes end too early,
/// the root cause is an `UnexpectedEof`.
pub fn walk(bytes: &[u8], of: &'static Struct, visit: StructVisitor<'_>) -> Result<(Vec<u8>, usize)> {
    let mut walk = Walk { bytes, at: 0, out: Vec::new(), visit };
    walk.structure(of).with_context(|| format!("byte {}", walk.at))?;
    Ok((walk.out, walk.at))
}

/// Whether a walk failed because the bytes end too early.
pub fn is_too_short(error: &Error) -> bool {
    error.root_cause().downcast_ref::<io::Error>().is_some_and(|error| error.kind() == UnexpectedEof)
}

struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
    out: Vec<u8>,
    visit: StructVisitor<'a>,
}

impl<'a> Walk<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let bytes = self.bytes[self.at..].get(..count).ok_or(io::Error::from(UnexpectedEof))?;
        self.at += count;
        Ok(bytes)
    }

    fn byte(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    /// A number of up to 64 bits, in groups of seven, the lowest first.
    fn number(&mut self) -> Result<u64> {
        let mut number = 0;
        for group in 0..10 {
            let byte = self.byte()?;
            ensure!(group < 9 || byte < 2, "integer exceeds 64 bits");
            number |= u64::from(byte & 0x7f) << (7 * group);
            if byte < 0x80 {
                return Ok(number);
            }
        }
        unreachable!("the tenth byte is the last")
    }

    /// The same for signed numbers, with the sign in the lowest bit.
    fn signed(&mut self, within: RangeInclusive<i64>) -> Result<i64> {
        let number = self.number()?;
        let signed = (number >> 1) as i64 ^ -((number & 1) as i64);
        ensure!(within.contains(&signed), "integer {signed} is out of range");
        Ok(signed)
    }

    fn write(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.out.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.out.push(number as u8);
    }

    fn write_signed(&mut self, number: i64) {
        self.write((number << 1 ^ number >> 63) as u64);
    }

    /// How many elements a list has, and their type. Each takes a byte or more.
    fn list(&mut self) -> Result<(usize, u8)> {
        let head = self.byte()?;
        let count = if head >> 4 == 15 { self.number()? } else { u64::from(head >> 4) };
        self.check_count(count)?;
        Ok((count as usize, head & 15))
    }

    fn check_count(&self, count: u64) -> Result<()> {
        let left = self.bytes.len() - self.at;
        if count <= left as u64 {
            return Ok(());
        }
        Err(io::Error::from(UnexpectedEof)).context(format!("length {count} exceeds the {left} bytes left"))
    }

    fn structure(&mut self, of: &'static Struct) -> Result<()> {
        let (mut numbers, mut texts): (FieldNumbers, [&[u8]; 2]) = ([None; MOST_FIELDS], [&[]; 2]);
        let (mut field, mut written) = (0, 0);
        loop {
            let head = self.byte()?;
            let kind = head & 15;
            if kind == 0 {
                break;
            }
            field = match head >> 4 {
                0 => self.signed(i16::MIN.into()..=i16::MAX.into())?,
                more => field + i64::from(more),
            };
            let Some(&(id, wanted)) = of.fields.iter().find(|&&(id, _)| i64::from(id) == field) else {
                self.skip(kind, DEPTH)?;
                continue;
            };
            let place = id as usize;
            ensure!(numbers[place].is_none(), "duplicate field {id}");
            let before = self.out.len();
            match id - written {
                more @ 1..=15 => self.out.push((more as u8) << 4 | kind),
                _ => {
                    self.out.push(kind);
                    self.write_signed(id.into());
                }
            }
            let start = self.out.len();
            numbers[place] = Some(self.value(wanted, kind).with_context(|| format!("field {id}"))?);
            if let (FieldKind::Binary, Some(length)) = (wanted, numbers[place])
                && let Some(text) = texts.get_mut(place - 1)
            {
                *text = &self.bytes[self.at - length as usize..self.at];
            }
            // A union without a field that is known is left out.
            if matches!(wanted, FieldKind::Struct(union) if union.tag == StructTag::Union) && self.out[start..] == [0] {
                self.out.truncate(before);
            } else {
                written = id;
            }
        }
        self.out.push(0);
        (self.visit)(of.tag, &numbers, texts)
    }

    /// A value, written anew.
    fn value(&mut self, wanted: FieldKind, kind: u8) -> Result<i64> {
        match (wanted, kind) {
            (FieldKind::Bool, 1 | 2) => return Ok((kind == 1).into()),
            (FieldKind::I8, 3) => {
                let byte = self.byte()?;
                self.out.push(byte);
                return Ok((byte as i8).into());
            }
            (FieldKind::I32, 5) | (FieldKind::I64, 6) => {
                let within = if kind == 5 { i32::MIN.into()..=i32::MAX.into() } else { i64::MIN..=i64::MAX };
                let number = self.signed(within)?;
                self.write_signed(number);
                return Ok(number);
            }
            (FieldKind::Binary, 8) => {
                let count = self.number()?;
                self.check_count(count)?;
                let text = self.take(count as usize)?;
                self.write(count);
                self.out.extend_from_slice(text);
                return Ok(count as i64);
            }
            (FieldKind::List(of), 9) => {
                let (count, kind) = self.list()?;
                self.out.push(0xf0 | kind_of(of));
                self.write(count as u64);
                for _ in 0..count {
                    self.value(*of, kind)?;
                }
                return Ok(count as i64);
            }
            (FieldKind::Struct(of), 12) => self.structure(of)?,
            _ => bail!("unexpected type"),
        }
        Ok(0)
    }

    /// Passes over a value.
    fn skip(&mut self, kind: u8, depth: usize) -> Result<()> {
        ensure!(depth > 0, "nested too deeply");
        match kind {
            1 | 2 => {}
            3 => _ = self.byte()?,
            4..=6 => _ = self.number()?,
            7 => _ = self.take(8)?,
            8 => {
                let count = self.number()?;
                self.check_count(count)?;
                self.take(count as usize)?;
            }
            9 | 10 => {
                let (count, kind) = self.list()?;
                (0..count).try_for_each(|_| self.skip_element(kind, depth))?;
            }
            11 => {
                let count = self.number()?;
                self.check_count(count)?;
                if count > 0 {
                    let kinds = self.byte()?;
                    for _ in 0..count {
                        self.skip_element(kinds >> 4, depth)?;
                        self.skip_element(kinds & 15, depth)?;
                    }
                }
            }
            12 => loop {
                let head = self.byte()?;
                if head & 15 == 0 {
                    break;
                }
                if head >> 4 == 0 {
                    self.number()?;
                }
                self.skip(head & 15, depth - 1)?;
            },
            13 => _ = self.take(16)?,
            _ => bail!("unknown type {kind}"),
        }
        Ok(())
    }

    /// Passes over an element of a list or a map, where a truth value takes a byte.
    fn skip_element(&mut self, kind: u8, depth: usize) -> Result<()> {
        if matches!(kind, 1 | 2) { self.byte().map(drop) } else { self.skip(kind, depth - 1) }
    }
}

/// The number of a type, as in the head of a list.
fn kind_of(kind: &FieldKind) -> u8 {
    match kind {
        FieldKind::Bool => 1,
        FieldKind::I8 => 3,
        FieldKind::I32 => 5,
        FieldKind::I64 => 6,
        FieldKind::Binary => 8,
        FieldKind::List(_) => 9,
        FieldKind::Struct(_) => 12,
    }
}
