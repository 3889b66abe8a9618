/** Debian's Dovecot with one mailbox, on loopback: a real IMAP server, into which mails are put as a mail server does. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../free-port.ts';

const PROGRAM = '/usr/sbin/dovecot';
export const PASSWORD = 'a password of the tests';

/** Its settings have another form in each line of versions. */
export const hasDovecot = (): boolean =>
  existsSync(PROGRAM) &&
  existsSync('/usr/lib/dovecot/imap') &&
  /^2\.3\./.test(spawnSync(PROGRAM, ['--version']).stdout.toString());

export interface Dovecot {
  port: number;
  user: string;
  /** Puts a mail into the mailbox, or into another one. */
  deliver(source: Uint8Array | string, folder?: string): void;
  /** The mailbox loses the numbers of its mails. */
  renumber(): void;
  /** What it has logged. */
  log(): string;
  /** Ends it, and begins it again at the same port. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** A process, and its end. */
interface Begun {
  child: ChildProcess;
  ended: Promise<unknown>;
}

/** It refuses to run as root, who nobody reads the mail of. */
const isRoot = process.getuid?.() === 0;
const OWNER = isRoot ? { uid: 65_534, gid: 65_534, user: 'nobody', group: 'nogroup' } : null;

export async function startDovecot(user: string): Promise<Dovecot> {
  const directory = mkdtempSync(join(tmpdir(), 'dirigent-dovecot-'));
  const own = (path: string): void => {
    if (OWNER !== null) chownSync(path, OWNER.uid, OWNER.gid);
  };
  const folders = ['Maildir', 'Maildir/new', 'Maildir/cur', 'Maildir/tmp', 'run', 'state'];
  // Root's own directories are closed to everybody else.
  const { mode } = statSync(tmpdir());
  if (OWNER !== null && (mode & 0o001) === 0) chmodSync(tmpdir(), (mode & 0o7777) | 0o011);
  chmodSync(directory, 0o755);
  own(directory);
  for (const folder of folders) {
    mkdirSync(join(directory, folder));
    own(join(directory, folder));
  }
  const port = await freePort();
  const { user: name, group } = OWNER ?? { user: userInfo().username, group: null };
  const file = join(directory, 'dovecot.conf');
  writeFileSync(join(directory, 'users'), `${user}:{PLAIN}${PASSWORD}::::::\n`);
  writeFileSync(file, settingsOf(directory, port, name, group ?? name));
  const begin = async (): Promise<Begun> => {
    const as = OWNER === null ? {} : { uid: OWNER.uid, gid: OWNER.gid };
    const child = spawn(PROGRAM, ['-F', '-c', file], {
      ...as,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const ended = once(child, 'exit');
    while (!(await listens(port))) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`dovecot has ended: ${said}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return { child, ended };
  };
  const end = async ({ child, ended }: Begun): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  let running = await begin();
  let mails = 0;
  return {
    port,
    user,
    deliver: (source, folder = '') => {
      mails += 1;
      const mail = `${Math.floor(Date.now() / 1000)}.${String(mails).padStart(6, '0')}_${randomUUID()}.test`;
      const base = join(directory, 'Maildir', folder);
      writeFileSync(join(base, 'tmp', mail), source);
      own(join(base, 'tmp', mail));
      renameSync(join(base, 'tmp', mail), join(base, 'new', mail));
    },
    renumber: () => {
      for (const kept of [
        'dovecot-uidlist',
        'dovecot.index',
        'dovecot.index.log',
        'dovecot.index.cache',
      ])
        rmSync(join(directory, 'Maildir', kept), { force: true });
      const list = join(directory, 'Maildir/dovecot-uidlist');
      writeFileSync(list, `3 V${Math.floor(Date.now() / 1000) + 100} N1\n`);
      own(list);
    },
    log: () => readFileSync(join(directory, 'log'), 'utf8'),
    restart: async () => {
      await end(running);
      running = await begin();
    },
    close: async () => {
      await end(running);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const settingsOf = (directory: string, port: number, user: string, group: string): string => `
base_dir = ${directory}/run
state_dir = ${directory}/state
log_path = ${directory}/log
default_internal_user = ${user}
default_internal_group = ${group}
default_login_user = ${user}
first_valid_uid = 1
protocols = imap
ssl = no
disable_plaintext_auth = no
mail_location = maildir:${directory}/Maildir
passdb {
  driver = passwd-file
  args = ${directory}/users
}
userdb {
  driver = static
  args = uid=${user} gid=${group} home=${directory}
}
service imap-login {
  chroot =
  inet_listener imap {
    address = 127.0.0.1
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
namespace inbox {
  inbox = yes
}
`;

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
