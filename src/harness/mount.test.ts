/** A deployment's harness over the package's, as one directory. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../test/temporary-directory.ts';
import { isFsError } from '../errors.ts';
import { HarnessMount } from './mount.ts';

const DEFAULTS = {
  'AGENTS.md': 'the package',
  'agents/assistant.md': 'a default',
  'skills/commit/SKILL.md': 'steps',
  'tools/count.sh': 'wc',
  'tools/_draft.sh': '',
  'tools/odd name.sh': '',
  'tools/notes.md': '',
};

function directory(files: Record<string, string>): string {
  const made = temporaryDirectory();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(made, path)), { recursive: true });
    writeFileSync(join(made, path), text);
  }
  return made;
}

/** The mount, with where its files are and which changes it told. */
function open(
  own: Record<string, string> | null = {},
  defaults: Record<string, string> = DEFAULTS,
) {
  const at = own === null ? null : directory(own);
  const from = directory(defaults);
  const told: string[] = [];
  const mount = new HarnessMount({
    own: at,
    defaults: from,
    errors: async () => 'tools/count.sh: not executable é\n',
    begin: async (whole) => {
      told.push(`begin ${whole}`);
      return () => told.push('end');
    },
  });
  onTestFinished(() => mount.close());
  const inOwn = (path: string): string => readFileSync(join(at ?? '', path), 'utf8');
  const text = async (path: string): Promise<string> => String(Buffer.from(await mount.read(path)));
  const names = async (path: string): Promise<string[]> =>
    (await mount.readdir(path)).map(({ name }) => name);
  return { mount, at, from, told, inOwn, text, names };
}

const bytes = (text: string): Uint8Array => Buffer.from(text);

/** What an operation is refused with. */
async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (isFsError(error)) return `${error.code} ${error.op} ${error.path}`;
    throw error;
  }
  return 'done';
}

test('the deployment’s files lie over those of the package, in one listing, sorted, each name once', async () => {
  const { names, text } = open({
    'agents/mine.md': 'mine',
    'agents/assistant.md': 'not the default',
    'prompts/fix.md': 'fix',
  });
  expect(await names('/')).toEqual(['AGENTS.md', 'agents', 'prompts', 'skills', 'tools']);
  expect(await names('/agents')).toEqual(['assistant.md', 'mine.md']);
  expect(await names('/skills/commit')).toEqual(['SKILL.md']);
  expect(await names('/prompts')).toEqual(['fix.md']);
  expect(await text('/agents/assistant.md')).toBe('not the default');
  expect(await text('/AGENTS.md')).toBe('the package');
  expect(await open(null).names('/')).toEqual(['AGENTS.md', 'agents', 'skills', 'tools']);
});

test('a directory of the deployment over a file of the package is the directory alone', async () => {
  const { names } = open({ 'AGENTS.md/part.md': 'x' });
  expect(await names('/AGENTS.md')).toEqual(['part.md']);
});

test('what is wrong is a file that stands in no listing and is made when it is read', async () => {
  const { mount, names, text } = open();
  expect(await names('/')).not.toContain('.errors');
  expect(await text('/.errors')).toBe('tools/count.sh: not executable é\n');
  expect(await mount.lstat('/.errors')).toMatchObject({ type: 'file', mode: 0o444, size: 34 });
  expect([mount.lacks('/.errors'), mount.hasLinks('/.errors')]).toEqual([false, false]);
});

test('each tool whose name can be typed is a command that hands on to it', async () => {
  const { mount, names, text } = open({ 'tools/mine.sh': 'ls', 'tools/.hidden.sh': '' });
  expect(await names('/.bin')).toEqual(['count', 'mine', 'odd name']);
  for (const name of ['count', 'mine']) {
    const command = await text(`/.bin/${name}`);
    expect(command).toBe(`#!/bin/bash\ntool ${name} "$@"\n`);
    const stat = await mount.lstat(`/.bin/${name}`);
    expect(stat).toMatchObject({ type: 'file', mode: 0o555, size: command.length });
  }
  expect(await mount.lstat('/.bin')).toMatchObject({ type: 'directory', mode: 0o555 });
  expect([mount.lacks('/.bin'), mount.lacks('/.bin/count')]).toEqual([false, false]);
  for (const path of ['/.bin/none', '/.bin/odd name', '/.bin/_draft', '/bin/count'])
    expect(await refusal(mount.read(path))).toMatch(/^ENOENT/);
  expect(await open({}, {}).names('/.bin')).toEqual([]);
});

test('a file is lacking only where neither has it, and links are where either has one', async () => {
  const { mount, at, from } = open({ 'prompts/fix.md': 'fix' });
  // Below a directory that one of them does not have it is not said for sure.
  for (const path of ['/none.md', '/skills/none.md'])
    expect(mount.lacks(path)).toBe(path === '/none.md');
  expect(mount.lacks('/prompts/fix.md') || mount.lacks('/AGENTS.md')).toBe(false);
  expect([mount.hasLinks('/'), mount.hasLinks('/.bin/x')]).toEqual([false, false]);
  symlinkSync('AGENTS.md', join(from, 'OTHER.md'));
  const over = new HarnessMount({ own: at, defaults: from, errors: async () => '' });
  expect(await over.readlink('/OTHER.md')).toBe('AGENTS.md');
  await over.close();
  expect(open(null).mount.directory).toBeUndefined();
  expect(mount.directory).toBe(at);
});

test('what is written goes to the deployment, with the directories above it that only the package has', async () => {
  const { mount, inOwn, text, from } = open();
  await mount.write('/skills/commit/SKILL.md', bytes('mine'));
  await mount.append('/AGENTS.md', bytes(' and more'));
  await mount.append('/agents/assistant.md', bytes('!'));
  await mount.append('/agents/assistant.md', bytes('?'));
  await mount.mkdir('/tools/new');
  await mount.symlink('AGENTS.md', '/agents/link.md');
  await mount.link('/AGENTS.md', '/COPY.md');
  expect(inOwn('skills/commit/SKILL.md')).toBe('mine');
  expect(inOwn('AGENTS.md')).toBe('the package and more');
  expect(inOwn('COPY.md')).toBe('the package and more');
  expect(inOwn('agents/assistant.md')).toBe('a default!?');
  expect(await mount.readlink('/agents/link.md')).toBe('AGENTS.md');
  expect(await text('/agents/link.md').catch(() => 'not followed')).not.toBe('a default');
  expect(readFileSync(join(from, 'AGENTS.md'), 'utf8')).toBe('the package');
  expect(await refusal(mount.write('/none/there.md', bytes('')))).toMatch(/^ENOENT/);
});

test('rights and times are changed on a copy; a directory of the package is made anew for them', async () => {
  const { mount, inOwn, from } = open();
  await mount.chmod('/tools/count.sh', 0o700);
  await mount.utimes('/skills', new Date(86_400_000));
  expect(inOwn('tools/count.sh')).toBe('wc');
  expect((await mount.lstat('/tools/count.sh')).mode).toBe(0o700);
  expect((await mount.lstat('/skills')).mtime).toEqual(new Date(86_400_000));
  expect(readFileSync(join(from, 'tools/count.sh'), 'utf8')).toBe('wc');
  expect(await refusal(mount.chmod('/none', 0o700))).toMatch(/^ENOENT/);
});

test('what the deployment has can be removed and moved, and the package shows again; what the package has stays', async () => {
  const { mount, text } = open({ 'AGENTS.md': 'mine', 'prompts/fix.md': 'fix', 'empty/x': '' });
  await mount.unlink('/AGENTS.md');
  expect(await text('/AGENTS.md')).toBe('the package');
  await mount.rename('/prompts/fix.md', '/agents/fix.md');
  expect(await text('/agents/fix.md')).toBe('fix');
  await mount.unlink('/empty/x');
  await mount.rmdir('/empty');
  expect(mount.lacks('/empty')).toBe(true);
  expect(await refusal(mount.unlink('/AGENTS.md'))).toBe('EPERM unlink /AGENTS.md');
  expect(await refusal(mount.rmdir('/skills'))).toBe('EPERM rmdir /skills');
  expect(await refusal(mount.rename('/AGENTS.md', '/B.md'))).toBe('EPERM rename /AGENTS.md');
  expect(await refusal(mount.unlink('/none'))).toBe('ENOENT unlink /none');
});

test('what is made by the runtime is changed by nobody', async () => {
  const { mount } = open();
  const x = bytes('x');
  for (const path of ['/.errors', '/.bin', '/.bin/count'])
    expect(
      await Promise.all([
        refusal(mount.write(path, x)),
        refusal(mount.append(path, x)),
        refusal(mount.unlink(path)),
        refusal(mount.chmod(path, 0)),
        refusal(mount.rename('/AGENTS.md', path)).then((said) => said.slice(0, 5)),
      ]),
    ).toEqual([
      `EPERM open ${path}`,
      `EPERM open ${path}`,
      `EPERM unlink ${path}`,
      `EPERM chmod ${path}`,
      'EPERM',
    ]);
});

test('without a harness of the deployment’s own everything is read and nothing is written', async () => {
  const { mount, told, text } = open(null);
  expect(await text('/.bin/count')).toContain('tool count');
  expect(await refusal(mount.write('/a.md', bytes('')))).toBe('EPERM open /a.md');
  expect(await refusal(mount.mkdir('/a'))).toBe('EPERM mkdir /a');
  expect(await refusal(mount.unlink('/AGENTS.md'))).toBe('EPERM unlink /AGENTS.md');
  expect(told).toEqual(['begin null', 'end', 'begin null', 'end']);
});

test('whoever may change a trigger is noted from before the change to behind it, failed or not, and by which trigger where it is written whole', async () => {
  const { mount, told } = open({ 'triggers/a.md': 'x', 'AGENTS.md': 'y' });
  const tell = async (work: Promise<unknown>): Promise<string> => {
    await refusal(work);
    return told.splice(0).join(', ');
  };
  expect(await tell(mount.write('/triggers/a.md', bytes('z')))).toBe('begin a, end');
  expect(await tell(mount.write('/triggers/a/b.md', bytes('z')))).toBe('begin null, end');
  expect(await tell(mount.write('/AGENTS.md', bytes('z')))).toBe('begin null, end');
  const whole = 'begin null, end';
  expect(await tell(mount.append('/triggers/a.md', bytes('z')))).toBe(whole);
  expect(await tell(mount.link('/triggers/a.md', '/triggers/b.md'))).toBe(whole);
  expect(await tell(mount.symlink('a.md', '/triggers/c.md'))).toBe(whole);
  expect(await tell(mount.chmod('/triggers/a.md', 0o600))).toBe(whole);
  expect(await tell(mount.utimes('/triggers/a.md', new Date(0)))).toBe(whole);
  expect(await tell(mount.rename('/triggers/a.md', '/triggers/d.md'))).toBe(whole);
  expect(await tell(mount.unlink('/triggers/d.md'))).toBe(whole);
  expect(await tell(mount.unlink('/none'))).toBe(whole);
  expect(await tell(mount.mkdir('/triggers/e'))).toBe('');
});

test('a harness that is the package’s alone is walked at once; one over it is looked through by its listings', async () => {
  const found = (own: Record<string, string> | null): string[] | null => {
    const files = open(own).mount.walk('/');
    return files && [...files].map(({ path }) => path);
  };
  expect(found(null)).toContain('/skills/commit/SKILL.md');
  expect(found({ 'AGENTS.md': 'own' })).toBeNull();
});
