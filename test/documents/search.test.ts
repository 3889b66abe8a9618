/** Documents are searched by meaning by their texts, and what is found can be read. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { World } from '../../entry/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { docx, pdf } from './make.ts';

const LEASE = pdf([
  'A contract between two parties about a house by the sea.',
  'The tenant pays the rent on the third working day of each month.\nA late payment costs interest.',
  'Pets are allowed where the neighbours agree.',
]);
const PLAN = docx([
  '# Migration',
  'The database moves to the new cluster in spring.',
  '# Rollback',
  'A snapshot is restored where the replication lags behind.',
]);

function docs(files: Readonly<Record<string, Uint8Array | string>>, policy?: string) {
  const deployment = temporaryDirectory();
  for (const [name, content] of Object.entries(files)) {
    const file = join(deployment, 'docs', name);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, content);
  }
  if (policy !== undefined) {
    mkdirSync(join(deployment, 'harness'));
    writeFileSync(join(deployment, 'harness', 'policy.yaml'), policy);
  }
  const world = testWorld(
    { mounts: { '/mnt/docs': './docs:ro' }, cwd: '/mnt/docs' },
    { deployment },
  );
  return { world, file: (name: string) => join(deployment, 'docs', name) };
}

/** Asks, and again where a busy machine has not read the documents yet. */
const ask = async (world: World, command: string) => {
  for (;;) {
    const { stdout, stderr, exitCode } = await world.exec(command);
    if (!/not searched yet; ask again|not yet indexed/.test(stderr))
      return { lines: stdout.split('\n').filter(Boolean), stderr, exitCode };
  }
};

test('a hit is a page and its line, and that page can be read as it is told', async () => {
  const { world } = docs({
    'lease.pdf': LEASE,
    'sub/plan.docx': PLAN,
    'note.md': '# Note\n\nNothing here.\n',
  });
  const rent = await ask(world, 'grep "when is the rent paid"');
  expect(rent.stderr).toContain('searched 3 documents by meaning');
  expect(rent.exitCode).toBe(0);
  expect(rent.lines[0]).toBe(
    'lease.pdf:p2:The tenant pays the rent on the third working day of each month.',
  );
  const page = await ask(
    world,
    'cat "$(grep "when is the rent paid" 2> /dev/null | head -1 | cut -d: -f1-2)"',
  );
  expect(page.lines).toHaveLength(2);
  const snapshot = await ask(world, 'search --json "restore a snapshot" sub');
  expect(JSON.parse(snapshot.lines[0] ?? '')).toMatchObject({
    path: 'sub/plan.docx',
    page: 's2',
    line: 3,
    text: 'A snapshot is restored where the replication lags behind.',
  });
});

test('a hit in what is known of a document as a whole is a line of its text', async () => {
  const { world } = docs({
    'tide.html':
      '<!doctype html><html><head><title>Lorne lighthouse</title></head><body><article><p>Parcels are left with the neighbours when the tide is high.</p></article></body></html>',
  });
  const { lines } = await ask(world, 'grep "lorne lighthouse"');
  expect(lines[0]).toBe('tide.html.md:2:title: Lorne lighthouse');
  const read = await ask(world, 'sed -n 2p tide.html.md; grep -n title tide.html.md');
  expect(read.lines).toEqual(['title: Lorne lighthouse', '2:title: Lorne lighthouse']);
});

test('a document is a place to search, and so is its text', async () => {
  const { world } = docs({ 'lease.pdf': LEASE, 'other.pdf': LEASE });
  const named = await ask(world, 'grep "when is the rent paid" lease.pdf');
  expect(named.lines).toEqual([
    'lease.pdf:p2:The tenant pays the rent on the third working day of each month.',
  ]);
  const text = await ask(world, 'grep "third working day" lease.pdf.md');
  expect(text.lines).toEqual(['The tenant pays the rent on the third working day of each month.']);
});

test('what cannot be read is told with status 2, at each question, and the rest is searched', async () => {
  const { world } = docs({
    'lease.pdf': LEASE,
    'broken.docx': 'PK no archive',
    'odd.pdf': LEASE.subarray(0, 40),
  });
  for (let time = 0; time < 2; time++) {
    const { lines, stderr, exitCode } = await ask(world, 'grep "when is the rent paid"');
    expect(lines[0]).toMatch(/^lease\.pdf:p2:/);
    expect(stderr).toMatch(
      /broken\.docx: Invalid argument\ndirigent: \/mnt\/docs\/broken\.docx is no whole zip/,
    );
    expect(stderr).toMatch(/odd\.pdf: Invalid argument/);
    expect(exitCode).toBe(2);
  }
});

test('a document that changes, comes or goes is found as it is now', async () => {
  const { world, file } = docs({ 'a.pdf': LEASE });
  expect((await ask(world, 'grep "when is the rent paid"')).lines).toHaveLength(1);
  writeFileSync(file('a.pdf'), pdf(['The lighthouse keeper trims the lamp at dusk.']));
  writeFileSync(file('b.docx'), PLAN);
  expect((await ask(world, 'grep "when is the rent paid"')).exitCode).toBe(1);
  expect((await ask(world, 'grep "the keeper trims the lamp"')).lines[0]).toMatch(
    /^a\.pdf:p1:The lighthouse/,
  );
  expect((await ask(world, 'grep "restore a snapshot"')).lines[0]).toMatch(/^b\.docx:s2:/);
  rmSync(file('b.docx'));
  expect((await ask(world, 'grep "restore a snapshot"')).exitCode).toBe(1);
});

test('its text is read by whoever may read the document and the text, and by nobody else', async () => {
  const rules = `rules:
  - { name: no-pdf, op: [read], path: ['/mnt/docs/**/*.pdf'], decision: deny }
  - { name: no-texts, op: [read], path: ['/mnt/docs/**/*.md'], decision: deny }
`;
  const { world } = docs({ 'in/lease.pdf': LEASE, 'in/plan.docx': PLAN }, rules);
  for (const name of ['in/lease.pdf', 'in/lease.pdf.md', 'in/lease.pdf:p2']) {
    for (const command of [
      'cat',
      'head -c 99',
      'grep -c .',
      'wc -c',
      'base64',
      'diff /dev/null',
      'cp -t /tmp',
    ]) {
      const { lines, stderr, exitCode } = await ask(world, `${command} ${name}`);
      expect(stderr, `${command} ${name}`).toMatch(/policy no-(?:pdf|texts) denies/);
      expect(lines.join(), `${command} ${name}`).not.toMatch(/tenant|contract|Pets/);
      expect(exitCode).not.toBe(0);
    }
  }
  const linked = await ask(
    world,
    'ln -s /mnt/docs/in/lease.pdf /tmp/l.pdf; cat /tmp/l.pdf.md; ln -s /mnt/docs/in/lease.pdf.md /tmp/t; cat /tmp/t',
  );
  expect(linked.lines).toEqual([]);
  expect(linked.stderr.match(/policy no-/g)).toHaveLength(2);
  const searched = await ask(world, 'grep "when is the rent paid" .; grep -r --text-of tenant .');
  expect(searched.lines.join()).not.toMatch(/tenant/);
  expect(searched.stderr).toContain('policy no-pdf');
  // Of a document that may be read, the text has a name of its own that may not.
  const named = await ask(world, 'cat in/plan.docx:s1 | head -1; cat in/plan.docx.md');
  expect(named.lines).toEqual(['# Migration']);
  expect(named.stderr).toContain('policy no-texts');
});

test('a hook that takes something out of a document takes it out of its text', async () => {
  const deployment = temporaryDirectory();
  mkdirSync(join(deployment, 'docs'));
  writeFileSync(join(deployment, 'docs', 'lease.pdf'), LEASE);
  writeFileSync(
    join(deployment, 'hooks.mjs'),
    `export default { after({ op, path, data }) {
      const text = Buffer.from(data ?? '').toString('latin1');
      if (op !== 'read' || !/tenant|month/.test(text)) return;
      const other = path.endsWith('.pdf') ? text.replaceAll('tenant', 'XXXXXX') : text.replaceAll('month', 'YYYYY');
      return { data: Buffer.from(other, 'latin1') };
    } };`,
  );
  const world = testWorld(
    { mounts: { '/mnt/docs': './docs:ro' }, hooks: './hooks.mjs' },
    { deployment },
  );
  const { stdout, stderr } = await world.exec('cat /mnt/docs/lease.pdf:p2');
  expect(stdout, stderr).toContain(
    'The XXXXXX pays the rent on the third working day of each YYYYY.',
  );
});

test('a text that is not UTF-8 is searched and cited as Latin-1, its other lines as they are', async () => {
  const mixed = Buffer.concat([
    Buffer.from('Die Straßenbahn fährt nach Mülheim.\n'),
    Buffer.from('Grüße von der alten Brücke.\n', 'latin1'),
  ]);
  const { world } = docs({ 'mixed.txt': mixed });
  const bridge = await ask(world, 'grep "Grüße Brücke"');
  expect(bridge.lines).toEqual(['mixed.txt:2:Grüße von der alten Brücke.']);
  expect(bridge.exitCode).toBe(0);
  expect((await ask(world, 'grep Straßenbahn')).lines[0]).toContain('Die Straßenbahn fährt');
});

test('a file whose name is not UTF-8 is told of, and the others are searched', async () => {
  const { world, file } = docs({ 'tram.md': 'The tram leaves at nine.\n' });
  const nameless = Buffer.from(`${file('bad')}\xffname.md`, 'latin1');
  writeFileSync(nameless, 'The tram returns at ten.\n');
  onTestFinished(() => rmSync(nameless));
  for (const command of ['grep tram', 'grep "tram leaves"', 'grep -r tram .', 'rg tram']) {
    const { lines, stderr, exitCode } = await ask(world, command);
    expect(lines.join(), command).toContain('The tram leaves at nine.');
    expect(stderr, command).toContain('not UTF-8');
    expect(exitCode, command).toBe(2);
  }
});

test('a page that readability trips over is read whole', async () => {
  // Two tables of short lists: it takes the second out of the tree, and then asks for its parent.
  const item = '<li><a href="x">word</a> older release, named so, ends</li>';
  const list = `<td><ul>${item.repeat(3)}</ul></td>`;
  const page = `<div class="body">${`<table class="body"><tr>${list}${list}</tr></table>`.repeat(2)}</div>`;
  const { world } = docs({ 'index.html': page });
  const { lines, stderr } = await ask(world, 'grep "older release"');
  expect(stderr).not.toContain('broken');
  expect(lines[0]).toContain('older release');
});
