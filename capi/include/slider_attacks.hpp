// slider_attacks.h for C++20: spans instead of pointers and lengths, exceptions instead of status codes, and RAII handles. That
// header documents the functions. Without `first`, spans begin with the first position.
#ifndef SLIDER_ATTACKS_HPP
#define SLIDER_ATTACKS_HPP
#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "slider_attacks.h"

namespace slider_attacks {
// Thrown by failed calls: `what()` is the message.
struct error : std::runtime_error {
    error(sla_status code, const char *message) : std::runtime_error(message), status(code) {}
    sla_status status;
};

inline void check(sla_status status) { if (status != SLA_OK) throw error(status, sla_error_message()); }

// The first number of arrays of numbers. An empty span may have no memory.
inline auto *flat(auto spans) { return spans.empty() ? nullptr : spans.front().data(); }

inline std::size_t same(std::size_t length, std::size_t other) {
    return length == other ? length : throw error(SLA_ERROR_LENGTH, "the spans differ in length");
}

enum class slider : sla_slider { bishop = SLA_BISHOP, rook = SLA_ROOK, queen = SLA_QUEEN };

// A backend: the fastest by default, or one by name.
struct backend {
    backend() = default;
    explicit backend(const char *name) { check(sla_backend_find(name, &number)); }
    const char *name() const { return sla_backend_name(number); }
    sla_backend number = SLA_BACKEND_ACTIVE;
};

inline void attacks(slider kind, std::span<const std::uint8_t> squares, std::span<const std::uint64_t> occs,
                    std::span<std::uint64_t> out, backend by = {}) {
    const auto count = same(same(squares.size(), occs.size()), out.size());
    check(sla_attacks(by.number, static_cast<sla_slider>(kind), squares.data(), occs.data(), out.data(), count));
}

inline void attack_sets(std::span<const std::uint64_t> orthogonal, std::span<const std::uint64_t> diagonal,
                        std::span<const std::uint64_t> occs, std::span<std::uint64_t> out, backend by = {}) {
    const auto count = same(same(orthogonal.size(), diagonal.size()), same(occs.size(), out.size()));
    check(sla_attack_sets(by.number, orthogonal.data(), diagonal.data(), occs.data(), out.data(), count));
}

// The numbers of a column for each square of a position, its sets of squares, or the sums of numbers.
using numbers = std::array<std::uint8_t, 64>;
using sets = std::array<std::uint64_t, 64>;
using sums = std::array<std::uint64_t, 64>;

// Lists, one per position: those of position `i` are `lists[i]`.
template <typename T> struct lists {
    std::size_t size() const { return offsets.size() - 1; }
    std::span<const T> operator[](std::size_t position) const {
        return std::span(elements).subspan(offsets[position], offsets[position + 1] - offsets[position]);
    }
    std::vector<std::size_t> offsets;
    std::vector<T> elements;
};

// The text of a move.
inline std::string uci(sla_move move) {
    char text[6];
    check(sla_move_uci(move, text));
    return text;
}

// A column of a product, by name.
struct column {
    explicit column(const char *name) { check(sla_column_find(name, &number)); }
    sla_column_info info() const { sla_column_info all; check(sla_column_get(number, &all)); return all; }
    sla_column number = 0;
};

// A condition on positions.
class query {
public:
    explicit query(std::string_view text) {
        sla_query *made;
        check(sla_query_new(text.data(), text.size(), &made));
        handle.reset(made);
    }
    const sla_query *get() const { return handle.get(); }
private:
    struct free_query { void operator()(sla_query *of) const { sla_query_free(of); } };
    std::unique_ptr<sla_query, free_query> handle;
};

// Sets of inputs of a network, one after the other.
class features {
public:
    explicit features(std::span<const char *const> names) {
        sla_features *made;
        check(sla_features_new(names.data(), names.size(), &made));
        handle.reset(made);
    }
    std::uint32_t size() const { return sla_features_size(handle.get()); }
    std::uint32_t offset(std::uint32_t set) const {
        std::uint32_t first = 0;
        check(sla_features_offset(handle.get(), set, &first));
        return first;
    }
    const sla_features *get() const { return handle.get(); }
private:
    struct free_features { void operator()(sla_features *of) const { sla_features_free(of); } };
    std::unique_ptr<sla_features, free_features> handle;
};

// Positions, which can be moved but not copied.
class positions {
public:
    positions() { sla_positions *made; check(sla_positions_new(&made)); handle.reset(made); }
    explicit positions(std::string_view text) : positions() { read(text); }
    void read(std::string_view lines, backend by = {}) {
        check(sla_positions_read(handle.get(), by.number, lines.data(), lines.size()));
    }
    std::size_t size() const { return sla_positions_count(handle.get()); }
    std::string fen(std::size_t index) const {
        std::array<char, 96> text;
        std::size_t length = 0;
        check(sla_positions_fen(handle.get(), index, text.data(), text.size(), &length));
        return {text.data(), length};
    }
    void boards(std::span<std::array<std::uint64_t, SLA_BOARDS>> out, std::size_t first = 0) const {
        check(sla_positions_get(handle.get(), first, out.size(), flat(out), sizeof out[0], 8, nullptr, nullptr, nullptr));
    }
    // One element per position, of the type that the column has.
    void compute(column of, std::span<std::uint64_t> out, std::size_t first = 0, const sla_options &options = {}) const {
        check(sla_column_boards(handle.get(), first, out.size(), of.number, &options, out.data(), sizeof out[0]));
    }
    void compute(column of, std::span<numbers> out, std::size_t first = 0, const sla_options &options = {}) const {
        check(sla_column_numbers(handle.get(), first, out.size(), of.number, &options, flat(out), sizeof out[0]));
    }
    void compute(column of, std::span<std::uint16_t> out, std::size_t first = 0, const sla_options &options = {}) const {
        check(sla_column_number(handle.get(), first, out.size(), of.number, &options, out.data(), sizeof out[0]));
    }
    void compute(column of, std::span<sets> out, std::size_t first = 0, const sla_options &options = {}) const {
        check(sla_column_sets(handle.get(), first, out.size(), of.number, &options, flat(out), sizeof out[0]));
    }
    // The moves of `count` positions, of a column that lists them.
    lists<sla_move> moves(column of, std::size_t first, std::size_t count, const sla_options &options = {}) const {
        return listed<sla_move>(count, [&](std::size_t *offsets, sla_move *out, std::size_t capacity, std::size_t *total) {
            return sla_moves(handle.get(), first, count, of.number, &options, offsets, out, capacity, total);
        });
    }
    lists<sla_threat> threats(std::size_t first, std::size_t count, const sla_options &options = {}) const {
        return listed<sla_threat>(count, [&](std::size_t *offsets, sla_threat *out, std::size_t capacity, std::size_t *total) {
            return sla_threats(handle.get(), first, count, &options, offsets, out, capacity, total);
        });
    }
    // Whether a condition holds for each: 1 or 0.
    void matches(const query &condition, std::span<std::uint8_t> out, std::size_t first = 0, const sla_options &options = {}) const {
        check(sla_query_matches(condition.get(), handle.get(), first, out.size(), &options, out.data()));
    }
    // The active inputs of `count` positions, as both sides see them.
    std::array<lists<std::uint32_t>, 2> rows(const features &of, std::size_t first, std::size_t count, sla_view view = SLA_VIEW_COLORS,
                                             sla_row_order order = SLA_ROW_FOUND, backend by = {}) const {
        std::array<lists<std::uint32_t>, 2> found;
        std::array<std::size_t, 2> totals{};
        std::array<sla_rows32, 2> memory;
        for (std::size_t room = 128 * count;; room = std::max(totals[0], totals[1])) {
            for (std::size_t side = 0; side < 2; side++) {
                found[side].offsets.resize(count + 1);
                found[side].elements.resize(room);
                memory[side] = {found[side].offsets.data(), found[side].elements.data(), room, &totals[side]};
            }
            const sla_status status = sla_features_rows32(of.get(), handle.get(), first, count, by.number, view, order, memory.data());
            if (status != SLA_ERROR_ROOM) { check(status); break; }
        }
        for (std::size_t side = 0; side < 2; side++) found[side].elements.resize(totals[side]);
        return found;
    }
    // Adds the values of a column with squares up: those of position `first + i` to `sum[groups[i]]`.
    void summarize(column of, std::span<const std::uint32_t> groups, std::span<sums> sum, std::size_t first = 0,
                   const sla_options &options = {}) const {
        if (of.info().kind == SLA_KIND_NUMBER) throw error(SLA_ERROR_KIND, "this column has one number per position");
        check(sla_summarize(handle.get(), first, groups.size(), of.number, &options, groups.data(), sum.size(), nullptr, flat(sum)));
    }
    const sla_positions *get() const { return handle.get(); }
private:
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
    struct release { void operator()(sla_positions *made) const { sla_positions_free(made); } };
    std::unique_ptr<sla_positions, release> handle;
};
} // namespace slider_attacks
#endif
