/* Attack sets of pairs, and a product of positions from FEN.
 *
 *     gcc -std=c11 first.c $(pkg-config --cflags --libs slider-attacks) && ./a.out
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <slider_attacks.h>

static void check(sla_status status) {
    if (status != SLA_OK) {
        fprintf(stderr, "error %d: %s\n", (int)status, sla_error_message());
        exit(1);
    }
}

int main(void) {
    const uint8_t squares[] = {3, 27, 59}; /* queens on d1, d4 and d8: a1 = 0, b1 = 1, ... h8 = 63 */
    const uint64_t occs[] = {0xffff00000000ffff, 0xffff00000000ffff, 0xffff00000000ffff};
    uint64_t attacks[3];
    check(sla_attacks(SLA_BACKEND_ACTIVE, SLA_QUEEN, squares, occs, attacks, 3));
    printf("%s: %#" PRIx64 "\n", sla_backend_name(SLA_BACKEND_ACTIVE), attacks[0]); /* c1, e1, c2, d2, e2 */

    const char *fens = "4k3/8/8/8/8/8/8/R3K3 w Q -\n4k3/4r3/8/8/4N3/8/8/4K3 w - -\n";
    sla_positions *positions;
    check(sla_positions_new(&positions));
    check(sla_positions_read(positions, SLA_BACKEND_ACTIVE, fens, strlen(fens)));
    sla_column pinned;
    check(sla_column_find("white_pinned", &pinned));
    uint64_t boards[2];
    check(sla_column_boards(positions, 0, 2, pinned, NULL, boards, sizeof boards[0]));
    printf("pinned: %#" PRIx64 ", %#" PRIx64 "\n", boards[0], boards[1]); /* the knight on e4 */
    sla_positions_free(positions);
    return attacks[0] == 0x1c14 && boards[1] == 1 << 28 ? 0 : 1;
}
