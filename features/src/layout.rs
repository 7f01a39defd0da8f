//! Layouts: which facts about a position are inputs of a network, and the number of each.

use slider_attacks::position::Piece;

/// Which attacks are inputs. A piece attacks another one, or defends it, and both have their squares.
///
/// As the perspective sees them, with its own king on files a to d, an attack by *a* on *f* of *v* on *t* is the input
///
/// ```text
/// base[a] + (c · n + slot) · E + (number of pairs of a before f, t)
/// ```
///
/// - `slot` is that of *v* in the row of *a* in [`slots`](ThreatLayout::slots), which has *n* slots;
/// - *c* is 1 if *v* is an enemy of the perspective, or else 0;
/// - the pairs of *a* are all squares *f* with all squares *t* that it attacks from there on an empty board, in
///   ascending order, and *E* is their number;
/// - `base` counts what comes before: own pawns, knights, bishops, rooks, queens and kings, and then those of the enemy,
///   each with 2 · *n* · *E* inputs.
///
/// Two pieces of one kind that attack each other are one input: that in which *f* is the greater square.
///
/// ```
/// use slider_attacks_features::ThreatLayout;
///
/// assert_eq!(ThreatLayout::V16.size(), 59_808);
/// // Knights and queens, which attack only kings.
/// let mut slots = [[None; 6]; 6];
/// slots[1][5] = Some(0);
/// slots[4][5] = Some(0);
/// let layout = ThreatLayout::new(slots, false).unwrap();
/// assert_eq!(layout.size(), 2 * 2 * (336 + 1_456));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThreatLayout {
    slots: [[Option<u8>; 6]; 6],
    pushes: bool,
}

/// The slots of victims named by their letters, in order. Anything else is a kind without a slot.
const fn slots(rows: [&[u8]; 6]) -> [[Option<u8>; 6]; 6] {
    let mut slots = [[None; 6]; 6];
    let mut attacker = 0;
    while attacker < 6 {
        let mut slot = 0;
        while slot < rows[attacker].len() {
            let mut victim = 0;
            while victim < 6 {
                if b"PNBRQK"[victim] == rows[attacker][slot] {
                    slots[attacker][victim] = Some(slot as u8);
                }
                victim += 1;
            }
            slot += 1;
        }
        attacker += 1;
    }
    slots
}

impl ThreatLayout {
    /// That of Stockfish's networks since November 2025: 79,856 inputs.
    pub const V10: ThreatLayout =
        ThreatLayout { slots: slots([b"PNR", b"PNBRQK", b"PNBRK", b"PNBRK", b"PNBRQK", b"PNBR"]), pushes: false };
    /// Kings are no victims: 66,864 inputs. Reckless has the same.
    pub const V11: ThreatLayout =
        ThreatLayout { slots: slots([b"PNR", b"PNBRQ", b"PNBR", b"PNBR", b"PNBRQ", b"PNBR"]), pushes: false };
    /// Kings do not attack either: 60,144 inputs. The thirteenth version has the same.
    pub const V12: ThreatLayout =
        ThreatLayout { slots: slots([b"PNR", b"PNBRQ", b"PNBR", b"PNBR", b"PNBRQ", b""]), pushes: false };
    /// A pawn also attacks the square in front of it: 60,720 inputs. The fifteenth version has the same. Two squares in front
    /// are none of them: there are 48 more pairs of squares than without, one for each of a pawn's.
    pub const V14: ThreatLayout = ThreatLayout { slots: ThreatLayout::V12.slots, pushes: true };
    /// That of Stockfish's networks since July 2026, and of other engines: 59,808 inputs. Pawns attack knights and
    /// rooks only.
    pub const V16: ThreatLayout =
        ThreatLayout { slots: slots([b"NR", b"PNBRQ", b"PNBR", b"PNBR", b"PNBRQ", b""]), pushes: false };

    /// A layout of one's own. `slots[attacker as usize][victim as usize]` is the place of a victim, from 0 on, or
    /// `None` if it is no input that this piece attacks it. With `pushes`, a pawn also attacks the square in front of
    /// it.
    ///
    /// `None` if the slots of an attacker are not 0, 1, … in some order.
    #[must_use]
    pub fn new(slots: [[Option<u8>; 6]; 6], pushes: bool) -> Option<ThreatLayout> {
        let is_numbered = |row: &[Option<u8>; 6]| {
            let count = row.iter().flatten().count() as u8;
            (0..count).all(|slot| row.contains(&Some(slot)))
        };
        slots.iter().all(is_numbered).then_some(ThreatLayout { slots, pushes })
    }

    /// The places of victims, by attacker and victim.
    #[must_use]
    pub const fn slots(&self) -> &[[Option<u8>; 6]; 6] {
        &self.slots
    }

    /// Whether a pawn also attacks the square in front of it.
    #[must_use]
    pub const fn pushes(&self) -> bool {
        self.pushes
    }

    /// The number of victims of this attacker.
    pub(crate) fn victims(&self, attacker: usize) -> u32 {
        self.slots[attacker].iter().flatten().count() as u32
    }

    /// The number of inputs.
    #[must_use]
    pub fn size(&self) -> u32 {
        2 * self.side_size()
    }

    /// The number of inputs with attackers of one side.
    pub(crate) fn side_size(&self) -> u32 {
        Piece::ALL.iter().map(|&piece| 2 * self.victims(piece as usize) * self.pairs(piece)).sum()
    }

    /// How many squares a piece attacks on an empty board, summed over its own square.
    pub(crate) fn pairs(&self, attacker: Piece) -> u32 {
        match attacker {
            Piece::Pawn if self.pushes => 132,
            Piece::Pawn => 84,
            Piece::Knight => 336,
            Piece::Bishop => 560,
            Piece::Rook => 896,
            Piece::Queen => 1_456,
            Piece::King => 420,
        }
    }
}

/// On which side of the board a perspective has its own king.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mirror {
    /// On either side: nothing is mirrored.
    Never,
    /// On files a to d: with a king elsewhere, files are mirrored.
    ToQueenside,
    /// On files e to h.
    ToKingside,
}

/// Pieces on their squares, by the square of the own king.
///
/// As the perspective sees them, a piece on *s* is the input `(bucket · planes + plane) · 64 + s`, where the bucket is
/// that of the own king's square.
///
/// ```
/// use slider_attacks_features::{Mirror, PieceLayout};
///
/// assert_eq!(PieceLayout::HALF_KA_HM.size(), 24_576);
/// assert_eq!(PieceLayout::CHESS_768.size(), 768);
/// // Two buckets: one if the king has castled to the first two files or the last two.
/// let buckets = std::array::from_fn(|square| u8::from(square % 8 < 2));
/// let layout = PieceLayout::CHESS_768.with_buckets(buckets, Mirror::ToQueenside);
/// assert_eq!(layout.size(), 2 * 768);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PieceLayout {
    planes: [[u8; 6]; 2],
    buckets: [u8; 64],
    mirror: Mirror,
}

impl PieceLayout {
    /// `HalfKAv2_hm` as trainers number it: own pawns, enemy pawns, own knights and so on, in 32 buckets.
    pub const HALF_KA_HM: PieceLayout = PieceLayout {
        planes: [[0, 2, 4, 6, 8, 10], [1, 3, 5, 7, 9, 11]],
        buckets: half_ka_buckets(),
        mirror: Mirror::ToKingside,
    };
    /// The same as engines number it: both kings share a plane, so there are 704 inputs in a bucket, 22,528 in all.
    pub const HALF_KA_HM_MERGED: PieceLayout =
        PieceLayout { planes: [[0, 2, 4, 6, 8, 10], [1, 3, 5, 7, 9, 10]], ..PieceLayout::HALF_KA_HM };
    /// 768 inputs: the own pieces, pawns first and the king last, then those of the enemy.
    pub const CHESS_768: PieceLayout =
        PieceLayout { planes: [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]], buckets: [0; 64], mirror: Mirror::Never };

    /// Pieces in planes of one's own: `planes[0]` for those of the perspective, `planes[1]` for those of the enemy.
    /// Several kinds may share one.
    ///
    /// `None` if a plane is 12 or more.
    #[must_use]
    pub fn new(planes: [[u8; 6]; 2]) -> Option<PieceLayout> {
        let fits = planes.as_flattened().iter().all(|&plane| plane < 12);
        fits.then_some(PieceLayout { planes, ..PieceLayout::CHESS_768 })
    }

    /// The same with other buckets: `buckets[square]` for a king on this square, after mirroring.
    #[must_use]
    pub const fn with_buckets(self, buckets: [u8; 64], mirror: Mirror) -> PieceLayout {
        PieceLayout { buckets, mirror, ..self }
    }

    /// The planes of own pieces and of those of the enemy.
    #[must_use]
    pub const fn planes(&self) -> &[[u8; 6]; 2] {
        &self.planes
    }

    /// The bucket of each square of the own king.
    #[must_use]
    pub const fn buckets(&self) -> &[u8; 64] {
        &self.buckets
    }

    /// Where the own king is.
    #[must_use]
    pub const fn mirror(&self) -> Mirror {
        self.mirror
    }

    /// The number of inputs in a bucket.
    pub(crate) fn bucket_size(&self) -> u32 {
        64 * (1 + u32::from(self.planes.as_flattened().iter().copied().max().expect("there are twelve")))
    }

    /// The number of inputs: that of a bucket, times one more than the greatest bucket.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.bucket_size() * (1 + u32::from(self.buckets.into_iter().max().expect("there are 64")))
    }
}

const fn half_ka_buckets() -> [u8; 64] {
    let (mut buckets, mut square) = ([0; 64], 0);
    while square < 64 {
        let (file, rank) = (square % 8, square / 8);
        // Kings are on files e to h. The others are mirrored, and have no meaning.
        let file = if file < 4 { 7 - file } else { file };
        buckets[square] = (4 * (7 - rank) + 7 - file) as u8;
        square += 1;
    }
    buckets
}

/// The number of pairs of pawns.
pub(crate) const PAWN_PAIRS: u32 = 96 * 95 / 2;

/// A set of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FeatureSet {
    /// The pieces.
    Pieces(PieceLayout),
    /// Which piece attacks which.
    Threats(ThreatLayout),
    /// All pairs of pawns of either side on one file or on two adjacent ones: 4,560 inputs.
    ///
    /// As the perspective sees them, with its own king on files a to d, a pawn has the number *s* - 8, and one of the
    /// enemy 48 more. With the greater number *h* and the lesser one *l*, a pair is the input *h* · (*h* - 1) / 2 +
    /// *l*.
    PawnPairs,
}

impl FeatureSet {
    /// The number of inputs.
    #[must_use]
    pub fn size(&self) -> u32 {
        match self {
            FeatureSet::Pieces(layout) => layout.size(),
            FeatureSet::Threats(layout) => layout.size(),
            FeatureSet::PawnPairs => PAWN_PAIRS,
        }
    }

    /// The names of sets, each with the names of its layouts.
    pub const NAMES: [(&str, &[&str]); 4] = [
        ("halfka_hm", &["merged"]),
        ("threats", &["v10", "v11", "v12", "v13", "v14", "v15", "v16"]),
        ("pawn_pairs", &[]),
        ("pieces", &[]),
    ];

    /// The set of one of the [`NAMES`](FeatureSet::NAMES), in this layout. Without a layout, threats are those of the
    /// newest one, and `HalfKAv2_hm` that of trainers.
    ///
    /// ```
    /// use slider_attacks_features::{FeatureSet, ThreatLayout};
    ///
    /// assert_eq!(FeatureSet::by_name("threats", Some("v13")), Some(FeatureSet::Threats(ThreatLayout::V12)));
    /// assert_eq!(FeatureSet::by_name("threats", Some("v9")), None);
    /// ```
    #[must_use]
    pub fn by_name(name: &str, layout: Option<&str>) -> Option<FeatureSet> {
        Some(match (name, layout) {
            ("halfka_hm", None) => FeatureSet::Pieces(PieceLayout::HALF_KA_HM),
            ("halfka_hm", Some("merged")) => FeatureSet::Pieces(PieceLayout::HALF_KA_HM_MERGED),
            ("pieces", None) => FeatureSet::Pieces(PieceLayout::CHESS_768),
            ("pawn_pairs", None) => FeatureSet::PawnPairs,
            ("threats", Some("v10")) => FeatureSet::Threats(ThreatLayout::V10),
            ("threats", Some("v11")) => FeatureSet::Threats(ThreatLayout::V11),
            ("threats", Some("v12" | "v13")) => FeatureSet::Threats(ThreatLayout::V12),
            ("threats", Some("v14" | "v15")) => FeatureSet::Threats(ThreatLayout::V14),
            ("threats", Some("v16") | None) => FeatureSet::Threats(ThreatLayout::V16),
            _ => return None,
        })
    }
}
