/** Files that lie with Linear: their bytes, and that the key goes nowhere else. */
import { createServer, type Server as HttpServer, type IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uploadsIn } from '../../src/mount/index.ts';
import { LinearClient } from './client.ts';
import { type Bench, failure, IDS, ISSUES, Server, text, uuid } from './testing.ts';

const linear = new LinearClient({ token: '', now: () => new Date() });

let server: Server;
let elsewhere: HttpServer;
let other: string;
const met: IncomingHttpHeaders[] = [];
beforeAll(async () => {
  server = await Server.start();
  elsewhere = createServer((request, response) => {
    met.push(request.headers);
    response.end('from elsewhere');
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  other = `http://127.0.0.1:${(elsewhere.address() as { port: number }).port}`;
});
afterAll(async () => {
  elsewhere.close();
  await server.close();
});

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 10]);

/** A file in the stand-in. @returns its address */
async function upload(bench: Bench, id: string, fields: object = {}): Promise<string> {
  const path = `/org/${id}`;
  const own = { path, base64: PNG.toString('base64') };
  await bench.linear.edit({ op: 'add', table: 'uploads', fields: { ...own, ...fields } });
  return `${new URL(bench.linear.url).origin}${path}`;
}

const says = (bench: Bench, n: number, description: string) =>
  bench.linear.edit({ op: 'set', table: 'issues', id: `ENG-${n}`, fields: { description } });

describe('uploads', () => {
  it('are files beside the issue and the document that link to them, one request each, then none', async () => {
    using bench = await server.bench({ issues: 2, commentsEach: 0 });
    const [shot, log] = [await upload(bench, 'aaaabbbbcccc'), await upload(bench, 'ddddeeeeffff')];
    await says(bench, 1, `See ![screen shot.png](${shot}).`);
    await bench.linear.edit({
      op: 'add',
      table: 'comments',
      fields: { issueId: uuid(IDS.issue + 1), body: `[../the log](${log}) and ${shot}` },
    });
    await bench.linear.edit({
      op: 'add',
      table: 'documents',
      fields: { slugId: 'aaaa0001', title: 'T', teamId: uuid(1), content: `${log}` },
    });
    const mount = bench.mount({ freshMs: 600_000 });
    await mount.prefetch(ISSUES);
    const names = async (path: string) => (await mount.readdir(path)).map(({ name }) => name);
    const at = `${ISSUES}/ENG-1/attachments`;
    expect(await names(`${ISSUES}/ENG-1`)).toEqual(['attachments', 'comments']);
    expect(await names(`${ISSUES}/ENG-2`)).toEqual(['comments']);
    expect(await names(at)).toEqual(['aaaabbbb-screen shot.png', 'ddddeeee-.. the log']);
    expect(mount.costly(`${at}/aaaabbbb-screen shot.png`)).toBe(true);
    await bench.asked();
    expect(await mount.read(`${at}/aaaabbbb-screen shot.png`)).toEqual(PNG);
    expect(await mount.lstat(`${at}/aaaabbbb-screen shot.png`)).toMatchObject({ size: 7 });
    expect(mount.costly(`${at}/aaaabbbb-screen shot.png`)).toBe(false);
    const { requests } = mount.usage();
    await mount.read(`${at}/aaaabbbb-screen shot.png`);
    expect(await bench.asked()).toEqual(['GET /org/aaaabbbbcccc']);
    expect(mount.usage()).toMatchObject({ requests });
    await mount.read(`${at}/ddddeeee-.. the log`);
    expect(mount.usage()).toMatchObject({ requests: requests + 1 });
    expect(await names('/documents')).toEqual(['aaaa0001', 'aaaa0001.md', 'index.tsv']);
    expect(await mount.read('/documents/aaaa0001/attachments/ddddeeee')).toEqual(PNG);
    expect(await failure(mount.read(`${at}/nothing.png`))).toMatchObject({ code: 'ENOENT' });
    expect(await failure(mount.readdir(`${ISSUES}/ENG-2/attachments`))).toMatchObject({
      code: 'ENOENT',
    });
    expect((await failure(mount.write?.(`${at}/x.png`, PNG) ?? Promise.resolve())).code).toBe(
      'EPERM',
    );
  });

  it('that are gone, or that the key may not see, say so', async () => {
    using bench = await server.bench({ issues: 1, commentsEach: 0 });
    const url = await upload(bench, 'aaaabbbbcccc');
    await says(bench, 1, `![a](${url}) ![b](${url.replace('aaaa', 'zzzz')})`);
    const mount = bench.mount({ freshMs: 600_000 });
    const at = `${ISSUES}/ENG-1/attachments`;
    await text(mount, `${ISSUES}/ENG-1.md`);
    const gone = await failure(mount.read(`${at}/zzzzbbbb-b`));
    expect(gone).toMatchObject({ code: 'ENOENT' });
    expect(gone.reason).toContain('404');
  });
});

describe('hostile texts', () => {
  it('of brackets by the hundred thousand are passed over at once', () => {
    for (const text of ['[', '[](', '[a](http://', '](   ', '<http://']) {
      expect(uploadsIn([text.repeat(200_000)], linear)).toEqual([]);
    }
  });
});

describe('the key', () => {
  it('follows no redirect of an upload to another origin', async () => {
    using bench = await server.bench({ issues: 1, commentsEach: 0 });
    const url = await upload(bench, 'aaaabbbbcccc', { location: `${other}/signed` });
    await says(bench, 1, `![a](${url})`);
    const mount = bench.mount();
    const bytes = await mount.read(`${ISSUES}/ENG-1/attachments/aaaabbbb-a`);
    expect(Buffer.from(bytes).toString()).toBe('from elsewhere');
    expect(met).toHaveLength(1);
    expect(met[0]).not.toHaveProperty('authorization');
    met.length = 0;
  });

  it('goes to nothing else that a text links to, however it is written', async () => {
    using bench = await server.bench({ issues: 1, commentsEach: 0 });
    const { origin, host } = new URL(bench.linear.url);
    const links = [
      `${other}/a.png`,
      `${other}/${origin}/a.png`,
      `http://${host}@${new URL(other).host}/a.png`,
      `http://user:pass@${host}/a.png`,
      `${origin}.example.com/a.png`,
      `https://${host}/a.png`,
      `${origin}\\@${new URL(other).host}/a.png`,
    ];
    await says(bench, 1, links.map((url) => `![a](${url}) <${url}> ${url}`).join('\n'));
    const mount = bench.mount();
    const at = `${ISSUES}/ENG-1`;
    const listed = (await mount.readdir(at)).map(({ name }) => name);
    for (const { name } of listed.includes('attachments')
      ? await mount.readdir(`${at}/attachments`)
      : []) {
      await mount.read(`${at}/attachments/${name}`).catch(() => undefined);
    }
    expect(met).toEqual([]);
  });

  it('is for https://uploads.linear.app alone where no other address is named', () => {
    const links = [
      'https://uploads.linear.app/o/aaaabbbb',
      'http://uploads.linear.app/o/bbbb',
      'https://uploads.linear.app.example.com/o/cccc',
      'https://uploads.linear.app:8443/o/dddd',
      'https://user@uploads.linear.app/o/eeee',
    ];
    expect(uploadsIn(links, linear)).toEqual([
      { name: 'aaaabbbb', url: 'https://uploads.linear.app/o/aaaabbbb' },
    ]);
  });
});
