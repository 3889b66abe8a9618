#!/usr/bin/env node
// What `dirigent` starts. Everything else is written for a Node that this one
// may not be, so this file is JavaScript that any Node reads, and looks first.
'use strict';

const OLDEST = [22, 22];
const { deno, node } = process.versions;
const [major, minor] = node.split('.').map(Number);
const emit = process.emit;

if (!deno && (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))) {
  const wanted = `Node ${OLDEST.join('.')} or newer is needed`;
  const how = 'install one from nodejs.org or with your version manager';
  process.stderr.write(
    `dirigent: this is Node ${node}, and ${wanted}: ${how}, or run "npx -p node@24 -p dirigent dirigent"\n`,
  );
  process.exitCode = 1;
} else {
  // The process is this program's own: what is experimental in Node 22 (SQLite,
  // types in a config) is no news to whoever runs it.
  process.emit = (name, ...told) =>
    name === 'warning' && told[0] && told[0].name === 'ExperimentalWarning'
      ? false
      : emit.call(process, name, ...told);
  import('../dist/entry/main.js');
}
