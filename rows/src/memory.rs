//! When the allocator returns memory to the system.

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
