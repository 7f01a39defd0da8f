//! How a backend is declared: its entries, the functions that enable its instruction set, and for a vector backend the
//! operations that kernels are written over.

/// Minimum length of a call that enters a vector backend. Shorter calls are computed pair by pair: in the caller's code,
/// because entering a backend takes as long as a pair or two, or by the scalar backend if the slider is not known there.
pub(crate) const MIN_ENTRY_LENGTH: usize = 8;

/// Minimum length of a call whose arrays the vector backends prefetch: 64 Ki pairs, which are 1.1 MiB. In the first-level
/// cache, the requests take 2 to 3 % of the time.
#[cfg(target_arch = "x86_64")]
pub(crate) const FAR_LENGTH: usize = 1 << 16;

/// Declares the entries of a backend that takes one pair after the other.
macro_rules! one_by_one {
    ($(#[$feature:meta])? $($name:ident $attacks:ident),*) => {
        one_by_one! { @ [$(#[$feature])?] $($name $attacks),* }
    };
    (@ $feature:tt $($name:ident $attacks:ident),*) => {
        $(one_by_one! { @@ $feature $name $attacks })*
    };
    (@@ [$(#[$feature:meta])?] $name:ident $attacks:ident) => {
        #[inline(never)]
        $(#[$feature])?
        pub(super) fn $name(squares: &[Square], occs: &[u64], out: &mut [u64]) {
            for ((&square, &occ), out) in squares.iter().zip(occs).zip(out) {
                *out = $attacks(square, occ);
            }
        }
    };
}

/// Declares a vector backend: the token that proves its instruction set, the entries, and the vector operations.
///
/// There is one entry per slider. None is generic and none is inlined, so that the code in `asm-notes/` is the code
/// that runs. An entry computes calls shorter than a block itself, with the kernel `lines` in the form `short`, or the
/// kernel for `few` boards in a vector, or the scalar backend if neither is given. Calls of more than two vectors of few
/// go to a function in `few`; those of a block and more to one in `blocks`, or in `far` if they are long: that one
/// prefetches, and can stream.
///
/// A body that needs what the token holds gives it a name: `fn name(self as simd, ...)`.
#[cfg(target_arch = "x86_64")]
macro_rules! vector_backend {
    (
        $(#[$doc:meta])*
        token: $token:ident $(($held:ty))?,
        features: $features:literal,
        vector: $vector:ident,
        boards: $boards:ident,
        stream: $stream:ident,
        kernel: $kernel:ident,
        $(short: $short:path,)?
        $(few: $few:ident, two_from: $two_from:ident,)?

        $(impl $trait:ident $(<$($rows:tt),*>)? { $($operations:tt)* })*
    ) => {
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
                #[inline]
                #[target_feature(enable = $features)]
                pub(crate) fn plain() -> $token {
                    $token((), $(<$held>::PLAIN)?)
                }
            }
        }

        pub(super) use token::$token;

        vector_backend! { @entries [$token, $features, $boards, $kernel] [$($short)?] [$($few $two_from)?] }

        /// Streams long arrays: `out` is aligned to a cache line and consists of whole blocks.
        #[target_feature(enable = $features)]
        pub(super) fn stream(slider: Slider, squares: &[Square], occs: &[u64], out: &mut [u64]) {
            match slider {
                Slider::Bishop => far::bishop(squares, occs, out, true),
                Slider::Rook => far::rook(squares, occs, out, true),
                Slider::Queen => far::queen(squares, occs, out, true),
            }
        }

        mod far {
            use super::*;

            vector_backend! { @blocks bishop Bishop, [$token, $features, $boards, $kernel] true, stream: bool }
            vector_backend! { @blocks rook Rook, [$token, $features, $boards, $kernel] true, stream: bool }
            vector_backend! { @blocks queen Queen, [$token, $features, $boards, $kernel] true, stream: bool }
        }

        $(vector_backend! {
            @impl [$token, $features, $vector, $boards, $stream] $trait [$($($rows),*)?] { $($operations)* }
        })*
    };
    (@entries $entry:tt [$($short:path)?] [$($few:ident $two_from:ident)?]) => {
        // The stack frame that blocks need takes time to set up. So short calls have functions of their own.
        mod blocks {
            use super::*;

            vector_backend! { @blocks bishop Bishop, $entry false, }
            vector_backend! { @blocks rook Rook, $entry false, }
            vector_backend! { @blocks queen Queen, $entry false, }
        }

        $(mod few {
            use super::*;

            vector_backend! { @many bishop Bishop FewBishop, $entry $few $two_from }
            vector_backend! { @many rook Rook FewRook, $entry $few $two_from }
            vector_backend! { @many queen Queen FewQueen, $entry $few $two_from }
        })?

        vector_backend! { @entry bishop Bishop FewBishop, $entry [$($short)?] [$($few $two_from)?] }
        vector_backend! { @entry rook Rook FewRook, $entry [$($short)?] [$($few $two_from)?] }
        vector_backend! { @entry queen Queen FewQueen, $entry [$($short)?] [$($few $two_from)?] }
    };
    (@entry $name:ident $slider:ident $few_slider:ident,
        [$token:ident, $features:literal, $boards:ident, $kernel:ident] $short:tt $few:tt
    ) => {
        #[inline(never)]
        #[target_feature(enable = $features)]
        pub(super) fn $name(squares: &[Square], occs: &[u64], out: &mut [u64]) {
            vector_backend! { @few $name $slider $few_slider, squares, occs, out, $token, $boards, $kernel, $short $few }
            if out.len() >= crate::batch::entries::FAR_LENGTH {
                return far::$name(squares, occs, out, false);
            }
            blocks::$name(squares, occs, out);
        }
    };
    (@few $name:ident $slider:ident $few_slider:ident, $squares:ident, $occs:ident, $out:ident,
        $token:ident, $boards:ident, $kernel:ident, [] []
    ) => {
        if $out.len() < $boards {
            return crate::batch::scalar::$name($squares, $occs, $out);
        }
    };
    (@few $name:ident $slider:ident $few_slider:ident, $squares:ident, $occs:ident, $out:ident,
        $token:ident, $boards:ident, $kernel:ident, [$short:path] []
    ) => {
        if $out.len() < $boards {
            let input = (bytemuck::cast_slice(&$squares[..$out.len()]), &$occs[..$out.len()]);
            return for_each_block(lines::$slider::<{ $short }>, input, $out, false, false);
        }
    };
    (@few $name:ident $slider:ident $few_slider:ident, $squares:ident, $occs:ident, $out:ident,
        $token:ident, $boards:ident, $kernel:ident, [] [$few:ident $two_from:ident]
    ) => {
        if $out.len() <= 2 * $few {
            let (squares, occs) = (bytemuck::cast_slice(&$squares[..$out.len()]), &$occs[..$out.len()]);
            return $kernel::$few_slider::over($token::plain())
                .attacks::<$few, { $two_from[Slider::$slider as usize] }>(squares, occs, $out);
        }
        if $out.len() < $boards {
            return few::$name($squares, $occs, $out);
        }
    };
    (@many $name:ident $slider:ident $few_slider:ident, [$token:ident, $features:literal, $boards:ident, $kernel:ident]
        $few:ident $two_from:ident
    ) => {
        #[inline(never)]
        #[target_feature(enable = $features)]
        pub(super) fn $name(squares: &[Square], occs: &[u64], out: &mut [u64]) {
            let (squares, occs) = (bytemuck::cast_slice(&squares[..out.len()]), &occs[..out.len()]);
            let in_loop = $kernel::$few_slider::over($token::new());
            $kernel::$few_slider::over($token::plain())
                .many_attacks::<$few, { $two_from[Slider::$slider as usize] }>(in_loop, squares, occs, out);
        }
    };
    (@blocks $name:ident $slider:ident, [$token:ident, $features:literal, $boards:ident, $kernel:ident]
        $far:literal, $($stream:ident: bool)?
    ) => {
        #[inline(never)]
        #[target_feature(enable = $features)]
        pub(super) fn $name(squares: &[Square], occs: &[u64], out: &mut [u64] $(, $stream: bool)?) {
            // They are of one length already. This tells the compiler, which then checks only one of them for each block.
            let (squares, occs) = (bytemuck::cast_slice(&squares[..out.len()]), &occs[..out.len()]);
            let stream = false $(|| $stream)?;
            for_each_block::<$boards, _>($kernel::$slider::over($token::new()), (squares, occs), out, $far, stream);
        }
    };
    // Rank slices also compute sets of sliders, and the compiler vectorises other loops for the same instruction set.
    (@impl [$token:ident, $features:literal, $vector:ident, $boards:ident, $stream:ident] Bytes [] {
        const TERNARY_LOGIC: bool = $ternary:literal;
        $($operations:tt)*
    }) => {
        impl Bytes for $token {
            const TERNARY_LOGIC: bool = $ternary;

            type Vector = $vector;

            vector_backend! { @operations $token, $features, $($operations)* }
        }

        vector_backend! {
            @sets $features, $boards, SliderSets($token::plain(), Shifts)
        }

        /// The compiler vectorises the loops of the task.
        #[inline(never)]
        #[target_feature(enable = $features)]
        pub(super) fn perform(task: impl crate::batch::entries::Task) {
            task.perform();
        }
    };
    (@impl [$token:ident, $features:literal, $vector:ident, $boards:ident, $stream:ident] Boards [] {
        $($operations:tt)*
    }) => {
        impl Boards<$boards> for $token {
            vector_backend! { @operations $token, $features, $($operations)* }

            #[inline(always)]
            fn store_boards(self, boards: &mut [u64; $boards], vectors: [$vector; 8], traffic: Traffic) {
                if traffic.streams() {
                    vector_backend! { @stream boards, vectors.into_iter().enumerate(), $vector, $stream }
                } else {
                    *boards = bytemuck::cast(vectors);
                }
            }
        }
    };
    (@impl [$token:ident, $features:literal, $vector:ident, $boards:ident, $stream:ident] Matrices [] {
        $($operations:tt)*
    }) => {
        impl Matrices for $token {
            type Vector = $vector;
            type Squares = [u8; $boards];
            type Boards = [u64; $boards];

            vector_backend! { @operations $token, $features, $($operations)* }

            #[inline(always)]
            fn board(self, boards: &[u64; $boards], group: usize) -> $vector {
                bytemuck::cast(boards.as_chunks::<{ $boards / 8 }>().0[group])
            }

            #[inline(always)]
            fn store(self, boards: &mut [u64; $boards], group: usize, vector: $vector, traffic: Traffic) {
                if traffic.streams() {
                    vector_backend! { @stream boards, [(group, vector)], $vector, $stream }
                } else {
                    boards.as_chunks_mut::<{ $boards / 8 }>().0[group] = bytemuck::cast(vector);
                }
            }
        }
    };
    (@impl [$token:ident, $features:literal, $($_:tt)*] BitPlanes [$few:ident] { $($operations:tt)* }) => {
        impl BitPlanes<$few> for $token {
            vector_backend! { @operations $token, $features, $($operations)* }
        }

        /// Writes the numbers of as many positions as `out` has, at most 64.
        #[inline(never)]
        #[target_feature(enable = $features)]
        pub(super) fn numbers(planes: &Planes, out: &mut [[u8; 64]]) {
            let simd = $token::new();
            let mut last = [[0; 64]; $few];
            for (out, chunk) in out.chunks_mut($few).zip(0..64 / $few) {
                let planes = planes.each_ref().map(|plane| &plane.as_chunks().0[chunk]);
                simd.numbers(planes, out.first_chunk_mut().unwrap_or(&mut last));
            }
            let (_, rest) = out.as_chunks_mut::<$few>();
            rest.copy_from_slice(&last[..rest.len()]);
        }
    };
    (@impl [$token:ident, $features:literal, $($_:tt)*] $trait:ident [$($rows:tt)*] { $($operations:tt)* }) => {
        impl $trait<$($rows)*> for $token {
            vector_backend! { @operations $token, $features, $($operations)* }
        }
    };
    (@sets $features:literal, $boards:ident, $kernel:expr) => {
        #[inline(never)]
        #[target_feature(enable = $features)]
        pub(super) fn attack_sets(sets: [&[u64]; 3], out: &mut [u64], stream: bool) {
            if out.len() < $boards {
                return crate::batch::scalar::attack_sets(sets, out, stream);
            }
            for_each_block::<$boards, _>($kernel, sets.map(|boards| &boards[..out.len()]), out, true, stream);
        }
    };
    (@stream $boards:ident, $vectors:expr, $vector:ident, $stream:ident) => {
        let aligned: &mut [$vector; 8] = bytemuck::cast_mut($boards);
        for (group, vector) in $vectors {
            // SAFETY: `self` proves that the CPU has the instruction. What is written to is a reference to a vector, so it
            // may be written to and is aligned. As the intrinsic demands, this thread fences before anything else accesses
            // these bytes: only `for_each_block` makes a `Traffic` that streams. It does so only for blocks that are
            // aligned and do not overlap, and fences before it returns. A kernel writes each vector of its block once, and
            // reads none. Nothing unwinds before the fence, because lengths and alignment have been checked.
            unsafe { $stream(&mut aligned[group], vector) };
        }
    };
    // Each body becomes an inner function with the features enabled, where the intrinsics are safe to call.
    (@operations $token:ident, $features:literal,
        $(fn $name:ident $(<$(const $generic:ident: $kind:ident),*>)?
            ($self:ident $(as $simd:ident)? $(, $arg:ident: $type:ty)*) -> $result:ty $body:block)*
    ) => {$(
        #[inline(always)]
        fn $name $(<$(const $generic: $kind),*>)? ($self $(, $arg: $type)*) -> $result {
            #[inline]
            #[target_feature(enable = $features)]
            fn inner $(<$(const $generic: $kind),*>)? ($($simd: $token,)? $($arg: $type),*) -> $result $body
            // SAFETY: `self` was made where these features are enabled, so the CPU has them.
            unsafe { inner $(::<$($generic),*>)? ($({ let $simd = $self; $simd },)? $($arg),*) }
        }
    )*};
}

/// Numbers below 32 for the squares of 64 positions, as the bits of the numbers: `planes[bit][position]` is a bitboard.
/// Lowest bits come first.
pub(crate) type Planes = [[u64; 64]; 5];

/// Work to do in the instruction set of a backend: loops that the compiler vectorises.
///
/// Implementations, and all that they call, are `#[inline(always)]`, so that they become part of the entry that enables
/// the instructions.
pub(crate) trait Task {
    /// Does the work.
    fn perform(self);
}
