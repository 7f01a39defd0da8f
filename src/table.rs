//! Tables computed at compile time, and code that is unrolled in the source.

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

/// The statement with each of these numbers, without a loop. The compiler unrolls loops only in builds for speed, and
/// moves what comes before a loop into it in one kind of build and not in another. With this macro, instructions follow
/// the order of the source.
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(unused_macros, reason = "vector backends alone use it")
)]
macro_rules! each {
    ($k:ident in $($number:literal)* => $statement:expr) => {
        $({
            let $k: usize = $number;
            $statement
        })*
    };
}

/// An array of eight values, without a loop.
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(unused_macros, reason = "vector backends alone use it")
)]
macro_rules! eight {
    ($k:ident => $value:expr) => {
        eight!(@each $k in 0 1 2 3 4 5 6 7 => $value)
    };
    (@each $k:ident in $($number:literal)* => $value:expr) => {
        [$({
            let $k: usize = $number;
            $value
        }),*]
    };
}

pub(crate) use table;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) use {each, eight};
