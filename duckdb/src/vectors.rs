//! Columns of a chunk of rows in DuckDB's layout. DuckDB flattens constants and dictionaries before it calls a function.
#![allow(unsafe_code, reason = "memory of DuckDB")]

use std::arch::asm;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::slice;

use anyhow::{Context, Result, anyhow, bail};
use bytemuck::{Pod, Zeroable};
use slider_attacks_rows::memory::check_available;

use crate::api::{api, newer, succeeded};
use crate::callbacks::Handle;
use crate::types::{PlainType, Type};

/// The rows that a function is given.
#[derive(Clone, Copy, Debug)]
pub struct InputChunk<'a> {
    chunk: Handle,
    types: &'a [Type],
    rows: usize,
}

impl<'a> InputChunk<'a> {
    /// The rows of a chunk with columns of these types.
    ///
    /// # Safety
    ///
    /// DuckDB has handed over such a chunk, and keeps it for `'a`.
    pub unsafe fn new(chunk: Handle, types: &'a [Type]) -> InputChunk<'a> {
        // SAFETY: it is a chunk.
        let rows = unsafe { (api().duckdb_data_chunk_get_size)(chunk) } as usize;
        InputChunk { chunk, types, rows }
    }

    /// How many rows there are.
    pub fn rows(self) -> usize {
        self.rows
    }

    /// Which rows of a column have a value.
    pub fn valid(self, column: usize) -> ValidBits<'a> {
        assert!(column < self.types.len(), "column {column} of {}", self.types.len());
        // SAFETY: the chunk has this column, and a mask has a bit for each row.
        let mask = unsafe {
            let vector = (api().duckdb_data_chunk_get_vector)(self.chunk, column as u64);
            let mask = (api().duckdb_vector_get_validity)(vector);
            (!mask.is_null()).then(|| slice::from_raw_parts(mask, self.rows.div_ceil(64)))
        };
        ValidBits(mask)
    }

    /// The numbers in a column. Where a row has no value, there may be any.
    ///
    /// # Panics
    ///
    /// If the column has no such numbers.
    pub fn numbers<T: Pod>(self, column: usize) -> &'a [T] {
        assert!(is_number(&self.types[column]) && self.types[column].width() == size_of::<T>(), "other numbers");
        self.values(column)
    }

    /// The type of a column.
    pub fn kind(self, column: usize) -> &'a Type {
        &self.types[column]
    }

    /// The texts in a column.
    ///
    /// # Panics
    ///
    /// If the column has none.
    pub fn texts(self, column: usize) -> TextVector<'a> {
        assert_eq!(self.types[column], PlainType::Text.into(), "no texts");
        TextVector { texts: self.values(column), valid: self.valid(column) }
    }

    fn values<T>(self, column: usize) -> &'a [T] {
        if self.rows == 0 {
            return &[];
        }
        // SAFETY: the column has a value of this width per row, and each is one whatever its bits.
        unsafe {
            let vector = (api().duckdb_data_chunk_get_vector)(self.chunk, column as u64);
            slice::from_raw_parts((api().duckdb_vector_get_data)(vector).cast(), self.rows)
        }
    }
}

/// Checks that there is memory for this many values, as DuckDB makes room for twice as many. DuckDB 1.x throws an exception of C++ if
/// there is none, and that would end the process.
fn room_for(values: usize, kind: &Type) -> Result<()> {
    fn width(kind: &Type) -> usize {
        match kind {
            Type::Struct(fields) => fields.iter().map(|(_, kind)| width(kind)).sum(),
            kind => kind.width(),
        }
    }
    let bytes = values.saturating_mul(2 * width(kind));
    if bytes > 1 << 20 {
        check_available(bytes).with_context(|| format!("cannot make a list of {values} elements"))?;
    }
    Ok(())
}

/// Whether values are numbers, so that all bits are allowed.
fn is_number(kind: &Type) -> bool {
    match kind {
        Type::Plain(plain) => !matches!(plain, PlainType::Text | PlainType::Blob | PlainType::Any),
        Type::Decimal(..) => true,
        Type::List(_) | Type::Struct(_) | Type::Map(..) => false,
    }
}

/// Which rows have a value.
#[derive(Clone, Copy, Debug)]
pub struct ValidBits<'a>(Option<&'a [u64]>);

impl ValidBits<'_> {
    /// Whether all have.
    pub fn are_all(self) -> bool {
        self.0.is_none()
    }

    /// Whether this one has.
    pub fn is(self, row: usize) -> bool {
        self.0.is_none_or(|mask| mask[row / 64] >> (row % 64) & 1 == 1)
    }
}

/// The texts of a column.
#[derive(Clone, Copy, Debug)]
pub struct TextVector<'a> {
    texts: &'a [InlineText<'a>],
    valid: ValidBits<'a>,
}

impl<'a> TextVector<'a> {
    /// The text in a row, if it has one.
    pub fn get(&self, row: usize) -> Option<&'a [u8]> {
        self.valid.is(row).then(|| self.texts[row].bytes())
    }

    /// Which rows have one.
    pub fn valid(&self) -> ValidBits<'a> {
        self.valid
    }
}

/// A text of DuckDB's: up to 12 bytes in place of the last two fields, or the address of more.
#[derive(Debug)]
#[repr(C)]
struct InlineText<'a> {
    length: u32,
    head: [u8; 4],
    tail: [u8; 8],
    bytes: PhantomData<&'a [u8]>,
}

impl<'a> InlineText<'a> {
    fn bytes(&'a self) -> &'a [u8] {
        let length = self.length as usize;
        // SAFETY: the row has a value, so DuckDB has written it, and keeps its bytes as long as the chunk. `head` and `tail` lie
        // side by side in `self`.
        unsafe {
            let start = if length <= 12 {
                (&raw const *self).cast::<u8>().add(4)
            } else {
                usize::from_ne_bytes(self.tail) as *const u8
            };
            slice::from_raw_parts(start, length)
        }
    }
}

/// A column that a function writes.
#[derive(Debug)]
pub struct OutputVector<'a> {
    vector: Handle,
    kind: &'a Type,
    rows: usize,
}

/// Which elements a row of a list has: from where on, and how many.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Elements {
    /// The first.
    pub start: u64,
    /// How many.
    pub length: u64,
}

impl<'a> OutputVector<'a> {
    /// The rows of a vector of this type.
    ///
    /// # Safety
    ///
    /// DuckDB has handed over such a vector, with room for this many rows, to write it for `'a`.
    pub unsafe fn new(vector: Handle, kind: &'a Type, rows: usize) -> OutputVector<'a> {
        OutputVector { vector, kind, rows }
    }

    /// The type.
    pub fn kind(&self) -> &'a Type {
        self.kind
    }

    /// The numbers of a column of numbers.
    ///
    /// # Panics
    ///
    /// If the column has no such numbers.
    pub fn numbers<T: Pod>(&mut self) -> &mut [T] {
        self.check::<T>();
        self.values()
    }

    /// The same, for as long as the memory is lent.
    ///
    /// # Panics
    ///
    /// If the column has no such numbers.
    pub fn into_numbers<T: Pod>(self) -> &'a mut [T] {
        self.check::<T>();
        // SAFETY: the memory is lent for `'a`, and nobody else has it, because this is gone.
        unsafe { self.memory() }
    }

    fn check<T: Pod>(&self) {
        assert!(is_number(self.kind) && self.kind.width() == size_of::<T>(), "other numbers");
    }

    fn values<T: Pod>(&mut self) -> &mut [T] {
        // SAFETY: it is lent as long as `self` is borrowed.
        unsafe { self.memory() }
    }

    /// The memory of the values, which nobody may have written yet.
    ///
    /// # Safety
    ///
    /// The values have the width of `T`, and nobody else uses them for `'m`, which `'a` outlives.
    unsafe fn memory<'m, T: Pod>(&self) -> &'m mut [T] {
        if self.rows == 0 {
            return &mut [];
        }
        // SAFETY: there is room for a value per row, and the caller says the rest.
        written(unsafe { slice::from_raw_parts_mut((api().duckdb_vector_get_data)(self.vector).cast(), self.rows) })
    }

    /// A field of a struct.
    ///
    /// # Panics
    ///
    /// If the column has no such field.
    pub fn field(&mut self, place: usize) -> OutputVector<'_> {
        let Type::Struct(fields) = self.kind else { panic!("no struct") };
        let kind = &fields[place].1;
        // SAFETY: the vector has this field, with as many rows.
        unsafe { OutputVector::new((api().duckdb_struct_vector_get_child)(self.vector, place as u64), kind, self.rows) }
    }

    /// All fields of a struct.
    ///
    /// # Panics
    ///
    /// If the column is no struct.
    pub fn fields(&mut self) -> Vec<OutputVector<'_>> {
        let Type::Struct(fields) = self.kind else { panic!("no struct") };
        let field = |(place, (_, kind)): (usize, &'a (String, Type))| {
            // SAFETY: as in `field`. Each has memory of its own.
            unsafe {
                OutputVector::new((api().duckdb_struct_vector_get_child)(self.vector, place as u64), kind, self.rows)
            }
        };
        fields.iter().enumerate().map(field).collect()
    }

    /// How many elements the lists have so far.
    ///
    /// # Panics
    ///
    /// If the column has no lists.
    pub fn elements(&self) -> usize {
        assert!(matches!(self.kind, Type::List(_)), "no lists");
        // SAFETY: it is a vector of lists.
        unsafe { (api().duckdb_list_vector_get_size)(self.vector) as usize }
    }

    /// Makes room for this many elements of lists in all. Gives the elements of each row, and the column of all.
    ///
    /// # Errors
    ///
    /// There is no memory.
    ///
    /// # Panics
    ///
    /// If the column has no lists.
    pub fn lists(&mut self, elements: usize) -> Result<(&mut [Elements], OutputVector<'_>)> {
        let Type::List(item) = self.kind else { panic!("no lists") };
        let vector = self.vector;
        room_for(elements, item)?;
        // SAFETY: it is a vector of lists.
        let child = unsafe {
            succeeded((api().duckdb_list_vector_reserve)(vector, elements as u64), "make room for a list")?;
            succeeded((api().duckdb_list_vector_set_size)(vector, elements as u64), "make room for a list")?;
            // Only now, because more room is elsewhere.
            OutputVector::new((api().duckdb_list_vector_get_child)(vector), item, elements)
        };
        Ok((self.values(), child))
    }

    /// The key and the value of a map, with room for this many in all. Gives the entries of each row, and both columns.
    ///
    /// # Errors
    ///
    /// There is no memory.
    ///
    /// # Panics
    ///
    /// If the column has no maps.
    pub fn maps(&mut self, entries: usize) -> Result<(&mut [Elements], [OutputVector<'_>; 2])> {
        let Type::Map(key, value) = self.kind else { panic!("no maps") };
        let vector = self.vector;
        // SAFETY: a map is a list of structs of a key and a value.
        let children = unsafe {
            succeeded((api().duckdb_list_vector_reserve)(vector, entries as u64), "make room for a map")?;
            succeeded((api().duckdb_list_vector_set_size)(vector, entries as u64), "make room for a map")?;
            let pairs = (api().duckdb_list_vector_get_child)(vector);
            [(0, key), (1, value)].map(|(place, kind)| {
                OutputVector::new((api().duckdb_struct_vector_get_child)(pairs, place), kind, entries)
            })
        };
        Ok((self.values(), children))
    }

    /// Writes a text.
    ///
    /// # Panics
    ///
    /// If there is no such row, or the column has no texts.
    pub fn set_text(&mut self, row: usize, text: &str) {
        assert!(row < self.rows && *self.kind == Type::Plain(PlainType::Text), "no text in row {row}");
        // It is UTF-8, which DuckDB need not check.
        let set = newer().map_or(api().duckdb_vector_assign_string_element_len, |newer| {
            newer.duckdb_unsafe_vector_assign_string_element_len
        });
        // SAFETY: the row is there, and DuckDB copies the bytes.
        unsafe { set(self.vector, row as u64, text.as_ptr().cast(), text.len() as u64) };
    }

    /// Writes bytes.
    ///
    /// # Panics
    ///
    /// If there is no such row, or the column has no bytes.
    pub fn set_blob(&mut self, row: usize, bytes: &[u8]) {
        assert!(row < self.rows && *self.kind == Type::Plain(PlainType::Blob), "no bytes in row {row}");
        // SAFETY: as above.
        unsafe {
            let (start, length) = (bytes.as_ptr().cast(), bytes.len() as u64);
            (api().duckdb_vector_assign_string_element_len)(self.vector, row as u64, start, length);
        }
    }

    /// Makes these rows null, and their fields, as DuckDB does.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn set_nulls(&mut self, nulls: impl Iterator<Item = usize> + Clone) {
        if nulls.clone().next().is_none() {
            return;
        }
        let rows = self.rows;
        // SAFETY: a mask that can be written has a bit for each row.
        let mask = unsafe {
            (api().duckdb_vector_ensure_validity_writable)(self.vector);
            slice::from_raw_parts_mut((api().duckdb_vector_get_validity)(self.vector), rows.div_ceil(64))
        };
        nulls.clone().for_each(|row| {
            assert!(row < rows, "row {row} of {rows}");
            mask[row / 64] &= !(1 << (row % 64));
        });
        match self.kind {
            Type::Struct(fields) => {
                let nulls: Vec<usize> = nulls.collect();
                (0..fields.len()).for_each(|place| self.field(place).set_nulls(nulls.iter().copied()));
            }
            Type::List(_) | Type::Map(..) => {
                let entries: &mut [Elements] = self.values();
                nulls.for_each(|row| entries[row] = Elements { start: 0, length: 0 });
            }
            Type::Plain(_) | Type::Decimal(..) => {}
        }
    }
}

/// Makes the compiler take memory for written, with whatever it holds. There are no instructions, so this takes no time.
fn written<T: Pod>(memory: &mut [MaybeUninit<T>]) -> &mut [T] {
    // SAFETY: there are no instructions. The compiler does not know that, and nobody relies on any value.
    unsafe { asm!("/* {0} */", in(reg) memory.as_mut_ptr(), options(nostack, preserves_flags)) };
    // SAFETY: to the compiler, all of it has been written, and any bytes are values.
    unsafe { memory.assume_init_mut() }
}

/// The value of a parameter of a table function.
#[derive(Debug)]
pub struct Value(Handle);

impl Value {
    /// The value of this handle, if it is one.
    ///
    /// # Safety
    ///
    /// DuckDB has handed it over, to be freed by the caller.
    pub unsafe fn new(handle: Handle) -> Option<Value> {
        (!handle.is_null()).then_some(Value(handle))
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        // SAFETY: it is a value.
        unsafe { (api().duckdb_is_null_value)(self.0) }
    }

    /// Reads a number.
    pub fn integer(&self) -> i64 {
        // SAFETY: as above.
        unsafe { (api().duckdb_get_int64)(self.0) }
    }

    /// Reads a Boolean.
    pub fn is_true(&self) -> bool {
        // SAFETY: as above.
        unsafe { (api().duckdb_get_bool)(self.0) }
    }

    /// Reads a text.
    ///
    /// # Errors
    ///
    /// There is no memory, or the text has a null character.
    pub fn text(&self) -> Result<String> {
        const COPIES: usize = 3;
        let text = self.up_to_null()?;
        // SAFETY: as above; the type of a value is not freed, and the list has copies of the values.
        let list = unsafe {
            let kind = (api().duckdb_get_value_type)(self.0);
            Value::new((api().duckdb_create_list_value)(kind, [self.0; COPIES].as_mut_ptr(), COPIES as u64))
        };
        // DuckDB does not give the length, but the text of a list of copies has all of them. If a null character ends the first
        // one, it is at most twice as long as what comes before, as the escape of a character has two, with a bracket and a
        // quotation mark.
        let copies = list.ok_or_else(|| anyhow!("DuckDB is out of memory for a string"))?.up_to_null()?;
        if copies.len() < COPIES * text.len() + COPIES {
            bail!("the text has a null character after {text:?}");
        }
        Ok(text)
    }

    /// Reads a text up to the first null character.
    fn up_to_null(&self) -> Result<String> {
        // SAFETY: as above. The text is copied before it is freed.
        unsafe {
            let text = (api().duckdb_get_varchar)(self.0);
            if text.is_null() {
                bail!("DuckDB is out of memory for a string");
            }
            let copy = std::ffi::CStr::from_ptr(text).to_string_lossy().into_owned();
            (api().duckdb_free)(text.cast());
            Ok(copy)
        }
    }

    /// The texts of a list, or the only text.
    ///
    /// # Errors
    ///
    /// Some are null, or neither texts nor lists of them.
    pub fn texts(&self) -> Result<Vec<String>> {
        const LIST: u32 = 24;
        const TEXT: u32 = PlainType::Text as u32;
        // SAFETY: as above; the type of a value is not freed.
        match unsafe { (api().duckdb_get_type_id)((api().duckdb_get_value_type)(self.0)) } {
            TEXT if !self.is_null() => Ok(vec![self.text()?]),
            LIST if !self.is_null() => {
                // SAFETY: it is a list, and its values are freed like others.
                let values = unsafe {
                    let length = (api().duckdb_get_list_size)(self.0);
                    (0..length).filter_map(|place| Value::new((api().duckdb_get_list_child)(self.0, place)))
                };
                let text =
                    |value: Value| if value.is_null() { bail!("expected text, found null") } else { value.text() };
                values.map(text).collect()
            }
            _ => bail!("expected text or a list of text"),
        }
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        // SAFETY: it was handed over to be freed.
        unsafe { (api().duckdb_destroy_value)(&mut self.0) };
    }
}
