//! The positions of certain bytes in a text, found 64 bytes at a time.

/// Which bytes are looked for.
pub trait Mark: Copy {
    /// Whether this is one of them.
    fn is_mark(&self, byte: u8) -> bool;
}

/// The places of certain bytes in a text, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Marks<'t, M> {
    text: &'t [u8],
    mark: M,
    /// The place of a part of 64 bytes, and which of these are marks that have not been taken yet.
    base: usize,
    bits: u64,
}

impl<'t, M: Mark> Marks<'t, M> {
    /// The places in this text.
    pub fn new(text: &'t [u8], mark: M) -> Marks<'t, M> {
        let mut marks = Marks { text, mark, base: 0, bits: 0 };
        marks.go_to(0);
        marks
    }

    /// Goes on here.
    #[inline]
    pub fn go_to(&mut self, at: usize) {
        self.base = at;
        self.bits = find(self.text, self.base, self.mark);
    }

    /// The next place; the length of the text after the last one.
    #[inline(always)]
    #[allow(clippy::should_implement_trait, reason = "there is always a place, so it is no iterator")]
    pub fn next(&mut self) -> usize {
        while self.bits == 0 {
            self.base += 64;
            if self.base >= self.text.len() {
                self.base = self.text.len();
                return self.base;
            }
            self.bits = find(self.text, self.base, self.mark);
        }
        let at = self.base + self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        at
    }
}

/// A bit for each of 64 bytes, which begin at `base`. All comes by value, so that the caller keeps its places in registers.
#[inline(never)]
fn find(text: &[u8], base: usize, mark: impl Mark) -> u64 {
    let rest = text.get(base..).unwrap_or_default();
    match rest.first_chunk() {
        Some(part) => bits(part, mark),
        None => {
            let mut part = [0; 64];
            part[..rest.len()].copy_from_slice(rest);
            // Missing bytes are never marked.
            bits(&part, mark) & ((1 << rest.len()) - 1)
        }
    }
}

/// Which of the bytes are marks.
#[inline]
fn bits(part: &[u8; 64], mark: impl Mark) -> u64 {
    let bytes = part.map(|byte| u8::from(mark.is_mark(byte)));
    // The product has the eight bits next to each other at its upper end.
    let eight = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    let eights = bytes.as_chunks().0;
    (0..8).map(|at| eight(&eights[at]) << (8 * at)).fold(0, |all, bits| all | bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy)]
    struct Bar;

    impl Mark for Bar {
        fn is_mark(&self, byte: u8) -> bool {
            byte == b'|' || byte == 0
        }
    }

    #[test]
    fn each_place_is_found() {
        for length in (0..200).chain([1_000]) {
            for every in [1, 2, 3, 63, 64, 65, 300] {
                let text: Vec<u8> = (0..length).map(|at| if at % every == 0 { b'|' } else { b'.' }).collect();
                for start in 0..=length {
                    let mut marks = Marks::new(&text, Bar);
                    marks.go_to(start);
                    let mut expected = (start..length).filter(|at| at % every == 0);
                    expected.by_ref().take(10).for_each(|at| assert_eq!(marks.next(), at));
                    let rest = expected.chain([length, length]);
                    rest.for_each(|at| assert_eq!(marks.next(), at, "{length}, {every}, {start}"));
                }
            }
        }
    }
}
