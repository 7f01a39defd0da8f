//! Tables that are computed while compiling.

/// An array of `$length` entries: `$entry` with each `$index`. `core::array::from_fn` is not `const`.
macro_rules! table {
    ($index:ident < $length:expr => $entry:expr) => {{
        let mut $index = 0;
        let mut table = [$entry; $length];
        while $index < $length {
            table[$index] = $entry;
            $index += 1;
        }
        table
    }};
}

pub(crate) use table;
