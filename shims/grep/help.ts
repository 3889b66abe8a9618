/** What `--help` and `--version` print. */

export const VERSION = 'grep (dirigent), behaves as GNU grep 3.8\n';

export const HELP = `Usage: grep [OPTION]... PATTERNS [FILE]...

Without any option, in a place that can be searched by meaning, the first word
is a question and the answer is its ten best lines. With an option, on a pipe
and everywhere else this is GNU grep:

  patterns   -E extended, -F fixed, -G basic, -P Perl; -e PATTERN, -f FILE
             -i any case, -w words, -x whole lines, -v other lines, -z NUL ends lines
  output     -n numbers, -b offsets, -o matches only, -c counts, -l and -L names,
             -H and -h file names, -q nothing, -s no messages, -m NUM at most,
             -A, -B, -C NUM context, -T, -Z, --color=always, --label=NAME
  files      -r, -R recursive; --include, --exclude, --exclude-dir=GLOB,
             --exclude-from=FILE; -a, -I, --binary-files=TYPE; -d ACTION;
             --text-of: documents (PDF, DOCX, …) by their texts, page by page

Status: 0 a line was selected, 1 none was, 2 trouble.
`;
