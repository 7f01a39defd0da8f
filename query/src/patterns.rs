//! Patterns in the texts of a condition: parts of boards, material, files and ranks.

use slider_attacks::position::{Color, Piece};

use crate::error::{Checked, QueryError};
use crate::expression::{TruthExpr, all_pieces};
use crate::parse::{Syntax, SyntaxNode};
use crate::token::beginning;

fn error<T>(column: usize, expected: &str, text: &str) -> Checked<T> {
    Err(QueryError::new(column, format!("expected {expected}, found {:?}", beginning(text))))
}

/// The colour and kind of a letter as in FEN.
fn piece_of(letter: char) -> Option<(Color, Piece)> {
    all_pieces().find(|&(color, piece)| piece.letter(color) == letter)
}

/// Pieces on their squares: a board as in FEN. On its empty squares, anything may stand.
pub fn board(text: &str, column: usize) -> Checked<TruthExpr> {
    const EXPECTED: &str = "eight ranks as in FEN, such as \"8/8/8/3pP3/8/8/8/8\"";
    let mut placed: Vec<(Color, Piece, u64)> = Vec::new();
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != 8 {
        return error(column, EXPECTED, text);
    }
    for (rank, letters) in (0..8).rev().zip(ranks) {
        let mut file = 0;
        for letter in letters.chars() {
            match (letter.to_digit(9).filter(|&empty| empty > 0), piece_of(letter)) {
                (Some(empty), _) => file += empty,
                (None, Some((color, piece))) if file < 8 => {
                    let square = 1 << (8 * rank + file);
                    match placed.iter_mut().find(|(one, other, _)| (*one, *other) == (color, piece)) {
                        Some((.., set)) => *set |= square,
                        None => placed.push((color, piece, square)),
                    }
                    file += 1;
                }
                _ => return error(column, EXPECTED, text),
            }
            if file > 8 {
                return error(column, EXPECTED, text);
            }
        }
        if file != 8 {
            return error(column, EXPECTED, text);
        }
    }
    Ok(TruthExpr::Placed(placed))
}

/// All pieces on the board, as letters; kings may be left out.
pub fn material(text: &str, column: usize) -> Checked<TruthExpr> {
    let mut counts = [[0_u8; 6]; 2];
    for letter in text.chars() {
        let Some((color, piece)) = piece_of(letter).filter(|_| text.len() <= 64) else {
            return error(column, "the letters of all pieces, such as \"KRPkr\"", text);
        };
        counts[color as usize][piece as usize] += 1;
    }
    for counts in &mut counts {
        let kings = &mut counts[Piece::King as usize];
        if *kings > 1 {
            return error(column, "one king of each colour", text);
        }
        *kings = 1;
    }
    Ok(TruthExpr::Material(counts))
}

/// What White has more, then `v`, then what Black has more.
pub fn imbalance(text: &str, column: usize) -> Checked<TruthExpr> {
    const EXPECTED: &str = "what White has more, `v`, and what Black has more, such as \"BvN\"";
    let Some((white, black)) = text.split_once('v').filter(|_| text.len() <= 64) else {
        return error(column, EXPECTED, text);
    };
    let mut more = [0_i8; 6];
    for (letters, one) in [(white, 1), (black, -1)] {
        for letter in letters.chars() {
            let piece = piece_of(letter.to_ascii_uppercase()).filter(|(_, piece)| *piece != Piece::King);
            let Some((_, piece)) = piece else { return error(column, EXPECTED, text) };
            more[piece as usize] += one;
        }
    }
    Ok(TruthExpr::Imbalance(more))
}

/// The squares of files: `"a-c"`, `"a,h"`, or one as a name.
pub fn files(node: &SyntaxNode) -> Checked<u64> {
    const FILE_A: u64 = 0x0101_0101_0101_0101;
    let number = |text: &str| match text.as_bytes() {
        [letter @ b'a'..=b'h'] => Some(u32::from(letter - b'a')),
        _ => None,
    };
    lines(node, "files from a to h, such as \"a-c\" or \"a,h\"", number, |file| FILE_A << file)
}

/// The squares of ranks: `"2-4"`, `"1,8"`, or one as a number.
pub fn ranks(node: &SyntaxNode) -> Checked<u64> {
    let number = |text: &str| match text.as_bytes() {
        [digit @ b'1'..=b'8'] => Some(u32::from(digit - b'1')),
        _ => None,
    };
    lines(node, "ranks from 1 to 8, such as \"2-4\" or 7", number, |rank| 0xff << (8 * rank))
}

fn lines(
    node: &SyntaxNode,
    expected: &str,
    number: impl Fn(&str) -> Option<u32>,
    line: impl Fn(u32) -> u64,
) -> Checked<u64> {
    let text = match &node.kind {
        Syntax::Text(text) | Syntax::Name(text) => text.clone(),
        Syntax::Number(number) => number.to_string(),
        _ => return Err(QueryError::new(node.column, format!("expected {expected}"))),
    };
    let part = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (number(first.trim())?, number(last.trim())?);
        (first <= last).then(|| (first..=last).map(&line).fold(0, |all, line| all | line))
    };
    let parts = text.split(',').map(part);
    match parts.collect::<Option<Vec<u64>>>() {
        Some(parts) => Ok(parts.into_iter().fold(0, |all, part| all | part)),
        None => error(node.column, expected, &text),
    }
}
