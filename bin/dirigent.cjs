#!/usr/bin/env node
// What `dirigent` starts. Everything else is written for a Node that this one
// may not be, so this file is JavaScript that any Node reads, and looks first.
'use strict';

var OLDEST = [22, 22];
var version = process.versions.node.split('.').map(Number);
var old = version[0] < OLDEST[0] || (version[0] === OLDEST[0] && version[1] < OLDEST[1]);

if (old && !process.versions.deno) {
  process.stderr.write(
    'dirigent: this is Node ' +
      process.versions.node +
      ', and Node ' +
      OLDEST.join('.') +
      ' or newer is needed: install one from nodejs.org or with your version manager, or run "npx -p node@24 -p dirigent dirigent"\n',
  );
  process.exitCode = 1;
} else {
  // The file is its own program: what is experimental in Node 22 (SQLite, types
  // in a config) is no news to whoever runs it.
  var emit = process.emit;
  process.emit = function (name, data) {
    if (name === 'warning' && data && data.name === 'ExperimentalWarning') return false;
    return emit.apply(process, arguments);
  };
  import('../dist/src/cli/main.js');
}
