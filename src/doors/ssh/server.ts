/** The SSH door: keys let in principals, who get commands, a terminal, and files by SFTP. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from 'node:net';
import ssh2, { type AuthContext, type Connection } from 'ssh2';
import { ConfigError } from '../../errors.ts';
import type { Approval } from '../../policy/approval.ts';
import type { Doorway, Visit } from '../door.ts';
import { type AuthorizedKey, authorized, readAuthorizedKeys } from './authorized-keys.ts';
import { type HostKey, hostKeyOf } from './host-key.ts';
import { type Person, type SshLimits, SshSession } from './session.ts';
import type { SshTerminal } from './terminal.ts';

export interface SshOptions {
  /** 0 takes a free one. */
  port: number;
  /** The address to listen on; loopback by default. */
  host?: string;
  /** The file of the keys that may come in; read at each login. */
  authorizedKeys: string;
  /** Who speaks with the person at a terminal. */
  person(terminal: SshTerminal): Person;
  /** Told what the deployer should know, a line each. */
  onNotice(line: string): void;
  limits?: Partial<SshLimits>;
}

const LIMITS: SshLimits = {
  connections: 64,
  waiting: 16,
  loginMs: 30_000,
  tries: 6,
  channels: 16,
  stdinBytes: 256 * 1024 * 1024,
};

const LOOPBACK = '127.0.0.1';

/** A door that is open. */
export interface OpenSshDoor {
  /** `ssh://127.0.0.1:2222` */
  readonly address: string;
  readonly hostKey: HostKey;
  /** Ends all connections. */
  close(): Promise<void>;
}

/**
 * Opens the door on a doorway.
 * @throws ConfigError where the file of the keys, or the host's own key, cannot be used
 */
export async function openSshDoor(doorway: Doorway, options: SshOptions): Promise<OpenSshDoor> {
  // A file that lets nobody in, or somebody by a mistake, is told of before anybody knocks.
  if (readAuthorizedKeys(options.authorizedKeys).length === 0)
    throw new ConfigError(options.authorizedKeys, 'no key is in it, so nobody could come in');
  return new SshServer(doorway, options).listen();
}

class SshServer {
  readonly #doorway: Doorway;
  readonly #options: SshOptions;
  readonly #limits: SshLimits;
  readonly #ssh: InstanceType<typeof ssh2.Server>;
  readonly #net: NetServer;
  /** Connections; true where a key has let it in. */
  readonly #sockets = new Map<Socket, boolean>();
  readonly #key: HostKey;

  constructor(doorway: Doorway, options: SshOptions) {
    this.#doorway = doorway;
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
    this.#key = hostKeyOf(doorway.state);
    this.#ssh = new ssh2.Server(
      {
        hostKeys: [this.#key.private],
        ident: 'dirigent',
        // What is small when it comes and large when it is unpacked is not taken.
        algorithms: { compress: ['none'] },
      },
      (connection, info) => this.#knocked(connection, info.port),
    );
    this.#net = createServer((socket) => this.#accept(socket));
  }

  async listen(): Promise<OpenSshDoor> {
    const { host = LOOPBACK, port, onNotice } = this.#options;
    this.#net.listen(port, host);
    await once(this.#net, 'listening');
    const { address, port: taken } = this.#net.address() as AddressInfo;
    const where = `${address.includes(':') ? `[${address}]` : address}:${taken}`;
    this.#doorway.announce(`ssh://${where}`);
    onNotice(`the host's key is ${this.#key.fingerprint} (ED25519)`);
    return {
      address: `ssh://${where}`,
      hostKey: this.#key,
      close: async () => {
        for (const socket of this.#sockets.keys()) socket.destroy();
        await new Promise((resolve) => this.#net.close(resolve));
      },
    };
  }

  #accept(socket: Socket): void {
    const waiting = [...this.#sockets.values()].filter((entered) => !entered).length;
    if (this.#sockets.size >= this.#limits.connections || waiting >= this.#limits.waiting)
      return void socket.destroy();
    this.#sockets.set(socket, false);
    const late = setTimeout(() => {
      if (this.#sockets.get(socket) === false) socket.destroy();
    }, this.#limits.loginMs);
    socket.once('close', () => {
      clearTimeout(late);
      this.#sockets.delete(socket);
    });
    socket.setNoDelay(true);
    this.#ssh.injectSocket(socket);
  }

  #knocked(connection: Connection, port: number | undefined): void {
    const socket = [...this.#sockets.keys()].find(({ remotePort }) => remotePort === port);
    let tries = 0;
    let line: AuthorizedKey | null = null;
    connection.on('error', () => undefined);
    connection.on('authentication', (attempt) => {
      line = this.#keyOf(attempt);
      if (line !== null) return attempt.accept();
      if (attempt.method !== 'none') tries += 1;
      attempt.reject(['publickey']);
      if (tries < this.#limits.tries) return;
      const from = socket?.remoteAddress ?? 'a client';
      this.#options.onNotice(`${from} tried ${tries} keys, and none is known`);
      connection.end();
    });
    connection.on('ready', () => {
      if (line === null) return void connection.end();
      if (socket !== undefined) this.#sockets.set(socket, true);
      this.#serve(connection, line);
    });
  }

  /** The line of the key that an attempt shows, and has signed with, if it was to sign by now. */
  #keyOf(attempt: AuthContext): AuthorizedKey | null {
    if (attempt.method !== 'publickey') return null;
    // SHA-1 signs nothing any more.
    if (attempt.key.algo === 'ssh-rsa' && attempt.hashAlgo === undefined) return null;
    let keys: AuthorizedKey[];
    try {
      keys = readAuthorizedKeys(this.#options.authorizedKeys);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      this.#options.onNotice(`nobody can come in: ${error.message}`);
      return null;
    }
    const line = authorized(keys, attempt.key.data, Date.now());
    if (line === null) return null;
    const { signature, blob, hashAlgo } = attempt;
    if (signature === undefined || blob === undefined) return line;
    return line.key.verify(blob, signature, hashAlgo) === true ? line : null;
  }

  #serve(connection: Connection, line: AuthorizedKey): void {
    let open = 0;
    const enter = (onApproval?: (approval: Approval) => void): Promise<Visit> =>
      this.#doorway.enter(line.principal, onApproval === undefined ? {} : { onApproval });
    connection.on('session', (accept, reject) => {
      if (open >= this.#limits.channels) return reject();
      open += 1;
      const channel = new SshSession(accept(), {
        enter,
        person: (terminal) => this.#options.person(terminal),
        mayHaveTerminal: line.terminal,
        limits: this.#limits,
      });
      channel.closed.finally(() => {
        open -= 1;
      });
    });
  }
}
