//! The inputs of a run, in their order.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use slider_attacks_formats::request::Wanted;

use crate::advice::Advice;
use crate::counter::ByteCounter;
use crate::file::PathKind;
use crate::input::{Input, InputPlace, cannot, check_is_readable, is_remote};
use crate::ordered::Pool;
use crate::sources::{self, TakeBlock};

/// The inputs of a run, in their order. There is at least one.
#[derive(Debug)]
pub struct Inputs {
    inputs: Vec<Input>,
    /// How far they have been read. The number of all bytes is known if that of each file is.
    pub counter: ByteCounter,
    /// The advice in messages.
    pub advice: Advice,
    /// Threads that may decompress large files. Another thread must read, because it waits for them.
    pub pool: Option<Arc<Pool>>,
    /// Whoever takes the blocks fetches and cuts them, so that they must begin to load in their order.
    pub loads_later: bool,
}

impl Inputs {
    /// Files, where `-` is standard input, or the sample if there are none. Checks that all can be opened, so that a wrong name
    /// is found before hours of work on the files before it.
    ///
    /// # Errors
    ///
    /// A file cannot be opened, or is a directory, or standard input is named twice.
    pub fn new(files: &[PathBuf], sample: &'static str) -> Result<Inputs> {
        Inputs::of((0..).zip(files).map(|(index, path)| Input::new(path, index)).collect(), sample)
    }

    /// The same for inputs that were found already.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Inputs::new).
    pub fn of(mut inputs: Vec<Input>, sample: &'static str) -> Result<Inputs> {
        if inputs.is_empty() {
            inputs.push(Input::sample(sample));
        }
        check_stdin(&inputs)?;
        let lengths = inputs.iter().map(length).collect::<Result<Vec<_>>>()?;
        Ok(Inputs::with(inputs, lengths.into_iter().sum()))
    }

    /// The same for a caller that continues after unreadable files: inputs that cannot be opened fail when they are read.
    ///
    /// # Errors
    ///
    /// Standard input is named twice.
    pub fn unchecked(inputs: Vec<Input>) -> Result<Inputs> {
        check_stdin(&inputs)?;
        // Of one that cannot be opened, nothing is read.
        let total = inputs.iter().map(|input| length(input).unwrap_or(Some(0))).sum();
        Ok(Inputs::with(inputs, total))
    }

    fn with(inputs: Vec<Input>, total: Option<u64>) -> Inputs {
        let counter = ByteCounter::new(total.filter(|&sum| sum > 0));
        Inputs { inputs, counter, advice: Advice::default(), pool: None, loads_later: false }
    }

    /// The name of the inputs in messages.
    pub fn name(&self) -> String {
        match self.inputs.as_slice() {
            [input] => input.display_name(),
            inputs => format!("{} files", inputs.len()),
        }
    }

    /// Whether standard input is one of them.
    pub fn has_stdin(&self) -> bool {
        self.inputs.iter().any(Input::is_stdin)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.inputs.len()
    }

    /// One of them, by its place.
    pub fn get(&self, place: usize) -> Option<&Input> {
        self.inputs.get(place)
    }

    /// The name of one of them in messages.
    ///
    /// # Panics
    ///
    /// If there is no such input.
    pub fn name_of(&self, place: usize) -> String {
        self.inputs[place].display_name()
    }

    /// Passes all blocks to `take`, in order, until it breaks. Every input has at least one block, even if it is empty.
    ///
    /// # Errors
    ///
    /// Those of [`sources::read`].
    pub fn read(&self, wanted: &Wanted, take: TakeBlock<'_>) -> Result<()> {
        for place in 0..self.count() {
            if self.read_one(place, wanted, take)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The same for one of the inputs. Returns whether `take` needs more.
    ///
    /// # Errors
    ///
    /// Those of [`sources::read`].
    ///
    /// # Panics
    ///
    /// If there is no such input.
    pub fn read_one(&self, place: usize, wanted: &Wanted, take: TakeBlock<'_>) -> Result<ControlFlow<()>> {
        let Inputs { inputs, counter, advice, pool, loads_later } = self;
        sources::read(&inputs[place], counter, wanted, advice, pool.as_ref(), *loads_later, take)
    }
}

/// Checks that standard input is not read twice.
fn check_stdin(inputs: &[Input]) -> Result<()> {
    if inputs.iter().filter(|input| input.is_stdin()).count() > 1 {
        bail!("standard input can be read only once: only one FILE can be -");
    }
    Ok(())
}

/// How many bytes an input has, if that is known. Fails if it cannot be opened.
fn length(input: &Input) -> Result<Option<u64>> {
    let path = match &input.place {
        InputPlace::File(path) => path,
        InputPlace::Sample(text) => return Ok(Some(text.len() as u64)),
        InputPlace::Stream(stream) => return Ok(stream.length()),
        InputPlace::Stdin => return Ok(None),
    };
    if let Some(part) = &input.part {
        return Ok(Some(part.end - part.start));
    }
    if input.listed.is_some() {
        return Ok(input.listed);
    }
    check_is_readable(path)?;
    match PathKind::of(path).with_context(|| cannot("open", path))? {
        PathKind::Directory => bail!("{}: it is a directory", cannot("read", path)),
        // To open a pipe would wait for whoever writes to it.
        PathKind::Stream => Ok(None),
        PathKind::File(length) => {
            if !is_remote(path) {
                File::open(path).with_context(|| cannot("open", path))?;
            }
            Ok(Some(length))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow::Continue;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use slider_attacks::Backend;
    use slider_attacks::analysis::KeyKind;
    use slider_attacks::position::Positions;
    use slider_attacks_arrow::OnError;

    use super::*;
    use crate::block::{Block, ReadLimits};
    use crate::input::Stream;
    use crate::keys::{KeyFilter, KeySelection, RowConditions};

    /// Two blocks with the same position, which is taken once.
    fn repeated() -> [Block; 2] {
        let selection = KeySelection::new(Some(KeyKind::Position), None, None, "");
        let filter = KeyFilter::new(RowConditions::default(), selection, Backend::active(), OnError::Fail).unwrap();
        let text = "4k3/8/8/8/8/8/8/4K3 w - -\n";
        let input = |index| Input::stream(Stream::new("x", text.as_bytes()), index);
        let wanted = Wanted { column: "fen".to_owned(), ..Wanted::default() };
        let mut blocks = Vec::new();
        let read = Inputs::of([0, 1].map(input).into(), "").unwrap().read(&wanted, &mut |mut block| {
            block.filter = Some(filter.block(blocks.len() as u64));
            blocks.push(block);
            Ok(Continue(()))
        });
        read.unwrap();
        blocks.try_into().unwrap()
    }

    /// How many of the next positions of a block are taken. `None` if it is pending.
    fn taken(block: &mut Block) -> Result<Option<usize>> {
        let records = block.next(ReadLimits::all(usize::MAX), OnError::Fail, Positions::new())?;
        Ok(records.map(|records| records.selected_rows().len()))
    }

    #[test]
    fn a_pending_block_goes_on_when_the_one_before_is_decided_or_lost() {
        let pool = Arc::new(Pool::new(1).unwrap());
        for is_lost in [false, true] {
            let [mut first, mut second] = repeated();
            second.suspends = true;
            assert_eq!(taken(&mut second).unwrap(), None);
            assert!(second.is_pending() && second.time_to_pending > Duration::ZERO);
            let (sender, result) = channel();
            second.when_decided(&pool, move |mut block| sender.send(taken(&mut block)).unwrap());
            assert!(result.try_recv().is_err());
            if !is_lost {
                assert_eq!(taken(&mut first).unwrap(), Some(1));
            }
            drop(first);
            match result.recv().unwrap() {
                Ok(count) => assert_eq!((is_lost, count), (false, Some(0))),
                Err(error) => {
                    assert_eq!(
                        (is_lost, error.to_string().as_str()),
                        (true, "positions before these could not be read")
                    );
                }
            }
        }
    }
}
