// The products of positions by the C library and by loops over chess-library, a header-only library of C++ (MIT), on one core. The
// calls are interleaved, each time is the fastest of many, and the results are compared before anything is timed. `capi/compare`
// builds it and runs it.
#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <chess.hpp>
#include <slider_attacks.h>

namespace {

constexpr std::size_t POSITIONS = 4096;
constexpr std::chrono::milliseconds TIME{400};

void ok(sla_status status) {
    if (status != SLA_OK) {
        std::fprintf(stderr, "error: %s\n", sla_error_message());
        std::exit(1);
    }
}

void same(bool is_same, const char *what) {
    if (!is_same) {
        std::fprintf(stderr, "error: %s differ\n", what);
        std::exit(1);
    }
}

sla_column column(const char *name) {
    sla_column found;
    ok(sla_column_find(name, &found));
    return found;
}

// Positions of random games.
std::vector<chess::Board> boards() {
    std::vector<chess::Board> all;
    std::mt19937 dice(1);
    chess::Board board;
    while (all.size() < POSITIONS) {
        chess::Movelist moves;
        chess::movegen::legalmoves(moves, board);
        if (moves.empty() || board.isGameOver().second != chess::GameResult::NONE) {
            board = chess::Board();
            continue;
        }
        all.push_back(board);
        board.makeMove(moves[static_cast<int>(dice() % static_cast<unsigned>(moves.size()))]);
    }
    return all;
}

// The squares that a side attacks, by a loop over its pieces.
std::uint64_t attacks_of(const chess::Board &board, chess::Color color) {
    const chess::Bitboard occupied = board.occ();
    chess::Bitboard all = chess::attacks::king(board.kingSq(color));
    auto each = [&](chess::PieceType piece, auto attacks) {
        for (chess::Bitboard some = board.pieces(piece, color); some;) all |= attacks(chess::Square(some.pop()));
    };
    each(chess::PieceType::PAWN, [&](chess::Square square) { return chess::attacks::pawn(color, square); });
    each(chess::PieceType::KNIGHT, [&](chess::Square square) { return chess::attacks::knight(square); });
    each(chess::PieceType::BISHOP, [&](chess::Square square) { return chess::attacks::bishop(square, occupied); });
    each(chess::PieceType::ROOK, [&](chess::Square square) { return chess::attacks::rook(square, occupied); });
    each(chess::PieceType::QUEEN, [&](chess::Square square) { return chess::attacks::queen(square, occupied); });
    return all.getBits();
}

// The nanoseconds per position of two ways, each the fastest of many passes over all positions, which alternate.
std::pair<double, double> fastest(const std::function<void()> &ours, const std::function<void()> &theirs) {
    using Clock = std::chrono::steady_clock;
    std::pair<double, double> best(std::numeric_limits<double>::max(), std::numeric_limits<double>::max());
    auto once = [](const std::function<void()> &way, double &best) {
        auto start = Clock::now();
        way();
        best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - start).count() / POSITIONS);
    };
    for (auto end = Clock::now() + TIME; Clock::now() < end;) {
        once(ours, best.first);
        once(theirs, best.second);
    }
    return best;
}

} // namespace

int main() {
    const std::vector<chess::Board> all = boards();
    sla_positions *positions;
    ok(sla_positions_new(&positions));
    for (const chess::Board &board : all) {
        const std::string fen = board.getFen();
        ok(sla_positions_read(positions, 0, fen.data(), fen.size()));
    }
    const sla_column maps[2] = {column("white_attacks"), column("black_attacks")};
    const sla_column counts = column("legal_moves"), lists = column("moves");

    // The boards of a program that keeps its own, as structures and as arrays, whose products need no copy of them.
    struct Own { std::uint64_t pieces[SLA_BOARDS], castling; std::uint8_t side, en_passant; };
    std::vector<Own> own(POSITIONS);
    std::vector<std::uint8_t> sides(POSITIONS), squares(POSITIONS);
    std::vector<std::uint64_t> rooks(POSITIONS), arrays(SLA_BOARDS * POSITIONS);
    ok(sla_positions_get(positions, 0, POSITIONS, own[0].pieces, sizeof(Own), 8, sides.data(), rooks.data(), squares.data()));
    for (std::size_t at = 0; at < POSITIONS; at++) {
        own[at].castling = rooks[at];
        own[at].side = sides[at];
        own[at].en_passant = squares[at];
        for (std::size_t board = 0; board < SLA_BOARDS; board++) arrays[board * POSITIONS + at] = own[at].pieces[board];
    }
    // Maps need the bitboards alone, moves also who is to move and how.
    enum class Fields { boards, all };
    auto structures = [&](std::size_t first, std::size_t count, Fields fields) {
        sla_board_view view{};
        view.count = count;
        view.boards = own[first].pieces;
        view.position_stride = sizeof(Own);
        view.board_stride = 8;
        if (fields == Fields::boards) return view;
        view.castling = &own[first].castling;
        view.side_to_move = &own[first].side;
        view.en_passant = &own[first].en_passant;
        view.side_stride = view.castling_stride = view.en_passant_stride = sizeof(Own);
        return view;
    };
    auto columns = [&](std::size_t first, std::size_t count, Fields fields) {
        sla_board_view view{};
        view.count = count;
        view.boards = &arrays[first];
        view.position_stride = 8;
        view.board_stride = POSITIONS * 8;
        if (fields == Fields::boards) return view;
        view.castling = &rooks[first];
        view.side_to_move = &sides[first];
        view.en_passant = &squares[first];
        return view;
    };
    sla_positions *scratch;
    ok(sla_positions_new(&scratch));

    std::vector<std::uint64_t> our_maps(2 * POSITIONS), their_maps(2 * POSITIONS);
    std::vector<std::uint16_t> our_counts(POSITIONS), their_counts(POSITIONS);
    std::vector<std::size_t> offsets(POSITIONS + 1);
    std::vector<sla_move> our_moves(218 * POSITIONS);
    std::vector<std::uint16_t> their_moves(218 * POSITIONS);

    std::printf("%s\n%-28s%10s%16s%16s%8s\n", "ns per position, fastest of many, one core", "", "positions", "slider-attacks",
                "chess-library", "ratio");
    std::size_t total = 0, their_total = 0;
    for (std::size_t count : {std::size_t{1}, std::size_t{8}, std::size_t{64}, POSITIONS}) {
        auto in_calls = [count](auto call) {
            for (std::size_t first = 0; first < POSITIONS; first += count) call(first);
        };
        auto row = [&, count](const char *name, const std::function<void()> &ours, const std::function<void()> &theirs,
                           const std::function<bool()> &is_same) {
            for (auto *results : {&our_maps, &their_maps}) std::fill(results->begin(), results->end(), 0);
            for (auto *results : {&our_counts, &their_counts, &their_moves}) std::fill(results->begin(), results->end(), 0);
            std::fill(our_moves.begin(), our_moves.end(), sla_move{});
            ours();
            theirs();
            same(is_same(), name);
            auto [our_time, their_time] = fastest(ours, theirs);
            std::printf("%-28s%10zu%16.1f%16.1f%8.2f\n", name, count, our_time, their_time, their_time / our_time);
        };
        auto their_loop = [&] {
            for (std::size_t at = 0; at < POSITIONS; at++) {
                their_maps[at] = attacks_of(all[at], chess::Color::WHITE);
                their_maps[POSITIONS + at] = attacks_of(all[at], chess::Color::BLACK);
            }
        };
        auto same_maps = [&] { return our_maps == their_maps; };
        row(
            "attack maps of both sides",
            [&] {
                in_calls([&](std::size_t first) {
                    for (std::size_t side = 0; side < 2; side++) {
                        ok(sla_column_boards(positions, first, count, maps[side], nullptr, &our_maps[side * POSITIONS + first], 8));
                    }
                });
            },
            their_loop, same_maps);
        auto maps_of = [&](auto viewed) {
            in_calls([&](std::size_t first) {
                const sla_board_view view = viewed(first, count, Fields::boards);
                const sla_view_output outputs[2] = {{maps[0], &our_maps[first], 8}, {maps[1], &our_maps[POSITIONS + first], 8}};
                ok(sla_view_columns(&view, nullptr, outputs, 2, scratch));
            });
        };
        row("the same, own structures", [&] { maps_of(structures); }, their_loop, same_maps);
        row("the same, own arrays", [&] { maps_of(columns); }, their_loop, same_maps);
        auto their_count = [&] {
            for (std::size_t at = 0; at < POSITIONS; at++) {
                chess::Movelist moves;
                chess::movegen::legalmoves(moves, all[at]);
                their_counts[at] = static_cast<std::uint16_t>(moves.size());
            }
        };
        auto same_counts = [&] { return our_counts == their_counts; };
        row(
            "legal moves, counted",
            [&] {
                in_calls([&](std::size_t first) {
                    ok(sla_column_number(positions, first, count, counts, nullptr, &our_counts[first], 2));
                });
            },
            their_count, same_counts);
        auto count_of = [&](auto viewed) {
            in_calls([&](std::size_t first) {
                const sla_board_view view = viewed(first, count, Fields::all);
                const sla_view_output output{counts, &our_counts[first], 2};
                ok(sla_view_columns(&view, nullptr, &output, 1, scratch));
            });
        };
        row("the same, own structures", [&] { count_of(structures); }, their_count, same_counts);
        row("the same, own arrays", [&] { count_of(columns); }, their_count, same_counts);
        auto list = [&](const sla_positions *from, std::size_t first) {
            std::size_t found;
            ok(sla_moves(from, first, count, lists, nullptr, offsets.data(), &our_moves[total], our_moves.size() - total, &found));
            total += found;
        };
        auto their_list = [&] {
            their_total = 0;
            for (std::size_t at = 0; at < POSITIONS; at++) {
                chess::Movelist moves;
                chess::movegen::legalmoves(moves, all[at]);
                for (const chess::Move &move : moves) their_moves[their_total++] = move.move();
                their_counts[at] = static_cast<std::uint16_t>(moves.size()); // where the list of each position ends
            }
        };
        auto same_lists = [&] {
            // Of one position after the other, in any order; a start and a target have changed places.
            auto end = their_moves.begin() + static_cast<std::ptrdiff_t>(their_total);
            std::vector<std::uint16_t> theirs(their_moves.begin(), end), ours;
            for (std::size_t at = 0; at < total; at++) {
                const unsigned move = our_moves[at];
                ours.push_back(static_cast<std::uint16_t>((move & 63) << 6 | (move >> 6 & 63)));
            }
            for (std::uint16_t &move : theirs) move &= 0xfff;
            auto at = std::ptrdiff_t{0};
            for (std::uint16_t number : their_counts) {
                for (auto *moves : {&ours, &theirs}) {
                    if (moves->size() < static_cast<std::size_t>(at + number)) return false;
                    std::sort(moves->begin() + at, moves->begin() + at + number);
                }
                at += number;
            }
            return ours == theirs;
        };
        row(
            "legal moves, listed",
            [&] {
                total = 0;
                in_calls([&](std::size_t first) { list(positions, first); });
            },
            their_list, same_lists);
        row(
            "the same, own structures",
            [&] {
                total = 0;
                in_calls([&](std::size_t first) {
                    const sla_board_view view = structures(first, count, Fields::all);
                    ok(sla_positions_truncate(scratch, 0));
                    ok(sla_positions_add_view(scratch, &view));
                    list(scratch, 0);
                });
            },
            their_list, same_lists);
    }
    sla_positions_free(scratch);
    sla_positions_free(positions);
}
