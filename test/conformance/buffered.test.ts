/** What another program has open of a directory is what its files hold, whoever asks for it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BufferedMount } from '../../src/disk/buffered.ts';
import { diskMount, failure, namespaceOver } from './support.ts';

/** A directory of which a program shows these texts, and what it was asked. */
function shownBy(texts: Record<string, string>) {
  const { mount: disk, directory } = diskMount();
  onTestFinished(directory.remove);
  const asked: string[] = [];
  const mount = new BufferedMount(disk, {
    reads: true,
    writes: true,
    read: async (path) => {
      asked.push(`read ${path}`);
      return texts[path] ?? '';
    },
    write: async (path, text) => {
      asked.push(`write ${path}`);
      texts[path] = text;
    },
  });
  const save = (name: string, text: string | Uint8Array): void =>
    writeFileSync(join(disk.directory, name), text);
  return { fs: namespaceOver([['/m', mount]]), save, asked, texts };
}

test('a size that is told as true is that of the text that is shown', async () => {
  const { fs, save } = shownBy({ '/f': 'much longer than what is saved\n' });
  save('f', 'saved\n');
  expect(await fs.inspect('/m/f')).toMatchObject({ size: 31, estimated: false });
  expect(await fs.readFile('/m/f')).toHaveLength(31);
});

test('what is added comes after what is shown, and two that add lose nothing', async () => {
  const { fs, save, texts } = shownBy({ '/f': 'shown\n' });
  save('f', 'saved\n');
  await Promise.all([fs.appendFile('/m/f', 'one\n'), fs.appendFile('/m/f', 'two\n')]);
  expect(texts['/f']).toBe('shown\none\ntwo\n');
});

test('of what is no text, and of what is no file, the program is not asked', async () => {
  const { fs, save, asked } = shownBy({});
  save('f', new Uint8Array([0xff]));
  await fs.writeFile('/m/f', 'now a text');
  await fs.mkdir('/m/d');
  expect((await failure(fs.writeFile('/m/d', 'x'))).code).toBe('EISDIR');
  expect((await failure(fs.readFile('/m/none'))).code).toBe('ENOENT');
  expect((await failure(fs.writeFile('/m/none/f', 'x'))).code).toBe('ENOENT');
  expect(asked).toEqual([]);
});
