/** A search by meaning over a service leaves nothing out in silence: every file that a walk reads is searched. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MemoryMount } from '../../src/memory-tree/mount.ts';
import { Namespace } from '../../src/namespace/namespace.ts';
import { MountTable } from '../../src/namespace/table.ts';
import { createModeGate } from '../../src/policy/gate.ts';
import { localEngine } from '../../src/search/service/client.ts';
import { SearchEngine } from '../../src/search/service/engine.ts';
import { MountedSearch } from '../../src/search/service/mounted-search.ts';
import { readWordTable } from '../../src/search/static/table.ts';
import { SERVICES, startService } from './each-service.ts';

const words = readFileSync(join(import.meta.dirname, '../../data/words.bin'));

it.each(SERVICES)(
  '%s: what a walk finds in a file, its directory finds by meaning, or says what was passed over',
  async (name) => {
    await using service = await startService(name);
    using bench = await service.bench();
    const mount = bench.mount({ freshMs: 60_000 });
    const table = new MountTable();
    table.attach({
      point: '/',
      mount: new MemoryMount(),
      access: { mode: 'rw' },
      searchable: false,
    });
    table.attach({ point: '/mnt/s', mount, access: { mode: 'rw' }, searchable: true });
    const gate = createModeGate((point) => table.at(point)?.access);
    const fs = new Namespace({ table, gate, timeoutMs: 60_000, origin: 'shell' });
    const engine = localEngine(new SearchEngine(':memory:', readWordTable(words)));
    const search = new MountedSearch({ table, fs, engine: () => engine });
    search.follow('/mnt/s', mount);

    const whole = await search.ask({ query: 'anything', paths: ['/mnt/s'], limit: 10 });
    const said = (whole.unsearched ?? []).reduce((sum, { count }) => sum + count, 0);
    const walked = [...(fs.walk('/mnt/s') ?? [])];
    expect(walked.length).toBeGreaterThan(5);
    expect(walked.filter(({ costly }) => costly).length).toBe(said);
    expect(whole.complete).toBe(said === 0);
    const state = await search.state(['/mnt/s'], true);
    const readable = walked.filter(({ costly, name: file }) => !costly && file !== 'README.md');
    expect(state.documents).toBe(readable.length);
    for (const { path } of readable) expect((await engine.status([path])).documents, path).toBe(1);
    // Of what is another text each time it is read.
    const readme = Buffer.from(await fs.readFileBuffer('/mnt/s/README.md')).toString();
    const [line = ''] = readme.split('\n').filter((each) => /^\w+ \w+ \w+ \w+/.test(each));
    const { answers } = await search.ask({ query: line, paths: ['/mnt/s'], limit: 10 });
    expect(answers.map(({ path }) => path)).toContain('/mnt/s/README.md');
    await search.close();
  },
  60_000,
);
