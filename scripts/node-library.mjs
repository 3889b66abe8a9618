// Prints the modules of Node.js's own library that scripts of a world run on
// (shims/node), as JSON: those of the Node.js that runs this.

/** What nothing of it needs there: other programs, what has no meaning without a host, and what is replaced. */
const LEFT_OUT =
  /^(?:_http|_tls|_stream_wrap|cluster|crypto|dgram|dns|domain|http|https|http2|inspector|net|os|quic|repl|sea|sqlite|tls|trace_events|tty$|v8$|vm$|wasi|worker_threads|zlib|child_process|perf_hooks|test)|^internal\/(?:bootstrap|cluster|crypto|debugger|dgram|dns|freeze|heap|histogram|http|inspector|js_stream|legacy|locks|main|modules|net$|process\/(?:execution|finalization|permission|pre_execution|report|signal|worker|per_thread)|perf\/(?:event_loop|nodetiming|observe|performance)|policy|quic|repl|sea|socket|source_map|stream_base|streams\/iter|test|tls|trace|v8\/startup_snapshot|v8_prof|vm|wasm|watchdog|worker)|^internal\/deps\/(?!cjs-module-lexer\/(?:dist\/)?lexer|minimatch)|^(?:stream\/(?:iter|web)|domain|diagnostics_channel\/)|^internal\/(?:blocklist|blob|file|child_process|quic|repl|report|streams\/fast|watch_mode|webstreams|worker)|^internal\/perf\/(?!utils)|^internal\/fs\/(?:recursive_watch|watchers)/;
const KEPT = /^internal\/worker\/js_transferable$|^internal\/legacy\/processbinding$/;

/** Comments of a line of their own and indentation: a third of all. */
function pruned(source) {
  return source
    .replace(/^\s*\/\/.*\n/gm, '\n')
    .replace(/^[ \t]*\/\*\*[\s\S]*?\*\/[ \t]*$/gm, (text) =>
      '\n'.repeat(text.split('\n').length - 1),
    );
}

const sources = Object.fromEntries(
  Object.entries(process.binding('natives'))
    .filter(([id, source]) => typeof source === 'string' && (KEPT.test(id) || !LEFT_OUT.test(id)))
    .map(([id, source]) => [id, pruned(source)]),
);
process.stdout.write(JSON.stringify({ versions: process.versions, sources }));
