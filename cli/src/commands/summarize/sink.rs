//! The output of a summary.

use std::mem;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::Result;
use serde_json::Value;
use slider_attacks_arrow::Integers;
use slider_attacks_files::Inputs;
use slider_attacks_files::input::Shard;
use slider_attacks_files::ordered::Pool;
use slider_attacks_rows::format::{RowFormat, SummaryFormat, TextFormat};
use slider_attacks_rows::sums::groups::SummedGroups;
use slider_attacks_rows::sums::page::{Page, PageOrigin};
use slider_attacks_rows::sums::table::{ARRAYS, Totals};
use slider_attacks_rows::write::{Encoded, Output, WriteTarget};

use super::{KEY_SHARD, OPTIONS, SHARD};
use crate::args::SummarizeArgs;
use crate::progress::note;
use crate::report::day;
use crate::settings::Settings;
use crate::target::Target;

/// Opens the output file, or standard output. The files of NumPy arrays are opened when they are written.
///
/// # Errors
///
/// It cannot be opened.
pub fn open(
    args: &SummarizeArgs,
    format: SummaryFormat,
    settings: &Settings,
    pool: Arc<Pool>,
) -> Result<Option<Output<Target>>> {
    let target = || Target::open(args.output.as_deref(), format != SummaryFormat::Parquet);
    Ok(match format {
        SummaryFormat::Npy => None,
        SummaryFormat::Parquet => Some(Output::parquet(target()?, Integers::Signed, recorded(args, settings), pool)?),
        _ => Some(Output::Bytes(target()?)),
    })
}

/// The settings that Parquet records. By those, files of sums may be [merged](super::merge).
fn recorded(args: &SummarizeArgs, settings: &Settings) -> Vec<(&'static str, String)> {
    let shards = [(SHARD, args.read.shard), (KEY_SHARD, args.read.key_shard)];
    let shards = shards.into_iter().filter_map(|(name, shard)| Some((name, shard?)));
    let options = (OPTIONS, Value::Object(settings.of_rows()).to_string());
    let shards = shards.map(|(name, Shard { number, of })| (name, format!("{number}/{of}")));
    args.settings().into_iter().chain([options]).chain(shards).collect()
}

/// Writes the summary.
///
/// # Errors
///
/// It cannot be written, or has too many boards to draw.
pub fn write(
    groups: SummedGroups,
    args: &SummarizeArgs,
    format: SummaryFormat,
    inputs: &Inputs,
    output: Option<Output<Target>>,
) -> Result<()> {
    let Some(mut output) = output else {
        let directory = args.output.as_deref().expect("NumPy arrays have a directory");
        return write_arrays(&groups, directory);
    };
    let mut put = |encoded| output.write(encoded);
    let mut is_first = true;
    let mut put_rows = |format: RowFormat| {
        groups.for_each(&mut |totals| totals.write_rows(format, mem::take(&mut is_first), &mut put))
    };
    match format {
        SummaryFormat::Csv => put_rows(RowFormat::Text(TextFormat::csv(args.csv_safe)))?,
        SummaryFormat::Jsonl => put_rows(RowFormat::Text(TextFormat::Jsonl))?,
        SummaryFormat::Parquet | SummaryFormat::Npy => put_rows(RowFormat::Arrow)?,
        SummaryFormat::Table => {
            groups.for_each(&mut |totals| totals.write_tables(mem::take(&mut is_first), &mut put))?;
        }
        SummaryFormat::Svg => put(Encoded::Bytes(groups.totals()?.svg(args.theme)?.into_bytes()))?,
        SummaryFormat::Html => {
            let totals = groups.totals()?;
            let page = Page::of(&totals, args.theme, &PageOrigin { files: file_names(inputs), date: today() });
            put(Encoded::Bytes(page.html.into_bytes()))?;
            if page.left_out > 0 {
                let all = totals.keys.len();
                let shown = all - page.left_out;
                note(&format!("note: the page has the {shown} of {all} groups with the most positions"));
            }
        }
    }
    output.finish().map(drop)
}

/// Writes NumPy arrays.
fn write_arrays(groups: &SummedGroups, directory: &Path) -> Result<()> {
    let targets = ARRAYS.map(|name| Target::create(&directory.join(name)));
    let mut targets = targets.into_iter().collect::<Result<Vec<Target>>>()?;
    let mut put = |bytes: [&[u8]; 3]| targets.iter_mut().zip(bytes).try_for_each(|(target, bytes)| target.put(bytes));
    let (count, mut is_first) = (groups.count()?, true);
    groups.for_each(&mut |totals| {
        if is_first {
            put(totals.arrays_begin(count).each_ref().map(Vec::as_slice))?;
        }
        put(totals.arrays(mem::take(&mut is_first)).each_ref().map(Vec::as_slice))
    })?;
    put(Totals::arrays_end())?;
    Target::finish_all(targets)
}

/// The names of the files that were read, without their directories, which do not concern who gets the page.
fn file_names(inputs: &Inputs) -> Vec<String> {
    let name = |place| {
        let name = inputs.name_of(place);
        let file = Path::new(&name).file_name();
        file.map_or(name.clone(), |file| file.to_string_lossy().into_owned())
    };
    (0..inputs.count()).map(name).collect()
}

/// The day in UTC, or nothing if the clock is before 1970.
fn today() -> String {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or_else(|_| String::new(), day)
}
