//! A summary as a self-contained HTML page of coloured boards.
//!
//! The numbers are in tables, so that screen readers announce them and the page works without its script. Style sheets select
//! the measure that determines the colours.

use std::fmt::{self, Write as _};

use slider_attacks::Square;
use slider_attacks::diagram::Theme;

use super::table::{SummedColumn, Totals, display_value, plural, tidy};
use crate::write::table::grouped;

/// The most boards of a page. Each takes about 10 KB.
const MOST_BOARDS: usize = 240;

/// The most characters of the name of a group.
const MOST_CHARACTERS: usize = 200;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The colours of a theme: blue above zero and orange below, which colour-blind readers can distinguish.
const LIGHT: &str = "color-scheme: light; --page: #ffffff; --board: #ffffff; --text: #1a1a1a; --note: #555555; \
                     --line: #cfd3d8; --above: 74 144 217; --below: 240 146 74;";
const DARK: &str = "color-scheme: dark; --page: #17191c; --board: #202327; --text: #f4f4f4; --note: #b4b8bd; \
                    --line: #41464d; --above: 47 116 181; --below: 179 90 27;";

/// Which kind of numbers a page has, and the largest of them, which have the strongest colour.
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

impl Page {
    /// The page of these sums.
    pub fn new(totals: &Totals, theme: Theme) -> Page {
        let (singles, parts): (Vec<SummedColumn>, Vec<SummedColumn>) =
            totals.parts().into_iter().partition(|part| part.is_single);
        let groups = largest(totals, MOST_BOARDS / parts.len().max(1));
        let left_out = totals.keys.len() - groups.len();
        let html = PageWriter { totals, parts: &parts, singles: &singles, groups: &groups, theme }.to_string();
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
}

impl PageWriter<'_> {
    /// The largest numbers of the columns, or of their differences.
    fn scale(&self, is_minus: bool) -> ColorScale {
        let parts = || self.parts.iter().filter(|part| part.minus.is_some() == is_minus);
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

    fn has_differences(&self) -> bool {
        self.parts.iter().any(|part| part.minus.is_some())
    }

    fn has_means(&self) -> bool {
        self.parts.iter().any(|part| part.has_sum)
    }

    /// The scale of the columns, or of their differences.
    fn legend(&self, f: &mut fmt::Formatter<'_>, is_minus: bool) -> fmt::Result {
        let (class, scale) = (if is_minus { "minus" } else { "sides" }, self.scale(is_minus));
        let what = if is_minus {
            "White minus Black: orange where Black has more, blue where White has"
        } else {
            "from nothing to the largest number"
        };
        write!(
            f,
            "<div class=\"{class}\"><div class=\"legend\" role=\"img\" aria-label=\"Scale, {what}\"><div></div>"
        )?;
        for (name, most) in [("share", scale.share), ("mean", scale.mean)] {
            if is_minus {
                let text = tidy(most);
                write!(
                    f,
                    "<p class=\"{name}\"><span>Black −{text}</span><span>0</span><span>White +{text}</span></p>"
                )?;
            } else {
                write!(f, "<p class=\"{name}\"><span>0</span><span>{}</span></p>", tidy(most))?;
            }
        }
        f.write_str("</div></div>\n")
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
    fn board(&self, f: &mut fmt::Formatter<'_>, group: usize, place: usize, scales: [ColorScale; 2]) -> fmt::Result {
        let part = &self.parts[place];
        let is_minus = part.minus.is_some();
        let (class, scale) = (if is_minus { "minus" } else { "sides" }, scales[usize::from(is_minus)]);
        let id = format_args!("c{group}-{place}");
        writeln!(f, "<figure class=\"{class}\"><figcaption id=\"{id}\">{}</figcaption>", ShortText(&part.name))?;
        write!(f, "<table role=\"grid\" aria-labelledby=\"{id} g{group}\">\n<thead><tr><th></th>")?;
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
        write!(f, "\"><i>{}</i>", display_value(share, part))?;
        if self.has_means() {
            write!(f, "<b>{}</b>", display_value(mean, part))?;
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
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Sums by square</title>\n<style>\n",
        )?;
        writeln!(f, ":root {{ {} }}", if self.theme == Theme::Dark { DARK } else { LIGHT })?;
        if self.theme == Theme::Auto {
            writeln!(f, "@media (prefers-color-scheme: dark) {{ :root {{ {DARK} }} }}")?;
        }
        write!(f, "{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>Sums by square")?;
        if !totals.by.is_empty() {
            f.write_str(", by ")?;
            for (at, name) in totals.names().enumerate() {
                write!(f, "{}<bdi>{}</bdi>", if at > 0 { ", " } else { "" }, ShortText(name))?;
            }
        }
        write!(f, "</h1>\n<p>{}", positions(all))?;
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
        self.controls(f)?;
        let scales = [self.scale(false), self.scale(true)];
        for &group in self.groups {
            write!(f, "<section>\n<h2 id=\"g{group}\">")?;
            for (at, (name, value)) in totals.names().zip(&totals.keys[group]).enumerate() {
                // Letters from right to left do not turn what stands around them.
                let (separator, value) = (if at > 0 { ", " } else { "" }, value.as_deref().unwrap_or("unknown"));
                write!(f, "{separator}<bdi>{}</bdi> <bdi>{}</bdi>", ShortText(name), ShortText(value))?;
            }
            let separator = if totals.by.is_empty() { "" } else { ": " };
            let count = positions(totals.positions(group));
            writeln!(f, "{separator}{count}</h2>")?;
            for part in self.singles {
                let [share, mean] = self.values(group, part, None).map(tidy);
                writeln!(f, "<p>{}: share {share}, mean {mean}</p>", ShortText(&part.name))?;
            }
            f.write_str("<div class=\"boards\">\n")?;
            (0..self.parts.len()).try_for_each(|place| self.board(f, group, place, scales))?;
            f.write_str("</div>\n</section>\n")?;
        }
        write!(
            f,
            "</main>\n<output id=\"detail\" aria-live=\"off\">Point at a square, or go to one with the key Tab.</output>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
        )
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
