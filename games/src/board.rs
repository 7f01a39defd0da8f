//! A board to play moves on: pieces, side to move, castling rights, en passant square, and the two counters.

use core::fmt;
use core::str::FromStr;

use slider_attacks::position::{Castling, Color, FenError, Piece, Positions};
use slider_attacks::{Square, bishop_attacks, rook_attacks};

use crate::leapers::{BETWEEN, KING, KNIGHT, PAWN, SOURCES};
use crate::moves::{Move, MoveError, MoveKind};

/// The numbers of the pieces, as in the planes of a board.
pub(crate) const PAWN_CODE: u8 = 1;
pub(crate) const KING_CODE: u8 = 6;

/// A position of a game, to play moves on.
///
/// The pieces are four bitboards: the bits of their numbers (pawn 1 to king 6), and those of black. Playing a move
/// takes few operations on each of them, without a branch that depends on the piece.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    pub(crate) planes: [u64; 4],
    /// The rooks that may castle.
    pub(crate) rooks: u64,
    /// The square behind a pawn that can be taken en passant, by a legal move.
    pub(crate) en_passant: u64,
    /// All squares if black is to move, else none.
    pub(crate) black_to_move: u64,
    /// Half moves since the last capture or pawn move.
    pub(crate) halfmoves: u16,
    /// The move number, which increases after black's move.
    pub(crate) number: u16,
}

/// All squares for each bit of a number that is set.
static NUMBERS: [[u64; 3]; 8] = {
    let mut numbers = [[0; 3]; 8];
    let mut at = 0;
    while at < 24 {
        numbers[at / 3][at % 3] = if (at / 3) >> (at % 3) & 1 != 0 { !0 } else { 0 };
        at += 1;
    }
    numbers
};

/// Some pieces of a board.
#[derive(Clone, Copy)]
pub(crate) struct Pieces(pub(crate) [u64; 4]);

impl Pieces {
    #[inline(always)]
    pub(crate) fn occupied(self) -> u64 {
        self.0[0] | self.0[1] | self.0[2]
    }

    #[inline(always)]
    pub(crate) fn kings(self) -> u64 {
        self.0[1] & self.0[2]
    }

    /// All pieces of black if `side` is all squares, of white if it is none.
    #[inline(always)]
    pub(crate) fn of(self, side: u64) -> u64 {
        self.occupied() & !(self.0[3] ^ side)
    }

    /// The pieces with this number, of both colours.
    #[inline(always)]
    pub(crate) fn kind(self, code: u8) -> u64 {
        let [ones, twos, fours, _] = self.0;
        let number = &NUMBERS[usize::from(code) % 8];
        !(ones ^ number[0] | twos ^ number[1] | fours ^ number[2])
    }

    /// Whether a piece of this side attacks a square.
    #[inline(always)]
    pub(crate) fn attack(self, side: u64, square: Square) -> bool {
        let [ones, twos, fours, _] = self.0;
        let (them, occupied, at) = (self.of(side), self.occupied(), usize::from(square.index()));
        // A bishop is 3, a rook 4, a queen 5. Few sliders stand on a line with the square. Looking at each of them is
        // faster than computing two attack sets.
        let mut lines = (SOURCES[4][at] & fours & !twos | SOURCES[3][at] & ones & (twos ^ fours)) & them;
        let mut slides = 0;
        while lines != 0 {
            let slider = usize::from(first(lines).index());
            slides |= if BETWEEN[at][slider] & occupied == 0 { lines } else { 0 };
            lines &= lines - 1;
        }
        let knights = KNIGHT[at] & twos & !(ones | fours);
        let pawns = PAWN[usize::from(side == 0)][at] & ones & !(twos | fours);
        let kings = KING[at] & twos & fours;
        (knights | pawns | kings) & them | slides != 0
    }
}

#[inline(always)]
pub(crate) fn first(board: u64) -> Square {
    // Not by a table: the number of the square is on the way to the next move.
    Square::new(board.trailing_zeros() as u8 % 64).expect("it is below 64")
}

/// The squares of a rank, from 0.
pub(crate) const fn rank(rank: u32) -> u64 {
    0xff << (8 * rank)
}

impl Board {
    /// The position at the beginning of a game of chess.
    pub const INITIAL: Board = Board {
        planes: [0x2cff_0000_0000_ff2c, 0x7600_0000_0000_0076, 0x9900_0000_0000_0099, 0xffff << 48],
        rooks: 0x8100_0000_0000_0081,
        en_passant: 0,
        black_to_move: 0,
        halfmoves: 0,
        number: 1,
    };

    /// The bits of the numbers of the pieces (pawn 1, knight 2, bishop 3, rook 4, queen 5, king 6), and the pieces of black, as
    /// [`Positions::push_planes`] takes them.
    ///
    /// ```
    /// use slider_attacks_games::Board;
    ///
    /// let [ones, twos, fours, black] = Board::INITIAL.planes();
    /// assert_eq!((ones | twos | fours).count_ones(), 32);
    /// assert_eq!((ones & twos & !fours, black), (0x2400_0000_0000_0024, 0xffff_0000_0000_0000)); // the bishops
    /// ```
    pub const fn planes(&self) -> [u64; 4] {
        self.planes
    }

    /// The side to move.
    ///
    /// ```
    /// use slider_attacks_games::Board;
    ///
    /// use slider_attacks::position::Color;
    ///
    /// assert_eq!(Board::INITIAL.side_to_move(), Color::White);
    /// ```
    #[inline]
    pub const fn side_to_move(&self) -> Color {
        if self.black_to_move == 0 { Color::White } else { Color::Black }
    }

    /// The castling rights. A rook in a corner is written as one of `KQkq`, any other as the letter of its file.
    ///
    /// ```
    /// use slider_attacks_games::Board;
    ///
    /// assert_eq!(Board::INITIAL.castling().to_string(), "KQkq");
    /// ```
    #[inline]
    pub const fn castling(&self) -> Castling {
        Castling::from_rooks(self.rooks)
    }

    /// The square behind a pawn that has just moved by two squares, if a pawn can legally take it.
    ///
    /// ```
    /// use slider_attacks_games::Board;
    ///
    /// let mut board: Board = "4k3/8/8/8/3p4/8/4P3/4K3 w - -".parse()?;
    /// board.play_text(b"e4").unwrap();
    /// assert_eq!(board.en_passant().unwrap().to_string(), "e3");
    /// # Ok::<(), slider_attacks_games::BoardFenError>(())
    /// ```
    #[inline]
    pub const fn en_passant(&self) -> Option<Square> {
        Square::new(self.en_passant.trailing_zeros() as u8)
    }

    /// The number of half moves since the last capture or pawn move.
    ///
    /// ```
    /// use slider_attacks_games::Board;
    ///
    /// let board: Board = "4k3/8/8/8/8/8/8/4K3 w - - 7 30".parse()?;
    /// assert_eq!((board.halfmove_clock(), board.fullmove_number()), (7, 30));
    /// # Ok::<(), slider_attacks_games::BoardFenError>(())
    /// ```
    pub const fn halfmove_clock(&self) -> u16 {
        self.halfmoves
    }

    /// The move number.
    ///
    /// ```
    /// use slider_attacks_games::Board;
    ///
    /// assert_eq!(Board::INITIAL.fullmove_number(), 1);
    /// ```
    pub const fn fullmove_number(&self) -> u16 {
        self.number
    }

    /// Sets both counters: half moves since the last capture or pawn move, and the move number.
    ///
    /// ```
    /// use slider_attacks_games::Board;
    ///
    /// let mut board = Board::INITIAL;
    /// board.set_counters(7, 30);
    /// assert!(board.to_string().ends_with(" 7 30"));
    /// ```
    pub const fn set_counters(&mut self, halfmove_clock: u16, fullmove_number: u16) {
        (self.halfmoves, self.number) = (halfmove_clock, fullmove_number);
    }

    /// The piece on a square.
    ///
    /// ```
    /// use slider_attacks_games::Board;
    ///
    /// use slider_attacks::Square;
    /// use slider_attacks::position::{Color, Piece};
    ///
    /// assert_eq!(Board::INITIAL.piece(Square::D8), Some((Color::Black, Piece::Queen)));
    /// assert_eq!(Board::INITIAL.piece(Square::D4), None);
    /// ```
    pub fn piece(&self, square: Square) -> Option<(Color, Piece)> {
        let bit = |plane: usize| (self.planes[plane] >> square.index() & 1) as usize;
        let code = bit(0) | bit(1) << 1 | bit(2) << 2;
        let kinds = [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen, Piece::King];
        Some((Color::ALL[bit(3)], *kinds.get(code.checked_sub(1)?)?))
    }

    /// Whether the king of the side to move is attacked.
    ///
    /// ```
    /// use slider_attacks_games::Board;
    ///
    /// let board: Board = "4k3/8/8/8/8/8/8/4K2r w - -".parse()?;
    /// assert!(board.is_check());
    /// # Ok::<(), slider_attacks_games::BoardFenError>(())
    /// ```
    pub fn is_check(&self) -> bool {
        let pieces = self.pieces();
        pieces.attack(!self.black_to_move, first(pieces.kings() & pieces.of(self.black_to_move)))
    }

    /// Plays a move.
    ///
    /// # Errors
    ///
    /// The move is not legal. Nothing changes then.
    ///
    /// ```
    /// use slider_attacks_games::Board;
    ///
    /// use slider_attacks_games::MoveError;
    ///
    /// let mut board = Board::INITIAL;
    /// let mv = board.read_move(b"e4")?;
    /// board.play(mv)?;
    /// assert_eq!(board.play(mv), Err(MoveError::Illegal));
    /// # Ok::<(), MoveError>(())
    /// ```
    pub fn play(&mut self, mv: Move) -> Result<(), MoveError> {
        let (from, to) = (mv.start().bitboard(), mv.target().bitboard());
        let pieces = self.pieces();
        let bit = |plane: usize| u8::from(self.planes[plane] & from != 0);
        let code = bit(0) | bit(1) << 1 | bit(2) << 2;
        if pieces.of(self.black_to_move) & from == 0 {
            return Err(MoveError::Illegal);
        }
        let is_last = to & (rank(0) | rank(7)) != 0;
        let (is_right, becomes) = match (code, mv.kind()) {
            (KING_CODE, MoveKind::Castling) => return if self.castle(to) { Ok(()) } else { Err(MoveError::Illegal) },
            (PAWN_CODE, MoveKind::Promotion) => (is_last, mv.promoted().map_or(0, |piece| piece as u8 + 1)),
            (PAWN_CODE, MoveKind::EnPassant) => (to == self.en_passant, code),
            (PAWN_CODE, MoveKind::Normal) => (!is_last && to != self.en_passant, code),
            (_, MoveKind::Normal) => (true, code),
            _ => (false, code),
        };
        let side = self.black_to_move;
        if is_right && self.sources(code, side, to) & from != 0 && self.step(code, side, from, to, becomes) {
            Ok(())
        } else {
            Err(MoveError::Illegal)
        }
    }

    #[inline(always)]
    pub(crate) fn pieces(&self) -> Pieces {
        Pieces(self.planes)
    }

    /// The pieces with this number of the side to move, `side`, that can go to a square, regardless of their king.
    #[inline(always)]
    pub(crate) fn sources(&self, code: u8, side: u64, to: u64) -> u64 {
        let pieces = self.pieces();
        let (own, occupied) = (pieces.of(side), pieces.occupied());
        let square = first(to);
        let at = usize::from(square.index());
        let sources = match code {
            PAWN_CODE => {
                let is_black = side != 0;
                if to & (occupied | self.en_passant) != 0 {
                    PAWN[usize::from(!is_black)][at]
                } else {
                    let (one, two, row) =
                        if is_black { (to << 8, to << 16, rank(4)) } else { (to >> 8, to >> 16, rank(3)) };
                    one | if to & row != 0 && one & occupied == 0 { two } else { 0 }
                }
            }
            2 => KNIGHT[at],
            3 => bishop_attacks(square, occupied),
            4 => rook_attacks(square, occupied),
            5 => bishop_attacks(square, occupied) | rook_attacks(square, occupied),
            _ => KING[at],
        };
        if to & (own | pieces.kings()) != 0 { 0 } else { sources & own & pieces.kind(code) }
    }

    /// Moves a piece of the side to move, `side`, unless its king is attacked then. It must be able to go there otherwise.
    ///
    /// Where the number of the piece and the side are constants, much of this is decided at compile time.
    #[inline(always)]
    pub(crate) fn step(&mut self, code: u8, side: u64, from: u64, to: u64, becomes: u8) -> bool {
        // Arithmetic: the compiler would turn a comparison into branches, which would be mispredicted.
        let is_pawn = ((i64::from(code) - 2) >> 63) as u64;
        let passed = self.en_passant & to & is_pawn;
        let gone = from | to | if side == 0 { passed >> 8 } else { passed << 8 };
        let is_capture = self.pieces().occupied() & gone & !from != 0;
        let mut planes = self.planes.map(|plane| plane & !gone);
        for (plane, number) in planes.iter_mut().zip(NUMBERS[usize::from(becomes) % 8]) {
            *plane |= to & number;
        }
        planes[3] |= to & side;
        let pieces = Pieces(planes);
        if pieces.attack(!side, first(pieces.kings() & pieces.of(side))) {
            return false;
        }
        let home = if side == 0 { rank(0) } else { rank(7) };
        self.rooks &= !(gone | if code == KING_CODE { home } else { 0 });
        self.planes = planes;
        let is_quiet = u16::from(is_capture).wrapping_sub(1) & !(is_pawn as u16);
        self.halfmoves = self.halfmoves.saturating_add(1) & is_quiet;
        self.pass(side);
        let two = (from << 16 | from >> 16) & to & is_pawn;
        if two != 0 {
            let square = if side == 0 { to >> 8 } else { to << 8 };
            // The squares next to the pawn.
            let beside = PAWN[usize::from(side != 0)][usize::from(first(square).index())];
            if beside & pieces.of(!side) & pieces.kind(PAWN_CODE) != 0 {
                self.take_en_passant(square);
            }
        }
        true
    }

    /// Passes the turn to the other side.
    #[inline(always)]
    pub(crate) fn pass(&mut self, side: u64) {
        self.en_passant = 0;
        self.number = self.number.saturating_add((side & 1) as u16);
        self.black_to_move = !side;
    }

    /// Plays a null move: the other side is to move, and nothing else changes.
    ///
    /// ```
    /// use slider_attacks_games::Board;
    ///
    /// let mut board = Board::INITIAL;
    /// board.play_null();
    /// assert_eq!(board.to_string(), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 1 1");
    /// ```
    pub fn play_null(&mut self) {
        self.halfmoves = self.halfmoves.saturating_add(1);
        self.pass(self.black_to_move);
    }

    /// Sets the en passant square, if a legal move captures there.
    #[cold]
    pub(crate) fn take_en_passant(&mut self, square: u64) {
        let pieces = self.pieces();
        let own = pieces.of(self.black_to_move) & pieces.kind(PAWN_CODE);
        let mut takers = own & PAWN[usize::from(self.black_to_move == 0)][usize::from(first(square).index())];
        while takers != 0 {
            let taker = takers & takers.wrapping_neg();
            let mut board = Board { en_passant: square, ..self.clone() };
            if board.step_en_passant(taker) {
                self.en_passant = square;
                return;
            }
            takers ^= taker;
        }
    }

    /// Whether a pawn on this square may take en passant.
    #[inline(never)]
    fn step_en_passant(&mut self, from: u64) -> bool {
        self.step(PAWN_CODE, self.black_to_move, from, self.en_passant, PAWN_CODE)
    }

    /// Adds the position to others. For many of them, [`Positions::push_planes`] is faster.
    ///
    /// ```
    /// use slider_attacks_games::Board;
    ///
    /// use slider_attacks::position::Positions;
    ///
    /// let mut positions = Positions::new();
    /// Board::INITIAL.push_to(&mut positions);
    /// assert_eq!(positions.fen(0), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -");
    /// ```
    pub fn push_to(&self, positions: &mut Positions) {
        let planes = self.planes.each_ref().map(core::slice::from_ref);
        let pushed = positions.push_planes(planes, &[self.side_to_move()], &[self.castling()], &[self.en_passant()]);
        pushed.expect("a board is a position");
    }
}

/// The reason why text is not a FEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BoardFenError {
    /// The first four fields are wrong.
    Fen(FenError),
    /// One of the counters after them is not a number from 0 to 65535.
    Counter {
        /// The column in the text, in bytes, from 1.
        column: usize,
    },
}

impl fmt::Display for BoardFenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoardFenError::Fen(error) => error.fmt(f),
            BoardFenError::Counter { column } => write!(f, "column {column}: expected a number from 0 to 65535"),
        }
    }
}

impl core::error::Error for BoardFenError {}

impl FromStr for Board {
    type Err = BoardFenError;

    /// Reads FEN. The two counters may be missing, or both given as operations of EPD.
    ///
    /// Castling rights without a rook and a king to castle, and an en passant square without a legal capture, are left out.
    fn from_str(fen: &str) -> Result<Board, BoardFenError> {
        Board::read_fen(fen.as_bytes())
    }
}

impl Board {
    /// Reads FEN, as [`from_str`](FromStr::from_str) does.
    ///
    /// # Errors
    ///
    /// The text is not a position, or a counter is not a number.
    ///
    /// ```
    /// use slider_attacks_games::Board;
    ///
    /// let board = Board::read_fen(b"4k3/8/8/8/8/8/8/R3K3 w Q - 3 20")?;
    /// assert_eq!(board.to_string(), "4k3/8/8/8/8/8/8/R3K3 w Q - 3 20");
    /// # Ok::<(), slider_attacks_games::BoardFenError>(())
    /// ```
    pub fn read_fen(fen: &[u8]) -> Result<Board, BoardFenError> {
        let mut positions = Positions::new();
        positions.push_fen(fen).map_err(BoardFenError::Fen)?;
        let mut board = Board::from_position(&positions, 0);
        let mut fields = fen.split(|byte| byte.is_ascii_whitespace()).filter(|field| !field.is_empty()).skip(4);
        let is_number = |field: &&[u8]| field.first().is_some_and(u8::is_ascii_digit);
        for counter in [&mut board.halfmoves, &mut board.number] {
            let Some(field) = fields.next().filter(is_number) else { break };
            let number = str::from_utf8(field).ok().and_then(|field| field.parse().ok());
            let column = field.as_ptr().addr() - fen.as_ptr().addr() + 1;
            *counter = number.ok_or(BoardFenError::Counter { column })?;
        }
        Ok(board)
    }

    /// The rooks of these rights.
    pub(crate) fn rooks_of(&self, castling: Castling) -> u64 {
        let pieces = self.pieces();
        // Nearly always, they are in the corners.
        let corner = |letter, square: u64| if castling.has(letter) { 1 << square } else { 0 };
        let corners = corner('K', 7) | corner('Q', 0) | corner('k', 63) | corner('q', 56);
        let home = |side: u64, home: u64| {
            let own = pieces.of(side) & home;
            if own & pieces.kings() != 0 { own & pieces.kind(Piece::Rook as u8 + 1) } else { 0 }
        };
        let rooks = home(0, rank(0)) | home(!0, rank(7));
        if corners & !rooks == 0 && Castling::from_rooks(corners) == castling {
            return corners;
        }
        let mut all = 0;
        for letter in castling.letters() {
            let (side, home) = if letter.is_ascii_lowercase() { (!0, rank(7)) } else { (0, rank(0)) };
            let own = pieces.of(side) & home;
            let (king, rooks) = (own & pieces.kings(), own & pieces.kind(Piece::Rook as u8 + 1));
            let file = u64::from(letter.to_ascii_uppercase() as u8 - b'A');
            all |= match letter.to_ascii_uppercase() {
                _ if king == 0 => 0,
                // The outermost rook east or west of the king.
                'K' => highest(rooks & !(king - 1)),
                'Q' => rooks & (king - 1) & (rooks & (king - 1)).wrapping_neg(),
                _ => rooks & (0x0101_0101_0101_0101 << file),
            };
        }
        all
    }
}

fn highest(board: u64) -> u64 {
    board.checked_ilog2().map_or(0, |bit| 1 << bit)
}

impl fmt::Display for Board {
    /// FEN, with the counters.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut positions = Positions::new();
        self.push_to(&mut positions);
        write!(f, "{} {} {}", positions.fen(0), self.halfmoves, self.number)
    }
}
