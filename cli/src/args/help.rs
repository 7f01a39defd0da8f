//! The longer texts of `--help`.

use slider_attacks_arrow::Product;

/// The help of the command.
pub const EXAMPLES: &str = "\
Examples:
  slider-attacks attacks                   every slider of the embedded sample
  slider-attacks attacks a.epd --format csv
  zcat a.epd.gz | slider-attacks attacks - --slider queen --on-error skip
  echo 'd4 0x00ff00000000ff00' | slider-attacks pairs - --format board
  slider-attacks analyze games.csv.zst -o games.jsonl
  slider-attacks convert games.epd.gz -o games.jsonl
  slider-attacks verify                    check every backend
  slider-attacks show fill-up d4 0x0000200000000200

Results go to standard output. Everything else goes to standard error.
Exit codes: 0 for success, 1 for invalid input or a failed check, 2 for invalid
usage, 128 + N after signal N.";

/// The help of `show`.
pub const SHOW_HELP: &str = "\
In a drawn number, bit 0 is a1 and bit 63 is h8. In a drawn index, bit 0 is on
the left. S is the slider.

Examples:
  slider-attacks show fill-up d4 0x0000200000000200 --line diagonal
  slider-attacks show rotated e4 0x00ff00000000ff00";

/// The help of `perft`.
pub const PERFT_HELP: &str = "\
A line that ends in mate or stalemate before the depth has no leaf. Moves are in UCI;
castling is the move of the king to its rook, as in Chess960. Threads share the
positions after the first plies, so short counts take one thread.

Examples:
  slider-attacks perft --depth 5
  slider-attacks perft 'rkr5/p1p5/8/8/8/8/P1P5/RKR5 w CAca -' --depth 4 --divide";

/// The help of `attacks`.
pub const ATTACKS_HELP: &str = "\
Input: FEN or EPD, one position per line; or CSV, JSON lines or Parquet with the
positions in a column or field named fen. `slider-attacks analyze --help` describes
these formats and compression.

Each line needs the first four fields of a position: board, side to move, castling
rights, en passant square. The rest of the line is ignored, and so are blank lines
and lines that start with #. Each side must have exactly one king. Otherwise, the
position need not be reachable in a game.

Output: one row per slider, in the order of the input. The sliders of a position
are in the order a1, b1, ... h8. If the input has no positions, no rows are written,
and standard error has a note.
  line        number of the input line, or of the row in Parquet, from 1
  piece       letter as in FEN: R, B, Q for white, r, b, q for black
  square      the square of the slider
  occupancy   all pieces on the board, bit 0 = a1, bit 63 = h8
  attacks     the attacked squares, up to and including the first piece in
              each direction, whatever its colour
  count       number of attacked squares

Examples:
  slider-attacks attacks --format board | less
  slider-attacks attacks a.epd --slider rook,queen --format jsonl
  slider-attacks attacks a.epd --on-error skip > rows.txt";

/// The help of `pairs`.
pub const PAIRS_HELP: &str = "\
Input: one pair per line: a square (e4, or a number from 0 to 63 with a1 = 0,
b1 = 1, h8 = 63) and an occupancy (hexadecimal with 0x, or decimal), separated by
blanks. Blank lines are skipped, and so is everything from a # to the end of its
line. The input may be compressed with gzip or zstd.

Output: one row per pair, in the order of the input: line, slider, square,
occupancy, attacks, count.

Examples:
  echo 'e4 0x10000000000000' | slider-attacks pairs -
  slider-attacks pairs pairs.txt --slider rook --format csv";

/// The help of `bench`.
pub const BENCH_HELP: &str = "\
Rows: the backends, and `memory`, which only reads and writes as many bytes as a call,
17 per pair. With large arrays, a backend can be faster than `memory`, because it
bypasses the cache.

Columns:
  pairs       pairs per call; the largest arrays do not fit into the caches
  ns          nanoseconds per pair
  x scalar    speed relative to scalar
With --all:
  median      ns of the median turn; the other columns show the fastest turn
  Mpairs/s    millions of pairs per second
  % memory    speed as a percentage of the speed of `memory`

The last lines report whether another backend was faster than the selected one, by
more than 3 % in both its fastest and its median turn.";

/// The help of the inputs of `convert`.
pub const CONVERT_FILES: &str =
    "Files of positions, directories, or patterns like 'games/**/*.pgn'; `-` is standard input";

/// The help of `convert`.
pub const CONVERT_HELP: &str = "\
INPUT
The same as for `analyze`: `slider-attacks analyze --help` describes the formats,
directories, patterns, LIST and shards. Besides the board, the converter reads from
  PGN, games in tables
              [%eval], the result, the move played, the counters
  training records
              everything that the format stores
  FEN, EPD    the counters, the operations ce, c9, hmvc and fmvn, or | score | result
              after the position
  CSV, JSON lines, Parquet
              the columns score, mate, result, halfmove, fullmove and next_uci,
              next_move or next_san if present, and the same as from a line of FEN;
              --score, --mate, --result and --move name other columns
              without a next move, but with uci or move, the move that led to a
              position counts as the one played from the position of the row before

Scores are centipawns from White's view; ce is from the view of the side to move. A
mate in 3 moves is 31997, or -31997 if Black mates: 32000 minus the moves, at most
1000. Scores have 16 bits: larger ones become 32767, smaller ones -32768, or -32767 in
binpack and bulletformat with Black to move. Fractions are rounded.

OUTPUT
  fen         six fields; unknown counters are 0 and 1
  epd         four fields, and the known operations: c9 the result, ce the score, fmvn
              and hmvc the counters
  text        FEN | score | result, the result as 1.0, 0.5 or 0.0, for bullet
  csv, jsonl, parquet
              the columns fen, score, result, halfmove, fullmove, next_uci; unknown
              values are null; next_uci is the move played from the position
  bulletformat, marlinformat, viriformat, binpack
              training records of engines

Positions without a score or a result are left out of text and of the last four
formats, and those without a move of viriformat and binpack, such as the last one of a
game. The last message has their number.

Viriformat and binpack store whole games. A game continues while the move of a position
leads to the next one and the result stays the same; otherwise another one begins. So
a position without a score splits a game in two. Games are split after 8192 moves.

Bulletformat stores no side to move, castling rights, en passant square or counters,
and every position is from the view of the side to move. In all four, castling rights
without a king and a rook to castle, and en passant squares without a legal capture,
are lost. At the beginning of a game, marlinformat and viriformat count at most 255
half moves without a capture or pawn move; binpack counts moves from 1 to 8192.

Readers of binpack support castling only with a king on e1 or e8 and rooks in the
corners. So other castling rights, as in Chess960, are lost there, and positions in
which such a king castles are left out. Messages have their number.

An invalid score, result, counter or move is handled like a malformed position, as
--on-error says. A position with more than 32 pieces is malformed for the last four
formats. --limit counts positions that are read.

The output file appears only once it is complete.

Examples:
  slider-attacks convert games.pgn -o games.binpack --to-ply 80
  slider-attacks convert run.bin --from bulletformat -o run.csv
  slider-attacks convert evals.csv --score cp --to epd | less
  slider-attacks convert 'games/*.epd' --to text > train.txt";

/// The help of `analyze`, before the products.
const ANALYZE_INPUT: &str = "\
INPUT
The format is detected from the content. All formats except Parquet may be compressed
with gzip or zstd. Lines end in LF, CRLF or CR.
  FEN, EPD    one position per line; blank lines and lines that start with # are
              skipped
  CSV         has a header; one column holds the positions; columns are separated
              by commas, tabs or semicolons; after an unterminated quotation mark,
              only its line is malformed
  JSON lines  one object per line; one field holds the position
  PGN         games; each yields its starting position and the position after each
              move; the name ends in .pgn, or the first line is a tag
  Parquet     one column holds the positions; must be a file, not standard input;
              needs the command built with the feature `parquet`
  records     training data of engines; the name ends in .bulletformat,
              .marlinformat, .viriformat, .vf or .binpack, the first bytes are those
              of a binpack, or --from names the format
A line, record or game may take up to 1 MiB. Each side must have exactly one king.

FILE can also be
  a directory   all files below it whose names end in .fen, .epd, .csv, .tsv,
                .jsonl, .ndjson, .pgn, .parquet, or an extension of records, also
                followed by .gz or .zst
  a pattern     quoted, so that the shell does not expand it: * and ? for parts of a
                name, ** for any directories, [a-c] for one of several letters
Both yield files sorted by name, directory by directory, without hidden files, files
behind links to directories, and the output of this run. LIST has one FILE per line;
blank lines are skipped.

Columns and fields are matched by exact name, otherwise ignoring case. If several
match only ignoring case, the first is read, with a warning. Duplicate names are an
error.

The column that --column selects may hold a game per row: PGN with or without tags, or
only moves, in SAN or UCI; in JSON, also an array of moves. A column named movetext or
pgn always holds games; any other except fen does if its first values are games. Then
a row yields all positions of its game. The game starts from the position in its tag
FEN, else in the column FEN (in capitals), else from the standard starting position.

With --after-first-move, a row yields the position after the first move of the column
Moves, in UCI: in Lichess puzzles, FEN is the position before that move.

GAMES
Columns of PGN for --keep; any other name is that of a tag, as written in the file.
Missing values are null:
  game        the number of the game, from 1, which is also in `line`
  ply         the number of half moves before the position
  san, uci    the move that led to it, as written in the file, and in UCI
  move        the same in 16 bits: from bit 0 on, the origin square, the target square,
              the promotion (knight, bishop, rook, queen), and the kind (normal, en
              passant, castling as king takes rook, promotion)
  next_san, next_uci, next_move
              the same for the move played from the position
  halfmove, fullmove
              half moves since the last capture or pawn move, and the move number
  eval, mate  [%eval]: centipawns, or moves to mate; negative if good for Black
  clk         [%clk] in seconds
  result      1-0, 0-1, 1/2-1/2 or 0-0, from the tag, else from the end of the moves
  depth       with --variations, the nesting depth of variations
  fen         the position, with four fields
`all` keeps these and Event, Site, Date, Round, White, Black. If rows are games, it
keeps all of these except game, and the other columns of the row, which repeat for
each position. Names in this list then take precedence over columns of the same name.

With --games, the moves of other games are not parsed. A condition is a tag, one of
= != < <= > >=, and a value, in quotation marks if it contains a comma. Separate several
conditions by commas, or repeat --games. Numbers are compared as numbers, other values
as text. A missing tag meets no condition, nor does one such as `?` if the value is a
number. --games does not apply to rows with games.

With --on-error skip, an error in a game leaves out only the rest of that game; null
and report write one row for it. A game has at most 8192 positions.

RECORDS
Columns of training records for --keep; `all` keeps those that the format has:
  score       from White's view (in bulletformat, from that of the side to move), in
              the unit of the engine, usually centipawns; mates are large numbers,
              unlike in eval, which has none
  result      1-0, 0-1 or 1/2-1/2
  fen         the position, with four fields
  halfmove, fullmove   the counters, as in FEN; not in bulletformat
  next_uci, next_move
              the move played from the position, in UCI, and in 16 bits as above; in
              viriformat and binpack
In bulletformat, White is always to move, because the colours of other positions are
swapped. An error in a game of viriformat or a chunk of a binpack leaves out the rest
of it. A game of viriformat has at most 8192 positions.

OUTPUT
One row per position, in the order of the input. `line` is the number of the input
line, of the row in Parquet, of the game in PGN and viriformat, of the record, or of
the chunk of a binpack, from 1. With several FILEs, a directory, a pattern or LIST, the
column `file` comes first, except with --output-dir.

With --each-move, one row per legal move of each position: `move`, after `line`, is the
move in UCI, as in the column `uci` of games; products and boards are those of the
position after it. A position without legal moves has no row; a malformed one that null
or report keeps has one, without a move. --limit counts the positions that are read.

The columns of the products, which --what defines:";

/// The help of `analyze`, after the products.
const ANALYZE_OUTPUT: &str = "\
A piece attacks the squares where it could capture an enemy piece:
  - No column includes en passant captures.
  - A pinned piece still attacks and defends.
  - A check is also a threat, to the king.
--what boards comes before the products: a set of squares for each piece of each side,
`white_pawn` to `black_king`; `side_to_move` (w or b) and `castling` (as in FEN);
`en_passant`, the number of a square from a1 = 0 to h8 = 63, or null.

FORMATS
A set of squares is `0x` and 16 digits in CSV and JSON lines (those of `targets` without
zeros at the beginning), and a 64-bit number in the other formats; bit 0 = a1, bit 63 =
h8. A threat in CSV and JSON lines is Qd1xpd5:
attacker, from, victim, to, with letters as in FEN. In Parquet, it is a struct of four
numbers: attacker, from, to, victim (the codes of the letters, squares from 0). In
NumPy, it is a row of the same four numbers in threats.npy; the threats of position i
are the rows from threats_offsets.npy[i] up to, but not including, [i + 1]. So it is
with moves, which are UCI in CSV and JSON lines, and else 16 bits: from, to (6 each),
promotion (2: n, b, r, q) and kind (2: normal, en passant, castling, promotion). In NumPy,
`file` is the number of the FILE, from 0. Kept columns and `en_passant` are signed 64-bit
integers, or 64-bit floats if a value is missing (NaN); text columns, such as those of
CSV or tags, become floats, with empty values, `?` and `-` missing. Any other value that
is not a number ends the run. `side_to_move` and `castling` are texts of four letters.

Columns copied with --keep, by the format of the output:
  Parquet     columns of Parquet keep their type, and numbers of PGN and records are
              numbers; all others are text, including fields of JSON lines that are
              numbers or nested; at most 4096 columns
  JSON lines  values are numbers, true or false, null, text, or, if nested, arrays
              and objects; fields of JSON lines are copied unchanged
  CSV         nested values are JSON text; null is an empty field; texts are as in the
              input, even =1+2, which spreadsheets evaluate: --csv-safe writes '=1+2
In CSV and JSON lines, times of Parquet follow RFC 3339, in UTC if they have a time
zone (2024-01-31T12:00:00Z), and durations ISO 8601. Decimal numbers are text with all
digits, and bytes are hexadecimal.

OUTPUT FILES
-o creates missing directories, and the file appears only once it is complete. A run
that fails or is interrupted leaves an existing file unchanged. The new file inherits
the permissions and, if possible, the owner of the file that it replaces. It cannot
replace an input. With --format npy, -o names a directory of arrays, one per column.
Either all of them appear or none; other files in the directory are unchanged. A run
that is killed, or whose machine crashes, can leave hidden files named
.slider-attacks-*.

With --output-dir, the output of games/a.epd is DIR/a.epd.csv (or .jsonl, .parquet,
or for NumPy a directory DIR/a.epd). Files below a directory or the fixed part of a
pattern keep their relative path. Each output appears once it is complete. To resume a
failed run, repeat the same command: it skips inputs whose output exists, and lists
them on standard error. It does not check content or age, so add --overwrite if inputs
have changed. The options of the outputs are in DIR/.slider-attacks.csv.json, or the
same for another format: a run with others is an error that names the option. Only
--on-error fail may become skip or null. If that file is missing, other files below DIR
that end in .csv (or .jsonl, .parquet, .npy) are an error, unless they are inputs.

FILES THAT FAIL
A FILE that is missing or damaged, lacks the column, or has a malformed line that is not
skipped ends the run. With --keep-going, or --output-dir and --on-error skip, the run
continues with the next FILE: those that failed are listed at the end, with exit code 1.
With --output-dir, they have no output; otherwise the rows before the error stay, except
in `summarize`, which adds nothing of them. If all fail, no output file appears.

--max-errors NUMBER ends the run after more than that many errors: malformed lines that
are skipped or null, and FILEs that fail.

--report FILE writes JSON, also if the run fails: status (running, succeeded or failed;
one that a signal ends stays running), exit_code, error, started, seconds, version,
command, options, totals, and for each of the inputs its status (succeeded, failed,
already_done or not_read), output, positions, null, skipped, left_out, error, and in
malformed the first 20 messages, of all inputs at most 10,000. The file appears at the
start and is replaced at the end, as a whole each time. It replaces a report or an empty
file, such as one of mktemp; any other file is an error. Invalid usage, exit code 2, has
no report.

WARNINGS
If no game or row has a tag or field that --keep, --by or --games names, a warning on
standard error suggests the most similar name. With --on-error skip, the first 20
messages are printed and the others counted. If every position is malformed, the exit
code is 1 and no output file appears.

CONDITIONS
`--where CONDITION` takes only the positions for which the condition holds. With
--each-move, it is about the position after each move, and `move` is that move. What is
left is for --unique, --key-shard and --limit. The last message has the number of
positions that were left out. Malformed rows that --on-error keeps stay. Columns that
only the condition names are read, and not written.
  names       the columns below; white_pawns to black_kings, pawns to kings, white,
              black, occupied, empty; e4, files(\"a-c\"), ranks(\"2-4\"), light, dark,
              center, 0x00ff; any other name, and any in backquotes, is a column of the
              input, as for --keep
  sets        & | ^ ~ -, north(set) to southwest(set), flipped(set), between(set, set),
              attacks_of(queen, set)
  numbers     + - *, count(set), abs(number), white_attackers[e4], count(moves),
              sum(white_attackers, set), max(white_attackers, set), if(condition, 1, 2)
  conditions  and, or, not; = != < <= > >=; in (1, 2); starts_with(ECO, \"B\"); a set
              holds if it has a square, a number of the position if it is above 0
  the game    turn = white, phase = endgame, material = \"KRPkr\"
  images      either(condition): also with colours swapped and the board upside down;
              mirrored(condition): also with left and right exchanged
  moves       after(condition): it holds after a legal move; count_moves(condition);
              move_captures, move_promotes, move_checks: the move in next_uci
  patterns    board(\"8/8/8/3pP3/8/8/8/8\"): these pieces, and anything else;
              imbalance(\"BvN\"): what White and Black have more
A value of the input is a text if it is compared with a text, and a number
if compared with a number. One that is missing, or no number, meets no comparison. Two
columns are compared as numbers if both are, and as texts if neither is. A condition is
about the board as it is, whatever --perspective.

REPEATED POSITIONS
`--unique` takes each position once, the first in the order of the input, with any
number of --threads. Positions are equal
  position    if they have the same pieces, side to move, castling rights and legal
              captures en passant; the default
  canonical   also if they are mirror images: with colours swapped; if nobody may
              castle, also left to right; without pawns, in all eight ways
  polyglot    if Polyglot's opening books have one key for both
Their keys of 64 bits are compared. Among a billion positions, 0.03 pairs are expected
that differ but have the same key. A key takes 12 bytes, and all take at most
--unique-memory: by default 2 GiB, for 178 million. Beyond that, the run fails.
`--key-shard K/N` takes only the positions of part K of N, which depends on their keys
alone: N runs with --unique, one for each part, take what one run with N times the
memory would take, and need no order of their own.

--limit counts the positions that are taken; how many were left out is on standard
error. --unique works across all inputs, so it does not go with --output-dir; with
--shard, it works within the shard. Malformed rows that --on-error keeps are always
taken, in part 1. What `convert` leaves out because it lacks a score counts as well.

SHARDS
`--shard K/N` reads part K of N of the input, so that N jobs share the work. The
sequence of files is divided into N parts with about as many positions each, as samples
of the files have them. A Parquet file that spans several parts is split between row
groups, and any other that is not compressed between lines, rows, games, records, or
chunks of a binpack; each job counts those before its part. A compressed file belongs to
the part that has its middle, and so does a table if `convert` takes the moves from the
next rows. So each row is in exactly one shard, and the outputs of shards 1 to N,
concatenated in this order, equal the output of a whole run (use --no-header for CSV);
binpacks have the same positions, in other chunks. All jobs must see the same files. A shard can be empty. With
--output-dir, the output for rows 1 to 500 of a.parquet is named
DIR/a.parquet.rows-0001-0500.csv, and that for the first 70 bytes of a.pgn
DIR/a.pgn.bytes-0000000000000-0000000000069.csv. If you change N or add files, use
another directory, unless no input is split.

Examples:
  slider-attacks analyze                                    the embedded sample
  slider-attacks analyze games.epd.gz --what maps,threats --format jsonl
  slider-attacks analyze lichess_db_puzzle.csv.zst --after-first-move --keep Rating -o maps.csv
  slider-attacks analyze lichess_db_eval.jsonl.zst --keep evals.0.pvs.0.cp -o maps.csv
  slider-attacks analyze games-of-lichess.csv --column movetext --keep WhiteElo,ply,san -o maps.csv
  slider-attacks analyze train.csv --what counts --format npy -o arrays
  slider-attacks analyze games.epd --each-move --what forks,hanging --keep fen
  slider-attacks analyze games --what maps --output-dir maps --format parquet
  slider-attacks analyze 'games/**/*.epd' --shard 2/8 -o part-2.csv
  slider-attacks analyze games.pgn --keep White,ply,san,eval --games 'WhiteElo>=2200'
  slider-attacks analyze run.bin --from bulletformat --keep score,result -o run.parquet";

/// The help of `analyze`, with the columns of all products.
pub fn analyze() -> String {
    format!("{ANALYZE_INPUT}\n{}\n{ANALYZE_OUTPUT}", columns())
}

/// A line for each column of each product, with what it holds.
fn columns() -> String {
    let columns = || Product::ALL.iter().flat_map(|product| product.columns());
    // How many columns of a terminal the names take, with an indentation and with gaps.
    let product_width = 4 + Product::ALL.iter().map(|product| product.name().len()).max().unwrap_or(0);
    let column_width = 2 + columns().map(|column| column.name().len()).max().unwrap_or(0);
    let mut lines = String::new();
    for product in Product::ALL {
        let mut name = product.name();
        for column in product.columns() {
            let indented = format!("  {name}");
            let meaning = wrapped(column.meaning(), product_width + column_width);
            lines += &format!("{indented:product_width$}{:column_width$}{meaning}\n", column.name());
            name = "";
        }
    }
    lines
}

/// A text in lines of 86 columns, indented by `indent`.
fn wrapped(text: &str, indent: usize) -> String {
    let (mut lines, mut length) = (String::new(), indent);
    for word in text.split(' ') {
        if length > indent && length + 1 + word.len() > 86 {
            lines += &format!("\n{:indent$}", "");
            length = indent;
        } else if length > indent {
            lines.push(' ');
            length += 1;
        }
        lines += word;
        length += word.len();
    }
    lines
}

/// The help of `summarize`.
pub const SUMMARIZE_HELP: &str = "\
INPUT
The same as for `analyze`: `slider-attacks analyze --help` describes the formats,
directories, patterns, LIST, shards and the columns of the products.

GROUPS
Without --by, all positions are one group. Keys are
  side        the side to move: white, black
  phase       opening, middlegame or endgame. Knights and bishops count 1, rooks 2,
              queens 4, so the starting position has 24: 20 or more is the opening,
              8 or less the endgame
  any other   a column of the input, as for --keep of `analyze`: a tag of PGN such as
              White, result, ply, a column of CSV; missing values form a group
  NAME:STEP   the same for numbers in steps: ply:10 makes groups of plies 0 to 9, 10
              to 19, …, named 0, 10, …; values that are not numbers below 10^15 count as
              missing
With several keys, each combination that occurs is a group. With --each-move, the key
`move` is the legal move, and all others but columns are those of the position after it.

Any number of groups is summed exactly. A group takes 1 KiB of memory for each column of
sets or numbers, and all take --group-memory, by default 64 MiB. Beyond that, they go to
temporary files in the directory TMPDIR, compressed, which vanish with the process. Only
svg and html have a maximum of 10,000 groups, or fewer with many products. The values of
a group's keys may have 64 KiB.

OUTPUT
For each group, column of a product, and square:
  positions   the number of positions in the group
  count       the number of positions where the value is not zero: the square is in the
              set, has a number other than 0, is threatened, or a move goes there
  share       count divided by positions
  sum, mean   the sum of the values, and their mean; for sets the same as count, share
Threats are summed as white_threats and black_threats: threats by White and by Black,
by the attacked square. For each pair of columns, such as white_attackers and
black_attackers, a third one, difference_attackers, is White minus Black in all four.
The number of legal_moves is one per position: its square is null, or empty in CSV.

  csv, jsonl, parquet
              a row for each of them, with the keys first
  table       a table for each group, with a row per square, after the numbers per
              position
  npy         a directory: values.npy holds shares of sets and means of numbers, by
              group, column and square; positions.npy the size of each group;
              labels.json the groups and columns; a number per position is on all
              squares
  svg         a board for each group and product, on one colour scale, at most 48: for
              pairs the difference, blue where White has more, orange where Black has
  html        a self-contained page: a board for each group and column, on one colour
              scale, at most 240, those of the groups with the most positions. The
              reader switches between shares, means, and White minus Black, and reads
              the numbers of a square with the pointer or the arrow keys
Groups are sorted by their keys. The output appears only once it is complete.

SHARDS
With --merge, the FILEs are outputs of this command in csv, jsonl or parquet, and all
their sums are added up, exactly. Repeat the options of these runs. Parquet records
them, and the shard: other options, and shards that are repeated or missing, are an
error. In csv and jsonl, only products and keys are known, and csv must be written
without --csv-safe. Prefer parquet, which is either complete or an error: a text that
ends after a group looks complete. With --unique, use --key-shard and parquet.

Examples:
  slider-attacks summarize games.pgn --by phase,side
  slider-attacks summarize games.pgn --by result --shard 1/2 -o 1.csv
  slider-attacks summarize games.pgn --by result --shard 2/2 -o 2.csv
  slider-attacks summarize --merge 1.csv 2.csv --by result -o control.html
  slider-attacks summarize games.pgn --by White --games 'WhiteElo>=2200' -o players.csv
  slider-attacks summarize games.pgn --what maps,pins --by ply:10 -o plies.parquet
  slider-attacks summarize games.epd -o control.svg
  slider-attacks summarize games.pgn --what counts,mobility --by phase -o control.html";

#[test]
fn names_of_columns_stand_apart_from_what_they_hold() {
    let help = columns();
    for (product, column) in
        Product::ALL.iter().flat_map(|product| product.columns().iter().map(move |it| (product, it)))
    {
        let place = help.find(&format!("  {}  ", column.name()));
        assert!(place.is_some(), "{}\n{help}", column.name());
        assert!(format!("\n{help}").contains(&format!("\n  {}  ", product.name())), "{}\n{help}", product.name());
    }
    assert!(help.lines().all(|line| line.len() <= 86), "{help}");
}
