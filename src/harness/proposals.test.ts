/** Proposals to the harness: what a person is shown of them, and what accepting and rejecting does. */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/temporary-directory.ts';
import { acceptProposal, findProposal, listProposals, rejectProposal } from './proposals.ts';

function deployment(
  proposed: Record<string, string | Uint8Array>,
  own: Record<string, string> = {},
) {
  const root = temporaryDirectory();
  const directories = {
    own: join(root, 'own'),
    defaults: join(root, 'defaults'),
    proposals: join(root, 'proposals'),
  };
  const put = (at: string, files: Record<string, string | Uint8Array>): void => {
    mkdirSync(at);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(at, path)), { recursive: true });
      writeFileSync(join(at, path), text);
    }
  };
  put(directories.own, own);
  put(directories.defaults, { 'AGENTS.md': 'the package\n' });
  put(directories.proposals, proposed);
  return directories;
}

test('a proposal is shown with what it would replace, the deployment’s file before the package’s', () => {
  const directories = deployment(
    { 'AGENTS.md': 'new\n', 'prompts/fix.md': 'fixed\n', 'prompts/other.md': 'other\n' },
    { 'prompts/fix.md': 'fix\n' },
  );
  const { proposals, errors } = listProposals(directories);
  expect(errors).toEqual([]);
  expect(proposals.map(({ path, before, after, error }) => [path, before, after, error])).toEqual([
    ['AGENTS.md', 'the package\n', 'new\n', null],
    ['prompts/fix.md', 'fix\n', 'fixed\n', null],
    ['prompts/other.md', null, 'other\n', null],
  ]);
  expect(proposals[1]?.patch).toContain('-fix\n+fixed\n');
  expect(findProposal(directories, 'prompts/fix.md')).toEqual(proposals[1]);
  expect(new Set(proposals.map(({ digest }) => digest)).size).toBe(3);
  expect(listProposals({ ...directories, own: null }).proposals[1]?.before).toBeNull();
  expect(listProposals({ ...directories, proposals: '/none' })).toEqual({
    proposals: [],
    errors: [],
  });
});

test('what can be no proposal is said beside those that are', () => {
  const directories = deployment({
    'prompts/a.md': 'a',
    'prompts/bytes.md': new Uint8Array([0xff, 0xfe, 0x41]),
    'prompts/large.md': 'x'.repeat(1024 * 1024 + 1),
    'prompts/largest.md': 'x'.repeat(1024 * 1024),
    'agents/broken.md': '---\nnone: [\n---\n',
  });
  symlinkSync('/etc', join(directories.proposals, 'link'));
  const { proposals, errors } = listProposals(directories);
  expect(proposals.map(({ path, error }) => [path, error !== null])).toEqual([
    ['agents/broken.md', true],
    ['prompts/a.md', false],
    ['prompts/largest.md', false],
  ]);
  expect(errors.map(({ path }) => path)).toEqual(['link', 'prompts/bytes.md', 'prompts/large.md']);
});

test('accepting puts the text in its place as it was shown, makes its directories, and takes the proposal away', () => {
  const directories = deployment({ 'skills/new/SKILL.md': '---\ndescription: d\n---\nsteps' });
  const { digest } = findProposal(directories, 'skills/new/SKILL.md');
  acceptProposal(directories, 'skills/new/SKILL.md', digest);
  expect(readFileSync(join(directories.own, 'skills/new/SKILL.md'), 'utf8')).toContain('steps');
  expect(existsSync(join(directories.proposals, 'skills'))).toBe(false);
});

test('accepting is refused where anything is other than it was shown, broken, or without a place', () => {
  const directories = deployment({ 'AGENTS.md': 'new\n', 'agents/broken.md': '---\n[\n---\n' });
  const { digest } = findProposal(directories, 'AGENTS.md');
  writeFileSync(join(directories.own, 'AGENTS.md'), 'changed meanwhile\n');
  expect(() => acceptProposal(directories, 'AGENTS.md', digest)).toThrow('not what was shown');
  rmSync(join(directories.own, 'AGENTS.md'));
  writeFileSync(join(directories.proposals, 'AGENTS.md'), 'another\n');
  expect(() => acceptProposal(directories, 'AGENTS.md', digest)).toThrow('not what was shown');
  const now = findProposal(directories, 'AGENTS.md');
  expect(() => acceptProposal({ ...directories, own: null }, 'AGENTS.md', now.digest)).toThrow(
    'no harness',
  );
  const broken = findProposal(directories, 'agents/broken.md');
  expect(() => acceptProposal(directories, 'agents/broken.md', broken.digest)).toThrow(
    'would be broken',
  );
  rmSync(directories.own, { recursive: true });
  mkdirSync(directories.own);
  symlinkSync(directories.defaults, join(directories.own, 'prompts'));
  mkdirSync(join(directories.proposals, 'prompts'));
  writeFileSync(join(directories.proposals, 'prompts/x.md'), 'x');
  const out = findProposal(directories, 'prompts/x.md');
  expect(out.before).toBeNull();
  expect(() => acceptProposal(directories, 'prompts/x.md', out.digest)).toThrow(
    'out of the harness',
  );
  expect(existsSync(join(directories.defaults, 'x.md'))).toBe(false);
});

test('rejecting takes one proposal away, with the directories that it leaves empty, and nothing else', () => {
  const directories = deployment({ 'a/b/one.md': '1', 'a/two.md': '2' });
  rejectProposal(directories, 'a/b/one.md');
  expect(existsSync(join(directories.proposals, 'a/b'))).toBe(false);
  expect(listProposals(directories).proposals.map(({ path }) => path)).toEqual(['a/two.md']);
});

test.each([
  ['none.md', 'no such proposal'],
  ['a', 'no regular file'],
  ['a/none/x.md', 'no such proposal'],
  ['link/x.md', 'a link'],
  ['../own/AGENTS.md', 'relative to /harness'],
  ['a//two.md', 'relative to /harness'],
  ['./a/two.md', 'relative to /harness'],
  ['', 'relative to /harness'],
  ['a/two.md\0', 'relative to /harness'],
])('%j is no proposal, and that is said', (path, said) => {
  const directories = deployment({ 'a/two.md': '2' }, { 'AGENTS.md': 'mine' });
  symlinkSync(directories.own, join(directories.proposals, 'link'));
  writeFileSync(join(directories.own, 'x.md'), 'x');
  expect(() => findProposal(directories, path)).toThrow(said);
  if (path !== 'a') expect(() => rejectProposal(directories, path)).toThrow(said);
  expect(() => findProposal({ ...directories, proposals: '/none' }, 'a.md')).toThrow('no such');
});
