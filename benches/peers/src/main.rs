//! slider-attacks and other crates and methods, compared in one process. `benches/README.md` says how to run it and how
//! the other crates are configured.

mod contest;
#[expect(unsafe_code, reason = "squares of other crates, without their checks")]
mod crates;
#[allow(unsafe_code, reason = "it is built for CPUs with AVX2")]
mod hyperbola;
#[expect(unsafe_code, reason = "tables are looked up unchecked, as engines do it")]
mod magics;
mod plot;
mod report;

use std::error::Error;
use std::fs::File;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Parser;
use contest::{Contestant, Group};
use peers::Pairs;
use peers::timing::{Rounds, Timing, time_passes};
use slider_attacks::Slider;

const DEFAULT_SIZE: usize = 4_096;
const LARGEST_PLOTTED: u32 = 24;
const MIN_ROUNDS: usize = 7;

/// Compare slider-attacks with other crates and methods
#[derive(Parser)]
struct Args {
    /// Sliders (bishop, rook, queen) and numbers of pairs per call [default: all three, 4096]
    words: Vec<Word>,
    /// Compare all contestants with the ray walk, and time nothing
    #[arg(long)]
    check: bool,
    /// Draw throughput against the number of pairs, at most ten contestants: queens, from 1 to 16 Mi pairs unless numbers
    /// are given
    #[arg(long, value_name = "FILE.svg", conflicts_with = "check")]
    plot: Option<PathBuf>,
    /// Draw the same for all contestants
    #[arg(long, value_name = "FILE.svg", conflicts_with = "check")]
    plot_all: Option<PathBuf>,
    /// Write all measurements
    #[arg(long, value_name = "FILE.csv", conflicts_with = "check")]
    csv: Option<PathBuf>,
    /// Draw measurements that `--csv` wrote, and time nothing
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = ["words", "check", "csv"])]
    from: Option<PathBuf>,
    /// The time for all contestants together, per slider and size, in seconds
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
}

#[derive(Clone)]
enum Word {
    Slider(Slider),
    Size(usize),
}

impl FromStr for Word {
    type Err = &'static str;

    fn from_str(word: &str) -> Result<Word, &'static str> {
        match (word.parse(), word.replace('_', "").parse()) {
            (Ok(slider), _) => Ok(Word::Slider(slider)),
            (_, Ok(size @ 1..)) => Ok(Word::Size(size)),
            _ => Err("expected bishop, rook, queen or a positive number of pairs"),
        }
    }
}

/// All that this CPU can run, for one slider. The ray walk does not take part: the others are checked against it.
fn contestants(slider: Slider) -> Vec<Contestant> {
    let mut contestants = peers::contestants(slider);
    contestants.retain(|contestant| contestant.group != Group::Walk);
    contestants.extend(crates::contestants(slider));
    contestants.push(magics::contestant(slider));
    contestants.extend(hyperbola::contestants(slider));
    contestants
}

/// All measurements of one slider and one size.
struct Table {
    slider: Slider,
    size: usize,
    rows: Vec<(Contestant, Timing)>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let measurements = match &args.from {
        Some(path) => report::read_csv(&std::fs::read_to_string(path)?)?,
        None => report::measurements(&measure(&args)),
    };
    if let Some(path) = args.csv {
        report::write_csv(&measurements, &mut File::create(path)?)?;
    }
    for (path, few) in [(args.plot, true), (args.plot_all, false)] {
        if let Some(path) = path {
            std::fs::write(path, plot::svg(&measurements, few)?)?;
        }
    }
    Ok(())
}

/// Times all contestants, or only checks them, as the arguments say, and prints the tables.
fn measure(args: &Args) -> Vec<Table> {
    let (mut sliders, mut sizes) = (Vec::new(), Vec::new());
    for word in &args.words {
        match *word {
            Word::Slider(slider) => sliders.push(slider),
            Word::Size(size) => sizes.push(size),
        }
    }
    let (all_sliders, all_sizes) = match args.plot.is_some() || args.plot_all.is_some() {
        true => (vec![Slider::Queen], (0..=LARGEST_PLOTTED).map(|power| 1 << power).collect()),
        false => (vec![Slider::Queen, Slider::Rook, Slider::Bishop], vec![DEFAULT_SIZE]),
    };
    sliders = if sliders.is_empty() { all_sliders } else { sliders };
    sizes = if sizes.is_empty() { all_sizes } else { sizes };
    if !crates::PEXT {
        eprintln!("built without BMI2: the crates are not in their fastest form, see benches/README.md");
    }

    let mut tables = Vec::new();
    println!("{}", peers::machine());
    for &slider in &sliders {
        for &size in &sizes {
            let (pairs, contestants) = (Pairs::random(size), contestants(slider));
            contestants.iter().for_each(|contestant| pairs.check(slider, contestant));
            if args.check {
                println!("{slider}, {size} pairs: {} contestants agree with the ray walk", contestants.len());
                continue;
            }
            let rounds = Rounds { time: Duration::from_secs_f64(args.seconds), count: MIN_ROUNDS };
            let mut out = vec![0; pairs.len()];
            let timings = time_passes(contestants.len(), rounds, pairs.len(), |at| {
                pairs.pass(&contestants[at], &mut out);
            });
            let table = Table { slider, size, rows: contestants.into_iter().zip(timings).collect() };
            report::print(&table);
            tables.push(table);
        }
    }
    tables
}
