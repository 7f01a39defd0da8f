//! Which products to compute, and their columns.

use std::borrow::Borrow;
use std::mem;
use std::ops::Range;
use std::sync::Arc;

use slider_attacks::analysis::{PieceValues, Pinned, SetRequest, Side, Threat, Threats};
use slider_attacks::moves::{Move, Moves};
use slider_attacks::position::{Color, Piece, PositionSlice, Positions};
use slider_attacks::{Backend, BatchError, Lists, room_vec};

use crate::options::ComputeOptions;
use crate::product::{Compute, Lost, ProductColumn, SAFE_MOBILITY};
use crate::{Integers, Notation, OnError, Options, Perspective, Product};

/// Which products to compute, and how.
///
/// # Types
///
/// | column of a product | type |
/// |---|---|
/// | a set of squares | `UInt64`; bit *i* is square *i*: a1 = 0, b1 = 1, … h8 = 63 |
/// | a number for each square | `FixedSizeList` of 64 `UInt8`, in the same order |
/// | a number | `UInt16` |
/// | a key | `UInt64` |
/// | a set for each square | `FixedSizeList` of 64 `UInt64` |
/// | moves | `List` of `UInt16`, or of `Utf8` with [`Notation::Uci`] |
/// | threats | `List` of structs of four `UInt8`: `attacker`, `from`, `to`, `victim` |
///
/// In a threat, a piece is the code of its letter in FEN (`Q` is 81, a white queen; `q` is 113, a black one), and a
/// square is its number. With [`Integers::Signed`], `Int64`, `Int16` and `Int8` take the places of `UInt64`, `UInt16` and
/// `UInt8`.
///
/// All columns are nullable, because a row may have no position. Elements of lists and fields of structs are not.
#[derive(Clone, Debug)]
pub struct Plan {
    chosen: Arc<ChosenColumns>,
    pub(crate) how: ComputeOptions,
    #[cfg_attr(not(feature = "arrow"), expect(dead_code, reason = "readers of text decide there"))]
    pub(crate) on_error: OnError,
    #[cfg_attr(not(feature = "arrow"), expect(dead_code, reason = "vectors have no signs"))]
    pub(crate) integers: Integers,
}

impl Plan {
    /// A plan of these products, each of them once, in the order of [`Product::ALL`].
    ///
    /// It computes with the active backend. X-rays go through pieces of any side, threats are those to enemies, pieces have
    /// their usual values in exchanges, where pinned pieces capture, a row that cannot be read is an error, and integers are unsigned. The methods below change that.
    pub fn new(products: impl IntoIterator<Item = impl Borrow<Product>>) -> Plan {
        let plan = Plan {
            chosen: Arc::default(),
            how: ComputeOptions { backend: Backend::active(), options: Options::default() },
            on_error: OnError::Fail,
            integers: Integers::Unsigned,
        };
        plan.what(products)
    }

    /// Computes these products instead, each of them once, in the order of [`Product::ALL`].
    pub fn what(self, products: impl IntoIterator<Item = impl Borrow<Product>>) -> Plan {
        let mut products: Vec<Product> = products.into_iter().map(|product| *product.borrow()).collect();
        products.sort_unstable();
        products.dedup();
        Plan { chosen: Arc::new(ChosenColumns::new(products)), ..self }
    }

    /// Computes with this backend.
    pub fn backend(self, backend: Backend) -> Plan {
        Plan { how: ComputeOptions { backend, ..self.how }, ..self }
    }

    /// Gives all options that change products these values.
    pub fn options(self, options: Options) -> Plan {
        Plan { how: ComputeOptions { options, ..self.how }, ..self }
    }

    /// Lets x-rays pass through pieces of this side, as seen from the slider.
    pub fn through(self, through: Side) -> Plan {
        let options = Options { through, ..self.how.options };
        self.options(options)
    }

    /// Lists threats to pieces of this side, as seen from the attacker.
    pub fn victims(self, victims: Side) -> Plan {
        let options = Options { victims, ..self.how.options };
        self.options(options)
    }

    /// Gives the pieces these values in exchanges.
    pub fn piece_values(self, values: PieceValues) -> Plan {
        let options = Options { values, ..self.how.options };
        self.options(options)
    }

    /// Says what pinned pieces do in exchanges.
    pub fn pinned(self, pinned: Pinned) -> Plan {
        let options = Options { pinned, ..self.how.options };
        self.options(options)
    }

    /// Sets how Arrow arrays hold moves.
    pub fn notation(self, notation: Notation) -> Plan {
        let options = Options { notation, ..self.how.options };
        self.options(options)
    }

    /// Sets how positions are seen.
    pub fn perspective(self, perspective: Perspective) -> Plan {
        let options = Options { perspective, ..self.how.options };
        self.options(options)
    }

    /// Sets how malformed rows are handled. With [`OnError::Report`], the result has an additional column: `error`, text, null
    /// where the row could be read or was null before.
    pub fn on_error(self, on_error: OnError) -> Plan {
        Plan { on_error, ..self }
    }

    /// Gives the columns these integers.
    pub fn integers(self, integers: Integers) -> Plan {
        Plan { integers, ..self }
    }

    /// The backend that it computes with.
    pub fn computes_with(&self) -> Backend {
        self.how.backend
    }

    /// The options that change products.
    pub fn option_values(&self) -> &Options {
        &self.how.options
    }

    /// The products, in the order of their columns.
    pub fn products(&self) -> &[Product] {
        &self.chosen.products
    }

    /// The names of the columns of the products.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.product_columns().map(|column| column.name())
    }

    /// The values of the columns of these positions, as vectors.
    ///
    /// ```
    /// use slider_attacks::position::Positions;
    /// use slider_attacks_arrow::{Plan, Product, Values};
    ///
    /// let mut positions = Positions::new();
    /// positions.read_lines(b"4k3/8/8/8/8/8/8/R3K3 w Q -\n4k3/8/8/8/8/8/8/R3K3 b Q -\n")?;
    /// let plan = Plan::new([Product::Maps]);
    /// let values = plan.values(&positions);
    /// assert_eq!(plan.names().collect::<Vec<_>>(), ["white_attacks", "black_attacks"]);
    /// assert_eq!(values[0], Values::Boards(vec![0x0101_0101_0101_393e; 2]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn values(&self, positions: &Positions) -> Vec<Values> {
        let mut values = self.no_values(positions.len());
        let mut rooms: Vec<ColumnPart<'_>> = values.iter_mut().map(|values| values.room()).collect();
        self.fill(positions.into(), 0, &mut rooms);
        let found: Vec<Option<Values>> = rooms.into_iter().map(ColumnPart::into_lists).collect();
        for (values, found) in values.iter_mut().zip(found) {
            *values = found.unwrap_or_else(|| mem::replace(values, Values::Boards(Vec::new())));
        }
        values
    }

    /// Memory for the sets and numbers of this many positions, which holds anything, and no lists.
    pub(crate) fn no_values(&self, rows: usize) -> Vec<Values> {
        let empty = |column: &ProductColumn| match column.compute {
            Compute::Boards(_) | Compute::Set(..) | Compute::Stuck(..) | Compute::Nonzero(..) | Compute::Key(_) => {
                Values::Boards(room_vec(rows))
            }
            Compute::Numbers(..) => Values::Numbers(room_vec(rows)),
            Compute::Number(_) => Values::Number(room_vec(rows)),
            Compute::Sets(_) => Values::Sets(room_vec(rows)),
            Compute::Moves(_) => {
                Values::Moves { offsets: vec![0], moves: Vec::new(), notation: self.how.options.notation }
            }
            Compute::Threats => Values::Threats { offsets: vec![0], threats: Vec::new() },
        };
        self.product_columns().map(empty).collect()
    }

    /// Computes the values of these positions, from place `at` on.
    pub(crate) fn fill(&self, positions: PositionSlice<'_>, at: usize, rooms: &mut [ColumnPart<'_>]) {
        self.for_seen(positions, |places, seen| self.fill_seen(seen, at + places.start, rooms));
    }

    /// Calls `work` for these positions, or, some at a time, for what the side to move sees of them.
    pub(crate) fn for_seen(&self, positions: PositionSlice<'_>, mut work: impl FnMut(Range<usize>, PositionSlice<'_>)) {
        #[cfg(feature = "lists")]
        if self.how.options.perspective == Perspective::Mover {
            let mut seen = Positions::new();
            for start in (0..positions.len()).step_by(SEEN) {
                let places = start..positions.len().min(start + SEEN);
                self.how.backend.seen_by_mover(positions.slice(places.clone()), &mut seen);
                work(places, (&seen).into());
            }
            return;
        }
        work(0..positions.len(), positions);
    }

    /// Computes the values of positions that are seen as the options say.
    fn fill_seen(&self, positions: PositionSlice<'_>, at: usize, rooms: &mut [ColumnPart<'_>]) {
        const ONE_EACH: &str = "there is one element per position";
        let places = at..at + positions.len();
        let set = |(column, room): (&ProductColumn, _)| match (&column.compute, room) {
            (&Compute::Set(product, color), &mut ColumnPart::Boards(ref mut boards)) => {
                Some(SetRequest { product: product(&self.how.options), color, out: &mut boards[places.clone()] })
            }
            _ => None,
        };
        let mut requests: Vec<SetRequest<'_>> = self.product_columns().zip(&mut *rooms).filter_map(set).collect();
        self.how.backend.sets(positions, &mut requests).expect(ONE_EACH);
        let ChosenColumns { derived, gains, checks_and_mates, .. } = &*self.chosen;
        if let &Some(gains) = gains {
            let Ok([ColumnPart::Numbers(white), ColumnPart::Numbers(black)]) = rooms.get_disjoint_mut(gains) else {
                unreachable!("{OWN_ROOMS}")
            };
            let out = [&mut white[places.clone()], &mut black[places.clone()]];
            self.how.backend.exchanges_of_both(positions, self.how.exchange(), out).expect(ONE_EACH);
        }
        #[cfg(feature = "lists")] // without it, the page would contain lists of moves
        if let &Some(places) = checks_and_mates {
            let Ok([ColumnPart::Moves { found: checks, .. }, ColumnPart::Moves { found: mates, .. }]) =
                rooms.get_disjoint_mut(places)
            else {
                unreachable!("{OWN_ROOMS}")
            };
            self.how.backend.checking_and_mating_moves(positions, checks, mates);
        }
        for (place, (column, room)) in self.product_columns().zip(&mut *rooms).enumerate() {
            match (&column.compute, room) {
                (Compute::Set(..), ColumnPart::Boards(_)) => {} // those were the requests
                (Compute::Numbers(..), _) if gains.is_some_and(|gains| gains.contains(&place)) => {} // at once
                (_, ColumnPart::Boards(_)) if derived.iter().any(|&(of, _)| of == place) => {} // once all numbers are there
                (Compute::Boards(_) | Compute::Stuck(..) | Compute::Key(_), ColumnPart::Boards(boards)) => {
                    let out = ColumnMut::Boards(&mut boards[places.clone()]);
                    self.compute_seen(column, positions, out).expect(ONE_EACH);
                }
                (Compute::Numbers(..), ColumnPart::Numbers(numbers)) => {
                    let out = ColumnMut::Numbers(&mut numbers[places.clone()]);
                    self.compute_seen(column, positions, out).expect(ONE_EACH);
                }
                (Compute::Number(_), ColumnPart::Number(numbers)) => {
                    let out = ColumnMut::Number(&mut numbers[places.clone()]);
                    self.compute_seen(column, positions, out).expect(ONE_EACH);
                }
                (Compute::Sets(_), ColumnPart::Sets(sets)) => {
                    let out = ColumnMut::Sets(&mut sets[places.clone()]);
                    self.compute_seen(column, positions, out).expect(ONE_EACH);
                }
                (Compute::Moves(_), ColumnPart::Moves { found, offsets, moves, .. }) => {
                    if !checks_and_mates.is_some_and(|places| places.contains(&place)) {
                        self.list_seen(column, positions, found);
                    }
                    let before = moves.len();
                    offsets.extend(found.offsets()[1..].iter().map(|offset| before + offset));
                    moves.extend_from_slice(found.as_slice());
                }
                (Compute::Threats, ColumnPart::Threats { found, offsets, threats }) => {
                    self.threats_seen(positions, found);
                    let before = threats.len();
                    offsets.extend(found.offsets()[1..].iter().map(|offset| before + offset));
                    threats.extend(found.as_slice().iter().map(codes));
                }
                _ => unreachable!("{OWN_ROOMS}"),
            }
        }
        let mut squares = Vec::new();
        for &(place, DerivedSet { some, none, without_pawns_of }) in derived {
            let mut each = |numbers: usize, derive: fn(&mut u64, u64)| {
                let Ok([ColumnPart::Boards(boards), ColumnPart::Numbers(numbers)]) =
                    rooms.get_disjoint_mut([place, numbers])
                else {
                    unreachable!("{OWN_ROOMS}")
                };
                squares.resize(places.len(), 0);
                self.how.backend.nonzero_squares(&numbers[places.clone()], &mut squares);
                boards[places.clone()].iter_mut().zip(&squares).for_each(|(set, &squares)| derive(set, squares));
            };
            each(some, |set, squares| *set = squares);
            if let Some(none) = none {
                each(none, |set, squares| *set &= !squares);
            }
            if let (Some(color), ColumnPart::Boards(boards)) = (without_pawns_of, &mut rooms[place]) {
                let pawns = positions.pieces(color, Piece::Pawn);
                boards[places.clone()].iter_mut().zip(pawns).for_each(|(set, pawns)| *set &= !pawns);
            }
        }
    }

    /// The places of the gains of White and of Black, which are computed together.
    pub(crate) fn gains_of_both(&self) -> Option<[usize; 2]> {
        self.chosen.gains
    }

    /// How the column of this place is derived from numbers of other columns of this plan, if it is.
    pub(crate) fn derived(&self, place: usize) -> Option<DerivedSet> {
        self.chosen.derived.iter().find(|&&(of, _)| of == place).map(|&(_, derived)| derived)
    }

    /// Computes one column into memory of the caller's, with the options of this plan, whether or not the plan has its product.
    ///
    /// # Errors
    ///
    /// `out` does not have one element per position. Then nothing has been written.
    ///
    /// # Panics
    ///
    /// If `out` is for another kind of values than the column has. Lists have no such kind; [`list_moves`](Plan::list_moves)
    /// fills those of moves.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::position::Positions;
    /// use slider_attacks_arrow::{ColumnMut, Plan, Product};
    ///
    /// let mut positions = Positions::new();
    /// positions.read_lines(b"4k3/8/8/8/8/8/8/R3K3 w Q -\n4k3/8/8/8/8/8/8/R3K3 b Q -\n")?;
    /// let mut maps = [0; 2];
    /// let white = &Product::Maps.columns()[0];
    /// let plan = Plan::new([Product::Maps]);
    /// plan.compute_column(white, &positions, ColumnMut::Boards(&mut maps))?;
    /// assert_eq!(maps, [0x0101_0101_0101_393e; 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn compute_column<'a>(
        &self,
        column: &ProductColumn,
        positions: impl Into<PositionSlice<'a>>,
        mut out: ColumnMut<'_>,
    ) -> Result<(), BatchError> {
        let positions = positions.into();
        if positions.len() != out.len() {
            return Err(BatchError::PositionLengthMismatch { positions: positions.len(), out: out.len() });
        }
        let mut done = Ok(());
        self.for_seen(positions, |places, seen| {
            done = done.and(self.compute_seen(column, seen, out.part(places)));
        });
        done
    }

    /// Computes a column of positions that are seen as the options say.
    pub(crate) fn compute_seen(
        &self,
        column: &ProductColumn,
        positions: PositionSlice<'_>,
        out: ColumnMut<'_>,
    ) -> Result<(), BatchError> {
        match (&column.compute, out) {
            (
                Compute::Boards(fill) | Compute::Key(fill) | Compute::Nonzero(_, fill) | Compute::Stuck(_, fill),
                ColumnMut::Boards(out),
            ) => fill(&self.how, positions, out),
            (&Compute::Set(product, color), ColumnMut::Boards(out)) => {
                let request = SetRequest { product: product(&self.how.options), color, out };
                self.how.backend.sets(positions, &mut [request])
            }
            (Compute::Numbers(fill, _), ColumnMut::Numbers(out)) => fill(&self.how, positions, out),
            (Compute::Number(fill), ColumnMut::Number(out)) => fill(&self.how, positions, out),
            (Compute::Sets(fill), ColumnMut::Sets(out)) => fill(&self.how, positions, out),
            _ => panic!("column {} is {}, which there is no room for", column.name, column.kind().meaning()),
        }
    }

    /// Lists the moves of a column, whether or not the plan has its product. `out` is overwritten, and keeps its memory.
    ///
    /// # Panics
    ///
    /// If the column does not hold moves.
    ///
    /// ```
    /// use slider_attacks::moves::Moves;
    /// use slider_attacks::position::Positions;
    /// use slider_attacks_arrow::{Plan, Product};
    ///
    /// let mut positions = Positions::new();
    /// positions.read_lines(b"7k/R7/6K1/8/8/8/8/8 w - -")?;
    /// let mut moves = Moves::new();
    /// Plan::new([Product::Maps]).list_moves(&Product::MatingMoves.columns()[0], &positions, &mut moves);
    /// assert_eq!(moves[0][0].to_string(), "a7a8");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn list_moves<'a>(&self, column: &ProductColumn, positions: impl Into<PositionSlice<'a>>, out: &mut Moves) {
        self.list_parts(positions.into(), out, |seen, out| self.list_seen(column, seen, out));
    }

    /// Lists the threats of both sides to the victims of the options. `out` is overwritten, and keeps its memory.
    ///
    /// ```
    /// use slider_attacks::analysis::Threats;
    /// use slider_attacks::position::{Color, Piece, Positions};
    /// use slider_attacks_arrow::{Plan, Product};
    ///
    /// let mut positions = Positions::new();
    /// positions.read_lines(b"4k3/8/8/8/8/8/8/R3K2r w - -")?;
    /// let mut threats = Threats::new();
    /// Plan::new([Product::Threats]).list_threats(&positions, &mut threats);
    /// assert_eq!(threats[0][0].victim, (Color::White, Piece::King));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn list_threats<'a>(&self, positions: impl Into<PositionSlice<'a>>, out: &mut Threats) {
        self.list_parts(positions.into(), out, |seen, out| self.threats_seen(seen, out));
    }

    fn threats_seen(&self, positions: PositionSlice<'_>, out: &mut Threats) {
        self.how.backend.threats(positions, &Color::ALL, self.how.options.victims, out);
    }

    /// Joins the lists of parts of the positions.
    fn list_parts<T: Clone>(
        &self,
        positions: PositionSlice<'_>,
        out: &mut Lists<T>,
        list: impl Fn(PositionSlice<'_>, &mut Lists<T>),
    ) {
        out.clear();
        let (mut some, mut is_first) = (Lists::new(), true);
        self.for_seen(positions, |_, seen| {
            if mem::take(&mut is_first) {
                return list(seen, out);
            }
            list(seen, &mut some);
            out.append(&some);
        });
    }

    /// Lists the moves of a column for positions that are seen as the options say.
    pub(crate) fn list_seen(&self, column: &ProductColumn, positions: PositionSlice<'_>, out: &mut Moves) {
        let Compute::Moves(list) = column.compute else {
            panic!("column {} is {}, not moves", column.name, column.kind().meaning())
        };
        list(self.how.backend, positions, out);
    }

    /// The columns of the products, in their order.
    pub fn product_columns(&self) -> impl Iterator<Item = &'static ProductColumn> {
        self.chosen.columns.iter().copied()
    }
}

/// How many positions are turned at a time: they stay in the cache.
#[cfg(feature = "lists")]
const SEEN: usize = 1 << 10;

const OWN_ROOMS: &str = "the values are those of this plan";

/// The products of a plan, and what follows from them.
#[derive(Debug, Default)]
struct ChosenColumns {
    /// Each of them once, in the order of [`Product::ALL`].
    products: Vec<Product>,
    columns: Vec<&'static ProductColumn>,
    /// By the places of columns.
    derived: Vec<(usize, DerivedSet)>,
    /// The places of the gains of White and of Black, and those of moves that give check and checkmate.
    gains: Option<[usize; 2]>,
    checks_and_mates: Option<[usize; 2]>,
}

impl ChosenColumns {
    fn new(products: Vec<Product>) -> ChosenColumns {
        let columns: Vec<_> = products.iter().flat_map(|product| product.columns()).collect();
        let place = |product, name| place(&products, product, name);
        let derived = |compute: &Compute| match *compute {
            Compute::Nonzero(of, _) => {
                Some(DerivedSet { some: place(Product::Exchanges, of)?, none: None, without_pawns_of: None })
            }
            Compute::Stuck(Lost { color, gains }, _) => Some(DerivedSet {
                some: place(Product::Exchanges, gains)?,
                none: Some(place(Product::SafeMobility, SAFE_MOBILITY)?),
                without_pawns_of: Some(color),
            }),
            _ => None,
        };
        let all_derived =
            columns.iter().zip(0..).filter_map(|(column, place)| Some((place, derived(&column.compute)?)));
        let both = |[one, other]: [Option<usize>; 2]| Some([one?, other?]);
        let gains = both(["white_gains", "black_gains"].map(|name| place(Product::Exchanges, name)));
        #[cfg(feature = "lists")]
        let checks_and_mates =
            both([Product::CheckingMoves, Product::MatingMoves].map(|product| place(product, product.name())));
        #[cfg(not(feature = "lists"))]
        let checks_and_mates = None;
        ChosenColumns { derived: all_derived.collect(), columns, gains, checks_and_mates, products }
    }
}

/// The place of a column of this product among those of all, if it is one of these products.
fn place(products: &[Product], product: Product, name: &str) -> Option<usize> {
    let of_product = products.binary_search(&product).ok()?;
    let before: usize = products[..of_product].iter().map(|product| product.columns().len()).sum();
    Some(before + product.columns().iter().position(|column| column.name == name)?)
}

/// A set derived from numbers of other columns: the squares where `some` is not 0 and `none`, if there is one, is 0, except for
/// pawns of a colour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DerivedSet {
    pub some: usize,
    pub none: Option<usize>,
    pub without_pawns_of: Option<Color>,
}

/// Attacker, from, to and victim of a threat as numbers: the letters of the pieces as in FEN, the squares from 0.
fn codes(threat: &Threat) -> [u8; 4] {
    let [attacker, victim] = [threat.attacker, threat.victim].map(|(color, piece)| piece.letter(color) as u8);
    [attacker, threat.attacker_square.index(), threat.victim_square.index(), victim]
}

/// The values of a column, as vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Values {
    /// A set of squares per position, or a key.
    Boards(Vec<u64>),
    /// A number for each square, per position.
    Numbers(Vec<[u8; 64]>),
    /// A number per position.
    Number(Vec<u16>),
    /// A set of squares for each square, per position.
    Sets(Vec<[u64; 64]>),
    /// A list of moves per position.
    Moves {
        /// One element more than there are positions: the moves of position *i* are those from `offsets[i]` to
        /// `offsets[i + 1]`.
        offsets: Vec<usize>,
        /// The moves of all positions.
        moves: Vec<Move>,
        /// How an array holds them.
        notation: Notation,
    },
    /// A list of threats per position.
    Threats {
        /// The same for threats.
        offsets: Vec<usize>,
        /// Attacker, from, to and victim of each threat. A piece is its letter in FEN, a square its number.
        threats: Vec<[u8; 4]>,
    },
}

/// Memory for the values of a column, one element per position: what [`Plan::compute_column`] writes to.
#[derive(Debug)]
#[non_exhaustive]
pub enum ColumnMut<'a> {
    /// For sets of squares and keys.
    Boards(&'a mut [u64]),
    /// For a number per square.
    Numbers(&'a mut [[u8; 64]]),
    /// For a number.
    Number(&'a mut [u16]),
    /// For a set of squares per square.
    Sets(&'a mut [[u64; 64]]),
}

impl ColumnMut<'_> {
    /// The number of elements.
    fn len(&self) -> usize {
        match self {
            ColumnMut::Boards(boards) => boards.len(),
            ColumnMut::Numbers(numbers) => numbers.len(),
            ColumnMut::Number(numbers) => numbers.len(),
            ColumnMut::Sets(sets) => sets.len(),
        }
    }

    /// The memory for these positions.
    fn part(&mut self, places: Range<usize>) -> ColumnMut<'_> {
        match self {
            ColumnMut::Boards(boards) => ColumnMut::Boards(&mut boards[places]),
            ColumnMut::Numbers(numbers) => ColumnMut::Numbers(&mut numbers[places]),
            ColumnMut::Number(numbers) => ColumnMut::Number(&mut numbers[places]),
            ColumnMut::Sets(sets) => ColumnMut::Sets(&mut sets[places]),
        }
    }
}

/// Where the values of some positions in a column are computed: a part of its memory. Threats and moves are gathered, because
/// nobody knows how many there will be.
#[derive(Debug)]
pub(crate) enum ColumnPart<'a> {
    Boards(&'a mut [u64]),
    Numbers(&'a mut [[u8; 64]]),
    Number(&'a mut [u16]),
    Sets(&'a mut [[u64; 64]]),
    Moves {
        /// Those of the last positions, kept for their memory.
        found: Moves,
        offsets: Vec<usize>,
        moves: Vec<Move>,
        notation: Notation,
    },
    Threats {
        /// The same.
        found: Threats,
        offsets: Vec<usize>,
        threats: Vec<[u8; 4]>,
    },
}

impl<'a> ColumnPart<'a> {
    /// Takes the room for the first positions.
    #[cfg(feature = "arrow")]
    pub fn split_off(&mut self, positions: usize) -> ColumnPart<'a> {
        const ENOUGH: &str = "there is room for all positions";
        match self {
            ColumnPart::Boards(boards) => ColumnPart::Boards(boards.split_off_mut(..positions).expect(ENOUGH)),
            ColumnPart::Numbers(numbers) => ColumnPart::Numbers(numbers.split_off_mut(..positions).expect(ENOUGH)),
            ColumnPart::Number(numbers) => ColumnPart::Number(numbers.split_off_mut(..positions).expect(ENOUGH)),
            ColumnPart::Sets(sets) => ColumnPart::Sets(sets.split_off_mut(..positions).expect(ENOUGH)),
            ColumnPart::Moves { notation, .. } => ColumnPart::moves(*notation),
            ColumnPart::Threats { .. } => ColumnPart::threats(),
        }
    }

    /// Room for moves.
    pub fn moves(notation: Notation) -> ColumnPart<'a> {
        ColumnPart::Moves { found: Moves::new(), offsets: vec![0], moves: Vec::new(), notation }
    }

    /// Room for threats.
    pub fn threats() -> ColumnPart<'a> {
        ColumnPart::Threats { found: Threats::new(), offsets: vec![0], threats: Vec::new() }
    }

    /// The lists, if it is room for these.
    pub fn into_lists(self) -> Option<Values> {
        match self {
            ColumnPart::Moves { offsets, moves, notation, .. } => Some(Values::Moves { offsets, moves, notation }),
            ColumnPart::Threats { offsets, threats, .. } => Some(Values::Threats { offsets, threats }),
            _ => None,
        }
    }
}

impl Values {
    /// Where they are computed.
    fn room(&mut self) -> ColumnPart<'_> {
        match self {
            Values::Boards(boards) => ColumnPart::Boards(boards),
            Values::Numbers(numbers) => ColumnPart::Numbers(numbers),
            Values::Number(numbers) => ColumnPart::Number(numbers),
            Values::Sets(sets) => ColumnPart::Sets(sets),
            Values::Moves { notation, .. } => ColumnPart::moves(*notation),
            Values::Threats { .. } => ColumnPart::threats(),
        }
    }
}
