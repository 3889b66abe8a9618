/** What is used of SQLite's own build for WebAssembly, whose declarations leave its memory untyped. */

/** An address in its memory; 0 is none. */
export type Pointer = number;

/** A C structure that JavaScript can fill in. */
interface Struct {
  pointer: Pointer;
  dispose(): void;
}

export interface FileStruct extends Struct {
  $pMethods: Pointer;
}

interface IoMethods extends Struct {
  $iVersion: number;
}

interface VfsStruct extends Struct {
  $iVersion: number;
  $szOsFile: number;
  $mxPathname: number;
  $xRandomness: Pointer;
  $xSleep: Pointer;
  $xCurrentTime: Pointer;
  $xCurrentTimeInt64: Pointer;
}

/** What a table that is made by code is asked, and answers, about a plan: `sqlite3_index_info`. */
interface IndexInfo extends Struct {
  $nConstraint: number;
  $idxNum: number;
  $estimatedCost: number;
  nthConstraint(at: number): { $iColumn: number; $op: number; $usable: number };
  nthConstraintUsage(at: number): { $argvIndex: number; $omit: number };
}

interface ModuleStruct extends Struct {
  setupModule(options: { catchExceptions: boolean; methods: Methods }): void;
}

type Methods = Record<string, (...args: never[]) => unknown>;

/** The functions of SQLite's C interface, under their names there. */
export interface Capi {
  [constant: `SQLITE_${string}`]: number;
  sqlite3_file: { new (pointer: Pointer): FileStruct; structInfo: { sizeof: number } };
  sqlite3_io_methods: new () => IoMethods;
  sqlite3_vfs: new (pointer?: Pointer) => VfsStruct;
  sqlite3_module: new () => ModuleStruct;
  sqlite3_create_module(db: Pointer, name: string, module: Pointer, aux: Pointer): number;
  sqlite3_declare_vtab(db: Pointer, sql: string): number;
  sqlite3_values_to_js(count: number, values: Pointer): (number | bigint | null)[];
  sqlite3_result_int64(context: Pointer, value: bigint): void;
  sqlite3_vfs_find(name: string | null): Pointer;
  sqlite3_open_v2(file: string, out: Pointer, flags: number, vfs: string | null): number;
  sqlite3_close_v2(db: Pointer): number;
  sqlite3_db_config(db: Pointer, option: number, value: number, out: Pointer): number;
  sqlite3_errmsg(db: Pointer): string;
  sqlite3_errstr(code: number): string;
  sqlite3_error_offset(db: Pointer): number;
  sqlite3_prepare_v2(
    db: Pointer,
    sql: Pointer,
    bytes: number,
    out: Pointer,
    tail: Pointer | null,
  ): number;
  sqlite3_step(statement: Pointer): number;
  sqlite3_reset(statement: Pointer): number;
  sqlite3_finalize(statement: Pointer): number;
  sqlite3_column_count(statement: Pointer): number;
  sqlite3_column_name(statement: Pointer, column: number): string;
  sqlite3_column_type(statement: Pointer, column: number): number;
  sqlite3_column_double(statement: Pointer, column: number): number;
  sqlite3_column_bytes(statement: Pointer, column: number): number;
  sqlite3_bind_parameter_count(statement: Pointer): number;
  sqlite3_bind_parameter_name(statement: Pointer, index: number): string | null;
  sqlite3_bind_null(statement: Pointer, index: number): number;
  sqlite3_bind_int64(statement: Pointer, index: number, value: bigint): number;
  sqlite3_bind_double(statement: Pointer, index: number, value: number): number;
  sqlite3_bind_blob: Capi['sqlite3_bind_text'];
  sqlite3_bind_text(
    statement: Pointer,
    index: number,
    text: Pointer,
    bytes: number,
    destructor: number,
  ): number;
  sqlite3_stmt_isexplain(statement: Pointer): number;
  sqlite3_complete(sql: string): number;
  sqlite3_get_autocommit(db: Pointer): number;
  sqlite3_changes(db: Pointer): number;
  sqlite3_total_changes(db: Pointer): number;
  sqlite3_backup_init(to: Pointer, toName: string, from: Pointer, fromName: string): Pointer;
  sqlite3_backup_step(backup: Pointer, pages: number): number;
  sqlite3_backup_finish(backup: Pointer): number;
  sqlite3_keyword_check(name: string, bytes: number): number;
  sqlite3_libversion(): string;
  sqlite3_sourceid(): string;
  sqlite3_create_function(
    db: Pointer,
    name: string,
    arity: number,
    encoding: number,
    app: Pointer,
    step: (context: Pointer, ...values: Value[]) => unknown,
    aggregateStep: null,
    final: null,
  ): number;
}

/** What a function of SQL is given and may give. */
export type Value = string | number | bigint | Uint8Array | null;

/** Its memory. */
export interface Memory {
  alloc(bytes: number): Pointer;
  dealloc(pointer: Pointer): void;
  heap8u(): Uint8Array;
  peek32(pointer: Pointer): number;
  poke32(pointer: Pointer, value: number): unknown;
  poke64(pointer: Pointer, value: bigint): unknown;
  peekPtr(pointer: Pointer): Pointer;
  cstrToJs(pointer: Pointer): string | null;
  exports: {
    sqlite3_column_text(statement: Pointer, column: number): Pointer;
    sqlite3_column_blob(statement: Pointer, column: number): Pointer;
  };
}

export interface Sqlite {
  capi: Capi;
  wasm: Memory;
  vtab: {
    xVtab: { create(out: Pointer): Struct; dispose(table: Pointer): void };
    xCursor: { create(out: Pointer): Struct; dispose(cursor: Pointer): void };
    xIndexInfo(pointer: Pointer): IndexInfo;
  };
  vfs: {
    installVfs(parts: {
      io: { struct: IoMethods; methods: Methods };
      vfs: { struct: VfsStruct; methods: Methods; name: string; asDefault: boolean };
    }): void;
  };
}

/** What the package exports. */
export type InitSqlite = (options: {
  print(text: string): void;
  printErr(text: string): void;
  instantiateWasm(
    imports: Record<string, Record<string, unknown>>,
    done: (instance: object, module: object) => void,
  ): object;
}) => Promise<Sqlite>;
