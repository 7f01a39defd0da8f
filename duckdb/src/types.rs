//! Types of columns.

use std::ffi::{CString, c_char};

use anyhow::{Result, bail};
use arrow_schema::{DataType, Field, TimeUnit};

use crate::api::{api, text};
use crate::callbacks::Handle;

/// A type that DuckDB knows by a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum PlainType {
    /// BOOLEAN, a byte that is 0 or 1.
    Bool = 1,
    /// TINYINT.
    I8 = 2,
    /// SMALLINT.
    I16 = 3,
    /// INTEGER.
    I32 = 4,
    /// BIGINT.
    I64 = 5,
    /// UTINYINT.
    U8 = 6,
    /// USMALLINT.
    U16 = 7,
    /// UINTEGER.
    U32 = 8,
    /// UBIGINT.
    U64 = 9,
    /// FLOAT.
    F32 = 10,
    /// DOUBLE.
    F64 = 11,
    /// TIMESTAMP, in microseconds.
    Timestamp = 12,
    /// DATE, in days.
    Date = 13,
    /// TIME, in microseconds.
    Time = 14,
    /// VARCHAR.
    Text = 17,
    /// BLOB.
    Blob = 18,
    /// TIMESTAMP_S.
    TimestampS = 20,
    /// TIMESTAMP_MS.
    TimestampMs = 21,
    /// TIMESTAMP_NS.
    TimestampNs = 22,
    /// TIMESTAMP WITH TIME ZONE, in microseconds.
    TimestampTz = 31,
    /// Any type, of a parameter.
    Any = 34,
}

/// A type of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// One that needs no more than its number.
    Plain(PlainType),
    /// A decimal number: how many digits, and how many of them after the point.
    Decimal(u8, u8),
    /// A list.
    List(Box<Type>),
    /// A struct: names and types.
    Struct(Vec<(String, Type)>),
    /// A map.
    Map(Box<Type>, Box<Type>),
}

/// The columns of a table: names and types.
pub type TableColumns = Vec<(String, Type)>;

impl From<PlainType> for Type {
    fn from(plain: PlainType) -> Type {
        Type::Plain(plain)
    }
}

impl Type {
    /// A list of these.
    pub fn list(item: impl Into<Type>) -> Type {
        Type::List(Box::new(item.into()))
    }

    /// A struct of these fields.
    pub fn record<T: Into<Type>>(fields: impl IntoIterator<Item = (impl Into<String>, T)>) -> Type {
        Type::Struct(fields.into_iter().map(|(name, kind)| (name.into(), kind.into())).collect())
    }

    /// The type of a column of Arrow. Lists of a fixed size are lists of any size, which DuckDB's functions of lists take as
    /// they are.
    ///
    /// # Errors
    ///
    /// There is no such type.
    pub fn of(kind: &DataType) -> Result<Type> {
        let of_field = |field: &Field| Type::of(field.data_type());
        Ok(Type::Plain(match kind {
            DataType::Boolean => PlainType::Bool,
            DataType::Int8 => PlainType::I8,
            DataType::Int16 => PlainType::I16,
            DataType::Int32 => PlainType::I32,
            DataType::Int64 => PlainType::I64,
            DataType::UInt8 => PlainType::U8,
            DataType::UInt16 => PlainType::U16,
            DataType::UInt32 => PlainType::U32,
            DataType::UInt64 => PlainType::U64,
            DataType::Float32 => PlainType::F32,
            DataType::Float64 => PlainType::F64,
            DataType::Date32 => PlainType::Date,
            DataType::Time64(TimeUnit::Microsecond) => PlainType::Time,
            DataType::Timestamp(TimeUnit::Second, None) => PlainType::TimestampS,
            DataType::Timestamp(TimeUnit::Millisecond, None) => PlainType::TimestampMs,
            DataType::Timestamp(TimeUnit::Microsecond, None) => PlainType::Timestamp,
            DataType::Timestamp(TimeUnit::Nanosecond, None) => PlainType::TimestampNs,
            DataType::Timestamp(TimeUnit::Microsecond, Some(_)) => PlainType::TimestampTz,
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => PlainType::Text,
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
                PlainType::Blob
            }
            &DataType::Decimal128(width, scale) if (0..=width as i8).contains(&scale) => {
                return Ok(Type::Decimal(width, scale as u8));
            }
            DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
                return Ok(Type::list(of_field(item)?));
            }
            DataType::Struct(fields) if !fields.is_empty() => {
                let fields = fields.iter().map(|field| Ok((field.name().clone(), of_field(field)?)));
                return Ok(Type::Struct(fields.collect::<Result<_>>()?));
            }
            DataType::Map(entries, _) => {
                let Type::Struct(fields) = of_field(entries)? else { bail!("a map without entries") };
                let [key, value] = fields.try_into().expect("an entry has a key and a value");
                return Ok(Type::Map(Box::new(key.1), Box::new(value.1)));
            }
            DataType::Dictionary(_, values) => return Type::of(values),
            other => bail!("DuckDB has no type for {other} here"),
        }))
    }

    /// How many bytes a value takes in a vector; nothing for structs, which have none of their own.
    pub fn width(&self) -> usize {
        use PlainType::{
            Any, Blob, Bool, Date, F32, F64, I8, I16, I32, I64, Text, Time, Timestamp, TimestampMs, TimestampNs,
            TimestampS, TimestampTz, U8, U16, U32, U64,
        };
        match self {
            Type::Plain(Bool | I8 | U8) => 1,
            Type::Plain(I16 | U16) => 2,
            Type::Plain(I32 | U32 | F32 | Date) => 4,
            Type::Plain(I64 | U64 | F64 | Time | Timestamp | TimestampS | TimestampMs | TimestampNs | TimestampTz) => 8,
            Type::Plain(Text | Blob) | Type::List(_) | Type::Map(..) => 16,
            Type::Decimal(digits, _) => match digits {
                0..=4 => 2,
                5..=9 => 4,
                10..=18 => 8,
                _ => 16,
            },
            Type::Plain(Any) | Type::Struct(_) => 0,
        }
    }

    /// The type as DuckDB has it.
    #[allow(unsafe_code, reason = "types of DuckDB are made here")]
    pub fn logical(&self) -> LogicalType {
        let api = api();
        // SAFETY: DuckDB copies the types and names that it is handed, which last until the call returns.
        LogicalType(unsafe {
            match self {
                Type::Plain(plain) => (api.duckdb_create_logical_type)(*plain as u32),
                &Type::Decimal(width, scale) => (api.duckdb_create_decimal_type)(width, scale),
                Type::List(item) => (api.duckdb_create_list_type)(item.logical().0),
                Type::Map(key, value) => (api.duckdb_create_map_type)(key.logical().0, value.logical().0),
                Type::Struct(fields) => {
                    let names: Vec<CString> = fields.iter().map(|(name, _)| text(name)).collect();
                    let mut names: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
                    let types: Vec<LogicalType> = fields.iter().map(|(_, kind)| kind.logical()).collect();
                    let mut handles: Vec<Handle> = types.iter().map(|kind| kind.0).collect();
                    (api.duckdb_create_struct_type)(handles.as_mut_ptr(), names.as_mut_ptr(), fields.len() as u64)
                }
            }
        })
    }
}

/// A type, which is freed when this is dropped.
#[derive(Debug)]
pub struct LogicalType(pub Handle);

impl Drop for LogicalType {
    #[allow(unsafe_code, reason = "types of DuckDB are freed here")]
    fn drop(&mut self) {
        // SAFETY: the type was made by `Type::logical`, and nobody else frees it.
        unsafe { (api().duckdb_destroy_logical_type)(&mut self.0) };
    }
}
