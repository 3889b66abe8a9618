/** The search by meaning: speed, memory and growth, beside what is aimed at. CPU time, not the clock's. */
import { LONG, measureScale, SHORT } from './search/scale.ts';

/** Prints a table. `quick` leaves the large index out. */
export function benchSemantic(quick: boolean): void {
  console.log('\nSearch by meaning (CPU time)');
  console.log(`${''.padEnd(52)}${'measured'.padStart(12)}${'aim'.padStart(12)}`);
  const row = (name: string, measured: string, aim: string): void =>
    console.log(`${name.padEnd(52)}${measured.padStart(12)}${aim.padStart(12)}`);
  const ms = (value: number): string => `${value.toFixed(value < 100 ? 1 : 0)} ms`;
  // Whatever is wanted, all is ranked; passages are read and lines chosen for no more than is shown.
  const stopsEarly = ({ one, thousand }: { one: number; thousand: number }): void => {
    row('  search -n 1, p50', ms(one), '');
    row('  search -n 1000, p50', ms(thousand), 'more');
  };
  const issues = measureScale(2_000, LONG);
  row('2,000 issues indexed, in order', ms(issues.taken + issues.settled), '< 10 s');
  row('  a question to them, p50', ms(issues.p50), '');
  stopsEarly(issues);
  if (quick) return;
  const large = measureScale(100_000, SHORT);
  row('a question to 100,000 chunks, p50', ms(large.p50), '< 30 ms');
  row('  p95', ms(large.p95), '< 80 ms');
  stopsEarly(large);
  row('an edit found among 100,000', ms(large.edited), '< 1 s');
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
  row('memory to answer from 100,000', megabytes(large.resident), '< 300 MB');
  row('  after 84 searches with -n 1000', megabytes(large.residentAfterThousand), '');
  row('opened, with the first answer', ms(large.opened), '');
  row('a document of the first thousand', `${large.first.toFixed(0)} µs`, '');
  row('  of the last thousand of 100,000', `${large.last.toFixed(0)} µs`, '');
  row('  ratio', `${(large.last / large.first).toFixed(2)}×`, 'flat');
}
