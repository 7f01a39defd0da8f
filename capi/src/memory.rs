//! The caller's memory: slices and strided arrays from pointers, which are checked as far as possible.

use core::arch::asm;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::slice;

use bytemuck::Pod;

use crate::status::{
    CallResult, Failed, SLA_ERROR_ALIGNMENT, SLA_ERROR_LENGTH, SLA_ERROR_NULL, SLA_ERROR_OVERLAP, SLA_ERROR_STRIDE,
    SLA_ERROR_UNKNOWN, call, fail,
};

/// The addresses of an array of `count` elements, `stride` bytes from one to the next.
#[inline(always)]
fn addresses<T>(name: &str, pointer: *const T, stride: usize, count: usize) -> CallResult<Range<usize>> {
    let (start, [align, size]) = (pointer.addr(), [align_of::<T>(), size_of::<T>()]);
    let bytes = count.saturating_sub(1).checked_mul(stride).and_then(|bytes| bytes.checked_add(size));
    let end = bytes.filter(|&bytes| bytes <= isize::MAX as usize).and_then(|bytes| start.checked_add(bytes));
    match end.filter(|_| start != 0 && start.is_multiple_of(align)) {
        Some(end) => Ok(start..end),
        None => Err(wrong_addresses(name, start, align, stride, count)),
    }
}

/// What is wrong with these. A call by value, so that callers need not keep numbers in memory for the message: both maps of eight boards
/// took 1.05 times as long.
#[cold]
#[inline(never)]
fn wrong_addresses(name: &str, start: usize, align: usize, stride: usize, count: usize) -> Failed {
    if start == 0 {
        return fail(SLA_ERROR_NULL, format_args!("{name} is null"));
    }
    if !start.is_multiple_of(align) {
        return fail(SLA_ERROR_ALIGNMENT, format_args!("{name} is not aligned to {align} bytes"));
    }
    fail(SLA_ERROR_LENGTH, format_args!("{name} is too long: {count} elements, {stride} bytes from one to the next"))
}

/// The error for a stride that is smaller than an element, or not a multiple of its alignment.
#[cold]
#[inline(never)]
fn wrong_stride(name: &str, stride: usize, is_small: bool, bytes: usize) -> Failed {
    let what = if is_small { "and elements of" } else { "not a multiple of" };
    fail(SLA_ERROR_STRIDE, format_args!("{name}: a stride of {stride} bytes, {what} {bytes}"))
}

/// The caller's numbers.
///
/// # Safety
///
/// If the pointer is not null and the count not 0, it points to so many numbers, which nobody changes during the call.
#[inline(always)]
pub(crate) unsafe fn input<'a, T: Copy>(name: &str, pointer: *const T, count: usize) -> CallResult<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    addresses(name, pointer, size_of::<T>(), count)?;
    // SAFETY: by the contract of this function. The pointer is neither null nor misaligned, and the length fits.
    Ok(unsafe { slice::from_raw_parts(pointer, count) })
}

/// Memory for results, which nobody may have written to yet.
///
/// # Safety
///
/// If the pointer is not null and the count not 0, it points to memory for so many numbers, which nobody else looks at or changes
/// during the call. No slice of the same memory is there at the same time: [`apart`] comes first.
#[inline(always)]
pub(crate) unsafe fn output<'a, T: Copy>(
    name: &str,
    pointer: *mut T,
    count: usize,
) -> CallResult<&'a mut [MaybeUninit<T>]> {
    if count == 0 {
        return Ok(&mut []);
    }
    addresses(name, pointer, size_of::<T>(), count)?;
    // SAFETY: by the contract of this function. The pointer is neither null nor misaligned, and the length fits.
    Ok(unsafe { slice::from_raw_parts_mut(pointer.cast(), count) })
}

/// Results that are added to.
///
/// # Safety
///
/// As for [`output`], and the memory has so many numbers.
#[cfg(feature = "products")]
pub(crate) unsafe fn in_place<'a, T: Copy>(name: &str, pointer: *mut T, count: usize) -> CallResult<&'a mut [T]> {
    // SAFETY: by the contract of this function.
    Ok(unsafe { output(name, pointer, count)?.assume_init_mut() })
}

/// Makes the compiler take memory for written, with whatever it holds: a slice must have values, and C allocates memory without.
///
/// There are no instructions, so this takes no time.
#[inline(always)]
pub(crate) fn written<T: Pod>(memory: &mut [MaybeUninit<T>]) -> &mut [T] {
    // SAFETY: there are no instructions. The compiler does not know that, and nobody relies on any value.
    unsafe { asm!("/* {0} */", in(reg) memory.as_mut_ptr(), options(nostack, preserves_flags)) };
    // SAFETY: to the compiler, all of it has been written, and any bytes are values.
    unsafe { memory.assume_init_mut() }
}

/// A place for one value of a result.
///
/// # Safety
///
/// As for [`output`].
pub(crate) unsafe fn place<T: Copy>(name: &str, pointer: *mut T) -> CallResult<*mut T> {
    addresses(name, pointer, size_of::<T>(), 1)?;
    Ok(pointer)
}

/// Frees a handle, unless it is null.
///
/// # Safety
///
/// The handle is a box that has not been freed, and is no longer in use.
pub(crate) unsafe fn free<T>(handle: *mut T) {
    call(|| {
        if !handle.is_null() {
            // SAFETY: by the contract of this function.
            drop(unsafe { Box::from_raw(handle) });
        }
        Ok(())
    });
}

/// A handle that is neither null nor misaligned.
#[inline(always)]
pub(crate) fn handle<T>(name: &str, handle: *const T) -> CallResult<*const T> {
    addresses(name, handle, size_of::<T>(), 1)?;
    Ok(handle)
}

/// Some of the caller's memory: what it is called, where it begins, and how many elements it has.
pub(crate) type Memory<'a, T> = (&'a str, *const T, usize);

/// Checks that two arrays, of which one is written to, share no memory. What is null shares none. Lengths that cannot be are refused
/// elsewhere.
#[inline(always)]
pub(crate) fn apart<T, U>(one: Memory<'_, T>, other: Memory<'_, U>) -> CallResult {
    let bytes = |count: usize, size| count.checked_mul(size).filter(|&bytes| bytes <= isize::MAX as usize).unwrap_or(0);
    let (from, to) = (one.1.addr(), other.1.addr());
    let (one_bytes, other_bytes) = (bytes(one.2, size_of::<T>()), bytes(other.2, size_of::<U>()));
    // The one that begins first reaches to where the other begins.
    let reaches = if to >= from { to - from < one_bytes } else { from - to < other_bytes };
    let reaches = reaches && one_bytes > 0 && other_bytes > 0;
    if reaches && !one.1.is_null() && !other.1.is_null() {
        return Err(fail(SLA_ERROR_OVERLAP, format_args!("{} and {} overlap", one.0, other.0)));
    }
    Ok(())
}

/// Whether these are arrays of so many bitboards, or of so many bytes, and an output that shares no memory with them, as [`input`],
/// [`output`] and [`apart`] check. This asks all at once, without a branch, and leaves it to them to say what is wrong: a call with
/// one pair takes 1.5 ns less. Of what is unusual, some is refused here that is fine.
#[inline(always)]
pub(crate) fn are_apart<const N: usize>(
    boards: [*const u64; N],
    squares: &[*const u8],
    out: *mut u64,
    count: usize,
) -> bool {
    let out = out.addr();
    // Above that, the addresses of an array could wrap around.
    let mut are = count <= isize::MAX as usize / 16 && out != 0 && out.is_multiple_of(8) && out <= isize::MAX as usize;
    let bytes = count.wrapping_mul(8);
    for array in boards.map(|boards| boards.addr()) {
        are &= (array != 0) & array.is_multiple_of(8) & (array <= isize::MAX as usize) & (array.abs_diff(out) >= bytes);
    }
    for array in squares.iter().map(|squares| squares.addr()) {
        // One of the two differences wraps around.
        are &= (array != 0) & (array <= isize::MAX as usize);
        are &= (out.wrapping_sub(array) >= count) & (array.wrapping_sub(out) >= bytes);
    }
    are
}

/// Numbers of the caller, some bytes apart. They may share memory with others, because no reference to them is made.
#[derive(Clone, Copy)]
pub(crate) struct Strided<T> {
    start: *mut T,
    stride: usize,
}

impl<T: Copy> Strided<T> {
    /// Numbers to be read. With a stride of 0, all are the same one.
    ///
    /// # Safety
    ///
    /// If the pointer is not null, it points to so many numbers, which nobody changes during the call.
    #[inline(always)]
    pub unsafe fn input(name: &str, pointer: *const T, stride: usize, count: usize) -> CallResult<Strided<T>> {
        if count > 0 {
            addresses(name, pointer, stride, count)?;
        }
        Strided::new(name, pointer.cast_mut(), stride)
    }

    /// Memory for results.
    ///
    /// # Safety
    ///
    /// If the pointer is not null, it points to memory for so many numbers, which nobody else looks at or changes during the call.
    #[inline(always)]
    pub unsafe fn output(name: &str, pointer: *mut T, stride: usize, count: usize) -> CallResult<Strided<T>> {
        if stride < size_of::<T>() && count > 1 {
            return Err(wrong_stride(name, stride, true, size_of::<T>()));
        }
        // SAFETY: by the contract of this function.
        unsafe { Strided::input(name, pointer, stride, count) }
    }

    #[inline(always)]
    fn new(name: &str, start: *mut T, stride: usize) -> CallResult<Strided<T>> {
        if !stride.is_multiple_of(align_of::<T>()) {
            return Err(wrong_stride(name, stride, false, align_of::<T>()));
        }
        Ok(Strided { start, stride })
    }

    /// The same for an array that has been checked, or is not read.
    pub fn checked(start: *const T, stride: usize) -> Strided<T> {
        Strided { start: start.cast_mut(), stride }
    }

    /// The addresses from the first of so many elements to the last one, gaps included. The constructor has checked as many.
    #[cfg(feature = "products")]
    #[inline(always)]
    pub fn span(self, count: usize) -> Range<usize> {
        let start = self.start.addr();
        start..start + (count - 1) * self.stride + size_of::<T>()
    }

    /// Their bytes, if there are so many.
    pub fn element_bytes(self, count: usize) -> ElementBytes {
        ElementBytes::new(self.start, self.stride, count)
    }

    /// Reads the one in place `at`.
    ///
    /// # Safety
    ///
    /// There are more than `at`, and they still are as the constructor demands.
    #[cfg(feature = "products")]
    #[inline(always)]
    pub unsafe fn get(self, at: usize) -> T {
        // SAFETY: by the contract of this function. All is aligned and in bounds, as the constructor has checked.
        unsafe { *self.start.byte_add(at * self.stride) }
    }

    /// Reads those from place `at` on.
    ///
    /// # Safety
    ///
    /// There are so many, and they still are as the constructor demands.
    pub unsafe fn read(self, at: usize, out: &mut [T]) {
        for (place, out) in (at..).zip(out) {
            // SAFETY: by the contract of this function. All is aligned and in bounds, as the constructor has checked.
            *out = unsafe { *self.start.byte_add(place * self.stride) };
        }
    }

    /// Some of them from place `at` on, to be written to, if there are no gaps.
    ///
    /// # Safety
    ///
    /// This is an output, there is room for so many, nobody has a reference to any of them, and it still is as the constructor demands.
    #[cfg(feature = "products")]
    pub unsafe fn without_gaps<'a>(self, at: usize, len: usize) -> Option<&'a mut [MaybeUninit<T>]> {
        // SAFETY: by the contract of this function. All is aligned and in bounds, as the constructor has checked.
        (self.stride == size_of::<T>() && len > 0)
            .then(|| unsafe { slice::from_raw_parts_mut(self.start.add(at).cast(), len) })
    }

    /// Writes some from place `at` on.
    ///
    /// # Safety
    ///
    /// This is an output, there is room for so many, and it still is as the constructor demands.
    pub unsafe fn write(self, at: usize, values: &[T]) {
        for (place, &value) in (at..).zip(values) {
            // SAFETY: by the contract of this function. All is aligned and in bounds, as the constructor has checked.
            unsafe { *self.start.byte_add(place * self.stride) = value };
        }
    }
}

/// Board `place` of the first position.
#[inline(always)]
pub(crate) fn offset(boards: *const u64, place: usize, stride: usize) -> CallResult<*const u64> {
    if !stride.is_multiple_of(size_of::<u64>()) {
        return Err(wrong_stride("boards", stride, false, size_of::<u64>()));
    }
    let is_possible = stride.checked_mul(place).and_then(|offset| boards.addr().checked_add(offset)).is_some();
    match is_possible {
        // A null pointer stays one, so that it is refused.
        true if boards.is_null() => Ok(boards),
        true => Ok(boards.wrapping_byte_add(stride * place)),
        false => Err(wrong_offset(stride)),
    }
}

#[cold]
#[inline(never)]
fn wrong_offset(stride: usize) -> Failed {
    fail(SLA_ERROR_LENGTH, format_args!("boards: a stride of {stride} bytes is too long"))
}

/// Checks that no two of these arrays share memory.
pub(crate) fn all_apart(arrays: &[(&'static str, ElementBytes)]) -> CallResult {
    let each = |(at, &(name, array)): (usize, &(&str, ElementBytes))| {
        arrays[..at].iter().try_for_each(|&other| array.apart(name, other))
    };
    arrays.iter().enumerate().try_for_each(each)
}

/// The bytes of the elements of an array of the caller, some bytes apart. Gaps do not belong to them.
#[derive(Clone, Copy)]
pub(crate) struct ElementBytes {
    start: usize,
    bytes: usize,
    stride: usize,
    count: usize,
}

impl ElementBytes {
    /// Those of an array without gaps.
    pub fn of_array<T>(pointer: *const T, count: usize) -> ElementBytes {
        ElementBytes::new(pointer, size_of::<T>(), count)
    }

    /// The elements that are `stride` bytes apart. Those without gaps, or in the same place, are one.
    pub fn new<T>(pointer: *const T, stride: usize, count: usize) -> ElementBytes {
        let (start, bytes) = (pointer.addr(), size_of::<T>());
        if pointer.is_null() || count == 0 {
            return ElementBytes { start, bytes: 0, stride: 0, count: 0 };
        }
        match stride {
            0 => ElementBytes { start, bytes, stride, count: 1 },
            _ if stride == bytes => ElementBytes { start, bytes: bytes.saturating_mul(count), stride, count: 1 },
            _ => ElementBytes { start, bytes, stride, count },
        }
    }

    /// The addresses from the first element to the last one, gaps included.
    #[inline(always)]
    pub fn span(self) -> Range<usize> {
        let last = self.count.saturating_sub(1).saturating_mul(self.stride);
        self.start..self.start.saturating_add(last).saturating_add(self.bytes)
    }

    /// Whether an element, from place `first` on, has one of these bytes.
    fn has(self, first: i128, start: usize, bytes: usize) -> bool {
        let (before, stride) = (start as i128 - self.start as i128, self.stride.max(1) as i128);
        // The first element that does not end before the bytes.
        let next = first.max((before - self.bytes as i128).div_euclid(stride) + 1);
        next < self.count as i128 && next * stride < before + bytes as i128
    }

    /// Whether the two share memory. This takes a fixed time, unless the arrays lie within each other and their strides differ.
    pub fn meet(mut self, mut other: ElementBytes) -> bool {
        if self.count == 0 || other.count == 0 || !spans_meet(&self.span(), &other.span()) {
            return false;
        }
        match (self.count, other.count) {
            (1, _) => self.stride = other.stride,
            (_, 1) => other.stride = self.stride,
            _ => {}
        }
        if self.stride == other.stride {
            return self.has(1 - other.count as i128, other.start, other.bytes);
        }
        (0..other.count).any(|at| self.has(0, other.start + at * other.stride, other.bytes))
    }

    /// Checks that two arrays share no memory.
    #[inline(always)]
    pub fn apart(self, name: &str, (other_name, other): (&str, ElementBytes)) -> CallResult {
        // Nearly always, this is enough.
        if spans_meet(&self.span(), &other.span()) && self.meet(other) {
            return Err(fail(SLA_ERROR_OVERLAP, format_args!("{other_name} and {name} overlap")));
        }
        Ok(())
    }
}

/// The addresses of an array, which has been checked.
#[cfg(feature = "products")]
#[inline(always)]
pub(crate) fn array_span<T>(start: *const T, count: usize) -> Range<usize> {
    start.addr()..start.addr() + count * size_of::<T>()
}

/// Whether two ranges of addresses share one.
#[inline(always)]
pub(crate) fn spans_meet(one: &Range<usize>, other: &Range<usize>) -> bool {
    (one.start < other.end) & (other.start < one.end)
}

/// The value of an enum that has this number in C.
#[inline(always)]
pub(crate) fn numbered<T: Copy>(name: &str, values: &[T], number: u32) -> CallResult<T> {
    match values.get(number as usize) {
        Some(&value) => Ok(value),
        None => {
            let most = values.len() - 1;
            Err(fail(SLA_ERROR_UNKNOWN, format_args!("expected a {name} from 0 to {most}, found {number}")))
        }
    }
}

/// The longest name that is looked at.
const LONGEST_NAME: usize = 64;

/// A name or a value, which ends with a null byte. Of bytes that are no name, the first few are looked at.
///
/// # Safety
///
/// If the pointer is not null, it points to a text with a null byte at its end.
pub(crate) unsafe fn name<'a>(what: &str, pointer: *const core::ffi::c_char) -> CallResult<&'a str> {
    if pointer.is_null() {
        return Err(fail(SLA_ERROR_NULL, format_args!("{what} is null")));
    }
    let start = pointer.cast::<u8>();
    // SAFETY: all bytes before this one are not null, so that it belongs to the text.
    let len = (0..LONGEST_NAME).find(|&at| unsafe { *start.add(at) } == 0).unwrap_or(LONGEST_NAME);
    // SAFETY: so many bytes have been read.
    let bytes = unsafe { slice::from_raw_parts(start, len) };
    // What is no UTF-8 has no equal among the names, but part of it can be shown.
    Ok(str::from_utf8(bytes).unwrap_or_else(|error| str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()))
}
