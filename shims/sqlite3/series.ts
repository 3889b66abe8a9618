/**
 * `generate_series(START, STOP, STEP)`, a table of whole numbers that sqlite3 has and
 * SQLite's library has not.
 *
 * @see https://www.sqlite.org/series.html
 */
import type { Pointer, Sqlite } from './sqlite-wasm.ts';

const DECLARATION = 'CREATE TABLE x(value, start HIDDEN, stop HIDDEN, step HIDDEN)';
/** The columns that are parameters: start, stop and step. */
const PARAMETERS = [1, 2, 3];
/** Without a stop it goes on to here, as sqlite3 has it. */
const LAST = 0xffff_ffffn;

interface Cursor {
  value: bigint;
  start: bigint;
  stop: bigint;
  step: bigint;
  row: bigint;
}

/** The table's module, for `sqlite3_create_module`. */
export function seriesModule({ capi, wasm, vtab }: Sqlite): Pointer {
  const cursors = new Map<Pointer, Cursor>();
  const of = (pointer: Pointer): Cursor => {
    const cursor = cursors.get(pointer);
    if (cursor === undefined) throw new Error('a cursor that is not open');
    return cursor;
  };
  const isPast = ({ value, stop, step }: Cursor): boolean =>
    step > 0n ? value > stop : value < stop;
  const module = new capi.sqlite3_module();
  module.setupModule({
    catchExceptions: true,
    methods: {
      xConnect(db: Pointer, _aux: Pointer, _argc: number, _argv: Pointer, out: Pointer) {
        const code = capi.sqlite3_declare_vtab(db, DECLARATION);
        if (code === 0) vtab.xVtab.create(out);
        return code;
      },
      xDisconnect(table: Pointer) {
        vtab.xVtab.dispose(table);
        return 0;
      },
      xOpen(_table: Pointer, out: Pointer) {
        const { pointer } = vtab.xCursor.create(out);
        cursors.set(pointer, { value: 1n, start: 0n, stop: 0n, step: 1n, row: 0n });
        return 0;
      },
      xClose(cursor: Pointer) {
        cursors.delete(cursor);
        vtab.xCursor.dispose(cursor);
        return 0;
      },
      xBestIndex(_table: Pointer, pointer: Pointer) {
        const info = vtab.xIndexInfo(pointer);
        try {
          // Which constraint gives which parameter; the bits of the plan say which are given.
          const at = new Map<number, number>();
          for (let i = 0; i < info.$nConstraint; i++) {
            const { $iColumn, $op, $usable } = info.nthConstraint(i);
            if (!PARAMETERS.includes($iColumn) || $op !== capi['SQLITE_INDEX_CONSTRAINT_EQ']) {
              continue;
            }
            if (!$usable) return capi['SQLITE_CONSTRAINT'];
            at.set($iColumn, i);
          }
          let plan = 0;
          let argument = 0;
          for (const column of PARAMETERS) {
            const constraint = at.get(column);
            if (constraint === undefined) continue;
            plan |= 1 << column;
            const usage = info.nthConstraintUsage(constraint);
            usage.$argvIndex = ++argument;
            usage.$omit = 1;
          }
          info.$idxNum = plan;
          info.$estimatedCost = at.size > 1 ? 2 : 2_147_483_647;
          return 0;
        } finally {
          info.dispose();
        }
      },
      xFilter(pointer: Pointer, plan: number, _text: Pointer, count: number, values: Pointer) {
        const given = capi.sqlite3_values_to_js(count, values).map((value) => BigInt(value ?? 0));
        const take = (column: number, fallback: bigint): bigint =>
          (plan & (1 << column)) === 0 ? fallback : (given.shift() ?? fallback);
        const cursor = of(pointer);
        cursor.start = take(1, 0n);
        cursor.stop = take(2, LAST);
        cursor.step = take(3, 1n) || 1n;
        cursor.value = cursor.start;
        cursor.row = 1n;
        return 0;
      },
      xNext(pointer: Pointer) {
        const cursor = of(pointer);
        cursor.value += cursor.step;
        cursor.row += 1n;
        return 0;
      },
      xEof: (pointer: Pointer) => (isPast(of(pointer)) ? 1 : 0),
      xColumn(pointer: Pointer, context: Pointer, column: number) {
        const { value, start, stop, step } = of(pointer);
        capi.sqlite3_result_int64(context, [value, start, stop, step][column] ?? value);
        return 0;
      },
      xRowid(pointer: Pointer, out: Pointer) {
        wasm.poke64(out, of(pointer).row);
        return 0;
      },
    },
  });
  return module.pointer;
}
