//! A summary as a self-contained HTML page of coloured boards.
//!
//! The numbers are in tables, so that screen readers announce them and the page works without its script. Style sheets select
//! the measure that determines the colours.

use std::fmt::{self, Write as _};

use slider_attacks::Square;
use slider_attacks::diagram::Theme;

use slider_attacks_arrow::Product;

use super::table::{SummedColumn, Totals, display_value, plural, tidy};
use crate::write::table::grouped;

/// The most boards of a page. Each takes about 10 KB.
const MOST_BOARDS: usize = 240;

/// The most names of files that the head of a page has.
const MOST_FILES: usize = 5;

/// The most characters of the name of a group.
const MOST_CHARACTERS: usize = 200;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The colours of a theme: blue above zero and orange below, which colour-blind readers can distinguish.
const LIGHT: &str = "color-scheme: light; --page: #ffffff; --board: #ffffff; --text: #1a1a1a; --note: #555555; \
                     --line: #cfd3d8; --above: 74 144 217; --below: 240 146 74;";
const DARK: &str = "color-scheme: dark; --page: #17191c; --board: #202327; --text: #f4f4f4; --note: #b4b8bd; \
                    --line: #41464d; --above: 47 116 181; --below: 179 90 27;";

/// The largest numbers of the boards of a product, which have the strongest colour. Others have their own, or rare products would
/// be white.
#[derive(Clone, Copy, Debug, Default)]
struct ColorScale {
    share: f64,
    mean: f64,
}

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
    /// The names of the files that have the positions.
    pub files: Vec<String>,
    /// The day on which they were summed, such as 2026-11-27, or nothing.
    pub date: String,
}

impl Page {
    /// The page of these sums.
    pub fn new(totals: &Totals, theme: Theme) -> Page {
        Page::of(totals, theme, &PageOrigin::default())
    }

    /// The page of these sums, which says where they are from.
    pub fn of(totals: &Totals, theme: Theme, origin: &PageOrigin) -> Page {
        let (singles, parts): (Vec<SummedColumn>, Vec<SummedColumn>) =
            totals.parts().into_iter().partition(|part| part.is_single);
        let groups = largest(totals, MOST_BOARDS / parts.len().max(1));
        let left_out = totals.keys.len() - groups.len();
        let html = PageWriter { totals, parts: &parts, singles: &singles, groups: &groups, theme, origin }.to_string();
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
    parts: &'a [SummedColumn],
    /// The columns without boards.
    singles: &'a [SummedColumn],
    groups: &'a [usize],
    theme: Theme,
    origin: &'a PageOrigin,
}

impl PageWriter<'_> {
    /// The largest numbers of the columns of a product, or of their differences.
    fn scale(&self, of: &SummedColumn) -> ColorScale {
        let is_same = |part: &&SummedColumn| part.minus.is_some() == of.minus.is_some() && family(part) == family(of);
        let parts = || self.parts.iter().filter(is_same);
        let squares = self.groups.iter().flat_map(|&group| {
            parts().flat_map(move |part| Square::ALL.map(|square| self.values(group, part, Some(square))))
        });
        squares.fold(ColorScale::default(), |most, [share, mean]| ColorScale {
            share: most.share.max(share.abs()),
            mean: most.mean.max(mean.abs()),
        })
    }

    /// The share and the mean of a square, or of the position.
    fn values(&self, group: usize, part: &SummedColumn, square: Option<Square>) -> [f64; 2] {
        self.totals.sums(group, part, square).map(|sum| self.totals.mean(group, sum))
    }

    /// The columns that are no differences.
    fn sides(&self) -> impl Iterator<Item = &SummedColumn> {
        self.parts.iter().filter(|part| part.minus.is_none())
    }

    /// The shares of all positions, for each square of each of these columns.
    fn shares_of_all(&self) -> Vec<[f64; 64]> {
        let groups = || 0..self.totals.keys.len();
        let all: u64 = groups().map(|group| self.totals.positions(group)).sum();
        let count = |part, square| groups().map(|group| self.totals.sums(group, part, Some(square))[0]).sum::<i64>();
        self.sides().map(|part| Square::ALL.map(|square| count(part, square) as f64 / all.max(1) as f64)).collect()
    }

    /// How much a group differs from all positions: the mean of the differences of the shares of all squares.
    fn difference(&self, group: usize, of_all: &[[f64; 64]]) -> f64 {
        let squares = self
            .sides()
            .zip(of_all)
            .flat_map(|(part, shares)| Square::ALL.into_iter().map(move |square| (part, square, shares)));
        let differences = squares.map(|(part, square, shares)| {
            (self.values(group, part, Some(square))[0] - shares[usize::from(square.index())]).abs()
        });
        differences.sum::<f64>() / (64 * of_all.len().max(1)) as f64
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

    fn has_differences(&self) -> bool {
        self.parts.iter().any(|part| part.minus.is_some())
    }

    fn has_means(&self) -> bool {
        self.parts.iter().any(|part| part.has_sum)
    }

    /// The colours of the columns, or of their differences.
    fn legend(&self, f: &mut fmt::Formatter<'_>, is_minus: bool) -> fmt::Result {
        let (class, what, ends) = if is_minus {
            let what = "White minus Black: orange where Black has more, blue where White has";
            ("minus", what, ["Black has more", "White has more"])
        } else {
            ("sides", "from nothing to the largest number of each product", ["0", "the most of each product"])
        };
        writeln!(
            f,
            "<div class=\"{class}\"><div class=\"legend\" role=\"img\" aria-label=\"Scale, {what}\"><div></div><p><span>{}</span>\
             <span>{}</span></p></div></div>",
            ends[0], ends[1]
        )
    }

    /// Links to the groups, and what each product is.
    fn contents(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.groups.len() > 1 {
            f.write_str("<nav aria-label=\"Groups\"><input type=\"search\" id=\"search\" placeholder=\"Find a group\" aria-label=\"Find a group\">\n\
                         <label>Order <select id=\"order\"><option value=\"key\">as sorted</option><option value=\"difference\">by \
                         difference from all</option></select></label>\n\
                         <label>Compare <select id=\"one\"><option value=\"\">no groups</option></select></label>\n\
                         <label>minus <select id=\"other\"></select></label>\n<ul>\n")?;
            for &group in self.groups {
                write!(f, "<li><a href=\"#g{group}\">")?;
                for (at, value) in self.totals.keys[group].iter().enumerate() {
                    let separator = if at > 0 { ", " } else { "" };
                    write!(f, "{separator}<bdi>{}</bdi>", ShortText(value.as_deref().unwrap_or("unknown")))?;
                }
                f.write_str("</a></li>\n")?;
            }
            f.write_str("</ul></nav>\n")?;
        }
        let shown = Product::ALL
            .iter()
            .filter(|product| self.parts.iter().chain(self.singles).any(|part| family(part) == product.name()));
        f.write_str("<details><summary>What is counted</summary><dl>\n")?;
        for product in shown {
            writeln!(f, "<dt>{}</dt><dd>{}.</dd>", Words(product.name()), ShortText(product.definition()))?;
        }
        f.write_str("</dl></details>\n")
    }

    /// The numbers that choose what is shown.
    fn controls(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let choice = |f: &mut fmt::Formatter<'_>, name: &str, id: &str, checked: &str, text: &str| {
            write!(f, "<label><input type=\"radio\" name=\"{name}\" id=\"{id}\"{checked}>{text}</label>")
        };
        f.write_str("<form autocomplete=\"off\">\n")?;
        if self.has_means() {
            f.write_str("<fieldset><legend>Number</legend>")?;
            choice(f, "measure", "share", " checked", "share of positions")?;
            choice(f, "measure", "mean", "", "mean per position")?;
            f.write_str("</fieldset>\n")?;
        }
        if self.has_differences() {
            f.write_str("<fieldset><legend>Boards</legend>")?;
            choice(f, "boards", "sides", " checked", "each side")?;
            choice(f, "boards", "minus", "", "White minus Black")?;
            f.write_str("</fieldset>\n")?;
        }
        self.legend(f, false)?;
        if self.has_differences() {
            self.legend(f, true)?;
        }
        f.write_str("</form>\n")
    }

    /// A board of this number of a group of this number.
    fn board(&self, f: &mut fmt::Formatter<'_>, group: usize, place: usize, scale: ColorScale) -> fmt::Result {
        let part = &self.parts[place];
        let class = match (part.minus, part.name.starts_with("black_")) {
            (Some(_), _) => "minus",
            (None, true) => "sides black",
            (None, false) => "sides",
        };
        let (id, name) = (format_args!("c{group}-{place}"), &part.name);
        writeln!(
            f,
            "<figure class=\"{class}\" data-column=\"{name}\" data-product=\"{}\"><figcaption id=\"{id}\">{}</figcaption>",
            family(part),
            Words(name)
        )?;
        write!(f, "<table role=\"grid\" aria-labelledby=\"{id} g{group}\">\n<thead><tr><th scope=\"col\">Rank</th>")?;
        ('a'..='h').try_for_each(|file| write!(f, "<th scope=\"col\">{file}</th>"))?;
        f.write_str("</tr></thead>\n<tbody>\n")?;
        for rank in (0..8).rev() {
            write!(f, "<tr><th scope=\"row\">{}</th>", rank + 1)?;
            for square in &Square::ALL[8 * rank..8 * rank + 8] {
                self.square(f, group, part, *square, scale)?;
            }
            f.write_str("</tr>\n")?;
        }
        f.write_str("</tbody>\n</table></figure>\n")
    }

    fn square(
        &self,
        f: &mut fmt::Formatter<'_>,
        group: usize,
        part: &SummedColumn,
        square: Square,
        scale: ColorScale,
    ) -> fmt::Result {
        let [count, sum] = self.totals.sums(group, part, Some(square));
        let [share, mean] = self.values(group, part, Some(square));
        let signed =
            |text: String| if part.minus.is_some() && !text.starts_with('-') { format!("+{text}") } else { text };
        let tab = if square == Square::A8 { 0 } else { -1 };
        let strength = |value: f64, most: f64| if most > 0.0 { value / most } else { 0.0 };
        write!(f, "<td tabindex=\"{tab}\" style=\"--share:{:.3}", strength(share, scale.share))?;
        if self.has_means() {
            write!(f, ";--mean:{:.3}", strength(mean, scale.mean))?;
        }
        let [count, sum] = [count, sum].map(|sum| signed(sum.to_string()));
        let [long_share, long_mean] = [share, mean].map(|value| signed(tidy(value)));
        write!(f, "\" aria-label=\"{square}: count {count}, share {long_share}")?;
        if part.has_sum {
            write!(f, ", sum {sum}, mean {long_mean}")?;
        }
        // A name has what is seen, not in parentheses: checkers of names skip these.
        let (short_share, short_mean) = (percent(share, part.minus.is_some()), display_value(mean, part));
        if self.has_means() {
            write!(f, "; {short_share}, {short_mean}\"><i>{short_share}</i><b>{short_mean}</b>")?;
        } else {
            write!(f, "; {short_share}\"><i>{short_share}</i>")?;
        }
        f.write_str("</td>")
    }
}

impl fmt::Display for PageWriter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let totals = self.totals;
        let all: u64 = (0..totals.keys.len()).map(|group| totals.positions(group)).sum();
        // Nothing is fetched, and nothing that the style or the script does not say is done.
        f.write_str(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
             script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Statistics by square</title>\n<style>\n",
        )?;
        writeln!(f, ":root {{ {} }}", if self.theme == Theme::Dark { DARK } else { LIGHT })?;
        if self.theme == Theme::Auto {
            writeln!(f, "@media (prefers-color-scheme: dark) {{ :root {{ {DARK} }} }}")?;
        }
        let (sides, parts) = (self.sides().count(), self.parts.len());
        writeln!(f, ":root {{ --sides: {sides}; --minus: {}; }}", parts - sides)?;
        write!(f, "{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>Statistics by square")?;
        if !totals.by.is_empty() {
            f.write_str(", by ")?;
            for (at, name) in totals.names().enumerate() {
                write!(f, "{}<bdi>{}</bdi>", if at > 0 { ", " } else { "" }, ShortText(name))?;
            }
        }
        f.write_str("</h1>\n")?;
        self.origin(f)?;
        write!(f, "<p>{}", positions(all))?;
        if !totals.by.is_empty() {
            write!(f, " in {} group{}", grouped(totals.keys.len() as u64), plural(totals.keys.len() as u64))?;
        }
        f.write_str(". Arrow keys move from square to square.</p>\n")?;
        if self.groups.len() < totals.keys.len() {
            let (shown, boards) = (self.groups.len(), MOST_BOARDS);
            writeln!(
                f,
                "<p><strong>Here are the {shown} groups with the most positions:</strong> a page has {boards} boards at most.</p>"
            )?;
        }
        self.contents(f)?;
        self.controls(f)?;
        let scales: Vec<ColorScale> = self.parts.iter().map(|part| self.scale(part)).collect();
        let of_all = self.shares_of_all();
        for &group in self.groups {
            let difference = self.difference(group, &of_all);
            write!(f, "<section data-difference=\"{difference:.6}\">\n<h2 id=\"g{group}\">")?;
            for (at, (name, value)) in totals.names().zip(&totals.keys[group]).enumerate() {
                // Letters from right to left do not turn what stands around them.
                let (separator, value) = (if at > 0 { ", " } else { "" }, value.as_deref().unwrap_or("unknown"));
                write!(f, "{separator}<bdi>{}</bdi> <bdi>{}</bdi>", ShortText(name), ShortText(value))?;
            }
            let separator = if totals.by.is_empty() { "" } else { ": " };
            let count = positions(totals.positions(group));
            writeln!(f, "{separator}{count}</h2>")?;
            if self.totals.keys.len() > 1 {
                let points = 100.0 * difference;
                writeln!(
                    f,
                    "<p class=\"note\">Its shares differ from those of all positions by {points:.1} points in the mean.</p>"
                )?;
            }
            for part in self.singles {
                let [share, mean] = self.values(group, part, None).map(tidy);
                writeln!(f, "<p>{}: share {share}, mean {mean}</p>", Words(&part.name))?;
            }
            f.write_str("<div class=\"boards\">\n")?;
            (0..self.parts.len()).try_for_each(|place| self.board(f, group, place, scales[place]))?;
            f.write_str("</div>\n</section>\n")?;
        }
        write!(
            f,
            "</main>\n<output id=\"detail\" aria-live=\"off\">Point at a square, or go to one with the key Tab.</output>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
        )
    }
}

/// The name of the product of a column, or that of the column where it is one of none, such as threats by side.
fn family(part: &SummedColumn) -> &str {
    let of =
        |name: &str| Product::ALL.iter().find(|product| product.columns().iter().any(|column| column.name() == name));
    let sides = || ["white_", "black_"].into_iter().find_map(|side| part.name.strip_prefix(side));
    let rest = part.name.strip_prefix("difference_").or_else(sides).unwrap_or(&part.name);
    let found = of(&part.name).or_else(|| of(&format!("white_{rest}"))).or_else(|| of(rest));
    found.map_or(rest, |product| product.name())
}

/// A share as people read it. What is rare is not nothing.
fn percent(share: f64, is_minus: bool) -> String {
    let (size, sign) = (
        100.0 * share.abs(),
        if share < 0.0 {
            "−"
        } else if is_minus {
            "+"
        } else {
            ""
        },
    );
    match size {
        0.0 => "0".to_owned(),
        size if size < 1.0 => format!("{sign}<1%").replace('<', "&lt;"),
        size => format!("{sign}{size:.0}%"),
    }
}

/// The name of a column or a product, as words.
struct Words<'a>(&'a str);

impl fmt::Display for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let difference = self.0.strip_prefix("difference_").map(|rest| format!("White minus Black: {rest}"));
        let text = difference.unwrap_or_else(|| self.0.to_owned()).replace('_', " ");
        let mut letters = text.chars();
        letters.next().map_or(Ok(()), |first| write!(f, "{}", first.to_ascii_uppercase()))?;
        write!(f, "{}", ShortText(letters.as_str()))
    }
}

fn positions(count: u64) -> String {
    format!("{} position{}", grouped(count), plural(count))
}

/// Text between tags, cut off if it is very long.
struct ShortText<'a>(&'a str);

impl fmt::Display for ShortText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut letters = self.0.chars();
        letters.by_ref().take(MOST_CHARACTERS).try_for_each(|letter| match letter {
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '&' => f.write_str("&amp;"),
            letter if letter.is_control() => f.write_char('\u{fffd}'),
            letter => f.write_char(letter),
        })?;
        if letters.next().is_some() { f.write_char('…') } else { Ok(()) }
    }
}
