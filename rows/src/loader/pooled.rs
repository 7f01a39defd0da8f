//! Values whose memory is used again: writing to new memory takes longer than most of what a batch computes.

use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Values that nobody has any more, for those to come.
#[derive(Debug)]
pub struct MemoryPool<T> {
    /// `None` once the pool is closed.
    spare: Mutex<Option<Vec<T>>>,
    /// At most how many values wait.
    most: usize,
}

/// A value whose memory returns to the loader when it is dropped, unless the loader is gone or has enough.
#[derive(Debug, Default)]
pub struct PooledValue<T: Default> {
    value: T,
    pool: Weak<MemoryPool<T>>,
}

impl<T: Default> MemoryPool<T> {
    /// One that keeps at most this many values.
    pub fn new(most: usize) -> Arc<MemoryPool<T>> {
        Arc::new(MemoryPool { spare: Mutex::new(Some(Vec::new())), most })
    }

    /// A value of the past, or a new one.
    pub fn take(self: &Arc<Self>) -> PooledValue<T> {
        // Nobody waits: a forked process may have a lock that nobody there opens.
        let spare = self.spare.try_lock().ok().and_then(|mut spare| spare.as_mut()?.pop());
        PooledValue { value: spare.unwrap_or_default(), pool: Arc::downgrade(self) }
    }

    fn put(&self, value: T) {
        if let Ok(mut spare) = self.spare.try_lock()
            && let Some(spare) = spare.as_mut()
            && spare.len() < self.most
        {
            spare.push(value);
        }
    }

    /// Keeps no value any more.
    pub fn close(&self) {
        *self.spare.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl<T: Default> PooledValue<T> {
    /// The value, to be overwritten.
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T: Default> Drop for PooledValue<T> {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.upgrade() {
            pool.put(std::mem::take(&mut self.value));
        }
    }
}

/// A value that belongs to no loader.
impl<T: Default> From<T> for PooledValue<T> {
    fn from(value: T) -> PooledValue<T> {
        PooledValue { value, pool: Weak::new() }
    }
}

impl<T: Default> Deref for PooledValue<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// The copy belongs to no loader.
impl<T: Default + Clone> Clone for PooledValue<T> {
    fn clone(&self) -> PooledValue<T> {
        self.value.clone().into()
    }
}

impl<T: Default + PartialEq> PartialEq for PooledValue<T> {
    fn eq(&self, other: &PooledValue<T>) -> bool {
        self.value == other.value
    }
}

#[test]
fn memory_returns_to_its_pool_up_to_a_limit() {
    let pool = MemoryPool::<Vec<u8>>::new(2);
    let values = [1, 2, 3].map(|number| {
        let mut value = pool.take();
        value.get_mut().extend(vec![number; 100]);
        value
    });
    let copy = values[0].clone();
    let places = values.each_ref().map(|value| value.as_ptr());
    // In the order of the array: the third finds no room.
    drop(values);
    drop(copy);
    let again = [(); 3].map(|()| pool.take());
    assert_eq!([&again[0], &again[1]].map(|value| value.as_ptr()), [places[1], places[0]]);
    assert_eq!(again[2].capacity(), 0);
    // While another thread has the lock, nobody waits.
    let guard = pool.spare.lock().unwrap();
    drop(again);
    assert_eq!(pool.take().capacity(), 0);
    drop(guard);
    // A pool that is closed keeps nothing.
    drop(pool.take());
    pool.close();
    drop(pool.take());
    assert!(pool.spare.lock().unwrap().is_none());
    // A value outlives its pool.
    let value = pool.take();
    drop(pool);
    assert!(value.is_empty());
}
