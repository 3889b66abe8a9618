// @ts-check
/** Runs a command beside the stand-in, which it finds in its environment: `node try.js npx dirigent sh`. */
import { spawn } from 'node:child_process';
import { startFakeServer, TOKEN } from './fake-server.js';

const [command, ...args] = process.argv.slice(2);
if (command === undefined) throw new Error('say what to run: node try.js npx dirigent sh');
const service = await startFakeServer();
const env = { ...process.env, '@URL@': service.url, '@TOKEN@': TOKEN };
const child = spawn(command, args, { stdio: 'inherit', env });
// What an interrupt means is for the command to say.
process.on('SIGINT', () => undefined);
child.on('error', async ({ message }) => {
  process.stderr.write(`${message}\n`);
  process.exitCode = 127;
  await service.close();
});
child.on('exit', async (code) => {
  process.exitCode = code ?? 1;
  await service.close();
});
