//! The longer texts of `--help`.

use slider_attacks_arrow::Product;

/// Of the command.
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
Exit codes: 0 for success, 1 for bad input or a failed check, 2 for a wrong
command line, 128 plus the number of a signal after that signal.";

/// Of `show`.
pub const SHOW_HELP: &str = "\
In a drawn number, bit 0 is a1 and bit 63 is h8. In a drawn index, bit 0 is on
the left. S is the slider.

Examples:
  slider-attacks show fill-up d4 0x0000200000000200 --line diagonal
  slider-attacks show rotated e4 0x00ff00000000ff00";

/// Of `attacks`.
pub const ATTACKS_HELP: &str = "\
Input: FEN or EPD, one position per line; or CSV, JSON lines or Parquet with the
positions in a column or field named fen. See `slider-attacks analyze --help` for
the details of these formats and of compression.

The command checks the first four fields of a position: board, side to move,
castling rights, en passant square. The rest of the line is ignored, and so are
blank lines and lines that start with #. Each side must have exactly one king.
Apart from that, the position need not be possible in a game.

Output: one row per slider, in the order of the input. The sliders of a position
are in the order a1, b1, ... h8. If the input has no positions, there are no rows,
and a note goes to standard error.
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

/// Of `pairs`.
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

/// Of `bench`.
pub const BENCH_HELP: &str = "\
Rows: the backends, and `memory`, which computes nothing, but reads and writes as
many bytes as a call, 17 per pair. With large arrays, a backend can be faster than
`memory`, because it writes around the cache.

Columns:
  pairs       pairs per call; the largest arrays do not fit into the caches
  ns          nanoseconds per pair
  x scalar    how many times as fast as scalar
With --all:
  median      ns of the median turn; the other columns show the fastest turn
  Mpairs/s    millions of pairs per second
  % memory    speed as a percentage of the speed of `memory`

The last lines say whether another backend was faster than the chosen one, by more
than 3 % in both its fastest and its median turn.";

/// Of the inputs of `convert`.
pub const CONVERT_FILES: &str =
    "Files of positions, directories, or patterns like 'games/**/*.pgn'; `-` is standard input";

/// Of `convert`.
pub const CONVERT_HELP: &str = "\
INPUT
Everything that `analyze` reads: see `slider-attacks analyze --help` for the formats,
for directories, patterns, LIST and shards. What is known of a position besides its
board comes from
  PGN, games in tables
              [%eval], the result, the move that was played, the counters
  records of engines
              all that the format has
  FEN, EPD    the counters, the operations ce, c9, hmvc and fmvn, or | score | result
              after the position
  CSV, JSON lines, Parquet
              the columns score, mate, result, halfmove, fullmove and next_uci,
              next_move or next_san where they are there, and the same as of a line
              of FEN; --score, --mate, --result and --move name others
              if there is no next move, but uci or move, the move that led to a
              position is taken as the one played from the position in the row before

Scores are centipawns as white sees them; ce is as the side to move sees it. A mate in
3 moves is 31997, or -31997 if black mates: 32000 without the moves, of which 1000
count at most. A score has 16 bits: a larger one becomes 32767, a smaller one -32768,
or -32767 in binpack and bulletformat with black to move. Fractions are rounded.

OUTPUT
  fen         six fields; 0 and 1 where counters are not known
  epd         four fields, and what is known: c9 the result, ce the score, fmvn and
              hmvc the counters
  text        FEN | score | result, the result as 1.0, 0.5 or 0.0: what bullet reads
  csv, jsonl, parquet
              the columns fen, score, result, halfmove, fullmove, next_uci; what is
              not known is null; next_uci is the move that was played from the position
  bulletformat, marlinformat, viriformat, binpack
              records with which engines are trained

Positions without a score or a result are left out of text and of the last four
formats, and so are those without a move in viriformat and binpack, such as the last
one of a game. The last line of the messages says how many.

Viriformat and binpack have whole games. A game goes on while the move of a position
leads to the next one, and the result stays the same; otherwise another one begins. So
where a position in the middle of a game has no score, two games come of it. Games are
cut after 8192 moves.

Bulletformat keeps no side to move, castling rights, en passant squares and counters,
and every position is as the side to move sees it. In all four, castling rights without
a king and a rook to castle, and en passant squares without a legal capture, are lost.
Marlinformat and viriformat count 255 half moves without a capture or move of a pawn
at most, at the beginning of a game; binpack counts moves from 1 to 8192 there.

Readers of binpack know castling only with a king on e1 or e8 and rooks in the corners.
So other castling rights, as Chess960 has them, are lost there, and positions in which
such a king castles are left out. Messages say how many.

A value that is no score, result, counter or legal move is malformed, as a position
would be: --on-error says what becomes of it. A position with more than 32 pieces is
malformed for the last four formats. --limit counts positions that are read.

The output file appears only when it is complete.

Examples:
  slider-attacks convert games.pgn -o games.binpack --to-ply 80
  slider-attacks convert run.bin --from bulletformat -o run.csv
  slider-attacks convert evals.csv --score cp --to epd | less
  slider-attacks convert 'games/*.epd' --to text > train.txt";

/// Of `analyze`, before the products.
const ANALYZE_INPUT: &str = "\
INPUT
The format is detected from the content. Everything except Parquet may be
compressed with gzip or zstd. Lines end in LF, CRLF or CR.
  FEN, EPD    one position per line; blank lines and lines that start with # are
              skipped
  CSV         has a header; one column holds the positions; columns are separated
              by commas, tabs or semicolons; a quotation mark that is never closed
              makes its line malformed, and the next line is read
  JSON lines  one object per line; one field holds the position
  PGN         games; each gives the position at its beginning and the one after
              each move; the name ends in .pgn, or the first line is a tag
  Parquet     one column holds the positions; must be a file, not standard input;
              needs a command that was built with the feature `parquet`
  records     what engines are trained with; the name ends in .bulletformat,
              .marlinformat, .viriformat, .vf or .binpack, the first bytes are those
              of a binpack, or --from says which format it is
A line, record or game may take up to 1 MiB. Each side must have exactly one king.

FILE can also be
  a directory   all files below it whose names end in .fen, .epd, .csv, .tsv,
                .jsonl, .ndjson, .pgn, .parquet, or as those of records, also with
                .gz or .zst after that
  a pattern     in quotation marks, so that no shell expands it: * and ? for parts
                of a name, ** for any directories, [a-c] for one of some letters
Both give files in the order of their names, directory by directory. They leave out
names that start with a dot, files behind links to directories, and the output of
this run. LIST has one FILE per line; blank lines are skipped.

Columns and fields are found by their exact names, or else without regard to case. If
several match only without case, the first is read, with a warning; two of exactly the
same name are an error.

A column that --column selects may hold a game per row, as PGN has it, with tags or
without, or only its moves, in SAN or UCI; in JSON, also as an array. A column called
movetext or pgn always holds games; any other one except fen does if its first values
are games. Then a row gives all positions of its game. The game begins with the usual
position, or with that of its tag FEN, or else of the column FEN, written so.

With --after-first-move, a row gives the position after the first move of the column
Moves, in UCI: in the puzzles of Lichess, that of FEN is the one before it.

GAMES
Columns of PGN for --keep; any other name is that of a tag, as it is written in the
file, and what is missing is null:
  game        the number of the game, from 1, which `line` shows as well
  ply         how many half moves were played before the position
  san, uci    the move that led to it, as the file has it, and as in UCI
  move        the same in 16 bits: from bit 0 on, the square it starts from, the one
              it goes to, the promotion (knight, bishop, rook, queen), and its kind
              (normal, en passant, castling as king takes rook, promotion)
  next_san, next_uci, next_move
              the same for the move that was played from the position
  halfmove, fullmove
              half moves since the last capture or move of a pawn, and the number of
              the move
  eval, mate  [%eval]: centipawns, or moves to the mate; below zero if good for black
  clk         [%clk] in seconds
  result      1-0, 0-1, 1/2-1/2 or 0-0, from the tag or else from the end of the moves
  depth       with --variations, how many variations the position is in
  fen         the position, with four fields
`all` keeps these and Event, Site, Date, Round, White, Black. Where rows are games, it
keeps all of these but game, and the other columns of the row, which repeat for each
position. There, a name of this list as it is written here is not that of a column.

With --games, the moves of other games are not read. A condition is a tag, one of = != < <= > >=, and a value,
in quotation marks if it has a comma. Several are separated by commas, or --games is
repeated. Numbers are compared as numbers, anything else as text. A missing tag fulfils
nothing, and neither does one such as `?` where the value is a number. Rows with games
have no --games.

A mistake in a game leaves out the rest of that game only, with --on-error skip; null
and report give one row for it. A game gives at most 8192 positions.

RECORDS
Columns of records of engines for --keep; `all` keeps those that the format has:
  score       as white sees it (in bulletformat, as the side to move does), in the
              unit of the engine, as a rule centipawns; mates are large numbers, unlike
              in eval, which has none
  result      1-0, 0-1 or 1/2-1/2
  fen         the position, with four fields
  halfmove, fullmove   the counters, as in FEN; not in bulletformat
  next_uci, next_move
              the move that was played from the position, as in UCI, and in 16 bits as
              above; in viriformat and binpack
In bulletformat, white is always to move, because the colours of other positions are
swapped. What is wrong in a game of viriformat or in a chunk of a binpack leaves out
the rest of it. A game of viriformat gives at most 8192 positions.

OUTPUT
One row per position, in the order of the input. `line` is the number of the input
line, of the row in Parquet, of the game in PGN and viriformat, of the record, or of
the chunk of a binpack, from 1. With several FILEs, a directory, a pattern or LIST, the
column `file` comes first, except with --output-dir. The columns of the products, which
--what defines:";

/// Of `analyze`, after the products.
const ANALYZE_OUTPUT: &str = "\
A piece attacks the squares that it could capture on if an enemy stood there:
  - No column has en passant captures.
  - A pinned piece still attacks and defends.
  - A check is also a threat, to the king.
--what boards comes before the products: a set of squares for each piece of each side,
`white_pawn` to `black_king`; `side_to_move` (w or b) and `castling` (as in FEN);
`en_passant`, the number of a square from a1 = 0 to h8 = 63, or null.

FORMATS
A set of squares is `0x` and 16 digits in CSV and JSON lines, and a 64-bit number in
the other formats; bit 0 = a1, bit 63 = h8. A threat in CSV and JSON lines is Qd1xpd5:
attacker, from, victim, to, with letters as in FEN. In Parquet, it is a struct of four
numbers: attacker, from, to, victim (the codes of the letters, squares from 0). In
NumPy, it is a row of the same four numbers in threats.npy; the threats of position i
are the rows from threats_offsets.npy[i] up to, but not including, [i + 1]. In NumPy,
`file` is the number of the FILE, from 0. Columns to --keep and `en_passant` are integers
of 64 bits with a sign, or floats of 64 bits where one is missing (NaN); a column of
text, such as one of CSV or a tag, is one of floats, and empty values, `?` and `-` are
missing. A value that is not a number ends the run. `side_to_move` and `castling` are
texts of four letters.

Columns copied with --keep, by the format of the output:
  Parquet     columns of Parquet keep their type, and numbers of PGN and records are
              numbers; all others are text, including fields of JSON lines that are
              numbers or nested; at most 4096 columns
  JSON lines  values are numbers, true or false, null, text, or, if nested, arrays
              and objects; fields of JSON lines are copied unchanged
  CSV         nested values are JSON text; null is an empty field; texts are as in the
              input, also =1+2, which spreadsheets compute: --csv-safe writes '=1+2
In CSV and JSON lines, times of Parquet follow RFC 3339, in UTC if they have a time
zone (2024-01-31T12:00:00Z), and durations ISO 8601. Decimal numbers are text with all
digits, and bytes are hexadecimal.

OUTPUT FILES
-o creates missing directories, and the file appears only when it is complete. A run
that fails or is interrupted leaves an existing file unchanged. The new file takes the
permissions and, if possible, the owner of the file that it replaces. With --format
npy, -o names a directory of arrays, one per column. Either all of them appear or
none; other files in the directory stay as they are. A run that is killed, or whose
machine fails, can leave hidden files named .slider-attacks-*.

With --output-dir, the output of games/a.epd is DIR/a.epd.csv (or .jsonl, .parquet,
or for NumPy a directory DIR/a.epd). Files below a directory or the fixed part of a
pattern keep their path from there. Each output appears when it is complete. If a run
fails, the same command does the rest: it leaves out inputs whose output exists, and
names them on standard error. It does not check content or age, so add --overwrite if
options or inputs have changed. An input that cannot be read ends the run. With
--on-error skip, the run goes on with the next input: the one that failed has no output,
and in the end the command lists those that failed, with exit code 1.

WARNINGS
A tag or a field that --keep, --by or --games names, and that no game or row has, is a
warning on standard error, with the most similar name. With --on-error skip, the first 20
messages are shown and the others counted. Where every position is malformed, the exit
code is 1 and no output file appears.

SHARDS
`--shard K/N` reads part K of N of the input, so that N jobs share the work. The
files, one after the other, are cut into N parts of the same number of bytes. A file
belongs to the part that has its middle byte. A Parquet file that spans several parts
is cut between row groups, by the same rule. If they are not compressed, PGN is cut
before games, and bulletformat and marlinformat between records, except with
--output-dir; each job counts the games before its part. So each row is in exactly one
shard, and the outputs of shards 1 to N, joined in this order, are the output of the
whole (use --no-header for CSV). All jobs must see the same files. A shard can be
empty. With --output-dir, the output for rows 1 to 500 of a.parquet is named
DIR/a.parquet.rows-0001-0500.csv. If you change N or add files, use another directory,
unless no input is cut.

Examples:
  slider-attacks analyze                                    the embedded sample
  slider-attacks analyze games.epd.gz --what maps,threats --format jsonl
  slider-attacks analyze lichess_db_puzzle.csv.zst --after-first-move --keep Rating -o maps.csv
  slider-attacks analyze lichess_db_eval.jsonl.zst --keep evals.0.pvs.0.cp -o maps.csv
  slider-attacks analyze games-of-lichess.csv --column movetext --keep WhiteElo,ply,san -o maps.csv
  slider-attacks analyze train.csv --what counts --format npy -o arrays
  slider-attacks analyze games --what maps --output-dir maps --format parquet
  slider-attacks analyze 'games/**/*.epd' --shard 2/8 -o part-2.csv
  slider-attacks analyze games.pgn --keep White,ply,san,eval --games 'WhiteElo>=2200'
  slider-attacks analyze run.bin --from bulletformat --keep score,result -o run.parquet";

/// Of `analyze`, with the columns of all products.
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

/// A text in lines of 86 columns, indented by so many.
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

/// Of `summarize`.
pub const SUMMARIZE_HELP: &str = "\
INPUT
Everything that `analyze` reads: see `slider-attacks analyze --help` for the formats,
for directories, patterns, LIST, shards and the columns of the products.

GROUPS
Without --by, all positions are one group. Keys are
  side        the side to move: white, black
  phase       opening, middlegame or endgame. Knights and bishops count 1, rooks 2,
              queens 4, which makes 24 at the beginning: 20 or more is the opening,
              8 or less the endgame
  any other   a column of the input, as --keep of `analyze` takes it: a tag of PGN
              such as White, result, ply, a column of CSV; what is missing is a group
              of its own
  NAME:STEP   the same for numbers in steps: ply:10 makes groups of plies 0 to 9, 10
              to 19, …, which are called 0, 10, …; what is no number counts as missing
With several keys, each combination that occurs is a group. There can be 10,000
groups, or fewer with many products.

OUTPUT
For each group, column of a product, and square:
  positions   the number of positions in the group
  count       in how many of them the value is not zero: the square is in the set, or
              its number is not 0, or it is threatened
  share       the same, divided by the number of positions
  sum, mean   the sum of the values, and its mean; for sets the same as count, share
The threats are white_threats and black_threats: threats by white and by black pieces,
by the square that is attacked. Where columns come in pairs for White and Black, such
as white_attackers and black_attackers, a third one, difference_attackers, is White
minus Black in all four. The number of legal_moves is one per position: its square is
null, or nothing in CSV.

  csv, jsonl, parquet
              a row for each of them, with the keys first
  table       a table for each group, with a row per square; before it, numbers per
              position
  npy         a directory: values.npy holds shares of sets and means of numbers, by
              group, column and square; positions.npy the size of each group;
              labels.json what the groups and columns are; a number per position is on
              all squares
  svg         a board for each group and product, all on one scale, 48 at most: of
              pairs the difference, blue where White has more, orange where Black has
  html        a page, in one file that needs no other: a board for each group and
              column, all on one scale, 240 at most. It shows shares, means or White
              minus Black, as the reader chooses, and the numbers of a square that is
              pointed at or reached by arrow keys. With more groups, it has those with
              the most positions, and says so
Groups are in the order of their keys. The output appears only when it is complete.

Examples:
  slider-attacks summarize games.pgn --by phase,side
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
