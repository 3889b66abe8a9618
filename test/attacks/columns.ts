/**
 * The front ends, each as a column of the attack suite. A new one is one more
 * object in {@link COLUMNS}: how it is opened, and how it runs a script or does
 * an operation on a file.
 */
import { join } from 'node:path';
import {
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createWorld, type World, type WorldFs } from '../../entry/index.ts';
import { openAgent } from '../../src/agent/open-agent.ts';
import { worldAccess } from '../../src/agent/world-access.ts';
import type { Doorway } from '../../src/doors/door.ts';
import { openDoorway } from '../../src/doors/doorway.ts';
import { fixedClients } from '../../src/doors/http/admission.ts';
import { bearerOf } from '../../src/doors/http/bearer.ts';
import { mcpOverHttp } from '../../src/doors/mcp/http.ts';
import type { Principal } from '../../src/doors/principal.ts';
import { isFsError } from '../../src/errors.ts';
import type { DoorName } from '../../src/policy/gate.ts';
import type { CallWatch } from '../../src/world/job.ts';
import { MAIN } from '../cli/run-cli.ts';
import { NO_FUSE } from '../doors/mounted.ts';
import { serving } from '../mcp/support.ts';
import { calls, says, startModel } from '../stand-ins/model/index.ts';
import type { FileOperation } from './attempt.ts';
import { attackedConfig, SECRET, SERVICES } from './deployment.ts';
import { openFuse } from './fuse-door.ts';
import { operationInPython } from './python-column.ts';
import { SERVED_COLUMNS } from './served-columns.ts';
import { openSftp, openSsh } from './ssh-door.ts';
import { doorOf, lastCallIn, outcomeOf, type ToolCall } from './tool-calls.ts';

/** What came of an act. */
export interface Outcome {
  failed: boolean;
  /** All that whoever acted was told. */
  text: string;
  /** The services that the text is said to come from. */
  origins: readonly string[];
  /** It waits for a person, which is no refusal; absent where it has ended. */
  waits?: boolean;
}

/** A front end that is open on a deployment, for one client, in one session. */
export interface Door {
  /** Absent where it has no shell. */
  run?(script: string): Promise<Outcome>;
  /** Absent, or null, for what it has no operation for: then it is run as a script. */
  file?(operation: FileOperation): Promise<Outcome> | null;
  /** False where text comes as it is, to programs: it cannot be told where it is from. */
  labels?: false;
  /** Operations that it has for nobody. */
  lacks?: readonly FileOperation['op'][];
  close(): Promise<void>;
}

export interface Column {
  name: string;
  /** Of so many rows one is in the sample that is run each time. */
  sample: number;
  /** Of so many rows of each class one is in the long suite; all are, if absent. What takes seconds is not, then. */
  share?: number;
  open(deployment: string): Promise<Door>;
}

const SERVICE_POINTS = Array.from({ length: SERVICES }, (_, index) => `/mnt/svc/${index}`);

const worldIn = (deployment: string, session?: string): World =>
  createWorld(attackedConfig(), {
    deployment,
    ...(session === undefined ? {} : { session }),
    env: { ...process.env, DIRIGENT_SECRET: SECRET },
  });

/** Who attacks through a door: a client with the rights of an agent. */
const ATTACKER: Principal = { actor: 'assistant', agent: 'assistant' };

/**
 * The column of a door.
 * @param open opens the door on the doorway, and lets one client in, as {@link ATTACKER}
 */
function doorColumn(
  { name, door, sample }: Pick<Column, 'name' | 'sample'> & { door: DoorName },
  open: (doorway: Doorway, deployment: string) => Promise<Door>,
): Column {
  return {
    name,
    sample,
    open: async (deployment) => {
      const doorway = openDoorway({
        door,
        state: join(deployment, '.dirigent'),
        open: (session) => worldIn(deployment, session),
        host: { base: deployment, env: {} },
      });
      const opened = await open(doorway, deployment);
      return {
        ...opened,
        close: async () => {
          await opened.close();
          await doorway.close();
        },
      };
    },
  };
}

/** What every door gives its clients, without one in front of it. */
const visit = doorColumn({ name: 'a visit', sample: 36, door: 'sandbox' }, async (doorway) => {
  const visit = await doorway.enter(ATTACKER);
  return {
    run: async (script) => {
      const { exitCode, stdout, stderr, read } = await visit.exec(script);
      const origins = visit.originsOf(read);
      return { failed: exitCode !== 0, text: `${stdout}${stderr}`, origins };
    },
    file: async (operation) => {
      const { origins, ...outcome } = await fileOperation(
        (watch) => visit.fsWatched(watch),
        operation,
      );
      return { ...outcome, origins: visit.originsOf(origins) };
    },
    close: () => visit.close(),
  };
});

/** A command in the shell, in a turn of its own. */
function openShell(deployment: string): Required<Pick<Door, 'run' | 'close'>> {
  const world = worldIn(deployment);
  let turn = 0;
  return {
    run: async (script) => {
      turn += 1;
      const context = { actor: 'assistant', turn: `${world.session.id} ${turn}` };
      const access = worldAccess(world, [...SERVICE_POINTS, '/mnt/notes'], context).forCall();
      const { exitCode, stdout, stderr } = await access.exec(script, {});
      return { failed: exitCode !== 0, text: `${stdout}${stderr}`, origins: access.origins() };
    },
    close: () => world.close(),
  };
}

const shell: Column = {
  name: 'shell',
  sample: 12,
  open: async (deployment) => openShell(deployment),
};

/**
 * A job that goes on when its line has ended. What it prints is read as an agent reads it. Each has a
 * thread to start, so that a part of the rows has to do: what is asked of the gate is what others ask.
 */
const job: Column = {
  name: 'a background job',
  sample: 36,
  share: 4,
  open: async (deployment) => {
    const { run, close } = openShell(deployment);
    return {
      run: async (script) => {
        const began = await run(`{ ${script}\n} &`);
        const number = /^\[(\d+)\] \d+$/m.exec(began.text)?.[1];
        // Some scripts wait for jobs of their own, and have them in the line.
        if (number === undefined) return began;
        const { failed } = await run(`wait %${number}`);
        const { text, origins } = await run(`cat /session/jobs/${number}/std*`);
        return { failed, text, origins };
      },
      close,
    };
  },
};

/** A script of Python that an agent runs. What it starts is commands of the shell. */
const python: Column = {
  name: 'Python',
  sample: 18,
  open: async (deployment) => {
    const { run, close } = openShell(deployment);
    return {
      file: (operation) => run(operationInPython(operation)),
      close,
    };
  },
};

/** The files of a world, as a program has them that acts for an agent. */
const files: Column = {
  name: 'world.fs',
  sample: 6,
  open: async (deployment) => {
    const world = worldIn(deployment);
    // A session begins with its first command, and there is a log to attack.
    await world.exec('true');
    return {
      file: (operation) => {
        const who = { actor: 'assistant', turn: `${world.session.id} fs` };
        return fileOperation((watch) => world.fsAs(who, watch), operation);
      },
      close: () => world.close(),
    };
  },
};

/** Does an operation on files that somebody has who is told what is read. */
async function fileOperation(
  files: (watch: CallWatch) => WorldFs,
  operation: FileOperation,
): Promise<Outcome> {
  const read = new Set<string>();
  const watch = {
    onRead: (points: readonly string[]) => {
      for (const point of points) read.add(point);
    },
  };
  const fs = files(watch);
  const { path } = operation;
  const act = async (): Promise<unknown> => {
    switch (operation.op) {
      case 'write':
        return fs.writeFile(path, operation.text);
      case 'append':
        return fs.appendFile(path, operation.text);
      case 'edit':
        return fs.writeFile(path, (await fs.readFile(path)).replace(operation.old, operation.text));
      case 'read':
        return fs.readFile(path);
      case 'list':
        return fs.readdir(path);
      case 'remove':
        return fs.rm(path);
      case 'mkdir':
        return fs.mkdir(path);
      case 'readlink':
        return fs.readlink(path);
      case 'touch':
        return fs.utimes(path, new Date('2001-01-01'), new Date('2001-01-01'));
      case 'chmod':
        return fs.chmod(path, operation.mode);
      case 'move':
        return fs.mv(path, operation.to);
      case 'copy':
        return fs.cp(path, operation.to);
      case 'symlink':
        return fs.symlink(operation.to, path);
      case 'link':
        return fs.link(path, operation.to);
    }
  };
  try {
    const text = String((await act()) ?? '');
    return { failed: false, text, origins: [...read] };
  } catch (error) {
    if (!isFsError(error)) throw error;
    const text = `${error.path}: ${error.strerror}\n${error.reason ?? error.rule ?? ''}`;
    return { failed: true, text, origins: [...read] };
  }
}

/** The tools of an agent, whose model calls what it is told to, a turn a call. */
const tools: Column = {
  name: "the agent's tools",
  sample: 36,
  open: async (deployment) => {
    const world = worldIn(deployment);
    let next: ToolCall = ['bash', { command: 'true' }];
    const model = await startModel(({ messages }) =>
      messages.at(-1)?.role === 'tool' ? says('done') : calls(next),
    );
    const env = { OPENAI_BASE_URL: model.url, DIRIGENT_MODEL: 'openai/m' };
    const agent = await openAgent(world, { base: deployment, env });
    return doorOf(
      async (...call) => {
        next = call;
        await agent.run({ prompt: 'go on' });
        return lastCallIn(world.session.entries());
      },
      async () => {
        await agent.close();
        await world.close();
        await model.close();
      },
    );
  },
};

/** How a client begins, by the era of the protocol that it speaks. */
const ERAS = { '2025-11-25': 'legacy', '2026-07-28': { pin: '2026-07-28' } } as const;
type Era = keyof typeof ERAS;

async function overMcp(era: Era, transport: Transport): Promise<Door> {
  const client = new Client(
    { name: 'attacker', version: '1' },
    { versionNegotiation: { mode: ERAS[era] } },
  );
  await client.connect(transport);
  return doorOf(
    async (name, input) => {
      const result = await client.callTool({ name, arguments: input });
      const text = (result.content as { text: string }[]).map((part) => part.text).join('');
      return outcomeOf(text, result.isError === true);
    },
    () => client.close(),
  );
}

const overHttp = (era: Era): Column =>
  doorColumn({ name: `MCP ${era} over HTTP`, sample: 36, door: 'mcp' }, async (doorway) => {
    const token = 'attackers';
    const http = await mcpOverHttp.open(doorway, {
      ...serving(),
      port: 0,
      clients: fixedClients(bearerOf(token, ATTACKER)),
    });
    const headers = { authorization: `Bearer ${token}` };
    const url = new URL(http.address);
    const door = await overMcp(
      era,
      new StreamableHTTPClientTransport(url, { requestInit: { headers } }),
    );
    return {
      ...door,
      close: async () => {
        await door.close();
        await http.close();
      },
    };
  });

const onStdio = (era: Era): Column => ({
  name: `MCP ${era} on stdio`,
  sample: 36,
  open: async (deployment) =>
    overMcp(
      era,
      new StdioClientTransport({
        command: process.execPath,
        args: [MAIN, 'mcp', '--deployment', deployment],
        env: { DIRIGENT_SECRET: SECRET },
      }),
    ),
});

const ssh = doorColumn({ name: 'SSH', sample: 36, door: 'ssh' }, openSsh);
const sftp = doorColumn({ name: 'SFTP', sample: 8, door: 'ssh' }, openSftp);
const mounted = doorColumn({ name: 'a mounted world', sample: 8, door: 'fuse' }, (doorway) =>
  openFuse(doorway, ATTACKER),
);
if (NO_FUSE !== null) process.stderr.write(`no attacks on a mounted world: ${NO_FUSE}\n`);

export const COLUMNS: readonly Column[] = [
  shell,
  files,
  python,
  tools,
  visit,
  overHttp('2025-11-25'),
  overHttp('2026-07-28'),
  onStdio('2025-11-25'),
  onStdio('2026-07-28'),
  ssh,
  sftp,
  ...(NO_FUSE === null ? [mounted] : []),
  job,
  ...SERVED_COLUMNS,
];
