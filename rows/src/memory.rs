//! Whether there is memory, and when the allocator returns it to the system.

use std::hint::black_box;
use std::io::{self, ErrorKind};

/// Makes the allocator return blocks of at least `large` bytes to the system as soon as they are free, and of what else is free
/// all but `kept` bytes at the end of each of its arenas. Of these, there are up to eight per core.
///
/// This is for the allocator of the whole process, so only a program calls it, when it starts. Without it, results are the same;
/// a long run may take more memory, or the system more time to clear it.
#[cfg_attr(
    not(all(target_os = "linux", target_env = "gnu")),
    expect(unused_variables, reason = "other allocators decide by themselves")
)]
pub fn install_limits(large: i32, kept: i32) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function accepts both parameters, and they affect only when memory is returned.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, large);
        libc::mallopt(libc::M_TRIM_THRESHOLD, kept);
    }
}

/// Makes threads share this many arenas of the allocator, instead of up to eight per core. Each arena keeps blocks that are free
/// between others, as many as its threads have ever used at a time, so memory grows with their number. Like [`install_limits`],
/// this is for a program when it starts.
#[cfg_attr(
    not(all(target_os = "linux", target_env = "gnu")),
    expect(unused_variables, reason = "other allocators decide by themselves")
)]
pub fn install_arenas(arenas: i32) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function accepts the parameter, and it affects only which arena a thread uses.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, arenas);
    }
}

/// Makes the allocator return to the system all that is free, also between blocks that are in use; at the ends of arenas, where it
/// keeps `kept` bytes as [`install_limits`] says, in those of the threads that `on_threads` calls the function on. That is for the
/// allocator of the whole process, too. It takes milliseconds, and the system clears what is then needed again.
#[cfg_attr(
    not(all(target_os = "linux", target_env = "gnu")),
    expect(unused_variables, reason = "other allocators decide by themselves")
)]
pub fn return_free(kept: i32, on_threads: impl FnOnce(fn())) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // A free block of so many bytes makes the allocator look at the end of its arena.
        const BLOCK: usize = 128 << 10;
        // SAFETY: the functions accept these parameters, and only memory that is free is returned.
        unsafe {
            libc::malloc_trim(0);
            libc::mallopt(libc::M_TRIM_THRESHOLD, BLOCK as i32);
        }
        on_threads(|| drop(black_box(Vec::<u8>::with_capacity(BLOCK))));
        // SAFETY: as above.
        unsafe {
            libc::mallopt(libc::M_TRIM_THRESHOLD, kept);
        }
    }
}

/// Asks the system for large pages for the memory of a vector, which is read and written at random or filled at once: there are fewer
/// of them to clear and to find. The system may ignore it.
#[cfg_attr(
    not(all(target_os = "linux", target_env = "gnu")),
    expect(unused_variables, reason = "other systems decide by themselves")
)]
pub fn advise_large_pages<T>(memory: &mut Vec<T>) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        /// A multiple of the size of small pages, whatever that is.
        const PAGE: usize = 64 << 10;
        /// Two large pages of most processors.
        const LEAST: usize = 4 << 20;
        let room = size_of::<T>() * memory.capacity();
        let start = memory.as_mut_ptr().cast::<u8>();
        let before = start.align_offset(PAGE);
        let length = room.saturating_sub(before) / PAGE * PAGE;
        if length >= LEAST {
            // SAFETY: these are pages of the vector's memory, and their content stays as it is.
            unsafe {
                libc::madvise(start.add(before).cast(), length, libc::MADV_HUGEPAGE);
            }
        }
    }
}

/// Has the processor fetch a value into the first cache, which will be read or written soon. Some processors ignore it.
#[inline]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let first = std::ptr::from_ref(value).cast::<i8>();
        // A value may lie in two cache lines.
        let last = first.wrapping_add(size_of::<T>().saturating_sub(1));
        // SAFETY: all processors of this architecture have the instruction, which reads and writes nothing that a program sees.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(first);
            _mm_prefetch::<_MM_HINT_T0>(last);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// Checks that the process can get this many bytes more, before work with vectors and columns, which end the process if they get none.
/// Other threads take memory too, so this is to be asked for all of them.
///
/// # Errors
///
/// The allocator has no such memory.
pub fn check_available(bytes: usize) -> io::Result<()> {
    let mut memory = Vec::<u8>::new();
    let reserved = memory.try_reserve_exact(bytes);
    // Otherwise the compiler may leave out memory that nobody uses.
    black_box(&memory);
    reserved
        .map_err(|_| io::Error::new(ErrorKind::OutOfMemory, format!("out of memory: cannot allocate {bytes} bytes")))
}

#[test]
fn advice_keeps_what_is_in_memory() {
    for capacity in [0, 1, 100, 1 << 16, 3 << 20] {
        let mut memory = Vec::with_capacity(capacity);
        memory.extend(0..capacity / 2);
        advise_large_pages(&mut memory);
        memory.extend(capacity / 2..capacity);
        assert!(memory.iter().copied().eq(0..capacity));
    }
    advise_large_pages(&mut vec![(); 3]);
}

#[test]
fn memory_that_no_process_can_get_is_an_error() {
    assert!(check_available(1 << 20).is_ok());
    for bytes in [1 << 60, usize::MAX] {
        assert_eq!(check_available(bytes).unwrap_err().kind(), ErrorKind::OutOfMemory);
    }
}
