//! The access of vector backends to their instructions: the token that proves them, and the operations on vectors.

/// Declares the token of a vector backend: a value that proves that the CPU has its instruction set.
macro_rules! token {
    ($(#[$doc:meta])* $token:ident $(($held:ty))?, $features:literal) => {
        mod token {
            $(#[$doc])*
            #[derive(Clone, Copy)]
            pub(crate) struct $token((), $(pub(super) $held)?);

            impl $token {
                /// Nothing else makes a token, and this is safe to call only where these features are enabled.
                #[inline]
                #[target_feature(enable = $features)]
                pub(crate) fn new() -> $token {
                    $token((), $(<$held>::load())?)
                }

                /// For code without a loop, where the compiler may know what the token holds.
                #[allow(dead_code, reason = "not all tokens hold something")]
                #[inline]
                #[target_feature(enable = $features)]
                pub(crate) fn plain() -> $token {
                    $token((), $(<$held>::PLAIN)?)
                }
            }
        }

        pub(super) use token::$token;
    };
}

/// Implements traits of operations for a token. Each body becomes an inner function with the features enabled, where the
/// intrinsics are safe to call.
///
/// A body that needs what the token holds gives it a name: `fn name(self as simd, ...)`.
macro_rules! operations {
    ($features:literal, $(impl $trait:ident $(<$($argument:tt),*>)? for $token:ident {
        $(const $constant:ident: $constant_type:ty = $value:expr;)*
        $(type $type:ident = $is:ty;)*
        $(fn $name:ident $(<$(const $generic:ident: $kind:ident),*>)?
            ($self:ident $(as $simd:ident)? $(, $arg:ident: $arg_type:ty)*) $(-> $result:ty)? $body:block)*
    })*) => {$(
        impl $trait $(<$($argument),*>)? for $token {
            $(const $constant: $constant_type = $value;)*
            $(type $type = $is;)*
            $(
                #[inline(always)]
                fn $name $(<$(const $generic: $kind),*>)? ($self $(, $arg: $arg_type)*) $(-> $result)? {
                    #[inline]
                    #[target_feature(enable = $features)]
                    fn inner $(<$(const $generic: $kind),*>)?
                        ($($simd: $token,)? $($arg: $arg_type),*) $(-> $result)? $body
                    // SAFETY: `self` was made where these features are enabled, so the CPU has them.
                    unsafe { inner $(::<$($generic),*>)? ($({ let $simd = $self; $simd },)? $($arg),*) }
                }
            )*
        }
    )*};
}

/// Stores vectors, each with the number of its group in a block of `boards`, past the cache: for the operations that are
/// given a [`Traffic`](super::blocks::Traffic) that streams, and for nothing else.
#[cfg(target_arch = "x86_64")]
macro_rules! stream {
    ($store:ident, $boards:ident, $vectors:expr) => {
        let aligned: &mut [_; 8] = bytemuck::cast_mut($boards);
        for (group, vector) in $vectors {
            // SAFETY: The operation is one of a token, which proves that the CPU has the instruction. What is written to
            // is a reference to a vector, so it may be written to and is aligned. As the intrinsic demands, this thread
            // fences before anything else accesses these bytes: only `for_each_block` makes a `Traffic` that streams. It
            // does so only for blocks that are aligned and do not overlap, and fences before it returns. A kernel writes
            // each vector of its block once, and reads none. Nothing unwinds before the fence, because lengths and
            // alignment have been checked.
            unsafe { $store(&mut aligned[group], vector) };
        }
    };
}
