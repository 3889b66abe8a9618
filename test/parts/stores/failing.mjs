// A store of files that fails as the file "fault" in its directory says: `METHOD CODE MESSAGE`. Plain JavaScript.
import fs from 'node:fs';
import { join } from 'node:path';

export default ({ directory, options, env }) => {
  const root = join(directory, options.folder);
  const log = (session) => join(root, session);
  const size = (session) => fs.statSync(log(session), { throwIfNoEntry: false })?.size ?? 0;
  const held = new Set();
  const tried = (method) => {
    const fault = join(directory, 'fault');
    if (!fs.existsSync(fault)) return undefined;
    const [which, code, ...words] = fs.readFileSync(fault, 'utf8').trim().split(' ');
    if (which !== method) return undefined;
    if (code === 'promise') return Promise.reject(new Error('too late'));
    throw Object.assign(new Error(`${words.join(' ')} ${env.VAULT_KEY}`), { code });
  };
  return {
    list: () => tried('list') ?? (fs.existsSync(root) ? fs.readdirSync(root) : []),
    stat: (session) => {
      const stat = fs.statSync(log(session), { throwIfNoEntry: false });
      return tried('stat') ?? (stat ? { bytes: stat.size, changed: stat.mtime } : null);
    },
    read: (session) => {
      const file = fs.openSync(log(session), 'r');
      return {
        read: (into, at) => tried('read') ?? fs.readSync(file, into, 0, into.length, at),
        close: () => fs.closeSync(file),
      };
    },
    write: (session) => {
      if (held.has(session))
        throw Object.assign(new Error('it is written here'), { code: 'EBUSY' });
      held.add(session);
      return {
        append: (bytes, at) => {
          if (size(session) !== at) throw Object.assign(new Error('moved'), { code: 'ESTALE' });
          fs.mkdirSync(root, { recursive: true });
          // Half of it is there when it fails.
          const half = Math.floor(bytes.length / 2);
          fs.appendFileSync(log(session), bytes.subarray(0, half));
          const late = tried('append');
          fs.appendFileSync(log(session), bytes.subarray(half));
          return late;
        },
        sync: () => tried('sync'),
        undo: (at) => tried('undo') ?? fs.truncateSync(log(session), at),
        cut: (at) => {
          fs.truncateSync(log(session), at);
          return 'nowhere';
        },
        keepHead: () => undefined,
        remove: () => fs.rmSync(log(session)),
        release: () => void held.delete(session),
      };
    },
    head: () => null,
    where: (session) => log(session),
  };
};
