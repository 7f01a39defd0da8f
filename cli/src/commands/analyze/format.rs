//! The format of the rows.

use std::path::{Path, PathBuf};

use slider_attacks_arrow::Integers;
use slider_attacks_files::sources::WITHOUT_PARQUET;

use crate::args::{AnalyzeArgs, Args, TableFormat};

/// The format of the rows: the requested one, or the one that the name of the output suggests. If there is a conflict,
/// exits with a usage message.
pub fn format(args: &AnalyzeArgs) -> TableFormat {
    Args::refuse_urls("analyze", [&args.output, &args.output_dir]);
    let extension = |path: &Path| Some(path.extension()?.to_str()?.to_ascii_lowercase());
    let extension = args.output.as_deref().and_then(extension);
    let suggested = match extension.as_deref() {
        Some("jsonl" | "ndjson" | "json") => Some(TableFormat::Jsonl),
        Some("csv") => Some(TableFormat::Csv),
        Some("parquet") => Some(TableFormat::Parquet),
        None => Some(TableFormat::Csv),
        Some(_) => None,
    };
    let file = |path: &Option<PathBuf>| path.clone().filter(|path| path.as_os_str() != "-");
    let problem = match args.format.or(suggested) {
        _ if args.read.to_ply.is_some_and(|to_ply| to_ply < args.read.from_ply) => "--to-ply is before --from-ply",
        Some(TableFormat::Parquet) if cfg!(not(feature = "parquet")) => WITHOUT_PARQUET,
        _ if matches!(extension.as_deref(), Some("gz" | "zst" | "bz2" | "xz" | "zip")) => {
            "the output is not compressed: write to standard output and pipe that into a compressor"
        }
        Some(TableFormat::Npy) if file(&args.output).is_none() && args.output_dir.is_none() => {
            "the format npy needs a directory: use --output"
        }
        Some(TableFormat::Npy) if args.on_error.keeps_rows() => {
            "NumPy arrays cannot hold nulls: use --on-error fail or skip"
        }
        Some(TableFormat::Csv | TableFormat::Jsonl) if args.integers == Integers::Signed => {
            "only Parquet and NumPy arrays have --integers: CSV and JSON lines show the bits of a set of squares"
        }
        Some(format) if args.no_header && format != TableFormat::Csv => "only CSV has a header to leave out",
        format if format != Some(TableFormat::Npy) && matches!(extension.as_deref(), Some("npy" | "npz")) => {
            "for NumPy arrays, use --format npy and name a directory"
        }
        Some(format) => return format,
        None => "the extension of the output is unknown: use csv, jsonl, ndjson, json or parquet, or add --format",
    };
    Args::exit("analyze", problem)
}
