// slider-attacks: attack sets of sliding chess pieces, and products of positions, for whole arrays.
//
// cbindgen has made this file from Rust code, and `cargo test -p slider-attacks-capi` compares the two.
//
// Boards: bit i of a `uint64_t` is square i; a1 = 0, b1 = 1, ... h8 = 63.
//
// Errors: most calls return a status. On an error, `sla_error_message` says what was wrong, and nothing has been written, but for
// the size in `SLA_ERROR_ROOM`. A call that has nothing to do is fine, with any pointers. What no library can check is the
// caller's part, under "Safety" below: that the memory is there.
//
// Errors of memory: `SLA_ERROR_NULL`, `SLA_ERROR_ALIGNMENT`, `SLA_ERROR_LENGTH` and `SLA_ERROR_OVERLAP`. Lengths and `first`
// count elements or positions; strides are bytes from one element to the next. Outputs of one call must not share memory.
//
// Memory: what the library allocates, it frees, in `sla_positions_free`. No call keeps a pointer of the caller. If memory runs out,
// the process ends, as with any Rust code: a position takes 128 bytes, and the calls for pairs and sets take none. No call
// takes more than 100 KiB of the stack.
//
// Threads: all calls may be made from any number of threads at once. `sla_positions` has the rule for handles.
//
// Mistakes in the library do not unwind into the caller: they are `SLA_ERROR_INTERNAL`, or end the process in `sla_attacks`,
// `sla_attack_sets` and the calls that return no status.

#ifndef SLIDER_ATTACKS_H
#define SLIDER_ATTACKS_H

#include <stddef.h>
#include <stdint.h>

// How many bitboards a position has: those of White's pawns, knights, bishops, rooks, queens and king, then Black's.
#define SLA_BOARDS 12

// In place of an en passant square: there is none.
#define SLA_NO_SQUARE 64

// The number of this interface. A program is right with a library whose `sla_abi` returns the number that the program was
// compiled with. It changes when something that was there changes, and not when something is added.
#define SLA_ABI 2

// Any number of positions. Many threads may use them at once in calls that take them as `const`; a call that takes them
// without must be the only one.
typedef struct sla_positions sla_positions;

// The number of a way to compute: which vector instructions do it. All of them give the same results. The numbers are those of
// this process; names are the same everywhere.
typedef uint32_t sla_backend;

// What a call returns: `SLA_OK`, or one of the errors below. On an error, nothing has been written to the caller's memory,
// and no handle has changed.
typedef int32_t sla_status;

// A kind of slider.
typedef uint32_t sla_slider;

// A colour.
typedef uint8_t sla_color;

// Some of the pieces on the board, as seen from one of them.
typedef uint32_t sla_side;

// What a piece that is pinned to its king does in an exchange.
typedef uint32_t sla_pinned;

// How products are computed. All zeros, or a null pointer in place of this, is what is usual. `sla_options_set` sets the options
// of products by name.
typedef struct sla_options {
    // What computes.
    sla_backend backend;
    // X-rays pass through pieces of this side, as seen from the slider.
    sla_side through;
    // Threats are those to pieces of this side, as seen from the attacker.
    sla_side victims;
    // What pinned pieces do in exchanges.
    sla_pinned pinned;
    // The values of a pawn, a knight, a bishop, a rook and a queen in exchanges, from 0 to 63 each. Five zeros mean 1, 3, 3, 5, 9.
    uint8_t values[5];
    // Room for options that this version of the interface does not know. `sla_options_set` sets those of the library.
    uint8_t others[11];
} sla_options;

// The number of a column of a product. It may be another one in another version; names stay.
typedef uint32_t sla_column;

// What a column holds for each position.
typedef uint32_t sla_kind;

// What a column is. The texts stay.
typedef struct sla_column_info {
    // Its name, which no other column has.
    const char *name;
    // The product that it belongs to.
    const char *product;
    // What it holds: a phrase such as "the squares that White attacks".
    const char *meaning;
    // What kind of values it has.
    sla_kind kind;
    // How many bytes the values of a position take; 0 for threats.
    size_t bytes;
} sla_column_info;

// One piece attacks another. A piece is its letter in FEN: `Q` is a white queen, `q` a black one.
typedef struct sla_threat {
    // The piece that attacks.
    uint8_t attacker;
    // The square of the attacker.
    uint8_t from;
    // The square of the victim.
    uint8_t to;
    // The piece that is attacked.
    uint8_t victim;
} sla_threat;

// The backend that the library has chosen for this CPU: the fastest.
#define SLA_BACKEND_ACTIVE 0

// It moves along diagonals.
#define SLA_BISHOP 0

// It moves along ranks and files.
#define SLA_ROOK 1

// It moves along all of them.
#define SLA_QUEEN 2

// White.
#define SLA_WHITE 0

// Black.
#define SLA_BLACK 1

// A set of squares, as a `uint64_t`: bit *i* is square *i*.
#define SLA_KIND_BOARD 0

// A number below 128 for each of the 64 squares, a1 first, as `uint8_t`.
#define SLA_KIND_NUMBERS 1

// One number below 32768, as a `uint16_t`.
#define SLA_KIND_NUMBER 2

// A list of threats, for `sla_threats`.
#define SLA_KIND_THREATS 3

// What is usual: for x-rays any side, for threats the enemy.
#define SLA_SIDE_USUAL 0

// The pieces of its own colour.
#define SLA_SIDE_OWN 1

// The pieces of the other colour.
#define SLA_SIDE_ENEMY 2

// All pieces.
#define SLA_SIDE_ANY 3

// It captures like all others.
#define SLA_PINNED_CAPTURE 0

// It captures only on the line of the pin.
#define SLA_PINNED_STAY 1

// It is done.
#define SLA_OK 0

// A pointer is null where there must be memory.
#define SLA_ERROR_NULL 1

// A pointer, or a stride, is not a multiple of the size of the numbers there.
#define SLA_ERROR_ALIGNMENT 2

// An array or a stride is longer or shorter than it can be, or there are fewer positions than that.
#define SLA_ERROR_LENGTH 3

// An output shares memory with another array.
#define SLA_ERROR_OVERLAP 4

// The number of a square is 64 or more.
#define SLA_ERROR_SQUARE 5

// There is nothing of this name or number.
#define SLA_ERROR_UNKNOWN 6

// This CPU cannot run the backend.
#define SLA_ERROR_UNAVAILABLE 7

// A text, or a set of bitboards, is not a position.
#define SLA_ERROR_POSITION 8

// The column has another kind of values.
#define SLA_ERROR_KIND 9

// The number of a group is too large.
#define SLA_ERROR_GROUP 10

// The caller's memory is too small for the result. The call has said how much it takes.
#define SLA_ERROR_ROOM 11

// A mistake in the library. Please report it.
#define SLA_ERROR_INTERNAL 12

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// How many backends this CPU can run. They have the numbers from 1 up to this one, the slowest first.
uint32_t sla_backend_count(void);

// The name of a backend: `"scalar"`, `"bmi2"`, `"ssse3"`, `"avx2"`, `"avx2-gfni"`, `"avx512"`, `"avx512-gfni"` or `"neon"`. It is
// null if there is no backend of this number. The text stays.
const char *sla_backend_name(sla_backend backend);

// Writes the number of the backend of this name to `backend`.
//
// Errors: `SLA_ERROR_UNKNOWN`, `SLA_ERROR_UNAVAILABLE` if this CPU cannot run it, `SLA_ERROR_NULL`.
//
// # Safety
//
// `name` ends with a null byte. There is room for a number at `backend`.
sla_status sla_backend_find(const char *name, sla_backend *backend);

// Writes the attack set of a slider on `squares[i]`, with the pieces `occs[i]` on the board, to `out[i]`, for each `i` below
// `count`.
//
// An attack set reaches up to and including the first occupied square in each direction, whatever stands there. It never has
// the slider's own square, and that square may be occupied or not.
//
// Errors: `SLA_ERROR_SQUARE`, and those of memory. `out` must not share memory with the inputs.
//
// # Safety
//
// Each array has `count` numbers. Nobody changes them during the call.
sla_status sla_attacks(sla_backend backend,
                       sla_slider slider,
                       const uint8_t *squares,
                       const uint64_t *occs,
                       uint64_t *out,
                       size_t count);

// The same for arrays whose elements are any number of bytes apart: fields of structures, for example. A stride of 0 repeats
// one input. Strides are multiples of the size of what is there. Each result may take
// the place of its own inputs; otherwise, the output must not share memory with them.
//
// # Safety
//
// Each array has `count` numbers, so many bytes apart. Nobody changes them during the call.
sla_status sla_attacks_strided(sla_backend backend,
                               sla_slider slider,
                               const uint8_t *squares,
                               size_t squares_stride,
                               const uint64_t *occs,
                               size_t occs_stride,
                               uint64_t *out,
                               size_t out_stride,
                               size_t count);

// Writes the union of what all sliders on a board attack to `out[i]`: those in `orthogonal[i]` along ranks and files, those in
// `diagonal[i]` along diagonals, with the pieces `occs[i]` on the board. Queens are in both sets.
//
// Errors: those of memory. `out` must not share memory with the inputs.
//
// # Safety
//
// Each array has `count` numbers. Nobody changes them during the call.
sla_status sla_attack_sets(sla_backend backend,
                           const uint64_t *orthogonal,
                           const uint64_t *diagonal,
                           const uint64_t *occs,
                           uint64_t *out,
                           size_t count);

// The same for arrays whose elements are any number of bytes apart, as for `sla_attacks_strided`.
//
// # Safety
//
// Each array has `count` numbers, so many bytes apart. Nobody changes them during the call.
sla_status sla_attack_sets_strided(sla_backend backend,
                                   const uint64_t *orthogonal,
                                   size_t orthogonal_stride,
                                   const uint64_t *diagonal,
                                   size_t diagonal_stride,
                                   const uint64_t *occs,
                                   size_t occs_stride,
                                   uint64_t *out,
                                   size_t out_stride,
                                   size_t count);

// The attack set of one bishop. Of `square`, the lowest six bits count.
uint64_t sla_bishop_attacks(uint8_t square, uint64_t occ);

// The attack set of one rook. Of `square`, the lowest six bits count.
uint64_t sla_rook_attacks(uint8_t square, uint64_t occ);

// The attack set of one queen. Of `square`, the lowest six bits count.
uint64_t sla_queen_attacks(uint8_t square, uint64_t occ);

// What all sliders on one board attack, as for `sla_attack_sets`.
uint64_t sla_set_attacks(uint64_t orthogonal, uint64_t diagonal, uint64_t occ);

// Makes a handle without positions, and writes it to `positions`. `sla_positions_free` gives its memory back.
//
// # Safety
//
// There is room for a pointer at `positions`.
sla_status sla_positions_new(struct sla_positions **positions);

// Gives the memory of a handle back. Null is fine.
//
// # Safety
//
// The handle is from `sla_positions_new`, has not been freed, and nobody uses it any more.
void sla_positions_free(struct sla_positions *positions);

// The number of positions; 0 for null.
//
// # Safety
//
// The handle is from `sla_positions_new` and has not been freed.
size_t sla_positions_count(const struct sla_positions *positions);

// Keeps the first `count` positions and removes the others. Memory is kept for new ones.
//
// Errors: `SLA_ERROR_LENGTH` if there are fewer.
//
// # Safety
//
// The handle is from `sla_positions_new` and has not been freed. No other thread uses it during the call.
sla_status sla_positions_truncate(struct sla_positions *positions, size_t count);

// Adds the positions of a text, one per line: FEN or EPD. Lines end in LF, CRLF or CR. Blank lines and those that begin with `#`
// are passed over. A text of one FEN is a text of one line. It needs no null byte at its end.
//
// Errors: `SLA_ERROR_POSITION`, with the line and the column. Then no line has been added.
//
// # Safety
//
// `text` has `length` bytes. The handle is from `sla_positions_new` and has not been freed. No other thread uses it during the
// call.
sla_status sla_positions_read(struct sla_positions *positions,
                              sla_backend backend,
                              const char *text,
                              size_t length);

// Adds positions of bitboards. Board `k` of position `i` is `position_stride * i + board_stride * k` bytes after `boards`.
//
// The other arrays have a number per position, without gaps. Each may be null: then White is to move, nobody may castle, and
// no pawn may be taken en passant. `castling` has the squares of the rooks that may castle. An en passant square is one on the
// third or sixth rank, or `SLA_NO_SQUARE`.
//
// Errors: `SLA_ERROR_POSITION`, with the index of the position, and those of memory. Then nothing has been added.
//
// # Safety
//
// The arrays are as said. The handle is from `sla_positions_new` and has not been freed. No other thread uses it during the
// call.
sla_status sla_positions_add(struct sla_positions *positions,
                             const uint64_t *boards,
                             size_t position_stride,
                             size_t board_stride,
                             const sla_color *side_to_move,
                             const uint64_t *castling,
                             const uint8_t *en_passant,
                             size_t count);

// Writes the bitboards of `count` positions from `first` on, laid out as for `sla_positions_add`. Each of the other arrays is
// left out if it is null.
//
// Castling rights are those of the text: `K` is a rook on h1, `Q` one on a1, `k` h8, `q` a8, and the letter of a file means
// that file on the first or the last rank.
//
// Errors: `SLA_ERROR_LENGTH` if there are fewer positions, and those of memory.
//
// # Safety
//
// There is room for the numbers. The handle is from `sla_positions_new`, has not been freed, and nobody changes it during the
// call.
sla_status sla_positions_get(const struct sla_positions *positions,
                             size_t first,
                             size_t count,
                             uint64_t *boards,
                             size_t position_stride,
                             size_t board_stride,
                             sla_color *side_to_move,
                             uint64_t *castling,
                             uint8_t *en_passant);

// Writes the first four fields of FEN for a position, with a null byte at the end, and their length without it.
//
// Errors: `SLA_ERROR_LENGTH` if there is no such position. `SLA_ERROR_ROOM` if `capacity` is not larger than the length, which has
// been written then; 96 bytes are always enough.
//
// # Safety
//
// There is room for `capacity` bytes at `text`, and for a number at `length`. The handle is from `sla_positions_new`, has not
// been freed, and nobody changes it during the call.
sla_status sla_positions_fen(const struct sla_positions *positions,
                             size_t index,
                             char *text,
                             size_t capacity,
                             size_t *length);

// Writes an option of products to `options`, by its name and its value as text, such as `"values"` and `"1,3,3,5,9"`. The names, the
// values and their meaning are those of all other interfaces of this project.
//
// Errors: `SLA_ERROR_UNKNOWN` for a name or a value, and those of memory.
//
// # Safety
//
// `name` and `value` end with a null byte. At `options`, there are options.
sla_status sla_options_set(struct sla_options *options,
                           const char *name,
                           const char *value);

// How many columns there are. They have the numbers from 0 on; those of one product follow each other.
uint32_t sla_column_count(void);

// Writes what a column is to `info`.
//
// Errors: `SLA_ERROR_UNKNOWN`, `SLA_ERROR_NULL`.
//
// # Safety
//
// There is room for it at `info`.
sla_status sla_column_get(sla_column column, struct sla_column_info *info);

// Writes the number of the column of this name, such as `"white_attacks"`, to `column`.
//
// Errors: `SLA_ERROR_UNKNOWN`, `SLA_ERROR_NULL`.
//
// # Safety
//
// `name` ends with a null byte. There is room for a number at `column`.
sla_status sla_column_find(const char *name, sla_column *column);

// Computes a column of kind `SLA_KIND_BOARD` for `count` positions from `first` on: the set of position `first + i` goes to
// the place `stride * i` bytes after `out`. `options` may be null.
//
// Errors: `SLA_ERROR_KIND` for a column of another kind, `SLA_ERROR_LENGTH` if there are fewer positions, `SLA_ERROR_UNKNOWN`
// for columns and options, and those of memory.
//
// # Safety
//
// There is room for the values. The handle is from `sla_positions_new`, has not been freed, and nobody changes it during the
// call.
sla_status sla_column_boards(const struct sla_positions *positions,
                             size_t first,
                             size_t count,
                             sla_column column,
                             const struct sla_options *options,
                             uint64_t *out,
                             size_t stride);

// The same for a column of kind `SLA_KIND_NUMBERS`: 64 numbers per position.
//
// # Safety
//
// As for `sla_column_boards`.
sla_status sla_column_numbers(const struct sla_positions *positions,
                              size_t first,
                              size_t count,
                              sla_column column,
                              const struct sla_options *options,
                              uint8_t *out,
                              size_t stride);

// The same for a column of kind `SLA_KIND_NUMBER`: one number per position.
//
// # Safety
//
// As for `sla_column_boards`.
sla_status sla_column_number(const struct sla_positions *positions,
                             size_t first,
                             size_t count,
                             sla_column column,
                             const struct sla_options *options,
                             uint16_t *out,
                             size_t stride);

// Lists who attacks whom in `count` positions from `first` on. The threats of position `first + i` are those from `offsets[i]`
// to `offsets[i + 1]` of `threats`. There are `count + 1` offsets. `total` gets the number of all threats. `options` may be null.
//
// Errors: `SLA_ERROR_ROOM` if `capacity` is smaller than the number of threats, which has been written to `total` then;
// `SLA_ERROR_LENGTH` if there are fewer positions, `SLA_ERROR_UNKNOWN` for options, and those of memory.
//
// # Safety
//
// There is room for `count + 1` numbers at `offsets`, for `capacity` threats at `threats`, and for a number at `total`. The
// handle is from `sla_positions_new`, has not been freed, and nobody changes it during the call.
sla_status sla_threats(const struct sla_positions *positions,
                       size_t first,
                       size_t count,
                       const struct sla_options *options,
                       size_t *offsets,
                       struct sla_threat *threats,
                       size_t capacity,
                       size_t *total);

// Adds the values of a column up, square by square, for `count` positions from `first` on, without memory for these values.
//
// `groups[i]` is the group of position `first + i`; if `groups` is null, all are in group 0. To `present[64 * group + square]`,
// this adds in how many positions of the group the value of the square is not zero; to `sum[64 * group + square]`, the sum of
// its values. For sets, both are the same. A column of kind `SLA_KIND_NUMBER` has one number per group in place of 64. Either may
// be null. `options` may be null.
//
// Errors: `SLA_ERROR_KIND` for threats, `SLA_ERROR_GROUP` for a group that is not below `group_count`, and those of
// `sla_column_boards`. Then nothing has been added.
//
// # Safety
//
// There are `count` groups, and as many sums as said, which are numbers already, and which nobody else changes during the call.
// The handle is from `sla_positions_new`, has not been freed, and nobody changes it during the call.
sla_status sla_summarize(const struct sla_positions *positions,
                         size_t first,
                         size_t count,
                         sla_column column,
                         const struct sla_options *options,
                         const uint32_t *groups,
                         size_t group_count,
                         uint64_t *present,
                         uint64_t *sum);

// `SLA_ABI` of the library that runs.
uint32_t sla_abi(void);

// The version of the library that runs, such as `"0.1.0"`.
const char *sla_version(void);

// What was wrong with the last call of this thread that failed: UTF-8, in lower case, at most 1023 bytes. It is empty if none
// has failed. The text changes when another call fails in the same thread, and is gone when the thread ends.
const char *sla_error_message(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SLIDER_ATTACKS_H */
