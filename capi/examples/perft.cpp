// A small move generator, with sliding attacks of its own (loops along rays) or those of the library, which take the place of
// one function. It counts the nodes of the move tree (perft) of six well-known positions, and prints the speed with each. Then
// the library counts the moves of the last positions itself, many at a time. If the header of chess-library is in the path of
// includes, so does that, one position after the other.
//
//     g++ -std=c++20 -O3 -march=native perft.cpp $(pkg-config --cflags --libs slider-attacks) && ./a.out
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <slider_attacks.h>
#if __has_include(<chess.hpp>)
#include <chess.hpp>
#endif

using Board = std::uint64_t;
enum { PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, NONE };
constexpr Board bit(int square) { return Board{1} << square; }

// The attacks of sliders: this is what the library replaces.
struct Loops {
    static Board rays(int square, Board occ, const int (&directions)[4][2]) {
        Board attacks = 0;
        for (auto [files, ranks] : directions) {
            int file = square % 8 + files, rank = square / 8 + ranks;
            for (; file >= 0 && file < 8 && rank >= 0 && rank < 8; file += files, rank += ranks) {
                attacks |= bit(8 * rank + file);
                if (occ & bit(8 * rank + file)) break;
            }
        }
        return attacks;
    }
    static Board bishop(int square, Board occ) { return rays(square, occ, {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}}); }
    static Board rook(int square, Board occ) { return rays(square, occ, {{1, 0}, {-1, 0}, {0, 1}, {0, -1}}); }
};
struct Library {
    static Board bishop(int square, Board occ) { return sla_bishop_attacks(static_cast<std::uint8_t>(square), occ); }
    static Board rook(int square, Board occ) { return sla_rook_attacks(static_cast<std::uint8_t>(square), occ); }
};

// What a piece that goes to any of these offsets attacks from each square; a file more than two away is over the edge.
struct Leaps {
    Board attacks[64] = {};
    template <std::size_t N> constexpr explicit Leaps(const int (&offsets)[N][2]) {
        for (int square = 0; square < 64; square++) {
            for (auto [files, ranks] : offsets) {
                int file = square % 8 + files, rank = square / 8 + ranks;
                if (file >= 0 && file < 8 && rank >= 0 && rank < 8) attacks[square] |= bit(8 * rank + file);
            }
        }
    }
};
constexpr Leaps KNIGHTS({{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}});
constexpr Leaps KINGS({{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}});
constexpr Leaps PAWNS[2] = {Leaps({{-1, 1}, {1, 1}}), Leaps({{-1, -1}, {1, -1}})};

struct Move { int from, to, promotion = NONE; };
struct Moves {
    Move list[256];
    int count = 0;
    void add(int from, Board targets) {
        for (; targets; targets &= targets - 1) list[count++] = {from, std::countr_zero(targets)};
    }
};

template <class Sliders> struct Position {
    Board pieces[6] = {}, colors[2] = {}, castling = 0; // the rooks that may castle
    int side = 0, passed = 64;                          // the square behind a pawn that has moved two squares

    explicit Position(std::string_view fen) {
        int square = 56;
        std::size_t at = 0;
        for (; fen[at] != ' '; at++) {
            if (fen[at] == '/') square -= 16;
            else if (fen[at] <= '8') square += fen[at] - '0';
            else {
                auto piece = std::string_view("PNBRQKpnbrqk").find(fen[at]);
                pieces[piece % 6] |= bit(square);
                colors[piece / 6] |= bit(square++);
            }
        }
        side = fen[at + 1] == 'b';
        for (at += 3; fen[at] != ' '; at++) {
            auto corner = std::string_view("QKqk-").find(fen[at]);
            if (corner < 4) castling |= bit("\0\7\70\77"[corner]);
        }
        if (fen[at + 1] != '-') passed = fen[at + 1] - 'a' + 8 * (fen[at + 2] - '1');
    }

    Board occ() const { return colors[0] | colors[1]; }

    // The attack set of a piece that is no pawn.
    static Board attacks(int piece, int square, Board occ) {
        switch (piece) {
        case KNIGHT: return KNIGHTS.attacks[square];
        case BISHOP: return Sliders::bishop(square, occ);
        case ROOK: return Sliders::rook(square, occ);
        case QUEEN: return Sliders::bishop(square, occ) | Sliders::rook(square, occ);
        default: return KINGS.attacks[square];
        }
    }

    bool attacked(int square, int by) const {
        const Board enemy = colors[by], all = occ();
        return (PAWNS[1 - by].attacks[square] & pieces[PAWN] & enemy) || (KNIGHTS.attacks[square] & pieces[KNIGHT] & enemy) ||
               (KINGS.attacks[square] & pieces[KING] & enemy) ||
               (Sliders::bishop(square, all) & (pieces[BISHOP] | pieces[QUEEN]) & enemy) ||
               (Sliders::rook(square, all) & (pieces[ROOK] | pieces[QUEEN]) & enemy);
    }

    // All moves, but that the own king may be left in check.
    void moves(Moves &out) const {
        const Board own = colors[side], enemy = colors[1 - side], empty = ~occ();
        for (int piece = KNIGHT; piece <= KING; piece++) {
            for (Board from = pieces[piece] & own; from; from &= from - 1) {
                const int square = std::countr_zero(from);
                out.add(square, attacks(piece, square, occ()) & ~own);
            }
        }
        const int forward = side ? -8 : 8;
        for (Board from = pieces[PAWN] & own; from; from &= from - 1) {
            const int square = std::countr_zero(from), first = out.count;
            Board targets = PAWNS[side].attacks[square] & (enemy | (passed < 64 ? bit(passed) : 0));
            if (empty & bit(square + forward)) {
                targets |= bit(square + forward);
                if (square / 8 == (side ? 6 : 1)) targets |= empty & bit(square + 2 * forward);
            }
            out.add(square, targets);
            for (int at = first, end = out.count; at < end; at++) {
                if (out.list[at].to / 8 % 7) continue;
                out.list[at].promotion = QUEEN;
                for (int piece : {KNIGHT, BISHOP, ROOK}) out.list[out.count++] = {square, out.list[at].to, piece};
            }
        }
        const int king = side ? 60 : 4;
        auto castle = [&](int rook, Board between, int to) {
            if (castling & bit(rook) && !(between & ~empty) && !attacked(king, 1 - side) && !attacked((king + to) / 2, 1 - side))
                out.list[out.count++] = {king, to};
        };
        castle(king + 3, bit(king + 1) | bit(king + 2), king + 2);
        castle(king - 4, bit(king - 1) | bit(king - 2) | bit(king - 3), king - 2);
    }

    int piece_on(int square) const {
        int piece = PAWN;
        while (piece < NONE && !(pieces[piece] & bit(square))) piece++;
        return piece;
    }

    void shift(int piece, int from, int to) {
        pieces[piece] ^= bit(from) | bit(to);
        colors[side] ^= bit(from) | bit(to);
    }

    // Plays a move. Returns whether it is legal.
    bool play(Move move) {
        const int piece = piece_on(move.from), victim = piece == PAWN && move.to == passed ? (side ? move.to + 8 : move.to - 8) : move.to;
        if (const int taken = piece_on(victim); taken < NONE) {
            pieces[taken] ^= bit(victim);
            colors[1 - side] ^= bit(victim);
        }
        shift(piece, move.from, move.to);
        if (piece == KING && std::abs(move.to - move.from) == 2) {
            const bool east = move.to > move.from;
            shift(ROOK, east ? move.to + 1 : move.to - 2, east ? move.to - 1 : move.to + 1);
        }
        if (move.promotion < NONE) {
            pieces[PAWN] ^= bit(move.to);
            pieces[move.promotion] ^= bit(move.to);
        }
        castling &= ~(bit(move.from) | bit(move.to));
        if (piece == KING) castling &= ~(Board{0xff} << 56 * side);
        passed = piece == PAWN && std::abs(move.to - move.from) == 16 ? (move.from + move.to) / 2 : 64;
        const int king = std::countr_zero(pieces[KING] & colors[side]);
        side = 1 - side;
        return !attacked(king, side);
    }

    // Calls `visit` with each position after so many moves.
    template <class Visit> void walk(int depth, Visit &visit) const {
        if (depth == 0) return visit(*this);
        Moves all;
        moves(all);
        for (int at = 0; at < all.count; at++) {
            Position after = *this;
            if (after.play(all.list[at])) after.walk(depth - 1, visit);
        }
    }
};

// The positions of https://www.chessprogramming.org/Perft_Results, with their counts up to the depth of `quick` and beyond.
struct Known { const char *fen; int depth; std::uint64_t nodes; int deeper; std::uint64_t more; };
constexpr Known KNOWN[] = {
    {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", 4, 197281, 5, 4865609},
    {"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", 3, 97862, 4, 4085603},
    {"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", 4, 43238, 6, 11030083},
    {"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq -", 4, 422333, 5, 15833292},
    {"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ -", 3, 62379, 4, 2103487},
    {"r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - -", 3, 89890, 4, 3894594},
};

// Plays each move.
template <class Sliders> std::uint64_t perft(const char *fen, int depth) {
    std::uint64_t nodes = 0;
    auto count = [&](const Position<Sliders> &) { nodes++; };
    Position<Sliders>(fen).walk(depth, count);
    return nodes;
}

// Positions whose moves are to be counted, in the layout of `sla_board_view`.
class Leaves {
public:
    Leaves() {
        check(sla_column_find("legal_moves", &output.column));
        check(sla_positions_new(&scratch));
        output.values = counts.data();
        output.stride = sizeof counts[0];
        view.boards = leaves[0].pieces;
        view.board_stride = sizeof leaves[0].pieces[0];
        view.side_to_move = &leaves[0].side;
        view.castling = &leaves[0].castling;
        view.en_passant = &leaves[0].passed;
        view.position_stride = view.side_stride = view.castling_stride = view.en_passant_stride = sizeof leaves[0];
    }
    Leaves(const Leaves &) = delete;
    ~Leaves() { sla_positions_free(scratch); }

    void operator()(const Position<Library> &position) {
        Leaf &leaf = leaves[view.count++];
        for (int at = 0; at < SLA_BOARDS; at++) leaf.pieces[at] = position.pieces[at % 6] & position.colors[at / 6];
        leaf.castling = position.castling;
        leaf.side = static_cast<sla_color>(position.side);
        leaf.passed = static_cast<std::uint8_t>(position.passed);
        if (view.count == leaves.size()) count();
    }
    // How many moves all of them have.
    std::uint64_t total() {
        count();
        return nodes;
    }

private:
    static void check(sla_status status) {
        if (status == SLA_OK) return;
        std::printf("error: %s\n", sla_error_message());
        std::exit(1);
    }
    void count() {
        check(sla_view_columns(&view, nullptr, &output, 1, scratch));
        for (std::size_t at = 0; at < view.count; at++) nodes += counts[at];
        view.count = 0;
    }
    struct Leaf { std::uint64_t pieces[SLA_BOARDS], castling; sla_color side; std::uint8_t passed; };
    std::vector<Leaf> leaves{256};
    std::vector<std::uint16_t> counts = std::vector<std::uint16_t>(leaves.size());
    sla_board_view view{};
    sla_view_output output{};
    sla_positions *scratch = nullptr;
    std::uint64_t nodes = 0;
};

// Counts the last moves instead of playing them, many positions at a time.
std::uint64_t counted(const char *fen, int depth) {
    Leaves leaves;
    Position<Library>(fen).walk(depth - 1, leaves);
    return leaves.total();
}

#if __has_include(<chess.hpp>)
// The same with chess-library, one position at a time.
std::uint64_t nodes_below(chess::Board &board, int depth) {
    chess::Movelist moves;
    chess::movegen::legalmoves(moves, board);
    if (depth == 1) return static_cast<std::uint64_t>(moves.size());
    std::uint64_t nodes = 0;
    for (const chess::Move &move : moves) {
        board.makeMove(move);
        nodes += nodes_below(board, depth - 1);
        board.unmakeMove(move);
    }
    return nodes;
}
std::uint64_t chess_library(const char *fen, int depth) {
    chess::Board board(fen);
    return nodes_below(board, depth);
}
#endif

// Millions of nodes per second.
double speed(const char *name, bool quick, std::uint64_t (*perft)(const char *, int)) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    std::uint64_t all = 0;
    for (const auto &[fen, depth, nodes, deeper, more] : KNOWN) {
        const auto found = perft(fen, quick ? depth : deeper);
        if (found != (quick ? nodes : more)) {
            std::printf("%s: %s has %llu nodes, not %llu\n", name, fen, static_cast<unsigned long long>(quick ? nodes : more),
                        static_cast<unsigned long long>(found));
            std::exit(1);
        }
        all += found;
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    std::printf("%-28s %llu nodes in %.2f s: %.1f million per second\n", name, static_cast<unsigned long long>(all), seconds,
                static_cast<double>(all) / seconds / 1e6);
    return static_cast<double>(all) / seconds;
}

int main(int argc, char **argv) {
    const bool quick = argc > 1 && std::string_view(argv[1]) == "quick";
    const double loops = speed("loops", quick, perft<Loops>), library = speed("the library", quick, perft<Library>);
    std::printf("%.2f times as fast with the library\n", library / loops);
    [[maybe_unused]] const double many = speed("the last moves, by many", quick, counted);
#if __has_include(<chess.hpp>)
    const double other = speed("chess-library", quick, chess_library);
    std::printf("%.2f times as fast as chess-library\n", many / other);
#endif
}
