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
];

const library = [
  '4*a(1)',
  's(1); c(1); e(1); l(2); l(10)',
  'e(0); e(-1); e(10); a(0.5); a(-3); s(10); c(0)',
  'scale=30; e(1); 4*a(1); l(3)',
  'scale=5; s(0.7); e(2.5); sqrt(2)',
];

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

gnuSuite(['bc'], [bcShims], { 'p.bc': 'define d(x) { return (2*x); }\n' }, [
  ...programs.map((program) => `bc <<< ${quoted(program)} 2>/dev/null`),
  ...library.map((program) => `bc -l <<< ${quoted(program)}`),
  'echo "d(21)" | bc p.bc',
  'bc -q p.bc <<< "d(1.5)"',
  // What no newline ends is no statement.
  'printf "1+1\\n2+2" | bc 2> /dev/null; printf 3 | bc 2> /dev/null',
]);
