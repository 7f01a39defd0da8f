//! Binpacks yield the same blocks with any number of threads, whatever their content.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use slider_attacks::position::Positions;
use slider_attacks_arrow::OnError;
use slider_attacks_files::Inputs;
use slider_attacks_files::block::ReadLimits;
use slider_attacks_files::ordered::Pool;
use slider_attacks_formats::content::Content;
use slider_attacks_formats::request::Wanted;

/// A binpack of one chunk.
const SAMPLE: &[u8] = include_bytes!("../../tests/data/sample.binpack");

fn chunk(chains: &[u8]) -> Vec<u8> {
    [b"BINP", &(chains.len() as u32).to_le_bytes()[..], chains].concat()
}

/// The positions of a block, and its messages.
type BlockRows = (Vec<String>, Vec<String>);

/// What each block has: positions with their numbers, and messages; and whether some were yet to be decoded. A last error ends them.
fn blocks(path: &Path, threads: usize, on_error: OnError) -> (Vec<BlockRows>, bool) {
    let mut inputs = Inputs::new(&[path.to_owned()], "").unwrap();
    inputs.pool = Some(Arc::new(Pool::new(threads).unwrap()));
    let (mut blocks, mut has_undecoded) = (Vec::new(), false);
    let wanted = Wanted { keep: vec!["score".to_owned()], ..Wanted::default() };
    let read = inputs.read(&wanted, &mut |mut block| {
        let is_undecoded = |content: &Content| match content {
            Content::Labelled(labelled) => labelled.undecoded.is_some(),
            _ => panic!("it is a block of a binpack"),
        };
        has_undecoded |= block.contents().any(is_undecoded);
        while let Some(records) = block.next(ReadLimits::all(usize::MAX), on_error, Positions::new())? {
            let rows = records.numbers.iter().enumerate();
            let rows = rows.map(|(row, number)| format!("{number} {}", records.positions.fen(row)));
            let malformed =
                records.skipped.iter().chain(&records.failure).map(|malformed| block.origin.message(malformed));
            blocks.push((rows.collect(), malformed.collect()));
            block.origin.check(records.failure.as_ref())?;
        }
        Ok(ControlFlow::Continue(()))
    });
    if let Err(error) = read {
        blocks.push((Vec::new(), vec![error.to_string()]));
    }
    (blocks, has_undecoded)
}

#[test]
fn threads_make_no_difference() {
    let stem = &SAMPLE[8..40];
    let long = chunk(&SAMPLE[8..].repeat(100));
    let many = chunk(&[stem, &[0; 2]].concat().repeat(3_000));
    let mut wrong = long.clone();
    wrong[150_000] ^= 0x55;
    let mut too_large = long.clone();
    too_large[4..8].copy_from_slice(&(200_u32 << 20).to_le_bytes());
    let small = [chunk(&[]), SAMPLE.to_vec(), chunk(b"x"), chunk(&[stem, &[0; 2]].concat())].concat().repeat(40);
    let files: [(&str, Vec<u8>); 8] = [
        ("usual", [&long[..], &many, &small, &long].concat()),
        ("wrong", [&wrong[..], &long, &wrong, &small].concat()),
        ("garbage", [&long[..], b"BINBIN", &wrong, &long].concat()),
        ("too-large", [&small[..], &too_large, &small].concat()),
        ("large", [&long[..], &chunk(&SAMPLE[8..].repeat(1_300)), &long].concat()),
        ("cut-off", [&long[..], &long[..100_000]].concat()),
        ("cut-header", [&small[..], &long[..6]].concat()),
        ("claims", [&small[..], &long[..4], &(3_u32 << 20).to_le_bytes(), &long[8..]].concat()),
    ];
    for (name, bytes) in files {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("threads-{name}.binpack"));
        fs::write(&path, &bytes).unwrap();
        for on_error in [OnError::Skip, OnError::Fail] {
            let (expected, has_undecoded) = blocks(&path, 1, on_error);
            assert!(!has_undecoded && (on_error == OnError::Fail || expected.len() > 20), "{name}: {}", expected.len());
            // The number of threads decides only when tasks run.
            let all: &[usize] = if name == "usual" { &[2, 4, 7, 16] } else { &[4] };
            for &threads in all {
                let (found, has_undecoded) = blocks(&path, threads, on_error);
                assert!(found == expected, "{name}, {threads} threads, {on_error}");
                assert_eq!(has_undecoded, threads >= 4, "{name}, {threads} threads");
            }
        }
        fs::remove_file(path).unwrap();
    }
}
