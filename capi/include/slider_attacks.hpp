/// \file
/// slider_attacks.h for C++17: views instead of pointers and lengths, exceptions instead of status codes, and handles that free
/// themselves. That header documents what the functions compute; a function here names the one that it calls.
///
/// A parameter `first` is the index of the first position; without it, that is 0. All failures throw `slider_attacks::error`. Then
/// nothing has been written.
#ifndef SLIDER_ATTACKS_HPP
#define SLIDER_ATTACKS_HPP
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "slider_attacks.h"

namespace slider_attacks {
/// A call has failed: `what()` is the message.
struct error : std::runtime_error {
    error(sla_status code, const std::string &message, std::size_t at = SIZE_MAX)
        : std::runtime_error(message), status(code), index(at) {}
    /// One of `SLA_ERROR_NULL` and so on.
    sla_status status;
    /// The index of the wrong element: `sla_error_index`.
    std::size_t index;
};

/// Throws unless the call has succeeded.
inline void check(sla_status status) {
    if (status != SLA_OK) throw error(status, sla_error_message(), sla_error_index());
}

/// Throws unless the loaded library has the interface that the program was compiled for. Constructors call it.
inline void check_abi() {
    if (sla_abi() != SLA_ABI) {
        throw error(SLA_ERROR_UNAVAILABLE, "the program needs interface " + std::to_string(SLA_ABI) + " of slider-attacks, and the "
                                           "loaded library has " + std::to_string(sla_abi()));
    }
}

/// Contiguous elements of somebody else, as `std::span` is: made of vectors, arrays, spans, or a pointer and a length. A view of
/// constants can also be made of a temporary or of a list in braces, for the call that it is an argument of.
template <typename T> class view {
    struct nothing { nothing() = delete; };
    using list_element = std::conditional_t<std::is_const_v<T>, std::remove_cv_t<T>, nothing>;

public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using pointer = T *;
    using reference = T &;
    using iterator = T *;
    using reverse_iterator = std::reverse_iterator<T *>;
    constexpr view() noexcept = default;
    constexpr view(T *begin, std::size_t length) noexcept : start(begin), count(length) {}
    template <std::size_t N> constexpr view(T (&array)[N]) noexcept : start(array), count(N) {}
    constexpr view(std::initializer_list<list_element> list) noexcept : start(std::data(list)), count(list.size()) {}
    /// Of anything with `data()` and `size()` whose elements are of this type, or of the same without `const`. Here `const All &` is a
    /// constant only for temporaries, so that nothing is written to those.
    template <typename All,
              typename Data = std::remove_pointer_t<decltype(std::declval<const All &>().data())>,
              typename = std::enable_if_t<std::is_convertible_v<Data (*)[], T (*)[]>
                                          && !std::is_same_v<std::remove_cv_t<std::remove_reference_t<All>>, view>>>
    constexpr view(All &&all) : start(all.data()), count(all.size()) {}
    [[nodiscard]] constexpr T *data() const noexcept { return start; }
    [[nodiscard]] constexpr std::size_t size() const noexcept { return count; }
    [[nodiscard]] constexpr bool empty() const noexcept { return count == 0; }
    [[nodiscard]] constexpr T *begin() const noexcept { return start; }
    [[nodiscard]] constexpr T *end() const noexcept { return start + count; }
    [[nodiscard]] constexpr reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
    [[nodiscard]] constexpr reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }
    constexpr T &operator[](std::size_t at) const { return start[at]; }
    [[nodiscard]] constexpr T &front() const { return start[0]; }
    [[nodiscard]] constexpr T &back() const { return start[count - 1]; }
    /// The first `length` elements. There must be at least that many.
    [[nodiscard]] constexpr view first(std::size_t length) const { return {start, length}; }
    /// The elements from `from` on, which is at most the size.
    [[nodiscard]] constexpr view subspan(std::size_t from) const { return {start + from, count - from}; }
    [[nodiscard]] constexpr view subspan(std::size_t from, std::size_t length) const { return {start + from, length}; }

private:
    T *start = nullptr;
    std::size_t count = 0;
};
template <typename All> view(All &&) -> view<std::remove_pointer_t<decltype(std::declval<All &>().data())>>;

/// Elements some bytes apart, such as members of structures. A stride of 0 repeats one element.
template <typename T> struct strided {
    T *start;
    std::size_t stride = sizeof(T);
};

/// Not part of the interface.
namespace detail {
/// Throws unless two lengths are the same, which is returned.
inline std::size_t same(std::size_t length, std::size_t other) {
    return length == other ? length : throw error(SLA_ERROR_LENGTH, "the views differ in length");
}
/// The first number of arrays of numbers; null if there are none.
template <typename Array> auto *flat(view<Array> arrays) noexcept { return arrays.empty() ? nullptr : arrays[0].data(); }
/// The first number of nested arrays.
inline const std::uint64_t *innermost(const std::uint64_t &number) noexcept { return &number; }
template <typename Array> const std::uint64_t *innermost(const Array &array) noexcept {
    static_assert(!std::is_arithmetic_v<Array>, "bitboards are std::uint64_t");
    return innermost(array[0]);
}
} // namespace detail

enum class slider : sla_slider { bishop = SLA_BISHOP, rook = SLA_ROOK, queen = SLA_QUEEN };
enum class color : sla_color { white = SLA_WHITE, black = SLA_BLACK };
/// The kind of values of a column.
enum class kind : sla_kind {
    board = SLA_KIND_BOARD,
    numbers = SLA_KIND_NUMBERS,
    number = SLA_KIND_NUMBER,
    threats = SLA_KIND_THREATS,
    key = SLA_KIND_KEY,
    moves = SLA_KIND_MOVES,
    sets = SLA_KIND_SETS,
};
/// Whose inputs of a network come first.
enum class viewpoint : sla_view { colors = SLA_VIEW_COLORS, mover = SLA_VIEW_MOVER };
/// The order of the inputs of a position.
enum class row_order : sla_row_order { found = SLA_ROW_FOUND, ascending = SLA_ROW_ASCENDING };
/// What becomes of positions that are wrong.
enum class on_error : sla_on_error { skip = SLA_ON_ERROR_SKIP, keep = SLA_ON_ERROR_KEEP };

/// The version of the loaded library.
[[nodiscard]] inline const char *version() noexcept { return sla_version(); }

/// A backend: the fastest by default, or one by name (`sla_backend_find`).
class backend {
public:
    backend() = default;
    explicit backend(const std::string &name) { check_abi(); check(sla_backend_find(name.c_str(), &chosen)); }
    [[nodiscard]] const char *name() const noexcept { return sla_backend_name(chosen); }
    [[nodiscard]] sla_backend number() const noexcept { return chosen; }
    /// Whether both were chosen alike: the default equals only itself.
    [[nodiscard]] friend bool operator==(backend a, backend b) noexcept { return a.chosen == b.chosen; }
    [[nodiscard]] friend bool operator!=(backend a, backend b) noexcept { return !(a == b); }
    /// All that this CPU can run, the slowest first.
    [[nodiscard]] static std::vector<backend> available() {
        std::vector<backend> all(sla_backend_count());
        for (std::size_t at = 0; at < all.size(); at++) all[at].chosen = static_cast<sla_backend>(at + 1);
        return all;
    }

private:
    sla_backend chosen = SLA_BACKEND_ACTIVE;
};

/// The attack set of one slider. Any number is a square: the lower six bits count.
[[nodiscard]] inline std::uint64_t attacks(slider of, std::uint8_t square, std::uint64_t occ) noexcept {
    switch (of) {
    case slider::bishop: return sla_bishop_attacks(square, occ);
    case slider::rook: return sla_rook_attacks(square, occ);
    default: return sla_queen_attacks(square, occ);
    }
}

/// `sla_attacks`: the attack set of each pair of a square and an occupancy.
inline void attacks(slider of, view<const std::uint8_t> squares, view<const std::uint64_t> occs, view<std::uint64_t> out,
                    backend by = {}) {
    const auto count = detail::same(detail::same(squares.size(), occs.size()), out.size());
    check(sla_attacks(by.number(), static_cast<sla_slider>(of), squares.data(), occs.data(), out.data(), count));
}

/// `sla_attacks_strided`: the same for members of structures.
inline void attacks(slider of, strided<const std::uint8_t> squares, strided<const std::uint64_t> occs,
                    strided<std::uint64_t> out, std::size_t count, backend by = {}) {
    check(sla_attacks_strided(by.number(), static_cast<sla_slider>(of), squares.start, squares.stride, occs.start, occs.stride,
                              out.start, out.stride, count));
}

/// `sla_set_attacks`: the union of the attacks of sets of sliders on one board.
[[nodiscard]] inline std::uint64_t attack_set(std::uint64_t orthogonal, std::uint64_t diagonal, std::uint64_t occ) noexcept {
    return sla_set_attacks(orthogonal, diagonal, occ);
}

/// `sla_attack_sets`: the same for each board.
inline void attack_sets(view<const std::uint64_t> orthogonal, view<const std::uint64_t> diagonal, view<const std::uint64_t> occs,
                        view<std::uint64_t> out, backend by = {}) {
    const auto count = detail::same(detail::same(orthogonal.size(), diagonal.size()), detail::same(occs.size(), out.size()));
    check(sla_attack_sets(by.number(), orthogonal.data(), diagonal.data(), occs.data(), out.data(), count));
}

/// `sla_attack_sets_strided`: the same for members of structures.
inline void attack_sets(strided<const std::uint64_t> orthogonal, strided<const std::uint64_t> diagonal,
                        strided<const std::uint64_t> occs, strided<std::uint64_t> out, std::size_t count, backend by = {}) {
    check(sla_attack_sets_strided(by.number(), orthogonal.start, orthogonal.stride, diagonal.start, diagonal.stride, occs.start,
                                  occs.stride, out.start, out.stride, count));
}

/// The bitboards of a position: White's pawns, knights, bishops, rooks, queens and king, then Black's.
using bitboards = std::array<std::uint64_t, SLA_BOARDS>;
/// The numbers of a column for each square of a position.
using numbers = std::array<std::uint8_t, 64>;
/// The sets of squares of a column for each square of a position.
using sets = std::array<std::uint64_t, 64>;
/// Sums by square.
using sums = std::array<std::uint64_t, 64>;

/// Lists, one per position: those of position `i` are `lists[i]`.
template <typename T> class lists {
public:
    using value_type = view<const T>;
    /// Of each list in turn, a view.
    class iterator {
    public:
        using iterator_category = std::input_iterator_tag; // what it refers to is made as it is asked for
        using value_type = view<const T>;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = view<const T>;
        iterator() = default;
        [[nodiscard]] reference operator*() const { return (*of)[at]; }
        iterator &operator++() noexcept { at++; return *this; }
        iterator operator++(int) noexcept { iterator before = *this; at++; return before; }
        [[nodiscard]] friend bool operator==(iterator a, iterator b) noexcept { return a.at == b.at; }
        [[nodiscard]] friend bool operator!=(iterator a, iterator b) noexcept { return a.at != b.at; }

    private:
        friend class lists;
        iterator(const lists *all, std::size_t first) noexcept : of(all), at(first) {}
        const lists *of = nullptr;
        std::size_t at = 0;
    };
    using const_iterator = iterator;

    [[nodiscard]] std::size_t size() const noexcept { return offsets.empty() ? 0 : offsets.size() - 1; }
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }
    [[nodiscard]] view<const T> operator[](std::size_t position) const {
        return {elements.data() + offsets[position], offsets[position + 1] - offsets[position]};
    }
    [[nodiscard]] iterator begin() const noexcept { return {this, 0}; }
    [[nodiscard]] iterator end() const noexcept { return {this, size()}; }

    /// The elements of list `i` are those from `offsets[i]` to `offsets[i + 1]`.
    std::vector<std::size_t> offsets;
    std::vector<T> elements;
};

/// The square that a move starts from.
[[nodiscard]] constexpr std::uint8_t from(sla_move move) noexcept { return move & 63; }
/// The square that it goes to; for castling that of the rook.
[[nodiscard]] constexpr std::uint8_t to(sla_move move) noexcept { return move >> 6 & 63; }
/// What a move does, apart from moving a piece.
enum class move_kind : std::uint8_t { normal, en_passant, castling, promotion };
[[nodiscard]] constexpr move_kind kind_of(sla_move move) noexcept { return static_cast<move_kind>(move >> 14); }
/// The letter of the piece that a pawn becomes, as in UCI; for other moves 0.
[[nodiscard]] constexpr char promotion(sla_move move) noexcept {
    return kind_of(move) == move_kind::promotion ? "nbrq"[move >> 12 & 3] : '\0';
}
/// `sla_move_uci`: the text of a move.
[[nodiscard]] inline std::string uci(sla_move move) {
    char text[6];
    check(sla_move_uci(move, text));
    return text;
}

/// A column of a product, by name (`sla_column_find`).
class column {
public:
    explicit column(const std::string &name) { check_abi(); check(sla_column_find(name.c_str(), &found)); }
    [[nodiscard]] sla_column number() const noexcept { return found; }
    [[nodiscard]] sla_column_info info() const { sla_column_info all; check(sla_column_get(found, &all)); return all; }
    [[nodiscard]] slider_attacks::kind kind() const { return static_cast<slider_attacks::kind>(info().kind); }
    [[nodiscard]] std::string_view name() const { return info().name; }
    /// The product that it belongs to.
    [[nodiscard]] std::string_view product() const { return info().product; }
    /// A phrase such as "the squares that White attacks".
    [[nodiscard]] std::string_view meaning() const { return info().meaning; }
    [[nodiscard]] friend bool operator==(column a, column b) noexcept { return a.found == b.found; }
    [[nodiscard]] friend bool operator!=(column a, column b) noexcept { return !(a == b); }
    /// All columns, those of a product together.
    [[nodiscard]] static std::vector<column> all() {
        std::vector<column> every(sla_column_count(), column(sla_column{0}));
        for (std::size_t at = 0; at < every.size(); at++) every[at].found = static_cast<sla_column>(at);
        return every;
    }

private:
    explicit column(sla_column number) noexcept : found(number) {}
    sla_column found = 0;
};

/// How products are computed: the defaults, or what has been set.
class options {
public:
    /// `sla_options_set`: an option by name and value, such as `"values"` and `"1,3,3,5,9"`.
    options &set(const std::string &name, const std::string &value) {
        check(sla_options_set(&all, name.c_str(), value.c_str()));
        return *this;
    }
    options &use(backend by) noexcept { all.backend = by.number(); return *this; }
    [[nodiscard]] const sla_options *get() const noexcept { return &all; }

private:
    sla_options all{};
};

/// Boards of the program, which are read where they are (`sla_board_view`): structures with an array of twelve bitboards, or twelve
/// arrays. The program keeps them.
///
///     struct board { std::uint64_t pieces[12]; std::uint8_t side; };
///     boards(all, &board::pieces).side_to_move(all, &board::side)
class boards {
public:
    /// Of structures in an array, a vector or a span; `pieces` is a member with twelve bitboards: an array, a `std::array`, or arrays
    /// of those, such as `pieces[2][6]`.
    template <typename All, typename Board, typename Pieces> boards(const All &all, Pieces Board::*pieces) {
        static_assert(sizeof(Pieces) == SLA_BOARDS * sizeof(std::uint64_t), "a position has twelve bitboards");
        raw.count = std::size(all);
        raw.boards = raw.count ? detail::innermost(std::data(all)->*pieces) : nullptr;
        raw.position_stride = sizeof(*std::data(all)); // `Board` may be a base class
        raw.board_stride = sizeof(std::uint64_t);
    }
    /// Of bitboards without anything between.
    explicit boards(view<const bitboards> all) {
        raw.count = all.size();
        raw.boards = all.empty() ? nullptr : all[0].data();
        raw.position_stride = sizeof(bitboards);
        raw.board_stride = sizeof(std::uint64_t);
    }
    boards(std::initializer_list<bitboards>) = delete; // what would be kept ends with the call, here and below
    /// Of twelve arrays with `count` bitboards each. The program keeps the array of pointers too.
    boards(const std::array<const std::uint64_t *, SLA_BOARDS> &arrays, std::size_t count) {
        raw.count = count;
        raw.arrays = arrays.data();
        raw.position_stride = sizeof(std::uint64_t);
    }
    boards(const std::array<const std::uint64_t *, SLA_BOARDS> &&, std::size_t) = delete;
    /// The sides to move: 0 is White. Without them, White is to move.
    template <typename All, typename Board> boards &side_to_move(const All &all, std::uint8_t Board::*member) {
        raw.side_to_move = pointer(all, member);
        raw.side_stride = sizeof(*std::data(all));
        return *this;
    }
    boards &side_to_move(view<const std::uint8_t> sides) {
        detail::same(sides.size(), raw.count);
        raw.side_to_move = sides.data();
        return *this;
    }
    boards &side_to_move(std::initializer_list<std::uint8_t>) = delete;
    /// The squares of the rooks that may castle.
    template <typename All, typename Board> boards &castling(const All &all, std::uint64_t Board::*member) {
        raw.castling = pointer(all, member);
        raw.castling_stride = sizeof(*std::data(all));
        return *this;
    }
    boards &castling(view<const std::uint64_t> rooks) {
        detail::same(rooks.size(), raw.count);
        raw.castling = rooks.data();
        return *this;
    }
    boards &castling(std::initializer_list<std::uint64_t>) = delete;
    /// The en passant squares, or `SLA_NO_SQUARE`.
    template <typename All, typename Board> boards &en_passant(const All &all, std::uint8_t Board::*member) {
        raw.en_passant = pointer(all, member);
        raw.en_passant_stride = sizeof(*std::data(all));
        return *this;
    }
    boards &en_passant(view<const std::uint8_t> squares) {
        detail::same(squares.size(), raw.count);
        raw.en_passant = squares.data();
        return *this;
    }
    boards &en_passant(std::initializer_list<std::uint8_t>) = delete;
    [[nodiscard]] std::size_t size() const noexcept { return raw.count; }
    [[nodiscard]] const sla_board_view *get() const noexcept { return &raw; }

private:
    template <typename All, typename Board, typename T> const T *pointer(const All &all, T Board::*member) const {
        return detail::same(std::size(all), raw.count) ? &(std::data(all)->*member) : nullptr;
    }
    sla_board_view raw{};
};

/// A condition on positions (`sla_query_new`).
class query {
public:
    explicit query(std::string_view text) {
        check_abi();
        sla_query *made;
        check(sla_query_new(text.data(), text.size(), &made));
        handle.reset(made);
    }
    [[nodiscard]] const sla_query *get() const noexcept { return handle.get(); }

private:
    struct release { void operator()(sla_query *of) const noexcept { sla_query_free(of); } };
    std::unique_ptr<sla_query, release> handle;
};

/// Sets of inputs of a network, one after the other (`sla_features_new`).
class features {
public:
    explicit features(view<const char *const> names) {
        check_abi();
        sla_features *made;
        check(sla_features_new(names.data(), names.size(), &made));
        handle.reset(made);
    }
    [[nodiscard]] std::uint32_t size() const noexcept { return sla_features_size(handle.get()); }
    /// The first input of a set.
    [[nodiscard]] std::uint32_t offset(std::uint32_t set) const {
        std::uint32_t first = 0;
        check(sla_features_offset(handle.get(), set, &first));
        return first;
    }
    [[nodiscard]] const sla_features *get() const noexcept { return handle.get(); }

private:
    struct release { void operator()(sla_features *of) const noexcept { sla_features_free(of); } };
    std::unique_ptr<sla_features, release> handle;
};

/// A column, and where its values for a view of boards go.
class column_output {
public:
    column_output(const column &of, view<std::uint64_t> out) : column_output(of, kind::board, out) {}
    column_output(const column &of, view<std::uint16_t> out) : column_output(of, kind::number, out) {}
    column_output(const column &of, view<numbers> out) : column_output(of, kind::numbers, out) {}
    column_output(const column &of, view<sets> out) : column_output(of, kind::sets, out) {}
    [[nodiscard]] std::size_t size() const noexcept { return count; }
    [[nodiscard]] const sla_view_output &get() const noexcept { return raw; }

private:
    template <typename T> column_output(const column &of, slider_attacks::kind needs, view<T> out)
        : raw{of.number(), out.data(), sizeof(T)}, count(out.size()) {
        const auto found = of.kind();
        if (found != needs && !(found == kind::key && needs == kind::board)) {
            throw error(SLA_ERROR_KIND, std::string("the column ") + of.info().name + " has values of another type");
        }
    }
    sla_view_output raw;
    std::size_t count;
};

/// Positions, which can be moved but not copied.
class positions {
public:
    positions() {
        check_abi();
        sla_positions *made;
        check(sla_positions_new(&made));
        handle.reset(made);
    }
    /// Those of a text, as `read` adds them.
    explicit positions(std::string_view text) : positions() { read(text); }

    /// `sla_positions_read`: adds the positions of lines of FEN or EPD.
    void read(std::string_view lines, backend by = {}) {
        check(sla_positions_read(handle.get(), by.number(), lines.data(), lines.size()));
    }
    /// `sla_positions_read_valid`: adds those that are positions, and returns the lines that are not.
    [[nodiscard]] std::vector<sla_bad_row> read(std::string_view lines, on_error mode, backend by = {}) {
        return listed_bad([&](sla_bad_row *bad, std::size_t capacity, std::size_t *total) {
            return sla_positions_read_valid(handle.get(), by.number(), lines.data(), lines.size(),
                                            static_cast<sla_on_error>(mode), bad, capacity, total);
        });
    }
    /// `sla_positions_add_view`: adds boards of the program.
    void add(const slider_attacks::boards &all) { check(sla_positions_add_view(handle.get(), all.get())); }
    /// `sla_positions_add_valid`: adds those that are positions, and returns those that are not.
    [[nodiscard]] std::vector<sla_bad_row> add(const slider_attacks::boards &all, on_error mode) {
        return listed_bad([&](sla_bad_row *bad, std::size_t capacity, std::size_t *total) {
            return sla_positions_add_valid(handle.get(), all.get(), static_cast<sla_on_error>(mode), bad, capacity, total);
        });
    }
    /// `sla_positions_truncate`: keeps the first `count` positions.
    void truncate(std::size_t count) { check(sla_positions_truncate(handle.get(), count)); }
    /// Removes all positions, and keeps the memory.
    void clear() { truncate(0); }

    [[nodiscard]] std::size_t size() const noexcept { return sla_positions_count(handle.get()); }
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }
    /// `sla_positions_fen`: the first four fields of FEN.
    [[nodiscard]] std::string fen(std::size_t index) const {
        std::array<char, 96> text;
        std::size_t length = 0;
        check(sla_positions_fen(handle.get(), index, text.data(), text.size(), &length));
        return {text.data(), length};
    }
    /// `sla_positions_get`: the bitboards.
    void boards(view<bitboards> out, std::size_t first = 0) const {
        check(sla_positions_get(handle.get(), first, out.size(), detail::flat(out), sizeof(bitboards), 8, nullptr, nullptr, nullptr));
    }
    /// The same with sides to move, the squares of rooks that may castle, and en passant squares; an empty view is left out.
    void boards(view<bitboards> out, view<std::uint8_t> sides, view<std::uint64_t> castling, view<std::uint8_t> en_passant,
                std::size_t first = 0) const {
        for (const std::size_t size : {sides.size(), castling.size(), en_passant.size()}) {
            if (size) detail::same(size, out.size());
        }
        check(sla_positions_get(handle.get(), first, out.size(), detail::flat(out), sizeof(bitboards), 8, sides.data(), castling.data(),
                                en_passant.data()));
    }

    /// `sla_column_boards`: sets of squares, or keys.
    void compute(const column &of, view<std::uint64_t> out, std::size_t first = 0, const options &how = {}) const {
        check(sla_column_boards(handle.get(), first, out.size(), of.number(), how.get(), out.data(), sizeof(std::uint64_t)));
    }
    /// `sla_column_numbers`: numbers for each square.
    void compute(const column &of, view<numbers> out, std::size_t first = 0, const options &how = {}) const {
        check(sla_column_numbers(handle.get(), first, out.size(), of.number(), how.get(), detail::flat(out), sizeof(numbers)));
    }
    /// `sla_column_number`: one number per position.
    void compute(const column &of, view<std::uint16_t> out, std::size_t first = 0, const options &how = {}) const {
        check(sla_column_number(handle.get(), first, out.size(), of.number(), how.get(), out.data(), sizeof(std::uint16_t)));
    }
    /// `sla_column_sets`: sets for each square.
    void compute(const column &of, view<sets> out, std::size_t first = 0, const options &how = {}) const {
        check(sla_column_sets(handle.get(), first, out.size(), of.number(), how.get(), detail::flat(out), sizeof(sets)));
    }
    /// The values of all positions in a new vector, of one of these types: `positions.values<std::uint64_t>(maps)`.
    template <typename T> [[nodiscard]] std::vector<T> values(const column &of, const options &how = {}) const {
        std::vector<T> found(size());
        compute(of, found, 0, how);
        return found;
    }
    /// `sla_moves`: the moves of `count` positions, of a column that lists them.
    [[nodiscard]] lists<sla_move> moves(const column &of, std::size_t first, std::size_t count, const options &how = {}) const {
        within(first, count);
        return listed<sla_move>(count, [&](std::size_t *offsets, sla_move *out, std::size_t capacity, std::size_t *total) {
            return sla_moves(handle.get(), first, count, of.number(), how.get(), offsets, out, capacity, total);
        });
    }
    /// The same for all positions.
    [[nodiscard]] lists<sla_move> moves(const column &of, const options &how = {}) const { return moves(of, 0, size(), how); }
    /// `sla_positions_add_after`: adds the positions after moves of `of`, whose lists begin with that of position `first`, and returns the
    /// index of the position that each comes from.
    std::vector<std::size_t> add_after(const positions &of, const lists<sla_move> &moves, std::size_t first = 0, backend by = {}) {
        const std::size_t end = moves.offsets.empty() ? 0 : moves.offsets.back();
        detail::same(end, moves.elements.size());
        std::vector<std::size_t> parents(end);
        check(sla_positions_add_after(handle.get(), by.number(), of.get(), first, moves.size(), moves.offsets.data(),
                                      moves.elements.data(), parents.data()));
        parents.resize(moves.offsets.empty() ? 0 : end - moves.offsets.front());
        return parents;
    }
    /// `sla_threats`: the threats in `count` positions.
    [[nodiscard]] lists<sla_threat> threats(std::size_t first, std::size_t count, const options &how = {}) const {
        within(first, count);
        return listed<sla_threat>(count, [&](std::size_t *offsets, sla_threat *out, std::size_t capacity, std::size_t *total) {
            return sla_threats(handle.get(), first, count, how.get(), offsets, out, capacity, total);
        });
    }
    /// The same for all positions.
    [[nodiscard]] lists<sla_threat> threats(const options &how = {}) const { return threats(0, size(), how); }
    /// `sla_query_matches`: whether a condition holds for each, 1 or 0.
    void matches(const query &condition, view<std::uint8_t> out, std::size_t first = 0, const options &how = {}) const {
        check(sla_query_matches(condition.get(), handle.get(), first, out.size(), how.get(), out.data()));
    }
    /// `sla_features_rows32`, or `sla_features_rows16` if `Index` is `std::uint16_t`: the active inputs of `count` positions, as both
    /// sides see them.
    template <typename Index = std::uint32_t>
    [[nodiscard]] std::array<lists<Index>, 2> rows(const features &of, std::size_t first, std::size_t count,
                                                   viewpoint whose = viewpoint::colors, row_order order = row_order::found,
                                                   backend by = {}) const {
        constexpr bool is_wide = sizeof(Index) == sizeof(std::uint32_t);
        static_assert(std::is_same_v<Index, std::uint32_t> || std::is_same_v<Index, std::uint16_t>, "indices have 16 or 32 bits");
        std::array<lists<Index>, 2> found;
        std::array<std::size_t, 2> totals{};
        within(first, count);
        std::array<std::conditional_t<is_wide, sla_rows32, sla_rows16>, 2> memory;
        for (std::size_t room = 128 * count;; room = std::max(totals[0], totals[1])) {
            for (std::size_t side = 0; side < 2; side++) {
                found[side].offsets.resize(count + 1);
                found[side].elements.resize(room);
                memory[side] = {found[side].offsets.data(), found[side].elements.data(), room, &totals[side]};
            }
            const sla_status status = call_rows(of, first, count, by, static_cast<sla_view>(whose), static_cast<sla_row_order>(order), memory.data());
            if (status != SLA_ERROR_ROOM) { check(status); break; }
        }
        for (std::size_t side = 0; side < 2; side++) found[side].elements.resize(totals[side]);
        return found;
    }
    /// `sla_summarize`: adds the values of a column with squares up, those of position `first + i` to `sum[groups[i]]`.
    void summarize(const column &of, view<const std::uint32_t> groups, view<sums> sum, std::size_t first = 0,
                   const options &how = {}) const {
        if (of.kind() == kind::number) throw error(SLA_ERROR_KIND, "this column has one number per position");
        check(sla_summarize(handle.get(), first, groups.size(), of.number(), how.get(), groups.data(), sum.size(), nullptr, detail::flat(sum)));
    }
    /// The same for a column with one number per position, and for the positions whose value is not 0.
    void summarize(const column &of, view<const std::uint32_t> groups, view<std::uint64_t> sum, view<std::uint64_t> present,
                   std::size_t first = 0, const options &how = {}) const {
        if (of.kind() != kind::number) throw error(SLA_ERROR_KIND, "this column has more than one number per position");
        const auto count = detail::same(sum.size(), present.size());
        check(sla_summarize(handle.get(), first, groups.size(), of.number(), how.get(), groups.data(), count, present.data(), sum.data()));
    }
    [[nodiscard]] const sla_positions *get() const noexcept { return handle.get(); }
    [[nodiscard]] sla_positions *get() noexcept { return handle.get(); }

private:
    // Memory is for positions that there are.
    void within(std::size_t first, std::size_t count) const {
        if (first > size() || count > size() - first) {
            throw error(SLA_ERROR_LENGTH, std::to_string(count) + " positions from " + std::to_string(first) + " on exceed the "
                                          + std::to_string(size()) + " that it has");
        }
    }
    sla_status call_rows(const features &of, std::size_t first, std::size_t count, backend by, sla_view whose, sla_row_order order,
                         const sla_rows32 *rows) const {
        return sla_features_rows32(of.get(), handle.get(), first, count, by.number(), whose, order, rows);
    }
    sla_status call_rows(const features &of, std::size_t first, std::size_t count, backend by, sla_view whose, sla_row_order order,
                         const sla_rows16 *rows) const {
        return sla_features_rows16(of.get(), handle.get(), first, count, by.number(), whose, order, rows);
    }
    // Usual positions have fewer elements than there is room for at first.
    template <typename T, typename Call> static lists<T> listed(std::size_t count, Call call) {
        lists<T> found{std::vector<std::size_t>(count + 1), std::vector<T>(64 * count)};
        std::size_t total = 0;
        sla_status status = call(found.offsets.data(), found.elements.data(), found.elements.size(), &total);
        if (status == SLA_ERROR_ROOM) {
            found.elements.resize(total);
            status = call(found.offsets.data(), found.elements.data(), found.elements.size(), &total);
        }
        check(status);
        found.elements.resize(total);
        return found;
    }
    // The positions are added by the first call, so that a second one takes them back first.
    template <typename Call> std::vector<sla_bad_row> listed_bad(Call call) {
        const std::size_t before = size();
        std::vector<sla_bad_row> bad(16);
        std::size_t total = 0;
        check(call(bad.data(), bad.size(), &total));
        if (total > bad.size()) {
            truncate(before);
            bad.resize(total);
            check(call(bad.data(), bad.size(), &total));
        }
        bad.resize(total);
        return bad;
    }
    struct release { void operator()(sla_positions *made) const noexcept { sla_positions_free(made); } };
    std::unique_ptr<sla_positions, release> handle;
};

/// `sla_view_columns`: computes columns of boards of the program, which are not copied. `scratch` lends its memory, and is empty
/// afterwards.
inline void compute(const boards &all, view<const column_output> outputs, positions &scratch, const options &how = {}) {
    std::vector<sla_view_output> raw;
    raw.reserve(outputs.size());
    for (const column_output &output : outputs) {
        detail::same(output.size(), all.size());
        raw.push_back(output.get());
    }
    check(sla_view_columns(all.get(), how.get(), raw.data(), raw.size(), scratch.get()));
}

/// A reader of an input in any format, in pieces of any length (`sla_reader_new`). The library has it with the feature `readers`.
class reader {
public:
    /// `file` is a name whose extension counts; `columns` are names of tags, labels and other columns whose values are wanted.
    explicit reader(const std::string &file, view<const char *const> columns = {}, const std::string &column = "fen") {
        check_abi();
        sla_reader *made;
        check(sla_reader_new(file.c_str(), column.c_str(), columns.data(), columns.size(), &made));
        handle.reset(made);
    }
    /// `sla_reader_push`: adds the positions of the next piece, and returns how much is malformed in it; `bad` receives the first ones.
    [[nodiscard]] std::size_t push(positions &to, std::string_view bytes, bool is_last, view<sla_bad_row> bad = {},
                                   on_error mode = on_error::skip) {
        const std::size_t before = to.size();
        std::size_t total = 0;
        count = 0;
        check(sla_reader_push(handle.get(), to.get(), bytes.data(), bytes.size(), is_last, static_cast<sla_on_error>(mode), bad.data(),
                              bad.size(), &total));
        count = to.size() - before;
        return total;
    }
    /// The name of the format; null as long as it is unknown, and after the last piece.
    [[nodiscard]] const char *format() const noexcept { return sla_reader_format(handle.get()); }
    /// `sla_reader_column`: the name of a column, which tells what `all` stands for; null if there is none, and as for `format`.
    [[nodiscard]] const char *column_name(std::uint32_t column) const noexcept { return sla_reader_column(handle.get(), column); }
    /// The index of the line, game or record of each position of the last piece.
    [[nodiscard]] std::vector<std::uint64_t> indices() const {
        std::vector<std::uint64_t> found(count);
        check(sla_reader_indices(handle.get(), found.data(), count));
        return found;
    }
    /// `sla_reader_integers`: the integers of a column, and whether each is known.
    [[nodiscard]] std::pair<std::vector<std::int64_t>, std::vector<std::uint8_t>> integers(std::uint32_t column) const {
        std::pair<std::vector<std::int64_t>, std::vector<std::uint8_t>> found{std::vector<std::int64_t>(count), std::vector<std::uint8_t>(count)};
        check(sla_reader_integers(handle.get(), column, found.first.data(), found.second.data(), count));
        return found;
    }
    /// `sla_reader_text`: the value of a position of the last piece in a column, if it has one.
    [[nodiscard]] std::optional<std::string> text(std::uint32_t column, std::size_t position) const {
        std::string value(32, '\0');
        std::size_t length = 0;
        sla_status status = sla_reader_text(handle.get(), column, position, value.data(), value.size(), &length);
        if (status == SLA_ERROR_ROOM) {
            value.resize(length + 1);
            status = sla_reader_text(handle.get(), column, position, value.data(), value.size(), &length);
        }
        check(status);
        if (length == SIZE_MAX) return std::nullopt;
        value.resize(length);
        return value;
    }

private:
    struct release { void operator()(sla_reader *made) const noexcept { sla_reader_free(made); } };
    std::unique_ptr<sla_reader, release> handle;
    std::size_t count = 0;
};
} // namespace slider_attacks
#endif
