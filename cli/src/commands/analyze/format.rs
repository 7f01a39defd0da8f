//! The format of the rows.

use slider_attacks_arrow::Integers;
use slider_attacks_files::sources::WITHOUT_PARQUET;
use slider_attacks_rows::format::TableFormat;

use crate::args::{AnalyzeArgs, Args, ONLY_CSV, extension};

/// The format of the rows: the requested one, or the one that the name of the output suggests. If there is a conflict,
/// exits with a usage message.
pub fn format(args: &AnalyzeArgs) -> TableFormat {
    Args::refuse_urls("analyze", [&args.output, &args.output_dir], &args.failures.report);
    let extension = extension(&args.output);
    let suggested = extension.as_deref().map_or(Some(TableFormat::Csv), TableFormat::of_extension);
    let output = args.output_dir.as_deref().or(args.output.as_deref());
    let other = args.read.condition_problem(args.each_move).or(args.failures.problem(args.on_error, output));
    let no_directory = Args::npy_problem(output);
    let problem = match (args.read.problem(extension.as_deref(), other), args.format.or(suggested)) {
        (Some(problem), _) => problem,
        (_, Some(TableFormat::Parquet)) if cfg!(not(feature = "parquet")) => WITHOUT_PARQUET,
        (_, Some(TableFormat::Npy)) if no_directory.is_some() => no_directory.unwrap_or_default(),
        (_, Some(TableFormat::Npy)) if args.on_error.keeps_rows() => {
            "NumPy arrays cannot hold nulls: use --on-error fail or skip"
        }
        (_, Some(TableFormat::Csv | TableFormat::Jsonl)) if args.integers == Integers::Signed => {
            "only Parquet and NumPy arrays have --integers: CSV and JSON lines show the bits of a set of squares"
        }
        (_, Some(format)) if args.csv_safe && format != TableFormat::Csv => ONLY_CSV,
        (_, Some(format)) if args.no_header && format != TableFormat::Csv => "only CSV has a header to leave out",
        (_, format) if format != Some(TableFormat::Npy) && matches!(extension.as_deref(), Some("npy" | "npz")) => {
            "for NumPy arrays, use --format npy and name a directory"
        }
        (_, Some(format)) => return format,
        _ => "unknown output extension: use csv, jsonl, ndjson, json or parquet, or add --format",
    };
    Args::exit("analyze", problem)
}
