//! A summary as a self-contained HTML page of coloured boards.
//!
//! The page has the numbers as JSON. The modules in `page/` draw them, and the page in `web/` uses the same ones for its sums.

use std::fmt::{self, Write as _};

use serde_json::{Value, json};
use slider_attacks::diagram::Theme;

use slider_attacks_arrow::{Product, SummaryColumn};

use super::keys::Key;
use super::table::{Totals, plural};
use crate::write::table::grouped;

/// The most boards of a page. Each takes about 1 KB, and time to draw.
const MOST_BOARDS: usize = 240;

/// The most names of files that the head of a page has.
const MOST_FILES: usize = 5;

/// The most characters of the name of a group.
const MOST_CHARACTERS: usize = 200;

/// The page, with `{}` for theme, style, head, numbers and script.
const TEMPLATE: &str = include_str!("page/control.html");

const STYLES: [&str; 3] =
    [include_str!("page/look.css"), include_str!("page/boards.css"), include_str!("page/control.css")];

/// Modules, each after those that it imports.
const MODULES: [&str; 3] =
    [include_str!("page/elements.js"), include_str!("page/boards.js"), include_str!("page/control.js")];

/// A page, and how many groups it leaves out, because there are too many boards.
pub struct Page {
    /// The text of the page.
    pub html: String,
    /// How many groups it does not show.
    pub left_out: usize,
}

/// What the head of a page says of the sums.
#[derive(Clone, Debug, Default)]
pub struct PageOrigin {
    /// The names of the files that were read.
    pub files: Vec<String>,
    /// The day on which the page was written, such as 2026-11-27, or nothing.
    pub date: String,
}

impl Page {
    /// The page of these sums.
    pub fn new(totals: &Totals, theme: Theme) -> Page {
        Page::of(totals, theme, &PageOrigin::default())
    }

    /// The page of these sums, which says where they are from.
    pub fn of(totals: &Totals, theme: Theme, origin: &PageOrigin) -> Page {
        let boards = totals.summary.columns().iter().filter(|column| !column.is_single()).count();
        let groups = largest(totals, MOST_BOARDS / boards.max(1));
        let left_out = totals.keys.len() - groups.len();
        let html = PageWriter { totals, groups: &groups, theme, origin }.to_string();
        Page { html, left_out }
    }
}

/// At most this many groups, but at least one: those with the most positions, in their order.
fn largest(totals: &Totals, most: usize) -> Vec<usize> {
    let mut groups: Vec<usize> = (0..totals.keys.len()).collect();
    groups.sort_by_key(|&group| std::cmp::Reverse(totals.positions(group)));
    groups.truncate(most.max(1));
    groups.sort_unstable();
    groups
}

/// The writer of a page.
struct PageWriter<'a> {
    totals: &'a Totals,
    groups: &'a [usize],
    theme: Theme,
    origin: &'a PageOrigin,
}

impl PageWriter<'_> {
    /// The numbers of the page, as its script takes them.
    fn numbers(&self) -> Value {
        let Totals { by, keys, summary, .. } = self.totals;
        let columns = summary.columns().iter();
        let columns = columns
            .map(|column| json!({ "name": column.name(), "isSingle": column.is_single(), "hasSum": column.has_sum() }));
        let values =
            |group: usize| by.iter().zip(&keys[group]).map(|(key, value)| Some(value_text(key, value.as_deref()?)));
        let groups = self.groups.iter().map(|&group| {
            json!({
                "keys": values(group).collect::<Vec<_>>(),
                "positions": self.totals.positions(group),
                "sums": self.sums(&[group]),
            })
        });
        json!({
            "by": by.iter().map(|key| shortened(&key.name)).collect::<Vec<_>>(),
            "columns": columns.collect::<Vec<_>>(),
            "products": self.products(),
            "positions": self.positions(),
            "sums": self.sums(&(0..keys.len()).collect::<Vec<_>>()),
            "groups": groups.collect::<Vec<_>>(),
        })
    }

    /// For each column, in how many positions of these groups its squares have values, and the sums of those if they may differ.
    fn sums(&self, groups: &[usize]) -> Value {
        let columns = self.totals.summary.columns().iter();
        columns.map(|column| self.column_sums(column, groups)).collect::<Vec<_>>().into()
    }

    fn column_sums(&self, column: &SummaryColumn, groups: &[usize]) -> Vec<Vec<u64>> {
        let places = || groups.iter().map(|&group| self.totals.places[group]);
        let length = if column.is_single() { 1 } else { 64 };
        let present = total(length, places().map(|place| column.present(place)));
        let sum = column.has_sum().then(|| total(length, places().map(|place| column.sum(place))));
        [Some(present), sum].into_iter().flatten().collect()
    }

    /// The products that have columns here, and what they are.
    fn products(&self) -> Value {
        let columns = self.totals.summary.columns();
        let columns_of = |product: &Product| {
            let names = columns.iter().map(SummaryColumn::name).filter(|name| family(name) == Some(*product));
            names.collect::<Vec<_>>()
        };
        let products = Product::ALL.iter().map(|product| (product, columns_of(product)));
        let products = products.filter(|(_, columns)| !columns.is_empty());
        let products = products.map(|(product, columns)| {
            json!({ "name": product.name(), "definition": product.definition(), "columns": columns })
        });
        products.collect::<Vec<_>>().into()
    }

    /// The number of positions of all groups.
    fn positions(&self) -> u64 {
        (0..self.totals.keys.len()).map(|group| self.totals.positions(group)).sum()
    }

    /// The title, the origin, and how much there is.
    fn head(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let totals = self.totals;
        f.write_str("<h1>Statistics by square")?;
        for (at, name) in totals.names().enumerate() {
            write!(f, "{}<bdi>{}</bdi>", if at > 0 { ", " } else { ", by " }, ShortText(name))?;
        }
        f.write_str("</h1>\n")?;
        self.origin(f)?;
        let (positions, groups) = (self.positions(), totals.keys.len() as u64);
        write!(f, "<p>{} position{}", grouped(positions), plural(positions))?;
        if !totals.by.is_empty() {
            write!(f, " in {} group{}", grouped(groups), plural(groups))?;
        }
        f.write_str(". Arrow keys move from square to square, Page Up and Page Down from board to board.</p>\n")?;
        if self.groups.len() < totals.keys.len() {
            let (shown, boards) = (self.groups.len(), MOST_BOARDS);
            writeln!(
                f,
                "<p><strong>Here are the {shown} groups with the most positions:</strong> a page has {boards} boards at most.</p>"
            )?;
        }
        Ok(())
    }

    /// The files and the day.
    fn origin(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PageOrigin { files, date } = self.origin;
        let shown = files.iter().take(MOST_FILES);
        for (at, file) in shown.enumerate() {
            write!(f, "{}<bdi>{}</bdi>", if at > 0 { ", " } else { "<p>" }, ShortText(file))?;
        }
        match files.len().saturating_sub(MOST_FILES) as u64 {
            0 => {}
            more => write!(f, " and {} more", grouped(more))?,
        }
        match (files.is_empty(), date.is_empty()) {
            (true, true) => Ok(()),
            (true, false) => writeln!(f, "<p>{}</p>", ShortText(date)),
            (false, true) => f.write_str("</p>\n"),
            (false, false) => writeln!(f, ", {}</p>", ShortText(date)),
        }
    }
}

impl fmt::Display for PageWriter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut template = TEMPLATE.split("{}");
        let mut next = |f: &mut fmt::Formatter<'_>| f.write_str(template.next().unwrap_or_default());
        next(f)?;
        f.write_str(match self.theme {
            Theme::Light => "light",
            Theme::Dark => "dark",
            _ => "auto",
        })?;
        next(f)?;
        STYLES.iter().try_for_each(|style| f.write_str(style))?;
        next(f)?;
        self.head(f)?;
        next(f)?;
        // No tag can begin in a text, so none ends the script.
        f.write_str(&self.numbers().to_string().replace('<', "\\u003c"))?;
        next(f)?;
        MODULES.iter().try_for_each(|module| write_module(f, module))?;
        next(f)
    }
}

/// Writes a module as a part of one script, where all declarations are in one scope.
fn write_module(f: &mut fmt::Formatter<'_>, module: &str) -> fmt::Result {
    let lines = module.lines().filter(|line| !line.starts_with("import "));
    lines.map(|line| line.strip_prefix("export ").unwrap_or(line)).try_for_each(|line| writeln!(f, "{line}"))
}

/// The product of a column. Threats are summed by side.
fn family(name: &str) -> Option<Product> {
    let has = |product: &Product, name: &str| product.columns().iter().any(|column| column.name() == name);
    let of = |name: &str| Product::ALL.iter().copied().find(|product| has(product, name));
    let rest = ["white_", "black_"].into_iter().find_map(|side| name.strip_prefix(side));
    of(name).or_else(|| of(rest?))
}

/// The sum of vectors of this length.
fn total<'a>(length: usize, vectors: impl Iterator<Item = &'a [u64]>) -> Vec<u64> {
    let mut total = vec![0; length];
    vectors.for_each(|numbers| total.iter_mut().zip(numbers).for_each(|(total, number)| *total += number));
    total
}

/// The value of a key, as the page has it: for a key with a step, the first and the last number of the group.
fn value_text(key: &Key, value: &str) -> String {
    let step = key.step.map_or(0, i64::from);
    let last = value.parse().ok().and_then(|first: i64| first.checked_add(step - 1));
    match last.filter(|_| step > 1) {
        Some(last) => format!("{value} to {last}"),
        None => shortened(value),
    }
}

/// Whether a character turns the direction of those around it.
const fn turns(letter: char) -> bool {
    matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text without control characters, cut off if it is very long.
fn shortened(text: &str) -> String {
    let mut letters = text.chars().filter(|&letter| !turns(letter));
    let shown = letters.by_ref().take(MOST_CHARACTERS);
    let mut short: String = shown.map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect();
    if letters.next().is_some() {
        short.push('…');
    }
    short
}

/// Such a text between tags.
struct ShortText<'a>(&'a str);

impl fmt::Display for ShortText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        shortened(self.0).chars().try_for_each(|letter| match letter {
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '&' => f.write_str("&amp;"),
            letter => f.write_char(letter),
        })
    }
}
