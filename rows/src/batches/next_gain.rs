//! What the move gains that was played from a position.

use anyhow::{Result, anyhow, ensure};
use arrow_array::Int16Array;
use slider_attacks::Square;
use slider_attacks::analysis::ExchangeRules;
use slider_attacks::moves::{Move, MoveKind};
use slider_attacks::position::{Color, Piece, Positions};
use slider_attacks_arrow::Plan;
use slider_attacks_files::block::Origin;
use slider_attacks_formats::batch::Records;
use slider_attacks_formats::error::Malformed;
use slider_attacks_games::Board;

use crate::convert::labels::{LabelColumns, LabelSource, NamedColumns, PlayedMove};

/// The name of the column.
pub const NEXT_GAIN: &str = "next_gain";

/// The positions after moves of one side, in which the other side answers on the square of the move.
#[derive(Default)]
struct Answers {
    positions: Positions,
    /// For each of them, its row and the square.
    squares: Vec<(usize, Square)>,
}

/// The gain of the move that was played from each position, with the values and pins of a plan: what it captures, and what a
/// promotion adds, less what the other side then gains by an exchange on its square. Castling gains nothing. Nothing where no move
/// is known. `column` is that of the positions.
///
/// # Errors
///
/// No column has moves, or a move is not legal. The message names the record.
pub fn next_gains(plan: &Plan, column: &str, origin: &Origin, records: &Records) -> Result<Int16Array> {
    let columns = LabelColumns::new(&NamedColumns::default(), column);
    let source = LabelSource::new(&columns, origin, records);
    let rows = records.numbers.len();
    let asks = rows == 0 || source.has_played();
    ensure!(asks, "{}: {NEXT_GAIN} needs the moves: keep next_move, or next_uci of a table", origin.display_name());
    let options = plan.option_values();
    let rules = ExchangeRules { values: options.values, pinned: options.pinned };
    let [mut white, mut black] = [Answers::default(), Answers::default()];
    let mut gains = vec![None; rows];
    for (row, gain) in gains.iter_mut().enumerate() {
        if records.nulls.binary_search_by_key(&row, |(place, _)| *place).is_ok() {
            continue;
        }
        let wrong = |what: String| {
            let number = records.numbers[row];
            anyhow!(origin.message(&Malformed { number, what: what.into(), place: None }))
        };
        let mut board = Board::from_position(&records.positions, row);
        let PlayedMove::Known(Some(mv)) = source.played(row, &board).map_err(wrong)? else { continue };
        *gain = Some(taken(&records.positions, row, mv, rules.values.get()));
        if mv.kind() != MoveKind::Castling {
            board.play(mv).map_err(|error| wrong(error.to_string()))?;
            let answers = if records.positions.side_to_move()[row] == Color::White { &mut black } else { &mut white };
            board.push_to(&mut answers.positions);
            answers.squares.push((row, mv.target()));
        }
    }
    for (color, answers) in [(Color::White, white), (Color::Black, black)] {
        let mut lost = vec![[0; 64]; answers.squares.len()];
        plan.computes_with().exchanges(&answers.positions, color, rules, &mut lost)?;
        for ((row, square), lost) in answers.squares.into_iter().zip(lost) {
            gains[row] = gains[row].map(|gain| gain - i16::from(lost[usize::from(square.index())]));
        }
    }
    Ok(gains.into_iter().collect())
}

/// What a move captures, and what a promotion adds.
fn taken(positions: &Positions, row: usize, mv: Move, values: [u8; 5]) -> i16 {
    let value = |piece: Piece| values.get(piece as usize).map_or(0, |&value| i16::from(value));
    let captured = match mv.kind() {
        MoveKind::Castling => 0,
        MoveKind::EnPassant => value(Piece::Pawn),
        _ => positions.piece_at(row, mv.target()).map_or(0, |(_, piece)| value(piece)),
    };
    captured + mv.promoted().map_or(0, |piece| value(piece) - value(Piece::Pawn))
}
