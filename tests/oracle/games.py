"""Compares the positions of random games with those of python-chess.

    python tests/oracle/games.py COMMAND [GAMES]

COMMAND is the example `positions` of the crate of games. Writes GAMES random games [300] with annotations of every kind, in
chess and in Chess960, reads them with both, and compares every position, move, evaluation and clock, with variations and
without.
"""

import io
import random
import subprocess
import sys
import tempfile

import chess
import chess.engine
import chess.pgn

COMMENTS = ["Good.", "[%cal Ge2e4]", "a (b) ; c", "1. e4 e5", "é ½", "[%emt 0:00:03]", "two\nlines"]


def annotate(node):
    if random.random() < 0.3:
        node.set_eval(chess.engine.PovScore(random_score(), chess.WHITE), random.choice([None, 20]))
    if random.random() < 0.5:
        node.set_clock(random.choice([random.randrange(20_000), random.randrange(200_000) / 10]))
    if random.random() < 0.1:
        node.comment = (node.comment + " " + random.choice(COMMENTS)).strip()
    if random.random() < 0.1:
        node.nags.add(random.choice([1, 2, 3, 4, 5, 6, 10, 16, 146]))


def random_score():
    if random.random() < 0.1:
        return chess.engine.Mate(random.choice([-1, 1]) * random.randrange(1, 20))
    return chess.engine.Cp(random.randrange(-1500, 1500))


def random_game(number):
    board = chess.Board()
    kind = random.random()
    if kind < 0.3:
        board = chess.Board.from_chess960_pos(random.randrange(960))
    elif kind < 0.4:
        for _ in range(random.randrange(40)):
            if board.is_game_over():
                break
            board.push(random.choice(list(board.legal_moves)))
    game = chess.pgn.Game()
    game.setup(board)
    game.headers["White"], game.headers["Round"] = random.choice(['a "b" \\ c', "José", ""]), str(number)
    if random.random() < 0.2:
        game.comment = "before the first move"
    lines = [game]
    for _ in range(random.randrange(160)):
        # Mostly the last line goes on; sometimes a variation begins.
        node = random.choice(lines) if random.random() < 0.05 else lines[0]
        moves = list(node.board().legal_moves)
        if not moves or (node is not game and not moves):
            continue
        move = random.choice(moves)
        if node.has_variation(move):
            continue
        if node.board().is_check() is False and random.random() < 0.01 and not node.variations:
            move = chess.Move.null()
        child = node.add_variation(move)
        annotate(child)
        if node is lines[0]:
            lines[0] = child
        else:
            lines.append(child)
        if random.random() < 0.1:
            lines.append(node)
    game.headers["Result"] = random.choice(["1-0", "0-1", "1/2-1/2", "*"])
    return game


def write(games, style):
    out = []
    for game in games:
        text = game.accept(chess.pgn.StringExporter(columns=random.choice([None, 40, 80]), headers=True, variations=True, comments=True))
        if style == "crlf":
            text = text.replace("\n", "\r\n")
        out.append(text)
    return ("\r\n\r\n" if style == "crlf" else "\n\n").join(out).encode()


def expected(text, variations):
    """What python-chess reads: game, ply, evaluation, clock, FEN."""
    stream, number = io.StringIO(text.decode()), 0
    while game := chess.pgn.read_game(stream):
        number += 1
        assert not game.errors, game.errors
        yield number, row(game, game.board())
        yield from ((number, line) for line in walk(game, game.board(), variations))


def walk(game, board, variations):
    node = game
    while node.variations:
        main, rest = node.variations[0], node.variations[1:]
        # In a text, the variations of a move follow it.
        after = board.copy(stack=False)
        after.push(main.move)
        yield row(main, after)
        for side in rest if variations else ():
            other = board.copy(stack=False)
            other.push(side.move)
            yield row(side, other)
            yield from walk(side, other, variations)
        node, board = main, after


def row(node, board):
    score, clock = node.eval(), node.clock()
    evaluation = ""
    if score is not None:
        white = score.white()
        evaluation = f"#{white.mate()}" if white.is_mate() else str(white.score())
    milliseconds = "" if clock is None else str(round(clock * 1000))
    return (node.ply() - node.game().ply(), evaluation, milliseconds, fen(board))


def fen(board):
    """FEN with the rights of corners as KQkq."""
    fields = board.fen(shredder=True).split(" ")
    for letters in ("HK", "AQ", "hk", "aq"):
        fields[2] = fields[2].replace(*letters)
    order = "KQHGFEDCBAkqhgfedcba-"
    fields[2] = "".join(sorted(fields[2], key=order.index))
    return " ".join(fields)


def main():
    command, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 300
    random.seed(1)
    positions = 0
    for style in ("lf", "crlf"):
        games = [random_game(number) for number in range(count // 2)]
        text = write(games, style)
        with tempfile.NamedTemporaryFile(suffix=".pgn") as file:
            file.write(text)
            file.flush()
            for variations in (False, True):
                options = ["--variations"] if variations else []
                run = subprocess.run([command, *options, file.name], capture_output=True, check=True)
                assert not run.stderr, run.stderr.decode()[:1000]
                lines = iter(run.stdout.decode().splitlines())
                for number, (ply, evaluation, clock, board) in expected(text, variations):
                    fields = next(lines).split("\t")
                    found = (int(fields[0]), int(fields[1]), fields[3], fields[4], fields[6])
                    assert found == (number, ply, evaluation, clock, board), (found, (number, ply, evaluation, clock, board))
                    positions += 1
                assert next(lines, None) is None
    print(f"{count} random games: {positions} positions are those of python-chess")


if __name__ == "__main__":
    main()
