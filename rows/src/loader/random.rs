//! Random numbers that are the same on every machine and in every version.

/// SplitMix64: Guy L. Steele Jr., Doug Lea and Christine H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014,
/// <https://doi.org/10.1145/2660193.2660195>. Its state is one number, which a state of a loader holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitMix64 {
    /// The state, which any number can be.
    pub state: u64,
}

/// The increment of the state: 2<sup>64</sup> divided by the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl SplitMix64 {
    /// A generator for some numbers, such as a seed and an epoch. Those for other numbers are independent of it.
    pub fn of(numbers: &[u64]) -> SplitMix64 {
        let mut random = SplitMix64 { state: 0 };
        for &number in numbers {
            random.state ^= number;
            random.state = random.next();
        }
        random
    }

    /// The next number.
    #[inline]
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        let mut mixed = self.state;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Whether a thing is taken that has this chance, from 0 to 1: the one of this number after the state.
    #[inline]
    pub fn takes(self, number: u64, chance: f64) -> bool {
        self.unit(number) < chance
    }

    /// The number of this number after the state, from 0 up to 1.
    #[inline]
    pub fn unit(self, number: u64) -> f64 {
        // 53 bits, as a float has.
        (self.after(number).next() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// The same generator after this many numbers.
    #[inline]
    pub fn after(self, numbers: u64) -> SplitMix64 {
        SplitMix64 { state: self.state.wrapping_add(GOLDEN.wrapping_mul(numbers)) }
    }

    /// A number below `end`. The chances of two numbers differ by less than one in 2<sup>64</sup> / `end`.
    #[inline]
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// Puts things into a random order: the shuffle of Fisher and Yates.
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last + 1));
        }
    }
}

#[test]
fn numbers_are_those_of_the_reference() {
    // From the program of the authors, with the seed 1234567.
    let mut random = SplitMix64 { state: 1_234_567 };
    let numbers = [(); 3].map(|()| random.next());
    assert_eq!(numbers, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
}

#[test]
fn as_many_are_taken_as_their_chance_says() {
    let random = SplitMix64::of(&[3]);
    for (chance, expected) in [(0.0, 0..=0), (0.1, 9_700..=10_300), (0.5, 49_500..=50_500), (1.0, 100_000..=100_000)] {
        let count = (0..100_000).filter(|&number| random.takes(number, chance)).count();
        assert!(expected.contains(&count), "{chance}: {count}");
    }
    let mut numbers = random;
    assert!((0..100).all(|number| random.takes(number, 0.5) == (numbers.next() >> 63 == 0)));
}

#[test]
fn all_orders_are_about_as_frequent() {
    let mut counts = std::collections::HashMap::new();
    let mut random = SplitMix64::of(&[7]);
    for _ in 0..24_000 {
        let mut things = [0, 1, 2, 3];
        random.shuffle(&mut things);
        *counts.entry(things).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 24);
    assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
}
