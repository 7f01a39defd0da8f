//! Where a summary goes.

use std::path::PathBuf;
#[cfg(feature = "parquet")]
use std::sync::Arc;

use anyhow::Result;
use slider_attacks::diagram::Theme;
#[cfg(feature = "parquet")]
use slider_attacks_arrow::Integers;
#[cfg(feature = "parquet")]
use slider_attacks_files::ordered::Pool;
use slider_attacks_rows::format::TextFormat;
use slider_attacks_rows::pipeline::Pipeline;
use slider_attacks_rows::sums::page::Page;
use slider_attacks_rows::sums::table::{COLUMNS, Totals};
#[cfg(feature = "parquet")]
use slider_attacks_rows::write::ColumnWriter;
#[cfg(feature = "parquet")]
use slider_attacks_rows::write::parquet::Parquet;
use slider_attacks_rows::write::{WriteTarget, cells, csv};

use crate::args::{SummarizeArgs, SummaryFormat};
use crate::progress::note;
use crate::target::Target;

/// Where a summary goes.
pub enum Sink {
    /// Text, or a drawing.
    Text(Target, SummaryFormat),
    /// A file of Parquet with these settings in its metadata, which these threads encode.
    #[cfg(feature = "parquet")]
    Parquet(Target, Vec<(&'static str, String)>, Arc<Pool>),
    /// A directory of NumPy arrays.
    Arrays(PathBuf),
}

impl Sink {
    /// Opens the output file, or standard output.
    ///
    /// # Errors
    ///
    /// It cannot be opened.
    #[cfg_attr(not(feature = "parquet"), expect(unused_variables, reason = "the pool encodes only Parquet"))]
    pub fn open(args: &SummarizeArgs, format: SummaryFormat, pipeline: &Pipeline) -> Result<Sink> {
        let path = args.output.as_deref();
        Ok(match (format, path) {
            (SummaryFormat::Npy, Some(directory)) => Sink::Arrays(directory.to_owned()),
            #[cfg(feature = "parquet")]
            (SummaryFormat::Parquet, _) => {
                Sink::Parquet(Target::open(path, false)?, args.settings(), pipeline.pool.clone())
            }
            _ => Sink::Text(Target::open(path, true)?, format),
        })
    }

    /// Writes the summary.
    ///
    /// # Errors
    ///
    /// It cannot be written, or has too many boards to draw.
    pub fn write(self, totals: &Totals, theme: Theme) -> Result<()> {
        let parts = totals.parts();
        match self {
            Sink::Text(mut target, format) => {
                match format {
                    SummaryFormat::Svg => target.put(totals.svg(theme)?.as_bytes())?,
                    SummaryFormat::Html => {
                        let page = Page::new(totals, theme);
                        target.put(page.html.as_bytes())?;
                        if page.left_out > 0 {
                            let all = totals.keys.len();
                            let shown = all - page.left_out;
                            note(&format!("note: the page has the {shown} of {all} groups with the most positions"));
                        }
                    }
                    SummaryFormat::Csv | SummaryFormat::Jsonl => {
                        let is_csv = format == SummaryFormat::Csv;
                        let format = if is_csv { TextFormat::Csv } else { TextFormat::Jsonl };
                        let mut text = Vec::new();
                        if is_csv {
                            let names = totals.names().chain(COLUMNS);
                            csv::row(names.map(Into::into), &mut text);
                        }
                        target.put(&text)?;
                        for group in 0..totals.keys.len() {
                            let (columns, rows) = totals.rows(group..group + 1, &parts);
                            target.put(&cells::rows(format, &columns, rows))?;
                        }
                    }
                    _ => target.put(totals.table().as_bytes())?,
                }
                Target::finish_all(vec![target])
            }
            #[cfg(feature = "parquet")]
            Sink::Parquet(target, settings, pool) => {
                let mut writer = Box::new(Parquet::new(target, Integers::Signed, settings, pool));
                // Even without groups, there are columns.
                for group in 0..totals.keys.len().max(1) {
                    let (columns, rows) = totals.rows(group..totals.keys.len().min(group + 1), &parts);
                    writer.write(columns, rows)?;
                }
                writer.finish().map(drop)
            }
            Sink::Arrays(directory) => {
                let targets = totals.arrays(&parts).into_iter().map(|(name, bytes)| {
                    let mut target = Target::create(&directory.join(name))?;
                    target.put(&bytes)?;
                    Ok(target)
                });
                Target::finish_all(targets.collect::<Result<_>>()?)
            }
        }
    }
}
