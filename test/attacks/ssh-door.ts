/** An attacker who comes in by SSH: with commands, or with files by SFTP. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client, SFTPWrapper } from 'ssh2';
import type { Doorway } from '../../src/doors/door.ts';
import { generateKeyPair } from '../../src/doors/ssh/key-pair.ts';
import { openSshDoor } from '../../src/doors/ssh/server.ts';
import { connected, run, sftpOf } from '../doors/ssh-client.ts';
import type { FileOperation } from './attempt.ts';
import type { Door, Outcome } from './columns.ts';

async function entered(
  doorway: Doorway,
  deployment: string,
): Promise<{ client: Client; close(): Promise<void> }> {
  const key = generateKeyPair();
  const authorizedKeys = join(deployment, 'authorized_keys');
  const line = `actor="assistant",agent="assistant" ${key.public}`;
  writeFileSync(authorizedKeys, line, { mode: 0o600 });
  const door = await openSshDoor(doorway, {
    port: 0,
    authorizedKeys,
    person: () => {
      throw new Error('nobody is at a terminal');
    },
    onNotice: () => undefined,
  });
  const port = Number(new URL(door.address).port);
  const client = await connected(port, { privateKey: key.private });
  return {
    client,
    close: async () => {
      client.end();
      await door.close();
    },
  };
}

/** By commands. */
export async function openSsh(doorway: Doorway, deployment: string): Promise<Door> {
  const { client, close } = await entered(doorway, deployment);
  return {
    labels: false,
    run: async (script) => {
      const { stdout, stderr, status } = await run(client, script, '');
      return { failed: status !== 0, text: `${stdout}${stderr}`, origins: [] };
    },
    close,
  };
}

/** By files. */
export async function openSftp(doorway: Doorway, deployment: string): Promise<Door> {
  const { client, close } = await entered(doorway, deployment);
  const sftp = await sftpOf(client);
  return {
    labels: false,
    file: (operation) => outcomeOf(workOf(sftp, operation)),
    close,
  };
}

async function outcomeOf(work: Promise<string>): Promise<Outcome> {
  try {
    return { failed: false, text: await work, origins: [] };
  } catch (error) {
    return { failed: true, text: String(error), origins: [] };
  }
}

type Done = (error: Error | null | undefined, value?: unknown) => void;

/** A call that is answered by a callback; its value is text, or the names in a directory. */
function call(work: (done: Done) => unknown): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  work((error, value) => {
    if (error != null) return reject(error);
    const rows = Array.isArray(value) ? value.map((row: { filename: string }) => row.filename) : [];
    resolve(Array.isArray(value) ? rows.join('\n') : String(value ?? ''));
  });
  return promise;
}

/** What a client does for an operation. */
function workOf(sftp: SFTPWrapper, operation: FileOperation): Promise<string> {
  const { path } = operation;
  const write = (text: string): Promise<string> => call((done) => sftp.writeFile(path, text, done));
  const read = (): Promise<string> => call((done) => sftp.readFile(path, done));
  switch (operation.op) {
    case 'write':
      return write(operation.text);
    case 'append':
      return call((done) => sftp.appendFile(path, operation.text, done));
    case 'edit':
      return read().then((text) => write(text.replace(operation.old, operation.text)));
    case 'read':
      return read();
    case 'list':
      return call((done) => sftp.readdir(path, done));
    case 'remove':
      return call((done) => sftp.unlink(path, done));
    case 'mkdir':
      return call((done) => sftp.mkdir(path, done));
    case 'readlink':
      return call((done) => sftp.readlink(path, done));
    case 'touch':
      return call((done) => sftp.utimes(path, 978_307_200, 978_307_200, done));
    case 'chmod':
      return call((done) => sftp.chmod(path, operation.mode, done));
    case 'move':
      return call((done) => sftp.ext_openssh_rename(path, operation.to, done));
    case 'symlink':
      // The client has the draft's order for whoever is not OpenSSH by name; servers have the other one.
      return call((done) => sftp.symlink(path, operation.to, done));
    case 'link':
      return call((done) => sftp.ext_openssh_hardlink(path, operation.to, done));
    case 'copy':
      return read().then((text) => call((done) => sftp.writeFile(operation.to, text, done)));
  }
}
