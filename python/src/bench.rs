//! Rust baselines for `python/benches/bench.py`. They are built only with the feature `bench`, so the wheel does not contain
//! them.

use std::time::Instant;

use pyo3::prelude::*;
use slider_attacks::Backend;
use slider_attacks::position::{Color, Positions};

use crate::arrays::{plain, read, write};
use crate::numbers::value_error;

/// The seconds that the library alone takes for `calls` calls of `batch_attacks` on these arrays: what a call from Python
/// takes beyond this is Python's share.
///
/// >>> import numpy as np
/// >>> from slider_attacks import _native
/// >>> _native.time_batch_attacks(np.zeros(9, np.uint8), np.zeros(9, np.uint64), np.zeros(9, np.uint64), 5) > 0
/// True
#[pyfunction]
pub fn time_batch_attacks(
    squares: &Bound<'_, PyAny>,
    occs: &Bound<'_, PyAny>,
    out: &Bound<'_, PyAny>,
    calls: usize,
) -> PyResult<f64> {
    let (Some(squares), Some(occs), Some(out)) = (plain::<u8>(squares), plain::<u64>(occs), plain::<u64>(out)) else {
        return Err(value_error("expected C-contiguous arrays of uint8, uint64, uint64"));
    };
    let (squares, occs, mut out) = (read(squares)?, read(occs)?, write(out)?);
    let out = out.as_slice_mut()?;
    let started = Instant::now();
    for _ in 0..calls {
        slider_attacks::batch_attacks(&squares[..], &occs, out).map_err(value_error)?;
    }
    Ok(started.elapsed().as_secs_f64())
}

/// The seconds that the library alone takes for `calls` times reading a text, one position per line, and computing the attack
/// maps of both sides, 1,024 lines at a time: what `analyze` takes beyond this is the share of Arrow and Python.
///
/// >>> from slider_attacks import _native
/// >>> _native.time_analyze(b"4k3/8/8/8/8/8/8/R3K3 w Q -", 5) > 0
/// True
#[pyfunction]
pub fn time_analyze(text: &[u8], calls: usize) -> PyResult<f64> {
    let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
    let parts: Vec<(usize, Vec<u8>)> = lines.chunks(1024).map(|lines| (lines.len(), lines.concat())).collect();
    let (started, backend) = (Instant::now(), Backend::active());
    for _ in 0..calls {
        let mut positions = Positions::new();
        let mut maps = Color::ALL.map(|_| vec![0; lines.len()]);
        let mut row = 0;
        for (count, part) in &parts {
            positions.clear();
            positions.read_lines(part).map_err(value_error)?;
            for (color, maps) in Color::ALL.into_iter().zip(&mut maps) {
                backend.attack_maps(&positions, color, &mut maps[row..row + count]).map_err(value_error)?;
            }
            row += count;
        }
    }
    Ok(started.elapsed().as_secs_f64())
}
