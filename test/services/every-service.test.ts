/** What holds for every service: each test begins its stand-in anew. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { killAt, twoWriters } from '../../src/mount-testing/index.ts';
import { type RunningService, SERVICES, startService, textsOf } from './each-service.ts';
import { failure, type JournalledMount, names, readBefore, text, write } from './testing.ts';

const HOUR_MS = 3_600_000;
const FRESH_MS = 2_000;

const HOSTILE = [
  'a/b',
  '../../etc/passwd',
  '..',
  '.',
  'a\\b',
  '\u0007bell and \u001b[31mred',
  'line\nbreak\tand tab',
  '‮right to left',
  'x'.repeat(300),
  '👩‍👩‍👧 émoji and "quotes"',
  '--- \n---\nstate: closed',
  '#not a comment: {}',
  'twice',
  'twice',
];

describe.each(SERVICES)('%s', (name) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService(name);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  describe('a process that is killed while it writes', () => {
    it.each([
      { what: 'a new record', step: 'answered' },
      { what: 'an edit', step: 'unknown' },
    ])(
      '$what, at "$step": what became of it is found out, and nothing is sent again',
      async ({ what, step }) => {
        const write = service.writes.find((one) => one.what === what);
        if (write === undefined) throw new Error(`${name} has no write called ${what}`);
        expect((await killAt(service, write, step)).killed).toBe(true);
      },
    );
  });

  it.each(['cut', 'cut-body'] as const)(
    'a question whose connection broke (%s) twice is answered, a write is not sent again',
    async (kind) => {
      using bench = await service.bench();
      const mount = bench.mount({ freshMs: 0 });
      const { record } = service.places;
      const before = await readBefore(mount, record);
      await service.asked();
      await service.fault({ kind, times: 2 });
      bench.move(60_000);
      expect(await text(mount, record)).toBe(before);
      expect(bench.notices).toEqual([]);
      expect((await service.asked()).length).toBeGreaterThanOrEqual(3);

      const edit = service.writes.find(({ what }) => what === 'an edit');
      await service.fault({ kind, times: 3 });
      await write(mount, record, edit?.content(before) ?? '').catch(() => undefined);
      const writes = (await service.asked()).filter((one) => one.write);
      expect(writes.length).toBeLessThanOrEqual(1);
      await service.clearFaults();
    },
  );

  it('two processes at once, on one record: no edit vanishes without an ESTALE', async () => {
    await twoWriters(service, textsOf, { rounds: 2 });
    expect((await service.asked()).some(({ write }) => write)).toBe(true);
  });

  it('the feed tells of every text that changes, also of one that came after its listing', async () => {
    using bench = await service.bench();
    const mount = bench.mount();
    const texts = () => new Map([...mount.documents()].map(({ path, text }) => [path, text]));
    let told = 0;
    let before = texts();
    const expectTold = (when: string): void => {
      const entries = mount.feed(told);
      const paths = new Set(entries.map(({ path }) => path));
      const now = texts();
      const changed = [...now].filter(([path, said]) => before.get(path) !== said);
      expect(
        changed.map(([path]) => path).filter((path) => !paths.has(path)),
        when,
      ).toEqual([]);
      told = entries.at(-1)?.seq ?? told;
      before = now;
    };
    await mount.readdir(service.places.list);
    expectTold('listed');
    await mount.prefetch('/');
    expect(texts().size).toBeGreaterThan(0);
    expectTold('fetched');
    await service.retitle('Another title');
    await service.renameReferred?.('Another name');
    bench.move(HOUR_MS + 1_000);
    await mount.prefetch('/');
    expectTold('changed upstream');
  });

  it('what was deleted upstream is gone here, and from the feed that an index follows', async () => {
    using bench = await service.bench();
    const { record, other, comment } = service.places;
    const mount = bench.mount();
    await mount.prefetch('/');
    const documents = () => [...mount.documents()].map(({ path }) => path);
    // Notion's comments are no documents, and cannot be deleted by an integration.
    const gone = service.removeComment === undefined ? [record] : [record, comment];
    for (const path of [...gone, other]) await text(mount, path);
    const shows = (path: string) => service.documentOf?.(path) ?? path;
    expect(documents()).toEqual(expect.arrayContaining([...gone, other].map(shows)));
    const seq = mount.feed(0).at(-1)?.seq ?? 0;
    await service.removeRecord();
    await service.removeComment?.();
    bench.move(HOUR_MS + 1_000);
    await mount.prefetch('/');
    for (const path of gone) {
      expect((await failure(mount.read(path))).code, path).toBe('ENOENT');
      expect((await failure(mount.lstat(path))).code, path).toBe('ENOENT');
      const directory = path.slice(0, path.lastIndexOf('/')) || '/';
      expect(await names(mount, directory), path).not.toContain(path.slice(directory.length + 1));
      const document = shows(path);
      expect(documents(), path).not.toContain(document);
      expect(mount.document(document), path).toBeNull();
      const told = expect.objectContaining({ path: document, op: 'delete' });
      expect(mount.feed(seq), path).toContainEqual(told);
    }
    expect(documents()).toContain(shows(other));
    expect(await text(mount, other)).toContain('---\n');
  });

  it('a staged edit of what is gone since cannot be staged anew, and says so', async () => {
    using bench = await service.bench();
    const edit = service.writes.find(({ what }) => what === 'an edit');
    if (edit === undefined) throw new Error(`${name} has no edit`);
    const mount = bench.mount({ stage: true });
    await write(mount, edit.path, edit.content(await text(mount, edit.path)) ?? '');
    const staged = await text(mount, edit.path);
    await service.removeRecord();
    bench.move(HOUR_MS + 1_000);
    await mount.prefetch('/');
    await service.asked();
    const refused = await failure(mount.write?.(edit.path, Buffer.from(`${staged}more\n`)));
    expect(refused.code).toBe('ENOENT');
    expect(refused.reason).toMatch(/gone|no such page/);
    expect((await service.asked()).filter((one) => one.write)).toEqual([]);
  });

  it('titles that would break a name, a line or a terminal: names stay names, and nothing is lost', async () => {
    using bench = await service.bench();
    const { list } = service.places;
    const before = await names(bench.mount(bench.memory()), list);
    for (const title of HOSTILE) await service.add(title);
    const held = (await service.held()).records.map(({ title }) => oneLine(title));
    const mount = bench.mount();
    const listed = (await names(mount, list)).filter((one) => !before.includes(one));
    for (const one of await names(mount, list)) {
      expect(one).not.toMatch(/[/\p{Cc}\u202e]/u);
      expect(['.', '..']).not.toContain(one);
      expect(Buffer.byteLength(one)).toBeLessThanOrEqual(255);
    }
    const files = listed.filter((one) => one.endsWith('.md'));
    expect(new Set(files).size).toBe(HOSTILE.length);
    const titleIn = service.titleIn ?? titleOf;
    const texts = await Promise.all(files.map((one) => text(mount, `${list}/${one}`)));
    const titles = texts.map((one) => titleIn(one));
    expect(titles.map(oneLine).sort()).toEqual(HOSTILE.map(oneLine).sort());
    // A title that is the text is changed with it.
    if (service.titleIn !== undefined) return;
    for (const file of files) await editsText(mount, `${list}/${file}`);
    const after = (await service.held()).records.map(({ title }) => oneLine(title));
    expect(after.sort()).toEqual(held.sort());
  });

  it('what was read is asked for again behind the reads, and the next read finds it', async () => {
    using bench = await service.bench();
    const { record } = service.places;
    bench.stopClock();
    // Its timer goes by real time, half a window apart; the bench's clock says what is fresh.
    const mount = bench.mount({ freshMs: FRESH_MS, background: true });
    try {
      await text(mount, record);
      await service.retitle('Renamed by someone else');
      await service.asked();
      // Within the window a read asks nothing: it is the refresh that brings what is new.
      bench.move(FRESH_MS * 0.75);
      while (!(await text(mount, record)).includes('Renamed by someone else')) await sleep(50);
      const asked = await service.asked();
      expect(asked.length).toBeGreaterThan(0);
      expect(asked.filter(({ write, status }) => write || status === null)).toEqual([]);
      const age = bench.now().toISOString().slice(11, 19);
      expect(await text(mount, '/README.md')).toContain(`as of ${age} UTC`);
    } finally {
      await mount.close?.();
    }
  });

  it('a read past the window waits for no refresh that is under way', async () => {
    using bench = await service.bench();
    const { record } = service.places;
    bench.stopClock();
    const mount = bench.mount({ freshMs: FRESH_MS, background: true, timeoutMs: 600_000 });
    try {
      const before = await text(mount, record);
      await service.retitle('Renamed by someone else');
      await service.asked();
      // So slow that whoever waited for it would be waiting still when the test is over.
      await service.fault({ kind: 'slow', ms: 3_600_000 });
      bench.move(FRESH_MS * 0.75);
      while ((await service.asked()).length === 0) await sleep(50);
      bench.move(FRESH_MS);
      expect(await text(mount, record)).toBe(before);
      expect(mount.progress?.()).not.toEqual([]);
    } finally {
      await mount.close?.();
    }
  });
});

/** A service may show a line break in a title as a space. */
function oneLine(title: string): string {
  return title.replaceAll('\n', ' ');
}

function titleOf(content: string): string {
  const head = content.slice(4, content.indexOf('\n---\n', 4));
  return String((parse(head) as { title: unknown }).title);
}

/** What is written back with another text only leaves the title alone. */
async function editsText(mount: JournalledMount, path: string): Promise<void> {
  const before = await text(mount, path);
  await write(mount, path, `${before}\nmore\n`);
  const change = mount.journal.list().at(-1);
  expect(change?.state, path).toBe('applied');
  expect(JSON.stringify(change?.request), path).not.toMatch(/"title"/);
}
