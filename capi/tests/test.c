/* The laws of the C interface, in C11. Usage: test FILE.epd. Needs the folder of slider_attacks.h in the search path. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <slider_attacks.h>

#include "check.h"

#define OK(call) CHECK((call) == SLA_OK)
/* The call fails with this status, and the message has this text in it. */
#define FAILS(status, text, call) \
    do { \
        CHECK((call) == (status)); \
        CHECK(strstr(sla_error_message(), (text))); \
    } while (0)

static uint64_t state = 1;
static uint64_t random_bits(void) { /* xorshift* */
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1d;
}

static const int DIRECTIONS[8][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}};

/* The specification: step by step along some of the directions. */
static uint64_t walk(int square, uint64_t occ, int from, int to) {
    uint64_t attacks = 0;
    for (int at = from; at < to; at++) {
        int file = square % 8 + DIRECTIONS[at][0], rank = square / 8 + DIRECTIONS[at][1];
        while (file >= 0 && file < 8 && rank >= 0 && rank < 8) {
            uint64_t here = (uint64_t)1 << (8 * rank + file);
            attacks |= here;
            if (occ & here) {
                break;
            }
            file += DIRECTIONS[at][0];
            rank += DIRECTIONS[at][1];
        }
    }
    return attacks;
}

static uint64_t slider_attacks(sla_slider slider, int square, uint64_t occ) {
    return walk(square, occ, slider == SLA_BISHOP ? 4 : 0, slider == SLA_ROOK ? 4 : 8);
}

#ifndef WITHOUT_PRODUCTS
static uint64_t leaps(int square, const int (*leap)[2], int count) {
    uint64_t attacks = 0;
    for (int at = 0; at < count; at++) {
        int file = square % 8 + leap[at][0], rank = square / 8 + leap[at][1];
        if (file >= 0 && file < 8 && rank >= 0 && rank < 8) {
            attacks |= (uint64_t)1 << (8 * rank + file);
        }
    }
    return attacks;
}

/* What a piece attacks: pawn, knight, bishop, rook, queen, king. */
static uint64_t piece_attacks(int color, int piece, int square, uint64_t occ) {
    static const int KNIGHT[8][2] = {{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}};
    static const int PAWN[2][2][2] = {{{-1, 1}, {1, 1}}, {{-1, -1}, {1, -1}}};
    switch (piece) {
    case 0: return leaps(square, PAWN[color], 2);
    case 1: return leaps(square, KNIGHT, 8);
    case 5: return leaps(square, DIRECTIONS, 8);
    default: return slider_attacks((sla_slider)(piece - 2), square, occ);
    }
}
#endif

/* Memory whose last byte is the last one that can be touched. */
static void *at_the_end(size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (bytes + page - 1) / page + 1;
    char *memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    CHECK(mprotect(memory + (pages - 1) * page, page, PROT_NONE) == 0);
    return memory + (pages - 1) * page - bytes;
}

static void versions_and_names(void) {
    CHECK(sla_abi() == SLA_ABI);
    CHECK(strchr(sla_version(), '.'));
    CHECK(strcmp(sla_error_message(), "") == 0);
    sla_backend backend = 99;
    CHECK(sla_backend_count() >= 1);
    for (sla_backend number = 0; number <= sla_backend_count(); number++) {
        OK(sla_backend_find(sla_backend_name(number), &backend));
        CHECK(backend == number || number == SLA_BACKEND_ACTIVE);
        CHECK(strcmp(sla_backend_name(backend), sla_backend_name(number)) == 0);
    }
    CHECK(strcmp(sla_backend_name(1), "scalar") == 0);
    CHECK(!sla_backend_name(sla_backend_count() + 1) && !sla_backend_name(UINT32_MAX));
    backend = 99;
    FAILS(SLA_ERROR_UNKNOWN, "found \"avx3\"", sla_backend_find("avx3", &backend));
    FAILS(SLA_ERROR_UNKNOWN, "expected one of scalar", sla_backend_find("", &backend));
    FAILS(SLA_ERROR_UNKNOWN, "expected", sla_backend_find("\xff\xfe", &backend));
    char longer[5000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    FAILS(SLA_ERROR_UNKNOWN, "xxx", sla_backend_find(longer, &backend));
    FAILS(SLA_ERROR_NULL, "name is null", sla_backend_find(NULL, &backend));
    FAILS(SLA_ERROR_NULL, "backend is null", sla_backend_find("scalar", NULL));
    CHECK(backend == 99);
}

enum { MOST = 150 };

static void pairs_and_sets(void) {
    for (sla_backend backend = 0; backend <= sla_backend_count(); backend++) {
        for (size_t count = 0; count <= MOST; count++) {
            uint8_t *squares = at_the_end(count);
            uint64_t *occs = at_the_end(8 * count), *out = at_the_end(8 * count);
            uint64_t *orthogonal = at_the_end(8 * count), *diagonal = at_the_end(8 * count);
            struct record { uint8_t square; uint64_t occ, attacks; } records[MOST];
            for (size_t i = 0; i < count; i++) {
                squares[i] = random_bits() & 63;
                occs[i] = random_bits() & random_bits();
                orthogonal[i] = random_bits() & random_bits() & random_bits();
                diagonal[i] = random_bits() & random_bits() & random_bits();
                records[i] = (struct record){squares[i], occs[i], 0};
            }
            for (sla_slider slider = SLA_BISHOP; slider <= SLA_QUEEN; slider++) {
                OK(sla_attacks(backend, slider, squares, occs, out, count));
                OK(sla_attacks_strided(backend, slider, &records->square, sizeof *records, &records->occ, sizeof *records,
                                       &records->attacks, sizeof *records, count));
                for (size_t i = 0; i < count; i++) {
                    CHECK(out[i] == slider_attacks(slider, squares[i], occs[i]));
                    CHECK(records[i].attacks == out[i]);
                }
                /* One board for all squares; results in the place of the occupancies. */
                OK(sla_attacks_strided(backend, slider, squares, 1, occs, 0, out, 8, count));
                for (size_t i = 0; i < count; i++) {
                    CHECK(out[i] == slider_attacks(slider, squares[i], occs[0]));
                    out[i] = occs[i];
                }
                OK(sla_attacks_strided(backend, slider, squares, 1, out, 8, out, 8, count));
                for (size_t i = 0; i < count; i++) {
                    CHECK(out[i] == slider_attacks(slider, squares[i], occs[i]));
                }
            }
            uint64_t twice[2 * MOST];
            OK(sla_attack_sets(backend, orthogonal, diagonal, occs, out, count));
            OK(sla_attack_sets_strided(backend, orthogonal, 8, diagonal, 8, occs, 8, twice, 16, count));
            for (size_t i = 0; i < count; i++) {
                uint64_t attacks = 0;
                for (int square = 0; square < 64; square++) {
                    attacks |= orthogonal[i] >> square & 1 ? walk(square, occs[i], 0, 4) : 0;
                    attacks |= diagonal[i] >> square & 1 ? walk(square, occs[i], 4, 8) : 0;
                }
                CHECK(out[i] == attacks && twice[2 * i] == attacks);
                CHECK(sla_set_attacks(orthogonal[i], diagonal[i], occs[i]) == attacks);
            }
        }
    }
    for (int i = 0; i < 10000; i++) {
        uint8_t square = (uint8_t)random_bits();
        uint64_t occ = random_bits() & random_bits();
        CHECK(sla_bishop_attacks(square, occ) == slider_attacks(SLA_BISHOP, square & 63, occ));
        CHECK(sla_rook_attacks(square, occ) == slider_attacks(SLA_ROOK, square & 63, occ));
        CHECK(sla_queen_attacks(square, occ) == slider_attacks(SLA_QUEEN, square & 63, occ));
    }
}

static void what_pairs_refuse(void) {
    enum { COUNT = 300 };
    static uint8_t squares[COUNT];
    static uint64_t memory[2 * COUNT], *occs = memory, out[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        out[i] = i;
    }
    uint64_t *odd = (uint64_t *)((char *)memory + 4);
    FAILS(SLA_ERROR_NULL, "squares is null", sla_attacks(0, 2, NULL, occs, out, COUNT));
    FAILS(SLA_ERROR_NULL, "occs is null", sla_attacks(0, 2, squares, NULL, out, COUNT));
    FAILS(SLA_ERROR_NULL, "out is null", sla_attacks(0, 2, squares, occs, NULL, COUNT));
    FAILS(SLA_ERROR_ALIGNMENT, "occs is not aligned to 8", sla_attacks(0, 2, squares, odd, out, 3));
    FAILS(SLA_ERROR_ALIGNMENT, "out is not aligned to 8", sla_attacks(0, 2, squares, memory, (uint64_t *)((char *)out + 1), 3));
    FAILS(SLA_ERROR_LENGTH, "too long", sla_attacks(0, 2, squares, occs, out, SIZE_MAX / 8));
    FAILS(SLA_ERROR_LENGTH, "too long", sla_attacks_strided(0, 2, squares, 1, occs, 8, out, 8, SIZE_MAX));
    FAILS(SLA_ERROR_LENGTH, "too long", sla_attacks_strided(0, 2, squares, SIZE_MAX, occs, 8, out, 8, 3));
    FAILS(SLA_ERROR_STRIDE, "stride of 0", sla_attacks_strided(0, 2, squares, 1, occs, 8, out, 0, 3));
    FAILS(SLA_ERROR_STRIDE, "stride of 12", sla_attacks_strided(0, 2, squares, 1, occs, 8, out, 12, 3));
    CHECK(sla_attacks(0, 2, squares, occs, out, SIZE_MAX) != SLA_OK);
    FAILS(SLA_ERROR_OVERLAP, "occs and out", sla_attacks(0, 2, squares, memory, memory, COUNT));
    FAILS(SLA_ERROR_OVERLAP, "occs and out", sla_attacks(0, 2, squares, memory, memory + COUNT - 1, COUNT));
    FAILS(SLA_ERROR_OVERLAP, "occs and out", sla_attacks(0, 2, squares, memory + COUNT - 1, memory, COUNT));
    FAILS(SLA_ERROR_OVERLAP, "squares and out", sla_attacks(0, 2, (uint8_t *)memory + 100, occs, memory, COUNT));
    FAILS(SLA_ERROR_OVERLAP, "diagonal and out", sla_attack_sets(0, occs, out, occs, out, COUNT));
    FAILS(SLA_ERROR_UNKNOWN, "backend", sla_attacks(99, 2, squares, occs, out, COUNT));
    FAILS(SLA_ERROR_UNKNOWN, "slider from 0 to 2, found 3", sla_attacks(0, 3, squares, occs, out, COUNT));
    FAILS(SLA_ERROR_NULL, "diagonal is null", sla_attack_sets(0, occs, NULL, occs, out, COUNT));
    for (size_t wrong = 0; wrong < COUNT; wrong++) {
        char text[80];
        squares[wrong] = (uint8_t)(64 + wrong % 192);
        snprintf(text, sizeof text, "square %d at index %zu is not on the board", squares[wrong], wrong);
        FAILS(SLA_ERROR_SQUARE, text, sla_attacks(0, 2, squares, occs, out, COUNT));
        FAILS(SLA_ERROR_SQUARE, text, sla_attacks_strided(0, 2, squares, 1, occs, 8, out, 8, COUNT));
        squares[wrong] = 0;
    }
    for (size_t i = 0; i < COUNT; i++) {
        CHECK(out[i] == i);
    }
    /* Nothing is fine, wherever it is. */
    OK(sla_attacks(0, 2, NULL, NULL, NULL, 0));
    OK(sla_attacks(0, 2, squares, odd, odd, 0));
    OK(sla_attacks_strided(0, 2, NULL, 1, NULL, 8, NULL, 8, 0));
    OK(sla_attack_sets(0, NULL, NULL, NULL, NULL, 0));
    OK(sla_attacks(0, 2, squares, memory, memory + COUNT, COUNT)); /* side by side */
}

/* Any arguments: an error changes nothing, and a result changes nothing but its place, and is right. */
static void any_arguments(void) {
    enum { SIZE = 4096, ROUNDS = 100000 };
    static alignas(64) unsigned char arena[SIZE], before[SIZE];
    int done = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < SIZE; i += 8) {
            uint64_t bits = random_bits() & 0x3f3f3f3f3f3f3f3f; /* squares, wherever they are read */
            memcpy(arena + i, &bits, 8);
        }
        arena[random_bits() % SIZE] = (unsigned char)random_bits();
        memcpy(before, arena, SIZE);
        unsigned char *at[3];
        size_t stride[3], count = random_bits() % 40;
        for (int i = 0; i < 3; i++) {
            at[i] = arena + random_bits() % (SIZE / 4) / 8 * 8 + (size_t)i * SIZE / 4 * (random_bits() % 8 ? 1 : 0) + (random_bits() % 16 ? 0 : 1);
            at[i] = random_bits() % 32 ? at[i] : NULL;
            stride[i] = random_bits() % 4 * 8 + (random_bits() % 16 ? 0 : 1);
        }
        sla_backend backend = (sla_backend)(random_bits() % (sla_backend_count() + 1) + (random_bits() % 32 ? 0 : 100));
        sla_slider slider = (sla_slider)(random_bits() % 3 + (random_bits() % 32 ? 0 : 3));
        bool strided = random_bits() & 1;
        uint64_t *out = (uint64_t *)(void *)at[2];
        sla_status status =
            strided ? sla_attacks_strided(backend, slider, at[0], stride[0], (uint64_t *)(void *)at[1], stride[1], out, stride[2], count)
                    : sla_attacks(backend, slider, at[0], (uint64_t *)(void *)at[1], out, count);
        if (!strided) {
            stride[0] = 1;
            stride[1] = stride[2] = 8;
        }
        if (status != SLA_OK) {
            /* But for an output in the place of later squares, which the header leaves to the caller. */
            bool own_fault = strided && status == SLA_ERROR_SQUARE;
            CHECK((own_fault || memcmp(arena, before, SIZE) == 0) && sla_error_message()[0]);
            continue;
        }
        done += count > 0;
        bool apart = true;
        for (int i = 0; i < 2 && count > 0; i++) {
            bool is_before = at[i] + (count - 1) * stride[i] + (i ? 8 : 1) <= at[2];
            apart = apart && (is_before || at[2] + (count - 1) * stride[2] + 8 <= at[i]);
        }
        CHECK(apart || strided || count == 0);
        for (size_t i = 0; i < count; i++) {
            uint64_t occ, attacks;
            memcpy(&occ, before + (at[1] - arena) + i * stride[1], 8);
            memcpy(&attacks, at[2] + i * stride[2], 8);
            CHECK(!apart || attacks == slider_attacks(slider, before[(size_t)(at[0] - arena) + i * stride[0]], occ));
            memcpy(before + (at[2] - arena) + i * stride[2], &attacks, 8);
        }
        CHECK(memcmp(arena, before, SIZE) == 0);
    }
    CHECK(done > ROUNDS / 4);
}

static sla_positions *read_positions(const char *text, size_t length) {
    sla_positions *positions;
    OK(sla_positions_new(&positions));
    OK(sla_positions_read(positions, SLA_BACKEND_ACTIVE, text, length));
    return positions;
}

static void positions_and_text(const sla_positions *sample) {
    static const char TEXT[] = "# three\r\n\nrnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1\r\n"
                               "4k2r/8/8/8/8/8/8/1R2K3 w Bk - bm Rb8;\n4k3/8/8/8/8/8/8/4K3 w - -";
    static const char *const FENS[] = {"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3",
                                       "4k2r/8/8/8/8/8/8/1R2K3 w Bk -", "4k3/8/8/8/8/8/8/4K3 w - -"};
    size_t length = sizeof TEXT - 1;
    char *text = memcpy(at_the_end(length), TEXT, length); /* no null byte after it */
    sla_positions *positions = read_positions(text, length), *copies;
    CHECK(sla_positions_count(positions) == 3 && sla_positions_count(NULL) == 0);

    struct { uint64_t boards[SLA_BOARDS]; char more[8]; } records[3];
    uint64_t planes[SLA_BOARDS][3], castling[3];
    uint8_t en_passant[3];
    sla_color side[3];
    OK(sla_positions_get(positions, 0, 3, records->boards, sizeof *records, 8, side, castling, en_passant));
    OK(sla_positions_get(positions, 0, 3, *planes, 8, sizeof *planes, NULL, NULL, NULL));
    CHECK(records[0].boards[0] == 0x1000ef00 && records[0].boards[11] == (uint64_t)1 << 60);
    CHECK(side[0] == SLA_BLACK && side[1] == SLA_WHITE);
    CHECK(castling[0] == 0x8100000000000081 && castling[1] == 0x8000000000000002 && castling[2] == 0);
    CHECK(en_passant[0] == 20 && en_passant[1] == SLA_NO_SQUARE);
    for (int i = 0; i < 3; i++) {
        char fen[96];
        for (int board = 0; board < SLA_BOARDS; board++) {
            CHECK(planes[board][i] == records[i].boards[board]);
        }
        OK(sla_positions_fen(positions, (size_t)i, fen, sizeof fen, &length));
        CHECK(strcmp(fen, FENS[i]) == 0 && length == strlen(fen));
        memset(fen, 'x', sizeof fen);
        FAILS(SLA_ERROR_ROOM, "capacity", sla_positions_fen(positions, (size_t)i, fen, length, &length));
        CHECK(length == strlen(FENS[i]) && fen[0] == 'x');
    }

    /* Back from both layouts. */
    OK(sla_positions_new(&copies));
    OK(sla_positions_add(copies, records->boards, sizeof *records, 8, side, castling, en_passant, 3));
    OK(sla_positions_add(copies, *planes, 8, sizeof *planes, NULL, NULL, NULL, 3));
    for (size_t i = 0; i < 6; i++) {
        char fen[96], expected[96];
        OK(sla_positions_fen(copies, i, fen, sizeof fen, &length));
        snprintf(expected, sizeof expected, "%s", FENS[i % 3]);
        if (i >= 3) {
            snprintf(strchr(expected, ' '), 10, " w - -");
        }
        CHECK(strcmp(fen, expected) == 0);
    }

    /* A mistake leaves all as it was. */
    const char *wrong = "4k3/8/8/8/8/8/8/4K3 w - -\n4k3/8/8/8/8/8/8/4K3 \xff - -\n";
    FAILS(SLA_ERROR_POSITION, "line 2, column 21: expected w or b", sla_positions_read(copies, 0, wrong, strlen(wrong)));
    FAILS(SLA_ERROR_NULL, "text is null", sla_positions_read(copies, 0, NULL, 1));
    FAILS(SLA_ERROR_LENGTH, "too long", sla_positions_read(copies, 0, wrong, SIZE_MAX));
    FAILS(SLA_ERROR_UNKNOWN, "backend", sla_positions_read(copies, 77, wrong, 5));
    FAILS(SLA_ERROR_NULL, "positions is null", sla_positions_read(NULL, 0, wrong, 5));
    FAILS(SLA_ERROR_ALIGNMENT, "positions is not", sla_positions_read((sla_positions *)((char *)copies + 1), 0, wrong, 5));
    OK(sla_positions_read(copies, 0, NULL, 0));
    side[2] = 2;
    FAILS(SLA_ERROR_SIDE, "position 2: expected a side to move", sla_positions_add(copies, *planes, 8, sizeof *planes, side, NULL, NULL, 3));
    CHECK(sla_error_index() == 2);
    castling[1] = 0x8000000000000002 | (uint64_t)1 << 28;
    FAILS(SLA_ERROR_CASTLING, "position 1: expected rooks", sla_positions_add(copies, *planes, 8, sizeof *planes, NULL, castling, NULL, 3));
    CHECK(sla_error_index() == 1);
    en_passant[2] = 65;
    FAILS(SLA_ERROR_EN_PASSANT, "position 2: en passant square 65", sla_positions_add(copies, *planes, 8, sizeof *planes, NULL, NULL, en_passant, 3));
    en_passant[2] = 63;
    FAILS(SLA_ERROR_EN_PASSANT, "position 2: expected an en passant", sla_positions_add(copies, *planes, 8, sizeof *planes, NULL, NULL, en_passant, 3));
    planes[11][1] = 0;
    FAILS(SLA_ERROR_POSITION, "position 1: expected one black king", sla_positions_add(copies, *planes, 8, sizeof *planes, NULL, NULL, NULL, 3));
    CHECK(sla_error_index() == 1);
    FAILS(SLA_ERROR_NULL, "boards is null", sla_positions_add(copies, NULL, 8, 24, NULL, NULL, NULL, 3));
    FAILS(SLA_ERROR_LENGTH, "too long", sla_positions_add(copies, *planes, 8, SIZE_MAX / 2 + 1, NULL, NULL, NULL, 3));
    FAILS(SLA_ERROR_LENGTH, "too long", sla_positions_add(copies, *planes, SIZE_MAX / 4, 24, NULL, NULL, NULL, SIZE_MAX));
    CHECK(sla_error_index() == SIZE_MAX);
    FAILS(SLA_ERROR_STRIDE, "boards", sla_positions_add(copies, *planes, 8, 9, NULL, NULL, NULL, 3));
    FAILS(SLA_ERROR_STRIDE, "boards", sla_positions_add(copies, *planes, 7, 24, NULL, NULL, NULL, 3));
    FAILS(SLA_ERROR_STRIDE, "boards", sla_positions_get(positions, 0, 3, *planes, 8, 0, NULL, NULL, NULL));
    FAILS(SLA_ERROR_STRIDE, "boards", sla_positions_get(positions, 0, 3, *planes, 0, 24, NULL, NULL, NULL));
    FAILS(SLA_ERROR_LENGTH, "3 positions from 1 on exceed the 3 that it has", sla_positions_get(positions, 1, 3, *planes, 8, 24, NULL, NULL, NULL));
    FAILS(SLA_ERROR_LENGTH, "positions", sla_positions_get(positions, SIZE_MAX, 2, *planes, 8, 24, NULL, NULL, NULL));
    FAILS(SLA_ERROR_LENGTH, "positions", sla_positions_fen(positions, 3, (char *)planes, 96, &length));
    FAILS(SLA_ERROR_NULL, "length is null", sla_positions_fen(positions, 0, (char *)planes, 96, NULL));
    FAILS(SLA_ERROR_NULL, "positions is null", sla_positions_new(NULL));
    CHECK(sla_positions_count(copies) == 6);
    FAILS(SLA_ERROR_LENGTH, "positions", sla_positions_truncate(copies, 7));
    OK(sla_positions_truncate(copies, 1));
    CHECK(sla_positions_count(copies) == 1);
    sla_positions_free(copies);
    sla_positions_free(positions);
    sla_positions_free(NULL);

    /* Outputs that share memory are refused, and others are not, whatever their strides. */
    enum { WORDS = 64 };
    uint64_t room[WORDS * 8];
    int shared = 0, separate = 0;
    for (int turn = 0; turn < 200000; turn++) {
        size_t position_stride = 8 * (1 + random_bits() % 16), board_stride = 8 * (1 + random_bits() % 16);
        size_t count = 1 + random_bits() % 3, starts[3], bytes[3] = {1, 8, 1};
        unsigned char taken[sizeof room] = {0}, *out = (unsigned char *)room;
        int overlap = 0;
        for (size_t i = 0; i < count; i++) {
            for (size_t board = 0; board < SLA_BOARDS; board++) {
                for (size_t at = 0; at < 8; at++) {
                    overlap |= taken[i * position_stride + board * board_stride + at]++;
                }
            }
        }
        for (int output = 0; output < 3; output++) {
            starts[output] = random_bits() % 4 ? random_bits() % (sizeof room / 2 / bytes[output]) * bytes[output] : SIZE_MAX;
            for (size_t at = 0; starts[output] != SIZE_MAX && at < count * bytes[output]; at++) {
                overlap |= taken[starts[output] + at]++;
            }
        }
        memset(room, 0x55, sizeof room);
        sla_status status = sla_positions_get(sample, 0, count, room, position_stride, board_stride,
            starts[0] == SIZE_MAX ? NULL : out + starts[0], starts[1] == SIZE_MAX ? NULL : room + starts[1] / 8,
            starts[2] == SIZE_MAX ? NULL : out + starts[2]);
        CHECK(status == (overlap ? SLA_ERROR_OVERLAP : SLA_OK));
        if (overlap) {
            CHECK(strstr(sla_error_message(), "overlap") != NULL);
            for (size_t at = 0; at < sizeof room / sizeof *room; at++) {
                CHECK(room[at] == 0x5555555555555555);
            }
            shared++;
        } else {
            separate++;
        }
    }
    CHECK(shared > 1000 && separate > 1000);
    FAILS(SLA_ERROR_OVERLAP, "castling and en_passant", sla_positions_get(sample, 0, 2, room, 96, 8, NULL, room + 24, (uint8_t *)(room + 26) - 1));
    OK(sla_positions_get(sample, 0, 2, room, 96, 8, NULL, room + 24, (uint8_t *)(room + 26)));

    /* Any bytes are read, or refused with a place. */
    OK(sla_positions_new(&positions));
    for (int i = 0; i < 20000; i++) {
        char fen[96];
        OK(sla_positions_fen(sample, random_bits() % sla_positions_count(sample), fen, sizeof fen, &length));
        for (int change = 0; change < 1 + i % 3; change++) {
            fen[random_bits() % length] = (char)random_bits();
        }
        sla_backend backend = (sla_backend)(random_bits() % (sla_backend_count() + 1));
        size_t before = sla_positions_count(positions);
        sla_status status = sla_positions_read(positions, backend, fen, length);
        CHECK(status == SLA_OK || (status == SLA_ERROR_POSITION && strstr(sla_error_message(), "column ")));
        CHECK(status == SLA_OK || sla_positions_count(positions) == before);
    }
    sla_positions_free(positions);
}

/* A structure as a program may have it, with other members between. */
struct board {
    uint64_t pieces[SLA_BOARDS], castling;
    uint8_t en_passant, side, more[6];
};

enum { BOARDS = 4201 }; /* more than are viewed at a time */

static void fill_boards(const sla_positions *sample, struct board boards[BOARDS]) {
    size_t count = sla_positions_count(sample);
    for (size_t i = 0; i < BOARDS; i++) {
        struct board *one = &boards[i];
        OK(sla_positions_get(sample, i % count, 1, one->pieces, sizeof *one, 8, &one->side, &one->castling, &one->en_passant));
    }
}

static sla_board_view view_of(const struct board *boards, size_t count) {
    sla_board_view view = {.count = count, .boards = boards->pieces, .position_stride = sizeof *boards, .board_stride = 8};
    view.side_to_move = &boards->side;
    view.castling = &boards->castling;
    view.en_passant = &boards->en_passant;
    view.side_stride = view.castling_stride = view.en_passant_stride = sizeof *boards;
    return view;
}

/* All of a handle's text. */
static void same_positions(const sla_positions *one, size_t first, const sla_positions *other, size_t first_other, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char text[2][96];
        size_t length;
        OK(sla_positions_fen(one, first + i, text[0], 96, &length));
        OK(sla_positions_fen(other, first_other + i, text[1], 96, &length));
        CHECK(strcmp(text[0], text[1]) == 0);
    }
}

/* Structures and separate arrays are the same positions; each wrong member has its code and its index. */
static void views(const sla_positions *sample) {
    static struct board boards[BOARDS];
    static uint64_t arrays[SLA_BOARDS][BOARDS];
    const uint64_t *starts[SLA_BOARDS];
    size_t count = sla_positions_count(sample);
    sla_positions *copies;
    fill_boards(sample, boards);
    OK(sla_positions_new(&copies));
    sla_board_view view = view_of(boards, BOARDS);
    OK(sla_positions_add_view(copies, &view));
    for (size_t i = 0; i + count <= BOARDS; i += count) {
        same_positions(copies, i, sample, 0, count);
    }
    for (size_t board = 0; board < SLA_BOARDS; board++) {
        starts[board] = arrays[board];
        for (size_t i = 0; i < BOARDS; i++) {
            arrays[board][i] = boards[i].pieces[board];
        }
    }
    view.boards = NULL;
    view.arrays = starts;
    view.position_stride = 8;
    OK(sla_positions_add_view(copies, &view));
    same_positions(copies, 0, copies, BOARDS, BOARDS);
    starts[7] = NULL;
    FAILS(SLA_ERROR_NULL, "boards is null", sla_positions_add_view(copies, &view));
    FAILS(SLA_ERROR_NULL, "view is null", sla_positions_add_view(copies, NULL));

    /* The first wrong one of several, wherever it is. */
    view = view_of(boards, BOARDS);
    for (int turn = 0; turn < 100; turn++) {
        size_t wrong = random_bits() % BOARDS, later = wrong + random_bits() % (BOARDS - wrong);
        struct board before = boards[wrong], before_later = boards[later];
        sla_status expected;
        boards[later].side = 2;
        switch (turn % 5) {
        case 0: boards[wrong].side = 5; expected = SLA_ERROR_SIDE; break;
        case 1: boards[wrong].castling |= 0x100; expected = SLA_ERROR_CASTLING; break;
        case 2: boards[wrong].en_passant = turn % 2 ? 65 : 8; expected = SLA_ERROR_EN_PASSANT; break;
        case 3: boards[wrong].pieces[0] |= boards[wrong].pieces[5]; expected = SLA_ERROR_POSITION; break;
        default: boards[wrong].pieces[11] = 0; expected = SLA_ERROR_POSITION;
        }
        if (wrong == later) {
            expected = SLA_ERROR_SIDE;
        }
        CHECK(sla_positions_add_view(copies, &view) == expected);
        CHECK(sla_error_index() == wrong && sla_positions_count(copies) == 2 * BOARDS);

        sla_bad_row bad[2];
        size_t total = 0;
        OK(sla_positions_add_valid(copies, &view, turn % 2 ? SLA_ON_ERROR_KEEP : SLA_ON_ERROR_SKIP, bad, 1 + (size_t)turn % 2, &total));
        CHECK(total == 1 + (wrong != later) && bad[0].index == wrong && bad[0].status == expected && bad[0].column == 0);
        CHECK(bad[0].position == 2 * BOARDS + wrong);
        CHECK(sla_positions_count(copies) == 3 * BOARDS - (turn % 2 ? 0 : total));
        if (turn % 2 && total == 2) {
            CHECK(bad[1].index == later && bad[1].status == SLA_ERROR_SIDE && bad[1].position == 2 * BOARDS + later);
        }
        same_positions(copies, 0, copies, 2 * BOARDS, wrong);
        same_positions(copies, later + 1, copies, sla_positions_count(copies) - (BOARDS - 1 - later), BOARDS - 1 - later);
        OK(sla_positions_truncate(copies, 2 * BOARDS));
        boards[later] = before_later;
        boards[wrong] = before;
    }
    sla_positions_free(copies);
}

/* Lines that are no positions are listed, and the others are read. */
static void bad_lines(void) {
    static const char TEXT[] = "\xef\xbb\xbf" "4k3/8/8/8/8/8/8/R3K3 w Q -\n# none\r\n\r\nnonsense\r4k3/8/8/8/8/8/8/4K3 x - -\n"
                               "  \n4k3/8/8/8/8/8/8/4K2R w K -\nend";
    for (sla_on_error mode = SLA_ON_ERROR_SKIP; mode <= SLA_ON_ERROR_KEEP; mode++) {
        sla_positions *positions;
        sla_bad_row bad[3];
        size_t total = 0, length, kept = mode == SLA_ON_ERROR_KEEP ? 1 : 0;
        char fen[96];
        OK(sla_positions_new(&positions));
        OK(sla_positions_read_valid(positions, 0, TEXT, sizeof TEXT - 1, mode, bad, 3, &total));
        CHECK(total == 3 && sla_positions_count(positions) == 2 + 3 * kept);
        CHECK(bad[0].index == 3 && bad[0].column == 2 && bad[0].position == 1 && bad[0].status == SLA_ERROR_POSITION);
        CHECK(bad[1].index == 4 && bad[1].column == 21 && bad[1].position == 1 + kept);
        CHECK(bad[2].index == 7 && bad[2].position == 2 + 2 * kept);
        OK(sla_positions_fen(positions, 1 + 2 * kept, fen, sizeof fen, &length));
        CHECK(strcmp(fen, "4k3/8/8/8/8/8/8/4K2R w K -") == 0);
        if (kept) {
            OK(sla_positions_fen(positions, 4, fen, sizeof fen, &length));
            CHECK(strcmp(fen, "k7/8/8/8/8/8/8/7K w - -") == 0);
        }
        OK(sla_positions_read_valid(positions, 0, TEXT, sizeof TEXT - 1, mode, NULL, 0, &total));
        CHECK(total == 3);
        FAILS(SLA_ERROR_UNKNOWN, "found 2", sla_positions_read_valid(positions, 0, TEXT, sizeof TEXT - 1, 2, bad, 3, &total));
        FAILS(SLA_ERROR_POSITION, "line 4", sla_positions_read(positions, 0, TEXT, sizeof TEXT - 1));
        CHECK(sla_error_index() == 3);
        sla_positions_free(positions);
    }
}

#ifndef WITHOUT_PRODUCTS
static size_t bytes_of(sla_column column) {
    sla_column_info info;
    OK(sla_column_get(column, &info));
    return info.bytes;
}

static sla_status compute(const sla_positions *positions, size_t first, size_t count, sla_column column,
                          const sla_options *options, void *out, size_t stride) {
    switch (bytes_of(column)) {
    case 8: return sla_column_boards(positions, first, count, column, options, out, stride);
    case 64: return sla_column_numbers(positions, first, count, column, options, out, stride);
    case 512: return sla_column_sets(positions, first, count, column, options, out, stride);
    default: return sla_column_number(positions, first, count, column, options, out, stride);
    }
}

static sla_column named(const char *name) {
    sla_column column;
    OK(sla_column_find(name, &column));
    return column;
}

static void products(const sla_positions *positions) {
    size_t count = sla_positions_count(positions);
    CHECK(count > 100);
    for (sla_column column = 0; column < sla_column_count(); column++) {
        sla_column_info info;
        OK(sla_column_get(column, &info));
        CHECK(named(info.name) == column && info.product[0] && info.meaning[0]);
        if (info.kind == SLA_KIND_THREATS || info.kind == SLA_KIND_MOVES) {
            uint64_t out;
            CHECK(info.bytes == 0);
            FAILS(SLA_ERROR_KIND, "a list of", sla_column_boards(positions, 0, 1, column, NULL, &out, 8));
            FAILS(SLA_ERROR_KIND, "no sum", sla_summarize(positions, 0, 1, column, NULL, NULL, 1, &out, &out));
            continue;
        }
        size_t stride = info.bytes + 16;
        unsigned char *all = malloc(count * info.bytes), *one = malloc(count * info.bytes), *apart = malloc(count * stride);
        OK(compute(positions, 0, count, column, NULL, all, info.bytes));
        for (sla_backend backend = 1; backend <= sla_backend_count(); backend++) {
            sla_options options = {.backend = backend};
            memset(apart, 0xaa, count * stride);
            OK(compute(positions, 0, count, column, &options, one, info.bytes));
            CHECK(memcmp(all, one, count * info.bytes) == 0);
            OK(compute(positions, 0, count, column, &options, apart, stride));
            for (size_t i = 0; i < count; i++) {
                CHECK(memcmp(apart + i * stride, all + i * info.bytes, info.bytes) == 0);
                for (size_t gap = info.bytes; gap < stride; gap++) {
                    CHECK(apart[i * stride + gap] == 0xaa);
                }
            }
        }
        for (size_t first = 0; first < count; first += 37) {
            size_t some = random_bits() % (count - first + 1);
            OK(compute(positions, first, some, column, NULL, one, info.bytes));
            CHECK(memcmp(one, all + first * info.bytes, some * info.bytes) == 0);
        }
        if (info.kind == SLA_KIND_KEY || info.kind == SLA_KIND_SETS) {
            uint64_t out = 7;
            FAILS(SLA_ERROR_KIND, "no sum", sla_summarize(positions, 0, 1, column, NULL, NULL, 1, &out, NULL));
            CHECK(out == 7);
            free(all);
            free(one);
            free(apart);
            continue;
        }
        /* The sums of the values, by group. */
        enum { GROUPS = 5 };
        size_t squares = info.kind == SLA_KIND_NUMBER ? 1 : 64;
        uint64_t present[GROUPS * 64], sum[GROUPS * 64], expected[2][GROUPS * 64];
        uint32_t *groups = malloc(count * sizeof *groups);
        for (size_t i = 0; i < GROUPS * squares; i++) {
            present[i] = sum[i] = expected[0][i] = expected[1][i] = 1000 + i; /* what was there stays */
        }
        for (size_t i = 0; i < count; i++) {
            groups[i] = (uint32_t)(random_bits() % GROUPS);
            for (size_t square = 0; square < squares; square++) {
                uint64_t value = 0;
                memcpy(&value, all + i * info.bytes + (squares == 64 && info.bytes == 64 ? square : 0), info.bytes == 64 ? 1 : info.bytes);
                value = info.kind == SLA_KIND_BOARD ? value >> square & 1 : value;
                expected[0][groups[i] * squares + square] += value > 0;
                expected[1][groups[i] * squares + square] += value;
            }
        }
        OK(sla_summarize(positions, 0, count, column, NULL, groups, GROUPS, present, sum));
        CHECK(memcmp(present, expected[0], GROUPS * squares * 8) == 0);
        CHECK(memcmp(sum, expected[1], GROUPS * squares * 8) == 0);
        OK(sla_summarize(positions, 0, count, column, NULL, groups, GROUPS, NULL, sum));
        OK(sla_summarize(positions, 0, count, column, NULL, groups, GROUPS, present, NULL));
        OK(sla_summarize(positions, 0, 0, column, NULL, NULL, 0, NULL, NULL));
        uint64_t total[64] = {0};
        OK(sla_summarize(positions, 0, count, column, NULL, NULL, 1, NULL, total));
        for (size_t square = 0; square < squares; square++) {
            uint64_t parts = 0;
            for (size_t group = 0; group < GROUPS; group++) {
                parts += expected[1][group * squares + square] - 1000 - (group * squares + square);
            }
            CHECK(total[square] == parts);
        }
        /* A group too many, in the last position. */
        memcpy(expected[0], present, sizeof present);
        groups[count - 1] = GROUPS;
        FAILS(SLA_ERROR_GROUP, "group 5 at index", sla_summarize(positions, 0, count, column, NULL, groups, GROUPS, present, sum));
        CHECK(memcmp(present, expected[0], GROUPS * squares * 8) == 0);
        free(groups);
        free(apart);
        free(one);
        free(all);
    }
}

/* Attack maps of boards of the caller, of any layout and length, are those of positions, and nothing is written unless all boards are
   right. */
static void view_maps(const sla_positions *sample) {
    static struct board boards[BOARDS];
    static uint64_t arrays[SLA_BOARDS][BOARDS], maps[2][3 * BOARDS], expected[2][BOARDS];
    const sla_column columns[2] = {named("white_attacks"), named("black_attacks")};
    sla_positions *copies;
    fill_boards(sample, boards);
    OK(sla_positions_new(&copies));
    for (size_t count = 1; count <= BOARDS; count += count < 67 ? 1 : 1000) {
        for (size_t turn = 0; turn < 24; turn++) {
            size_t first = random_bits() % (BOARDS + 1 - count);
            const uint64_t *starts[SLA_BOARDS];
            for (size_t board = 0; board < SLA_BOARDS; board++) {
                starts[board] = arrays[board];
                for (size_t i = 0; i < count; i++) {
                    arrays[board][i] = boards[first + i].pieces[board];
                }
            }
            sla_board_view view = view_of(boards + first, count);
            if (turn % 4 == 1) { /* no other members */
                view = (sla_board_view){.count = count, .boards = boards[first].pieces, .position_stride = sizeof boards[0], .board_stride = 8};
            } else if (turn % 4 == 2) {
                view.boards = arrays[0];
                view.position_stride = 8;
                view.board_stride = sizeof arrays[0];
            } else if (turn % 4 == 3) {
                view.arrays = starts;
                view.position_stride = 8;
            }
            size_t outputs_of[2] = {turn / 4 % 2, 1 - turn / 4 % 2}, number = 1 + turn / 8 % 2;
            sla_view_output outputs[2];
            size_t words = 1 + turn % 3;
            for (size_t at = 0; at < 2; at++) {
                outputs[at] = (sla_view_output){columns[outputs_of[at]], maps[outputs_of[at]], 8 * words};
            }
            memset(maps, 0x55, sizeof maps);
            sla_positions *scratch = turn % 2 ? copies : NULL;
            OK(sla_view_columns(&view, NULL, outputs, number, scratch));
            CHECK(sla_positions_count(copies) == 0);
            OK(sla_positions_add_view(copies, &view));
            for (size_t color = 0; color < 2; color++) {
                OK(sla_column_boards(copies, 0, count, columns[color], NULL, expected[color], 8));
                for (size_t i = 0; i < 3 * BOARDS; i++) {
                    int is_output = i % words == 0 && i / words < count && (color == outputs_of[0] || number == 2);
                    CHECK(maps[color][i] == (is_output ? expected[color][i / words] : 0x5555555555555555));
                }
            }
            OK(sla_positions_truncate(copies, 0));
            /* A board without a king, or with two pieces on a square. */
            size_t wrong = random_bits() % count, kind = turn % 2 ? 11 : 4;
            uint64_t *bad = turn % 4 < 2 ? &boards[first + wrong].pieces[kind] : &arrays[kind][wrong], before = *bad;
            *bad = turn % 2 ? 0 : boards[first + wrong].pieces[5];
            memset(maps, 0x55, sizeof maps);
            CHECK(sla_view_columns(&view, NULL, outputs, number, scratch) == SLA_ERROR_POSITION && sla_error_index() == wrong);
            for (size_t i = 0; i < 3 * BOARDS; i++) {
                CHECK(maps[0][i] == 0x5555555555555555 && maps[1][i] == 0x5555555555555555);
            }
            *bad = before;
            if (turn % 4 == 0) {
                uint8_t square = boards[first + wrong].en_passant;
                boards[first + wrong].en_passant = 24;
                CHECK(sla_view_columns(&view, NULL, outputs, number, scratch) == SLA_ERROR_EN_PASSANT && sla_error_index() == wrong);
                boards[first + wrong].en_passant = square;
            }
            /* The same column twice. */
            outputs[1].column = outputs[0].column;
            OK(sla_view_columns(&view, NULL, outputs, 2, scratch));
            for (size_t i = 0; i < count; i++) {
                CHECK(maps[0][words * i] == expected[outputs_of[0]][i] && maps[1][words * i] == expected[outputs_of[0]][i]);
            }
            /* Values of one between those of the other, and values where the boards are. */
            for (size_t at = 0; at < 2; at++) {
                outputs[at] = (sla_view_output){columns[at], &maps[0][at], 16};
            }
            OK(sla_view_columns(&view, NULL, outputs, 2, scratch));
            for (size_t i = 0; i < 2 * count; i++) {
                CHECK(maps[0][i] == expected[i % 2][i / 2]);
            }
            outputs[1].values = turn % 4 < 2 ? boards[first].pieces : arrays[0];
            memset(maps, 0x55, sizeof maps);
            CHECK(sla_view_columns(&view, NULL, outputs, 2, scratch) == SLA_ERROR_OVERLAP);
            CHECK(maps[0][0] == 0x5555555555555555);
        }
    }
    sla_positions_free(copies);
}

/* All columns of boards of the caller are those of positions, and nothing is written unless all boards are right. */
static void view_columns(const sla_positions *sample) {
    static struct board boards[BOARDS];
    enum { STRIDE = 520 };
    static const char *const NAMES[] = {"white_attacks", "black_attackers", "legal_moves", "targets", "position_key", "white_wins"};
    sla_view_output outputs[6];
    sla_positions *copies;
    fill_boards(sample, boards);
    OK(sla_positions_new(&copies));
    for (size_t count = 0; count <= BOARDS; count += count < 3 ? 1 : 2099) {
        sla_board_view view = view_of(boards, count);
        OK(sla_positions_add_view(copies, &view));
        for (size_t at = 0; at < 6; at++) {
            outputs[at].column = named(NAMES[at]);
            outputs[at].stride = at % 2 ? STRIDE : bytes_of(outputs[at].column);
            outputs[at].values = at_the_end(count ? STRIDE * count : 8);
        }
        OK(sla_view_columns(&view, NULL, outputs, 6, count % 2 ? copies : NULL));
        if (count % 2) {
            CHECK(sla_positions_count(copies) == 0);
            OK(sla_positions_add_view(copies, &view));
        }
        for (size_t at = 0; at < 6; at++) {
            size_t bytes = bytes_of(outputs[at].column);
            char *expected = malloc(bytes * count + 1);
            OK(compute(copies, 0, count, outputs[at].column, NULL, expected, bytes));
            for (size_t i = 0; i < count; i++) {
                CHECK(memcmp((char *)outputs[at].values + i * outputs[at].stride, expected + i * bytes, bytes) == 0);
            }
            free(expected);
        }
        if (count) {
            uint64_t *maps = outputs[0].values;
            uint8_t side = boards[count - 1].side;
            boards[count - 1].side = 9;
            memset(maps, 0x55, 8 * count);
            FAILS(SLA_ERROR_SIDE, "found 9", sla_view_columns(&view, NULL, outputs, 1, NULL));
            CHECK(sla_error_index() == count - 1 && maps[0] == 0x5555555555555555);
            boards[count - 1].side = side;
        }
        OK(sla_positions_truncate(copies, 0));
    }
    sla_board_view view = view_of(boards, 3);
    outputs[0].column = named("moves");
    FAILS(SLA_ERROR_KIND, "moves", sla_view_columns(&view, NULL, outputs, 1, NULL));
    outputs[0].column = named("white_attacks");
    outputs[0].stride = 7;
    FAILS(SLA_ERROR_STRIDE, "stride of 7", sla_view_columns(&view, NULL, outputs, 1, NULL));
    /* In gaps between the boards is room, whatever the stride; elsewhere is none. */
    static union { uint64_t words[128]; sla_view_output output; } memory;
    static const size_t STRIDES[] = {96, 104, 112, 208};
    sla_board_view gaps = {.count = 3, .boards = memory.words, .position_stride = 104, .board_stride = 8};
    for (size_t i = 0; i < 3; i++) {
        memory.words[13 * i + 5] = 1;
        memory.words[13 * i + 11] = 1ULL << 63;
    }
    for (size_t at = 0; at < 4; at++) {
        for (size_t word = 0; word < 48; word++) {
            int overlaps = 0;
            outputs[0].values = memory.words + word;
            outputs[0].stride = STRIDES[at];
            for (size_t i = 0; i < 3; i++) {
                size_t to = word + STRIDES[at] / 8 * i;
                overlaps |= to < 39 && to % 13 != 12;
            }
            CHECK(sla_view_columns(&gaps, NULL, outputs, 1, NULL) == (overlaps ? SLA_ERROR_OVERLAP : SLA_OK));
        }
    }
    memory.output = outputs[0];
    memory.output.values = memory.words;
    memory.output.stride = 8;
    FAILS(SLA_ERROR_OVERLAP, "outputs and values", sla_view_columns(&view, NULL, &memory.output, 1, NULL));
    size_t total;
    FAILS(SLA_ERROR_OVERLAP, "view and total",
          sla_positions_add_valid(copies, &view, SLA_ON_ERROR_SKIP, NULL, 0, (size_t *)&view.side_to_move));
    FAILS(SLA_ERROR_OVERLAP, "boards and bad",
          sla_positions_add_valid(copies, &view, SLA_ON_ERROR_SKIP, (sla_bad_row *)boards[1].pieces, 1, &total));
    FAILS(SLA_ERROR_OVERLAP, "text and total",
          sla_positions_read_valid(copies, 0, (char *)memory.words, 16, SLA_ON_ERROR_SKIP, NULL, 0, (size_t *)memory.words + 1));
    gaps = (sla_board_view){.position_stride = 8, .board_stride = 7, .arrays = (const uint64_t *const *)memory.words};
    OK(sla_positions_add_view(copies, &gaps));
    CHECK(sla_positions_count(copies) == 0);
    FAILS(SLA_ERROR_NULL, "outputs is null", sla_view_columns(&view, NULL, NULL, 1, NULL));
    FAILS(SLA_ERROR_NULL, "view is null", sla_view_columns(NULL, NULL, outputs, 1, NULL));
    sla_positions_free(copies);
}

/* Maps, counts and threats, compared with the walk. */
static void maps_counts_threats(const sla_positions *positions) {
    size_t count = sla_positions_count(positions);
    uint64_t (*boards)[SLA_BOARDS] = malloc(count * sizeof *boards), *maps[2];
    uint8_t (*counts[2])[64];
    static const char *const NAMES[2][2] = {{"white_attacks", "white_attackers"}, {"black_attacks", "black_attackers"}};
    OK(sla_positions_get(positions, 0, count, *boards, sizeof *boards, 8, NULL, NULL, NULL));
    for (int color = 0; color < 2; color++) {
        maps[color] = malloc(count * 8);
        counts[color] = malloc(count * 64);
        OK(sla_column_boards(positions, 0, count, named(NAMES[color][0]), NULL, maps[color], 8));
        OK(sla_column_numbers(positions, 0, count, named(NAMES[color][1]), NULL, *counts[color], 64));
    }
    size_t total = 0, *offsets = malloc((count + 1) * sizeof *offsets);
    offsets[0] = 77;
    FAILS(SLA_ERROR_ROOM, "threats", sla_threats(positions, 0, count, NULL, offsets, NULL, 0, &total));
    CHECK(offsets[0] == 77 && total > 0);
    sla_threat *threats = malloc(total * sizeof *threats);
    OK(sla_threats(positions, 0, count, NULL, offsets, threats, total, &total));
    CHECK(offsets[0] == 0 && offsets[count] == total);
    for (size_t i = 0; i < count; i++) {
        uint64_t occ = 0, sides[2] = {0, 0}, attacked[2] = {0, 0};
        uint8_t attackers[2][64] = {{0}};
        size_t found = 0;
        for (int board = 0; board < SLA_BOARDS; board++) {
            occ |= boards[i][board];
            sides[board / 6] |= boards[i][board];
        }
        for (int board = 0; board < SLA_BOARDS; board++) {
            for (int square = 0; square < 64; square++) {
                if (boards[i][board] >> square & 1) {
                    uint64_t attacks = piece_attacks(board / 6, board % 6, square, occ);
                    attacked[board / 6] |= attacks;
                    found += (size_t)__builtin_popcountll(attacks & sides[1 - board / 6]);
                    for (int to = 0; to < 64; to++) {
                        attackers[board / 6][to] += (uint8_t)(attacks >> to & 1);
                    }
                }
            }
        }
        CHECK(offsets[i + 1] - offsets[i] == found);
        for (size_t at = offsets[i]; at < offsets[i + 1]; at++) {
            sla_threat threat = threats[at];
            int piece = (int)(strchr("PNBRQKpnbrqk", threat.attacker) - "PNBRQKpnbrqk");
            int victim = (int)(strchr("PNBRQKpnbrqk", threat.victim) - "PNBRQKpnbrqk");
            CHECK(boards[i][piece] >> threat.from & 1 && boards[i][victim] >> threat.to & 1);
            CHECK(piece_attacks(piece / 6, piece % 6, threat.from, occ) >> threat.to & 1);
        }
        for (int color = 0; color < 2; color++) {
            CHECK(maps[color][i] == attacked[color]);
            CHECK(memcmp(counts[color][i], attackers[color], 64) == 0);
        }
    }
    for (int color = 0; color < 2; color++) {
        free(maps[color]);
        free(counts[color]);
    }
    free(boards);
    free(offsets);
    free(threats);
}

/* The lists of moves, as the number of moves, the targets and the products of the position after them have them. */
static void moves(const sla_positions *positions) {
    size_t count = sla_positions_count(positions), total = 0, checks = 0, mates = 0, castling = 0;
    size_t *offsets = malloc((count + 1) * sizeof *offsets);
    uint16_t *numbers = malloc(count * sizeof *numbers);
    uint64_t (*targets)[64] = malloc(count * sizeof *targets), (*listed)[64] = calloc(count, sizeof *listed);
    char text[6];
    OK(sla_column_number(positions, 0, count, named("legal_moves"), NULL, numbers, 2));
    OK(sla_column_sets(positions, 0, count, named("targets"), NULL, *targets, 512));
    offsets[0] = 77;
    FAILS(SLA_ERROR_ROOM, "moves exceed", sla_moves(positions, 0, count, named("moves"), NULL, offsets, NULL, 0, &total));
    CHECK(offsets[0] == 77 && total > count);
    sla_move *all = malloc(total * sizeof *all), *some = malloc(total * sizeof *some);
    OK(sla_moves(positions, 0, count, named("moves"), NULL, offsets, all, total, &total));
    CHECK(offsets[0] == 0 && offsets[count] == total);
    for (size_t i = 0; i < count; i++) {
        CHECK(offsets[i + 1] - offsets[i] == numbers[i]);
        for (size_t at = offsets[i]; at < offsets[i + 1]; at++) {
            listed[i][all[at] & 63] |= 1ULL << (all[at] >> 6 & 63);
            OK(sla_move_uci(all[at], text));
            CHECK(strlen(text) == 4u + (all[at] >> 14 == 3) && text[0] == 'a' + (all[at] & 7) && text[1] == '1' + (all[at] >> 3 & 7));
            castling += all[at] >> 14 == 2;
        }
    }
    CHECK(memcmp(targets, listed, count * sizeof *targets) == 0 && castling > 0);
    OK(sla_moves(positions, 0, count, named("checking_moves"), NULL, offsets, some, total, &checks));
    OK(sla_moves(positions, 0, count, named("mating_moves"), NULL, offsets, some, total, &mates));
    CHECK(mates <= checks && 0 < checks && checks < total);
    OK(sla_move_uci(0, text));
    CHECK(strcmp(text, "0000") == 0);
    FAILS(SLA_ERROR_NULL, "text", sla_move_uci(0, NULL));
    FAILS(SLA_ERROR_KIND, "a number", sla_moves(positions, 0, 1, named("legal_moves"), NULL, offsets, all, total, &total));
    FAILS(SLA_ERROR_KIND, "64 sets", sla_column_boards(positions, 0, 1, named("targets"), NULL, *targets, 8));
    FAILS(SLA_ERROR_OVERLAP, "offsets and moves",
          sla_moves(positions, 0, 1, named("moves"), NULL, offsets, (sla_move *)offsets, 1, &total));
    free(offsets);
    free(numbers);
    free(targets);
    free(listed);
    free(all);
    free(some);
}

/* Adds the positions after all legal moves, and returns how many legal moves these have. */
static size_t add_after_all(const sla_positions *positions, sla_positions *after) {
    size_t count = sla_positions_count(positions), before = sla_positions_count(after), total = 0, moves_after = 0;
    size_t *offsets = malloc((count + 1) * sizeof *offsets);
    sla_move *all = malloc(218 * count * sizeof *all);
    OK(sla_moves(positions, 0, count, named("moves"), NULL, offsets, all, 218 * count, &total));
    size_t *parents = malloc(total * sizeof *parents);
    uint16_t *numbers = malloc(total * sizeof *numbers);
    OK(sla_positions_add_after(after, SLA_BACKEND_ACTIVE, positions, 0, count, offsets, all, parents));
    CHECK(sla_positions_count(after) == before + total);
    for (size_t at = 0; at < total; at++) {
        CHECK(parents[at] < count && offsets[parents[at]] <= at && at < offsets[parents[at] + 1]);
    }
    OK(sla_column_number(after, before, total, named("legal_moves"), NULL, numbers, 2));
    for (size_t at = 0; at < total; at++) {
        moves_after += numbers[at];
    }
    free(offsets);
    free(all);
    free(parents);
    free(numbers);
    return moves_after;
}

/* The positions after moves have the moves that the published counts say, and wrong moves add nothing. */
static void successors(void) {
    static const struct { const char *fen; size_t leaves[3]; } trees[] = {
        {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", {400, 8902, 197281}},
        {"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", {2039, 97862, 0}},
    };
    for (size_t tree = 0; tree < 2; tree++) {
        sla_positions *parents, *children;
        OK(sla_positions_new(&parents));
        OK(sla_positions_read(parents, 0, trees[tree].fen, strlen(trees[tree].fen)));
        for (size_t depth = 0; depth < 3 && trees[tree].leaves[depth]; depth++) {
            OK(sla_positions_new(&children));
            CHECK(add_after_all(parents, children) == trees[tree].leaves[depth]);
            CHECK(add_after_all(parents, children) == trees[tree].leaves[depth]); /* behind others */
            OK(sla_positions_truncate(children, sla_positions_count(children) / 2));
            sla_positions_free(parents);
            parents = children;
        }
        sla_positions_free(parents);
    }

    const sla_move e2e4 = 12 | 28 << 6, e2e5 = 12 | 36 << 6, e7e5 = 52 | 36 << 6;
    const sla_move moves[4] = {e2e4, e2e4, e2e4, e7e5}, far[2] = {e2e4, e2e5};
    const size_t offsets[3] = {1, 2, 3}, wrong[3] = {1, 2, 4}, falling[3] = {1, 2, 1};
    size_t parents[4] = {7, 7, 7, 7}, length;
    char text[96];
    sla_positions *positions, *after;
    OK(sla_positions_new(&positions));
    OK(sla_positions_new(&after));
    for (size_t at = 0; at < 3; at++) {
        OK(sla_positions_read(positions, 0, trees[0].fen, strlen(trees[0].fen)));
    }
    OK(sla_positions_add_after(after, 0, positions, 1, 2, offsets, moves, parents));
    CHECK(sla_positions_count(after) == 2 && parents[0] == 1 && parents[1] == 2 && parents[2] == 7);
    OK(sla_positions_fen(after, 1, text, sizeof text, &length));
    CHECK(strcmp(text, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -") == 0);
    FAILS(SLA_ERROR_MOVE, "moves[3]: move e7e5 is not one of position 2",
          sla_positions_add_after(after, 0, positions, 1, 2, wrong, moves, NULL));
    CHECK(sla_error_index() == 3);
    FAILS(SLA_ERROR_LENGTH, "offsets[2]", sla_positions_add_after(after, 0, positions, 1, 2, falling, moves, NULL));
    CHECK(sla_error_index() == 2);
    FAILS(SLA_ERROR_LENGTH, "exceed the 3", sla_positions_add_after(after, 0, positions, 2, 2, offsets, moves, NULL));
    FAILS(SLA_ERROR_OVERLAP, "the same", sla_positions_add_after(after, 0, after, 0, 2, offsets, moves, NULL));
    FAILS(SLA_ERROR_OVERLAP, "parents and offsets", sla_positions_add_after(after, 0, positions, 1, 2, parents, moves, parents));
    FAILS(SLA_ERROR_NULL, "moves", sla_positions_add_after(after, 0, positions, 1, 2, offsets, NULL, NULL));
    FAILS(SLA_ERROR_NULL, "offsets", sla_positions_add_after(after, 0, positions, 1, 2, NULL, moves, NULL));
    FAILS(SLA_ERROR_NULL, "positions", sla_positions_add_after(NULL, 0, positions, 0, 0, NULL, NULL, NULL));
    FAILS(SLA_ERROR_UNKNOWN, "backend", sla_positions_add_after(after, 99, positions, 0, 0, NULL, NULL, NULL));
    OK(sla_positions_add_after(after, 0, positions, 3, 0, NULL, NULL, NULL));
    OK(sla_positions_add_after(after, 0, positions, 0, 1, offsets, far, NULL)); /* it fits, though no pawn moves like that */
    CHECK(sla_positions_count(after) == 3);
    sla_positions_free(positions);
    sla_positions_free(after);
}

static void what_products_refuse(const sla_positions *positions) {
    uint64_t out[64];
    uint8_t numbers[128];
    uint16_t number[8];
    sla_column maps = named("white_attacks"), counts = named("white_attackers"), moves = named("legal_moves"), none = 77;
    sla_column_info info = {.bytes = 5};
    memset(out, 7, sizeof out);
    FAILS(SLA_ERROR_UNKNOWN, "no column \"white_attack\"", sla_column_find("white_attack", &none));
    FAILS(SLA_ERROR_NULL, "name", sla_column_find(NULL, &none));
    FAILS(SLA_ERROR_UNKNOWN, "column", sla_column_get(sla_column_count(), &info));
    FAILS(SLA_ERROR_NULL, "info", sla_column_get(0, NULL));
    CHECK(none == 77 && info.bytes == 5);
    FAILS(SLA_ERROR_UNKNOWN, "column", sla_column_boards(positions, 0, 1, UINT32_MAX, NULL, out, 8));
    FAILS(SLA_ERROR_KIND, "64 numbers", sla_column_boards(positions, 0, 1, counts, NULL, out, 8));
    FAILS(SLA_ERROR_KIND, "a set of squares", sla_column_numbers(positions, 0, 1, maps, NULL, numbers, 64));
    FAILS(SLA_ERROR_KIND, "64 numbers", sla_column_number(positions, 0, 1, counts, NULL, number, 2));
    FAILS(SLA_ERROR_NULL, "out is null", sla_column_boards(positions, 0, 1, maps, NULL, NULL, 8));
    FAILS(SLA_ERROR_NULL, "positions is null", sla_column_boards(NULL, 0, 1, maps, NULL, out, 8));
    FAILS(SLA_ERROR_LENGTH, "positions", sla_column_boards(positions, 0, 1 + sla_positions_count(positions), maps, NULL, out, 8));
    FAILS(SLA_ERROR_LENGTH, "positions", sla_column_boards(positions, SIZE_MAX, 2, maps, NULL, out, 8));
    FAILS(SLA_ERROR_STRIDE, "stride of 0", sla_column_boards(positions, 0, 2, maps, NULL, out, 0));
    FAILS(SLA_ERROR_STRIDE, "stride of 63", sla_column_numbers(positions, 0, 2, counts, NULL, numbers, 63));
    FAILS(SLA_ERROR_STRIDE, "stride of 9", sla_column_boards(positions, 0, 2, maps, NULL, out, 9));
    FAILS(SLA_ERROR_STRIDE, "stride of 3", sla_column_number(positions, 0, 2, moves, NULL, number, 3));
    FAILS(SLA_ERROR_LENGTH, "too long", sla_column_boards(positions, 0, 2, maps, NULL, out, SIZE_MAX - 7));
    FAILS(SLA_ERROR_ALIGNMENT, "out", sla_column_boards(positions, 0, 2, maps, NULL, (uint64_t *)((char *)out + 2), 8));
    FAILS(SLA_ERROR_UNKNOWN, "backend", sla_column_boards(positions, 0, 1, maps, &(sla_options){.backend = 1000}, out, 8));
    FAILS(SLA_ERROR_UNKNOWN, "side", sla_column_boards(positions, 0, 1, maps, &(sla_options){.through = 4}, out, 8));
    FAILS(SLA_ERROR_UNKNOWN, "side", sla_column_boards(positions, 0, 1, maps, &(sla_options){.victims = 4}, out, 8));
    FAILS(SLA_ERROR_UNKNOWN, "pinned", sla_column_boards(positions, 0, 1, maps, &(sla_options){.pinned = 2}, out, 8));
    FAILS(SLA_ERROR_UNKNOWN, "values", sla_column_boards(positions, 0, 1, maps, &(sla_options){.values = {1, 3, 3, 5, 64}}, out, 8));
    FAILS(SLA_ERROR_GROUP, "group 0", sla_summarize(positions, 0, 1, maps, NULL, NULL, 0, out, NULL));
    FAILS(SLA_ERROR_OVERLAP, "present and sum", sla_summarize(positions, 0, 1, maps, NULL, NULL, 1, out, out));
    FAILS(SLA_ERROR_OVERLAP, "groups and sum", sla_summarize(positions, 0, 1, maps, NULL, (uint32_t *)out + 3, 1, NULL, out));
    FAILS(SLA_ERROR_LENGTH, "too long", sla_summarize(positions, 0, 1, maps, NULL, NULL, SIZE_MAX, out, NULL));
    FAILS(SLA_ERROR_LENGTH, "too long", sla_summarize(positions, 0, 1, maps, NULL, NULL, SIZE_MAX / 64 + 2, out, NULL));
    sla_options shared = {0};
    strcpy((char *)shared.others, "any");
    FAILS(SLA_ERROR_OVERLAP, "value and options", sla_options_set(&shared, "through", (const char *)shared.others));
    FAILS(SLA_ERROR_NULL, "offsets", sla_threats(positions, 0, 1, NULL, NULL, NULL, 0, (size_t *)out));
    FAILS(SLA_ERROR_OVERLAP, "offsets and total", sla_threats(positions, 0, 1, NULL, (size_t *)out, NULL, 0, (size_t *)out + 1));
    FAILS(SLA_ERROR_LENGTH, "positions", sla_threats(positions, 0, SIZE_MAX, NULL, (size_t *)out, NULL, 0, (size_t *)out + 60));
    for (size_t i = 0; i < 64; i++) {
        CHECK(out[i] == 0x0707070707070707);
    }
    OK(sla_column_boards(positions, 0, 0, maps, NULL, NULL, 8));
}

/* Each option changes what it should. */
static void options(void) {
    static const char TEXT[] = "4k3/8/8/8/r2p2R1/8/8/4K3 w - -\n3rk3/8/8/3p4/4P3/8/8/3RK3 w - -";
    sla_positions *positions = read_positions(TEXT, strlen(TEXT));
    uint64_t any[2], own[2];
    uint8_t usual[2][64], worth[2][64];
    OK(sla_column_boards(positions, 0, 2, named("white_xrays"), NULL, any, 8));
    OK(sla_column_boards(positions, 0, 2, named("white_xrays"), &(sla_options){.through = SLA_SIDE_OWN}, own, 8));
    CHECK(any[0] != 0 && own[0] == 0);
    OK(sla_column_numbers(positions, 0, 2, named("white_gains"), NULL, *usual, 64));
    OK(sla_column_numbers(positions, 0, 2, named("white_gains"), &(sla_options){.values = {2, 3, 3, 5, 9}}, *worth, 64));
    CHECK(usual[1][35] == 1 && worth[1][35] == 2);
    size_t offsets[3], total[2];
    sla_threat threats[100];
    OK(sla_threats(positions, 0, 2, NULL, offsets, threats, 100, &total[0]));
    OK(sla_threats(positions, 0, 2, &(sla_options){.victims = SLA_SIDE_ANY}, offsets, threats, 100, &total[1]));
    CHECK(total[0] < total[1]);

    /* By name, the same. */
    static const sla_options USUAL;
    sla_options by_name = USUAL, fields = {.through = SLA_SIDE_OWN, .victims = SLA_SIDE_ANY, .values = {2, 3, 3, 5, 9}};
    OK(sla_options_set(&by_name, "through", "own"));
    OK(sla_options_set(&by_name, "victims", "any"));
    OK(sla_options_set(&by_name, "values", "2,3,3,5,9"));
    OK(sla_options_set(&by_name, "pinned", "capture"));
    CHECK(memcmp(&by_name, &fields, sizeof fields) == 0);
    OK(sla_options_set(&by_name, "pinned", "stay"));
    fields.pinned = SLA_PINNED_STAY;
    CHECK(memcmp(&by_name, &fields, sizeof fields) == 0);
    FAILS(SLA_ERROR_UNKNOWN, "unknown option \"depth\"", sla_options_set(&by_name, "depth", "1"));
    FAILS(SLA_ERROR_UNKNOWN, "through: expected one of own, enemy, any, found \"x\"", sla_options_set(&by_name, "through", "x"));
    FAILS(SLA_ERROR_UNKNOWN, "values: expected five numbers", sla_options_set(&by_name, "values", "1,3,3,5,64"));
    FAILS(SLA_ERROR_UNKNOWN, "values: five zeros", sla_options_set(&by_name, "values", "0,0,0,0,0"));
    FAILS(SLA_ERROR_NULL, "name", sla_options_set(&by_name, NULL, "own"));
    FAILS(SLA_ERROR_NULL, "value", sla_options_set(&by_name, "through", NULL));
    FAILS(SLA_ERROR_NULL, "options", sla_options_set(NULL, "through", "own"));
    CHECK(memcmp(&by_name, &fields, sizeof fields) == 0);
    OK(sla_options_set(&by_name, "notation", "uci"));
    OK(sla_options_set(&by_name, "perspective", "mover"));
    CHECK(by_name.others[0] != 0 && by_name.others[1] != 0);
    for (size_t at = 2; at < sizeof fields.others; at++) {
        sla_options unknown = USUAL;
        unknown.others[at] = 1;
        FAILS(SLA_ERROR_UNKNOWN, "others[", sla_column_boards(positions, 0, 2, named("white_xrays"), &unknown, any, 8));
    }
    sla_positions_free(positions);
}
#endif

#ifndef STACK
#define STACK (128 << 10)
#endif

/* Many threads use the same positions, and each has its own messages. */
static void *in_a_thread(void *positions) {
    static _Atomic int threads;
    unsigned number = 64 + (unsigned)threads++;
    size_t count = sla_positions_count(positions);
    uint64_t *boards = malloc(count * SLA_BOARDS * 8), out = 5;
    char text[40];
    snprintf(text, sizeof text, "square %u at index 0", number);
    CHECK(strcmp(sla_error_message(), "") == 0);
    for (int round = 0; round < 50; round++) {
        FAILS(SLA_ERROR_SQUARE, text, sla_attacks(0, 2, &(uint8_t){(uint8_t)number}, &out, boards, 1));
        OK(sla_positions_get(positions, 0, count, boards, SLA_BOARDS * 8, 8, NULL, NULL, NULL));
#ifndef WITHOUT_PRODUCTS
        for (sla_column column = 0; column < sla_column_count(); column++) {
            sla_column_info info;
            OK(sla_column_get(column, &info));
            if (info.bytes) {
                OK(compute(positions, count / 2, 1, column, NULL, boards, info.bytes));
            } else if (info.kind == SLA_KIND_MOVES) {
                size_t offsets[3], total;
                OK(sla_moves(positions, count / 2, 2, column, NULL, offsets, (sla_move *)boards, 436, &total));
            }
        }
        static const char *const NAMES[] = {"threats", "pawn_pairs"};
        static const char NESTED[] = "after(after(not not not not either(mirrored(((((((white_pinned[e4] or e4)))))))))) and e4";
        uint8_t holds[2];
        size_t offsets[2][3], totals[2];
        sla_query *query;
        sla_features *features;
        OK(sla_query_new(NESTED, sizeof NESTED - 1, &query));
        OK(sla_query_matches(query, positions, count / 2, 2, NULL, holds));
        sla_query_free(query);
        OK(sla_features_new(NAMES, 2, &features));
        sla_rows16 rows[2] = {{offsets[0], (uint16_t *)boards, 512, &totals[0]},
                              {offsets[1], (uint16_t *)boards + 512, 512, &totals[1]}};
        OK(sla_features_rows16(features, positions, count / 2, 2, 0, 0, 0, rows));
        sla_features_free(features);
#endif
        CHECK(strstr(sla_error_message(), text));
    }
    free(boards);
    return NULL;
}

#ifndef WITHOUT_PRODUCTS
static sla_query *query(const char *text) {
    sla_query *made = NULL;
    OK(sla_query_new(text, strlen(text), &made));
    return made;
}

/* A condition holds as the columns that it names say. */
static void conditions(const sla_positions *positions) {
    size_t count = sla_positions_count(positions), found = 0;
    uint64_t *maps = malloc(count * 8), (*boards)[SLA_BOARDS] = malloc(count * sizeof *boards);
    uint8_t *side = malloc(count), *holds = malloc(count + 2);
    OK(sla_column_boards(positions, 0, count, named("white_attacks"), NULL, maps, 8));
    OK(sla_positions_get(positions, 0, count, *boards, sizeof *boards, 8, side, NULL, NULL));
    sla_query *attacked = query("white_attacks[e4] and turn = black");
    memset(holds, 7, count + 2);
    OK(sla_query_matches(attacked, positions, 0, count, NULL, holds + 1));
    CHECK(holds[0] == 7 && holds[count + 1] == 7);
    for (size_t i = 0; i < count; i++) {
        CHECK(holds[i + 1] == ((maps[i] >> 28 & 1) && side[i] == SLA_BLACK));
        found += holds[i + 1];
    }
    CHECK(0 < found && found < count);
    OK(sla_query_matches(attacked, positions, count - 1, 1, NULL, holds));
    CHECK(holds[0] == holds[count]);
    OK(sla_query_matches(attacked, positions, count, 0, NULL, NULL));
    /* Options are those of the products. */
    sla_options own = {0};
    sla_query *threats = query("count(threats) > 0");
    OK(sla_options_set(&own, "victims", "own"));
    sla_positions *alone = read_positions("4k3/8/8/8/8/8/8/R3K3 w - -", 26);
    OK(sla_query_matches(threats, alone, 0, 1, NULL, holds));
    OK(sla_query_matches(threats, alone, 0, 1, &own, holds + 1));
    CHECK(holds[0] == 0 && holds[1] == 1);
    sla_query *made = attacked;
    FAILS(SLA_ERROR_QUERY, "column 8: unknown name `white_pined`: did you mean `white_pinned`",
          sla_query_new("e4 and white_pined", 18, &made));
    FAILS(SLA_ERROR_QUERY, "no column \"ply\"", sla_query_new("ply > 3", 7, &made));
    FAILS(SLA_ERROR_QUERY, "column 2: the text is not UTF-8", sla_query_new("a\xff", 2, &made));
    FAILS(SLA_ERROR_QUERY, "column 1", sla_query_new(NULL, 0, &made));
    FAILS(SLA_ERROR_NULL, "text", sla_query_new(NULL, 1, &made));
    FAILS(SLA_ERROR_NULL, "query", sla_query_new("e4", 2, NULL));
    CHECK(made == attacked);
    FAILS(SLA_ERROR_NULL, "query", sla_query_matches(NULL, positions, 0, 1, NULL, holds));
    FAILS(SLA_ERROR_NULL, "positions", sla_query_matches(attacked, NULL, 0, 1, NULL, holds));
    FAILS(SLA_ERROR_NULL, "out", sla_query_matches(attacked, positions, 0, 1, NULL, NULL));
    FAILS(SLA_ERROR_LENGTH, "exceed", sla_query_matches(attacked, positions, 1, count, NULL, holds));
    own.backend = 1000;
    FAILS(SLA_ERROR_UNKNOWN, "backend", sla_query_matches(attacked, positions, 0, 1, &own, holds));
    sla_query_free(attacked);
    sla_query_free(threats);
    sla_query_free(NULL);
    sla_positions_free(alone);
    free(maps);
    free(boards);
    free(side);
    free(holds);
}

static int ascending(const void *one, const void *other) {
    uint16_t a = *(const uint16_t *)one, b = *(const uint16_t *)other;
    return (a > b) - (a < b);
}

/* The inputs of pieces are those that stand on the boards, and sets of a sum follow each other. */
static void inputs(const sla_positions *positions) {
    enum { ROOM = 256 };
    static const char *const NAMES[] = {"pieces", "threats:v16"}, *const LARGE[] = {"threats", "halfka_hm"};
    size_t count = sla_positions_count(positions), totals[2], *offsets[2], *long_offsets[2];
    uint64_t (*boards)[SLA_BOARDS] = malloc(count * sizeof *boards);
    uint8_t *side = malloc(count);
    uint16_t *indices[2];
    uint32_t *long_indices[2];
    sla_rows16 rows[2];
    sla_rows32 long_rows[2];
    OK(sla_positions_get(positions, 0, count, *boards, sizeof *boards, 8, side, NULL, NULL));
    for (int view = 0; view < 2; view++) {
        offsets[view] = malloc((count + 1) * sizeof(size_t));
        long_offsets[view] = malloc((count + 1) * sizeof(size_t));
        indices[view] = malloc(count * ROOM * 2);
        long_indices[view] = malloc(count * ROOM * 4);
        rows[view] = (sla_rows16){offsets[view], indices[view], count * ROOM, &totals[view]};
        long_rows[view] = (sla_rows32){long_offsets[view], long_indices[view], count * ROOM, &totals[view]};
    }
    sla_features *sum = NULL, *large = NULL;
    uint32_t offset = 0;
    OK(sla_features_new(NAMES, 2, &sum));
    CHECK(sla_features_size(sum) == 768 + 59808 && sla_features_size(NULL) == 0);
    OK(sla_features_offset(sum, 1, &offset));
    CHECK(offset == 768);
    for (sla_view order = SLA_VIEW_COLORS; order <= SLA_VIEW_MOVER; order++) {
        OK(sla_features_rows16(sum, positions, 0, count, 0, order, SLA_ROW_ASCENDING, rows));
        for (size_t i = 0; i < count; i++) {
            for (int view = 0; view < 2; view++) {
                int color = order == SLA_VIEW_MOVER ? side[i] ^ view : view;
                uint16_t expected[64];
                size_t length = 0, start = offsets[view][i];
                for (int board = 0; board < SLA_BOARDS; board++) {
                    for (int square = 0; square < 64; square++) {
                        if (boards[i][board] >> square & 1) {
                            int plane = color ? (board + 6) % 12 : board, seen = color ? square ^ 56 : square;
                            expected[length++] = (uint16_t)(64 * plane + seen);
                        }
                    }
                }
                qsort(expected, length, 2, ascending);
                CHECK(offsets[view][i + 1] - start >= length && memcmp(expected, indices[view] + start, 2 * length) == 0);
                CHECK(offsets[view][i + 1] - start == length || indices[view][start + length] >= 768);
            }
        }
        CHECK(offsets[0][0] == 0 && offsets[0][count] == totals[0] && offsets[1][count] == totals[1]);
        OK(sla_features_rows32(sum, positions, 0, count, 0, order, SLA_ROW_ASCENDING, long_rows));
        for (int view = 0; view < 2; view++) {
            CHECK(memcmp(offsets[view], long_offsets[view], (count + 1) * sizeof(size_t)) == 0);
            for (size_t at = 0; at < totals[view]; at++) {
                CHECK(long_indices[view][at] == indices[view][at]);
            }
        }
    }
    size_t needed = totals[1];
    totals[1] = 0;
    offsets[0][0] = offsets[1][0] = 77;
    rows[1].capacity = needed - 1;
    FAILS(SLA_ERROR_ROOM, "indices exceed", sla_features_rows16(sum, positions, 0, count, 0, 0, 0, rows));
    CHECK(totals[1] == needed && offsets[0][0] == 77 && offsets[1][0] == 77);
    rows[1].capacity = needed;
    FAILS(SLA_ERROR_UNKNOWN, "view", sla_features_rows16(sum, positions, 0, count, 0, 2, 0, rows));
    FAILS(SLA_ERROR_UNKNOWN, "row order", sla_features_rows16(sum, positions, 0, count, 0, 0, 2, rows));
    FAILS(SLA_ERROR_UNKNOWN, "backend", sla_features_rows16(sum, positions, 0, count, 1000, 0, 0, rows));
    FAILS(SLA_ERROR_LENGTH, "exceed", sla_features_rows16(sum, positions, 1, count, 0, 0, 0, rows));
    FAILS(SLA_ERROR_NULL, "rows", sla_features_rows16(sum, positions, 0, count, 0, 0, 0, NULL));
    FAILS(SLA_ERROR_NULL, "features", sla_features_rows16(NULL, positions, 0, count, 0, 0, 0, rows));
    FAILS(SLA_ERROR_NULL, "positions", sla_features_rows16(sum, NULL, 0, count, 0, 0, 0, rows));
    rows[0].indices = NULL;
    FAILS(SLA_ERROR_NULL, "indices", sla_features_rows16(sum, positions, 0, count, 0, 0, 0, rows));
    rows[0].indices = indices[1] + 1;
    FAILS(SLA_ERROR_OVERLAP, "indices and indices", sla_features_rows16(sum, positions, 0, count, 0, 0, 0, rows));
    rows[0].indices = indices[0];
    rows[1].total = rows[0].total;
    FAILS(SLA_ERROR_OVERLAP, "total and total", sla_features_rows16(sum, positions, 0, count, 0, 0, 0, rows));
    CHECK(offsets[0][0] == 77 && offsets[1][0] == 77);
    rows[1].total = &totals[1];
    OK(sla_features_new(LARGE, 2, &large));
    FAILS(SLA_ERROR_KIND, "84384 inputs", sla_features_rows16(large, positions, 0, count, 0, 0, 0, rows));
    OK(sla_features_rows32(large, positions, 0, count, 0, 0, 0, long_rows));
    sla_positions *wrong = NULL;
    OK(sla_positions_new(&wrong));
    uint64_t one[SLA_BOARDS] = {1, [5] = 16, [11] = (uint64_t)1 << 60};
    OK(sla_positions_add(wrong, one, sizeof one, 8, NULL, NULL, NULL, 1));
    FAILS(SLA_ERROR_POSITION, "position 0: a pawn on a1", sla_features_rows16(sum, wrong, 0, 1, 0, 0, 0, rows));
    static const char *const UNKNOWN[] = {"threats:v9"}, *const MANY[11] = {
        "pieces", "pieces", "pieces", "pieces", "pieces", "pieces", "pieces", "pieces", "pieces", "pieces", "pieces"};
    sla_features *kept = sum;
    FAILS(SLA_ERROR_UNKNOWN, "threats:v9", sla_features_new(UNKNOWN, 1, &kept));
    FAILS(SLA_ERROR_LENGTH, "more than ten sets", sla_features_new(MANY, 11, &kept));
    FAILS(SLA_ERROR_NULL, "names", sla_features_new(NULL, 1, &kept));
    FAILS(SLA_ERROR_NULL, "features", sla_features_new(NAMES, 1, NULL));
    FAILS(SLA_ERROR_UNKNOWN, "no set 2", sla_features_offset(sum, 2, &offset));
    CHECK(kept == sum && offset == 768);
    sla_features_free(sum);
    sla_features_free(large);
    sla_features_free(NULL);
    sla_positions_free(wrong);
    for (int view = 0; view < 2; view++) {
        free(offsets[view]);
        free(long_offsets[view]);
        free(indices[view]);
        free(long_indices[view]);
    }
    free(boards);
    free(side);
}
#endif

static void threads(sla_positions *positions) {
    enum { THREADS = 8 };
    pthread_t all[THREADS];
    pthread_attr_t small; /* as large as the stacks of musl */
    CHECK(pthread_attr_init(&small) == 0 && pthread_attr_setstacksize(&small, STACK) == 0);
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&all[i], &small, in_a_thread, positions) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(all[i], NULL) == 0);
    }
    pthread_attr_destroy(&small);
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    FILE *file = fopen(argv[1], "rb");
    CHECK(file);
    static char text[100000];
    size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    versions_and_names();
    sla_positions *sample = read_positions(text, length);
    threads(sample);
    pairs_and_sets();
    what_pairs_refuse();
    any_arguments();
    positions_and_text(sample);
    views(sample);
    bad_lines();
#ifndef WITHOUT_PRODUCTS
    products(sample);
    view_maps(sample);
    view_columns(sample);
    maps_counts_threats(sample);
    moves(sample);
    successors();
    what_products_refuse(sample);
    options();
    conditions(sample);
    inputs(sample);
#endif
    sla_positions_free(sample);
    printf("%u backends; the last one is %s\n", sla_backend_count(), sla_backend_name(sla_backend_count()));
    return 0;
}
