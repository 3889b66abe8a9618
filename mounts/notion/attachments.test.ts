/** Files that lie with Notion: their bytes, and that the token goes nowhere else. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  failure,
  named,
  names,
  page,
  TOKEN,
  text,
  Workbench,
  workspace,
  write,
} from './testing.ts';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 10]);
const HOME = `/${named('Home')}`;

let workbench: Workbench;
let elsewhere: Server;
let origin: string;
/** What was asked of the other place. */
let met: Pick<IncomingMessage, 'url' | 'headers'>[] = [];
let status = 200;
beforeAll(async () => {
  workbench = await Workbench.start();
  elsewhere = createServer(({ url, headers }, response) => {
    met.push({ url, headers });
    response.writeHead(status).end(status === 200 ? PNG : 'AccessDenied');
  });
  await new Promise<void>((done) => elsewhere.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
});
afterAll(async () => {
  elsewhere.close();
  await workbench[Symbol.asyncDispose]();
});
beforeEach(() => {
  met = [];
  status = 200;
});

const expiry_time = '2025-01-01T00:00:00.000Z';
const seeded = () =>
  workbench.bench(
    workspace([
      page('Home', {
        markdown: `![out](https://example.org/out.png)`,
        extra: [
          {
            type: 'image',
            content: {
              type: 'file',
              file: { url: `${origin}/a/screen%20shot.png`, expiry_time },
              caption: [],
            },
          },
          {
            type: 'file',
            content: {
              type: 'file',
              file: { url: `${origin}/b/x`, expiry_time },
              caption: [],
              name: '../q1.pdf',
            },
          },
        ],
      }),
    ]),
  );

it('are bytes beside their page, by a name that stays, asked for once', async () => {
  using bench = await seeded();
  const mount = bench.mount({ freshMs: 60_000 });
  const listed = await names(mount, `${HOME}/attachments`);
  expect(listed.map((name) => name.slice(12)).sort()).toEqual(['-.. q1.pdf', '-screen shot.png']);
  const image = listed.find((name) => name.endsWith('.png')) ?? '';
  expect(mount.costly(`${HOME}/attachments/${image}`)).toBe(true);
  expect(Buffer.from(await mount.read(`${HOME}/attachments/${image}`))).toEqual(PNG);
  expect((await mount.lstat(`${HOME}/attachments/${image}`)).size).toBe(PNG.length);
  await mount.read(`${HOME}/attachments/${image.slice(0, 12)}`);
  expect(met).toHaveLength(1);
});

it('are asked for where an address of now says, without the token or any header of ours', async () => {
  using bench = await seeded();
  const mount = bench.mount({ freshMs: 1_000 });
  const [first = '', second = ''] = await names(mount, `${HOME}/attachments`);
  bench.move(7_200_000);
  await mount.read(`${HOME}/attachments/${first}`);
  await mount.read(`${HOME}/attachments/${second}`);
  expect(met).toHaveLength(2);
  expect(met[0]?.url).not.toBe(met[1]?.url);
  for (const { url, headers } of met) {
    expect(url).toContain('signature=');
    expect(headers.authorization).toBeUndefined();
    expect(JSON.stringify(headers)).not.toContain(TOKEN);
    expect(headers['notion-version']).toBeUndefined();
  }
});

it('that cannot be had are an error that says who refused, and are asked for again', async () => {
  using bench = await seeded();
  const mount = bench.mount({ freshMs: 60_000 });
  const [name = ''] = await names(mount, `${HOME}/attachments`);
  status = 403;
  const refused = await failure(mount.read(`${HOME}/attachments/${name}`));
  expect(refused).toMatchObject({ code: 'EACCES' });
  expect(refused.reason).toContain('keeps its files answered 403');
  status = 200;
  expect(Buffer.from(await mount.read(`${HOME}/attachments/${name}`))).toEqual(PNG);
  expect((await failure(write(mount, `${HOME}/attachments/${name}`, 'x'))).code).toBe('EPERM');
  expect((await failure(text(mount, `${HOME}/attachments/0123456789ab-x`))).code).toBe('ENOENT');
});
