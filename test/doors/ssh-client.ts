/** An SSH door on a deployment of its own, and clients of it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ssh2, { type Client, type ClientChannel, type ConnectConfig, type SFTPWrapper } from 'ssh2';
import { onTestFinished } from 'vitest';
import { createWorld, type WorldConfig } from '../../entry/index.ts';
import { personAt } from '../../src/cli/ssh-person.ts';
import type { Doorway } from '../../src/doors/door.ts';
import { openDoorway } from '../../src/doors/doorway.ts';
import { type OpenSshDoor, openSshDoor } from '../../src/doors/ssh/server.ts';
import type { SshLimits } from '../../src/doors/ssh/session.ts';
import { terminalText } from '../cli/terminal-text.ts';

export interface TestDoor {
  door: OpenSshDoor;
  doorway: Doorway;
  port: number;
  notices: string[];
  close(): Promise<void>;
}

/** Opens a door that is closed when the test ends. @param keys the lines of `authorized_keys` */
export async function sshDoorOn(
  deployment: string,
  keys: readonly string[],
  {
    config = {},
    policy,
    env,
    limits,
  }: {
    config?: WorldConfig;
    policy?: string;
    env?: Record<string, string>;
    limits?: Partial<SshLimits>;
  } = {},
): Promise<TestDoor> {
  const authorizedKeys = join(deployment, 'authorized_keys');
  writeFileSync(authorizedKeys, keys.join('\n'), { mode: 0o600 });
  if (policy !== undefined) {
    mkdirSync(join(deployment, 'harness'), { recursive: true });
    writeFileSync(join(deployment, 'harness/policy.yaml'), policy);
  }
  const doorway = openDoorway({
    door: 'ssh',
    state: join(deployment, '.dirigent'),
    open: (session) =>
      createWorld(config, {
        deployment,
        ...(env === undefined ? {} : { env }),
        ...(session === undefined ? {} : { session }),
      }),
    host: { base: deployment, env: {} },
  });
  const notices: string[] = [];
  const door = await openSshDoor(doorway, {
    port: 0,
    authorizedKeys,
    person: (terminal) => personAt(terminal, (command) => `dirigent ${command}`),
    onNotice: (line) => notices.push(line),
    ...(limits === undefined ? {} : { limits }),
  });
  const close = async (): Promise<void> => {
    await door.close();
    await doorway.close();
  };
  return { door, doorway, port: Number(new URL(door.address).port), notices, close };
}

/** The same, closed when the test ends. */
export async function testDoor(...given: Parameters<typeof sshDoorOn>): Promise<TestDoor> {
  const opened = await sshDoorOn(...given);
  onTestFinished(opened.close);
  return opened;
}

/** A client that has come in. @throws Error where it was not let in */
export function connected(port: number, more: ConnectConfig): Promise<Client> {
  const client = new ssh2.Client();
  const { promise, resolve, reject } = Promise.withResolvers<Client>();
  client.on('ready', () => resolve(client)).on('error', reject);
  client.on('close', () => reject(new Error('the connection was closed')));
  client.connect({ host: '127.0.0.1', port, username: 'anybody', ...more });
  return promise;
}

export interface Ran {
  stdout: string;
  stderr: string;
  status: number | null;
}

/** Runs a command. @param stdin absent: the client's end stays open */
export function run(client: Client, command: string, stdin?: string): Promise<Ran> {
  const { promise, resolve, reject } = Promise.withResolvers<Ran>();
  client.exec(command, (error, channel) => {
    if (error !== undefined) return reject(error);
    const ran: Ran = { stdout: '', stderr: '', status: null };
    channel.on('data', (bytes: Buffer) => {
      ran.stdout += bytes.toString();
    });
    channel.stderr.on('data', (bytes: Buffer) => {
      ran.stderr += bytes.toString();
    });
    channel.on('exit', (status: number | null) => {
      ran.status = status;
    });
    channel.on('close', () => resolve(ran));
    if (stdin !== undefined) channel.end(stdin);
  });
  return promise;
}

export function sftpOf(client: Client): Promise<SFTPWrapper> {
  const { promise, resolve, reject } = Promise.withResolvers<SFTPWrapper>();
  client.sftp((error, sftp) => (error === undefined ? resolve(sftp) : reject(error)));
  return promise;
}

/** A shell with a terminal, as a person sees it. */
export class Screen {
  readonly #channel: ClientChannel;
  #shown = '';
  #mark = 0;
  #changed = Promise.withResolvers<void>();
  #isClosed = false;
  readonly ended: Promise<number | null>;

  constructor(channel: ClientChannel) {
    this.#channel = channel;
    const { promise, resolve } = Promise.withResolvers<number | null>();
    this.ended = promise;
    let status: number | null = null;
    channel.on('data', (bytes: Buffer) => {
      this.#shown += bytes.toString();
      this.#changed.resolve();
      this.#changed = Promise.withResolvers<void>();
    });
    channel.on('exit', (given: number | null) => {
      status = given;
    });
    channel.on('close', () => {
      this.#isClosed = true;
      resolve(status);
      this.#changed.resolve();
    });
  }

  static open(client: Client, size = { cols: 100, rows: 30 }): Promise<Screen> {
    const { promise, resolve, reject } = Promise.withResolvers<Screen>();
    client.shell({ term: 'xterm', ...size }, (error, channel) =>
      error === undefined ? resolve(new Screen(channel)) : reject(error),
    );
    return promise;
  }

  /** Types; what was shown before is not looked at by {@link until} any more. */
  type(keys: string): void {
    this.#mark = this.#shown.length;
    this.#channel.write(keys);
  }

  resize(cols: number, rows: number): void {
    this.#channel.setWindow(rows, cols, 0, 0);
  }

  /** What was shown since the last keys, as text. */
  get shown(): string {
    return terminalText(this.#shown.slice(this.#mark));
  }

  /** Waits until what is shown has this. */
  async until(wanted: RegExp): Promise<string> {
    const late = AbortSignal.timeout(50_000);
    while (!wanted.test(this.shown)) {
      // Of one that is closed nothing more is to come.
      if (late.aborted || this.#isClosed)
        throw new Error(`the terminal never showed ${String(wanted)}:\n${this.shown}`);
      const timeout = new Promise((resolve) => setTimeout(resolve, 500));
      await Promise.race([this.#changed.promise, timeout]);
    }
    return this.shown;
  }
}
