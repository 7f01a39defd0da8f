use std::ops::ControlFlow;
use std::sync::Arc;

use anyhow::{Result, ensure};
use slider_attacks_arrow::OnError;
use slider_attacks_games::records::{Outcome, bulletformat, marlinformat, viriformat};
use slider_attacks_games::{Board, Move};

use super::chunks::ChunkGatherer;
use super::*;
use crate::batch::{ReadLimits, Records};
use crate::content::BlockStart;
use crate::cut::{Cutter, READ, cut_in_parts};
use crate::request::RecordCondition;
use crate::source;
use crate::testing::{self, Random};

/// A binpack of one chunk.
const SAMPLE: &[u8] = include_bytes!("../../../tests/data/sample.binpack");

/// A game: its first position, its outcome, and its moves with their scores.
struct Game {
    board: Board,
    outcome: Outcome,
    moves: Vec<(Move, i16)>,
}

/// The games of the sample.
fn games_of_sample() -> Vec<Game> {
    let (mut positions, mut labels) = (Positions::new(), Labels::default());
    let mut reader = records::RecordReader::new(TrainingFormat::Binpack, SAMPLE);
    while reader.read(1_000, &mut positions, &mut labels).unwrap() > 0 {}
    let (mut games, mut next) = (Vec::<Game>::new(), None);
    for at in 0..positions.len() {
        let fen = format!("{} {} {}", positions.fen(at), labels.halfmoves[at], labels.numbers[at]);
        let board: Board = fen.parse().unwrap();
        if next.as_ref() != Some(&board) {
            games.push(Game { board: board.clone(), outcome: labels.outcomes[at], moves: Vec::new() });
        }
        games.last_mut().unwrap().moves.push((labels.moves[at], labels.scores[at]));
        next = Some(board);
        next.as_mut().unwrap().play(labels.moves[at]).unwrap();
    }
    assert!(games.len() > 10);
    games
}

/// The games in a format. Those of a binpack are many chunks, some of them empty.
fn encoded(format: TrainingFormat, games: &[Game]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (number, Game { board, outcome, moves }) in games.iter().enumerate() {
        match format {
            TrainingFormat::Viriformat => viriformat::write(board, *outcome, moves, &mut bytes).unwrap(),
            TrainingFormat::Binpack => {
                bytes.extend(if number % 3 > 0 { SAMPLE.to_vec() } else { chunk(&[]) });
            }
            _ => {
                let mut board = board.clone();
                for &(mv, score) in moves {
                    match format {
                        TrainingFormat::Bulletformat => {
                            bulletformat::write(&board, score, *outcome, &mut bytes).unwrap()
                        }
                        _ => marlinformat::write(&board, score, *outcome, &mut bytes).unwrap(),
                    }
                    board.play(mv).unwrap();
                }
            }
        }
    }
    bytes
}

/// A chunk that holds these chains.
fn chunk(chains: &[u8]) -> Vec<u8> {
    [MAGIC, &(chains.len() as u32).to_le_bytes()[..], chains].concat()
}

/// The source, which keeps these columns; all if there is none.
fn source(format: TrainingFormat, keep: &[&str]) -> Training {
    let all = columns(format).iter().filter(|(name, _)| keep.is_empty() || keep.contains(name));
    let (columns, kinds) = all.map(|&(name, kind)| (name.to_owned(), kind)).unzip();
    Training { format, columns, kinds, hidden: 0, rules: RecordRules::default() }
}

/// How the bytes come, and how they are cut.
#[derive(Clone, Copy, Debug)]
struct Ways {
    /// How many bytes come at a time.
    step: usize,
    /// How large a block is: in bytes, and in positions.
    size: usize,
    rows: usize,
    /// After this many positions, no other unit is begun.
    most: usize,
}

const USUAL: Ways = Ways { step: usize::MAX, size: 4_096, rows: ROWS, most: usize::MAX };

/// Passes the blocks of some bytes to `take`. Returns how many bytes were read.
fn blocks(
    source: &Training,
    bytes: &[u8],
    ways: Ways,
    mut take: impl FnMut(BlockStart, Content) -> Result<()>,
) -> (Result<()>, usize) {
    let size = ways.step.min(ways.size);
    let cut: Box<dyn Cut> = match source.format {
        TrainingFormat::Binpack => return chunks(bytes, ways.rows, ways.step.min(READ), &mut take),
        TrainingFormat::Viriformat => Box::new(WholeViriformatGames::default()),
        _ => Box::new(WholeRecords),
    };
    cut_in_parts(Cutter::new(cut, source.counts()), 1.into(), bytes, size, &mut take)
}

/// Passes the blocks of the chunks of a binpack to `take`. Returns how many bytes were read.
fn chunks(
    bytes: &[u8],
    rows: usize,
    step: usize,
    take: &mut dyn FnMut(BlockStart, Content) -> Result<()>,
) -> (Result<()>, usize) {
    let (mut chunks, mut count) = (BinpackChunks::new(rows), 0);
    let mut sink = |start, content| take(start, content).map_or_else(ControlFlow::Break, ControlFlow::Continue);
    for (part, is_last) in bytes.chunks(step).map(|part| (part, false)).chain([(&b""[..], true)]) {
        count += part.len();
        if let ControlFlow::Break(error) = chunks.push(part, is_last, &mut sink) {
            return (Err(error), count);
        }
    }
    (Ok(()), count)
}

/// Where blocks begin, and what they hold.
type CutMethod = Vec<(BlockStart, Content)>;

/// The blocks of the chunks of a binpack, which comes this many bytes at a time, and those of the chunks that `gathers` says whether to
/// gather before. Returns also how many of these hold positions that are yet to be decoded.
fn blocks_of_chunks(bytes: &[u8], rows: usize, step: usize, mut gathers: Option<&mut Random>) -> (CutMethod, usize) {
    blocks_with_condition(bytes, BinpackChunks::new(rows), step, &mut gathers)
}

/// The same, perhaps with a condition.
fn blocks_with_condition(
    bytes: &[u8],
    mut chunks: BinpackChunks,
    step: usize,
    gathers: &mut Option<&mut Random>,
) -> (CutMethod, usize) {
    let (mut blocks, mut undecoded) = (Vec::new(), 0);
    let (mut gatherer, mut parts) = (ChunkGatherer::default(), bytes.chunks(step));
    let mut sink = |start, content| {
        blocks.push((start, content));
        ControlFlow::<()>::Continue(())
    };
    if let Some(random) = gathers {
        assert!(chunks.push(&[], false, &mut sink).is_continue());
        while parts.next().is_some_and(|part| gatherer.push(part)) {
            let most = random.below(4) << 20;
            if let Some(whole) = gatherer.take(&mut chunks, random.below(2) == 0, most) {
                let memory = whole.memory();
                let found = whole.blocks();
                let size = |(_, content): &(BlockStart, Content)| {
                    let Content::Labelled(labelled) = content else { panic!("it is a block of a binpack") };
                    let count = labelled.positions.len();
                    let is_decoded = labelled.undecoded.is_none();
                    assert!(labelled.read.is_some() || count == 0 && !is_decoded);
                    (
                        usize::from(!is_decoded),
                        size_of::<(BlockStart, Content)>() + size_of_val(&**labelled) + 150 * count,
                    )
                };
                assert!(found.iter().map(|block| size(block).1).sum::<usize>() <= memory);
                undecoded += found.iter().map(|block| size(block).0).sum::<usize>();
                found.into_iter().for_each(|(start, content)| assert!(sink(start, content).is_continue()));
            }
        }
        if let Some(whole) = gatherer.take(&mut chunks, true, 0) {
            let found = whole.blocks();
            undecoded += found.len();
            found.into_iter().for_each(|(start, content)| assert!(sink(start, content).is_continue()));
        }
        assert!(gatherer.push_rest(&mut chunks, &mut sink).is_continue());
    }
    for (part, is_last) in parts.map(|part| (part, false)).chain([(&b""[..], true)]) {
        assert!(chunks.push(part, is_last, &mut sink).is_continue());
    }
    (blocks, undecoded)
}

/// Whatever a binpack holds, and however it comes, gathered chunks give the same blocks.
#[test]
fn gathered_chunks_give_the_same_blocks() {
    let (source, mut random) = (source(TrainingFormat::Binpack, &[]), Random(11));
    let stem = &SAMPLE[HEADER..HEADER + 32];
    let (mut undecoded, mut wrong) = (0, 0);
    for round in 0..200 {
        let mut bytes = Vec::new();
        for _ in 0..random.below(8) {
            let mut part = match random.below(10) {
                0 => chunk(&[]),
                1 => chunk(&[stem, &[0; 2]].concat().repeat(random.below(300))),
                2 => chunk(&SAMPLE[HEADER..].repeat(1 + random.below(30))),
                3 => chunk(&[stem, &[255; 1_000]].concat()),
                4 => chunk(&vec![0; random.below(100)]),
                _ => SAMPLE.to_vec(),
            };
            for _ in 0..[0, 0, 1, 5][random.below(4)] {
                let at = HEADER.min(part.len() - 1) + random.below(part.len().saturating_sub(HEADER).max(1));
                part[at] = [random.below(256) as u8, 0, part[at] ^ 1 << random.below(8)][random.below(3)];
            }
            bytes.extend(part);
        }
        if round % 3 == 0 && !bytes.is_empty() {
            // Headers are wrong, or bytes are missing.
            let at = random.below(bytes.len());
            let header = bytes[at..].windows(4).position(|found| found == MAGIC).map_or(at, |next| at + next);
            match random.below(4) {
                0 => bytes.truncate(at),
                1 => bytes.insert(header, 0),
                2 => bytes[header] ^= 1,
                _ => bytes.iter_mut().skip(header + 4 + random.below(4)).take(1).for_each(|byte| *byte ^= 1),
            }
        }
        let (step, rows) = ([1 + random.below(5_000), READ][round % 2], 1 + random.below(600));
        let (expected, _) = blocks_of_chunks(&bytes, rows, step, None);
        let (found, some) = blocks_of_chunks(&bytes, rows, step, Some(&mut random));
        assert_eq!(found.len(), expected.len(), "{round}");
        for ((start, content), (expected_start, expected)) in found.iter().zip(&expected) {
            assert_eq!(start, expected_start);
            for (on_error, limit) in [(OnError::Null, usize::MAX), (OnError::Fail, 1 + random.below(rows))] {
                let found = parse(&source, *start, content, on_error, limit);
                let expected = parse(&source, *start, expected, on_error, limit);
                assert_eq!(found.values(), expected.values(), "{round}");
                wrong += found.skipped.len() + found.nulls.len();
            }
        }
        undecoded += some;
    }
    assert!(undecoded > 1_000 && wrong > 50, "{undecoded}, {wrong}");
}

/// From where a block begins on, the same positions come, whatever the bytes are and however they come.
#[test]
fn a_binpack_is_entered_where_a_block_begins() {
    let (source, mut random) = (source(TrainingFormat::Binpack, &["score"]), Random(8));
    let stem = &SAMPLE[HEADER..HEADER + 32];
    let mut wrong = chunk(&SAMPLE[HEADER..].repeat(10));
    let at = wrong.len() / 2;
    wrong[at..at + 100].fill(255);
    let short = chunk(&[stem, &[0; 2]].concat().repeat(50));
    let bytes = [SAMPLE, &short, &wrong, &chunk(&SAMPLE[HEADER..].repeat(9)), b"x", SAMPLE].concat();
    let all = |blocks: &[(BlockStart, Content)]| -> Vec<String> {
        let parsed = blocks.iter().map(|(start, content)| {
            let (rows, messages) = rows_and_messages(&parse(&source, *start, content, OnError::Skip, usize::MAX));
            [rows, messages].concat()
        });
        parsed.flatten().collect()
    };
    let mut within = 0;
    for _ in 0..10 {
        let (rows, step) = (1 + random.below(300), 1 + random.below(20_000));
        let (expected, _) = blocks_of_chunks(&bytes, rows, step, None);
        for _ in 0..20 {
            let from = random.below(expected.len());
            let Content::Labelled(labelled) = &expected[from].1 else { panic!("it is a block of a binpack") };
            let Some(place) = labelled.place else { continue };
            within += usize::from(place.records > 0);
            let chunks = BinpackChunks::new(1 + random.below(300)).at_chain(place);
            let step = 1 + random.below(20_000);
            let (found, _) = blocks_with_condition(&bytes[place.byte as usize..], chunks, step, &mut None);
            assert!(all(&found) == all(&expected[from..]), "{place:?}");
        }
    }
    assert!(within > 50, "{within}");
}

/// The score is positive.
#[derive(Debug)]
struct WhiteIsAhead;

impl RecordCondition for WhiteIsAhead {
    fn holds(&self, record: &RecordLabels<'_>) -> bool {
        record.score > 0
    }
}

fn ahead() -> RecordRules {
    RecordRules { condition: Some(Arc::new(WhiteIsAhead)), draws: None }
}

/// Records are left out when they are decoded, before blocks are parsed or then: that makes no difference, whatever the limit.
#[test]
fn records_are_left_out_when_they_are_decoded() {
    let all = source(TrainingFormat::Binpack, &[]);
    let (source, mut random) = (Training { rules: ahead(), ..source(all.format, &[]) }, Random(3));
    let mut wrong = chunk(&SAMPLE[HEADER..].repeat(20));
    let at = wrong.len() - 1_000;
    wrong[at..at + 100].fill(255);
    let bytes = [&chunk(&SAMPLE[HEADER..].repeat(60))[..], SAMPLE, &wrong, SAMPLE].concat();
    let (mut left_out, mut later) = (0, 0);
    for rows in [1 + random.below(300), 4_096] {
        let chunks = || BinpackChunks::new(rows).with_rules(source.rules.clone());
        let (expected, _) = blocks_of_chunks(&bytes, rows, READ, None);
        let (pushed, _) = blocks_with_condition(&bytes, chunks(), READ, &mut None);
        let (gathered, undecoded) = blocks_with_condition(&bytes, chunks(), READ, &mut Some(&mut random));
        assert_eq!((pushed.len(), gathered.len()), (expected.len(), expected.len()));
        for (((start, content), pushed), gathered) in expected.iter().zip(&pushed).zip(&gathered) {
            assert_eq!((&pushed.0, &gathered.0), (start, start));
            let every = parse(&all, *start, content, OnError::Skip, usize::MAX);
            let KeptColumn::Numbers(scores) = &every.kept[0] else { panic!("they are numbers") };
            let kept: Vec<usize> = (0..every.numbers.len()).filter(|&row| scores.get(row) > Some(0)).collect();
            for limit in [usize::MAX, kept.len(), random.below(kept.len() + 1)] {
                let [one, other] =
                    [pushed, gathered].map(|block| parse(&source, *start, &block.1, OnError::Skip, limit));
                assert!(one.values() == other.values() && one.left_out == other.left_out, "{limit}");
                let count = kept.len().min(limit);
                let read =
                    if count < limit { every.numbers.len() } else { kept[..count].last().map_or(0, |row| row + 1) };
                assert_eq!((one.numbers.len(), one.left_out), (count, read - count), "{limit}");
                let fens = |records: &Records, row| records.positions.fen(row);
                assert!(kept[..count].iter().zip(0..).all(|(&of, row)| fens(&every, of) == fens(&one, row)));
                left_out += one.left_out;
            }
        }
        later += undecoded;
    }
    assert!(left_out > 10_000 && later > 10, "{left_out}, {later}");
}

/// Chunks that are too large are not gathered, and neither is anything after them.
#[test]
fn large_chunks_are_not_gathered() {
    let large = chunk(&vec![0; (4 << 20) + 1]);
    let (mut gatherer, mut chunks) = (ChunkGatherer::default(), BinpackChunks::new(ROWS));
    assert!(gatherer.push(SAMPLE) && !gatherer.push(&large[..10]));
    assert!(gatherer.take(&mut chunks, false, 0).is_none());
    assert_eq!(gatherer.take(&mut chunks, true, 0).unwrap().blocks().len(), 2);
    assert!(gatherer.take(&mut chunks, true, 0).is_none());
    let bytes = [SAMPLE, &large, SAMPLE].concat();
    let numbers = |(blocks, _): (CutMethod, usize)| blocks.iter().map(|(start, _)| start.number).collect::<Vec<_>>();
    let expected = numbers(blocks_of_chunks(&bytes, ROWS, READ, None));
    assert!(numbers(blocks_of_chunks(&bytes, ROWS, READ, Some(&mut Random(1)))) == expected);
}

/// What a block has: at most this many positions.
fn parse(source: &Training, start: BlockStart, content: &Content, on_error: OnError, limit: usize) -> Records {
    let all = (start, content);
    let (records, _) = source::parse(source, all, (0, 0), ReadLimits::all(limit), on_error, Positions::new());
    let rows = records.numbers.len();
    assert!(rows <= limit && records.positions.len() == rows && records.kept.len() == source.columns.len());
    records
}

/// The rows and the messages of some records.
type RowsAndMessages = (Vec<String>, Vec<String>);

/// The same as in other formats, and what ends the run.
fn rows_and_messages(records: &Records) -> RowsAndMessages {
    let (rows, mut messages) = testing::rows_and_messages(records);
    messages.extend(records.failure.iter().map(testing::message));
    (rows, messages)
}

/// What all blocks of some bytes have.
fn read(source: &Training, bytes: &[u8], ways: Ways, on_error: OnError) -> RowsAndMessages {
    let (mut rows, mut messages) = (Vec::new(), Vec::new());
    let (done, count) = blocks(source, bytes, ways, |start, content| {
        let mut next = Some((0, 0));
        while let Some(from) = next {
            let (found, most) = (&mut Records::default(), ReadLimits { limit: usize::MAX, enough: ways.most });
            (*found, next) = source::parse(source, (start, &content), from, most, on_error, Positions::new());
            let (more_rows, more_messages) = rows_and_messages(found);
            rows.extend(more_rows);
            messages.extend(more_messages);
        }
        Ok(())
    });
    done.unwrap();
    assert_eq!(count, bytes.len());
    (rows, messages)
}

/// What the games crate reads from all bytes: rows without numbers, and messages.
fn expected(format: TrainingFormat, bytes: &[u8]) -> RowsAndMessages {
    let (mut positions, mut labels, mut messages) = (Positions::new(), Labels::default(), Vec::new());
    let mut reader = records::RecordReader::new(format, bytes);
    loop {
        match reader.read(100, &mut positions, &mut labels) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) => messages.push(format!("{}: {}", error.record, error.problem)),
        }
    }
    let row = |at: usize| {
        let result = match labels.outcomes[at] {
            Outcome::White => "1-0",
            Outcome::Draw => "1/2-1/2",
            Outcome::Black => "0-1",
        };
        let mut row = format!("{} | {} | {result} | {0}", positions.fen(at), labels.scores[at]);
        if format != TrainingFormat::Bulletformat {
            row += &format!(" | {} | {}", labels.halfmoves[at], labels.numbers[at]);
        }
        if !has_fixed_size(format) {
            row += &format!(" | {} | {}", labels.moves[at].encode_uci(&mut [0; 5]), labels.moves[at].bits());
        }
        row
    };
    ((0..positions.len()).map(row).collect(), messages)
}

/// Whatever the bytes are, and however they come and are cut, they give what the games crate reads from all of them.
#[test]
fn blocks_give_what_all_bytes_give() {
    let (games, mut random) = (games_of_sample(), Random(5));
    for format in TrainingFormat::ALL {
        let (source, whole) = (source(format, &[]), encoded(format, &games));
        let mut wrong = 0;
        for round in 0..if format == TrainingFormat::Binpack { 20 } else { 60 } {
            let mut bytes = whole.clone();
            bytes.truncate(bytes.len() - round % 4 * random.below(300));
            for _ in 0..[0, 1, 20][round % 3] {
                // The sizes of chunks stay: what is wrong in them is said below.
                let at = random.below(bytes.len());
                let is_header = (at.saturating_sub(8)..at + 1).any(|at| bytes[at..].starts_with(MAGIC));
                if format != TrainingFormat::Binpack || !is_header {
                    bytes[at] = [random.below(256) as u8, 0, bytes[at] ^ 1 << random.below(8)][random.below(3)];
                }
            }
            let ways = Ways {
                step: 1 + random.below(5_000),
                size: 1 + random.below(20_000),
                rows: 1 + random.below(600),
                most: [usize::MAX, 1 + random.below(60)][round % 2],
            };
            let (expected_rows, expected_messages) = expected(format, &bytes);
            let (rows, messages) = read(&source, &bytes, ways, OnError::Skip);
            assert_eq!(messages, expected_messages, "{format:?}, {ways:?}");
            let rows: Vec<&str> = rows.iter().map(|row| row.split_once(' ').unwrap().1).collect();
            assert!(rows == expected_rows, "{format:?}, {ways:?}");
            wrong += messages.len();
            // Rows of their own for what is wrong are where it is.
            let (with_nulls, reasons) = read(&source, &bytes, ways, OnError::Report);
            let (nulls, others): (Vec<_>, Vec<_>) = with_nulls.iter().partition(|row| row.contains("null | - | - | -"));
            assert!(others.iter().map(|row| row.split_once(' ').unwrap().1).eq(rows), "{format:?}, {ways:?}");
            let numbers = |texts: Vec<&String>| -> Vec<u64> {
                texts.iter().map(|text| text.split([' ', ':']).next().unwrap().parse().unwrap()).collect()
            };
            assert_eq!(numbers(nulls), numbers(reasons.iter().collect()), "{format:?}, {ways:?}");
            assert!(numbers(with_nulls.iter().collect()).is_sorted(), "{format:?}, {ways:?}");
        }
        assert!(wrong > 50, "{format:?}: {wrong}");
    }
}

#[test]
fn units_are_counted() {
    let games = games_of_sample();
    let plies = || games.iter().map(|game| game.moves.len());
    let sum: usize = plies().sum();
    let numbers = |format, ways| -> Vec<usize> {
        let (rows, messages) = read(&source(format, &["score"]), &encoded(format, &games), ways, OnError::Fail);
        assert_eq!(messages, [""; 0]);
        rows.iter().map(|row| row.split_once(' ').unwrap().0.parse().unwrap()).collect()
    };
    for ways in [USUAL, Ways { step: 7, size: 1, rows: 3, most: 2 }] {
        for format in [TrainingFormat::Bulletformat, TrainingFormat::Marlinformat] {
            assert!(numbers(format, ways).into_iter().eq(1..=sum));
        }
        let of_games = plies().zip(1..).flat_map(|(plies, number)| iter::repeat_n(number, plies));
        assert!(numbers(TrainingFormat::Viriformat, ways).into_iter().eq(of_games));
        let of_chunks = (0..games.len()).filter(|at| at % 3 > 0).flat_map(|at| iter::repeat_n(at + 1, sum));
        assert!(numbers(TrainingFormat::Binpack, ways).into_iter().eq(of_chunks));
    }
}

#[test]
fn a_limit_gives_the_first_rows_and_reads_no_more() {
    let games = games_of_sample();
    for format in TrainingFormat::ALL {
        let (source, mut bytes) = (source(format, &[]), encoded(format, &games));
        let at = bytes.len() / 2;
        bytes[at..at + 200].fill(0);
        let whole = read(&source, &bytes, USUAL, OnError::Null).0;
        for limit in [0, 1, 100, 513, whole.len() - 1, whole.len(), whole.len() + 1] {
            let mut rows = Vec::new();
            let (done, count) = blocks(&source, &bytes, Ways { step: 512, ..USUAL }, |start, content| {
                rows.extend(rows_and_messages(&parse(&source, start, &content, OnError::Null, limit - rows.len())).0);
                ensure!(rows.len() < limit, "enough");
                Ok(())
            });
            assert!(rows == whole[..limit.min(whole.len())], "{format:?}, {limit}");
            assert_eq!(done.is_err(), limit <= whole.len());
            assert!(limit > 1 || count < 10_000, "{format:?}: {count} bytes");
        }
    }
}

/// Knights go out and back, so often.
fn long_game(rounds: usize) -> Vec<u8> {
    let board: Board = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".parse().unwrap();
    let mut moves = Vec::new();
    let mut after = board.clone();
    for text in ["g1f3", "g8f6", "f3g1", "f6g8"] {
        moves.push((after.play_text(text.as_bytes()).unwrap(), 7));
    }
    let mut bytes = Vec::new();
    viriformat::write(&board, Outcome::Draw, &moves.repeat(rounds), &mut bytes).unwrap();
    bytes
}

#[test]
fn games_that_are_too_long() {
    let source = source(TrainingFormat::Viriformat, &["next_uci"]);
    let short = long_game(1);
    let most = MAX_POSITIONS / 4;
    for ways in [USUAL, Ways { step: 999, ..USUAL }, Ways { size: 4 << 20, ..USUAL }, Ways { most: 1, ..USUAL }] {
        for (long, count, message) in [
            (long_game(most), MAX_POSITIONS, None),
            (long_game(most + 1), MAX_POSITIONS, Some("2: length: expected at most 8192 positions, found more")),
            (long_game(66_000), 0, Some("2: length: expected at most 1048576 bytes, found more")),
            (long_game(200_000), 0, Some("2: length: expected at most 1048576 bytes, found more")),
        ] {
            let bytes = [&short[..], &long, &short].concat();
            let (rows, messages) = read(&source, &bytes, ways, OnError::Skip);
            assert_eq!((rows.len(), messages), (count + 8, message.iter().map(|&text| text.to_owned()).collect()));
            assert!(rows[0].starts_with("1 ") && rows[count + 4].starts_with("3 "), "{ways:?}");
            let (rows, _) = read(&source, &bytes, ways, OnError::Null);
            assert_eq!(rows.len(), count + 8 + usize::from(message.is_some()));
        }
    }
    // Without an end.
    let cut_off = &long_game(most)[..RECORD + MOVE * MAX_POSITIONS];
    let (rows, messages) = read(&source, cut_off, USUAL, OnError::Skip);
    assert_eq!((rows.len(), messages), (MAX_POSITIONS, vec!["1: expected more bytes, found the end".to_owned()]));
    let endless = &long_game(70_000)[..RECORD + 4 * 270_000];
    let (rows, messages) = read(&source, endless, USUAL, OnError::Skip);
    assert_eq!((rows.len(), messages.len()), (0, 1));
}

#[test]
fn what_is_no_chunk_is_passed_over() {
    let source = source(TrainingFormat::Binpack, &["score"]);
    let (positions, _) = expected(TrainingFormat::Binpack, SAMPLE);
    let of = positions.len();
    let sized = |size: u32| [MAGIC, &size.to_le_bytes()[..], &SAMPLE[HEADER..]].concat();
    let larger = (SAMPLE.len() - HEADER + 1) as u32;
    let no_chunk = "expected a chunk, which begins with BINP";
    let no_end = "expected more bytes, found the end";
    let size = |size: u32| format!("expected a chunk that fits in the bytes and in 100 MiB, found {size} bytes");
    for (bytes, rows, messages) in [
        (vec![], 0, vec![]),
        (b"B".to_vec(), 0, vec![format!("1: {no_chunk}")]),
        (b"BINP\0\0".to_vec(), 0, vec![format!("1: {no_end}")]),
        (chunk(&[]), 0, vec![]),
        (
            [b"BINBINBIN", SAMPLE, b"BINBIN", SAMPLE, b"\0"].concat(),
            2 * of,
            [1, 3, 5].map(|at| format!("{at}: {no_chunk}")).into(),
        ),
        ([&[0; 100_000], SAMPLE].concat(), of, vec![format!("1: {no_chunk}")]),
        ([&sized((100 << 20) + 1), SAMPLE].concat(), of, vec![format!("1: {}", size((100 << 20) + 1))]),
        (sized(larger), of, vec![format!("1: {}", size(larger))]),
        (sized(100 << 20), of, vec![format!("1: {}", size(100 << 20))]),
        (SAMPLE[..8].to_vec(), 0, vec![format!("1: {}", size(larger - 1))]),
        (chunk(&[0; 33]), 0, vec![format!("1: {no_end}")]),
        ([chunk(&[0; 100_000]), SAMPLE.to_vec()].concat(), of, vec!["1: expected one white king, found 0".to_owned()]),
    ] {
        for step in [1, 5, 1_000, usize::MAX] {
            let (found, found_messages) = read(&source, &bytes, Ways { step, ..USUAL }, OnError::Skip);
            assert_eq!((found.len(), &found_messages), (rows, &messages), "{step}");
        }
    }
}

/// A chunk that claims more bytes than come, and a chain that claims more moves, take no memory for them: what was read is
/// handed over or passed over.
#[test]
fn what_is_read_is_not_kept() {
    let source = source(TrainingFormat::Binpack, &[]);
    let game = &SAMPLE[HEADER..];
    let many = chunk(&game.repeat(2_000));
    let (mut last, mut most) = (0, 0);
    let (mut chunks, mut count) = (BinpackChunks::new(ROWS), 0);
    for (number, part) in many.chunks(READ).enumerate() {
        let mut sink = |start, content| {
            count += parse(&source, start, &content, OnError::Fail, usize::MAX).numbers.len();
            most = most.max(number - last);
            last = number;
            ControlFlow::<()>::Continue(())
        };
        assert!(chunks.push(part, false, &mut sink).is_continue());
    }
    assert!(chunks.push(&[], true, &mut |_, _| ControlFlow::<()>::Continue(())).is_continue());
    assert!(most <= 1, "{most} parts at a time");
    assert_eq!(count, 2_000 * expected(TrainingFormat::Binpack, SAMPLE).0.len());
}
