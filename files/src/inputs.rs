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
