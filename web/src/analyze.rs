//! One position: all columns of a plan, and the maps by kind of piece.

use serde_json::{Map, Value, json};
use slider_attacks::position::{Castling, Color, Piece, Positions};
use slider_attacks::{Backend, Square, bishop_attacks, queen_attacks, rook_attacks};
use slider_attacks_arrow::{Plan, Values};

use crate::{edit, squares};

/// The columns of a position, which is the first line of a text. An error has the board and
/// what its pieces attack, if that can be read.
pub fn analyze(plan: &Plan, fen: &[u8]) -> Value {
    let fen = fen.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    let mut positions = Positions::new();
    if let Err(wrong) = positions.push_fen(fen) {
        // The pieces can be shown, and changed, although this is no position, and what they attack does not depend on that.
        let board = String::from_utf8_lossy(fen).split_whitespace().next().and_then(edit::board);
        let Some(board) = board else { return json!({ "error": wrong.to_string() }) };
        let (pieces, mut columns) = (loose_attacks(board.as_bytes()), Map::new());
        for color in Color::ALL {
            let own = || pieces.iter().filter(|attacks| attacks.piece.0 == color);
            let count = |square: usize| own().filter(|attacks| attacks.map >> square & 1 == 1).count();
            columns.insert(format!("{color}_attacks"), squares(own().fold(0, |map, attacks| map | attacks.map)));
            columns.insert(format!("{color}_attackers"), (0..64).map(count).collect());
        }
        let mut answer = told(&pieces, columns);
        answer["error"] = wrong.to_string().into();
        answer["board"] = board.into();
        return answer;
    }
    let mut columns = Map::new();
    for (name, values) in plan.names().zip(plan.values(&positions)) {
        let value = match &values {
            Values::Boards(boards) => squares(boards[0]),
            Values::Numbers(numbers) => numbers[0].to_vec().into(),
            Values::Number(numbers) => numbers[0].into(),
            Values::Threats { threats, .. } => threats.iter().map(threat).collect(),
            _ => continue,
        };
        columns.insert(name.to_owned(), value);
    }
    let letter = |square| positions.piece_at(0, square).map_or('.', |(color, piece)| piece.letter(color));
    let mut answer = told(&piece_attacks(&positions), columns);
    answer["fen"] = positions.fen(0).into();
    answer["board"] = Square::ALL.map(letter).iter().collect::<String>().into();
    answer
}

/// The columns, with the maps by kind of piece, and what each piece attacks.
fn told(pieces: &[PieceAttacks], mut columns: Map<String, Value>) -> Value {
    for ((color, piece), (name, _)) in sides().zip(kind_columns()) {
        let own = pieces.iter().filter(|attacks| attacks.piece == (color, piece));
        columns.insert(name, squares(own.fold(0, |map, attacks| map | attacks.map)));
    }
    let pieces = pieces.iter().map(|attacks| (attacks.square.to_string(), squares(attacks.map)));
    json!({ "columns": columns, "pieces": pieces.collect::<Map<String, Value>>() })
}

/// What each piece of a board attacks that is no position, for example because a king is missing.
fn loose_attacks(board: &[u8]) -> Vec<PieceAttacks> {
    let occupancy = (0..64).filter(|&at| board[at] != b'.').fold(0, |all, at| all | 1 << at);
    let piece_of = |letter: u8| sides().find(|(color, piece)| piece.letter(*color) == char::from(letter));
    let pieces =
        Square::ALL.into_iter().filter_map(|square| Some((square, piece_of(board[usize::from(square.index())])?)));
    let attacks = |(square, piece)| PieceAttacks { square, piece, map: walk(square, piece, occupancy) };
    pieces.map(attacks).collect()
}

/// What a piece attacks: the library for sliders, and steps for all others.
fn walk(square: Square, (color, piece): (Color, Piece), occupancy: u64) -> u64 {
    const KNIGHT: [(i8, i8); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
    const KING: [(i8, i8); 8] = [(1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 1)];
    let steps: &[(i8, i8)] = match (piece, color) {
        (Piece::Bishop, _) => return bishop_attacks(square, occupancy),
        (Piece::Rook, _) => return rook_attacks(square, occupancy),
        (Piece::Queen, _) => return queen_attacks(square, occupancy),
        (Piece::Knight, _) => &KNIGHT,
        (Piece::Pawn, Color::White) => &[(-1, 1), (1, 1)],
        (Piece::Pawn, Color::Black) => &[(-1, -1), (1, -1)],
        _ => &KING,
    };
    let at = square.index() as i8;
    let targets = steps.iter().map(|(right, up)| (at % 8 + right, at / 8 + up));
    let inside = targets.filter(|(file, rank)| (0..8).contains(file) && (0..8).contains(rank));
    inside.fold(0, |map, (file, rank)| map | 1 << (8 * rank + file))
}

/// Attacker, from, to and victim. Pieces are their letters, squares their numbers.
fn threat(&[attacker, from, to, victim]: &[u8; 4]) -> Value {
    let [attacker, victim] = [attacker, victim].map(|letter| char::from(letter).to_string());
    json!([attacker, from, to, victim])
}

/// All kinds of pieces, White's first.
fn sides() -> impl Iterator<Item = (Color, Piece)> {
    Color::ALL.into_iter().flat_map(|color| Piece::ALL.map(|piece| (color, piece)))
}

/// The names and meanings of the maps by kind of piece, White's first.
pub fn kind_columns() -> impl Iterator<Item = (String, String)> {
    sides().map(|(color, piece)| {
        let meaning = match piece {
            Piece::King => format!("the squares that the {color} king attacks"),
            _ => format!("the squares that at least one {color} {piece} attacks"),
        };
        (format!("{color}_{piece}_attacks"), meaning)
    })
}

/// What a piece attacks.
struct PieceAttacks {
    square: Square,
    piece: (Color, Piece),
    map: u64,
}

/// What each piece attacks.
///
/// An attack depends on which squares are occupied, and not on the sides of the pieces there. So on a board on which all other
/// pieces have changed sides, a side attacks what its king and one piece attack: the counts are those of the two, and those of
/// the king alone are known from a board without the piece.
fn piece_attacks(positions: &Positions) -> Vec<PieceAttacks> {
    const WHOLE: &str = "each side keeps its king";
    let mut all = Vec::with_capacity(32);
    for color in Color::ALL {
        let own = Square::ALL.into_iter().filter_map(|square| Some((square, positions.piece_at(0, square)?)));
        let own: Vec<(Square, Piece)> =
            own.filter(|(_, (side, _))| *side == color).map(|(square, (_, piece))| (square, piece)).collect();
        let mut boards = Positions::with_capacity(own.len());
        for (kept, _) in &own {
            let mut pieces = Color::ALL.map(|color| Piece::ALL.map(|piece| positions.pieces(color, piece)[0]));
            for piece in Piece::ALL.into_iter().filter(|&piece| piece != Piece::King) {
                let moved = pieces[color as usize][piece as usize] & !kept.bitboard();
                pieces[color as usize][piece as usize] &= kept.bitboard();
                pieces[color.other() as usize][piece as usize] |= moved;
            }
            boards.push_boards(pieces, Color::White, Castling::NONE, None).expect(WHOLE);
        }
        let mut counts = vec![[0; 64]; own.len()];
        Backend::active().attacker_counts(&boards, color, &mut counts).expect("one element per position");
        let king = own.iter().position(|(_, piece)| *piece == Piece::King).map(|at| counts[at]).expect(WHOLE);
        for ((square, piece), counts) in own.into_iter().zip(counts) {
            let is_attacked = |at: &usize| counts[*at] > if piece == Piece::King { 0 } else { king[*at] };
            let map = (0..64).filter(is_attacked).fold(0, |map, at| map | 1 << at);
            all.push(PieceAttacks { square, piece: (color, piece), map });
        }
    }
    all
}
