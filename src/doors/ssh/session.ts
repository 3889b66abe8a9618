/** One channel of an SSH connection: a terminal, a command, or SFTP. */
import type { ServerChannel, Session } from 'ssh2';
import type { Approval } from '../../policy/approval.ts';
import { escapeText } from '../../visible.ts';
import type { Visit } from '../door.ts';
import { runSshCommand, runSshScript } from './command.ts';
import { Sftp } from './sftp.ts';
import { SshTerminal, type TerminalSize } from './terminal.ts';

export interface SshLimits {
  /** Clients at once. */
  connections: number;
  /** Of these, who have not shown a key yet. */
  waiting: number;
  /** For which a client may take to show its key. */
  loginMs: number;
  /** Keys that a client may try. */
  tries: number;
  /** Channels of one client. */
  channels: number;
  stdinBytes: number;
}

/** Who speaks with the person at a terminal: the front end has the prompt, and the questions. */
export interface Person {
  onApproval(approval: Approval): void;
  /**
   * A shell until the person leaves it, or one command.
   * @returns the status
   */
  run(visit: Visit, command: string | null): Promise<number>;
}

export interface SshSessionOptions {
  /** @param onApproval has the person asked */
  enter(onApproval?: (approval: Approval) => void): Promise<Visit>;
  person(terminal: SshTerminal): Person;
  mayHaveTerminal: boolean;
  limits: SshLimits;
}

/** Variables that a client may set: how it wants to be written to. */
const VARIABLES = /^(?:LANG|LC_[A-Z]+|TZ|NO_COLOR|COLORTERM)$/;
const LONGEST_VARIABLE = 200;

const HOME = '/workspace';
/** As OpenSSH has it of a session that went wrong. */
const FAILED = 255;

interface Wanted {
  term: string;
  size: TerminalSize;
}

export class SshSession {
  readonly #options: SshSessionOptions;
  readonly #env: Record<string, string> = {};
  readonly #stop = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  #wanted: Wanted | null = null;
  #terminal: SshTerminal | null = null;

  constructor(session: Session, options: SshSessionOptions) {
    this.#options = options;
    session.on('close', () => this.#close());
    session.on('env', (accept, reject, { key, val }) => {
      if (!VARIABLES.test(key) || val.length > LONGEST_VARIABLE) return reject?.();
      this.#env[key] = val;
      accept?.();
    });
    session.on('pty', (accept, reject, { cols, rows, ...info }) => {
      if (!options.mayHaveTerminal) return reject?.();
      const { term } = info as { term?: string };
      this.#wanted = { term: term ?? 'dumb', size: { columns: cols, rows } };
      accept?.();
    });
    session.on('window-change', (accept, _, { cols, rows }) => {
      const size = { columns: cols, rows };
      if (this.#wanted !== null) this.#wanted.size = size;
      this.#terminal?.resize(size);
      accept?.();
    });
    session.on('signal', (accept, _, { name }) => {
      if (['INT', 'TERM', 'HUP', 'KILL', 'QUIT'].includes(name)) this.#interrupt();
      accept?.();
    });
    session.on('exec', (accept, _, { command }) => void this.#run(accept(), command));
    session.on('shell', (accept) => void this.#run(accept(), null));
    session.on('subsystem', (accept, reject, { name }) => {
      if (name !== 'sftp') return reject();
      void this.#files(accept() as unknown as ServerChannel);
    });
  }

  /** Resolves when the client has closed the channel, or has gone. */
  get closed(): Promise<void> {
    return this.#ended.promise;
  }

  #close(): void {
    this.#stop.abort();
    this.#ended.resolve();
  }

  /** A signal that the client sends is for the command. */
  #interrupt(): void {
    if (this.#terminal === null) this.#stop.abort();
    else this.#terminal.emit('interrupt');
  }

  async #run(channel: ServerChannel, command: string | null): Promise<void> {
    channel.on('close', () => this.#close());
    channel.on('error', () => this.#close());
    await this.#ending(channel, () =>
      this.#wanted === null
        ? this.#command(channel, command)
        : this.#atTerminal(channel, command, this.#wanted),
    );
  }

  async #command(channel: ServerChannel, command: string | null): Promise<number> {
    await using visit = await this.#options.enter();
    const given = {
      channel,
      exec: visit.exec.bind(visit),
      env: this.#env,
      signal: this.#stop.signal,
      most: this.#options.limits.stdinBytes,
    };
    return command === null ? await runSshScript(given) : await runSshCommand(command, given);
  }

  async #atTerminal(
    channel: ServerChannel,
    command: string | null,
    { term, size }: Wanted,
  ): Promise<number> {
    const terminal = new SshTerminal(channel, term, size);
    this.#terminal = terminal;
    const person = this.#options.person(terminal);
    await using visit = await this.#options.enter((approval) => person.onApproval(approval));
    return await person.run(visit, command);
  }

  async #files(channel: ServerChannel): Promise<void> {
    channel.on('close', () => this.#close());
    channel.on('error', () => this.#close());
    await this.#ending(channel, async () => {
      await using visit = await this.#options.enter();
      let status = 0;
      const sftp = new Sftp({
        fs: visit.fs,
        mounts: visit.mounts,
        home: HOME,
        send: (packet) => void channel.write(packet),
        onFault: (error) => {
          status = FAILED;
          channel.stderr.write(`dirigent: ${escapeText(String(error))}\n`);
          channel.destroy();
        },
      });
      try {
        for await (const piece of channel) await sftp.receive(piece as Buffer);
      } catch (error) {
        // A client that goes away in the middle of a request is no fault of anybody's here.
        if (!channel.destroyed) throw error;
      } finally {
        sftp.close();
      }
      return status;
    });
  }

  /** Ends a channel with the status of what was done on it. */
  async #ending(channel: ServerChannel, work: () => Promise<number>): Promise<void> {
    let status = FAILED;
    try {
      status = await work();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (channel.writable) channel.stderr.write(`dirigent: ${escapeText(message)}\r\n`);
    }
    if (channel.destroyed || !channel.writable) return;
    channel.exit(status);
    channel.end();
  }
}
