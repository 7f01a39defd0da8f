/* The laws of readers, in C11. Usage: reader GAMES.pgn RECORDS.binpack. The library has the feature `readers`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <slider_attacks.h>

#include "check.h"

#define OK(call) CHECK((call) == SLA_OK)

static char text[1 << 22];

static size_t load(const char *path) {
    FILE *file = fopen(path, "rb");
    CHECK(file);
    size_t length = fread(text, 1, sizeof text, file);
    CHECK(length < sizeof text);
    fclose(file);
    return length;
}

/* All that a reader gives, as one text: positions, indices, and the values of one column. */
static char *all_of(const char *name, const char *column, size_t length, size_t piece, size_t *count) {
    sla_reader *reader;
    sla_positions *positions;
    size_t room = 1 << 20, used = 0, at = 0, total;
    char *all = calloc(room, 1);
    OK(sla_positions_new(&positions));
    OK(sla_reader_new(name, NULL, &column, 1, &reader));
    do {
        size_t bytes = length - at < piece ? length - at : piece, before = sla_positions_count(positions);
        OK(sla_reader_push(reader, positions, text + at, bytes, at + bytes == length, SLA_ON_ERROR_SKIP, NULL, 0, &total));
        CHECK(total == 0);
        at += bytes;
        size_t added = sla_positions_count(positions) - before;
        uint64_t *indices = malloc(8 * added + 1);
        OK(sla_reader_indices(reader, indices, added));
        CHECK(sla_reader_indices(reader, indices, added + 1) == SLA_ERROR_LENGTH);
        for (size_t i = 0; i < added; i++) {
            char fen[96], value[64];
            size_t fen_length, value_length;
            OK(sla_positions_fen(positions, before + i, fen, sizeof fen, &fen_length));
            OK(sla_reader_text(reader, 0, i, value, sizeof value, &value_length));
            while (used + 200 > room) {
                all = realloc(all, room *= 2);
            }
            used += (size_t)sprintf(all + used, "%s %llu %s\n", fen, (unsigned long long)indices[i],
                                    value_length == SIZE_MAX ? "none" : value);
        }
        free(indices);
    } while (at < length);
    CHECK(sla_reader_push(reader, positions, text, 1, 0, SLA_ON_ERROR_SKIP, NULL, 0, &total) == SLA_ERROR_FORMAT);
    *count = sla_positions_count(positions);
    sla_reader_free(reader);
    sla_positions_free(positions);
    return all;
}

/* Where an input is cut changes nothing. */
static void pieces(const char *path, const char *column, const char *has) {
    size_t length = load(path), count, other;
    char *all = all_of(path, column, length, length, &count);
    CHECK(count >= 16 && strstr(all, has));
    for (size_t piece = 1; piece < 5000; piece = 2 * piece + 3) {
        char *cut = all_of(path, column, length, piece, &other);
        CHECK(count == other && strcmp(all, cut) == 0);
        free(cut);
    }
    free(all);
}

/* Labels of a table, malformed rows with their index, and what is refused. */
static void tables(void) {
    static const char TABLE[] = "fen,score\n4k3/8/8/8/8/8/8/R3K3 w Q -,12\nnonsense,3\n4k3/8/8/8/8/8/8/4K3 b - -,\n";
    static const char *const SCORE[] = {"score"}, *const OTHER[] = {"scores"};
    for (sla_on_error mode = SLA_ON_ERROR_SKIP; mode <= SLA_ON_ERROR_KEEP; mode++) {
        sla_reader *reader;
        sla_positions *positions;
        sla_bad_row bad[2];
        size_t total, length, kept = mode == SLA_ON_ERROR_KEEP;
        char value[8];
        int64_t numbers[3];
        uint8_t known[3];
        OK(sla_positions_new(&positions));
        OK(sla_reader_new("table.csv", NULL, SCORE, 1, &reader));
        CHECK(!sla_reader_format(reader));
        OK(sla_reader_push(reader, positions, TABLE, sizeof TABLE - 1, 0, mode, bad, 2, &total));
        CHECK(strcmp(sla_reader_format(reader), "CSV") == 0 && strcmp(sla_reader_column(reader, 0), "score") == 0);
        CHECK(!sla_reader_column(reader, 1));
        CHECK(total == 1 && bad[0].index == 2 && bad[0].position == 1 && sla_positions_count(positions) == 2 + kept);
        OK(sla_reader_text(reader, 0, 0, value, sizeof value, &length));
        CHECK(strcmp(value, "12") == 0 && length == 2);
        CHECK(sla_reader_text(reader, 0, 0, value, 2, &length) == SLA_ERROR_ROOM && length == 2);
        CHECK(sla_reader_text(reader, 1, 0, value, sizeof value, &length) == SLA_ERROR_UNKNOWN);
        CHECK(sla_reader_text(reader, 0, 9, value, sizeof value, &length) == SLA_ERROR_LENGTH);
        CHECK(sla_reader_integers(reader, 0, numbers, known, 2 + kept) == SLA_ERROR_KIND);
        OK(sla_reader_push(reader, positions, NULL, 0, 1, mode, bad, 2, &total));
        CHECK(total == 0);
        sla_reader_free(reader);

        OK(sla_reader_new("table.csv", NULL, OTHER, 1, &reader));
        CHECK(sla_reader_push(reader, positions, TABLE, sizeof TABLE - 1, 1, mode, bad, 2, &total) == SLA_ERROR_FORMAT);
        CHECK(strstr(sla_error_message(), "scores") && sla_positions_count(positions) == 2 + kept);
        sla_reader_free(reader);
        OK(sla_reader_new(NULL, NULL, NULL, 0, &reader));
        CHECK(sla_reader_push(reader, positions, "PAR1", 4, 1, mode, bad, 2, &total) == SLA_ERROR_FORMAT);
        sla_reader_free(reader);
        sla_positions_free(positions);
    }
    sla_reader_free(NULL);
    CHECK(sla_reader_new(NULL, NULL, NULL, 0, NULL) == SLA_ERROR_NULL);
    static const char LONG[] = "0123456789012345678901234567890123456789012345678901234567890123";
    sla_reader *none = NULL;
    CHECK(sla_reader_new(NULL, LONG, NULL, 0, &none) == SLA_ERROR_UNKNOWN && strstr(sla_error_message(), "too long"));
    CHECK(sla_reader_new(NULL, "fen\xff", NULL, 0, &none) == SLA_ERROR_UNKNOWN && strstr(sla_error_message(), "UTF-8") && !none);
    size_t count;
    OK(sla_reader_new(NULL, LONG + 1, NULL, 0, &none));
    sla_positions *positions;
    OK(sla_positions_new(&positions));
    CHECK(sla_reader_push(none, positions, (char *)&count, sizeof count, 0, 0, NULL, 0, &count) == SLA_ERROR_OVERLAP);
    sla_positions_free(positions);
    sla_reader_free(none);
}

/* Labels of records are integers. */
static void labels(const char *path) {
    static const char *const NAMES[] = {"score"};
    size_t length = load(path), total;
    sla_reader *reader;
    sla_positions *positions;
    OK(sla_positions_new(&positions));
    OK(sla_reader_new(path, NULL, NAMES, 1, &reader));
    OK(sla_reader_push(reader, positions, text, length, 1, SLA_ON_ERROR_SKIP, NULL, 0, &total));
    size_t count = sla_positions_count(positions), known_count = 0, other = 0;
    int64_t *numbers = malloc(8 * count);
    uint8_t *known = malloc(count);
    OK(sla_reader_integers(reader, 0, numbers, known, count));
    for (size_t i = 0; i < count; i++) {
        known_count += known[i];
        other += numbers[i] != 0;
    }
    CHECK(known_count == count && other > 0);
    CHECK(sla_reader_integers(reader, 1, numbers, known, count) == SLA_ERROR_UNKNOWN);
    free(numbers);
    free(known);
    sla_reader_free(reader);
    sla_positions_free(positions);
}

int main(int argc, char **argv) {
    CHECK(argc == 3);
    tables();
    pieces(argv[1], "Result", "1-0");
    pieces(argv[2], "score", " 0 ");
    labels(argv[2]);
    puts("readers: ok");
    return 0;
}
