//! Squares that another thread writes during a call. Slices promise that nobody does; NumPy arrays promise nothing.
//!
//! The Python package hands squares of other threads to vector backends alone, in calls of a block or more. These use no
//! square as an index, even after the check has seen another one: with an address sanitizer, this test shows it. Everything
//! else gets a copy.

#![expect(unsafe_code, reason = "memory that two threads share without a lock")]

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use slider_attacks::{Backend, BatchError, Slider};

/// Boards of the longest block of a backend.
const BLOCK: usize = 64;

/// Calls `call` again and again, for a while, while another thread changes two of the squares all the time.
fn while_squares_change(length: usize, call: impl Fn(&[u8]) -> Result<(), BatchError>) {
    let mut squares = vec![7; length];
    let (start, done) = (squares.as_mut_ptr() as usize, AtomicBool::new(false));
    let writer = || {
        while !done.load(Relaxed) {
            for (at, square) in [(length - 1, 255), (length / 2, 64), (length - 1, 7), (length / 2, 7)] {
                // SAFETY: the squares live until this thread has ended. That they are borrowed meanwhile is what is tested: no
                // optimised build sees this from the other thread.
                unsafe { (start as *mut u8).add(at).write_volatile(square) };
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(writer);
        let started = Instant::now();
        let mut ended = 0;
        // Most calls find the wrong square before they begin.
        while ended < 3 || started.elapsed() < Duration::from_millis(5) {
            // SAFETY: as above.
            let squares = unsafe { std::slice::from_raw_parts(start as *const u8, length) };
            match call(squares) {
                Ok(()) => ended += 1,
                Err(BatchError::SquareOutOfRange { index, .. }) => assert!(index < length),
                Err(error) => panic!("{error}"),
            }
        }
        done.store(true, Relaxed);
    });
}

#[test]
fn no_vector_backend_uses_a_square_as_an_index() {
    let looks_up = [Some(Backend::scalar()), Backend::bmi2()];
    for backend in Backend::available().filter(|&backend| !looks_up.contains(&Some(backend))) {
        for length in [BLOCK, BLOCK + 1, 2 * BLOCK - 1, 4096 + 3, (1 << 15) + 7, (1 << 21) + 7] {
            let (occs, mut sets) = (vec![0x0100; length], vec![0; length]);
            for slider in Slider::ALL {
                let sets = std::sync::Mutex::new(&mut sets);
                let out = || sets.lock().expect("nobody panics with it");
                while_squares_change(length, |squares| {
                    backend.batch_slider_attacks(slider, squares, &occs, &mut out())
                });
                #[cfg(feature = "rayon")]
                while_squares_change(length, |squares| {
                    backend.par_batch_slider_attacks(slider, squares, &occs, &mut out())
                });
            }
        }
    }
}
