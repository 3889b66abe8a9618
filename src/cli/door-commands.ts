/** The commands that open a door, and the one that shows which are open. */
import {
  AGENT,
  COMMON,
  type CommandSpec,
  DRY_RUN,
  HELP,
  PLACE,
  SESSION,
  WORLD,
} from './command-spec.ts';

export const DOOR_COMMANDS = {
  mcp: {
    summary: 'the world, for any MCP client',
    usage: ['[options]'],
    about: `Serves the world to an MCP client, of 2026-07-28 or of an older protocol: the tools bash, read, write, edit and verify, files as resources, the harness's prompts and skills as prompts, with the session and the policy behind them. On stdio; or on streamable HTTP, on loopback, for clients that send its token.`,
    options: {
      http: {
        type: 'string',
        value: 'PORT',
        help: 'listen on http://127.0.0.1:PORT/mcp; 0 takes a free port',
      },
      token: {
        type: 'string',
        value: 'TOKEN',
        help: 'of --http: clients send "Authorization: Bearer TOKEN"; by default DIRIGENT_MCP_TOKEN, which other users of the machine do not see, or else one is made and printed',
      },
      clients: {
        type: 'string',
        value: 'FILE',
        completes: 'file',
        help: 'of --http, for several clients: YAML with "NAME: {sha256: DIGEST, agent: AGENT}" for each, the digest that of its token. Each is an actor of its own, and has its own session. It is read again when it has changed',
      },
      issuer: {
        type: 'string',
        value: 'URL',
        help: 'of --clients: an OAuth authorization server whose tokens are taken, too; in the file "NAME: {subject: SUBJECT, scopes: {SCOPE: AGENT}}" says whose they are, and what each scope gives',
      },
      agent: { type: 'string', value: 'NAME', help: 'with the rights of this agent' },
      plan: {
        type: 'boolean',
        help: 'a plan comes first: a client changes nothing before its person has approved one, and then only what it names',
      },
      session: SESSION,
      ...WORLD,
      'dry-run': DRY_RUN,
    },
  },
  mount: {
    summary: 'the world as a directory, for any program',
    usage: ['[options] DIR [-- COMMAND [ARG…]]'],
    about: `Mounts the world at DIR, an empty directory, by FUSE: programs of the host see its files at real paths, bound by its modes and its policy. With COMMAND it is run there, in the world's working directory, and DIR is unmounted when it ends; the status is COMMAND's. Without, DIR stays mounted until Ctrl-C, SIGTERM or "fusermount3 -u DIR". What is written to a record is sent when it is closed, and a refusal is the close's: "getfattr -n user.dirigent.error FILE" says why. In it, grep with a query and no option searches by meaning.`,
    options: {
      agent: { type: 'string', value: 'NAME', help: 'with the rights of this agent' },
      session: SESSION,
      ...WORLD,
      'dry-run': DRY_RUN,
    },
    operands: 'directory',
    more: `It needs /dev/fuse, FUSE 3 (on Debian and Ubuntu: apt-get install fuse3 libfuse3-3) and the package fuse-napi, which is installed beside this one: npm install fuse-napi. docs/fuse.md has what holds there and what does not.

  mkdir -p world && dirigent mount --mount /mnt/docs=./docs:ro world -- claude`,
  },
  shim: {
    summary: 'grep by meaning in mounted worlds, for your own shell',
    usage: ['install [--dir DIR]', 'uninstall [--dir DIR]'],
    about: `Puts a grep into a directory that stands before the system's on your PATH. In a mounted world ("dirigent mount") it searches by meaning where it is given a query and no option; with an option, and everywhere else, it is the system's grep, to the letter. A file that is there and no shim is left alone.`,
    verbs: {
      install: { help: 'make it, or replace an older one' },
      uninstall: { help: 'remove it' },
    },
    options: {
      dir: {
        type: 'string',
        value: 'DIR',
        completes: 'directory',
        help: 'the directory; ~/.local/bin by default, which is made if it is not there',
      },
      help: HELP,
    },
    more: `What "dirigent mount DIR -- COMMAND" runs has it without being installed.

  dirigent shim install
  cd world/mnt/docs && grep "how is a release made"`,
  },
  acp: {
    summary: 'the agent, in an editor',
    usage: ['[options]'],
    about: `Serves the agent of the world to an editor by the Agent Client Protocol, on stdio: Zed, JetBrains, Neovim. The editor starts it, shows the turns as they come, and asks the person there where a rule asks.`,
    options: {
      agent: { ...AGENT.agent },
      model: { ...AGENT.model },
      editor: {
        type: 'string',
        value: 'MODE',
        help: 'mount the directory that is open in the editor at /mnt/editor, with what is not saved yet: ro to read, rw to edit it there. It is not mounted by default',
      },
      ...WORLD,
      'dry-run': DRY_RUN,
    },
  },
  ssh: {
    summary: 'the world, for SSH and SFTP',
    usage: ['[options]'],
    about: `Serves the world by SSH: a shell with a terminal, "ssh HOST 'grep …'", and files by SFTP, so that scp, sshfs and rclone work, too. Who may come in is said by a file of public keys, as OpenSSH has it; there are no passwords, and nothing is forwarded. It ends with Ctrl-C.`,
    options: {
      port: {
        type: 'string',
        short: 'p',
        value: 'PORT',
        help: 'listen on this port, 2222 by default; 0 takes a free one',
      },
      host: {
        type: 'string',
        value: 'ADDRESS',
        help: 'listen on this address; 127.0.0.1 by default, which only this machine reaches',
      },
      'authorized-keys': {
        type: 'string',
        value: 'FILE',
        completes: 'file',
        help: 'a public key a line; by default authorized_keys of the deployment. actor="NAME" before a key says who holds it (else its comment does), agent="NAME" whose rights they have; session="new" gives each channel a session of its own',
      },
      ...WORLD,
      'dry-run': DRY_RUN,
    },
    more: `docs/doors.md says who is who, and what is asked of whom.

  echo "actor=\\"ana\\" $(cat ~/.ssh/id_ed25519.pub)" >> authorized_keys
  dirigent ssh --port 2222
  ssh -p 2222 127.0.0.1 'ls /mnt'`,
  },
  doors: {
    summary: 'which doors are open, and to whom',
    usage: ['[options]'],
    about: `Lists the doors that are open on a deployment, each with its address and the clients that it has: who they are, with which agent's rights, and in which session. A door whose process has died is none.`,
    options: PLACE,
  },
  serve: {
    summary: 'the deployment as a server: turns that outlive it, an HTTP API',
    usage: ['[options]', 'token [list | add NAME | remove NAME] [options]'],
    about: `Serves a deployment over HTTP: sessions, messages to agents, what happens in them as it happens, approvals, changes, files, the schedule. Messages wait in a queue on the disk: each is taken once, one turn a session at a time, and a turn that waits for a person is parked until they have answered, for a week and over restarts. Who may come in has a token; where nobody has one, one is made for "owner" and printed. With --stdio it is driven by JSON lines instead, and nothing listens. It ends with Ctrl-C.`,
    verbs: {
      token: {
        operands: '[list | add NAME | remove NAME]',
        help: 'who may come in. "add" prints the token of NAME this once, of --role; "remove" ends it at once',
      },
    },
    options: {
      host: {
        type: 'string',
        value: 'ADDRESS',
        help: 'listen on this address; 127.0.0.1 by default, which only this machine reaches. For others, put a proxy with TLS before it',
      },
      port: {
        type: 'string',
        short: 'p',
        value: 'PORT',
        help: 'listen on this port, 7070 by default; 0 takes a free one',
      },
      origin: {
        type: 'string',
        multiple: true,
        value: 'URL',
        help: 'pages of this origin may ask, such as the proxy’s https://desk.example.com; may be repeated',
      },
      turns: { type: 'string', value: 'N', help: 'turns at once, 8 by default' },
      mcp: {
        type: 'string',
        value: 'PORT',
        help: 'serve the world to MCP clients, too, on http://127.0.0.1:PORT/mcp: to those of the tokens who have sessions',
      },
      ssh: {
        type: 'string',
        value: 'PORT',
        help: 'and by SSH and SFTP, on --host: to the keys of authorized_keys, or of --authorized-keys',
      },
      'authorized-keys': {
        type: 'string',
        value: 'FILE',
        completes: 'file',
        help: 'of --ssh: a public key a line; by default authorized_keys of the deployment',
      },
      stdio: { type: 'boolean', help: 'JSON lines on stdin and stdout, and no port' },
      role: {
        type: 'string',
        value: 'ROLE',
        values: ['viewer', 'user', 'approver', 'owner'],
        help: 'of token add: viewer sees everything; user (the default) has sessions of their own; approver does both, and decides what waits; owner may all',
      },
      agent: {
        type: 'string',
        value: 'NAME',
        help: 'of token add: with the rights of this agent, and no others',
      },
      ...COMMON,
      'dry-run': DRY_RUN,
    },
    more: `docs/serve.md has the API, the roles, and what holds when the server is killed.

  dirigent serve token add ana --role approver
  dirigent serve --port 7070
  DIRIGENT_TOKEN=… dirigent run --server http://127.0.0.1:7070 "What is due this week?"`,
  },
} as const satisfies Readonly<Record<string, CommandSpec>>;
