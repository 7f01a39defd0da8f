// The C++ header over the C interface, whose laws test.c has: what it adds.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <slider_attacks.hpp>

#include "check.h"

namespace sla = slider_attacks;

// The call throws this status, with this text in its message.
template <typename Call> void throws(sla_status status, const char *text, Call call) {
    try {
        call();
    } catch (const sla::error &error) {
        CHECK(error.status == status);
        CHECK(std::strstr(error.what(), text));
        return;
    }
    CHECK(false); // it has not thrown
}

int main() {
    CHECK(sla_abi() == SLA_ABI);
    const std::array<std::uint8_t, 3> squares{3, 27, 59};
    const std::vector<std::uint64_t> occs(3, 0xffff00000000ffff);
    std::array<std::uint64_t, 3> out{1, 2, 3};
    sla::attacks(sla::slider::queen, squares, occs, out);
    CHECK(out[0] == 0x1c14 && out[1] == sla_queen_attacks(27, occs[1]));
    CHECK(out[2] == sla::attacks(sla::slider::queen, 59, occs[2]) && sla::attacks(sla::slider::rook, 0, 0) == 0x01010101010101fe);
    CHECK(sla::backend::available().size() == sla_backend_count() && std::strchr(sla::version(), '.'));
    for (sla::backend backend : sla::backend::available()) {
        std::array<std::uint64_t, 3> other{};
        CHECK(sla::backend(backend.name()).number() == backend.number());
        sla::attacks(sla::slider::queen, squares, occs, other, backend);
        CHECK(out == other);
        sla::attack_sets(occs, occs, occs, other, backend);
        CHECK(other[0] == sla::attack_set(occs[0], occs[0], occs[0]));
    }
    const auto before = out;
    throws(SLA_ERROR_LENGTH, "differ", [&] { sla::attacks(sla::slider::rook, squares, sla::view<const std::uint64_t>(occs).first(2), out); });
    throws(SLA_ERROR_LENGTH, "differ", [&] { sla::attack_sets(occs, sla::view<const std::uint64_t>(occs).first(2), occs, out); });
    throws(SLA_ERROR_SQUARE, "square 64 at index 1", [&] { sla::attacks(sla::slider::rook, std::array<std::uint8_t, 3>{0, 64, 0}, occs, out); });
    throws(SLA_ERROR_UNKNOWN, "avx2", [] { sla::backend("AVX2"); });
    CHECK(out == before);
    sla::attacks(sla::slider::rook, sla::view<const std::uint8_t>(), {}, {});
    struct pair { std::uint64_t occ, out; std::uint8_t square; } pairs[2] = {{occs[0], 0, 3}, {occs[1], 0, 27}};
    sla::attacks(sla::slider::queen, sla::strided<const std::uint8_t>{&pairs[0].square, sizeof *pairs},
                 sla::strided<const std::uint64_t>{&pairs[0].occ, sizeof *pairs}, sla::strided<std::uint64_t>{&pairs[0].out, sizeof *pairs}, 2);
    CHECK(pairs[0].out == out[0] && pairs[1].out == out[1]);
    sla::attack_sets(sla::strided<const std::uint64_t>{&pairs[0].occ, sizeof *pairs}, sla::strided<const std::uint64_t>{&occs[0], 0},
                     sla::strided<const std::uint64_t>{&occs[0], 0}, sla::strided<std::uint64_t>{&pairs[0].out, sizeof *pairs}, 2);
    CHECK(pairs[0].out == pairs[1].out && pairs[0].out == sla::attack_set(occs[0], occs[0], occs[0]));
    sla::positions().boards({});
    sla::positions().summarize(sla::column("white_attacks"), {}, {});

    sla::positions positions("4k3/8/8/8/8/8/8/R3K3 w Q -\n4k3/4r3/8/8/4N3/8/8/4K3 w - -\n");
    throws(SLA_ERROR_POSITION, "line 1, column 2", [&] { positions.read("nonsense"); });
    throws(SLA_ERROR_LENGTH, "exceed the 2", [&] { (void)positions.fen(2); });
    CHECK(positions.size() == 2 && positions.fen(1) == "4k3/4r3/8/8/4N3/8/8/4K3 w - -");
    std::vector<sla::bitboards> boards(2);
    positions.boards(boards);
    CHECK(boards[0][3] == 1 && boards[1][1] == 1 << 28);

    std::vector<std::uint64_t> maps(2);
    positions.compute(sla::column("white_attacks"), maps);
    CHECK(maps[0] == 0x010101010101393e);
    std::vector<sla::numbers> counts(2);
    positions.compute(sla::column("white_attackers"), counts);
    CHECK(counts[0][3] == 2);
    std::vector<std::uint16_t> moves(1);
    positions.compute(sla::column("legal_moves"), moves, 1);
    CHECK(moves[0] == 5); // the knight is pinned
    const auto listed = positions.moves(sla::column("moves"), 0, 2);
    CHECK(listed.size() == 2 && listed[0].size() == 16 && listed[1].size() == 5);
    CHECK(sla::uci(listed[0][0]) == "a1b1" && sla::uci(listed[0][15]) == "e1f2");
    CHECK(positions.moves(sla::column("mating_moves"), 1, 1)[0].empty() && positions.moves(sla::column("moves"), 2, 0).size() == 0);
    std::vector<sla::sets> targets(2);
    positions.compute(sla::column("targets"), targets);
    CHECK(targets[0][0] == 0x010101010101010e && targets[1][28] == 0);
    const auto threats = positions.threats(0, 2);
    CHECK(threats[0].empty() && threats[1].size() == 1 && threats[1][0].attacker == 'r' && threats[1][0].victim == 'N');
    throws(SLA_ERROR_KIND, "a number", [&] { (void)positions.moves(sla::column("legal_moves"), 0, 1); });
    std::array<sla::sums, 2> sum{};
    positions.summarize(sla::column("white_attackers"), std::array<std::uint32_t, 2>{1, 1}, sum);
    CHECK(sum[0][3] == 0 && sum[1][3] == 3);
    throws(SLA_ERROR_GROUP, "group 2", [&] { positions.summarize(sla::column("white_attackers"), std::array<std::uint32_t, 2>{0, 2}, sum); });
    throws(SLA_ERROR_KIND, "one number", [&] { positions.summarize(sla::column("legal_moves"), std::array<std::uint32_t, 2>{0, 1}, sum); });
    throws(SLA_ERROR_KIND, "64 numbers", [&] { positions.compute(sla::column("white_attackers"), maps); });
    throws(SLA_ERROR_LENGTH, "positions", [&] { positions.compute(sla::column("white_attacks"), maps, 1); });
    throws(SLA_ERROR_UNKNOWN, "column", [] { sla::column("maps"); });
    const sla::column white_attacks("white_attacks");
    CHECK(white_attacks.product() == "maps" && white_attacks.name() == "white_attacks" && !white_attacks.meaning().empty());
    CHECK(white_attacks == sla::column("white_attacks") && white_attacks != sla::column("black_attacks"));
    CHECK(sla::backend() == sla::backend() && sla::backend() != sla::backend("scalar"));
    CHECK(sla::column::all().size() == sla_column_count() && sla::column("legal_moves").kind() == sla::kind::number);
    std::array<std::uint64_t, 1> total{}, present{};
    positions.summarize(sla::column("legal_moves"), std::array<std::uint32_t, 2>{}, total, present);
    CHECK(total[0] == 16 + 5 && present[0] == 2);
    CHECK(sla::from(listed[0][0]) == 0 && sla::to(listed[0][0]) == 1);
    std::size_t lists = 0, elements = 0;
    for (const sla::view<const sla_move> moves_of_one : positions.moves(sla::column("moves"))) {
        CHECK(moves_of_one.back() == listed[lists].back() && *moves_of_one.rbegin() == moves_of_one.subspan(1).back());
        elements += moves_of_one.size();
        lists++;
    }
    CHECK(lists == 2 && elements == listed.elements.size() && positions.threats().size() == 2);
    CHECK(listed[1].subspan(1, 2).size() == 2 && listed[1].subspan(1, 2).front() == listed[1][1]);
    const sla::positions pawns("4k3/6P1/8/2Pp4/8/8/8/4K2R w K d6\n");
    const auto kinds = pawns.moves(sla::column("moves"));
    std::string promotions;
    std::size_t special = 0;
    for (const sla_move move : kinds[0]) {
        const char letter = sla::promotion(move);
        if (letter) promotions += letter;
        CHECK(letter ? sla::uci(move) == std::string("g7g8") + letter : sla::uci(move).size() == 4);
        if (sla::kind_of(move) == sla::move_kind::castling) { special++; CHECK(sla::uci(move) == "e1g1" && sla::to(move) == 7); }
        if (sla::kind_of(move) == sla::move_kind::en_passant) { special++; CHECK(sla::uci(move) == "c5d6"); }
    }
    CHECK(special == 2 && promotions.size() == 4 && promotions.find_first_not_of("nbrq") == std::string::npos);
    sla::positions after;
    CHECK(after.add_after(pawns, kinds) == std::vector<std::size_t>(kinds.elements.size()) && after.size() == kinds.elements.size());
    CHECK(after.add_after(positions, positions.moves(sla::column("moves"), 1, 1), 1) == std::vector<std::size_t>(5, 1));
    CHECK(after.fen(after.size() - 1).find(" b ") != std::string::npos);
    throws(SLA_ERROR_MOVE, "position 1", [&] { after.add_after(positions, positions.moves(sla::column("moves"), 0, 1), 1); });
    CHECK(positions.values<std::uint64_t>(sla::column("white_attacks")) == maps);
    CHECK(positions.values<std::uint16_t>(sla::column("legal_moves")) == (std::vector<std::uint16_t>{16, 5}));
    throws(SLA_ERROR_KIND, "white_attacks", [&] { (void)positions.values<std::uint16_t>(sla::column("white_attacks")); });
    // A length that cannot be is refused before there is memory for it.
    throws(SLA_ERROR_LENGTH, "exceed the 2", [&] { (void)positions.moves(sla::column("moves"), 0, SIZE_MAX); });
    throws(SLA_ERROR_LENGTH, "exceed the 2", [&] { (void)positions.threats(SIZE_MAX, 2); });
    std::vector<std::uint64_t> through(2), through_none(2);
    const sla::column xrays("white_xrays");
    positions.compute(xrays, through);
    positions.compute(xrays, through_none, 0, sla::options().set("through", "enemy").use(sla::backend("scalar")));
    CHECK(through != through_none);
    throws(SLA_ERROR_UNKNOWN, "through", [] { sla::options().set("through", "walls"); });

    // Boards of the program: structures, arrays, and columns of them without a copy.
    struct board {
        std::uint64_t pieces[SLA_BOARDS], rooks;
        std::uint8_t passed, side;
    };
    std::vector<board> mine(2);
    sla::bitboards arrays[2];
    for (std::size_t at = 0; at < 2; at++) std::copy(boards[at].begin(), boards[at].end(), mine[at].pieces);
    mine[0].rooks = 1;
    mine[0].passed = mine[1].passed = SLA_NO_SQUARE;
    mine[0].side = mine[1].side = 0;
    const auto view = sla::boards(mine, &board::pieces).castling(mine, &board::rooks).en_passant(mine, &board::passed).side_to_move(mine, &board::side);
    sla::positions added;
    added.add(view);
    CHECK(added.size() == 2 && added.fen(0) == positions.fen(0) && added.fen(1) == positions.fen(1));
    struct derived : board { std::uint64_t more; };
    std::vector<derived> larger(2);
    for (std::size_t at = 0; at < 2; at++) static_cast<board &>(larger[at]) = mine[at];
    sla::positions of_larger;
    of_larger.add(sla::boards(larger, &derived::pieces).castling(larger, &derived::rooks).en_passant(larger, &derived::passed)
                      .side_to_move(larger, &derived::side));
    CHECK(of_larger.size() == 2 && of_larger.fen(0) == positions.fen(0) && of_larger.fen(1) == positions.fen(1));
    arrays[0] = boards[0];
    arrays[1] = boards[1];
    added.add(sla::boards(sla::view<const sla::bitboards>(arrays)));
    std::array<const std::uint64_t *, SLA_BOARDS> pointers;
    for (std::size_t at = 0; at < SLA_BOARDS; at++) pointers[at] = &arrays[0][at];
    static_assert(!std::is_constructible_v<sla::boards, decltype(pointers), std::size_t>, "the pointers would be gone");
    const std::array<std::uint8_t, 1> black{1};
    added.add(sla::boards(pointers, 1).side_to_move(black));
    CHECK(added.size() == 5 && added.fen(3) == added.fen(1) && added.fen(4) == "4k3/8/8/8/8/8/8/R3K3 b - -");
    std::vector<std::uint8_t> sides(5), passed(5);
    std::vector<std::uint64_t> rooks(5);
    std::vector<sla::bitboards> all(5);
    added.boards(all, sides, rooks, passed);
    CHECK(sides[4] == 1 && rooks[0] == 1 && rooks[1] == 0 && passed[2] == SLA_NO_SQUARE && all[4] == boards[0]);
    std::vector<std::uint64_t> maps_of_view(2);
    std::vector<std::uint16_t> moves_of_view(2);
    const sla::column_output outputs[] = {{sla::column("white_attacks"), maps_of_view}, {sla::column("legal_moves"), moves_of_view}};
    sla::compute(view, outputs, added);
    CHECK(maps_of_view == maps && moves_of_view[1] == 5 && added.empty());
    const board structures[] = {mine[0], mine[1]};
    std::uint64_t from_array[2] = {};
    sla::compute(sla::boards(structures, &board::pieces).side_to_move(structures, &board::side),
                 {{sla::column("white_attacks"), from_array}, {sla::column("legal_moves"), moves_of_view}}, added);
    CHECK(from_array[0] == maps[0] && from_array[1] == maps[1] && moves_of_view[1] == 5);
    struct by_color { std::array<std::uint64_t, 6> pieces[2]; } nested[1];
    std::copy(arrays[0].begin(), arrays[0].begin() + 6, nested[0].pieces[0].begin());
    std::copy(arrays[0].begin() + 6, arrays[0].end(), nested[0].pieces[1].begin());
    added.add(sla::boards(nested, &by_color::pieces));
    CHECK(added.size() == 1 && added.fen(0) == of_larger.fen(0).substr(0, added.fen(0).find(' ')) + " w - -");
    added.clear();
    static_assert(std::is_constructible_v<sla::view<const std::uint64_t>, std::vector<std::uint64_t>>, "an argument");
    static_assert(!std::is_constructible_v<sla::view<std::uint64_t>, std::vector<std::uint64_t>>, "the results would be gone");
    static_assert(!std::is_constructible_v<sla::view<std::uint64_t>, std::initializer_list<std::uint64_t>>, "a list is constant");
    static_assert(std::is_same_v<decltype(sla::view(maps)), sla::view<std::uint64_t>>);
    static_assert(!std::is_constructible_v<sla::boards, std::initializer_list<sla::bitboards>>, "the list would be gone");
    throws(SLA_ERROR_KIND, "legal_moves", [&] { sla::column_output(sla::column("legal_moves"), sla::view<std::uint64_t>(maps)); });
    mine[1].side = 5;
    throws(SLA_ERROR_SIDE, "position 1", [&] { sla::compute(view, outputs, added); });
    try { added.add(view); CHECK(false); } catch (const sla::error &error) { CHECK(error.index == 1 && added.empty()); }
    const auto bad = added.add(view, sla::on_error::skip);
    CHECK(bad.size() == 1 && bad[0].index == 1 && bad[0].status == SLA_ERROR_SIDE && added.size() == 1);
    std::string lines;
    for (int line = 0; line < 20; line++) lines += "nonsense\n4k3/8/8/8/8/8/8/4K3 b - -\n";
    CHECK(added.read(lines, sla::on_error::keep).size() == 20 && added.size() == 41 && added.fen(40) == "4k3/8/8/8/8/8/8/4K3 b - -");
    added.truncate(3);
    added.clear();
    CHECK(added.empty());

    std::array<std::uint8_t, 2> holds{7, 7};
    positions.matches(sla::query("white_rooks and turn = white"), holds);
    CHECK(holds[0] == 1 && holds[1] == 0);
    throws(SLA_ERROR_QUERY, "column 1", [] { sla::query("white_pined"); });
    throws(SLA_ERROR_LENGTH, "positions", [&] { positions.matches(sla::query("e4"), holds, 1); });
    const std::array<const char *, 2> names{"pieces", "pawn_pairs"};
    const sla::features features(names);
    CHECK(features.size() == 768 + 4560 && features.offset(1) == 768);
    const auto rows = positions.rows(features, 0, 2, sla::viewpoint::colors, sla::row_order::ascending);
    const auto narrow = positions.rows<std::uint16_t>(features, 0, 2, sla::viewpoint::colors, sla::row_order::ascending);
    CHECK(narrow[1].elements.size() == rows[1].elements.size() && narrow[0][0][0] == rows[0][0][0]);
    CHECK(rows[0].size() == 2 && rows[0][0].size() == 3 && rows[0][0][0] == 64 * 3 && rows[1][1].size() == 4);
    throws(SLA_ERROR_LENGTH, "exceed the 2", [&] { (void)positions.rows(features, 1, SIZE_MAX); });
    throws(SLA_ERROR_UNKNOWN, "bishops", [] { sla::features({"bishops"}); });

    sla::positions moved = std::move(positions);
    CHECK(moved.size() == 2 && positions.size() == 0);
    throws(SLA_ERROR_NULL, "positions", [&] { positions.read(""); });
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++) {
        threads.emplace_back([&moved, &maps] {
            std::vector<std::uint64_t> here(2);
            moved.compute(sla::column("white_attacks"), here);
            CHECK(here == maps);
        });
    }
    for (auto &thread : threads) thread.join();
    std::puts("C++: ok");
}
