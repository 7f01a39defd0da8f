//! The legal moves of a position, as people write them, and the position after each.

use serde_json::{Value, json};
use slider_attacks::moves::{Move, MoveKind, Moves};
use slider_attacks::position::{Piece, Positions};
use slider_attacks::{Backend, Square};
use slider_attacks_games::Board;

use crate::error;

/// The legal moves of a position: their squares, the letter that a pawn becomes, SAN, and the FEN after them.
///
/// Castling goes to the square where the king comes to stand, or to that of the rook if the king moves by less than two files:
/// otherwise, it could be another move of the king.
pub fn moves(fen: &str) -> Value {
    let board = match Board::read_fen(fen.trim().as_bytes()) {
        Ok(board) => board,
        Err(wrong) => return error(wrong),
    };
    let (mut positions, mut moves) = (Positions::new(), Moves::default());
    board.push_to(&mut positions);
    Backend::active().moves(&positions, &mut moves);
    let moves = &moves[0];
    let mut after = Positions::with_capacity(moves.len());
    // A king that is attacked although the other side is to move leaves boards that nobody can play on.
    let played = |&mv: &Move| {
        let mut next = board.clone();
        next.play(mv).ok()?;
        Some((mv, next))
    };
    let played: Vec<(Move, Board)> = moves.iter().filter_map(played).collect();
    played.iter().for_each(|(_, next)| next.push_to(&mut after));
    let mut replies = vec![0; played.len()];
    if Backend::active().legal_moves(&after, &mut replies).is_err() {
        return error("the replies cannot be counted");
    }
    let told = played.iter().enumerate().map(|(row, (mv, next))| {
        let sign = if !next.is_check() {
            ""
        } else if replies[row] == 0 {
            "#"
        } else {
            "+"
        };
        json!([
            mv.start().index(),
            target(*mv),
            letter(*mv),
            format!("{}{sign}", san(&board, *mv, moves)),
            after.fen(row)
        ])
    });
    told.collect()
}

/// Where a person moves the piece to.
fn target(mv: Move) -> u8 {
    let (from, to) = (mv.start().index(), mv.target().index());
    if mv.kind() != MoveKind::Castling {
        return to;
    }
    let king = from - from % 8 + if to > from { 6 } else { 2 };
    if king.abs_diff(from) < 2 { to } else { king }
}

fn letter(mv: Move) -> String {
    mv.promoted().map(|piece| name(piece).to_string()).unwrap_or_default()
}

fn name(piece: Piece) -> char {
    piece.letter(slider_attacks::position::Color::White)
}

/// A move in SAN, without the signs of check.
fn san(board: &Board, mv: Move, all: &[Move]) -> String {
    let (from, to) = (mv.start(), mv.target());
    if mv.kind() == MoveKind::Castling {
        return if to.index() > from.index() { "O-O" } else { "O-O-O" }.to_owned();
    }
    let piece_on = |square: Square| board.piece(square).map(|(_, piece)| piece);
    let piece = piece_on(from);
    let takes = if piece_on(to).is_some() || mv.kind() == MoveKind::EnPassant { "x" } else { "" };
    if piece == Some(Piece::Pawn) {
        let file = if takes.is_empty() { String::new() } else { from.to_string()[..1].to_owned() };
        let becomes = mv.promoted().map_or_else(String::new, |piece| format!("={}", name(piece)));
        return format!("{file}{takes}{to}{becomes}");
    }
    // The file tells other pieces of the kind apart, else the rank, else both.
    let others = || {
        let is_other = |other: &&Move| {
            other.target() == to
                && other.start() != from
                && other.kind() != MoveKind::Castling
                && piece_on(other.start()) == piece
        };
        all.iter().filter(is_other).map(|other| other.start())
    };
    let name_of = from.to_string();
    let of = if others().next().is_none() {
        ""
    } else if others().all(|other| other.file() != from.file()) {
        &name_of[..1]
    } else if others().all(|other| other.rank() != from.rank()) {
        &name_of[1..]
    } else {
        &name_of
    };
    format!("{}{of}{takes}{to}", piece.map_or('?', name))
}
