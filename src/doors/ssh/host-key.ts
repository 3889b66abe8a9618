/** The key by which clients know the host again. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { ConfigError } from '../../errors.ts';
import { closeFile, makeStateDirectory } from '../../state.ts';
import { generateKeyPair } from './key-pair.ts';

export interface HostKey {
  /** As OpenSSH keeps it. */
  private: string;
  /** As a line of `known_hosts` has it, behind the host's name. */
  public: string;
  /** `SHA256:…`, as a client shows it when it asks. */
  fingerprint: string;
}

/** The host's key of a state directory: made once, for its owner alone. */
export function hostKeyOf(state: string): HostKey {
  makeStateDirectory(state);
  const file = join(state, 'ssh_host_ed25519_key');
  const text = existing(file) ?? made(file);
  const key = ssh2.utils.parseKey(text);
  if (key instanceof Error)
    throw new ConfigError(
      file,
      `it is no private key (${key.message}); remove it, and a new one is made`,
    );
  const bytes = key.getPublicSSH();
  const digest = createHash('sha256').update(bytes).digest('base64').replace(/=+$/, '');
  return {
    private: text,
    public: `${key.type} ${bytes.toString('base64')}`,
    fingerprint: `SHA256:${digest}`,
  };
}

function existing(file: string): string | null {
  if (!fs.existsSync(file)) return null;
  closeFile(file);
  return fs.readFileSync(file, 'utf8');
}

/** Two doors may be opened at once: the key is whole before it has its name, and the first one counts. */
function made(file: string): string {
  const fresh = `${file}.${process.pid}`;
  fs.writeFileSync(fresh, generateKeyPair().private, { mode: 0o600 });
  try {
    fs.linkSync(fresh, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    fs.rmSync(fresh);
  }
  return fs.readFileSync(file, 'utf8');
}
