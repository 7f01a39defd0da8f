//! A position that the user types, or edits piece by piece.
//!
//! A board is 64 letters here, a1 first, as in FEN; a dot is an empty square. It need not be a position: a king may be missing.

use serde_json::{Value, json};

use crate::error;

/// The most bytes of a line that a person types.
const MOST: usize = 500;
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

/// FEN from a line that a person has typed or copied from elsewhere.
///
/// Quotes, underscores for blanks, and `position fen` before it are usual, and the fields behind the board may be missing: then
/// White is to move, and nobody may castle. Numbers of moves are left out. The answer has the FEN, if there is a board.
pub fn typed(text: &str) -> Value {
    match read(text) {
        Ok(fen) => json!({ "fen": fen }),
        Err(message) => error(message),
    }
}

fn read(text: &str) -> Result<String, String> {
    if text.len() > MOST {
        return Err(format!("expected at most {MOST} bytes in a position, found {}", text.len()));
    }
    let text = text.trim_matches(|sign: char| sign.is_whitespace() || "\"'`;,".contains(sign)).replace('_', " ");
    let mut fields: Vec<&str> = text.split_whitespace().collect();
    let has_position = fields.first() == Some(&"position");
    fields.drain(..usize::from(has_position));
    if fields.first() == Some(&"startpos") {
        fields.splice(..1, START.split(' '));
    } else if fields.first().is_some_and(|field| field.eq_ignore_ascii_case("fen")) {
        fields.remove(0);
    }
    if fields.iter().skip(1).any(|&field| field == "moves") {
        return Err("moves after a position are not read: paste the game as PGN".into());
    }
    let first = fields.first().copied().unwrap_or_default();
    if board(first).is_none() {
        let found: String = first.chars().take(80).collect();
        return Err(format!("expected a board in FEN, eight ranks with / between them, found {found:?}"));
    }
    fields.truncate(4);
    let missing = ["w", "-", "-"].into_iter().skip(fields.len() - 1);
    fields.extend(missing);
    Ok(fields.join(" "))
}

/// The letters of a board in FEN, if it is one.
pub fn board(text: &str) -> Option<String> {
    let mut ranks: Vec<String> = Vec::new();
    for rank in text.split('/') {
        let mut letters = String::new();
        for sign in rank.chars() {
            match sign {
                '1'..='8' => letters.extend(std::iter::repeat_n('.', sign as usize - '0' as usize)),
                'p' | 'n' | 'b' | 'r' | 'q' | 'k' | 'P' | 'N' | 'B' | 'R' | 'Q' | 'K' => letters.push(sign),
                _ => return None,
            }
        }
        ranks.push(letters);
    }
    let is_whole = ranks.len() == 8 && ranks.iter().all(|rank| rank.len() == 8);
    is_whole.then(|| ranks.into_iter().rev().collect())
}

/// The FEN of a board that has been changed. The input is the FEN before, a line end, and the letters of the board.
///
/// A castling right is lost when its king or its rook has moved. An en passant square is lost, too.
pub fn changed(input: &str) -> Value {
    let (fen, letters) = input.split_once('\n').unwrap_or((input, ""));
    let mut fields = fen.split_whitespace();
    let before = fields.next().and_then(board).unwrap_or_default();
    let (side, castling) = (fields.next().unwrap_or("w"), fields.next().unwrap_or("-"));
    let is_board = letters.len() == 64 && letters.bytes().all(|letter| b".pnbrqkPNBRQK".contains(&letter));
    if !is_board {
        return error("expected 64 letters of a board");
    }
    let mut kept: String =
        castling.chars().filter(|&right| stands(right, before.as_bytes(), letters.as_bytes())).collect();
    if kept.is_empty() {
        kept.push('-');
    }
    json!({ "fen": format!("{} {side} {kept} -", write(letters.as_bytes())) })
}

/// Whether the king and the rook of a castling right have not moved.
fn stands(right: char, before: &[u8], after: &[u8]) -> bool {
    let (king, rook, home) = if right.is_ascii_uppercase() { (b'K', b'R', 0) } else { (b'k', b'r', 56) };
    let Some(rank) = before.get(home..home + 8) else { return false };
    let Some(king_at) = rank.iter().position(|&letter| letter == king) else { return false };
    // The right of a side is that of the outermost rook.
    let rook_at = match right.to_ascii_lowercase() {
        'k' => rank.iter().rposition(|&letter| letter == rook).filter(|&at| at > king_at),
        'q' => rank.iter().position(|&letter| letter == rook).filter(|&at| at < king_at),
        file @ 'a'..='h' => Some(file as usize - 'a' as usize).filter(|&at| rank[at] == rook),
        _ => None,
    };
    rook_at.is_some_and(|rook_at| after[home + king_at] == king && after[home + rook_at] == rook)
}

fn write(letters: &[u8]) -> String {
    let rank = |rank: &[u8]| {
        rank.chunk_by(|one, other| *one == b'.' && *other == b'.')
            .map(|part| if part[0] == b'.' { part.len().to_string() } else { char::from(part[0]).to_string() })
            .collect::<String>()
    };
    letters.chunks(8).rev().map(rank).collect::<Vec<_>>().join("/")
}
