//! The labels of a position, from the rest of a line after the four fields of FEN: counters, EPD operations, or `| score |
//! result`.

use slider_attacks::position::Color;
use slider_attacks_formats::error::quoted;
use slider_attacks_games::records::Outcome;

/// The labels of a position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PositionLabels {
    /// The score in centipawns from White's view.
    pub score: Option<i16>,
    /// How the game ended.
    pub result: Option<Outcome>,
    /// Half moves since the last capture or move of a pawn.
    pub halfmove: Option<u16>,
    /// The number of the move.
    pub fullmove: Option<u16>,
}

/// The labels from the text of a position.
///
/// # Errors
///
/// A counter, a score or a result is invalid.
pub fn labels(text: &str, side: Color) -> Result<PositionLabels, String> {
    let mut labels = PositionLabels::default();
    let mut rest = text.trim_ascii_start();
    for _ in 0..3 {
        rest = after_word(rest, &[' ', '\t']);
    }
    // A semicolon ends the fourth field, and each counter.
    rest = after_word(rest, &[' ', '\t', ';']);
    for (counter, name) in [(&mut labels.halfmove, "half moves"), (&mut labels.fullmove, "moves")] {
        if rest.starts_with(|first: char| first.is_ascii_digit()) {
            let (word, after) = rest.split_at(rest.find([' ', '\t', '|', ';']).unwrap_or(rest.len()));
            *counter = Some(number(word, name)?);
            rest = after.trim_ascii_start();
        }
    }
    match rest.strip_prefix('|') {
        Some(rest) => bars(rest, &mut labels)?,
        None => operations(rest, side, &mut labels)?,
    }
    Ok(labels)
}

/// The text after its first word, which ends before one of these.
fn after_word<'t>(text: &'t str, ends: &[char]) -> &'t str {
    let end = text.find(ends).unwrap_or(text.len());
    text[end..].trim_ascii_start()
}

fn number(word: &str, name: &str) -> Result<u16, String> {
    word.parse().map_err(|_| wrong(name, "a number from 0 to 65535", word))
}

fn wrong(name: &str, expected: &str, found: &str) -> String {
    format!("{name}: expected {expected}, found {}", quoted(found))
}

/// ` score | result`, as white sees them.
fn bars(text: &str, labels: &mut PositionLabels) -> Result<(), String> {
    let (score, result) = text.split_once('|').unwrap_or((text, ""));
    let (score, result) = (score.trim_ascii(), result.trim_ascii());
    labels.score = Some(centipawns(score).ok_or_else(|| wrong("score", "centipawns", score))?);
    if !result.is_empty() {
        labels.result = outcome(result)?;
    }
    Ok(())
}

fn outcome(text: &str) -> Result<Option<Outcome>, String> {
    result_of(text).ok_or_else(|| wrong("result", "1-0, 1/2-1/2, 0-1, 1.0, 0.5 or 0.0", text))
}

/// A score, rounded; the conversion takes the nearest number of 16 bits.
pub fn centipawns(text: &str) -> Option<i16> {
    let number: f64 = text.parse().ok()?;
    number.is_finite().then(|| number.round() as i16)
}

/// Operations. Each ends in a semicolon. Most say nothing of a score, a result or a counter.
fn operations(mut text: &str, side: Color, labels: &mut PositionLabels) -> Result<(), String> {
    while !text.is_empty() {
        let mut is_quoted = false;
        let end = text.find(|letter| {
            is_quoted ^= letter == '"';
            letter == ';' && !is_quoted
        });
        let (operation, after) = text.split_at(end.unwrap_or(text.len()));
        text = after.strip_prefix(';').unwrap_or(after).trim_ascii_start();
        let Some((name, value)) = operation.split_once([' ', '\t']) else { continue };
        let value = value.trim_ascii().trim_matches('"');
        match name {
            "ce" => {
                let score = centipawns(value).ok_or_else(|| wrong("ce", "centipawns", value))?;
                labels.score = Some(if side == Color::White { score } else { score.saturating_neg() });
            }
            "hmvc" => labels.halfmove = Some(number(value, "hmvc")?),
            "fmvn" => labels.fullmove = Some(number(value, "fmvn")?),
            // The comments c0 to c9 have many uses: values that are not results are ignored.
            "c9" => labels.result = result_of(value).flatten().or(labels.result),
            _ => {}
        }
    }
    Ok(())
}

/// The result that a text is; `None` within `Some` if the game had none.
pub fn result_of(text: &str) -> Option<Option<Outcome>> {
    Some(match text {
        "1-0" | "1" | "1.0" => Some(Outcome::White),
        "0-1" | "0" | "0.0" => Some(Outcome::Black),
        "1/2-1/2" | "1/2" | "0.5" => Some(Outcome::Draw),
        // In a double forfeit, both players lose: no outcome stands for that.
        "*" | "0-0" => None,
        _ => return None,
    })
}
