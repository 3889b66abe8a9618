/** The files that grep's and rg's generated cases search, here and on disk. */

const TEXT = [
  'the quick brown fox',
  'foo bar foo-bar foobar barfoo',
  'aaa abab abcabc aab a',
  'The Quick BROWN Fox',
  'x1 22 333 a1b2c3 _under score_',
  '',
  'tab\there  two spaces ',
  'a.b a*b a+b a?b (a) [a] {1} a{2} ^a$ a|b \\ back',
  'über Straße ΑΒΓ αβγ élan É naïve 日本語 ﬁ',
  'foo',
  'path/to/file.txt:12: error: no such thing',
  'foo.bar(baz, "quux") { return 1; }',
  '  indented line',
  'ab12 cd34 ab12 ab12',
  'word_word word-word word',
  'abcabcabc xyzxyz',
].join('\n');

/** More than GNU reads at once: what comes after is met later. */
const FILLER = `${'filler line '.repeat(12)}\n`.repeat(700);

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'));

/** Content by path; a directory above a file exists because the file does. */
export const FILES: Readonly<Record<string, string | Uint8Array>> = {
  '/t/one.txt': `${TEXT}\n`,
  '/t/two.txt': 'foo\nbar\nbaz\n\nfoo bar\nqux\nfoo\nlast without end',
  '/t/empty.txt': '',
  '/t/nl.txt': '\n\n\nfoo\n\n',
  '/t/code.c': 'int main(void) {\n  return foo(1) + 22;\n}\n/* FOO bar */\n',
  '/t/crlf.txt': 'foo\r\nbar\r\n\r\nfoo bar\r\nab12 ab\r\n',
  '/t/long.txt': `${'ab '.repeat(1500)}foo${' x1'.repeat(1500)}\nshort foo\n${'a'.repeat(3000)}`,
  '/t/-dash': 'foo of dash\n',
  '/t/sp ace.txt': 'foo in space\nbar\n',
  '/t/sub/deep.txt': 'deep foo\nBar\nfoo bar\n',
  '/t/sub/deep.c': 'static int foo;\nint bar = 22;\n',
  '/t/sub/.hidden': 'hidden foo\n',
  '/t/sub/more/x.md': '# foo\n\n- bar\n- aab ab\n',
  '/t/sub/more/y.txt': 'foo\nab ab\n',
  '/t/other/deep.txt': 'other foo\n',
  '/t/bin.dat': bytes('foo\0bar\nfoo bar\nbaz\n'),
  '/t/late.dat': bytes(`foo first\n${FILLER}foo\0late\nbar\n`),
  '/t/inv.txt': bytes(
    'plain foo\nbad \xff foo\nbar\xe9\n\xc3\xa9 foo\nab\xe2\x82 ab\n\x80foo bar\n',
  ),
  '/t/zero.dat': bytes('foo\0bar foo\0\0line\nin foo\0last ab'),
  '/t/patterns': 'foo\nab*\n',
  '/t/nopatterns': '',
  '/t/emptyline': '\n',
  '/t/excludes': '*.c\ndeep*\n',
};

/** Symbolic links: where each points, as it is written. */
export const LINKS: Readonly<Record<string, string>> = {
  '/t/link.txt': 'two.txt',
  '/t/linkdir': 'sub',
  '/t/dangling': 'nowhere',
  '/t/sub/up.txt': '../one.txt',
  '/t/sub/otherdir': '../other',
};
