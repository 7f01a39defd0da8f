//! The cost of a call through the C interface over the same call in Rust, on one core, interleaved:
//! `cargo build --profile capi -p slider-attacks-capi && cargo bench -p slider-attacks-capi`.

#![allow(unsafe_code, reason = "it calls the C library as a C program does")]

use std::ffi::{CStr, CString};
use std::hint::black_box;
use std::mem::transmute;
use std::time::Duration;

use slider_attacks::{Backend, Slider, SliderArrays};
use timing::{Rounds, random_pairs, time_passes};

const ROUNDS: Rounds = Rounds { time: Duration::from_millis(500), count: 300 };
const CALLS: usize = 64;

type Attacks = unsafe extern "C" fn(u32, u32, *const u8, *const u64, *mut u64, usize) -> i32;
type Sets = unsafe extern "C" fn(u32, *const u64, *const u64, *const u64, *mut u64, usize) -> i32;
type One = extern "C" fn(u8, u64) -> u64;

fn main() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/capi/libslider_attacks_c.so");
    let path = std::env::var("LIBRARY").unwrap_or_else(|_| path.into());
    let library = CString::new(path.as_str()).expect("a path has no null byte");
    // SAFETY: the library is there, and what it does when it is loaded is nothing.
    let handle = unsafe { libc::dlopen(library.as_ptr(), libc::RTLD_NOW) };
    assert!(!handle.is_null(), "build {path} first");
    let symbol = |name: &CStr| {
        // SAFETY: the handle is one.
        let symbol = unsafe { libc::dlsym(handle, name.as_ptr()) };
        assert!(!symbol.is_null(), "{name:?}");
        symbol
    };
    // SAFETY: the header says so.
    let attacks = unsafe { transmute::<*mut libc::c_void, Attacks>(symbol(c"sla_attacks")) };
    // SAFETY: the header says so.
    let sets = unsafe { transmute::<*mut libc::c_void, Sets>(symbol(c"sla_attack_sets")) };
    // SAFETY: the header says so.
    let one = unsafe { transmute::<*mut libc::c_void, One>(symbol(c"sla_queen_attacks")) };

    println!("{:<24}{:>10}{:>10}{:>10}", "ns per call", "Rust", "C", "C - Rust");
    let row = |name: &str, rust: &mut dyn FnMut(), c: &mut dyn FnMut()| {
        let timings = time_passes(2, ROUNDS, CALLS, |at| if at == 0 { rust() } else { c() });
        let [rust, c] = [timings[0].fastest, timings[1].fastest];
        println!("{name:<24}{rust:>10.2}{c:>10.2}{:>10.2}", c - rust);
    };
    for length in [1, 4, 8, 64, 256, 4096] {
        let (squares, occs) = random_pairs(length);
        let squares: Vec<u8> = squares.iter().map(|square| square.index()).collect();
        let (mut out, mut other) = (vec![0; length], vec![0; length]);
        row(
            &format!("pairs, {length}"),
            &mut || {
                for _ in 0..CALLS {
                    let (squares, occs) = (black_box(&squares[..]), black_box(&occs[..]));
                    let backend = black_box(Backend::active());
                    backend.batch_slider_attacks(black_box(Slider::Queen), squares, occs, black_box(&mut out)).unwrap();
                }
            },
            &mut || {
                for _ in 0..CALLS {
                    let (squares, occs, out) = (black_box(&squares), black_box(&occs), black_box(&mut other));
                    // SAFETY: the arrays have this length.
                    let status = unsafe {
                        attacks(0, black_box(2), squares.as_ptr(), occs.as_ptr(), out.as_mut_ptr(), squares.len())
                    };
                    assert_eq!(status, 0);
                }
            },
        );
        assert_eq!(out, other);
        row(
            &format!("sets, {length}"),
            &mut || {
                for _ in 0..CALLS {
                    let occs = black_box(&occs[..]);
                    let sliders = SliderArrays { orthogonal: occs, diagonal: occs, occupancies: occs };
                    black_box(Backend::active()).batch_attack_sets(sliders, black_box(&mut out)).unwrap();
                }
            },
            &mut || {
                for _ in 0..CALLS {
                    let (occs, out) = (black_box(&occs), black_box(&mut other));
                    let boards = occs.as_ptr();
                    // SAFETY: the arrays have this length.
                    let status = unsafe { sets(0, boards, boards, boards, out.as_mut_ptr(), occs.len()) };
                    assert_eq!(status, 0);
                }
            },
        );
        assert_eq!(out, other);
    }
    let (squares, occs) = random_pairs(CALLS);
    row(
        "one queen, in a loop",
        &mut || {
            for (&square, &occ) in squares.iter().zip(&occs) {
                black_box(slider_attacks::queen_attacks(black_box(square), black_box(occ)));
            }
        },
        &mut || {
            for (&square, &occ) in squares.iter().zip(&occs) {
                black_box(one(black_box(square.index()), black_box(occ)));
            }
        },
    );
}
