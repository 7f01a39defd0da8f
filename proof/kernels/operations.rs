//! Compares each operation of each instruction set with its meaning on one byte: one test per operation and instruction
//! set.
//!
//! Each test goes through all pairs of bytes. Neighbours in a vector differ, so that a lane that takes something from
//! the next one is noticed. The third operand, for operations that have one, is all zeros, all ones and a mixture.
//! Terms are compared with the same meaning, by their values from [`evaluate`] and by their clauses.

use std::array;

use super::cnf::Cnf;
use super::lane::{Plain, Symbolic};
use super::solver;
use super::term::{Term, evaluate};
use crate::Backend;
use crate::batch::blocks::Traffic;
use crate::batch::enter::simd;
use crate::batch::kernel::lines::Word;
use crate::batch::simd::{Boards, Bytes, Choices};

/// The operands of one lane.
type Operands = [u8; 3];

/// All operands that an operation is tested with. `fit` turns any operands into ones that the operation accepts.
fn operands(fit: fn(Operands) -> Operands) -> Vec<Operands> {
    let pairs = (0..=255_u8).flat_map(|a| (0..=255).map(move |b| (a, b)));
    pairs.flat_map(|(a, b)| [0, 0xff, a.rotate_left(3) ^ b].map(|c| fit([a, b, c]))).collect()
}

/// The results of an operation on vectors. The operands pass through eight vectors of boards, one byte per lane.
fn in_vectors<const N: usize, S: Boards<N>>(
    simd: S,
    operands: &[Operands],
    operation: impl Fn(S, [S::Vector; 3]) -> S::Vector,
) -> Vec<u8> {
    let mut results = Vec::with_capacity(operands.len());
    for block in operands.chunks(8 * N) {
        let vectors = array::from_fn(|operand| {
            let mut boards = [0_u64; N];
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut boards);
            bytes.iter_mut().zip(block).for_each(|(byte, operands)| *byte = operands[operand]);
            simd.load_boards(&boards)
        });
        let [a, b, c]: [[S::Vector; 8]; 3] = vectors;
        let mut boards = [0; N];
        simd.store_boards(&mut boards, array::from_fn(|k| operation(simd, [a[k], b[k], c[k]])), Traffic::PLAIN);
        results.extend(&bytemuck::cast_slice::<u64, u8>(&boards)[..block.len()]);
    }
    results
}

/// The results of an operation on terms: from the term's value for all operands. For some, the clauses must agree.
fn in_terms(operands: &[Operands], operation: impl Fn(Symbolic<true>, [Term; 3]) -> Term) -> Vec<u8> {
    let variables = ["a", "b", "c"].map(|name| Term::variable(name, 8));
    let result = operation(Symbolic::<true>, variables);
    let parts = result.parts();
    let value = |[a, b, c]: Operands| {
        let of = |name: &str| match name {
            "a" => a,
            "b" => b,
            _ => c,
        };
        evaluate(&parts, |name| u64::from(of(name))) as u8
    };
    for &operands in operands.iter().step_by(operands.len() / 61 + 1) {
        let constant = |value: u8| Term::constant(u64::from(value), 8);
        let given = (0..3).fold(Term::constant(1, 1), |all, at| all & variables[at].equals(constant(operands[at])));
        let same = result.equals(constant(value(operands)));
        assert_eq!(solver::batsat(&Cnf::refuting(!given | same)), None, "the clauses mean something else");
        assert!(solver::batsat(&Cnf::refuting(!given | !same)).is_some(), "the clauses mean nothing");
    }
    operands.iter().map(|&operands| value(operands)).collect()
}

fn assert_same(operands: &[Operands], actual: &[u8], expected: &[u8]) {
    assert_eq!(actual.len(), expected.len());
    if let Some(at) = (0..expected.len()).find(|&at| actual[at] != expected[at]) {
        panic!("of {:x?} it makes {:#x}, not {:#x}", operands[at], actual[at], expected[at]);
    }
}

const ANY: fn(Operands) -> Operands = |operands| operands;

/// Tables to look up in: one with all entries different, and one with the highest bits set.
const TABLES: [[u8; 16]; 2] = [
    [3, 14, 15, 92, 65, 35, 89, 79, 32, 38, 46, 26, 43, 83, 27, 95],
    [255, 254, 253, 251, 247, 239, 223, 191, 127, 128, 129, 130, 132, 136, 144, 160],
];

/// Declares the tests of all operations, for each instruction set and for terms: the name of a test, the function that
/// makes operands fit, the operation, and the values of an argument that is known at compile time, if there is one.
macro_rules! operations {
    ([$($of_x86:ident)*]
        $($name:ident $fit:expr, |$s:ident, $operands:pat_param $(, $number:ident)?| $operation:expr $(, $numbers:expr)?;)*) => {
        #[cfg(target_arch = "x86_64")]
        operations! { @ $($of_x86)*; $($name $fit, |$s, $operands $(, $number)?| $operation $(, $numbers)?;)* }
        #[cfg(target_arch = "aarch64")]
        operations! { @ neon; $($name $fit, |$s, $operands $(, $number)?| $operation $(, $numbers)?;)* }

        mod terms {
            use super::*;

            $(#[test]
            fn $name() {
                let mut operands = operands($fit);
                operands.sort_unstable();
                operands.dedup();
                $(for $number in $numbers)? {
                    let meaning = |&$operands: &Operands| { let $s = Plain::<true>; $operation };
                    let expected: Vec<u8> = operands.iter().map(meaning).collect();
                    assert_same(&operands, &in_terms(&operands, |$s, $operands| $operation), &expected);
                }
            })*
        }
    };
    (@ $backend:ident $($others:ident)*; $($test:tt)*) => {
        operations! { @@ $backend; $($test)* }
        operations! { @ $($others)*; $($test)* }
    };
    (@; $($test:tt)*) => {};
    (@@ $backend:ident; $($name:ident $fit:expr, |$s:ident, $operands:pat_param $(, $number:ident)?| $operation:expr
        $(, $numbers:expr)?;)*) => {
        mod $backend {
            use super::*;

            $(#[test]
            fn $name() {
                let Some(simd) = simd::$backend() else {
                    return eprintln!("not tested: this CPU cannot run {}", stringify!($backend));
                };
                let operands = operands($fit);
                $(for $number in $numbers)? {
                    let meaning = |&$operands: &Operands| { let $s = Plain::<true>; $operation };
                    let expected: Vec<u8> = operands.iter().map(meaning).collect();
                    assert_same(&operands, &in_vectors(simd, &operands, |$s, $operands| $operation), &expected);
                }
            })*
        }
    };
}

operations! {
    [ssse3 avx2 avx512]
    splat |_| [0; 3], |s, _, byte| s.splat(byte), 0..=255;
    and ANY, |s, [a, b, _]| s.and(a, b);
    and_not ANY, |s, [a, b, _]| s.and_not(a, b);
    or ANY, |s, [a, b, _]| s.or(a, b);
    xor ANY, |s, [a, b, _]| s.xor(a, b);
    add ANY, |s, [a, b, _]| s.add(a, b);
    sub ANY, |s, [a, b, _]| s.sub(a, b);
    average ANY, |s, [a, b, _]| s.average(a, b);
    max ANY, |s, [a, b, _]| s.max(a, b);
    eighth |[a, b, c]| [a & !7, b, c], |s, [a, _, _]| s.eighth(a);
    sixteenth |[a, b, c]| [a & !15, b, c], |s, [a, _, _]| s.sixteenth(a);
    shift_1_and |[a, b, c]| [a, b & 0x7f, c], |s, [a, b, _]| s.shift_1_and(a, b);
    shift_2_and |[a, b, c]| [a, b & 0x3f, c], |s, [a, b, _]| s.shift_2_and(a, b);
    shift_4_and |[a, b, c]| [a, b & 0x0f, c], |s, [a, b, _]| s.shift_4_and(a, b);
    lookup |[a, b, c]| [a & 127, b, c], |s, [a, _, _], table| s.lookup(table, a), TABLES;
    lanes_of |[a, b, c]| [a & 15, b, c], |s, [a, _, _], number| s.lanes_of(a, number), 0..=15;
    or3 ANY, |s, [a, b, c]| s.or3(a, b, c);
    or_and ANY, |s, [a, b, c]| s.or_and(a, b, c);
    or_and_not ANY, |s, [a, b, c]| s.or_and_not(a, b, c);
    or_or_not ANY, |s, [a, b, c]| s.or_or_not(a, b, c);
    either_and_not ANY, |s, [a, b, c]| s.either_and_not(a, b, c);
    xor_or ANY, |s, [a, b, c]| s.xor_or(a, b, c);
}

mod choices {
    use super::*;

    operations! {
        []
        choose ANY, |s, [mask, a, b]| s.choose(mask, a, b);
        mirrored ANY, |s, [a, _, _]| s.mirrored(a);
    }
}

/// What only sets of sliders need, on ARM. With GFNI, these are products.
#[cfg(target_arch = "aarch64")]
#[test]
fn mirrors() {
    use crate::batch::simd::Mirrors;

    let (simd, model) = (simd::neon().expect("every 64-bit ARM CPU has it"), Plain::<true>);
    let operands = operands(ANY);
    let operations: [(fn(_, _) -> _, fn(_, _) -> _); 3] = [
        (Mirrors::reversed, Mirrors::reversed),
        (Mirrors::reversed_twice, Mirrors::reversed_twice),
        (Mirrors::half, Mirrors::half),
    ];
    for (operation, meaning) in operations {
        let expected: Vec<u8> = operands.iter().map(|&[a, _, _]| meaning(model, a)).collect();
        assert_same(&operands, &in_vectors(simd, &operands, |simd, [a, _, _]| operation(simd, a)), &expected);
    }
}

/// The tests of operations that this CPU lacks pass without testing anything. So this test checks that the CPU does
/// lack them, and that `REQUIRE_BACKENDS` does not ask for them.
#[test]
fn the_operations_of_every_backend_that_can_run_are_tested() {
    #[cfg(target_arch = "x86_64")]
    let tested = [
        (simd::ssse3().is_some(), Backend::ssse3(), "ssse3"),
        (simd::avx2().is_some(), Backend::avx2(), "avx2"),
        (simd::avx2_gfni().is_some(), Backend::avx2_gfni(), "avx2-gfni"),
        (simd::avx512().is_some(), Backend::avx512(), "avx512"),
        (simd::avx512_gfni().is_some(), Backend::avx512_gfni(), "avx512-gfni"),
    ];
    #[cfg(target_arch = "aarch64")]
    let tested = [(simd::neon().is_some(), Backend::neon(), "neon")];
    let required = std::env::var("REQUIRE_BACKENDS").unwrap_or_default();
    for (tested, backend, name) in tested {
        assert_eq!(tested, backend.is_some(), "{name}");
        assert!(tested || !required.split(',').any(|required| required.trim() == name), "{name} was not tested");
    }
}

#[test]
fn the_operands_are_all_pairs_of_bytes_each_three_times() {
    let mut operands = operands(ANY);
    assert_eq!(operands.len(), 3 << 16);
    operands.dedup_by_key(|&mut [a, b, _]| [a, b]);
    assert!(operands.iter().enumerate().all(|(at, &[a, b, _])| at == usize::from(a) << 8 | usize::from(b)));
}

/// The operations of [`Word`] on terms against those on `u64`.
mod words {
    use super::*;

    /// Boards, numbers and their neighbours.
    const VALUES: [u64; 12] = [
        0,
        1,
        2,
        0xff,
        0x0102_0304_0506_0708,
        0x8040_2010_0804_0201,
        0x5a5a_a5a5_0ff0_c33c,
        1 << 32,
        (1 << 63) - 1,
        1 << 63,
        u64::MAX - 1,
        u64::MAX,
    ];

    fn assert_same(operation: fn(Term, Term) -> Term, meaning: fn(u64, u64) -> u64, fits: fn(u64, u64) -> bool) {
        let term = operation(Term::variable("a", 64), Term::variable("b", 64));
        for a in VALUES {
            for b in VALUES.into_iter().chain(0..64).filter(|&b| fits(a, b)) {
                let actual = term.evaluate(|name| if name == "a" { a } else { b });
                assert_eq!(actual, meaning(a, b), "{a:#x}, {b:#x}");
            }
        }
    }

    macro_rules! words {
        ($($name:ident |$a:ident, $b:pat_param| $operation:expr, $fits:expr;)*) => {$(
            #[test]
            fn $name() {
                assert_same(|$a, $b| $operation, |$a, $b| $operation, $fits);
            }
        )*};
    }

    words! {
        and |a, b| a & b, |_, _| true;
        or |a, b| a | b, |_, _| true;
        xor |a, b| a ^ b, |_, _| true;
        not |a, _| !a, |_, _| true;
        sub |a, b| a - b, |a, b| a >= b;
        wrapping_sub |a, b| Word::wrapping_sub(a, b), |_, _| true;
        shl |a, b| a << b, |_, b| b < 64;
        shr |a, b| a >> b, |_, b| b < 64;
        rotate_left |a, b| Word::rotate_left(a, b), |_, b| b < 64;
        leading_zeros |a, _| Word::leading_zeros(a), |_, _| true;
        swap_bytes |a, _| Word::swap_bytes(a), |_, _| true;
    }
}
