/** Scripts and lines as agents write them, which node and the world's node are to answer alike, byte for byte. */

export interface ParityCase {
  /** A line of the shell, in a directory of its own. */
  line: string;
  /** Files that are there before. */
  files?: Record<string, string>;
}

const DATA = '[{"name":"ann","age":31,"tags":["a","b"]},{"name":"bob","age":25,"tags":[]}]';

const e = (code: string): ParityCase => ({ line: `node -e '${code.replaceAll("'", "'\\''")}'` });
const script = (code: string, args = '', name = 's.js'): ParityCase => ({
  line: `node ${name} ${args}`,
  files: { [name]: code },
});

export const PARITY_CASES: readonly ParityCase[] = [
  e('console.log(1 + 1, "a", true, null, undefined, 1.5, -0, 10n, Symbol("s"))'),
  e('console.log({ a: 1, b: "x", c: [1, 2, 3], d: { e: { f: { g: 1 } } } })'),
  e('console.log([1, [2, [3, [4, [5]]]]], new Map([["k", { v: 1 }]]), new Set([1, "2"]))'),
  e('console.log([undefined, null, , 3], [1.0, NaN, Infinity], [])'),
  e(
    'console.log(function foo() {}, class A {}, class B extends Array {}, () => {}, async () => {}, function* g() {})',
  ),
  e(
    'console.log(new Date(0), /a+/gi, new Error("x").message, Buffer.from("hé"), new Uint8Array([1, 2]))',
  ),
  e(
    'console.log("%s is %d years and %i, %f, %j %o %O %%", "Bob", 42.5, 42.9, "3.5", { a: 1 }, [1], { b: 2 }, "rest")',
  ),
  e('console.log(Array.from({ length: 150 }, (_, i) => i))'),
  e('console.log("x".repeat(3), ["a".repeat(100), "b"], { long: "word ".repeat(30) })'),
  e(
    'console.table([{ a: 1, b: "x" }, { a: 2, c: true }]); console.table([[1, 2], [3, 4]]); console.table(5)',
  ),
  e(
    'console.group("G"); console.log("in\\nside"); console.groupEnd(); console.log("out"); console.dir({ a: { b: { c: {} } } }, { depth: 0 })',
  ),
  e(
    'console.error("err"); console.warn("warn"); console.info("info"); console.debug("debug"); console.assert(1 === 2, "no")',
  ),
  e('console.count(); console.count("x"); console.count(); console.log(); console.log("")'),
  e(
    'const o = { a: 1 }; o.self = o; console.log(o); console.log(Object.create(null), Object.create({ x: 1 }))',
  ),
  e(
    'console.log(new Map([[{ a: 1 }, [1]]]).entries(), new Set([1, 2]).values(), new Map([[1, 2]]).keys(), [1, 2][Symbol.iterator]())',
  ),
  e(
    'console.log(Promise.resolve(4), Promise.reject(new Error("z")).catch(() => 0), new Promise(() => {}))',
  ),
  e('console.log(new Proxy({ a: 1 }, {}), new WeakMap(), Symbol.iterator, globalThis === global)'),
  e(
    'console.log({ get a() { return 1 }, set b(v) {}, [Symbol("k")]: 2, "key with space": 3, 1: 4 })',
  ),
  e(
    'class P { #x = 1; constructor() { this.y = 2 } get z() { return 3 } static s = 4 } console.log(new P(), P)',
  ),
  e(
    'console.log([1.123456789, 1e21, 1e-7, 123456789012345680000, 0.1 + 0.2], (25).toString(2), (255).toString(16), 1234.5678.toFixed(2))',
  ),
  e(
    'console.log(process.argv.length, process.argv.slice(1), typeof process.pid, process.platform)',
  ),
  { line: "node -e 'console.log(process.argv.slice(1))' a b --c=d -e" },
  { line: 'node -p "1+1"' },
  { line: 'node -p "[1,2,3].map(x => x * 2)"' },
  { line: 'node -p "process.env.FOO"' },
  { line: 'FOO=bar node -p "process.env.FOO"' },
  { line: 'node -p "({a:1})"; node -pe "\'x\'"; node --print "null"; node -p "undefined"' },
  { line: 'echo "console.log(6*7)" | node' },
  { line: 'echo "console.log(6*7, process.argv.length)" | node - a b' },
  { line: 'node --version | cut -d. -f1' },
  {
    line: `echo '${DATA}' | node -e 'const d = JSON.parse(require("fs").readFileSync(0, "utf8")); console.log(d.map(x => x.name).join(","))'`,
  },
  {
    line: `echo '${DATA}' | node -e 'let s = ""; process.stdin.on("data", c => s += c).on("end", () => console.log(JSON.parse(s).length))'`,
  },
  { line: `echo '${DATA}' > d.json; node -p 'require("./d.json").reduce((a, x) => a + x.age, 0)'` },
  {
    line: `printf 'a\\nb\\nc\\n' | node -e 'const rl = require("readline").createInterface({ input: process.stdin }); let n = 0; rl.on("line", l => console.log(++n, l)); rl.on("close", () => console.log("done"))'`,
  },
  {
    line: `printf 'x 1\\ny 2' | node --input-type=module -e 'import readline from "node:readline"; for await (const line of readline.createInterface({ input: process.stdin })) console.log(line.split(" "))'`,
  },
  {
    line: `printf 'in' | node -e '(async () => { const chunks = []; for await (const c of process.stdin) chunks.push(c); console.log(Buffer.concat(chunks).toString()) })()'`,
  },
  {
    line: 'node -e "process.exit(3)"; echo $?; node -e "process.exitCode = 4"; echo $?; node -e "throw 1" 2>/dev/null; echo $?',
  },
  {
    line: 'node -e "Promise.reject(new Error(\'x\'))" 2>/dev/null; echo $?; node -e "(async () => { throw new TypeError(\'t\') })()" 2>/dev/null; echo $?',
  },
  {
    line: 'node nosuch.js 2>/dev/null; echo $?; node -e "syntax error here" 2>/dev/null; echo $?; node --nosuch 2>/dev/null; echo $?',
  },
  {
    line: 'node -e "console.log(require(\'./nosuch\'))" 2>/dev/null; echo $?; node -c s.js; echo $?; node --check bad.js 2>/dev/null; echo $?',
    files: { 's.js': 'let a = 1', 'bad.js': 'let = = 1' },
  },
  script(
    'const fs = require("fs"); fs.writeFileSync("a.txt", "one\\ntwo\\n"); fs.appendFileSync("a.txt", "three\\n"); console.log(fs.readFileSync("a.txt", "utf8").split("\\n"), fs.readdirSync(".").sort())',
  ),
  script(
    'const fs = require("fs"); fs.mkdirSync("d/e/f", { recursive: true }); fs.writeFileSync("d/e/x", Buffer.from([1, 2, 255])); console.log(fs.readFileSync("d/e/x"), fs.statSync("d").isDirectory(), fs.statSync("d/e/x").size, fs.existsSync("nope")); fs.rmSync("d", { recursive: true }); console.log(fs.existsSync("d"))',
  ),
  script(
    'const fs = require("fs"); for (const f of [() => fs.readFileSync("no"), () => fs.mkdirSync("."), () => fs.rmdirSync("s.js"), () => fs.readdirSync("no"), () => fs.readFileSync("."), () => fs.unlinkSync("no"), () => fs.renameSync("no", "x"), () => fs.copyFileSync("no", "y"), () => fs.openSync("no", "r"), () => fs.writeFileSync("no/x", ""), () => fs.accessSync("no"), () => fs.readlinkSync("s.js"), () => fs.rmSync("no"), () => fs.statSync("no")]) try { console.log(f()) } catch (e) { console.log(e.code, e.errno, e.syscall, e.message) }',
  ),
  script(
    'const fs = require("fs"); try { fs.readFileSync(5.5) } catch (e) { console.log(e.name, e.code, e.message) } try { fs.writeFileSync("x", {}) } catch (e) { console.log(e.message) } try { require("path").join(1) } catch (e) { console.log(e.message) }',
  ),
  script(
    'require("fs").promises.readFile("no").catch(e => console.log(e.code, e.message)); require("fs").readFile("s.js", "utf8", (e, d) => console.log(e, d.length)); require("fs").stat("no", (e) => console.log(e.code))',
  ),
  script(
    'import fs from "node:fs/promises"; import path from "node:path"; await fs.mkdir("o"); await fs.writeFile("o/f.json", JSON.stringify({ a: [1] }, null, 2)); for (const f of await fs.readdir("o", { withFileTypes: true })) console.log(f.name, f.isFile(), path.extname(f.name)); console.log(await fs.readFile("o/f.json", "utf8")); await fs.rm("o", { recursive: true })',
    '',
    's.mjs',
  ),
  script(
    'const fs = require("fs"); const w = fs.createWriteStream("big"); for (let i = 0; i < 1000; i++) w.write(`line ${i}\\n`); w.end(() => { let n = 0; fs.createReadStream("big", "utf8").on("data", d => n += d.length).on("end", () => console.log(n)) })',
  ),
  script(
    'const fs = require("fs"); const fd = fs.openSync("f", "w+"); fs.writeSync(fd, "hello world"); fs.writeSync(fd, "J", 0); const b = Buffer.alloc(5); console.log(fs.readSync(fd, b, 0, 5, 0), b.toString(), fs.fstatSync(fd).size); fs.ftruncateSync(fd, 3); fs.closeSync(fd); console.log(fs.readFileSync("f", "latin1"))',
  ),
  script(
    'const fs = require("fs"); fs.writeFileSync("t", "x"); fs.symlinkSync("t", "l"); console.log(fs.readlinkSync("l"), fs.lstatSync("l").isSymbolicLink(), fs.realpathSync("l").endsWith("/t")); fs.chmodSync("t", 0o755); console.log((fs.statSync("t").mode & 0o777).toString(8)); fs.utimesSync("t", 1000, 2000); console.log(fs.statSync("t").mtimeMs, fs.statSync("t").mtime)',
  ),
  script(
    'const fs = require("fs"); fs.mkdirSync("a/b", { recursive: true }); fs.writeFileSync("a/1.js", ""); fs.writeFileSync("a/b/2.js", ""); console.log(fs.readdirSync("a", { recursive: true }).sort(), fs.globSync("**/*.js").sort()); fs.cpSync("a", "c", { recursive: true }); console.log(fs.readdirSync("c").sort())',
  ),
  script(
    'const m = require("./lib/m"); const { add } = require("./lib/util.js"); console.log(m.name, add(1, 2), require("./lib/m") === m, module.id, __filename.endsWith("s.js"), require.main === module)',
  ) && {
    line: 'node s.js',
    files: {
      's.js':
        'const m = require("./lib/m"); const { add } = require("./lib/util.js"); console.log(m.name, add(1, 2), require("./lib/m") === m, module.id, __filename.endsWith("s.js"), require.main === module, require("./data").x, require.resolve("./lib/m").endsWith("lib/m/index.js"))',
      'lib/m/index.js': 'exports.name = "m" + require("../util").add(1, 1)',
      'lib/util.js': 'module.exports = { add: (a, b) => a + b }',
      'data.json': '{"x": [1, 2]}',
    },
  },
  {
    line: 'node app/main.js; node app/m.mjs; node -p "require(\'pk\').v"',
    files: {
      'app/main.js':
        'const a = require("pk"), b = require("pk/sub"), c = require("@s/q"); console.log(a, b, c); try { require("pk/hidden") } catch (e) { console.log(e.code) } try { require("nope") } catch (e) { console.log(e.code, e.message.split("\\n")[0]) }',
      'app/m.mjs':
        'import d, { v } from "pk"; import * as ns from "@s/q"; console.log(d, v, ns.default)',
      'node_modules/pk/package.json':
        '{"name":"pk","exports":{".":{"import":"./i.mjs","require":"./r.js"},"./sub":"./sub.js"}}',
      'node_modules/pk/i.mjs': 'export const v = "esm"; export default { is: "esm" }',
      'node_modules/pk/r.js': 'exports.v = "cjs"',
      'node_modules/pk/sub.js': 'module.exports = "sub"',
      'node_modules/pk/hidden.js': '',
      'node_modules/@s/q/package.json': '{"main":"lib/x"}',
      'node_modules/@s/q/lib/x.js': 'module.exports = { q: 1 }',
    },
  },
  {
    line: 'node main.js',
    files: {
      'package.json': '{"type":"module"}',
      'main.js':
        'import { a, default as d } from "./a.js"; import c from "./c.cjs"; import { named } from "./c.cjs"; import j from "./j.json" with { type: "json" }; import { readFileSync } from "fs"; console.log(a, d, c, named, j, readFileSync("j.json", "utf8")); console.log(import.meta.filename.endsWith("main.js"), import.meta.dirname.length > 1, import.meta.url.startsWith("file:///"), typeof require); const { b } = await import("./b.js"); console.log(b); try { await import("./nope.js") } catch (e) { console.log(e.code) } try { await import("nope") } catch (e) { console.log(e.code) }',
      'a.js': 'export let a = 1; export default function f() {}; a++',
      'b.js': 'export const b = await Promise.resolve("tla")',
      'c.cjs': 'exports.named = 5; exports.other = __filename.endsWith("c.cjs")',
      'j.json': '{"k":"v"}',
    },
  },
  {
    line: 'node s.ts; node -e "const x: number = 1; console.log(x)" ',
    files: {
      's.ts':
        'interface A { x: number }\nconst a: A = { x: 1 };\nfunction f<T>(v: T): T { return v }\nconsole.log(f<number>(a.x) as number)',
    },
  },
  {
    line: 'node s.js',
    files: {
      's.js': 'import os from "os"; export const x = 1; console.log(os.EOL.length, await 5)',
    },
  },
  {
    line: 'node a.js',
    files: {
      'a.js':
        'exports.early = 1; const b = require("./b"); console.log(b.seen, b.late); exports.late = 2',
      'b.js': 'const a = require("./a"); exports.seen = a.early; exports.late = a.late',
    },
  },
  script(
    'setTimeout(() => console.log("t0"), 0); process.nextTick(() => console.log("tick")); Promise.resolve().then(() => console.log("micro")); queueMicrotask(() => console.log("micro2")); console.log("sync"); setTimeout(() => console.log("t20"), 20); const i = setInterval(() => { console.log("i"); clearInterval(i) }, 5)',
  ),
  // What comes first of the two is left to chance, but not behind a call of the file system.
  script(
    'require("fs").stat(".", () => { setTimeout(() => console.log("t"), 0); setImmediate(() => { console.log("imm"); process.nextTick(() => console.log("tick")) }) })',
  ),
  script(
    'const { setTimeout: wait } = require("timers/promises"); (async () => { console.log(await wait(5, "v")); for (const x of [1, 2]) { await null; console.log(x) } const r = await Promise.allSettled([1, Promise.reject(new Error("e"))]); console.log(r.map(x => x.status)) })().finally(() => console.log("fin"))',
  ),
  script(
    'process.on("exit", (c) => console.log("exit", c)); process.on("beforeExit", () => console.log("before")); process.on("uncaughtException", (e) => console.log("caught", e.message)); setTimeout(() => { throw new Error("late") }, 1)',
  ),
  script(
    'process.on("unhandledRejection", (r) => { console.log("unhandled", r.message) }); Promise.reject(new Error("r"))',
  ),
  script(
    'const { EventEmitter, once } = require("events"); const e = new EventEmitter(); e.once("a", (...x) => console.log("a", x)); e.on("a", () => console.log("b")); console.log(e.emit("a", 1, 2), e.emit("a"), e.emit("none"), e.listenerCount("a")); try { e.emit("error", new Error("bad")) } catch (x) { console.log(x.message) } once(e, "z").then(v => console.log(v)); e.emit("z", 9)',
  ),
  script(
    'const util = require("util"); console.log(util.inspect({ a: { b: { c: { d: 1 } } } }, { depth: null, compact: false }), util.format("%s", [1, { a: 2 }]), util.isDeepStrictEqual({ a: [1] }, { a: [1] }), util.types.isPromise(Promise.resolve()), util.inspect("a\\n\'b\'"), util.inspect(new Map([[{ a: 1 }, new Set([1])]]), { showHidden: true })); console.log(util.parseArgs({ args: ["-v", "--name=x", "p"], options: { v: { type: "boolean", short: "v" }, name: { type: "string" } }, allowPositionals: true })); util.promisify((a, cb) => cb(null, a + 1))(1).then(console.log)',
  ),
  script(
    'const assert = require("assert"); for (const f of [() => assert.strictEqual(1, 2), () => assert.deepStrictEqual({ a: 1, b: [1, 2] }, { a: 1, b: [1, 3] }), () => assert(0), () => assert.throws(() => {}), () => assert.equal(1, "1"), () => assert.ok(false, "msg"), () => assert.rejects, () => assert.match("a", /b/)]) try { f(); console.log("ok") } catch (e) { console.log(e.code, e.message) }',
  ),
  script(
    'const path = require("path"); console.log(path.join("/a", "../b", "./c"), path.resolve("/x", "y"), path.basename("/a/b.txt", ".txt"), path.parse("/h/f.tar.gz"), path.relative("/a/b", "/a/c/d"), path.normalize("a//b/../c"), path.isAbsolute("a"), path.win32.join("a", "b"), path.sep)',
  ),
  script(
    'const u = new URL("https://user:pa%20ss@example.com:8080/p/a/t/h/?q=1&r=a%20b#hash"); console.log(u, u.searchParams.get("r"), u.origin); u.searchParams.append("z", "ü"); u.pathname = "/new path"; u.port = "443"; console.log(u.href, [...u.searchParams], new URL("../x?y#z", "http://h/a/b/c").href, new URLSearchParams({ a: 1, b: "x y" }).toString()); try { new URL("nope") } catch (e) { console.log(e.code, e.message, e.input) } console.log(require("url").parse("http://a.b/c?d=e").query, require("querystring").parse("a=1&b=2&a=3"), new URL("file:///a%20b"), require("url").fileURLToPath("file:///a%20b"), URL.canParse("x:"), new URL("mailto:a@b"))',
  ),
  script(
    'console.log(Buffer.from("aGk=", "base64").toString(), Buffer.from("héllo").toString("hex"), Buffer.from("ff00", "hex"), Buffer.concat([Buffer.from("a"), Buffer.alloc(2)]), Buffer.byteLength("ü"), Buffer.from([256, 1.5, -1]), Buffer.from("abc").equals(Buffer.from("abc")), Buffer.from("abcabc").indexOf("ca"), Buffer.from("abc").readUInt16BE(1), Buffer.compare(Buffer.from("a"), Buffer.from("b")), Buffer.from("abc").toJSON(), Buffer.from("€").toString("latin1"), btoa("hi"), atob("aGk="), Buffer.from("a b").toString("base64url"), Buffer.alloc(3, "ab").toString(), Buffer.from("test").subarray(1, 3).toString(), Buffer.from("xyz").lastIndexOf("z"), Buffer.from("abc").includes("b"))',
  ),
  script(
    'const { createHash, createHmac, randomUUID, randomBytes, timingSafeEqual } = require("crypto"); console.log(createHash("sha256").update("a").update(Buffer.from("b")).digest("hex"), createHash("md5").update("x").digest("base64"), createHmac("sha1", "k").update("d").digest("hex"), randomUUID().length, randomBytes(4).length, timingSafeEqual(Buffer.from("a"), Buffer.from("a")), require("crypto").createHash("sha512").update("é").digest().length); try { createHash("nope") } catch (e) { console.log(e.message) } const c = require("crypto"); const k = c.scryptSync("p", "s", 32), iv = Buffer.alloc(16); const x = c.createCipheriv("aes-256-cbc", k, iv); const enc = x.update("secret", "utf8", "hex") + x.final("hex"); const d = c.createDecipheriv("aes-256-cbc", k, iv); console.log(enc, d.update(enc, "hex", "utf8") + d.final("utf8"), c.pbkdf2Sync("p", "s", 10, 8, "sha256").toString("hex"))',
  ),
  script(
    'const z = require("zlib"); const g = z.gzipSync("hello ".repeat(100)); console.log(z.gunzipSync(g).length, z.inflateSync(z.deflateSync("x")).toString(), z.brotliDecompressSync(z.brotliCompressSync("y")).toString()); try { z.gunzipSync(Buffer.from("no")) } catch (e) { console.log(e.code, e.message) } z.gzip("cb", (e, r) => console.log(e, z.unzipSync(r).toString()))',
  ),
  script(
    'const { execSync, spawnSync, execFileSync, exec, spawn } = require("child_process"); console.log(execSync("echo hi; pwd | wc -l").toString(), execSync("echo $X", { env: { ...process.env, X: "y" }, encoding: "utf8" }), spawnSync("cat", [], { input: "in" }).stdout.toString(), execFileSync("printf", ["%s|", "a b", "$X"], { encoding: "utf8" })); try { execSync("echo out; echo err >&2; exit 3", { stdio: "pipe" }) } catch (e) { console.log(e.status, e.message, e.stdout.toString(), e.stderr.toString()) } const s = spawnSync("nosuchcommand"); console.log(s.error.code, s.status, s.error.message); exec("echo async", (e, o, r) => { console.log(e, o, r); const p = spawn("sh", ["-c", "cat; exit 2"]); p.stdout.on("data", d => console.log("data", String(d))); p.on("close", (c, g) => console.log("close", c, g)); p.stdin.end("fed") })',
  ),
  script(
    'const { pipeline, Transform, Readable } = require("stream"); const up = new Transform({ transform(c, _, cb) { cb(null, String(c).toUpperCase()) } }); pipeline(Readable.from(["a", "b\\n"]), up, process.stdout, (e) => console.log("end", e)); Readable.from([1, 2, 3]).map(x => x * 2).toArray().then(console.log)',
  ),
  script(
    'class ValidationError extends Error { constructor(m, field) { super(m); this.name = "ValidationError"; this.field = field } } try { throw new ValidationError("bad", "f") } catch (e) { console.log(e.name, e.message, e.field, e instanceof Error, String(e)) } const c = new Error("outer", { cause: new Error("inner") }); console.log(c.cause.message, new AggregateError([new Error("1")], "agg").errors.length)',
  ),
  script(
    'for (const f of [() => null.x, () => undefined.foo.bar, () => { const a = {}; a.b.c() }, () => { const a = {}; a.b() }, () => { let x = 1; x() }, () => { y }, () => { const z = 1; z = 2 }, () => JSON.parse("{bad"), () => JSON.parse(""), () => [].reduce((a, b) => a), () => new Array(-1), () => (1).toFixed(101), () => { const o = {}; o.o = o; JSON.stringify(o) }, () => 1n + 1, () => decodeURIComponent("%"), () => { new (class A { constructor() { this.x.y } }) }, () => Symbol() + "", () => { q; let q }, () => { class B extends A2 {} ; class A2 {} }, () => new Date(NaN).toISOString(), () => structuredClone(() => {}), () => ({}).x.y, () => "a".localeCompare()]) try { console.log(f()) } catch (e) { console.log(e.name + ": " + e.message) }',
  ),
  script(
    'console.log((1234567.891).toLocaleString(), (0.256).toLocaleString("en-US", { style: "percent" }), new Intl.NumberFormat("de-DE", { style: "currency", currency: "EUR" }).format(1234.5), ["ä", "a", "z", "B"].sort((a, b) => a.localeCompare(b)), new Date(0).toLocaleDateString("en-US"), new Date(0).toISOString(), new Date(2020, 1, 29, 12).toString(), new Date("2024-03-10T10:00:00Z").toLocaleString("en-GB", { timeZone: "UTC" }), new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeZone: "UTC" }).format(new Date(0)), new Intl.PluralRules("en").select(1), "İ".toLowerCase().length, "straße".toUpperCase(), "\\u0041\\u030a".normalize("NFC").length, new Intl.ListFormat("en").format(["a", "b", "c"]))',
  ),
  script(
    'console.log(new Date("2024-01-15").getDay(), new Date(2024, 0, 31).toJSON(), Date.UTC(2000, 1), new Date("invalid").getTime(), new Date(1e12).toUTCString(), new Date("Tue, 05 Mar 2024 10:00:00 GMT").getTime(), new Date("2024-03-05 10:00").getTime(), Date.parse("Mar 5, 2024"), new Date("3/5/2024").getTime(), new Date(2024, 1, 30).getDate(), new Date(0) - new Date(1000))',
  ),
  script(
    'console.log("a-b_c".replace(/[-_](.)/g, (_, c) => c.toUpperCase()), [..."a1b22".matchAll(/(?<l>[a-z])(\\d+)/g)].map(m => m.groups.l + m[2]), "x".padStart(3, "ab"), "abc".at(-1), "a,b,,c".split(","), " t ".trim(), "été".normalize("NFD").length, /(?<=\\$)\\d+/.exec("cost $42")[0], "aaa".replaceAll("a", "b"), "test".search(/s/), "I❤️U".length, [..."👍a"].length, /\\p{L}+/u.exec("ñandú!")[0], /a.c/s.test("a\\nc"), "abc".localeCompare("abd"))',
  ),
  script(
    'console.log([3, 1, 10].sort(), [3, 1, 10].sort((a, b) => a - b), [1, [2, [3]]].flat(Infinity), Object.entries({ a: 1 }), Object.fromEntries([["x", 1]]), [1, 2, 3].at(-1), Array.isArray([]), [1, 2, 3, 4].findLast(x => x % 2), Object.groupBy([1, 2, 3], x => x % 2 ? "odd" : "even"), [..."abc"].entries().toArray(), new Set([1, 2]).union(new Set([3])), [1, 2].with(0, 9), [2, 1].toSorted(), Math.max(...[1, 5, 3]), Math.hypot(3, 4), Number("0x1f"), parseInt("12px"), parseFloat("1.5e3"), [1, 2, 3].includes(2), Array.from(new Map([[1, 2]])), structuredClone({ d: new Date(0), m: new Map([[1, { a: 1 }]]) }))',
  ),
  script(
    'console.log(JSON.stringify({ a: [1, { b: undefined, c: () => {}, d: NaN }], e: new Date(0), f: "\\u2028é" }), JSON.stringify([1, [2]], null, 2), JSON.stringify({ a: 1, b: 2 }, ["a"]), JSON.stringify("a\\"b"), JSON.parse("[1,{\\"a\\":null}]", (k, v) => typeof v === "number" ? v + 1 : v))',
  ),
  script(
    'function* g() { const x = yield 1; console.log("got", x); yield* [2, 3]; return 4 } const it = g(); console.log(it.next(), it.next("v"), [...it]); async function* ag() { yield 1; yield 2 } (async () => { for await (const x of ag()) console.log(x) })(); label: for (let i = 0; i < 3; i++) { for (;;) { if (i === 1) break label; continue label } } console.log(it, ag(), g)',
  ),
  script(
    'const { readFileSync } = require("node:fs"); const lines = readFileSync("in.csv", "utf8").trim().split("\\n").map(l => l.split(",")); const [head, ...rows] = lines; const objs = rows.map(r => Object.fromEntries(head.map((h, i) => [h, r[i]]))); console.table(objs); const sum = objs.reduce((a, o) => a + Number(o.n), 0); process.stdout.write(`sum=${sum}\\n`)',
  ) && {
    line: 'node s.js',
    files: {
      's.js':
        'const { readFileSync } = require("node:fs"); const lines = readFileSync("in.csv", "utf8").trim().split("\\n").map(l => l.split(",")); const [head, ...rows] = lines; const objs = rows.map(r => Object.fromEntries(head.map((h, i) => [h, r[i]]))); console.table(objs); const sum = objs.reduce((a, o) => a + Number(o.n), 0); process.stdout.write(`sum=${sum}\\n`)',
      'in.csv': 'id,n\na,1\nb,2.5\n',
    },
  },
  script(
    'const { AsyncLocalStorage } = require("async_hooks"); const s = new AsyncLocalStorage(); s.run({ id: 1 }, () => { console.log(s.getStore()) }); console.log(s.getStore()); const ac = new AbortController(); ac.signal.addEventListener("abort", () => console.log("aborted", ac.signal.aborted)); ac.abort(); const et = new EventTarget(); et.addEventListener("x", e => console.log(e.type)); et.dispatchEvent(new Event("x")); console.log(new TextDecoder().decode(new TextEncoder().encode("é")), performance.now() > 0, typeof fetch, typeof structuredClone)',
  ),
  script(
    '#!/usr/bin/env node\n"use strict";\nconst args = process.argv.slice(2);\nif (args.length < 2) { console.error("usage"); process.exit(2) }\nconsole.log(args, process.title, require("path").basename(__filename))',
    'one',
  ),
  script(
    'const { StringDecoder } = require("string_decoder"); const d = new StringDecoder("utf8"); console.log(d.write(Buffer.from([0xe2, 0x82])), d.write(Buffer.from([0xac])), d.end(), require("os").EOL === "\\n", require("module").builtinModules.includes("fs"), require("util").inspect.custom, new (require("util").TextDecoder)("utf-16le").decode(Buffer.from("hi", "utf16le")))',
  ),
  script(
    'const o = { [require("util").inspect.custom]() { return "CUSTOM" } }; console.log(o, [o], `${[1, 2]}`, String(null), [null, undefined, [1]] + "", {} + "", typeof null, void 0, 0 === -0, Object.is(0, -0), [10, 9, 1].sort(), "b" + "a" + +"a" + "a", [] + {}, 0.1 * 3, 9007199254740993n, 2 ** 53, 5 % -3, -5 % 3, 7 / 2 | 0, 1 << 31, 1 >>> 0, ~~-1.5)',
  ),
  script(
    'const e = new Error("with props"); e.code = "E_X"; e.details = { a: 1 }; delete e.stack; console.log(e.message, Object.keys(e), JSON.stringify(e)); console.log(Object.getOwnPropertyNames(class { static m() {} }), Reflect.ownKeys({ b: 1, 2: 1, a: 1, 1: 1 }), new Array(3), new Array(3).fill(0), [,"a"], Object.assign([], { x: 1 }), [1, 2, 3].keys(), Number.MAX_SAFE_INTEGER, new Number(5), new String("s"), Object(1n), Object(Symbol("q")))',
  ),
  script(
    'console.log(process.cwd() === __dirname, process.version.startsWith("v"), process.versions.node.split(".").length, process.uptime() >= 0, process.hrtime().length, typeof process.hrtime.bigint(), process.memoryUsage().rss > 0, process.stdout.isTTY, process.stdin.isTTY, process.execArgv, process.exitCode, process.release.name, process.config !== undefined, process.umask().toString(8)); process.chdir("/"); console.log(process.cwd()); process.env.NEW = 5; console.log(process.env.NEW, "NEW" in process.env, delete process.env.NEW, process.env.NEW); process.emitWarning; process.stdout.write("no newline")',
  ),
];
