/** `dirigent create mount`: a package with a mount of one resource, a stand-in of its service, and its tests. */
import fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { packageVersion } from '../version.ts';
import { visible, visibleName } from '../visible.ts';
import { packageDirectory } from '../world/plan.ts';
import type { CreateArguments } from './options.ts';
import type { Output } from './output.ts';

/** Runs `dirigent create`, and gives its exit status: 1 where something is there already. */
export async function runCreate({ name }: CreateArguments, output: Output): Promise<number> {
  const directory = resolve(lastPart(name));
  if (fs.existsSync(directory) && fs.readdirSync(directory).length > 0) {
    await output.err(
      visible`dirigent: ${visibleName(directory)} is there already, and nothing was changed: remove it, or take another name\n`,
    );
    return 1;
  }
  const files = mountFiles(name);
  for (const [path, text] of files) {
    const file = join(directory, path);
    fs.mkdirSync(dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
    await output.out(visible`made    ${visibleName(join(lastPart(name), path))}\n`);
  }
  await output.out(visible`\ncd ${visibleName(lastPart(name))} && npm install && npm test\n`);
  return 0;
}

const lastPart = (name: string): string => name.slice(name.indexOf('/') + 1);

/** Every file of a new mount's package, by its path. */
function mountFiles(name: string): Map<string, string> {
  const template = join(packageDirectory(), 'data', 'mount-template');
  const words = wordsOf(lastPart(name));
  const values: Readonly<Record<string, string>> = {
    NAME: name,
    SLUG: words.join('-'),
    TITLE: words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' '),
    TOKEN: [...words, 'token'].join('_').toUpperCase(),
    URL: [...words, 'url'].join('_').toUpperCase(),
    VERSION: packageVersion(),
  };
  return new Map(
    fs.readdirSync(template).map((path) => {
      const text = fs.readFileSync(join(template, path), 'utf8');
      return [path, text.replaceAll(/@([A-Z]+)@/g, (whole, key: string) => values[key] ?? whole)];
    }),
  );
}

/** What the service is called: the package's name without the words that only say what it is. */
function wordsOf(name: string): string[] {
  const words = name.split(/[^a-z0-9]+/).filter((word) => word !== '');
  const own = words.filter((word) => !['dirigent', 'mount'].includes(word));
  return own.length > 0 ? own : words;
}
