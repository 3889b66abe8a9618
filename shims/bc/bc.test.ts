import { gnuSuite } from '../support/gnu-suite.ts';
import { bcShims } from './index.ts';

const programs = [
  'scale=3; 10/3',
  '2^10; 7%3; (1+2)*3; -7/2; -7%3; 10/4',
  'x=5; x*x; if (x>3) 1; if (x<3) 2 else 3',
  '1.5+2.25; 1.5*2.25; .1*.1; 0.5; -.5; 1.0; 00012',
  'scale=5; 1.5*2.25; 22/7; 2^-2; 2^0.5',
  '2^200; 3^100',
  'obase=16; 255; 255.5; 10^20',
  'obase=2; 10; ibase=2; 1011',
  'ibase=16; FF; A; 1F.8',
  'sqrt(16); scale=10; sqrt(2); length(1234.56); scale(1.234)',
  'for (i=0; i<3; i++) i; while (i>0) { i -= 1; if (i==1) break; i }',
  'define f(n) { if (n <= 1) return (1); return (n * f(n-1)); }\nf(20)',
  'define g(a) {\nauto b\nb = a * 2\nreturn b + 1\n}\ng(4)\nb',
  'a[0]=3; a[1]=4; a[0]*a[1]; a[5]',
  'print "x = ", 3, "\\n"; "text\n"',
  '1 == 1; 1 != 1; 1 < 2 && 2 < 1; 1 || 0; !0; !5',
  'i=3; i++; ++i; i--; i; i^=2; i',
  '/* comment */ 1 + /* two */ 2 # three',
  '1/0\n7',
  'scale=2; (1+2+3)/4; 100*1.075; 5%3.2; 10.5%3',
  'x = 3; y = x = 4; x; y; (x=9)',
  '-2^2; 2^3^2; 1-1-1; 2*-3',
  'scale=20; 1/7; 1/3*3',
  'if (1) {\n 5\n} else {\n 6\n}\nquit\n7',
  '5; .; . + last; . = 7; last; scale = 3; ++scale',
  'ibase=G; G; F; 0Z; ibase',
  'sqrt(1); scale=5; sqrt(1.00); .5^-2; 10^-3; 0^0',
  'obase=20; 401.05; 3.5; .9',
  'print "a\\\\b\\q\\e\\z\n"; "a\\b\n"',
  'print 10^80; print "x"; 10^68; 10^67; "text text text text text text text text text text text text text text text"',
  'define f(a[]) { a[0] = 5; return (a[0]); }\nb[0] = 1; f(b[]); b[0]',
  'define void f(*a[]) { a[0] = 5; }\nb[0] = 1; f(b[]); b[0]',
  'define f(n) { auto a[], x; a[0] = n; x = n; if (n > 0) f(n - 1); return (a[0] + x); }\na[0] = 9; f(3); a[0]',
];

const library = [
  '4*a(1)',
  's(1); c(1); e(1); l(2); l(10)',
  'e(0); e(-1); e(10); a(0.5); a(-3); s(10); c(0)',
  'scale=30; e(1); 4*a(1); l(3)',
  'scale=5; s(0.7); e(2.5); sqrt(2)',
  's(1.5707963267948966); c(3.14159265358979323846); s(-100); c(1000); s(0)',
  'e(50); e(-50); e(0.001); l(10485760); l(.0001); l(0); l(1)',
  'a(99999999999); a(.2); a(1); a(0); scale=70; a(1); a(.2); a(3)',
  'scale=0; e(2); l(3); s(2); c(2); a(2); scale=1; e(2); l(3); s(2); c(2); a(2)',
  'j(0,1); j(1,.5); j(-1,.5); j(2.5,1); j(10,3.5); scale=5; j(3,2)',
];

/** Mistakes, of which the line and the message are compared, too. */
const mistakes = [
  '1+\n2',
  '(1\n2\n3)\n4',
  '{ 1\n2 + ) 3\n4 }\n5',
  '1;2+;3\n4',
  '1 2\n3',
  'a b c\n7',
  'define void() { 3 }\n4',
  'if (1 {\n 2\n}\n3',
  '"abc',
  '1 $ 2\n3 @\n4',
  '(standard_in) 1: syntax error',
  '/* one\ntwo */ 1\n2 +\n3',
  'x = 1 + \\\n2 )\nx = 5\nx',
  '{',
  'for (i=0;i<2;i++\n{ i }\n5',
];

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

gnuSuite(['bc'], [bcShims], { 'p.bc': 'define d(x) { return (2*x); }\n' }, [
  ...programs.map((program) => `bc <<< ${quoted(program)} 2>/dev/null`),
  ...mistakes.flatMap((program) => [
    `bc <<< ${quoted(program)} 2> /dev/null`,
    `bc <<< ${quoted(program)} 2>&1 > /dev/null`,
  ]),
  'printf "1+1\\n2+)\\n" > a; printf "3\\n4*/\\n1+1" > b; bc a b <<< 6 2> /dev/null; bc a b <<< 6 2>&1 > /dev/null',
  ...library.map((program) => `bc -l <<< ${quoted(program)}`),
  'echo "d(21)" | bc p.bc',
  'bc -q p.bc <<< "d(1.5)"',
  // What no newline ends is no statement.
  'printf "1+1\\n2+2" | bc 2> /dev/null; printf 3 | bc 2> /dev/null',
]);
