//! Inputs of networks, as sparse rows.

use core::ffi::c_char;

use slider_attacks_features::{FeatureError, FeatureIndex, FeatureSet, Features, RowOrder, ViewOrder};

use crate::backends::{backend, sla_backend};
use crate::memory::{apart, free, handle, input, name, numbered, place};
use crate::positions::{sla_positions, some};
use crate::products::ListTarget;
use crate::status::{
    CallResult, Failed, SLA_ERROR_KIND, SLA_ERROR_LENGTH, SLA_ERROR_POSITION, SLA_ERROR_ROOM, SLA_ERROR_UNKNOWN, call,
    fail, fail_at, sla_status,
};

/// Whose rows of inputs come first.
pub type sla_view = u32;

/// White's, then Black's.
pub const SLA_VIEW_COLORS: sla_view = 0;
/// Those of the side to move, then those of its opponent.
pub const SLA_VIEW_MOVER: sla_view = 1;

/// The order of the inputs in a row.
pub type sla_row_order = u32;

/// That in which they are found: the same with every backend, in less time.
pub const SLA_ROW_FOUND: sla_row_order = 0;
/// Ascending.
pub const SLA_ROW_ASCENDING: sla_row_order = 1;

/// Sets of inputs of a network. It never changes, and any number of threads may use it at once.
pub struct sla_features(Features);

/// The rows of one view, in memory of the caller: the inputs of position `first + i` are those from `offsets[i]` to
/// `offsets[i + 1]` of `indices`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sla_rows16 {
    /// One number more than there are positions.
    pub offsets: *mut usize,
    /// The inputs of all positions.
    pub indices: *mut u16,
    /// How many indices there is room for.
    pub capacity: usize,
    /// Where the call writes how many indices there are.
    pub total: *mut usize,
}

/// The same with indices of 32 bits.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sla_rows32 {
    /// One number more than there are positions.
    pub offsets: *mut usize,
    /// The inputs of all positions.
    pub indices: *mut u32,
    /// How many indices there is room for.
    pub capacity: usize,
    /// Where the call writes how many indices there are.
    pub total: *mut usize,
}

/// Makes the sum of sets of inputs, and writes its handle to `features`: the inputs of a set come after those of the sets before it.
/// `sla_features_free` frees it. A name is `"halfka_hm"`, `"threats"`, `"pawn_pairs"` or `"pieces"`; after a colon, it may name a
/// layout, as in `"halfka_hm:merged"` and `"threats:v10"` to `"threats:v16"`, and the last is the default.
///
/// Errors: `SLA_ERROR_UNKNOWN` for a name, `SLA_ERROR_LENGTH` for more than ten sets, and those of memory.
///
/// # Safety
///
/// There are `count` names, each of which ends with a null byte. There is room for a pointer at `features`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_features_new(
    names: *const *const c_char,
    count: usize,
    features: *mut *mut sla_features,
) -> sla_status {
    call(|| {
        // SAFETY: by the contract of this function.
        let (names, out) = unsafe { (input("names", names, count)?, place("features", features)?) };
        // SAFETY: by the contract of this function.
        let sets = names.iter().map(|&text| set(unsafe { name("a name", text)? }));
        let sets = sets.collect::<CallResult<Vec<FeatureSet>>>()?;
        let made = Features::new(sets).map_err(refused)?;
        // SAFETY: by the contract of this function, and it has been checked.
        unsafe { *out = Box::into_raw(Box::new(sla_features(made))) };
        Ok(())
    })
}

/// The set of this name, which may have a layout.
fn set(text: &str) -> CallResult<FeatureSet> {
    let (name, layout) = text.split_once(':').map_or((text, None), |(name, layout)| (name, Some(layout)));
    FeatureSet::by_name(name, layout).ok_or_else(|| fail(SLA_ERROR_UNKNOWN, format_args!("no inputs {text:?}")))
}

fn refused(error: FeatureError) -> Failed {
    let status = match error {
        FeatureError::IndexTooNarrow { .. } => SLA_ERROR_KIND,
        FeatureError::PawnOnLastRank { position, .. } => {
            return fail_at(SLA_ERROR_POSITION, position, format_args!("{error}"));
        }
        FeatureError::NoRoom { .. } => SLA_ERROR_ROOM,
        _ => SLA_ERROR_LENGTH,
    };
    fail(status, format_args!("{error}"))
}

/// Frees a handle. Null is allowed.
///
/// # Safety
///
/// The handle is from `sla_features_new`, has not been freed, and is no longer in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_features_free(features: *mut sla_features) {
    // SAFETY: by the contract of this function.
    unsafe { free(features) }
}

/// Returns the number of inputs; 0 for null.
///
/// # Safety
///
/// The handle is from `sla_features_new` and has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_features_size(features: *const sla_features) -> u32 {
    // SAFETY: by the contract of this function.
    unsafe { features.as_ref() }.map_or(0, |features| features.0.size())
}

/// Writes the first input of a set to `offset`. Sets are numbered from 0, as their names were.
///
/// Errors: `SLA_ERROR_UNKNOWN` if there is no such set, and those of memory.
///
/// # Safety
///
/// The handle is from `sla_features_new` and has not been freed. There is room for a number at `offset`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_features_offset(features: *const sla_features, set: u32, offset: *mut u32) -> sla_status {
    call(|| {
        // SAFETY: by the contract of this function.
        let (features, out) = unsafe { (&(*handle("features", features)?).0, place("offset", offset)?) };
        let found = features.offsets().get(set as usize);
        let found = found.ok_or_else(|| {
            fail(SLA_ERROR_UNKNOWN, format_args!("there are {} sets, and no set {set}", features.offsets().len()))
        })?;
        // SAFETY: by the contract of this function, and it has been checked.
        unsafe { *out = *found };
        Ok(())
    })
}

/// Computes the active inputs of `count` positions from `first` on, as both sides see them: `rows[0]` and `rows[1]`, in the order
/// that `view` says.
///
/// Errors: `SLA_ERROR_KIND` if there are more than 65,536 inputs, for which `sla_features_rows32` has room; `SLA_ERROR_POSITION` for
/// a pawn on the first or last rank, where threats and pairs of pawns have no input; `SLA_ERROR_ROOM` if a capacity is smaller than
/// the number of indices, when both numbers are written to `total` nevertheless; `SLA_ERROR_LENGTH` if there are fewer positions,
/// `SLA_ERROR_UNKNOWN` for a backend, a view or an order, and those of memory.
///
/// # Safety
///
/// At `rows`, there are two descriptions, each of memory for `count + 1` offsets, for `capacity` indices, and for a number at
/// `total`. The handles have not been freed, and nobody changes the positions during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_features_rows16(
    features: *const sla_features,
    positions: *const sla_positions,
    first: usize,
    count: usize,
    backend: sla_backend,
    view: sla_view,
    order: sla_row_order,
    rows: *const sla_rows16,
) -> sla_status {
    call(|| {
        // SAFETY: by the contract of this function.
        let rows = unsafe { input("rows", rows, 2)? };
        let rows = [0, 1].map(|at| (rows[at].offsets, rows[at].indices, rows[at].capacity, rows[at].total));
        // SAFETY: by the contract of this function.
        unsafe { compute((features, positions, first, count), backend, view, order, rows) }
    })
}

/// The same with indices of 32 bits.
///
/// # Safety
///
/// As for `sla_features_rows16`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_features_rows32(
    features: *const sla_features,
    positions: *const sla_positions,
    first: usize,
    count: usize,
    backend: sla_backend,
    view: sla_view,
    order: sla_row_order,
    rows: *const sla_rows32,
) -> sla_status {
    call(|| {
        // SAFETY: by the contract of this function.
        let rows = unsafe { input("rows", rows, 2)? };
        let rows = [0, 1].map(|at| (rows[at].offsets, rows[at].indices, rows[at].capacity, rows[at].total));
        // SAFETY: by the contract of this function.
        unsafe { compute((features, positions, first, count), backend, view, order, rows) }
    })
}

/// Where the rows of a view go: offsets, indices, how many of these fit, and their number.
type RowPointers<I> = (*mut usize, *mut I, usize, *mut usize);

/// Computes rows, and copies them if there is room for both views.
///
/// # Safety
///
/// As for the functions that call this.
unsafe fn compute<I: FeatureIndex>(
    (features, positions, first, count): (*const sla_features, *const sla_positions, usize, usize),
    backend: sla_backend,
    view: sla_view,
    order: sla_row_order,
    rows: [RowPointers<I>; 2],
) -> CallResult {
    // SAFETY: by the contract of this function.
    let (features, some) = unsafe { (&(*handle("features", features)?).0, some(positions, first, count)?) };
    let (backend, view) = (self::backend(backend)?, numbered("view", &[ViewOrder::Colors, ViewOrder::Mover], view)?);
    let order = numbered("row order", &[RowOrder::Found, RowOrder::Ascending], order)?;
    views_are_apart(&rows, count)?;
    // SAFETY: by the contract of this function, and no two of these share memory.
    let target = |(offsets, indices, capacity, total): RowPointers<I>| unsafe {
        ListTarget::new("indices", offsets, count, indices, capacity, total)
    };
    let targets = [target(rows[0])?, target(rows[1])?];
    let found = features.rows::<I>(backend, some, view, order).map_err(refused)?;
    let fit = [0, 1].map(|at| targets[at].reserve(found[at].as_slice().len()));
    fit.into_iter().collect::<CallResult>()?;
    for (target, found) in targets.into_iter().zip(&found) {
        target.write(found.offsets(), found.as_slice().iter().copied())?;
    }
    Ok(())
}

/// Checks that two views share no memory.
fn views_are_apart<I>(rows: &[RowPointers<I>; 2], count: usize) -> CallResult {
    let parts = rows.each_ref().map(|&(offsets, indices, capacity, total)| {
        let bytes = |count: usize, size| count.saturating_mul(size);
        [
            ("offsets", offsets.cast::<u8>().cast_const(), bytes(count.saturating_add(1), size_of::<usize>())),
            ("indices", indices.cast::<u8>().cast_const(), bytes(capacity, size_of::<I>())),
            ("total", total.cast::<u8>().cast_const(), size_of::<usize>()),
        ]
    });
    for one in parts[0] {
        parts[1].into_iter().try_for_each(|other| apart(one, other))?;
    }
    Ok(())
}
