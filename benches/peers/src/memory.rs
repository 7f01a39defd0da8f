//! The memory roofline: 17 bytes moved per pair, and next to nothing computed.
//!
//! The loop uses the widest vectors of the CPU and has two forms. Ordinary stores first fetch the cache lines that they
//! overwrite; stores past the cache do not. Which form is faster depends on the size, and the faster one is the roofline.

use slider_attacks::Square;

use crate::Run;

/// Both forms with their names. The second one exists on x86-64 only.
pub fn runs() -> Vec<(&'static str, Run)> {
    #[cfg(target_arch = "x86_64")]
    return x86_64::runs();
    #[cfg(not(target_arch = "x86_64"))]
    vec![("memory", Box::new(move_memory))]
}

#[inline(always)]
fn move_memory(squares: &[Square], occs: &[u64], out: &mut [u64]) {
    for ((&square, &occ), out) in squares.iter().zip(occs).zip(out) {
        *out = occ ^ u64::from(square.index());
    }
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use core::arch::x86_64::*;

    use slider_attacks::Square;

    use super::move_memory;
    use crate::Run;

    /// Both forms for vectors of `$words` words.
    macro_rules! forms {
        ($width:ident, $features:literal, $vector:ty, $words:literal, $stream:ident) => {
            mod $width {
                use super::*;

                #[target_feature(enable = $features)]
                pub fn memory(squares: &[Square], occs: &[u64], out: &mut [u64]) {
                    move_memory(squares, occs, out);
                }

                #[target_feature(enable = $features)]
                pub fn memory_nt(squares: &[Square], occs: &[u64], out: &mut [u64]) {
                    let to_vector = out.as_ptr().align_offset(size_of::<$vector>()).min(out.len());
                    let (squares_first, squares) = squares.split_at(to_vector);
                    let (occs_first, occs) = occs.split_at(to_vector);
                    let (out_first, out) = out.split_at_mut(to_vector);
                    move_memory(squares_first, occs_first, out_first);

                    let (squares, squares_last) = squares.as_chunks::<$words>();
                    let (occs, occs_last) = occs.as_chunks::<$words>();
                    let (out, out_last) = out.as_chunks_mut::<$words>();
                    for ((squares, occs), out) in squares.iter().zip(occs).zip(out) {
                        let mut moved = [0; $words];
                        move_memory(squares, occs, &mut moved);
                        // SAFETY: both types are `$words` words without padding, and have no invalid values. `out` is
                        // writable and aligned to a vector: the head that is not was split off above. The fence below
                        // comes before anything else reads or writes what is stored here.
                        unsafe {
                            $stream(
                                core::ptr::from_mut(out).cast(),
                                core::mem::transmute::<[u64; $words], $vector>(moved),
                            )
                        };
                    }
                    _mm_sfence();
                    move_memory(squares_last, occs_last, out_last);
                }
            }
        };
    }

    forms! { sse2, "sse2", __m128i, 2, _mm_stream_si128 }
    forms! { avx2, "avx2", __m256i, 4, _mm256_stream_si256 }
    forms! { avx512, "avx512f", __m512i, 8, _mm512_stream_si512 }

    pub fn runs() -> Vec<(&'static str, Run)> {
        macro_rules! both {
            ($width:ident) => {{
                // SAFETY: the CPU has the features of this width: checked below. The same holds for the other form.
                let memory: Run = Box::new(|squares, occs, out| unsafe { $width::memory(squares, occs, out) });
                // SAFETY: as above.
                let memory_nt: Run = Box::new(|squares, occs, out| unsafe { $width::memory_nt(squares, occs, out) });
                vec![("memory", memory), ("memory_nt", memory_nt)]
            }};
        }
        if is_x86_feature_detected!("avx512f") {
            both!(avx512)
        } else if is_x86_feature_detected!("avx2") {
            both!(avx2)
        } else {
            both!(sse2)
        }
    }
}
