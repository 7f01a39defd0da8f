//! Products of positions: the function `analyze`.

use arrow_array::{Array as _, ArrayRef};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use slider_attacks_arrow::{OnError, Plan, Share, UncomputedRows};

use crate::batch::Batch;
use crate::chosen::ChosenRows;
use crate::conditions::{MemoryCondition, condition, missing_column};
use crate::errors::{PythonErrors, arrow_error};
use crate::numbers::{named, on_error};
use crate::options::options;
use crate::pandas::PandasIndex;
use crate::plan::{PART, memory_for_rows, plan};
use crate::positions::index_of;
use crate::rows::{pieces, rows, rows_with};
use crate::work::{Threads, count, in_parts};

/// Computes the rows of a column. Threads share them, and write to parts of the result.
fn compute(py: Python<'_>, plan: &Plan, arrays: &[ArrayRef], index: PandasIndex, threads: &Threads) -> PyResult<Batch> {
    let rows: usize = arrays.iter().map(|array| array.len()).sum();
    memory_for_rows(plan, rows)?;
    let mut builder = plan.builder(rows);
    // A column without rows is looked at for its type.
    if rows == 0 {
        arrays.iter().try_for_each(|rows| builder.append(rows)).map_err(arrow_error)?;
    }
    let done = in_parts(py, rows, threads.part(PART), |part| {
        // Of few rows, slices and pieces would take longer than some products.
        if let ([all], Threads::Own) = (arrays, threads)
            && part.len() == rows
        {
            return builder.append(all);
        }
        let slices = pieces(arrays, &part, threads);
        let pieces: Vec<UncomputedRows<'_>> = slices.iter().map(|rows| UncomputedRows::Column(rows)).collect();
        builder.append_shared(&pieces, |shares| threads.for_each(shares, Share::compute))
    })?;
    done.map_err(arrow_error)?;
    let errors = PythonErrors::new(builder.errors(), builder.error_count());
    let index = index.without(py, builder.skipped_rows())?;
    Ok(Batch::finish(py, builder)?.with(errors).with_index(index))
}

/// Computes products of positions: attack maps, pins, threats and more. The result has one row per position, and the columns of
/// the products in `what`, which are defined below, under Products.
///
/// Parameters
/// ----------
/// fens : the positions, FEN or EPD
///     A text column (pyarrow, Polars, pandas, DuckDB, nanoarrow, …); a table, a data frame or a dictionary of columns; a
///     sequence of str and bytes, where None or NaN is missing; or bitboards, as for `Positions`.
/// what : the name of a product below, such as "maps", or a list of these
/// column : the column of a table that contains the positions; an exact match wins over one that differs only in case
///     By default, the only text column, or the columns of bitboards.
/// on_error : how to handle malformed rows
///     "raise"; "null" makes them null; "report" also adds a column `error` with the reason; "skip" leaves them out. `errors`
///     of the result lists them.
/// where : compute only the positions for which a condition holds, such as "white_pinned & white_queens and ply > 20"
///     The language is that of `read`; columns are those of the table. A column `row`, before all others, has the number of each row
///     in the input, from 0. Null rows are left out, but "null" and "report" keep malformed ones, and nulls with them.
/// integers : "unsigned", or "signed" for engines without unsigned integers: the same bits as int64, int16, int8
/// through : "any", "own" or "enemy"
///     Let x-rays pass through pieces of this side, as seen from the slider.
/// victims : "enemy", "own" or "any"
///     List threats to pieces of this side, as seen from the attacker.
/// values : five integers, as in (1, 3, 3, 5, 9), or a text such as "1,3,3,5,9"
///     The values of a pawn, knight, bishop, rook and queen in exchanges, each from 0 to 63.
/// pinned : "capture" or "stay"
///     How pinned pieces capture in exchanges: like all others, or only on the line of the pin.
/// notation : "bits" or "uci"
///     How tables hold moves: as 16 bits, or as text of UCI, which CSV and JSON lines always have.
/// perspective : "board" or "mover"
///     Compute products of the board as it is, or, with `mover`, swap colours and turn it upside down
///     if Black is to move.
/// backend : one of `backends()`; by default the fastest for this CPU
/// threads : the number of threads, from 1 to 256; by default 1
///
/// Returns a `Batch`: `batch["white_attacks"]` is a column, and `batch["white_attacks"].to_numpy()` its NumPy array. Null rows
/// are null in the result. `batch.to_pandas()` keeps the index of a pandas Series or DataFrame.
///
/// Raises ValueError with the row, from 0, and the column, from 1, if a position is malformed, and TypeError if an argument has
/// the wrong type.
///
/// >>> import slider_attacks
/// >>> batch = slider_attacks.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -"])
/// >>> print(batch)
/// slider_attacks.Batch: 1 row, 2 columns
///                type    0
/// white_attacks  uint64  0x10101010101393e
/// black_attacks  uint64  0x2838000000000000
/// >>> batch["white_attacks"][0] >> 24 & 1  # a4 is attacked
/// 1
///
/// Products
/// --------
/// - A square is a number: a1 = 0, b1 = 1, … h1 = 7, a2 = 8, … h8 = 63.
/// - A set of squares (a bitboard) is a 64-bit number: bit i is set if square i is in the set. So set
///   >> 28 & 1 is 1 if e4 is in the set.
/// - A list of 64 numbers has one for each square, a1 first.
/// - A threat is four numbers: attacker and victim are the ASCII codes of the FEN letters, such as 82
///   for R, a white rook; from and to are their squares.
/// - A move is 16 bits: start, target (6 each), promotion (2: knight, bishop, rook, queen), kind (2:
///   normal, en passant, castling to the rook, promotion). With notation = uci, and always in CSV and
///   JSON lines, it is text: e1g1.
///
/// An attack need not be a legal move:
///
/// - A piece attacks the squares where it could capture an enemy piece. So it also attacks the pieces
///   of its own side that it defends.
/// - Kings attack like other pieces, including squares where they could not move.
/// - Pawns attack their two diagonal squares. Their advances are not attacks. En passant and the side
///   to move matter only for legal moves, status and keys.
/// - All products describe the current board, except those that consider moves: lists and numbers of
///   moves, exchanges, trapped, safe_mobility and safe_checks. There, the moving piece has left its
///   square, and a captured piece is gone.
/// - Pinned pieces attack and defend like all others.
/// - A slider (bishop, rook or queen) attacks up to and including the first piece in each direction, of
///   either side.
///
/// An exchange is a sequence of captures on one square, such as RxN, PxR:
///
/// - The sides alternate. Each captures with its least valuable piece, or stops if that is better. So a
///   gain is the material won minus the material lost with best play, and never below 0.
/// - Sliders join when the pieces in front of them have captured. The king captures last, and only
///   undefended pieces.
/// - A pawn that captures on the last rank becomes a queen: the gain grows by a queen minus a pawn.
/// - A move loses its piece if the other side gains more by an exchange on the new square than the move
///   captures.
/// - Checks and moves on other squares are ignored, and so are pins unless pinned is stay. So a gain is
///   an estimate.
///
/// A safe check is a move of a knight, bishop, rook or queen, not necessarily a legal one:
///
/// - After the move, the piece itself attacks the enemy king, and no enemy piece attacks it, not even
///   the king.
/// - So a slider that gives check may keep giving check from behind its old square, and a slider that
///   moves straight away from an enemy slider stays attacked.
/// - Pawns, castling and discovered checks do not count.
///
/// Tactics, such as forks and skewers, are patterns on the board, whichever side is to move and whether
/// or not they win material:
///
/// - A pawn is worth less than a knight or a bishop, which are equal; then come the rook, the queen and
///   the king.
/// - A piece is undefended if no piece of its own side attacks its square.
/// - On a line, only the first two pieces that a slider sees in a direction count.
///
/// Pawn structure ignores all other pieces:
///
/// - Pawns count as free to advance, whatever blocks them.
/// - A passed pawn may have a pawn of its own side in front. Of doubled pawns, all on the file count.
/// - A backward pawn may be an isolated one.
///
/// A legal move does not leave its own king attacked:
///
/// - Castling, en passant and each of the four promotions count. Castling may be that of Chess960.
/// - A pawn captures en passant only if the other pawn can have made a double step: both squares behind
///   it are empty. python-chess generates the capture anyway, and reports the position as invalid
///   (STATUS_INVALID_EP_SQUARE).
/// - The same rules apply in unreachable positions, where the side to move may give check. No king is
///   captured.
///
/// pieces
///     Where the pieces of each kind stand. In SQL: piece_maps(fen).
///     white_pawns : uint64
///         the squares of the white pawns
///     white_knights : uint64
///         the squares of the white knights
///     white_bishops : uint64
///         the squares of the white bishops
///     white_rooks : uint64
///         the squares of the white rooks
///     white_queens : uint64
///         the squares of the white queens
///     white_kings : uint64
///         the square of the white king
///     black_pawns : uint64
///         the squares of the black pawns
///     black_knights : uint64
///         the squares of the black knights
///     black_bishops : uint64
///         the squares of the black bishops
///     black_rooks : uint64
///         the squares of the black rooks
///     black_queens : uint64
///         the squares of the black queens
///     black_kings : uint64
///         the square of the black king
///
/// maps
///     The squares that each side attacks. In SQL: attack_maps(fen).
///     white_attacks : uint64
///         the squares that at least one white piece attacks, including pawns and the king
///     black_attacks : uint64
///         the squares that at least one black piece attacks, including pawns and the king
///
/// counts
///     The number of pieces of each side that attack each square. In SQL: attacker_counts(fen).
///     white_attackers : 64 numbers, uint8
///         for each square, the number of white pieces that attack it, from 0 to 16, including pawns
///         and the king
///     black_attackers : 64 numbers, uint8
///         for each square, the number of black pieces that attack it, from 0 to 16, including pawns
///         and the king
///
/// mobility
///     For each piece, the number of squares that it attacks and that its own side does not occupy; for
///     a pawn, its diagonal squares count, not its advances.
///     mobility : 64 numbers, uint8
///         for each square, the mobility of the piece on it, white or black, from 0 to 27; 0 for an
///         empty square
///
/// pins
///     The pieces that give check, and those that are pinned to their own king.
///     white_king_checkers : uint64
///         the black pieces that attack the white king
///     black_king_checkers : uint64
///         the white pieces that attack the black king
///     white_pinned : uint64
///         the pinned white pieces: each is the only piece between the white king and a black bishop,
///         rook or queen that would otherwise attack the king
///     black_pinned : uint64
///         the pinned black pieces: each is the only piece between the black king and a white bishop,
///         rook or queen that would otherwise attack the king
///
/// xrays
///     What the sliders (bishops, rooks, queens) of each side see behind the first piece in a
///     direction, up to and including the next piece. In SQL: xray_attacks(fen). Option: through.
///     white_xrays : uint64
///         the squares that white sliders see behind a piece
///     black_xrays : uint64
///         the squares that black sliders see behind a piece
///
/// hanging
///     The pieces of each side, except its king, that the other side attacks and that no piece of their
///     own side defends, whatever they are worth.
///     white_hanging : uint64
///         the white pieces that hang: attacked by Black, not defended by White
///     black_hanging : uint64
///         the black pieces that hang: attacked by White, not defended by Black
///
/// exchanges
///     The material that each side gains when it captures a piece and both sides keep capturing on that
///     square, each with its least valuable piece and only as long as it pays (static exchange
///     evaluation); by default, a pawn is worth 1, a knight or a bishop 3, a rook 5 and a queen 9.
///     Options: values, pinned.
///     white_wins : uint64
///         the black pieces whose capture gains something for White
///     black_wins : uint64
///         the white pieces whose capture gains something for Black
///     white_gains : 64 numbers, uint8
///         for each square, what White gains by a capture there; 0 if nothing
///     black_gains : 64 numbers, uint8
///         for each square, what Black gains by a capture there; 0 if nothing
///
/// forks
///     The pieces of each side that attack two or more enemy pieces, each worth more than the piece
///     itself or undefended; a king forks undefended pieces only.
///     white_forks : uint64
///         the white pieces that fork
///     black_forks : uint64
///         the black pieces that fork
///
/// skewers
///     The pieces that an enemy slider (bishop, rook, queen) attacks along a line on which the next
///     piece is one of their own side that is worth less or the same.
///     white_skewers : uint64
///         the black pieces that White skewers: the front pieces, including the king
///     black_skewers : uint64
///         the white pieces that Black skewers: the front pieces, including the king
///
/// relative_pins
///     The pieces that an enemy slider attacks along a line on which the next piece is one of their own
///     side that is worth more, but not the king; the value of the slider does not matter.
///     white_relatively_pinned : uint64
///         the white pieces that are pinned to a more valuable white piece
///     black_relatively_pinned : uint64
///         the black pieces that are pinned to a more valuable black piece
///
/// discovered
///     The pieces of each side that stand alone between a slider of their side and an enemy piece that
///     is undefended or worth more than the slider: they open an attack when they leave the line.
///     white_discovered : uint64
///         the white pieces that can discover an attack, or a check
///     black_discovered : uint64
///         the black pieces that can discover an attack, or a check
///
/// batteries
///     The sliders of each side that another slider of their side defends, along a line on which both
///     move.
///     white_batteries : uint64
///         the white bishops, rooks and queens in a battery
///     black_batteries : uint64
///         the black bishops, rooks and queens in a battery
///
/// overloaded
///     The pieces of each side that are the only defender of two or more attacked pieces other than the
///     king.
///     white_overloaded : uint64
///         the overloaded white pieces, including the king
///     black_overloaded : uint64
///         the overloaded black pieces, including the king
///
/// trapped
///     The knights, bishops, rooks and queens of each side that the other side wins by an exchange,
///     both where they stand and wherever they could move. Options: values, pinned.
///     white_trapped : uint64
///         the trapped white pieces
///     black_trapped : uint64
///         the trapped black pieces
///
/// safe_mobility
///     For each knight, bishop, rook and queen, the number of squares that it could move to without
///     being lost in an exchange there: the other side would gain no more than the move captures.
///     Options: values, pinned.
///     safe_mobility : 64 numbers, uint8
///         for each square, the safe mobility of the piece on it, white or black, from 0 to 27; 0 for
///         an empty square, a pawn and a king
///
/// pawns
///     The pawn structure of each side: passed, isolated, doubled and backward pawns, and outposts.
///     white_passed : uint64
///         the white pawns with no black pawn in front of them on their own or an adjacent file
///     black_passed : uint64
///         the black pawns with no white pawn in front of them on their own or an adjacent file
///     white_isolated : uint64
///         the white pawns without a white pawn on an adjacent file
///     black_isolated : uint64
///         the black pawns without a black pawn on an adjacent file
///     white_doubled : uint64
///         the white pawns that share their file with another white pawn
///     black_doubled : uint64
///         the black pawns that share their file with another black pawn
///     white_backward : uint64
///         the white pawns with a square in front that a black pawn attacks and that no white pawn
///         attacks, now or after it has advanced
///     black_backward : uint64
///         the black pawns with a square in front that a white pawn attacks and that no black pawn
///         attacks, now or after it has advanced
///     white_outposts : uint64
///         the squares on ranks 4 to 6 that a white pawn attacks and that no black pawn attacks, now or
///         after it has advanced
///     black_outposts : uint64
///         the squares on ranks 5 to 3 that a black pawn attacks and that no white pawn attacks, now or
///         after it has advanced
///
/// king_ring
///     The pieces that attack the enemy king or a square next to it.
///     white_king_ring : uint64
///         the black pieces that attack the square of the white king or one next to it
///     black_king_ring : uint64
///         the white pieces that attack the square of the black king or one next to it
///
/// safe_checks
///     The squares where a knight, bishop, rook or queen can move to give check without being attacked
///     there, on the board after the move; pins and the side to move do not matter, and discovered
///     checks do not count.
///     white_safe_checks : uint64
///         the squares where a white piece can move to attack the black king, and where no black piece
///         then attacks it
///     black_safe_checks : uint64
///         the squares where a black piece can move to attack the white king, and where no white piece
///         then attacks it
///
/// legal_moves
///     The number of legal moves of the side to move: 0 in checkmate and stalemate; castling and en
///     passant count, and a promotion counts as four moves.
///     legal_moves : uint16
///         the number of legal moves of the side to move
///
/// moves
///     The legal moves of the side to move, ordered by start, target and promotion; sums count them by
///     target. Option: notation.
///     moves : a list of uint16, or of str
///         the legal moves
///
/// checking_moves
///     The legal moves that give check. Option: notation.
///     checking_moves : a list of uint16, or of str
///         the legal moves after which the other king is attacked
///
/// mating_moves
///     The legal moves that give checkmate. Option: notation.
///     mating_moves : a list of uint16, or of str
///         the legal moves after which the other side is in checkmate
///
/// targets
///     The squares to which the piece on each square may legally go; they have no sums.
///     targets : 64 sets, uint64
///         for each square, the targets of the legal moves of the piece on it; castling goes to the
///         rook
///
/// status
///     Whether the side to move is in check, and whether the game is over: 1 or 0.
///     in_check : uint16
///         1 if the king of the side to move is attacked
///     checkmate : uint16
///         1 if the side to move is in check and has no legal move
///     stalemate : uint16
///         1 if the side to move is not in check and has no legal move
///     insufficient_material : uint16
///         1 if nothing is left but the kings, or also one knight, or bishops on squares of one colour
///
/// keys
///     64 bits that are the same for equal positions, and hardly ever for others; they have no sums.
///     position_key : uint64
///         the same for equal pieces, side to move, castling rights and legal captures en passant
///     canonical_key : uint64
///         the same for mirror images too: with colours swapped; left to right if nobody may castle;
///         all eight without pawns
///     polyglot_key : uint64
///         the key of Polyglot's opening books
///
/// threats
///     Each attack on a piece of the other side, including its king; the option `victims` selects
///     others. Option: victims.
///     threats : a list of structs of four uint8: attacker, from, to, victim
///         the threats, White's first: each has the attacking piece, its square, the attacked square,
///         and the piece there
#[pyfunction]
#[pyo3(signature = (
    fens, what=None, *, column="fen", r#where=None, on_error="raise", integers="unsigned", backend=None, threads=1, **options
), text_signature = "(fens, what='maps', *, column='fen', where=None, on_error='raise', integers='unsigned', \
                     through='any', victims='enemy', values='1,3,3,5,9', pinned='capture', notation='bits', perspective='board', \
                     backend=None, threads=1)")]
#[allow(clippy::too_many_arguments, reason = "most of them have names and defaults in Python")]
pub fn analyze(
    fens: &Bound<'_, PyAny>,
    what: Option<&Bound<'_, PyAny>>,
    column: &str,
    r#where: Option<&str>,
    on_error: &str,
    integers: &str,
    backend: Option<&str>,
    #[pyo3(from_py_with = count)] threads: usize,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Batch> {
    let (py, options) = (fens.py(), self::options("analyze", options)?);
    let (query, on_error) = (condition(r#where, false)?, self::on_error(on_error, OnError::ALL)?);
    let plan = plan(what, integers, options, backend)?.on_error(on_error);
    let threads = Threads::new(threads)?;
    let Some(query) = query else { return compute(py, &plan, &rows(fens, column)?, index_of(fens)?, &threads) };
    let missing = |at: usize, all: Option<&[String]>| missing_column(&query, &query.inputs()[at], all);
    let (arrays, columns) = rows_with(fens, column, query.inputs(), missing)?;
    let condition = MemoryCondition::new(query, &plan, columns);
    let chosen = ChosenRows { plan: &plan, on_error, integers: named("integers", integers)?, condition: &condition };
    chosen.compute(py, &arrays, index_of(fens)?, &threads)
}
