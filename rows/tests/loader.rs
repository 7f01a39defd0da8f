//! The laws of the loader: each position comes once per epoch; the order depends on the seed alone; shards are disjoint and
//! complete; a resumed run equals one that was not interrupted; errors name the file and the record, after the batches before
//! them.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use slider_attacks::position::{Color, Piece, Positions};
use slider_attacks_arrow::{OnError, Perspective, Plan, Product, Values};
use slider_attacks_features::{FeatureSet, Features, RowLists, RowOrder, ThreatLayout, ViewOrder};
use slider_attacks_files::Input;
use slider_attacks_files::input::Shard;
use slider_attacks_formats::games::Games;
use slider_attacks_rows::loader::{
    Label, Loader, LoaderSettings, NO_SCORE, NextBatch, PlaneColumn, PlaneMemory, PlaneSettings, PooledValue,
    SquareValues, TrainingBatch,
};

const DATA: &str = "../tests/data/";

/// A folder of its own, which is removed.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("slider-attacks-loader-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    /// A file of each kind: games, records, lines, a table, and one that is compressed.
    fn mixed(&self) -> Vec<PathBuf> {
        let table: String = (0..300).map(|row| format!("{},{},1-0,{row}\n", fen(row), row as i64 - 150)).collect();
        let lines: String = (300..900).map(|row| format!("{} | {} | 0.5\n", fen(row), row)).collect();
        vec![
            self.file("a.pgn", games(40)),
            self.file("b.binpack", fs::read(DATA.to_owned() + "sample.binpack").unwrap().repeat(3)),
            self.file("c.csv", format!("fen,score,result,ply\n{table}")),
            self.file("d.epd", lines),
            self.file("e.pgn.zst", zstd(&games(30))),
        ]
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn zstd(text: &str) -> Vec<u8> {
    zstd_of(text.as_bytes())
}

fn zstd_of(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

/// A position that only this number has.
fn fen(number: usize) -> String {
    let (mut board, mut rest) = (String::new(), number);
    for _ in 0..4 {
        board += ["8", "p7", "1p6", "N7", "1n6", "b7", "1B6", "2r5"][rest % 8];
        board.push('/');
        rest /= 8;
    }
    format!("k6K/8/8/{board}8 {} - -", if number.is_multiple_of(2) { 'w' } else { 'b' })
}

/// Games of different lengths with tags, scores and results.
fn games(count: usize) -> String {
    let moves =
        ["1. e4 { [%eval 0.3] } e5", "2. Nf3 Nc6", "3. Bb5 a6", "4. Ba4 Nf6", "5. O-O Be7", "6. Re1 b5", "7. Bb3 d6"];
    let game = |number: usize| {
        let result = ["1-0", "0-1", "1/2-1/2", "*"][number % 4];
        let moves = moves[..1 + number % 7].join(" ");
        format!("[Event \"{number}\"]\n[Site \"?\"]\n[Result \"{result}\"]\n\n{moves} {result}\n\n")
    };
    (0..count).map(game).collect()
}

fn settings(paths: &[PathBuf]) -> LoaderSettings {
    LoaderSettings {
        inputs: paths.iter().map(|path| Input::new(path, 0)).collect(),
        labels: vec![Label::Score, Label::Result],
        batch: 64,
        shuffle: 500,
        range_bytes: Some(700),
        ..LoaderSettings::default()
    }
}

/// The next batch, however long it takes.
fn next(loader: &mut Loader) -> anyhow::Result<Option<TrainingBatch>> {
    loop {
        match loader.next(Duration::from_secs(5))? {
            NextBatch::Batch(batch) => return Ok(Some(*batch)),
            NextBatch::End => return Ok(None),
            NextBatch::NotYet => {}
        }
    }
}

/// All batches.
fn batches(loader: &mut Loader) -> Vec<TrainingBatch> {
    std::iter::from_fn(|| next(loader).unwrap()).collect()
}

fn run(settings: LoaderSettings) -> Vec<TrainingBatch> {
    batches(&mut Loader::new(settings).unwrap())
}

/// The positions and labels of batches, one after the other.
fn rows(batches: &[TrainingBatch]) -> Vec<String> {
    let row = |batch: &TrainingBatch, at: usize| {
        let number = |numbers: &Option<Vec<i32>>| numbers.as_ref().map(|numbers| numbers[at]);
        let result = batch.results.as_ref().map(|results| results[at]);
        format!("{} {:?} {result:?} {:?}", batch.positions.fen(at), number(&batch.scores), number(&batch.plies))
    };
    batches.iter().flat_map(|batch| (0..batch.positions.len()).map(move |at| row(batch, at))).collect()
}

/// How often each thing comes.
fn counts(things: &[String]) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    things.iter().for_each(|thing| *counts.entry(thing.as_str()).or_insert(0) += 1);
    counts
}

#[test]
fn each_position_comes_once_per_epoch() {
    let folder = Folder::new("epochs");
    let files = folder.mixed();
    let in_order = rows(&run(LoaderSettings { shuffle: 0, ..settings(&files) }));
    assert!(in_order.len() > 1500, "{}", in_order.len());
    for (shuffle, batch) in [(0, 64), (1, 1), (100, 64), (1_000_000, 7)] {
        let settings = LoaderSettings { shuffle, batch, epochs: Some(3), ..settings(&files) };
        let batches = run(settings);
        let (last, full) = batches.split_last().unwrap();
        assert!(full.iter().all(|full| full.positions.len() == batch) && last.positions.len() <= batch);
        let rows = rows(&batches);
        let epochs: Vec<&[String]> = rows.chunks(in_order.len()).collect();
        assert_eq!(epochs.len(), 3);
        for epoch in &epochs {
            assert_eq!(counts(epoch), counts(&in_order), "{shuffle}");
            assert_eq!(**epoch == in_order, shuffle == 0, "{shuffle}");
        }
        assert_eq!(epochs[0] == epochs[1], shuffle == 0, "{shuffle}");
    }
}

#[test]
fn without_a_buffer_the_order_is_that_of_the_files() {
    let folder = Folder::new("order");
    let lines: Vec<String> = (0..500).map(fen).collect();
    let file = folder.file("a.epd", lines.join("\n"));
    let found = run(LoaderSettings { shuffle: 0, labels: vec![], ..settings(&[file]) });
    let fens: Vec<String> =
        found.iter().flat_map(|batch| (0..batch.positions.len()).map(|at| batch.positions.fen(at))).collect();
    assert_eq!(fens, lines);
}

#[test]
fn the_order_depends_on_the_seed_and_not_on_threads() {
    let folder = Folder::new("threads");
    let files = folder.mixed();
    let of = |seed, threads| rows(&run(LoaderSettings { seed, threads, epochs: Some(2), ..settings(&files) }));
    let first = of(1, 1);
    for threads in [2, 8] {
        assert_eq!(of(1, threads), first, "{threads} threads");
    }
    let seeds: HashSet<Vec<String>> = (0..5).map(|seed| of(seed, 1)).collect();
    assert_eq!(seeds.len(), 5);
}

#[test]
fn positions_go_far() {
    let folder = Folder::new("far");
    let lines: Vec<String> = (0..4000).map(fen).collect();
    let file = folder.file("a.epd", lines.join("\n"));
    let places: HashMap<&str, usize> = lines.iter().map(String::as_str).zip(0..).collect();
    let found = run(LoaderSettings { labels: vec![], range_bytes: Some(1 << 12), ..settings(&[file]) });
    let (mut before, mut distance) = (0, 0);
    let fens = found.iter().flat_map(|batch| (0..batch.positions.len()).map(|at| batch.positions.fen(at)));
    let count = fens
        .map(|fen| places[&*fen])
        .inspect(|&place| distance += place.abs_diff(std::mem::replace(&mut before, place)))
        .count();
    // Of independent places, a third of all.
    assert!(distance / count > 4000 / 5, "{}", distance / count);
}

#[test]
fn shards_are_disjoint_and_complete() {
    let folder = Folder::new("shards");
    let files = folder.mixed();
    for of in [2, 3, 7] {
        for shuffle in [0, 500] {
            let all = rows(&run(LoaderSettings { shuffle, epochs: Some(2), ..settings(&files) }));
            let shards: Vec<Vec<String>> = (1..=of)
                .map(|number| {
                    let shard = Shard { number, of };
                    rows(&run(LoaderSettings { shard, shuffle, epochs: Some(2), ..settings(&files) }))
                })
                .collect();
            assert!(shards.iter().all(|shard| !shard.is_empty()));
            assert_eq!(counts(&shards.concat()), counts(&all), "{of} shards");
        }
    }
    let error = Loader::new(LoaderSettings { shard: Shard { number: 1, of: 2 }, ..settings(&files[4..]) }).unwrap_err();
    assert!(error.to_string().starts_with("2 shards of 1 ranges"), "{error}");
}

#[test]
fn a_resumed_run_equals_one_that_was_not_interrupted() {
    let folder = Folder::new("resume");
    let files = folder.mixed();
    for (shuffle, threads) in [(0, 1), (300, 1), (300, 5), (1_000_000, 2)] {
        let settings = || LoaderSettings { shuffle, threads, epochs: Some(2), seed: 3, ..settings(&files) };
        let whole = run(settings());
        let mut loader = Loader::new(settings()).unwrap();
        for done in 0..=whole.len() {
            let state = loader.state();
            if done % 5 == 0 || done > whole.len() - 2 {
                let mut resumed = Loader::new(LoaderSettings { threads: 3, ..settings() }).unwrap();
                resumed.restore(&state).unwrap();
                assert_eq!(resumed.state(), state, "a loader that has not been started has the same state");
                assert_eq!(rows(&batches(&mut resumed)), rows(&whole[done..]), "{shuffle}, {done} of {}", whole.len());
                assert_eq!(resumed.positions(), whole.iter().map(|batch| batch.positions.len() as u64).sum::<u64>());
            }
            let batch = next(&mut loader).unwrap();
            assert_eq!(batch.is_some(), done < whole.len());
        }
        // The same loader goes back, too.
        let mut loader = Loader::new(settings()).unwrap();
        let state = loader.state();
        next(&mut loader).unwrap();
        loader.restore(&state).unwrap();
        assert_eq!(rows(&batches(&mut loader)), rows(&whole));
    }
}

#[test]
fn blocks_that_were_read_are_passed_over() {
    let folder = Folder::new("blocks");
    let file = folder.file("a.pgn.zst", zstd(&games(20_000)));
    let settings = || LoaderSettings { shuffle: 10, batch: 10_000, ..settings(std::slice::from_ref(&file)) };
    let whole = run(settings());
    assert!(whole.len() > 8);
    let mut loader = Loader::new(settings()).unwrap();
    for batch in whole.iter().skip(1) {
        next(&mut loader).unwrap();
        let mut resumed = Loader::new(settings()).unwrap();
        resumed.restore(&loader.state()).unwrap();
        assert_eq!(rows(&[next(&mut resumed).unwrap().unwrap()]), rows(std::slice::from_ref(batch)));
    }
}

/// A chunk of many blocks, as it is and compressed. Some positions are left out, and blocks begin within chains.
#[test]
fn a_binpack_is_entered_within_a_chunk() {
    let folder = Folder::new("chains");
    let chains = fs::read(DATA.to_owned() + "sample.binpack").unwrap()[8..].repeat(40);
    let chunk = [b"BINP", &(chains.len() as u32).to_le_bytes()[..], &chains].concat();
    let bytes = [&chunk[..], &chunk].concat();
    let files = [folder.file("a.binpack", &bytes), folder.file("b.binpack.zst", zstd_of(&bytes))];
    for (file, threads) in files.iter().flat_map(|file| [(file, 1), (file, 4)]) {
        let condition = Some("score >= 0".parse().unwrap());
        let keep = Some("if(count(occupied) > 20, 0.9, 0.4)".parse().unwrap());
        let settings = || LoaderSettings {
            condition: condition.clone(),
            keep: keep.clone(),
            shuffle: 50,
            batch: 3000,
            threads,
            range_bytes: None,
            ..settings(std::slice::from_ref(file))
        };
        let mut loader = Loader::new(settings()).unwrap();
        let whole = batches(&mut loader);
        let total = (loader.positions(), loader.left_out());
        assert!(whole.len() > 6 && total.1 > 10_000, "{} batches, {total:?}", whole.len());
        let mut loader = Loader::new(settings()).unwrap();
        for done in 0..whole.len() {
            let mut resumed = Loader::new(LoaderSettings { threads: 5 - threads, ..settings() }).unwrap();
            resumed.restore(&loader.state()).unwrap();
            let count = loader.left_out();
            assert!(resumed.left_out() <= count);
            assert_eq!(rows(&batches(&mut resumed)), rows(&whole[done..]), "{done} of {}", whole.len());
            assert_eq!((resumed.positions(), resumed.left_out()), total);
            next(&mut loader).unwrap();
        }
        // From a state of a loader that had been restored.
        loader.restore(&loader.state()).unwrap();
        assert!(next(&mut loader).unwrap().is_none());
    }
}

#[test]
fn states_of_other_files_and_settings_are_errors() {
    let folder = Folder::new("states");
    let files = folder.mixed();
    let state = Loader::new(settings(&files)).unwrap().state();
    let error = |settings: LoaderSettings| Loader::new(settings).unwrap().restore(&state).unwrap_err().to_string();
    assert_eq!(error(settings(&files[1..])), "the state is that of other files");
    fs::write(&files[0], games(41)).unwrap();
    assert_eq!(error(settings(&files)), "the state is that of other files");
    fs::write(&files[0], games(40)).unwrap();
    for other in [
        LoaderSettings { seed: 1, ..settings(&files) },
        LoaderSettings { shuffle: 7, ..settings(&files) },
        LoaderSettings { shard: Shard { number: 1, of: 2 }, ..settings(&files) },
        LoaderSettings { labels: vec![Label::Score], ..settings(&files) },
        LoaderSettings { games: Games { every: 2, ..Games::default() }, ..settings(&files) },
        LoaderSettings { on_error: OnError::Skip, ..settings(&files) },
    ] {
        assert_eq!(error(other), "the state is that of other settings");
    }
    let mut loader = Loader::new(settings(&files)).unwrap();
    assert_eq!(loader.restore(b"nothing").unwrap_err().to_string(), "expected the state of a loader");
    let mut old = state.clone();
    old[7] -= 1;
    assert_eq!(loader.restore(&old).unwrap_err().to_string(), "the state is that of another version");
    assert_eq!(batches(&mut loader).len(), run(settings(&files)).len(), "an error changes nothing");
}

#[test]
fn errors_come_after_the_batches_before_them_and_name_the_record() {
    let folder = Folder::new("errors");
    let mut lines: Vec<String> = (0..900).map(fen).collect();
    lines[700] = "nonsense".to_owned();
    lines[800] = "more nonsense".to_owned();
    let file = folder.file("a.epd", lines.join("\n"));
    let settings = || LoaderSettings { shuffle: 0, ..settings(std::slice::from_ref(&file)) };
    let mut loader = Loader::new(settings()).unwrap();
    let (mut positions, error) = (0, loop_until_error(&mut loader));
    positions += loader.positions();
    assert_eq!(positions, 700);
    assert!(error.contains("a.epd, line 701, "), "{error}");
    assert!(next(&mut loader).unwrap().is_none(), "nothing comes after an error");
    let mut loader = Loader::new(LoaderSettings { on_error: OnError::Skip, ..settings() }).unwrap();
    assert_eq!(rows(&batches(&mut loader)).len(), 898);
    let (count, messages) = loader.skipped();
    assert_eq!((count, messages.len()), (2, 2));
    assert!(messages[0].contains("line 701") && messages[1].contains("line 801"), "{messages:?}");
}

/// The message of the error that ends a run.
fn loop_until_error(loader: &mut Loader) -> String {
    loop {
        match next(loader) {
            Ok(Some(_)) => {}
            Ok(None) => panic!("there is no error"),
            Err(error) => return format!("{error:#}"),
        }
    }
}

#[test]
fn errors_in_later_parts_of_games_name_the_game_and_line() {
    let folder = Folder::new("games");
    let text = games(60).replacen("[Event \"50\"]\n[Site \"?\"]", "[Event \"50\"]\n[FEN \"nonsense\"]", 1);
    let file = folder.file("a.pgn", &text);
    let mut loader = Loader::new(LoaderSettings { shuffle: 0, ..settings(std::slice::from_ref(&file)) }).unwrap();
    let error = loop_until_error(&mut loader);
    // What the reader says that reads the file from its beginning.
    let mut whole =
        Loader::new(LoaderSettings { shuffle: 0, range_bytes: Some(1 << 30), ..settings(std::slice::from_ref(&file)) })
            .unwrap();
    assert_eq!(loop_until_error(&mut whole), error);
    assert!(error.contains("a.pgn, game 51"), "{error}");
}

#[test]
fn what_cannot_be_read_is_an_error() {
    let folder = Folder::new("missing");
    let missing = Loader::new(settings(&[folder.0.join("nothing.pgn")])).unwrap_err();
    assert!(format!("{missing:#}").contains("nothing.pgn"), "{missing:#}");
    let table = folder.file("a.csv", format!("fen\n{}\n", fen(1)));
    let mut loader = Loader::new(settings(&[table])).unwrap();
    let error = loop_until_error(&mut loader);
    assert!(error.contains("a.csv has no column score or mate"), "{error}");
    let wrong = folder.file("b.csv", format!("fen,score,result\n{},1,1-0\n{},x,1-0\n", fen(1), fen(2)));
    let error = loop_until_error(&mut Loader::new(settings(&[wrong])).unwrap());
    assert!(error.contains("b.csv, line 3, field \"score\""), "{error}");
    let changed = folder.file("c.epd", fen(1));
    let mut loader = Loader::new(settings(std::slice::from_ref(&changed))).unwrap();
    fs::write(&changed, fen(12345)).unwrap();
    fs::write(&changed, [fen(1), fen(2)].join("\n")).unwrap();
    assert!(loop_until_error(&mut loader).contains("it changed during reading"));
    for (batch, of) in [(0, 1), (1, 0)] {
        let settings =
            LoaderSettings { batch, shard: Shard { number: 1, of }, ..settings(std::slice::from_ref(&changed)) };
        assert!(Loader::new(settings).is_err());
    }
    let memory = LoaderSettings { shuffle: usize::MAX / 64, ..settings(std::slice::from_ref(&changed)) };
    assert!(Loader::new(memory).unwrap_err().to_string().contains("out of memory"));
}

#[test]
fn files_without_positions_end_at_once() {
    let folder = Folder::new("empty");
    let file = folder.file("a.epd", "# nothing\n");
    for epochs in [Some(5), None] {
        assert!(run(LoaderSettings { epochs, ..settings(std::slice::from_ref(&file)) }).is_empty());
    }
}

#[test]
fn labels_are_numbers() {
    let folder = Folder::new("labels");
    let positions = ["4k3/8/8/8/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/8/R3K3 b Q -"];
    let [white, black] = positions;
    let table =
        folder.file("a.csv", format!("fen,score,result,ply\n{white},30,1-0,4\n{black},#-3,0.5,\n{black},,*,7\n"));
    let all = || LoaderSettings { shuffle: 0, labels: Label::ALL.to_vec(), ..settings(std::slice::from_ref(&table)) };
    let [batch] = &run(all())[..] else { panic!("there is one batch") };
    assert_eq!(batch.scores.as_deref(), Some(&[30, -31_997, NO_SCORE][..]));
    let results = batch.results.clone().unwrap();
    assert!(results[..2] == [1.0, 0.5] && results[2].is_nan());
    assert_eq!(batch.plies.as_deref(), Some(&[4, -1, 7][..]));
    let plan = Plan::new([Product::Maps]);
    let settings = LoaderSettings { perspective: Perspective::Mover, plan: plan.clone(), ..all() };
    let [mover] = &run(settings)[..] else { panic!("there is one batch") };
    assert_eq!(mover.scores.as_deref(), Some(&[30, 31_997, NO_SCORE][..]));
    let mut seen = Positions::new();
    plan.computes_with().seen_by_mover(&batch.positions, &mut seen);
    assert_eq!(mover.positions, seen);
    assert!(mover.positions.side_to_move().iter().all(|&side| side == Color::White));
    assert_eq!(mover.values, plan.values(&seen));
    assert!(matches!(mover.values[0], Values::Boards(_)));
    let games = folder.file("b.pgn", games(1));
    let [batch] = &run(LoaderSettings { inputs: vec![Input::new(&games, 0)], ..all() })[..] else { panic!() };
    assert_eq!(batch.plies.as_deref(), Some(&[0, 1, 2][..]));
    assert_eq!(batch.scores.as_deref(), Some(&[NO_SCORE, 30, NO_SCORE][..]));
    assert_eq!(batch.results.as_deref(), Some(&[1.0; 3][..]));
}

/// How many threads the process has.
fn threads() -> usize {
    fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

#[test]
#[cfg(target_os = "linux")]
fn threads_end_with_the_loader_and_progress_is_known() {
    let folder = Folder::new("drop");
    let file = folder.file("a.pgn", games(30_000));
    let endless =
        || LoaderSettings { epochs: None, threads: 9, range_bytes: None, ..settings(std::slice::from_ref(&file)) };
    let mut loaders: Vec<Loader> = (0..8).map(|_| Loader::new(endless()).unwrap()).collect();
    loaders.iter_mut().for_each(|loader| drop(next(loader).unwrap()));
    assert!(threads() > 8 * 10, "{}", threads());
    assert!(loaders[0].bytes_read() > 0 && loaders[0].bytes_total().is_none());
    drop(loaders);
    let begin = Instant::now();
    // Other tests have threads as well.
    while threads() > 60 {
        assert!(begin.elapsed() < Duration::from_secs(20), "{} threads are left", threads());
        thread::sleep(Duration::from_millis(10));
    }
    let mut loader = Loader::new(LoaderSettings { epochs: Some(2), ..endless() }).unwrap();
    let rows = batches(&mut loader).iter().map(|batch| batch.positions.len() as u64).sum::<u64>();
    assert_eq!(loader.positions(), rows);
    assert_eq!((loader.bytes_read(), loader.bytes_total()), (loader.bytes_total().unwrap(), loader.bytes_total()));
    loader.close();
    assert!(matches!(loader.next(Duration::ZERO), Ok(NextBatch::End)));
}

#[test]
fn the_buffer_takes_forty_bytes_per_position() {
    let file = Path::new(DATA).join("sample.binpack");
    let of = |shuffle| LoaderSettings { shuffle, ..settings(std::slice::from_ref(&file)) };
    assert_eq!(of(1_000_000).memory() - of(0).memory(), 40_000_000);
    let mut loader = Loader::new(of(300)).unwrap();
    next(&mut loader).unwrap();
    // The buffer, and what waits: the next two batches, and another one that is being filled.
    let most = 40 * (300 + 3 * 64) + 23 * 8;
    assert!((12_000..=most).contains(&loader.state().len()), "{}", loader.state().len());
}

#[test]
fn conditions_choose_positions() {
    let folder = Folder::new("conditions");
    let all = LoaderSettings { shuffle: 0, ..settings(&folder.mixed()) };
    let condition = Some("black_to_move and count(occupied) > 4".parse().unwrap());
    let keys = |batches: &[TrainingBatch]| -> Vec<String> {
        batches.iter().flat_map(|batch| (0..batch.positions.len()).map(|at| batch.positions.fen(at))).collect()
    };
    let every = keys(&run(all.clone()));
    let all_positions = every.len() as u64;
    let expected: Vec<String> = every
        .into_iter()
        .filter(|fen| {
            let (board, rest) = fen.split_once(' ').expect("a FEN has fields");
            rest.starts_with('b') && board.chars().filter(char::is_ascii_alphabetic).count() > 4
        })
        .collect();
    for threads in [1, 4] {
        let chosen = LoaderSettings { condition: condition.clone(), threads, ..all.clone() };
        let mut loader = Loader::new(chosen.clone()).unwrap();
        let found = keys(&batches(&mut loader));
        assert!(found.len() > 100 && found == expected, "{} of {}", found.len(), expected.len());
        let left_out = loader.left_out();
        assert_eq!(left_out + found.len() as u64, all_positions);
        // What was left out before a state is counted in it.
        let mut loader = Loader::new(chosen.clone()).unwrap();
        next(&mut loader).unwrap();
        let mut resumed = Loader::new(chosen).unwrap();
        resumed.restore(&loader.state()).unwrap();
        batches(&mut resumed);
        assert_eq!(resumed.left_out(), left_out);
    }
    // Also long after the last position that was taken, which is the place of a state.
    let rare = LoaderSettings {
        condition: Some("fullmove = 1".parse().unwrap()),
        batch: 1,
        range_bytes: None,
        ..settings(&[PathBuf::from(DATA.to_owned() + "sample.binpack")])
    };
    let mut whole = Loader::new(rare.clone()).unwrap();
    let taken = batches(&mut whole).len();
    assert!((1..100).contains(&taken) && whole.left_out() > 100, "{taken}, {}", whole.left_out());
    let mut loader = Loader::new(rare.clone()).unwrap();
    for _ in 0..taken {
        next(&mut loader).unwrap();
        thread::sleep(Duration::from_millis(5));
        let mut resumed = Loader::new(rare.clone()).unwrap();
        resumed.restore(&loader.state()).unwrap();
        batches(&mut resumed);
        assert_eq!(resumed.left_out(), whole.left_out());
    }
}

/// Threads and pairs of pawns, 64,368 inputs; with pieces, more than 16 bits number.
fn features(with_pieces: bool) -> Arc<Features> {
    let pieces = with_pieces.then(|| FeatureSet::by_name("halfka_hm", None).unwrap());
    let sets = [FeatureSet::PawnPairs, FeatureSet::Threats(ThreatLayout::V16)].into_iter().chain(pieces);
    Arc::new(Features::new(sets).unwrap())
}

#[test]
fn inputs_of_networks_are_those_of_the_positions() {
    let folder = Folder::new("features");
    let files = folder.mixed();
    for (with_pieces, perspective) in [(false, Perspective::Board), (true, Perspective::Mover)] {
        let features = features(with_pieces);
        let make = |features| LoaderSettings { features, perspective, threads: 2, ..settings(&files) };
        let wanted = run(make(Some((features.clone(), RowOrder::Ascending))));
        assert_eq!(rows(&wanted), rows(&run(make(None))));
        let mut found = 0;
        for batch in &wanted {
            // Positions are turned, so that the side to move is White.
            let expected = features.narrow_rows(
                slider_attacks::Backend::active(),
                &batch.positions,
                ViewOrder::Colors,
                RowOrder::Ascending,
            );
            let expected = expected.unwrap();
            assert_eq!(matches!(expected[0], RowLists::Long(_)), with_pieces);
            found += expected[1].offsets()[batch.positions.len()];
            assert_eq!(batch.features, Some(expected.map(PooledValue::from)));
        }
        assert!(found > 1000, "{found}");
    }
}

/// The threads write the planes: of the positions as they are seen, in their order, of any number of threads.
#[test]
fn planes_are_those_of_the_positions() {
    let folder = Folder::new("planes");
    let paths = folder.mixed();
    let [maps, counts] = [Product::Maps, Product::Counts].map(|product| &product.columns()[0]);
    let columns = [
        PlaneColumn::Product(counts),
        PlaneColumn::Pieces(Color::Black, Piece::King),
        PlaneColumn::SideToMove,
        PlaneColumn::Castling(Color::White, true),
        PlaneColumn::Product(maps),
    ];
    for (perspective, some) in [(Perspective::Board, &columns[..]), (Perspective::Mover, &columns[1..])] {
        let planes = Some(PlaneSettings { columns: some.to_vec(), numbers: SquareValues::of_f32() });
        let plan = Plan::new([Product::Maps, Product::Counts]);
        let labels = Vec::new(); // results that are missing differ from each other
        let settings = LoaderSettings { plan, planes, perspective, labels, threads: 3, ..settings(&paths) };
        let found = run(settings.clone());
        assert_eq!(found, run(LoaderSettings { threads: 1, ..settings.clone() }));
        for batch in found {
            let Some(PlaneMemory::Four(planes)) = batch.planes.as_deref() else { panic!("floats have four bytes") };
            let [Values::Boards(attacks), _, Values::Numbers(attackers), _] = &batch.values[..] else {
                panic!("the columns of maps and counts")
            };
            assert_eq!(planes.len(), some.len() * batch.positions.len());
            for (row, planes) in planes.chunks(some.len()).enumerate() {
                let of_board = |board: u64| std::array::from_fn::<f32, 64, _>(|square| (board >> square & 1) as f32);
                let side = if batch.positions.side_to_move()[row] == Color::White { !0 } else { 0 };
                let (fen, kings) = (batch.positions.fen(row), batch.positions.pieces(Color::White, Piece::King));
                let east = |letter| {
                    letter == 'K' || (b'B' + kings[row].trailing_zeros() as u8 % 8..=b'H').contains(&(letter as u8))
                };
                let castles = if fen.split(' ').nth(2).unwrap().contains(east) { !0 } else { 0 };
                let king = batch.positions.pieces(Color::Black, Piece::King)[row];
                let mut expected = vec![attackers[row].map(f32::from)];
                expected.extend([king, side, castles, attacks[row]].map(of_board));
                let bits: Vec<_> = expected[5 - some.len()..].iter().map(|plane| plane.map(f32::to_bits)).collect();
                assert_eq!(planes, bits);
            }
        }
        let lacks = LoaderSettings { plan: Plan::new([Product::Pins]), ..settings };
        let error = Loader::new(lacks).unwrap_err().to_string();
        assert!(error.starts_with("the plan lacks the column white_attack"), "{error}");
    }
}

/// Where the indices of a batch are.
fn place(batch: &TrainingBatch) -> usize {
    match &*batch.features.as_ref().unwrap()[0] {
        RowLists::Short(rows) => rows.as_slice().as_ptr().addr(),
        RowLists::Long(rows) => rows.as_slice().as_ptr().addr(),
    }
}

#[test]
fn memory_of_batches_is_not_used_again_while_they_are_held() {
    let folder = Folder::new("memory");
    let file = folder.file("a.pgn", games(3000));
    let of = |features| LoaderSettings {
        features: Some((features, RowOrder::Found)),
        labels: vec![Label::Score],
        epochs: None,
        threads: 2,
        ..settings(std::slice::from_ref(&file))
    };
    let mut loader = Loader::new(of(features(false))).unwrap();
    let take = |loader: &mut Loader| next(loader).unwrap().unwrap();
    let held: Vec<TrainingBatch> = (0..5).map(|_| take(&mut loader)).collect();
    let copies = held.clone();
    let places: HashSet<usize> = (0..100).map(|_| place(&take(&mut loader))).collect();
    assert!(held.iter().all(|batch| !places.contains(&place(batch))));
    assert_eq!(held, copies);
    // What is held outlives the loader. Threads may drop it.
    drop(loader);
    thread::spawn(move || assert_eq!(held, copies)).join().unwrap();
}

#[test]
fn a_position_without_inputs_is_malformed() {
    let folder = Folder::new("no-inputs");
    let lines: String = (0..20).map(|row| format!("{} | {row} | 0.5\n", fen(row))).collect();
    let lines = lines.replacen("k6K/8", "k5PK/8", 7).replacen("k5PK", "k6K", 6); // the seventh
    let file = folder.file("a.epd", lines);
    let make = |on_error| LoaderSettings {
        features: Some((features(false), RowOrder::Found)),
        on_error,
        shuffle: 0,
        ..settings(std::slice::from_ref(&file))
    };
    let mut loader = Loader::new(make(OnError::Fail)).unwrap();
    assert_eq!(next(&mut loader).unwrap().unwrap().positions.len(), 6);
    let error = next(&mut loader).unwrap_err().to_string();
    assert!(error.contains("a.epd, line 7") && error.contains("a pawn on g8 has no threats and pairs"), "{error}");
    let mut loader = Loader::new(make(OnError::Skip)).unwrap();
    let scores: Vec<i32> = batches(&mut loader).iter().flat_map(|batch| batch.scores.clone().unwrap()).collect();
    assert_eq!(scores, (0..20).filter(|&score| score != 6).collect::<Vec<_>>());
    assert_eq!(loader.skipped().0, 1);
}

#[test]
fn positions_are_taken_with_their_chance() {
    let folder = Folder::new("keep");
    let files = folder.mixed();
    let make =
        |keep: &str| LoaderSettings { keep: Some(keep.parse().unwrap()), epochs: Some(2), seed: 5, ..settings(&files) };
    let all = rows(&run(LoaderSettings { epochs: Some(2), ..settings(&files) }));
    assert_eq!(rows(&run(make("1"))), rows(&run(LoaderSettings { seed: 5, epochs: Some(2), ..settings(&files) })));
    assert!(run(make("0")).is_empty());
    // Not for ever without a position.
    let mut loader = Loader::new(LoaderSettings { epochs: None, ..make("0.00000000000000000001") }).unwrap();
    assert!(next(&mut loader).unwrap_err().to_string().starts_with("keep took no position of the files"));
    let whole = run(make("0.3"));
    let taken = rows(&whole);
    let expected = all.len() as f64 * 0.3;
    assert!((taken.len() as f64 - expected).abs() < 4.0 * expected.sqrt(), "{} of {}", taken.len(), all.len());
    // Neither threads nor the buffer change what is taken, shards share it, and another seed takes others.
    assert_eq!(rows(&run(LoaderSettings { threads: 4, ..make("0.3") })), taken);
    assert_eq!(counts(&rows(&run(LoaderSettings { shuffle: 1, batch: 7, ..make("0.3") }))), counts(&taken));
    let shard = |number| rows(&run(LoaderSettings { shard: Shard { number, of: 2 }, ..make("0.3") }));
    assert_eq!(counts(&[shard(1), shard(2)].concat()), counts(&taken));
    assert_ne!(counts(&rows(&run(LoaderSettings { seed: 6, ..make("0.3") }))), counts(&taken));
    // A run goes on with what it would have taken.
    let mut loader = Loader::new(make("0.3")).unwrap();
    for done in 0..whole.len() {
        let mut resumed = Loader::new(LoaderSettings { threads: 3, ..make("0.3") }).unwrap();
        resumed.restore(&loader.state()).unwrap();
        assert_eq!(rows(&batches(&mut resumed)), rows(&whole[done..]), "{done} of {}", whole.len());
        next(&mut loader).unwrap();
    }
    // Chances are those of each position, and a condition is 1 or 0.
    let kept = run(make("if(turn = white, 1, 0) * count(kings)"));
    assert!(!kept.is_empty() && kept.iter().all(|batch| !batch.positions.side_to_move().contains(&Color::Black)));
    assert_eq!(rows(&run(make("white_to_move"))), rows(&kept));
    // A column may be no label.
    for label in [Label::Ply, Label::Score] {
        let keep = Some("if(ply >= 100, 1, 0)".parse().unwrap());
        let late = run(LoaderSettings { keep, labels: vec![label], ..settings(&files[2..3]) });
        assert_eq!(rows(&late).len(), 200);
    }
    let error = Loader::new(make("0.3")).unwrap().restore(&Loader::new(make("0.4")).unwrap().state()).unwrap_err();
    assert_eq!(error.to_string(), "the state is that of other settings");
    let mut loader = Loader::new(make("0.01 * scoer")).unwrap();
    let error = next(&mut loader).unwrap_err().to_string();
    assert!(error.contains("\"scoer\" for the condition"), "{error}");
}

/// An epoch without a chance is the last one, also where the random number alone would decide.
#[test]
fn no_chance_ends_after_an_epoch() {
    for keep in ["0.5 * if(score > 40000, 1, 0)", "0.000001 * if(score > 40000, 1, 0)", "0.5 * (score - score)"] {
        let settings = settings(&[PathBuf::from(DATA.to_owned() + "sample.binpack")]);
        let mut loader =
            Loader::new(LoaderSettings { keep: Some(keep.parse().unwrap()), epochs: None, ..settings }).unwrap();
        assert!(next(&mut loader).unwrap().is_none(), "{keep}");
    }
}

/// Records of a binpack are drawn before they become positions, with the same chances. What a condition leaves out is counted, and
/// what is not drawn is not.
#[test]
fn records_are_taken_with_their_chance() {
    let folder = Folder::new("draws");
    let file = folder.file("a.binpack", fs::read(DATA.to_owned() + "sample.binpack").unwrap().repeat(30));
    let make = |condition: &str, keep: Option<&str>| LoaderSettings {
        condition: Some(condition.parse().unwrap()),
        keep: keep.map(|keep| keep.parse().unwrap()),
        range_bytes: None,
        shuffle: 0,
        ..settings(std::slice::from_ref(&file))
    };
    let count = |settings: LoaderSettings| {
        let mut loader = Loader::new(settings).unwrap();
        batches(&mut loader);
        (loader.positions(), loader.left_out())
    };
    let keep = "if(score > 0, 0.5, 0.1) * if(count(occupied) > 29, 0.6, 1)";
    for (condition, chance) in [
        ("score > 0 and count(occupied) > 29", 0.3),
        ("score > 0 and count(occupied) <= 29", 0.5),
        ("score <= 0 and count(occupied) > 29 and not in_check", 0.06),
        ("score <= 0 and not count(occupied) > 29", 0.1),
    ] {
        let (all, left_out) = count(make(condition, None));
        let (taken, left_out_too) = count(make(condition, Some(keep)));
        let (expected, spread) = (all as f64 * chance, (all as f64 * chance * (1.0 - chance)).sqrt());
        assert!(spread > 10.0 && (taken as f64 - expected).abs() < 4.0 * spread, "{condition}: {taken} of {all}");
        // Those that are in check, after the draws.
        assert!(left_out_too == left_out || condition.contains("in_check") && left_out_too < left_out);
    }
    // Chances of 1 and 0 are a condition, also where they are products that may be negative or too large.
    for (keep, condition) in [
        ("result = \"1-0\"", "result = \"1-0\""),
        ("if(turn = white, 1, 0) * count(white_pawns)", "turn = white and white_pawns"),
        ("-2 * if(score > 0, -1, 1)", "score > 0"),
        ("if(ply < 21, 0, 1)", "fullmove > 11 or fullmove = 11 and turn = black"),
        ("ply < 21 or in_check", "fullmove < 11 or fullmove = 11 and turn = white or in_check"),
        (
            "if(fullmove > 8, 1, -1) * if(halfmove < 3, 5, -1) * 1",
            "fullmove > 8 and halfmove < 3 or fullmove <= 8 and halfmove >= 3",
        ),
        (
            "if((white_queens | black_queens) ^ black_queens, 1, 0) * if(move_captures, 1, 0)",
            "white_queens and move_captures",
        ),
    ] {
        assert!(rows(&run(make("true", Some(keep)))) == rows(&run(make(condition, None))), "{keep}");
    }
}

#[test]
fn tables_have_many_ranges() {
    let folder = Folder::new("tables");
    let quoted =
        |row: usize| if row.is_multiple_of(3) { format!("\"a\n{},7,1-0\n\"\"\"", fen(row)) } else { "b".to_owned() };
    let csv: String = (0..900).map(|row| format!("{},{row},0-1,{}\n", fen(row), quoted(row))).collect();
    let csv = folder.file("a.csv", format!("# \"\nfen,score,result,\"more,\"\n{csv}"));
    let json = (0..900).map(|row| format!("{{\"fen\": \"{}\", \"score\": {row}, \"result\": \"0-1\"}}\n", fen(row)));
    let json = folder.file("a.jsonl", json.collect::<String>());
    let make = |file| LoaderSettings { shuffle: 1, batch: 1000, ..settings(std::slice::from_ref(file)) };
    let in_order = rows(&run(LoaderSettings { shuffle: 0, ..make(&csv) }));
    assert_eq!(in_order.len(), 900);
    for file in [&csv, &json] {
        assert_eq!(rows(&run(LoaderSettings { shuffle: 0, ..make(file) })), in_order);
        let mut loader = Loader::new(make(file)).unwrap();
        let mixed = rows(&batches(&mut loader));
        assert_eq!(counts(&mixed), counts(&in_order));
        assert_ne!(mixed[..800], in_order[..800], "a buffer of one position does not mix this much");
        assert_eq!(loader.bytes_read(), fs::metadata(file).unwrap().len());
    }
    // Lines of errors are those of the file.
    for file in [&csv, &json] {
        let text = fs::read_to_string(file).unwrap();
        let text = text.replace(&fen(700), "nonsense");
        let line = text.lines().position(|line| line.contains("nonsense")).unwrap() + 1;
        fs::write(file, text).unwrap();
        let mut loader = Loader::new(LoaderSettings { on_error: OnError::Skip, ..make(file) }).unwrap();
        assert_eq!(batches(&mut loader).iter().map(|batch| batch.positions.len()).sum::<usize>(), 899);
        let (skipped, messages) = loader.skipped();
        assert!(skipped == 1 && messages[0].contains(&format!("line {line}, ")), "{messages:?}, {line}");
    }
}
