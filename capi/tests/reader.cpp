// Readers by the C++ header. Usage: reader GAMES.pgn. The library has the feature `readers`.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <slider_attacks.hpp>

#include "check.h"

namespace sla = slider_attacks;

int main(int count, char **arguments) {
    CHECK(count == 2);
    std::ifstream file(arguments[1], std::ios::binary);
    const std::string games{std::istreambuf_iterator<char>(file), {}};
    const std::array<const char *, 2> tags{"White", "Nonsense"};
    sla::positions positions;
    sla::reader reader(arguments[1], tags);
    CHECK(reader.format() == nullptr);
    CHECK(reader.push(positions, games, false) == 0 && std::string(reader.format()) == "PGN");
    CHECK(std::string(reader.column_name(1)) == "Nonsense" && reader.column_name(2) == nullptr);
    CHECK(positions.size() == reader.indices().size() && reader.indices()[0] == 0);
    CHECK(reader.text(0, 0) == "Rook, Rosa" && reader.text(1, 0) == std::nullopt);
    const std::size_t before = positions.size();
    std::array<sla_bad_row, 2> bad;
    CHECK(reader.push(positions, "\n[Event \"?\"]\n\n1. e4 Ke4 *\n", true, bad) == 1);
    // The positions before the wrong move are read, and come before its place.
    CHECK(bad[0].index == 2 && bad[0].status == SLA_ERROR_POSITION && positions.size() > before);
    CHECK(bad[0].position == positions.size());

    sla::reader table("lines.jsonl", {"score"});
    CHECK(table.push(positions, "{\"fen\":\"4k3/8/8/8/8/8/8/4K3 w - -\",\"score\":7}\n", true) == 0);
    CHECK(table.text(0, 0) == "7");
    sla::positions kept;
    sla::reader lines("lines.fen");
    CHECK(lines.push(kept, "4k3/8/8/8/8/8/8/4K3 w - -\nnonsense\n", true, bad, sla::on_error::keep) == 1);
    CHECK(bad[0].position == 1 && kept.read("nonsense", sla::on_error::keep).size() == 1 && kept.fen(1) == kept.fen(2));
    std::puts("readers in C++: ok");
}
