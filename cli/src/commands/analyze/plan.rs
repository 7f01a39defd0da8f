//! The inputs and the computation of a run.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use slider_attacks::Backend;
use slider_attacks_arrow::OnError;
use slider_attacks_files::Inputs;
use slider_attacks_files::discovery::Discovery;
use slider_attacks_formats::request::Wanted;
use slider_attacks_rows::format::TableFormat;
use slider_attacks_rows::job::Job;
use slider_attacks_rows::pipeline::Pipeline;

use super::directory::Existing;
use super::record::OptionRecord;
use crate::args::{AnalyzeArgs, AnalyzeWhat};
use crate::commands::inputs::{chosen, pipeline};
use crate::commands::stream::SAMPLE_POSITIONS;
use crate::progress::note;
use crate::report::RunReport;
use crate::settings::Settings;

/// The inputs, the computation and the outputs of a run.
pub struct AnalyzeRun<'a> {
    /// The command line.
    pub args: &'a AnalyzeArgs,
    /// The format of the rows.
    pub format: TableFormat,
    /// The work on each block.
    pub job: Arc<Job>,
    /// The inputs, and the compute threads.
    pub pipeline: Pipeline,
    /// The outputs in a directory, by the numbers of their inputs.
    pub outputs: Option<HashMap<u64, PathBuf>>,
    /// The options of the outputs in a directory.
    pub record: Option<OptionRecord<'a>>,
}

impl<'a> AnalyzeRun<'a> {
    /// Finds out what is to be done. `None` if nothing is left to do.
    pub fn prepare(
        args: &'a AnalyzeArgs,
        format: TableFormat,
        backend: Backend,
        settings: &'a Settings,
        report: &mut RunReport<'_>,
    ) -> Result<Option<AnalyzeRun<'a>>> {
        let output = args.output_dir.as_deref().or(args.output.as_deref());
        // With outputs of their own, an input that cannot be read is no reason to leave out the others.
        let goes_on = args.failures.keep_going || args.output_dir.is_some() && args.on_error == OnError::Skip;
        let find = if goes_on { Discovery::unchecked } else { Discovery::new };
        let found = find(&args.read.files, args.read.files_from.as_deref(), output)?;
        report.check_inputs(&found.inputs)?;
        let products = args.what.iter().filter_map(|what| match what {
            AnalyzeWhat::Product(product) => Some(*product),
            AnalyzeWhat::Boards => None,
        });
        let plan = args.options.plan(products, backend);
        let boards = args.what.contains(&AnalyzeWhat::Boards).then_some(args.integers);
        let with_file = found.may_be_several && args.output_dir.is_none();
        let (format_of_rows, on_error, each_move) = (format.rows(args.csv_safe), args.on_error, args.each_move);
        let choice = args.read.choice();
        let job = Job { plan, format: format_of_rows, on_error, with_file, boards, each_move };
        let wanted = Wanted {
            keep: args.keep.clone(),
            any_fields: format == TableFormat::Jsonl,
            reserved_names: job.header(&[]),
            ..args.read.wanted()
        };
        let wanted = choice.wanted(each_move, wanted);
        let all = found.inputs;
        let (mut inputs, limit) = chosen(&args.read, &all)?;
        let (mut outputs, mut record) = (None, None);
        if let Some(directory) = &args.output_dir {
            if limit == Some(0) {
                return Ok(None);
            }
            let options = OptionRecord::new(directory, format, settings);
            let [rest, done] = Existing::new(&job, format, args.overwrite).outputs(&all, inputs, directory)?;
            options.check_presence(&all, done.first().map(|(_, path)| path.as_path()))?;
            options.check()?;
            record = Some(options);
            for (input, path) in &done {
                note(&format!("already done: {} ({})", input.name(), path.display()));
                report.add_done(input, path);
            }
            if rest.is_empty() {
                return Ok(None);
            }
            outputs = Some(rest.iter().map(|(input, path)| (input.index, path.clone())).collect());
            inputs = rest.into_iter().map(|(input, _)| input).collect();
        }
        let inputs = if goes_on { Inputs::unchecked(inputs)? } else { Inputs::of(inputs, SAMPLE_POSITIONS)? };
        let writes_groups = format == TableFormat::Parquet;
        let mut pipeline = pipeline(&args.read, (inputs, limit), wanted, &job, writes_groups)?;
        pipeline.goes_on = goes_on;
        pipeline.filter = choice.filter(&job.plan, each_move, on_error);
        Ok(Some(AnalyzeRun { args, format, job: Arc::new(job), pipeline, outputs, record }))
    }

    /// The output of the input at this place, if it has one of its own.
    pub fn output_of(&self, place: usize) -> Option<&Path> {
        let input = self.pipeline.inputs.get(place)?;
        self.outputs.as_ref()?.get(&input.index).map(PathBuf::as_path)
    }
}
