import numpy as np
import slider_attacks

squares = np.array([3, 27, 59], np.uint8)  # queens on d1, d4 and d8: a1 = 0, b1 = 1, … h8 = 63
occs = np.full(3, 0xFFFF_0000_0000_FFFF, np.uint64)  # the pieces on each board
attacks = slider_attacks.batch_attacks(squares, occs)
print(slider_attacks.show(attacks[1], mark=(27, "Q")))

batch = slider_attacks.analyze(["rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"], ["maps", "hanging"])
print(batch)
