//! A load test of any duration, which monitors memory and descriptors.
//!
//! `SOAK_SECONDS=3600 cargo test --release -p slider-attacks-serve --test service -- --ignored --nocapture soak`
//!
//! An hour with 8 clients on two cores of an AMD EPYC (Zen 3, 2026-11-23): 34.9 billion rows compared, 12,699 wrong requests refused,
//! 12,851 cancelled; 26 to 55 MiB of memory throughout, and no more descriptors at the end than at the beginning.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::process::Process;
use super::*;

/// How often memory and descriptors are looked at.
const EVERY: Duration = Duration::from_secs(10);
const CLIENTS: u64 = 8;

/// What the clients have done.
#[derive(Default)]
struct Counts {
    is_over: AtomicBool,
    rows: AtomicU64,
    refused: AtomicU64,
    left: AtomicU64,
}

/// A client that asks, compares, sends what is wrong, goes away in the middle and comes back.
async fn client_of_many_moods(address: SocketAddr, seed: u64, counts: Arc<Counts>) {
    let mut random = Random(seed);
    let mut client = client(address).await;
    while !counts.is_over.load(Relaxed) {
        let work = Work::random(&mut random);
        let most = if matches!(work, Work::Analyze(_)) { 5_000 } else { 200_000 };
        let batches: Vec<RecordBatch> = (0..1 + random.below(3))
            .map(|_| {
                let rows = random.below(most);
                work.batch(&mut random, rows)
            })
            .collect();
        match random.below(20) {
            0 => client = self::client(address).await,
            1 => {
                // Another call than that of the columns.
                let other = if matches!(work, Work::Sets) { Work::Attacks(Slider::Rook) } else { Work::Sets };
                assert_eq!(failed(other.ask(&mut client, batches).await).0, Code::InvalidArgument);
                counts.refused.fetch_add(1, Relaxed);
            }
            2 => {
                let mut answers = answers(&mut client, messages(work.descriptor(), batches)).await.unwrap();
                // There is none if no batch had rows.
                assert!(answers.next().await.is_none_or(|answer| answer.is_ok()));
                counts.left.fetch_add(1, Relaxed);
            }
            _ => {
                let all = arrow_select::concat::concat_batches(&batches[0].schema(), &batches).unwrap();
                assert_eq!(work.ask(&mut client, batches).await.unwrap(), work.expected(&all), "{work:?}");
                counts.rows.fetch_add(all.num_rows() as u64, Relaxed);
            }
        }
    }
}

/// The memory of a process in KiB, and the number of its descriptors.
pub fn size(process: u32) -> (u64, usize) {
    let process = PathBuf::from(format!("/proc/{process}"));
    let status = std::fs::read_to_string(process.join("status")).unwrap();
    let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let memory = memory.trim().trim_end_matches(" kB").parse().unwrap();
    (memory, std::fs::read_dir(process.join("fd")).unwrap().count())
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
#[ignore = "it takes as long as one likes"]
async fn soak() {
    let seconds = std::env::var("SOAK_SECONDS").map_or(60, |seconds| seconds.parse().unwrap());
    let process = Process::start(&["--log-level", "warn"]).await;
    let id = process.id();
    let idle = size(id);
    let counts = Arc::new(Counts::default());
    let clients: Vec<_> =
        (0..CLIENTS).map(|seed| tokio::spawn(client_of_many_moods(process.address, seed, counts.clone()))).collect();
    let (start, mut sizes) = (Instant::now(), Vec::new());
    println!("seconds,KiB,descriptors,rows,refused,left");
    while start.elapsed().as_secs() < seconds && !clients.iter().any(tokio::task::JoinHandle::is_finished) {
        tokio::time::sleep(EVERY.min(Duration::from_secs(seconds / 3))).await;
        let (memory, descriptors) = size(id);
        let [rows, refused, left] = [&counts.rows, &counts.refused, &counts.left].map(|count| count.load(Relaxed));
        println!("{},{memory},{descriptors},{rows},{refused},{left}", start.elapsed().as_secs());
        sizes.push(memory);
    }
    counts.is_over.store(true, Relaxed);
    for client in clients {
        client.await.unwrap();
    }
    let start = Instant::now();
    while size(id).1 > idle.1 {
        assert!(start.elapsed() < Duration::from_secs(10), "{} descriptors, {} at first", size(id).1, idle.1);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // The largest of the second half, compared with the largest of the first half.
    let (first, second) = sizes.split_at(sizes.len() / 2);
    let [first, second] = [first, second].map(|sizes| *sizes.iter().max().unwrap());
    println!("at most {first} KiB in the first half, {second} KiB in the second, {} at first", idle.0);
    assert!(second < first + first / 4, "memory grows");
}
