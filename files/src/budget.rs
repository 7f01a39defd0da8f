//! Memory that threads share.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Memory shared by everything in flight: items being worked on, and results that have not been taken yet.
#[derive(Debug)]
pub struct MemoryBudget {
    bytes: usize,
    taken: Mutex<usize>,
    returned: Condvar,
}

/// A part of a budget, returned on drop.
#[derive(Debug)]
pub struct Reserved {
    budget: Arc<MemoryBudget>,
    bytes: usize,
}

impl MemoryBudget {
    /// A budget of this many bytes.
    pub fn new(bytes: usize) -> Arc<MemoryBudget> {
        Arc::new(MemoryBudget { bytes, taken: Mutex::new(0), returned: Condvar::new() })
    }

    /// Waits until this many bytes are free. A larger request than the whole budget waits until all of it is free.
    pub fn reserve(self: &Arc<MemoryBudget>, bytes: usize) -> Reserved {
        let bytes = bytes.min(self.bytes);
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.returned.wait_while(taken, |taken| *taken + bytes > self.bytes);
        *waited.unwrap_or_else(PoisonError::into_inner) += bytes;
        Reserved { budget: self.clone(), bytes }
    }
}

impl Reserved {
    /// Returns all but `bytes` to the budget.
    pub fn shrink(&mut self, bytes: usize) {
        let rest = self.bytes.saturating_sub(bytes);
        self.bytes -= rest;
        *self.budget.taken.lock().unwrap_or_else(PoisonError::into_inner) -= rest;
        self.budget.returned.notify_one();
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.shrink(0);
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn no_more_than_the_budget_is_taken() {
        let budget = MemoryBudget::new(10);
        let mut first = budget.reserve(1_000);
        let waiting = {
            let budget = budget.clone();
            thread::spawn(move || drop(budget.reserve(4)))
        };
        first.shrink(7);
        thread::sleep(Duration::from_millis(20));
        assert!(!waiting.is_finished());
        first.shrink(6);
        waiting.join().unwrap();
        drop(first);
        assert_eq!(*budget.taken.lock().unwrap(), 0);
    }
}
