//! Throughput against the number of pairs, drawn as a self-contained SVG on white, with a label at the end of each line.

use std::fmt::Write;

use crate::contest::Group;
use crate::report::Measurement;

const WIDTH: f64 = 1_000.0;
const HEIGHT: f64 = 640.0;
/// The edges of the plot area.
const LEFT: f64 = 64.0;
const RIGHT: f64 = WIDTH - 170.0;
const TOP: f64 = 64.0;
const BOTTOM: f64 = HEIGHT - 52.0;
/// The minimum distance between the baselines of two labels.
const LABEL_HEIGHT: f64 = 16.0;
/// The labels of the vertical axis: 1, 2 and 5 times powers of ten.
const SPEEDS: [f64; 10] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0];

/// The points of one contestant: number of pairs, and pairs per nanosecond.
struct Line<'a> {
    name: &'a str,
    group: Group,
    points: Vec<(f64, f64)>,
}

/// Draws the measurements of the first slider among them, or those of at most ten contestants. Both scales are
/// logarithmic.
pub fn svg(measurements: &[Measurement], few: bool) -> Result<String, &'static str> {
    let slider = measurements.first().ok_or("there is nothing to draw")?.slider;
    let measurements: Vec<&Measurement> = measurements.iter().filter(|row| row.slider == slider).collect();
    let mut sizes: Vec<usize> = measurements.iter().map(|row| row.size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut lines = lines(&measurements, &sizes);
    if few {
        lines = shortened(lines);
    }

    let points = || lines.iter().flat_map(|line| &line.points);
    let (least_size, most_size) = range(points().map(|point| point.0));
    let (least_speed, most_speed) = range(points().map(|point| point.1));
    // A single size still needs a width.
    let x = scale(least_size, most_size.max(2.0 * least_size), LEFT, RIGHT);
    let y = scale(0.9 * least_speed, 1.1 * most_speed, BOTTOM, TOP);

    let mut svg = String::new();
    macro_rules! draw {
        ($($element:tt)*) => { writeln!(svg, $($element)*).expect("a string takes everything") };
    }
    let title = format!("Attack sets of {slider}s per nanosecond (billions per second), by pairs per call");
    let legend = "thick: slider-attacks; thin: other crates, in a loop; dashed: methods without a crate; dotted: only \
                  moving the data";
    draw!(r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" "##);
    draw!(r##"font-family="sans-serif" font-size="13"><rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>"##);
    draw!(r##"<text x="{LEFT}" y="26" font-size="17" font-weight="bold">{title}</text>"##);
    draw!(r##"<text x="{LEFT}" y="46" fill="#555">{legend}</text>"##);
    // Every other power of two has a label. Other sizes have none.
    let powers = sizes.iter().copied().filter(|size| size.is_power_of_two());
    for size in powers.filter(|size| size.trailing_zeros() % 2 == 0) {
        let (x, y, label) = (x(size as f64), BOTTOM + 20.0, binary(size));
        draw!(r##"<path d="M{x:.1} {TOP}V{BOTTOM}" stroke="#e4e4e4"/>"##);
        draw!(r##"<text x="{x:.1}" y="{y:.1}" text-anchor="middle">{label}</text>"##);
    }
    for speed in SPEEDS.into_iter().filter(|&speed| (0.9 * least_speed..1.1 * most_speed).contains(&speed)) {
        let (x, y, baseline) = (LEFT - 8.0, y(speed), y(speed) + 4.5);
        draw!(r##"<path d="M{LEFT} {y:.1}H{RIGHT}" stroke="#e4e4e4"/>"##);
        draw!(r##"<text x="{x:.1}" y="{baseline:.1}" text-anchor="end">{speed}</text>"##);
    }
    draw!(r##"<path d="M{LEFT} {TOP}V{BOTTOM}H{RIGHT}" fill="none" stroke="#555"/>"##);
    let (middle, baseline) = ((LEFT + RIGHT) / 2.0, BOTTOM + 42.0);
    draw!(r##"<text x="{middle:.1}" y="{baseline:.1}" text-anchor="middle">pairs per call</text>"##);

    let ends: Vec<f64> = lines.iter().map(|line| line.points.last().map_or(BOTTOM, |point| y(point.1))).collect();
    for ((at, line), (end, label)) in lines.iter().enumerate().zip(ends.iter().zip(apart(&ends))) {
        let (style, weight, colours) = look(line.group);
        // No other line of the group has this colour, as long as there are enough.
        let after = lines[at + 1..].iter().filter(|other| other.group == line.group).count();
        let colour = colours[after % colours.len()];
        let points = line.points.iter().map(|&(size, speed)| format!("{:.1},{:.1}", x(size), y(speed)));
        let points = points.collect::<Vec<_>>().join(" ");
        let (from, to, text, baseline) = (RIGHT + 3.0, RIGHT + 20.0, RIGHT + 24.0, label + 4.5);
        draw!(r##"<polyline points="{points}" fill="none" stroke="{colour}" stroke-linejoin="round" {style}/>"##);
        draw!(r##"<path d="M{from:.1} {end:.1}L{to:.1} {label:.1}" stroke="{colour}" stroke-opacity="0.5"/>"##);
        draw!(r##"<text x="{text:.1}" y="{baseline:.1}" fill="{colour}"{weight}>{}</text>"##, line.name);
    }
    draw!("</svg>");
    Ok(svg)
}

/// One line per contestant, in drawing order. The faster of the two ways to move memory counts.
fn lines<'a>(measurements: &[&'a Measurement], sizes: &[usize]) -> Vec<Line<'a>> {
    let mut lines: Vec<Line> = Vec::new();
    for row in measurements {
        let (name, group) = (row.name.as_str(), row.group);
        let known = |line: &Line| line.name == name || group == Group::Memory && line.group == group;
        if lines.iter().any(known) {
            continue;
        }
        let speed = |size: usize| {
            let same = measurements.iter().filter(|row| match group {
                Group::Memory => row.group == group,
                _ => row.name == name,
            });
            1.0 / same.filter(|row| row.size == size).map(|row| row.fastest).fold(f64::INFINITY, f64::min)
        };
        let points = sizes.iter().map(|&size| (size as f64, speed(size))).collect();
        lines.push(Line { name, group, points });
    }
    lines.sort_by_key(|line| line.group);
    lines
}

/// Memory, the backends, full tables with PEXT, the fastest plain loop and the fastest crate. The function for one pair
/// is left out, because `scalar` takes the same time, and so is `bmi2`, which hardly any CPU chooses.
fn shortened(lines: Vec<Line>) -> Vec<Line> {
    let is_loop = |line: &Line| line.name.starts_with("free_");
    let fastest = |wanted: &dyn Fn(&Line) -> bool| {
        let wanted = lines.iter().filter(|line| wanted(line));
        wanted.max_by(|a, b| overall(a).total_cmp(&overall(b))).map(|line| line.name)
    };
    let (best_loop, best_crate) = (fastest(&is_loop), fastest(&|line| line.group == Group::Crate));
    let few = lines.into_iter().filter_map(|mut line| {
        let name = Some(line.name);
        match line.group {
            Group::Memory => {}
            Group::Backend if !["per_pair", "bmi2"].contains(&line.name) => {}
            Group::Crate if name == best_crate => {}
            Group::Method if name == best_loop => line.name = "best plain loop",
            Group::Method if line.name == "pext_full" => line.name = "PEXT",
            _ => return None,
        }
        Some(line)
    });
    few.collect()
}

/// The speed of a contestant over all sizes, to compare it with others.
fn overall(line: &Line) -> f64 {
    line.points.iter().map(|point| point.1.ln()).sum()
}

/// A logarithmic scale that maps `from` to `start` and `to` to `end`.
fn scale(from: f64, to: f64, start: f64, end: f64) -> impl Fn(f64) -> f64 {
    move |value| start + (end - start) * (value / from).ln() / (to / from).ln()
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, 0.0), |(least, most), value| (value.min(least), value.max(most)))
}

/// A power of two with a binary prefix.
fn binary(size: usize) -> String {
    match size.trailing_zeros() {
        0..10 => size.to_string(),
        10..20 => format!("{} Ki", size >> 10),
        _ => format!("{} Mi", size >> 20),
    }
}

/// The heights of labels: as near to the ends of the lines as possible without covering each other.
fn apart(ends: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..ends.len()).collect();
    order.sort_by(|&a, &b| ends[a].total_cmp(&ends[b]));
    let mut labels = ends.to_vec();
    // Neighbours that are too close move apart until none are, or nearly none.
    for _ in 0..2_000 {
        for pair in order.windows(2) {
            let missing = LABEL_HEIGHT - (labels[pair[1]] - labels[pair[0]]);
            if missing > 0.0 {
                labels[pair[0]] -= missing / 2.0;
                labels[pair[1]] += missing / 2.0;
            }
        }
    }
    labels
}

/// The style of a group's lines, the weight of its labels, and its colours, all dark enough for text on white. The last
/// line has the first colour, so that it is always the fastest backend's.
fn look(group: Group) -> (&'static str, &'static str, &'static [&'static str]) {
    match group {
        Group::Backend => (
            r#"stroke-width="3.5""#,
            r#" font-weight="bold""#,
            &["#0b3d91", "#2f6fde", "#6a3fb5", "#17a2b8", "#7f7f7f", "#c2188b", "#1b5e20", "#5d4037"],
        ),
        Group::Crate => (r#"stroke-width="1.6""#, "", &["#c62828", "#e06c00", "#9c6b00", "#ad1457", "#6d4c41"]),
        Group::Method => (
            r#"stroke-width="1.6" stroke-dasharray="7 4""#,
            "",
            &[
                "#455a64", "#7c8f00", "#2e7d32", "#8d6e63", "#a1006b", "#00838f", "#00695c", "#00897b", "#5c6bc0",
                "#b26a00",
            ],
        ),
        Group::Memory | Group::Walk => (r#"stroke-width="1.8" stroke-dasharray="2 3""#, "", &["#000000"]),
    }
}
