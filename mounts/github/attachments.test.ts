/** Files that people uploaded: their bytes, and that the token goes nowhere else. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { uploadsIn } from '../../src/mount/table/uploads.ts';
import { isUploadAt, nameOfUpload } from './attachments.ts';
import { GithubClient } from './client.ts';
import { Bench, failure, REPO } from './testing.ts';

const OCTO = { owner: 'octo', repo: 'hello' };
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 10, 13]);
const SHOT = '/user-attachments/assets/a0aceacf-8436-4c11-b291-f0fff3a115f2';
const OLD = '/octo/hello/assets/1826685/24e5782e-2045-4fd3-80b1-b261ebc497b9';
const LOG = '/user-attachments/files/1877243/build%20log.txt';
const AT = `${REPO}/issues/1/attachments`;

async function uploaded(): Promise<Bench> {
  const bench = await Bench.start({ issues: 3, commentsEach: 0, pullEvery: 3 });
  const { edit } = bench.github;
  const base64 = PNG.toString('base64');
  await edit({ op: 'upload', ...OCTO, path: SHOT, base64, contentType: 'image/png' });
  await edit({ op: 'upload', ...OCTO, path: OLD, base64, contentType: 'image/png' });
  const text = Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]).toString('base64');
  await edit({ op: 'upload', ...OCTO, path: LOG, base64: text, contentType: 'text/plain' });
  return bench;
}

const says = (bench: Bench, number: number, body: string) =>
  bench.github.edit({ op: 'edit-issue', ...OCTO, number, fields: { body } });
const adds = (bench: Bench, number: number, body: string) =>
  bench.github.edit({ op: 'add-comment', ...OCTO, number, body });

describe('attachments', () => {
  it('of an issue and its comments are files beside it: one question each, then none, byte for byte', async () => {
    await using bench = await uploaded();
    const { url } = bench.github;
    await says(bench, 1, `Look: ![the crash](${url}${SHOT})`);
    await adds(bench, 1, `[build log.txt](${url}${LOG}), and <img width="4" src="${url}${OLD}">`);
    const mount = bench.mount({ freshMs: 60_000 });
    await mount.prefetch(`${REPO}/issues`);
    const names = async (path: string) => (await mount.readdir(path)).map(({ name }) => name);
    expect(await names(`${REPO}/issues/1`)).toEqual(['attachments', 'comments']);
    expect(await names(`${REPO}/issues/2`)).toEqual(['comments']);
    expect(await names(AT)).toEqual(['1877243-build log.txt', '24e5782e', 'a0aceacf-the crash']);
    await bench.asked();
    expect(mount.costly(`${AT}/a0aceacf-the crash`)).toBe(true);
    expect(await mount.read(`${AT}/a0aceacf-the crash`)).toEqual(PNG);
    expect(mount.costly(`${AT}/a0aceacf-the crash`)).toBe(false);
    expect(await mount.read(`${AT}/24e5782e`)).toEqual(PNG);
    expect([...(await mount.read(`${AT}/1877243-build log.txt`))]).toEqual([99, 97, 102, 233, 10]);
    const asked = await bench.asked();
    expect(asked).toHaveLength(6);
    await mount.read(`${AT}/24e5782e`);
    expect(await bench.asked()).toEqual([]);
    expect((await failure(mount.read(`${AT}/none`))).code).toBe('ENOENT');
    expect((await failure(mount.write?.(`${AT}/x.png`, PNG))).code).toBe('EPERM');
    expect((await failure(mount.unlink?.(`${AT}/24e5782e`))).code).toBe('EPERM');
  });

  it('are found when they are named with nothing held, of a pull request too, and of its comments', async () => {
    await using bench = await uploaded();
    await adds(bench, 3, `${bench.github.url}${SHOT}`);
    const mount = bench.mount({ freshMs: 60_000 });
    expect(await mount.read(`${REPO}/pulls/3/attachments/a0aceacf`)).toEqual(PNG);
    const cold = bench.mount({ ...bench.memory(), freshMs: 60_000 });
    expect(await cold.readdir(`${REPO}/pulls/3/attachments`)).toHaveLength(1);
    expect(await cold.readdir(`${REPO}/issues/1/attachments`)).toEqual([]);
    const none = failure(cold.readdir(`${REPO}/issues/99/attachments`));
    expect((await none).code).toBe('ENOENT');
  });

  it('are passed over by a walk, which reads what is held', async () => {
    await using bench = await uploaded();
    await says(bench, 1, `![a](${bench.github.url}${SHOT}) ![b](${bench.github.url}${OLD})`);
    const mount = bench.mount({ freshMs: 60_000 });
    await mount.prefetch(`${REPO}/issues`);
    await mount.read(`${AT}/a0aceacf-a`);
    const rows = [...(mount.walk(`${REPO}/issues`) ?? [])].filter(({ path }) =>
      path.startsWith(AT),
    );
    expect(rows.map(({ name, costly }) => [name, costly])).toEqual([
      ['24e5782e-b', true],
      ['a0aceacf-a', false],
    ]);
  });

  it('that GitHub does not give are refused with what that may mean, and are no empty file', async () => {
    await using bench = await uploaded();
    const gone = SHOT.replace('a0aceacf', '00000000');
    await says(bench, 1, `![a](${bench.github.url}${gone}) ![b](${bench.github.url}${SHOT})`);
    const refused = await failure(bench.mount().read(`${AT}/00000000-a`));
    expect([refused.code, refused.reason]).toEqual(['EACCES', expect.stringContaining('404')]);
    const anonymous = bench.mount({ ...bench.memory(), token: undefined });
    expect((await failure(anonymous.read(`${AT}/a0aceacf-b`))).code).toBe('EACCES');
  });
});

describe('the token', () => {
  it('goes to no other place: not with a redirect, and not to what a text links to', async () => {
    await using bench = await uploaded();
    const met: IncomingHttpHeaders[] = [];
    const elsewhere = createServer((request, response) => {
      met.push(request.headers);
      response.end('from elsewhere');
    });
    await new Promise<void>((done) => elsewhere.listen(0, '127.0.0.1', done));
    try {
      const other = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
      const path = SHOT.replace('a0aceacf', 'ffffffff');
      await bench.github.edit({ op: 'upload', ...OCTO, path, base64: '', location: `${other}/x` });
      const host = new URL(bench.github.url).host;
      const links = [
        `${other}${SHOT}`,
        `http://${host}@${new URL(other).host}${SHOT}`,
        `http://u:p@${host}${SHOT}`,
      ];
      await says(bench, 1, [`${bench.github.url}${path}`, ...links].join('\n'));
      const mount = bench.mount({ freshMs: 60_000 });
      const names = (await mount.readdir(AT)).map(({ name }) => name);
      expect(names).toEqual(['ffffffff']);
      expect(String(Buffer.from(await mount.read(`${AT}/ffffffff`)))).toBe('from elsewhere');
      expect(met).toHaveLength(1);
      expect(met[0]).not.toHaveProperty('authorization');
    } finally {
      elsewhere.close();
    }
  });

  it('is for the site that belongs to the API', () => {
    const siteOf = (baseUrl?: string) => new GithubClient({ baseUrl, now: () => new Date() }).site;
    expect(siteOf()).toBe('https://github.com');
    expect(siteOf('https://api.github.com')).toBe('https://github.com');
    expect(siteOf('https://api.acme.ghe.com')).toBe('https://acme.ghe.com');
    expect(siteOf('https://git.acme.example/api/v3')).toBe('https://git.acme.example');
    expect(siteOf('https://api.github.com.evil.example')).toBe(
      'https://api.github.com.evil.example',
    );
  });

  it('is for uploads alone of what is at the site', () => {
    const isUpload = isUploadAt('https://github.com');
    const found = uploadsIn(
      [
        `https://github.com${SHOT} https://github.com/octo/hello/files/12/a%2Fb%zz.txt`,
        'https://github.com/octo/hello/issues/1 https://github.com/settings/tokens',
        `https://github.com/login?return_to=${SHOT} https://github.com.evil.example${SHOT}`,
        'https://user-images.githubusercontent.com/1/2-3.png',
      ],
      { isUpload, nameOf: nameOfUpload },
    );
    expect(found.map(({ name }) => name)).toEqual(['a0aceacf', '12-a%2Fb%zz.txt', '2-3.png']);
  });
});
