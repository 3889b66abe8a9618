// Run where the package is installed, beside notes-mount: a world with that mount,
// and what its reads, its writes and each of its failures come to. Prints one object.

import { createServer } from 'node:http';
import { createWorld } from 'dirigent';

const at = '2025-01-01T00:00:00.000Z';
const notes = new Map(
  ['First', 'Sealed'].map((title, n) => [`n${n}`, { id: `n${n}`, title, text: `Text ${n}`, at }]),
);
let refusing = null;
const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const answer = (status, value) => {
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '30' });
    response.end(JSON.stringify(value));
  };
  const id = request.url.slice('/notes/'.length);
  if (request.headers.authorization !== 'Bearer secret-of-notes') return answer(401, {});
  if (request.method !== 'GET' && refusing !== null) return answer(refusing, {});
  if (request.url === '/notes' && request.method === 'GET') return answer(200, [...notes.values()]);
  if (request.method === 'GET') return answer(notes.has(id) ? 200 : 404, notes.get(id));
  const { title, body: text } = JSON.parse(body);
  const before = notes.get(id) ?? { id: `n${notes.size}`, text: '', at };
  const made = { ...before, ...(title && { title }), ...(text !== undefined && { text }) };
  notes.set(made.id, made);
  return answer(200, made);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

const source = process.env.NOTES_SOURCE;
const baseUrl = `http://127.0.0.1:${server.address().port}`;
const notesMount = (more) => ({ source, baseUrl, tokenEnv: 'NOTES_TOKEN', freshMs: 0, ...more });
const world = createWorld(
  {
    mounts: {
      '/mnt/notes': notesMount({ mode: 'rw', options: { folder: 'all' } }),
      '/mnt/staged': notesMount({ mode: 'stage', options: { folder: 'all' } }),
    },
    state: './state',
  },
  { env: { ...process.env, NOTES_TOKEN: 'secret-of-notes' } },
);
const run = async (command) => {
  const { stdout, stderr, exitCode } = await world.exec(`cd /mnt/notes; ${command}`);
  return { exitCode, stdout, stderr };
};
const failed = async (work) => {
  const { code, path, rule, reason } = await work.catch((error) => error);
  return { code, path, rule, reason };
};
const told = {};
told.list = (await run('ls')).stdout;
told.read = (await run('cat n0.md')).stdout;
told.absent = await failed(world.fs.readFile('/mnt/notes/n9.md'));
told.catAbsent = await run('cat n9.md');
told.sealed = await failed(world.fs.readFile('/mnt/notes/n1.md'));
told.edit = await run("sed -i 's/^title: .*/title: Anew/; s/^Text 0/Edited/' n0.md");
told.edited = notes.get('n0');
told.create = await run(
  "printf -- '---\\ntitle: Made\\n---\\n\\nBy a write\\n' > new.md; cat .last",
);
told.made = notes.get('n2');
told.wrong = await run("printf -- '---\\ncolour: red\\n---\\n' > new.md");
refusing = 403;
told.refused = await run("sed -i 's/Edited/Again/' n0.md");
refusing = 500;
told.unknown = await run("sed -i 's/Edited/Again/' n0.md");
refusing = null;
told.staged = await run(
  "sed -i 's/Edited/Staged/' /mnt/staged/n0.md; grep -c Staged /mnt/staged/n0.md",
);
told.unsent = notes.get('n0').text;
await world.close();

const opening = async (options, folder) => {
  const other = createWorld({
    mounts: { '/mnt/n': notesMount({ options }) },
    state: `./${folder}`,
  });
  const error = await other.exec('true').catch((thrown) => thrown);
  await other.close();
  return [error.name, error.message];
};
told.badOption = await opening({ folder: 1, colour: 'red' }, 'state-a');
told.badFolder = await opening({ folder: 'nowhere' }, 'state-b');
server.close();
console.log(JSON.stringify(told));
