//! The output of a summary.

use std::path::Path;
use std::time::SystemTime;

use anyhow::Result;
use slider_attacks_arrow::Integers;
use slider_attacks_files::Inputs;
use slider_attacks_rows::format::{RowFormat, SummaryFormat, TextFormat};
use slider_attacks_rows::pipeline::Pipeline;
use slider_attacks_rows::sums::page::{Page, PageOrigin};
use slider_attacks_rows::sums::table::Totals;
use slider_attacks_rows::write::{Encoded, Output, WriteTarget};

use crate::args::SummarizeArgs;
use crate::progress::note;
use crate::report::day;
use crate::target::Target;

/// Opens the output file, or standard output. The files of NumPy arrays are opened when they are written.
///
/// # Errors
///
/// It cannot be opened.
pub fn open(args: &SummarizeArgs, format: SummaryFormat, pipeline: &Pipeline) -> Result<Option<Output<Target>>> {
    let target = || Target::open(args.output.as_deref(), format != SummaryFormat::Parquet);
    Ok(match format {
        SummaryFormat::Npy => None,
        SummaryFormat::Parquet => {
            Some(Output::parquet(target()?, Integers::Signed, args.settings(), pipeline.pool.clone())?)
        }
        _ => Some(Output::Bytes(target()?)),
    })
}

/// Writes the summary.
///
/// # Errors
///
/// It cannot be written, or has too many boards to draw.
pub fn write(
    totals: &Totals,
    args: &SummarizeArgs,
    format: SummaryFormat,
    inputs: &Inputs,
    output: Option<Output<Target>>,
) -> Result<()> {
    let Some(mut output) = output else {
        let directory = args.output.as_deref().expect("NumPy arrays have a directory");
        let targets = totals.arrays(&totals.parts()).into_iter().map(|(name, bytes)| {
            let mut target = Target::create(&directory.join(name))?;
            target.put(&bytes)?;
            Ok(target)
        });
        return Target::finish_all(targets.collect::<Result<_>>()?);
    };
    let mut put = |encoded| output.write(encoded);
    match format {
        SummaryFormat::Csv => totals.write_rows(RowFormat::Text(TextFormat::csv(args.csv_safe)), &mut put)?,
        SummaryFormat::Jsonl => totals.write_rows(RowFormat::Text(TextFormat::Jsonl), &mut put)?,
        SummaryFormat::Parquet | SummaryFormat::Npy => totals.write_rows(RowFormat::Arrow, &mut put)?,
        SummaryFormat::Table => put(Encoded::Bytes(totals.table().into_bytes()))?,
        SummaryFormat::Svg => put(Encoded::Bytes(totals.svg(args.theme)?.into_bytes()))?,
        SummaryFormat::Html => {
            let page = Page::of(totals, args.theme, &PageOrigin { files: file_names(inputs), date: today() });
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

/// The names of the inputs, without their directories, which do not concern who gets the page.
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
