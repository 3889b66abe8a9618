/**
 * Patterns that are known to make backtracking matchers run for ever: from
 * textbooks on denial of service by regular expressions, from published
 * vulnerabilities of packages, and the usual families of them.
 */

/** In extended syntax, which PCRE and Rust read the same way. */
const EVERYWHERE: readonly string[] = [
  // A repetition of a repetition.
  ...['(a+)+$', '(a*)*$', '(a+)*$', '(a*)+$', '^(a+)+$', '^(a*)*$', '((a+)+)+$', '(((a+)+)+)+$'],
  ...['(a+)+b', '(a*)*b', '(a+b?)+$', '(a?a+)+$', '(a+a?)+$', '(a+a+)+$', '(x+x+)+y', '(x+x+)*y'],
  ...['(.+)+$', '(.*)*$', '(.+)*!$', '([a-z]+)+$', '([a-z]+)*$', '([a-zA-Z]+)*$', '([a-z0-9]+)+$'],
  ...['([^,]+)+,$', '([^"]+)+"$', '([^<]+)*<$', '(.+,)+$', '(.*,)*$', '(.+;)+$', '([a-z]+ ?)+$'],
  ...['([a-z]+ *)+$', '([a-z]*-?)*$', '(([a-z])+.)+[A-Z]([a-z])+$', '^(([a-z])+.)+[A-Z]([a-z])+$'],
  ...['([[:alnum:]]+)+$', '([[:space:]]+)+$', '([[:alpha:]]+[[:digit:]]*)+$', '(([0-9]+)+)+$'],
  ...[
    '((a{1,5}){1,5}){1,5}$',
    '(a{1,10})+$',
    '(a{2,}){2,}b',
    '((ab)+)+$',
    '((ab)*)*$',
    '((abc)+)+$',
  ],
  ...['((a|b)+)+$', '((a|b)*)*c', '([ab]+)+c', '(([ab]+)c?)+$', '((a*)b*)*c', '((a*)(b*))*c'],
  // Alternatives that overlap.
  ...[
    '(a|aa)+$',
    '(a|aa)*$',
    '(a|a?)+$',
    '(a|a)*$',
    '(a|a)+b',
    '(a|ab)*c',
    '(ab|a)*c',
    '(a|aa|aaa)+$',
  ],
  ...[
    '(a|b|ab)*c',
    '(a|ab|b)*c',
    '(aa|aaa)*b',
    '(.|a)*b',
    '(a|.)+$',
    '(a|[a-z])*$',
    '([a-z]|a)+!$',
  ],
  ...[
    '(x|xx|xxx)+y',
    '(0|00|1)+$',
    '(a|b|[ab])*$',
    '(foo|foobar|foofoo)*$',
    '(aa*|a*a)*b',
    '(a+|b+|c+)*$',
  ],
  ...['(a|b|c|d|e|[a-e])*f', '(a*|b*)*c', '(a?b?|ba)*c', '((a|aa)(a|aa))*b', '(a|(b|(a|b)))*c'],
  ...['^(a|a|a|a)*$', '^(a|aa)+(b|bb)+$', '(1|11)+(2|22)+$', '^(.|.)*$', '^((.|a)+)+$'],
  // Repetitions side by side that take the same text.
  ...[
    'a*a*a*a*a*b',
    'a+a+a+a+a+b',
    '.*.*.*.*x',
    '.*.*.*.*.*=.*',
    'a*a*a*a*a*a*a*a*a*a*b',
    'x*x*x*x*x*y',
  ],
  ...[
    '[a-z]*[a-z]*[a-z]*[0-9]',
    '[a-z]+[a-z]+[a-z]+[0-9]',
    '.+.+.+.+.+!x',
    ' * * * * *x',
    ' *[a ]* *!',
  ],
  ...['(a*)(a*)(a*)(a*)b', '(.*)(.*)(.*)(.*)[xyz]{3}q', '^.*a.*a.*a.*a.*b$', '.*a.*b.*c.*d.*e.*f'],
  ...[
    'a.*a.*a.*a.*a.*z',
    '^(.*),(.*),(.*),(.*),(.*)!$',
    '([a-z]*)*([a-z]*)*9',
    ' +$',
    ' *,',
    '[ ]+x',
    'a*b?a*x',
  ],
  // Counts.
  ...[
    '(a?){20}a{20}b',
    '(a?){50}a{50}',
    '(a?){100}a{100}b',
    '(.*a){8}$',
    '(.*a){12}$',
    '(.*a){20}b',
  ],
  ...[
    '(a{0,20}){0,20}b',
    '(a{0,50}){0,50}b',
    '(a{1,30}){1,30}b',
    '((a{0,10}){0,10}){0,10}b',
    'a{0,1000}b',
  ],
  ...[
    '(ab?){200}c',
    '([a-z]{1,50}){1,50}[0-9]',
    '(a|b)*a(a|b){12}c',
    '(a|b)*a(a|b){16}c',
    '[ab]*a[ab]{10}c',
  ],
  ...[
    '(a{1,3}){3,100}b',
    '(.{0,10}){0,20}x',
    '([ab]{0,30}c?){0,30}d',
    '(a+){10}b',
    '(a+){2,20}b',
    '(a*){10,}b',
  ],
  ...['((.*){1,100}){1,5}!x', '(x{0,100}y{0,100}){0,20}z', '.{0,200}.{0,200}z', '(a|aa){1,40}b'],
  // As they were published.
  ...[
    '^([a-zA-Z0-9])(([.-]|[_]+)?([a-zA-Z0-9]+))*(@)[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$',
  ],
  ...[
    '^([a-zA-Z0-9_.-])+@(([a-zA-Z0-9-])+.)+([a-zA-Z0-9]{2,4})+$',
    '^([a-z0-9]+([._-][a-z0-9]+)*)+@x$',
  ],
  ...[
    '^(([^<>()]+(.[^<>()]+)*)|(".+"))@(([a-z-]+.)+[a-z]{2,})$',
    '(.*)([0-9])*,(.*)#',
    '^(0?){10,30}1$',
  ],
  ...['^(https?://)?([a-z0-9.-]+).([a-z.]{2,6})([/a-z .-]*)*/?$', '([a-z]+.)+[a-z]+/([a-z]*/?)*$'],
  ...[
    '^[0-9]+(.[0-9]+)*(.[0-9]+)*x$',
    '^([0-9]+[,. ]*)+$',
    '^(-?[0-9]+,?)*$',
    '^(([0-9]{1,3}.?)+)+$',
  ],
  ...[
    '([^=]+=[^;]*;? *)*!$',
    '^[^=]*=([^;]+;*)*$',
    '^( *[a-z]+ *(,| ) *)*$',
    '^("([^"]|"")*"|[^,]*)(,("([^"]|"")*"|[^,]*))*!$',
  ],
  ...[
    '<[^>]*(>[^<]*<[^>]*)*x',
    '(<!--.*-->)*x',
    '<([a-z]+)( +[a-z]+="?[^"]*"?)*>!',
    '(/[*].*[*]/)*x',
    '[(]([^()]*[(][^()]*[)])*x',
  ],
  ...[
    '^(.*[.])*[a-z]+$',
    '^((([a-z0-9]+-)*[a-z0-9]+)[.])+$',
    '^([a-z][a-z0-9-]*[.]?)+!$',
    '^([A-Z]?[a-z]+)+$',
  ],
  ...[
    '^(([a-z]|[0-9])+[ _-]?)+$',
    '(([a-z]+)|([0-9]+))*[.]$',
    'charset=([^ ;]+ *)*;x',
    '^[ ]*([a-z]+[ ]*)*:',
  ],
];

/** With back-references, as extended patterns have them. */
const EXTENDED: readonly string[] = [
  ...[
    '(a*)*\\1b',
    '(a|aa)+\\1$',
    '(.*)\\1\\1x',
    '^(a+)\\1+$b',
    '(a*)(a*)\\1\\2b',
    '(.+)+\\1!',
    '(a*)\\1*b',
  ],
  ...[
    '^(aa+)\\1+b',
    '(a+)(b+)\\2\\1c',
    '((a*)\\2)*b',
    '(.*)(.*)(.*)\\3\\2\\1x',
    '(\\w+)\\W+\\1\\W+\\1x',
  ],
];

/** In basic syntax. */
const BASIC: readonly string[] = [
  ...[
    '\\(a*\\)*b',
    '\\(a\\|aa\\)*$b',
    '\\(a*\\)*\\(a*\\)*\\1\\2b',
    '\\(.*\\)*x',
    '\\(\\(a*\\)*\\)*\\2b',
  ],
  ...[
    '\\(a*\\)\\{20\\}b',
    '\\(.*\\)\\1\\1\\1x',
    '.*.*.*.*.*.*x',
    '\\(a\\{0,20\\}\\)\\{0,20\\}b',
    '\\(x\\+x\\+\\)\\+y',
  ],
];

/** What only PCRE has: look-around, laziness, back-references. */
const PERL: readonly string[] = [
  ...[
    '(?=(a+))a*b\\1',
    '^(?=(a+)+$)b',
    '(?:(a+)+)(?=b)',
    '(?<=a)(a+)+$b',
    '(?!(a+)+$)z',
    '^(?!.*(a+)+!x)q',
  ],
  ...[
    '(a+?)+?b',
    '(a*?)*?b',
    '(.*?,)+?x',
    '(.+?)+?!x',
    '(\\w+?\\s?)*?:',
    '(?:a|aa)*?$b',
    '(?i)(a|A)*b',
  ],
  ...[
    '(\\w+)+$',
    '(\\d+)+x',
    '(\\s+)+x',
    '(\\w*\\s*)*:',
    '^(\\w+\\s?)*$',
    '(\\S+\\s*)+:$',
    '\\s+$',
    '\\s*,\\s*x',
    '(\\w+\\.)+\\w+@',
  ],
  ...[
    '^(?:(?:a+)+)+$',
    '(?>a+)+b(?=c)',
    '(a++)+b',
    '(?:(?:(a)*)*)*\\1b',
    '(?<x>a+)+\\k<x>b',
    '(?=.*a)(?=.*b)(?=.*c)(.+)+d',
  ],
  ...[
    '^(?=.*[0-9])(?=.*[a-z])([a-z0-9]+)+!$',
    '(?<!b)(a|aa)+$(?<=c)',
    '(.+)\\K(.+)+x',
    '(?s)(.*)*x',
  ],
];

/** Syntax, as grep's option. */
export interface HostilePattern {
  syntax: '-E' | '-G' | '-P';
  pattern: string;
}

export const HOSTILE: readonly HostilePattern[] = [
  ...EVERYWHERE.flatMap((pattern): HostilePattern[] => [{ syntax: '-E', pattern }]),
  ...EXTENDED.map((pattern): HostilePattern => ({ syntax: '-E', pattern })),
  ...BASIC.map((pattern): HostilePattern => ({ syntax: '-G', pattern })),
  ...PERL.map((pattern): HostilePattern => ({ syntax: '-P', pattern })),
];

/** Those that every command with extended patterns can be given. */
export const HOSTILE_EXTENDED: readonly string[] = EVERYWHERE;

/** Lines that keep them busy. */
export const HOSTILE_TEXT: readonly string[] = [
  `${'a'.repeat(28)}!`,
  `${'a'.repeat(2000)}!`,
  'ab'.repeat(500),
  `${'x'.repeat(1000)}!`,
  `${'a '.repeat(500)}:`,
  `${' '.repeat(1500)}.`,
  `${'0'.repeat(600)}1x`,
  `${'a,b;c=d'.repeat(150)}#`,
  `${'foo.bar-baz_'.repeat(60)}@!`,
  `${'<a b="c">'.repeat(80)}!`,
];
