//! All backends and their rivals, by slider and size: `cargo bench -p rivals --bench batch`.
//!
//! Ids are `backend/size` for random squares, and `backend_sorted/size`. A size below 4,096 means calls of that size over
//! 4,096 pairs; compare elements per second. With `BENCH_LARGEST=1` in the environment, 16 Mi pairs (285 MB) are timed
//! as well.
//!
//! To compare contestants, prefer the benchmark `ratios`: here, minutes pass between one contestant and the next.

use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput};
use rivals::{Contestant, Pairs, contestants};
use slider_attacks::Slider;

const SIZES: [usize; 8] = [1, 8, 31, 64, 256, 4_096, 65_536, 1 << 20];
const LARGEST: usize = 1 << 24;
/// The order of the squares matters only to tables and branch predictors, so it varies in large arrays only.
const MIN_SORTED: usize = 4_096;
/// The ray walk takes the same time per pair at all sizes.
const MAX_SLOW: usize = 65_536;

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(50))
        .measurement_time(Duration::from_millis(250))
        .configure_from_args();
    let sizes = SIZES.into_iter().chain(std::env::var_os("BENCH_LARGEST").map(|_| LARGEST));
    for slider in [Slider::Queen, Slider::Rook, Slider::Bishop] {
        let mut group = criterion.benchmark_group(slider.name());
        for size in sizes.clone() {
            for contestant in contestants(slider).iter().filter(|c| size <= MAX_SLOW || !c.is_slow) {
                bench(&mut group, slider, contestant, contestant.name, || Pairs::random(size), size);
                if size >= MIN_SORTED {
                    let name = format!("{}_sorted", contestant.name);
                    bench(&mut group, slider, contestant, &name, || Pairs::random(size).sorted(), size);
                }
            }
        }
        group.finish();
    }
    criterion.final_summary();
}

fn bench(
    group: &mut BenchmarkGroup<'_, WallTime>,
    slider: Slider,
    contestant: &Contestant,
    name: &str,
    pairs: impl Fn() -> Pairs,
    size: usize,
) {
    let per_pass = if size < MIN_SORTED { MIN_SORTED - MIN_SORTED % size } else { size };
    group.throughput(Throughput::Elements(per_pass as u64));
    // The closure runs only if the benchmark is selected, so other benchmarks neither make pairs nor check them.
    group.bench_function(BenchmarkId::new(name, size), |bencher| {
        let pairs = pairs();
        assert_eq!(pairs.len(), per_pass);
        pairs.check(slider, contestant);
        let mut out = vec![0; pairs.len()];
        bencher.iter(|| pairs.pass(contestant, &mut out));
    });
}
