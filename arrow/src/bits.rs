//! Unsigned and signed integers with the same bits, and input columns of squares and bitboards.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int64Type, UInt8Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, Int8Array, Int16Array, Int64Array, UInt8Array, UInt16Array, UInt64Array, downcast_integer_array,
};
use arrow_buffer::ScalarBuffer;
use arrow_schema::DataType;

use crate::{Error, Integers};

impl Integers {
    /// Bitboards with this type. Nothing is copied.
    ///
    /// ```
    /// use arrow_array::cast::AsArray;
    /// use arrow_array::{UInt64Array, types::Int64Type};
    /// use slider_attacks_arrow::Integers;
    ///
    /// let signed = Integers::Signed.bitboards(UInt64Array::from(vec![0x81, 1 << 63]));
    /// assert_eq!(signed.as_primitive::<Int64Type>().values(), &[0x81, i64::MIN]);
    /// ```
    pub fn bitboards(self, array: UInt64Array) -> ArrayRef {
        match self {
            Integers::Unsigned => Arc::new(array),
            Integers::Signed => {
                let (_, values, nulls) = array.into_parts();
                Arc::new(Int64Array::new(values.into_inner().into(), nulls))
            }
        }
    }

    /// The type of bitboards.
    pub fn bitboard_type(self) -> DataType {
        match self {
            Integers::Unsigned => DataType::UInt64,
            Integers::Signed => DataType::Int64,
        }
    }

    /// Numbers below 128 with this type. Nothing is copied.
    pub(crate) fn numbers(self, array: UInt8Array) -> ArrayRef {
        match self {
            Integers::Unsigned => Arc::new(array),
            Integers::Signed => {
                let (_, values, nulls) = array.into_parts();
                Arc::new(Int8Array::new(values.into_inner().into(), nulls))
            }
        }
    }

    /// Numbers below 32,768 with this type. Nothing is copied.
    pub(crate) fn counts(self, array: UInt16Array) -> ArrayRef {
        match self {
            Integers::Unsigned => Arc::new(array),
            Integers::Signed => {
                let (_, values, nulls) = array.into_parts();
                Arc::new(Int16Array::new(values.into_inner().into(), nulls))
            }
        }
    }

    /// The type of numbers that a position has one of.
    pub fn count_type(self) -> DataType {
        match self {
            Integers::Unsigned => DataType::UInt16,
            Integers::Signed => DataType::Int16,
        }
    }

    /// The type of all other numbers.
    pub fn number_type(self) -> DataType {
        match self {
            Integers::Unsigned => DataType::UInt8,
            Integers::Signed => DataType::Int8,
        }
    }
}

/// The bitboards of a column, without a copy.
pub(crate) fn bitboards(column: &str, array: &dyn Array) -> Result<ScalarBuffer<u64>, Error> {
    match array.data_type() {
        DataType::UInt64 => Ok(array.as_primitive::<UInt64Type>().values().clone()),
        DataType::Int64 => Ok(array.as_primitive::<Int64Type>().values().inner().clone().into()),
        found => Err(Error::Type { column: column.to_owned(), expected: "UInt64 or Int64", found: found.clone() }),
    }
}

/// The numbers of squares of a column: those that do not fit are 255. Columns of bytes are not copied, so that the
/// bytes of negative numbers are 128 or more.
pub(crate) fn squares(column: &str, array: &dyn Array) -> Result<ScalarBuffer<u8>, Error> {
    Ok(match array.data_type() {
        DataType::UInt8 => array.as_primitive::<UInt8Type>().values().clone(),
        DataType::Int8 => array.as_primitive::<Int8Type>().values().inner().clone().into(),
        found => downcast_integer_array!(
            array => narrowed(array.values()),
            _ => return Err(Error::Type { column: column.to_owned(), expected: "integers", found: found.clone() })
        ),
    })
}

fn narrowed<T: Copy>(numbers: &[T]) -> ScalarBuffer<u8>
where
    u8: TryFrom<T>,
{
    numbers.iter().map(|&number| u8::try_from(number).unwrap_or(u8::MAX)).collect()
}

/// The number in a row of a column of integers.
pub(crate) fn integer(array: &dyn Array, row: usize) -> i128 {
    downcast_integer_array!(array => array.value(row).into(), _ => unreachable!("a column of integers"))
}
