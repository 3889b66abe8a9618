/** The state is its owner's alone, and its files are whole. */
import fs from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryDirectory } from '../test/temporary-directory.ts';
import {
  closeFile,
  closeStateToOthers,
  makePrivateFile,
  makeStateDirectory,
  replaceFile,
} from './state.ts';

function directory(): string {
  const made = temporaryDirectory();
  return made;
}
const modeOf = (path: string): string => (fs.statSync(path).mode & 0o777).toString(8);
const write = (path: string, mode: number): void => {
  fs.writeFileSync(path, 'x');
  fs.chmodSync(path, mode);
};

test('what others may do with a state is taken from them, in all of it, and told of where they could write', () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  onTestFinished(() => warned.mockRestore());
  const state = directory();
  fs.mkdirSync(join(state, 'in'));
  fs.chmodSync(join(state, 'in'), 0o755);
  write(join(state, 'in', 'file'), 0o664);
  write(join(state, 'run'), 0o755);
  write(join(state, 'own'), 0o400);
  fs.symlinkSync('/nowhere', join(state, 'link'));
  fs.chmodSync(state, 0o755);
  closeStateToOthers(state);
  const all = ['.', 'in', 'in/file', 'run', 'own'].map((path) => modeOf(join(state, path)));
  expect(all).toEqual(['700', '700', '600', '700', '400']);
  expect(warned).not.toHaveBeenCalled();
  fs.chmodSync(state, 0o720);
  closeStateToOthers(state);
  expect(modeOf(state)).toBe('700');
  expect(warned).toHaveBeenCalledOnce();
  // One that is closed is not gone through again.
  fs.chmodSync(join(state, 'run'), 0o777);
  closeStateToOthers(state);
  expect(modeOf(join(state, 'run'))).toBe('777');
  closeStateToOthers(join(state, 'none'));
  expect(fs.existsSync(join(state, 'none'))).toBe(false);
});

test('a state of another user is refused', () => {
  const own = process.getuid?.() ?? 0;
  const users = process as { getuid(): number };
  const uid = vi.spyOn(users, 'getuid').mockReturnValue(own + 1);
  onTestFinished(() => uid.mockRestore());
  const state = directory();
  expect(() => closeStateToOthers(state)).toThrow('belongs to another user');
  write(join(state, 'f'), 0o644);
  closeFile(join(state, 'f'));
  expect(modeOf(join(state, 'f'))).toBe('644');
});

test('a file is made for its owner, or closed as it is', () => {
  const state = join(directory(), 'a', 'b');
  makeStateDirectory(state);
  makeStateDirectory(state);
  expect(modeOf(state)).toBe('700');
  const file = join(state, 'f');
  makePrivateFile(file);
  expect([modeOf(file), fs.readFileSync(file, 'utf8')]).toEqual(['600', '']);
  write(file, 0o644);
  makePrivateFile(file);
  expect([modeOf(file), fs.readFileSync(file, 'utf8')]).toEqual(['600', 'x']);
  expect(() => makePrivateFile(join(file, 'x'))).toThrow('ENOTDIR');
  closeFile(join(state, 'none'));
});

test('a file is replaced whole, and nothing else is left', () => {
  const state = directory();
  const file = join(state, 'f');
  replaceFile(file, 'one');
  replaceFile(file, 'two');
  expect([fs.readFileSync(file, 'utf8'), modeOf(file), fs.readdirSync(state)]).toEqual([
    'two',
    '600',
    ['f'],
  ]);
  fs.mkdirSync(join(state, 'd'));
  expect(() => replaceFile(join(state, 'd'), 'x')).toThrow();
  expect(fs.readdirSync(state).sort()).toEqual(['d', 'f']);
});
