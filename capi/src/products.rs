//! Columns of products, moves, threats, and sums.

use core::ffi::{CStr, c_char, c_void};
use core::mem::MaybeUninit;
use core::ptr;
use std::ffi::CString;
use std::sync::OnceLock;

use bytemuck::Pod;
use slider_attacks::analysis::{PieceValues, Pinned, Side, Threats};
use slider_attacks::moves::{Move, Moves};
use slider_attacks::position::{Color, PositionSlice, Positions};
use slider_attacks::{Backend, BatchError, Square};
use slider_attacks_arrow::{
    ColumnKind, ColumnMut, OptionKind, Options, Perspective, Plan, Product, ProductColumn, ProductOption,
};

use crate::backends::{backend, sla_backend};
use crate::memory::{
    ElementBytes, Strided, apart, array_span, in_place, input, name, numbered, output, place, spans_meet, written,
};
use crate::positions::{exclusive, optional, sla_positions, some};
use crate::status::{
    CallResult, Failed, SLA_ERROR_GROUP, SLA_ERROR_KIND, SLA_ERROR_LENGTH, SLA_ERROR_ROOM, SLA_ERROR_UNKNOWN, call,
    fail, fail_at, sla_status,
};
use crate::views::{CallerBoards, MAPS, sla_board_view};

/// The number of a column of a product. It may differ between versions; names are stable.
pub type sla_column = u32;

/// The kind of values of a column.
pub type sla_kind = u32;

/// A set of squares, as a `uint64_t`: bit *i* is square *i*.
pub const SLA_KIND_BOARD: sla_kind = 0;
/// A number below 128 for each of the 64 squares, a1 first, as `uint8_t`.
pub const SLA_KIND_NUMBERS: sla_kind = 1;
/// One number below 32768, as a `uint16_t`.
pub const SLA_KIND_NUMBER: sla_kind = 2;
/// A list of threats, for `sla_threats`.
pub const SLA_KIND_THREATS: sla_kind = 3;
/// A key of the position, as a `uint64_t`. It has no sum.
pub const SLA_KIND_KEY: sla_kind = 4;
/// A list of moves, for `sla_moves`.
pub const SLA_KIND_MOVES: sla_kind = 5;
/// A set of squares for each of the 64 squares, a1 first, as `uint64_t`. It has no sum.
pub const SLA_KIND_SETS: sla_kind = 6;

/// A move: from bit 0 on, the square it starts from, the square it goes to (6 bits each), the piece of a promotion (2 bits:
/// knight, bishop, rook, queen), and the kind (2 bits: normal, en passant, castling, promotion). Castling goes to the square of
/// the rook.
pub type sla_move = u16;

/// The description of a column. The texts are never freed.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sla_column_info {
    /// Its unique name.
    pub name: *const c_char,
    /// The product that it belongs to.
    pub product: *const c_char,
    /// Its meaning: a phrase such as "the squares that White attacks".
    pub meaning: *const c_char,
    /// The kind of its values.
    pub kind: sla_kind,
    /// How many bytes the values of a position take; 0 for lists.
    pub bytes: usize,
}

/// Pieces of one side or both, relative to a piece.
pub type sla_side = u32;

/// The default: any side for x-rays, the enemy for threats.
pub const SLA_SIDE_USUAL: sla_side = 0;
/// The pieces of its own colour.
pub const SLA_SIDE_OWN: sla_side = 1;
/// The pieces of the other colour.
pub const SLA_SIDE_ENEMY: sla_side = 2;
/// All pieces.
pub const SLA_SIDE_ANY: sla_side = 3;

/// How pieces that are pinned to their king capture in an exchange.
pub type sla_pinned = u32;

/// It captures like all others.
pub const SLA_PINNED_CAPTURE: sla_pinned = 0;
/// It captures only on the line of the pin.
pub const SLA_PINNED_STAY: sla_pinned = 1;

/// How products are computed. All zeros, or a null pointer to this, are the defaults. `sla_options_set` sets the options of
/// products by name.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sla_options {
    /// The backend.
    pub backend: sla_backend,
    /// X-rays pass through pieces of this side, relative to the slider.
    pub through: sla_side,
    /// Threats to pieces of this side are listed, relative to the attacker.
    pub victims: sla_side,
    /// How pinned pieces capture in exchanges.
    pub pinned: sla_pinned,
    /// The values of a pawn, a knight, a bishop, a rook and a queen in exchanges, from 0 to 63 each. Five zeros mean 1, 3, 3, 5, 9.
    pub values: [u8; 5],
    /// Reserved for options that this header does not declare. `sla_options_set` sets those of the library.
    pub others: [u8; 11],
}

/// The options that have fields of their own.
const FIELDS: [&str; 4] = ["through", "victims", "values", "pinned"];

/// The other options: byte *i* of `others` has the *i*-th of them, 0 for what is usual, or 1 more than the place of a name.
fn others() -> impl Iterator<Item = (&'static ProductOption, &'static [&'static str])> {
    let others = Options::ALL.iter().filter(|option| !FIELDS.contains(&option.name()));
    others.map(|option| match option.kind() {
        OptionKind::Choice(names) => (option, names),
        _ => unreachable!("{OTHERS_FIT}"),
    })
}

const OTHERS_FIT: &str = "an option that is not a choice, or one of too many, has a field of its own in `sla_options`";

const _: () = {
    let (mut at, mut choices) = (0, 0);
    while at < Options::ALL.len() {
        choices += matches!(Options::ALL[at].kind(), OptionKind::Choice(_)) as usize;
        at += 1;
    }
    // All but `values` are choices, and three of these have fields.
    assert!(Options::ALL.len() - choices == 1 && choices - 3 <= 11, "{}", OTHERS_FIT);
};

/// Sets an option of products in `options`, by name and by value as text, such as `"values"` and `"1,3,3,5,9"`. Names, values
/// and meanings are the same as in all other interfaces.
///
/// Errors: `SLA_ERROR_UNKNOWN` for a name or a value, and those of memory.
///
/// # Safety
///
/// `name` and `value` end with a null byte. At `options`, there are options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_options_set(
    options: *mut sla_options,
    name: *const c_char,
    value: *const c_char,
) -> sla_status {
    call(|| {
        // SAFETY: by the contract of this function.
        let (name, value, place) =
            unsafe { (self::name("name", name)?, self::name("value", value)?, place("options", options)?) };
        apart(("name", name.as_ptr(), name.len()), ("options", options, 1))?;
        apart(("value", value.as_ptr(), value.len()), ("options", options, 1))?;
        let mut found = Options::default();
        found.set(name, value).map_err(|error| fail(SLA_ERROR_UNKNOWN, format_args!("{error}")))?;
        if found.values.get() == [0; 5] {
            return Err(fail(
                SLA_ERROR_UNKNOWN,
                format_args!("{name}: five zeros are the usual values here, found {value:?}"),
            ));
        }
        // SAFETY: by the contract of this function, and it has been checked.
        let options = unsafe { &mut *place };
        let number =
            |values: &[Side], side| values.iter().position(|&other| other == side).map_or(0, |at| at as u32 + 1);
        match name {
            "through" => options.through = number(&Side::ALL, found.through),
            "victims" => options.victims = number(&Side::ALL, found.victims),
            "values" => options.values = found.values.get(),
            "pinned" => options.pinned = u32::from(found.pinned == Pinned::Stay),
            _ => {
                let other = others().zip(&mut options.others).find(|((option, _), _)| option.name() == name);
                if let Some(((_, names), byte)) = other {
                    *byte = names.iter().position(|other| *other == value).map_or(0, |at| at as u8 + 1);
                }
            }
        }
        Ok(())
    })
}

/// One piece attacks another. A piece is its letter in FEN: `Q` is a white queen, `q` a black one.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sla_threat {
    /// The attacking piece.
    pub attacker: u8,
    /// The square of the attacker.
    pub from: u8,
    /// The square of the victim.
    pub to: u8,
    /// The attacked piece.
    pub victim: u8,
}

/// A column, with its texts for C.
struct NamedColumn {
    column: &'static ProductColumn,
    texts: [CString; 3],
}

fn columns() -> &'static [NamedColumn] {
    static COLUMNS: OnceLock<Vec<NamedColumn>> = OnceLock::new();
    COLUMNS.get_or_init(|| {
        let of = |&product: &Product| {
            product.columns().iter().map(move |column| {
                let texts = [column.name(), product.name(), column.meaning()];
                NamedColumn { column, texts: texts.map(|text| CString::new(text).unwrap_or_default()) }
            })
        };
        Product::ALL.iter().flat_map(of).collect()
    })
}

fn column(number: sla_column) -> CallResult<&'static NamedColumn> {
    columns().get(number as usize).ok_or_else(|| {
        let most = columns().len() - 1;
        fail(SLA_ERROR_UNKNOWN, format_args!("expected a column from 0 to {most}, found {number}"))
    })
}

/// Returns the number of columns. They are numbered from 0; those of one product are consecutive.
#[unsafe(no_mangle)]
pub extern "C" fn sla_column_count() -> u32 {
    columns().len() as u32
}

/// Writes the description of a column to `info`.
///
/// Errors: `SLA_ERROR_UNKNOWN`, `SLA_ERROR_NULL`.
///
/// # Safety
///
/// There is room for it at `info`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_column_get(column: sla_column, info: *mut sla_column_info) -> sla_status {
    call(|| {
        let NamedColumn { column, texts, .. } = self::column(column)?;
        let [name, product, meaning] = texts.each_ref().map(|text| CStr::as_ptr(text));
        let (kind, bytes) = match column.kind() {
            ColumnKind::Bitboard => (SLA_KIND_BOARD, 8),
            ColumnKind::Numbers => (SLA_KIND_NUMBERS, 64),
            ColumnKind::Number => (SLA_KIND_NUMBER, 2),
            ColumnKind::Key => (SLA_KIND_KEY, 8),
            ColumnKind::Moves => (SLA_KIND_MOVES, 0),
            ColumnKind::Sets => (SLA_KIND_SETS, 512),
            _ => (SLA_KIND_THREATS, 0),
        };
        // SAFETY: by the contract of this function.
        let out = unsafe { place("info", info)? };
        // SAFETY: the same, and it has been checked.
        unsafe { *out = sla_column_info { name, product, meaning, kind, bytes } };
        Ok(())
    })
}

/// Writes the number of the column of this name, such as `"white_attacks"`, to `column`.
///
/// Errors: `SLA_ERROR_UNKNOWN`, `SLA_ERROR_NULL`.
///
/// # Safety
///
/// `name` ends with a null byte. There is room for a number at `column`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_column_find(name: *const c_char, column: *mut sla_column) -> sla_status {
    call(|| {
        // SAFETY: by the contract of this function.
        let (name, out) = unsafe { (self::name("name", name)?, place("column", column)?) };
        let found = columns().iter().position(|column| column.column.name() == name);
        let found = found.ok_or_else(|| fail(SLA_ERROR_UNKNOWN, format_args!("no column {name:?}")))?;
        // SAFETY: by the contract of this function, and it has been checked.
        unsafe { *out = found as u32 };
        Ok(())
    })
}

/// How the products of a call are computed: as `own` says once it has the caller's options, or as usual, which takes less time.
///
/// # Safety
///
/// The pointer is null, or options are there.
#[inline(always)]
pub(crate) unsafe fn rules(
    options: *const sla_options,
    own: &mut Option<ProductSettings>,
) -> CallResult<&ProductSettings> {
    static USUAL: OnceLock<ProductSettings> = OnceLock::new();
    if options.is_null() {
        let usual = || ProductSettings { backend: Backend::active(), plan: Plan::new([Product::Maps; 0]) };
        return Ok(USUAL.get_or_init(usual));
    }
    // SAFETY: by the contract of this function, and it is checked.
    let options = unsafe { &*place("options", options.cast_mut())? };
    Ok(own.insert(settings(options)?))
}

/// What these options say.
fn settings(options: &sla_options) -> CallResult<ProductSettings> {
    let side = |usual| [usual, Side::Own, Side::Enemy, Side::Any];
    let values = match options.values {
        [0, 0, 0, 0, 0] => PieceValues::default(),
        values => PieceValues::new(values).ok_or_else(|| {
            fail(SLA_ERROR_UNKNOWN, format_args!("expected values from 0 to {}, found {values:?}", PieceValues::MOST))
        })?,
    };
    let backend = backend(options.backend)?;
    let mut found = Options::default();
    found.through = numbered("side", &side(Side::Any), options.through)?;
    found.victims = numbered("side", &side(Side::Enemy), options.victims)?;
    found.pinned = numbered("rule for pinned pieces", &[Pinned::Capture, Pinned::Stay], options.pinned)?;
    found.values = values;
    if options.others != [0; 11] {
        set_others(&mut found, &options.others)?;
    }
    let plan = Plan::new([Product::Maps; 0]).backend(backend).options(found);
    Ok(ProductSettings { backend, plan })
}

/// Sets the options that have no fields.
#[cold]
fn set_others(found: &mut Options, bytes: &[u8; 11]) -> CallResult {
    let mut others = others();
    for (at, &byte) in bytes.iter().enumerate() {
        let other = others.next();
        let Some(place) = usize::from(byte).checked_sub(1) else { continue };
        let value = other.and_then(|(option, names)| names.get(place).map(|name| (option.name(), *name)));
        let set = value.map(|(name, value)| found.set(name, value));
        let Some(Ok(())) = set else {
            return Err(fail(
                SLA_ERROR_UNKNOWN,
                format_args!("others[{at}]: expected what `sla_options_set` writes, found {byte}"),
            ));
        };
    }
    Ok(())
}

/// What the caller's options say.
pub(crate) struct ProductSettings {
    backend: Backend,
    /// All options.
    pub plan: Plan,
}

impl ProductSettings {
    /// Computes the values of a column. The caller has checked that there is one per position.
    fn compute(&self, column: &ProductColumn, positions: PositionSlice<'_>, out: ColumnMut<'_>) -> CallResult {
        let color = match Product::Maps.columns() {
            [white, _] if ptr::eq(column, white) => Some(Color::White),
            [_, black] if ptr::eq(column, black) => Some(Color::Black),
            _ => None,
        };
        let computed = match (out, color) {
            // No option changes these, other than how positions are seen. In short calls, that they are so is known sooner here.
            (ColumnMut::Boards(out), Some(color)) if self.plan.option_values().perspective == Perspective::Board => {
                self.backend.attack_maps(positions, color, out)
            }
            (out, _) => self.plan.compute_column(column, positions, out),
        };
        computed.map_err(|error| fail(SLA_ERROR_LENGTH, format_args!("{error}")))
    }
}

/// The number of positions that are computed at a time where they cannot be computed in place.
const BLOCK: usize = 256;

/// The values of a column in C, and in the library.
trait CValue: Copy {
    /// The value, as the library has it.
    type Own: Pod;
    const BLANK: Self::Own;
    fn room(values: &mut [Self::Own]) -> ColumnMut<'_>;
}

impl CValue for u64 {
    type Own = u64;
    const BLANK: u64 = 0;
    fn room(values: &mut [u64]) -> ColumnMut<'_> {
        ColumnMut::Boards(values)
    }
}

impl CValue for u8 {
    type Own = [u8; 64];
    const BLANK: [u8; 64] = [0; 64];
    fn room(values: &mut [[u8; 64]]) -> ColumnMut<'_> {
        ColumnMut::Numbers(values)
    }
}

impl CValue for u16 {
    type Own = u16;
    const BLANK: u16 = 0;
    fn room(values: &mut [u16]) -> ColumnMut<'_> {
        ColumnMut::Number(values)
    }
}

impl CValue for [u64; 64] {
    type Own = [u64; 64];
    const BLANK: [u64; 64] = [0; 64];
    fn room(values: &mut [[u64; 64]]) -> ColumnMut<'_> {
        ColumnMut::Sets(values)
    }
}

fn is_of_kind<T: CValue>(column: &ProductColumn) -> CallResult {
    let is_right = match T::room(&mut []) {
        ColumnMut::Boards(_) => matches!(column.kind(), ColumnKind::Bitboard | ColumnKind::Key),
        ColumnMut::Numbers(_) => column.kind() == ColumnKind::Numbers,
        ColumnMut::Number(_) => column.kind() == ColumnKind::Number,
        ColumnMut::Sets(_) => column.kind() == ColumnKind::Sets,
        _ => false,
    };
    if is_right { Ok(()) } else { Err(wrong_kind(column)) }
}

#[cold]
fn wrong_kind(column: &ProductColumn) -> Failed {
    let (name, meaning) = (column.name(), column.kind().meaning());
    fail(SLA_ERROR_KIND, format_args!("column {name} is {meaning}, which this call does not return"))
}

/// Computes a column, in place if there are no gaps.
///
/// # Safety
///
/// As for the functions that call this.
unsafe fn compute<T: CValue>(
    positions: *const sla_positions,
    first: usize,
    count: usize,
    column: sla_column,
    options: *const sla_options,
    out: *mut T,
    stride: usize,
) -> sla_status {
    call(|| {
        let column = self::column(column)?.column;
        is_of_kind::<T>(column)?;
        let mut own = None;
        // SAFETY: by the contract of this function.
        let (positions, rules) = unsafe { (some(positions, first, count)?, rules(options, &mut own)?) };
        if stride == size_of::<T::Own>() {
            // SAFETY: by the contract of this function: there is room for so many values, without gaps.
            let out = unsafe { output("out", out.cast::<T::Own>(), count)? };
            return rules.compute(column, positions, T::room(written(out)));
        }
        // SAFETY: by the contract of this function.
        let out = unsafe { Strided::output("out", out.cast::<T::Own>(), stride, count)? };
        // SAFETY: there is room for so many.
        unsafe { compute_parts::<T>(rules, column, positions, 0, out) }
    })
}

/// Computes a column of kind `SLA_KIND_BOARD` or `SLA_KIND_KEY` for `count` positions from `first` on: the value of position
/// `first + i` is written `stride * i` bytes after `out`. `options` may be null.
///
/// Errors: `SLA_ERROR_KIND` for a column of another kind, `SLA_ERROR_LENGTH` if there are fewer positions, `SLA_ERROR_UNKNOWN`
/// for columns and options, and those of memory.
///
/// # Safety
///
/// There is room for the values. The handle is from `sla_positions_new`, has not been freed, and nobody changes it during the
/// call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_column_boards(
    positions: *const sla_positions,
    first: usize,
    count: usize,
    column: sla_column,
    options: *const sla_options,
    out: *mut u64,
    stride: usize,
) -> sla_status {
    // SAFETY: by the contract of this function.
    unsafe { compute(positions, first, count, column, options, out, stride) }
}

/// The same for a column of kind `SLA_KIND_NUMBERS`: 64 numbers per position.
///
/// # Safety
///
/// As for `sla_column_boards`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_column_numbers(
    positions: *const sla_positions,
    first: usize,
    count: usize,
    column: sla_column,
    options: *const sla_options,
    out: *mut u8,
    stride: usize,
) -> sla_status {
    // SAFETY: by the contract of this function.
    unsafe { compute(positions, first, count, column, options, out, stride) }
}

/// The same for a column of kind `SLA_KIND_NUMBER`: one number per position.
///
/// # Safety
///
/// As for `sla_column_boards`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_column_number(
    positions: *const sla_positions,
    first: usize,
    count: usize,
    column: sla_column,
    options: *const sla_options,
    out: *mut u16,
    stride: usize,
) -> sla_status {
    // SAFETY: by the contract of this function.
    unsafe { compute(positions, first, count, column, options, out, stride) }
}

/// The same for a column of kind `SLA_KIND_SETS`: 64 sets of squares per position.
///
/// # Safety
///
/// As for `sla_column_boards`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_column_sets(
    positions: *const sla_positions,
    first: usize,
    count: usize,
    column: sla_column,
    options: *const sla_options,
    out: *mut u64,
    stride: usize,
) -> sla_status {
    // SAFETY: by the contract of this function.
    unsafe { compute(positions, first, count, column, options, out.cast::<[u64; 64]>(), stride) }
}

/// Where the values of a column go, for `sla_view_columns`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sla_view_output {
    /// The column, of a kind other than lists.
    pub column: sla_column,
    /// Where the value of the first position goes: `uint64_t`, `uint8_t` or `uint16_t`, as the kind of the column says.
    pub values: *mut c_void,
    /// Bytes from the value of a position to that of the next one.
    pub stride: usize,
}

/// The memory of an output, by the kind of its column.
enum ViewValues {
    Boards(Strided<u64>),
    Numbers(Strided<[u8; 64]>),
    Number(Strided<u16>),
    Sets(Strided<[u64; 64]>),
}

impl ViewValues {
    /// Checks the column and the addresses of an output.
    ///
    /// # Safety
    ///
    /// There is room for the values of so many positions.
    unsafe fn new(output: &sla_view_output, count: usize) -> CallResult<(&'static ProductColumn, ViewValues)> {
        let column = column(output.column)?.column;
        let (values, stride) = (output.values, output.stride);
        // SAFETY: by the contract of this function.
        let values = unsafe {
            match column.kind() {
                ColumnKind::Bitboard | ColumnKind::Key => {
                    ViewValues::Boards(Strided::output("values", values.cast(), stride, count)?)
                }
                ColumnKind::Numbers => ViewValues::Numbers(Strided::output("values", values.cast(), stride, count)?),
                ColumnKind::Number => ViewValues::Number(Strided::output("values", values.cast(), stride, count)?),
                ColumnKind::Sets => ViewValues::Sets(Strided::output("values", values.cast(), stride, count)?),
                _ => return Err(wrong_kind(column)),
            }
        };
        Ok((column, values))
    }

    /// The bytes that are written for so many positions.
    fn element_bytes(&self, count: usize) -> ElementBytes {
        match self {
            ViewValues::Boards(out) => out.element_bytes(count),
            ViewValues::Numbers(out) => out.element_bytes(count),
            ViewValues::Number(out) => out.element_bytes(count),
            ViewValues::Sets(out) => out.element_bytes(count),
        }
    }

    /// Computes the values of some positions. The first one is position `start` of the view.
    ///
    /// # Safety
    ///
    /// There still is room for them.
    unsafe fn compute(
        &self,
        rules: &ProductSettings,
        column: &ProductColumn,
        positions: &Positions,
        start: usize,
    ) -> CallResult {
        let positions = positions.into();
        // SAFETY: by the contract of this function.
        unsafe {
            match *self {
                ViewValues::Boards(out) => compute_at::<u64>(rules, column, positions, start, out),
                ViewValues::Numbers(out) => compute_at::<u8>(rules, column, positions, start, out),
                ViewValues::Number(out) => compute_at::<u16>(rules, column, positions, start, out),
                ViewValues::Sets(out) => compute_at::<[u64; 64]>(rules, column, positions, start, out),
            }
        }
    }
}

/// Computes a column, in place if there are no gaps, and writes the values from place `at` on.
///
/// # Safety
///
/// There is room for them, to which nobody has a reference.
unsafe fn compute_at<T: CValue>(
    rules: &ProductSettings,
    column: &ProductColumn,
    positions: PositionSlice<'_>,
    at: usize,
    out: Strided<T::Own>,
) -> CallResult {
    // SAFETY: by the contract of this function.
    match unsafe { out.without_gaps(at, positions.len()) } {
        Some(out) => rules.compute(column, positions, T::room(written(out))),
        // SAFETY: the same.
        None => unsafe { compute_parts::<T>(rules, column, positions, at, out) },
    }
}

/// Computes a column part by part, and writes the values from place `at` on.
///
/// # Safety
///
/// There is room for them.
unsafe fn compute_parts<T: CValue>(
    rules: &ProductSettings,
    column: &ProductColumn,
    positions: PositionSlice<'_>,
    at: usize,
    out: Strided<T::Own>,
) -> CallResult {
    let count = positions.len();
    let mut block = vec![T::BLANK; BLOCK.min(count)];
    for start in (0..count).step_by(BLOCK) {
        let block = &mut block[..BLOCK.min(count - start)];
        rules.compute(column, positions.slice(start..start + block.len()), T::room(block))?;
        // SAFETY: by the contract of this function.
        unsafe { out.write(at + start, block) };
    }
    Ok(())
}

/// The columns of attack maps: white's, and black's.
fn map_columns() -> &'static [sla_column; 2] {
    static MAPS: OnceLock<[sla_column; 2]> = OnceLock::new();
    MAPS.get_or_init(|| {
        let number = |name| columns().iter().position(|column| column.column.name() == name);
        ["white_attacks", "black_attacks"].map(|name| number(name).map_or(sla_column::MAX, |at| at as sla_column))
    })
}

/// Computes attack maps of a few boards in one step. Returns whether it has: what is wrong or unusual is left to
/// [`sla_view_columns`].
///
/// # Safety
///
/// As for [`sla_view_columns`].
unsafe fn maps_of_view(
    view: *const sla_board_view,
    outputs: *const sla_view_output,
    output_count: usize,
    scratch: *mut sla_positions,
) -> CallResult<bool> {
    // SAFETY: by the contract of this function, and it is checked.
    let raw = unsafe { &*place("view", view.cast_mut())? };
    let count = raw.count;
    if count == 0 || !(1..=2).contains(&output_count) {
        return Ok(false);
    }
    // SAFETY: by the contract of this function.
    let outputs = unsafe { input("outputs", outputs, output_count)? };
    let columns = map_columns();
    if !columns.contains(&outputs[0].column) {
        return Ok(false);
    }
    let mut boards = CallerBoards::NONE;
    // SAFETY: by the contract of this function.
    unsafe { boards.set(raw)? };
    let inputs = [boards.span(), array_span(view, 1), array_span(outputs.as_ptr(), output_count)];
    let (mut targets, mut spans) = ([None; 2], [0..0, 0..0]);
    for output in outputs {
        let Some(color) = columns.iter().position(|&column| column == output.column) else { return Ok(false) };
        // SAFETY: by the contract of this function.
        let values = unsafe { Strided::output("values", output.values.cast::<u64>(), output.stride, count)? };
        let span = values.span(count);
        let mut meets = targets[color].is_some() | spans_meet(&span, &spans[1 - color]);
        for input in &inputs {
            meets |= spans_meet(&span, input);
        }
        if meets {
            return Ok(false);
        }
        (targets[color], spans[color]) = (Some(values), span);
    }
    // Maps go straight to where they stay, or to memory on the stack.
    let mut memory = [[MaybeUninit::uninit(); MAPS]; 2];
    let [white, black] = &mut memory;
    // SAFETY: by the contract of this function, and the two share no memory with each other or with the inputs.
    let [of_white, of_black] = targets.map(|target: Option<Strided<u64>>| unsafe { target?.without_gaps(0, count) });
    let is_in_place = [of_white.is_some(), of_black.is_some()];
    if count > MAPS && !(boards.has_arrays() && is_in_place[0] && is_in_place[1]) {
        return Ok(false);
    }
    if !scratch.is_null() {
        // SAFETY: by the contract of this function.
        let scratch = unsafe { exclusive(scratch)? };
        if !scratch.is_empty() {
            scratch.clear();
        }
    }
    let white = written(of_white.unwrap_or_else(|| &mut white[..count]));
    let black = written(of_black.unwrap_or_else(|| &mut black[..count]));
    // SAFETY: by the contract of this function.
    if !unsafe { boards.maps(Backend::active(), [&mut *white, &mut *black]) } {
        return Ok(false);
    }
    for ((target, maps), is_in_place) in targets.into_iter().zip([white, black]).zip(is_in_place) {
        if let (Some(values), false) = (target, is_in_place) {
            // SAFETY: by the contract of this function.
            unsafe { values.write(0, maps) };
        }
    }
    Ok(true)
}

/// How many positions of a view are computed at a time. They take half a MiB, and stay in the cache. Fewer would take less time
/// each, but a longer view is read twice, because nothing may be written before all of it has been checked.
const VIEWED: usize = 4096;

/// Computes columns of the caller's boards, which are read where they are: nothing but a part that stays in the cache is copied. The
/// value of position `i` of an output is written `stride * i` bytes after its `values`. `options` may be null. One call with several
/// columns takes less time than several calls.
///
/// `scratch` is a handle whose positions the call replaces by others, to reuse its memory; if it is null, the call allocates. It is
/// empty afterwards; after an error, it is empty or unchanged.
///
/// Errors: those of `sla_positions_add_view` for the first position that is wrong; `SLA_ERROR_KIND` for a column of lists,
/// `SLA_ERROR_UNKNOWN` for columns and options, and those of memory.
///
/// # Safety
///
/// The arrays are as the view says. There is room for the values of `output_count` outputs, which share no memory with each other
/// or with the view. The handle is null, or from `sla_positions_new` and has not been freed. No other thread uses it during the
/// call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_view_columns(
    view: *const sla_board_view,
    options: *const sla_options,
    outputs: *const sla_view_output,
    output_count: usize,
    scratch: *mut sla_positions,
) -> sla_status {
    call(|| {
        // SAFETY: by the contract of this function.
        if options.is_null() && unsafe { maps_of_view(view, outputs, output_count, scratch)? } {
            return Ok(());
        }
        let mut own;
        let (mut own_rules, mut boards) = (None, CallerBoards::NONE);
        // SAFETY: by the contract of this function.
        let (rules, outputs, part) = unsafe {
            let part = if scratch.is_null() {
                own = Positions::new();
                &mut own
            } else {
                exclusive(scratch)?
            };
            boards.set(&*place("view", view.cast_mut())?)?;
            (rules(options, &mut own_rules)?, input("outputs", outputs, output_count)?, part)
        };
        let given = [
            ("view", ElementBytes::of_array(view, 1)),
            ("outputs", ElementBytes::of_array(outputs.as_ptr(), output_count)),
        ];
        let span = boards.span();
        // SAFETY: by the contract of this function.
        let target = |output| unsafe { ViewValues::new(output, boards.count) };
        for output in outputs {
            let values = target(output)?.1.element_bytes(boards.count);
            given.into_iter().try_for_each(|other| values.apart("values", other))?;
            if spans_meet(&values.span(), &span) {
                boards.memory().try_for_each(|other| values.apart("values", other))?;
            }
        }
        let parts = || (0..boards.count).step_by(VIEWED).map(|start| (start, VIEWED.min(boards.count - start)));
        if boards.count > VIEWED {
            // Nothing is written before all of them have been checked.
            for (start, len) in parts() {
                part.clear();
                // SAFETY: by the contract of this function.
                unsafe { boards.add(start, len, part).inspect_err(|_| part.clear())? };
            }
        }
        for (start, len) in parts() {
            if !part.is_empty() {
                part.clear();
            }
            // SAFETY: by the contract of this function.
            unsafe { boards.add(start, len, part)? };
            for output in outputs {
                // In short calls, this takes less time than to keep them.
                let (column, values) = target(output)?;
                // SAFETY: by the contract of this function.
                unsafe { values.compute(rules, column, part, start).inspect_err(|_| part.clear())? };
            }
        }
        part.clear();
        Ok(())
    })
}

/// The caller's memory for lists.
pub(crate) struct ListTarget<'a, T> {
    name: &'static str,
    offsets: &'a mut [MaybeUninit<usize>],
    elements: &'a mut [MaybeUninit<T>],
    total: *mut usize,
}

impl<T: Copy> ListTarget<'_, T> {
    /// Checks that no two parts share memory.
    ///
    /// # Safety
    ///
    /// There is room for `count + 1` offsets, for `capacity` elements, and for the total.
    pub unsafe fn new(
        name: &'static str,
        offsets: *mut usize,
        count: usize,
        elements: *mut T,
        capacity: usize,
        total: *mut usize,
    ) -> CallResult<Self> {
        apart(("offsets", offsets, count + 1), (name, elements, capacity))?;
        apart(("offsets", offsets, count + 1), ("total", total, 1))?;
        apart((name, elements, capacity), ("total", total, 1))?;
        // SAFETY: by the contract of this function. No two of them share memory.
        unsafe {
            let offsets = output("offsets", offsets, count + 1)?;
            Ok(ListTarget { name, offsets, elements: output(name, elements, capacity)?, total: place("total", total)? })
        }
    }

    /// Writes how many elements there are, and checks that they have room.
    pub fn reserve(&self, found: usize) -> CallResult {
        let (name, capacity) = (self.name, self.elements.len());
        // SAFETY: it has been checked.
        unsafe { *self.total = found };
        if capacity < found {
            return Err(fail(SLA_ERROR_ROOM, format_args!("{found} {name} exceed the capacity of {capacity}")));
        }
        Ok(())
    }

    /// Writes lists, if there is room.
    pub fn write(self, offsets: &[usize], elements: impl ExactSizeIterator<Item = T>) -> CallResult {
        self.reserve(elements.len())?;
        self.offsets.write_copy_of_slice(offsets);
        for (out, element) in self.elements.iter_mut().zip(elements) {
            out.write(element);
        }
        Ok(())
    }
}

/// Nearly all positions of games have fewer moves.
const USUAL_MOVES: usize = 64;

/// Lists the moves of a column of kind `SLA_KIND_MOVES` for `count` positions from `first` on. The moves of position
/// `first + i` are those from `offsets[i]` to `offsets[i + 1]` of `moves`, with `count + 1` offsets. `total` receives the number
/// of all moves. A position of a game has at most 218. `options` may be null.
///
/// Errors: `SLA_ERROR_KIND` for a column of another kind; `SLA_ERROR_ROOM` if `capacity` is smaller than the number of moves,
/// which is then written to `total` nevertheless; and those of `sla_column_boards`.
///
/// # Safety
///
/// There is room for `count + 1` numbers at `offsets`, for `capacity` moves at `moves`, and for a number at `total`. The handle
/// is from `sla_positions_new`, has not been freed, and nobody changes it during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_moves(
    positions: *const sla_positions,
    first: usize,
    count: usize,
    column: sla_column,
    options: *const sla_options,
    offsets: *mut usize,
    moves: *mut sla_move,
    capacity: usize,
    total: *mut usize,
) -> sla_status {
    call(|| {
        let column = self::column(column)?.column;
        if column.kind() != ColumnKind::Moves {
            return Err(wrong_kind(column));
        }
        let mut own = None;
        // SAFETY: by the contract of this function.
        let (some, rules, target) = unsafe {
            let (some, rules) = (some(positions, first, count)?, rules(options, &mut own)?);
            (some, rules, ListTarget::new("moves", offsets, count, moves, capacity, total)?)
        };
        let mut found = Moves::new();
        // In short calls, growing these vectors would take longer.
        let (all, offsets) = found.parts_mut();
        all.reserve(capacity.min(USUAL_MOVES * count.min(BLOCK)));
        offsets.reserve(count);
        rules.plan.list_moves(column, some, &mut found);
        target.write(found.offsets(), found.as_slice().iter().map(|mv| mv.bits()))
    })
}

/// Writes a move as UCI has it to `text`, with a null byte at the end: `e2e4`, `e7e8q`, `e1g1` for castling; in other positions
/// of Chess960 from the king to the rook.
///
/// Errors: those of memory.
///
/// # Safety
///
/// There is room for 6 bytes at `text`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_move_uci(mv: sla_move, text: *mut c_char) -> sla_status {
    call(|| {
        // SAFETY: by the contract of this function.
        let out = unsafe { output("text", text.cast::<u8>(), 6)? };
        let mut bytes = [0; 6];
        let mut room = [0; 5];
        let text = Move::from_bits(mv).encode_uci(&mut room);
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        out.write_copy_of_slice(&bytes);
        Ok(())
    })
}

/// Lists the threats in `count` positions from `first` on. The threats of position `first + i` are those from `offsets[i]` to
/// `offsets[i + 1]` of `threats`, with `count + 1` offsets. `total` receives the number of all threats. `options` may be
/// null.
///
/// Errors: `SLA_ERROR_ROOM` if `capacity` is smaller than the number of threats, which is then written to `total`
/// nevertheless; `SLA_ERROR_LENGTH` if there are fewer positions, `SLA_ERROR_UNKNOWN` for options, and those of memory.
///
/// # Safety
///
/// There is room for `count + 1` numbers at `offsets`, for `capacity` threats at `threats`, and for a number at `total`. The
/// handle is from `sla_positions_new`, has not been freed, and nobody changes it during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_threats(
    positions: *const sla_positions,
    first: usize,
    count: usize,
    options: *const sla_options,
    offsets: *mut usize,
    threats: *mut sla_threat,
    capacity: usize,
    total: *mut usize,
) -> sla_status {
    call(|| {
        let mut own = None;
        // SAFETY: by the contract of this function.
        let (some, rules, target) = unsafe {
            let (some, rules) = (some(positions, first, count)?, rules(options, &mut own)?);
            (some, rules, ListTarget::new("threats", offsets, count, threats, capacity, total)?)
        };
        let mut found = Threats::new();
        rules.plan.list_threats(some, &mut found);
        let threats = found.as_slice().iter().map(|threat| {
            let [attacker, victim] = [threat.attacker, threat.victim].map(|(color, piece)| piece.letter(color) as u8);
            let [from, to] = [threat.attacker_square, threat.victim_square].map(Square::index);
            sla_threat { attacker, from, to, victim }
        });
        target.write(found.offsets(), threats)
    })
}

/// Sums the values of a column by square, for `count` positions from `first` on, without storing them.
///
/// `groups[i]` is the group of position `first + i`; if `groups` is null, all are in group 0. The number of positions of the
/// group in which the value of the square is not zero is added to `present[64 * group + square]`, and the sum of its values
/// to `sum[64 * group + square]`. For sets, both are the same. A column of kind `SLA_KIND_NUMBER` has one number per group
/// instead of 64. Either array may be null. `options` may be null.
///
/// Errors: `SLA_ERROR_KIND` for lists, keys and sets per square, `SLA_ERROR_GROUP` for a group that is not below `group_count`, and those of
/// `sla_column_boards`. Then nothing has been added.
///
/// # Safety
///
/// There are `count` groups, and as many sums as described, which are initialised, and which nobody else changes during the
/// call. The handle is from `sla_positions_new`, has not been freed, and nobody changes it during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_summarize(
    positions: *const sla_positions,
    first: usize,
    count: usize,
    column: sla_column,
    options: *const sla_options,
    groups: *const u32,
    group_count: usize,
    present: *mut u64,
    sum: *mut u64,
) -> sla_status {
    call(|| {
        let column = self::column(column)?.column;
        let squares = match column.kind() {
            ColumnKind::Bitboard | ColumnKind::Numbers => 64,
            ColumnKind::Number => 1,
            _ => {
                let wrong = format_args!("column {} is {}, which has no sum", column.name(), column.kind().meaning());
                return Err(fail(SLA_ERROR_KIND, wrong));
            }
        };
        let room = group_count.saturating_mul(squares);
        apart(("groups", groups, count), ("present", present, room))?;
        apart(("groups", groups, count), ("sum", sum, room))?;
        apart(("present", present, room), ("sum", sum, room))?;
        let mut own = None;
        // SAFETY: by the contract of this function. No two of them share memory.
        let (positions, rules, groups, present, sum) = unsafe {
            let (positions, rules) = (some(positions, first, count)?, rules(options, &mut own)?);
            let groups = optional(groups, |groups| input("groups", groups, count))?;
            let present = optional(present, |present| in_place("present", present.cast_mut(), room))?;
            (positions, rules, groups, present, optional(sum, |sum| in_place("sum", sum.cast_mut(), room))?)
        };
        let too_large = |(index, &group): (usize, &u32)| (group as usize >= group_count).then_some((index, group));
        let wrong = match groups {
            Some(groups) => groups.iter().enumerate().find_map(too_large),
            None => (count > 0 && group_count == 0).then_some((0, 0)),
        };
        if let Some((index, group)) = wrong {
            let wrong = format_args!("group {group} at index {index} is not below {group_count}, the number of groups");
            return Err(fail_at(SLA_ERROR_GROUP, index, wrong));
        }
        let mut sums = Sums { present: present.unwrap_or_default(), sum: sum.unwrap_or_default() };
        for start in (0..count).step_by(BLOCK) {
            let len = BLOCK.min(count - start);
            let groups = groups.map_or(&[0; BLOCK][..len], |groups| &groups[start..start + len]);
            sums.add(rules, column, positions.slice(start..start + len), groups)?;
        }
        Ok(())
    })
}

/// The caller's sums. One that is not wanted is empty.
struct Sums<'a> {
    present: &'a mut [u64],
    sum: &'a mut [u64],
}

impl Sums<'_> {
    /// Adds the values of at most [`BLOCK`] positions, whose groups are there.
    fn add(
        &mut self,
        rules: &ProductSettings,
        column: &ProductColumn,
        positions: PositionSlice<'_>,
        groups: &[u32],
    ) -> CallResult {
        let wrong = |error: BatchError| fail(SLA_ERROR_GROUP, format_args!("{error}"));
        let len = groups.len();
        match column.kind() {
            ColumnKind::Bitboard => {
                let mut boards = [0; BLOCK];
                rules.compute(column, positions, ColumnMut::Boards(&mut boards[..len]))?;
                for out in [&mut *self.present, &mut *self.sum].into_iter().filter(|out| !out.is_empty()) {
                    rules.backend.count_squares_by(&boards[..len], groups, out.as_chunks_mut().0).map_err(wrong)?;
                }
            }
            ColumnKind::Numbers => {
                let mut numbers = [[0; 64]; BLOCK];
                let numbers = &mut numbers[..len];
                rules.compute(column, positions, ColumnMut::Numbers(numbers))?;
                if !self.sum.is_empty() {
                    rules.backend.sum_squares_by(numbers, groups, self.sum.as_chunks_mut().0).map_err(wrong)?;
                }
                if !self.present.is_empty() {
                    numbers.as_flattened_mut().iter_mut().for_each(|number| *number = u8::from(*number > 0));
                    rules.backend.sum_squares_by(numbers, groups, self.present.as_chunks_mut().0).map_err(wrong)?;
                }
            }
            _ => {
                let mut numbers = [0; BLOCK];
                rules.compute(column, positions, ColumnMut::Number(&mut numbers[..len]))?;
                for (&group, number) in groups.iter().zip(numbers) {
                    if let Some(sum) = self.sum.get_mut(group as usize) {
                        *sum += u64::from(number);
                    }
                    if let Some(present) = self.present.get_mut(group as usize) {
                        *present += u64::from(number > 0);
                    }
                }
            }
        }
        Ok(())
    }
}
