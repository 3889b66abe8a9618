/**
 * Somebody's sandbox, beside the real packages: the examples of docs/doors.md are checked against
 * their types and run, each a turn of that package's own agent with a scripted model.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { out, pack, ROOT } from '../package/pack.ts';
import { calls, type ModelStandIn, says, startModel, textOf } from '../stand-ins/model/index.ts';

const base = mkdtempSync(join(tmpdir(), 'dirigent-sandboxes-'));
let tarball: string;

const POLICY = `sandbox: full
approval: ask
rules:
  - { name: not there, decision: deny, actor: coder, origin: sandbox, op: change, path: '/workspace/**/guarded' }
`;

beforeAll(() => {
  tarball = pack(base);
}, 600_000);
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** The page's examples in TypeScript of one package, as they are written but for addresses. */
function examples(named: string, instead: Record<string, string>): string[] {
  const page = readFileSync(join(ROOT, 'docs', 'doors.md'), 'utf8');
  const [, section = ''] = page.split("\n## Somebody's sandbox\n");
  const blocks = [...section.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
  const found = blocks.filter((code) => code.includes(named));
  return found.map((code) => {
    let written = code;
    for (const [old, now] of Object.entries(instead)) written = written.replaceAll(old, now);
    return written;
  });
}

/** An empty project with a deployment in it, this package, and theirs. */
function project(name: string, packages: readonly string[]): { directory: string; desk: string } {
  const directory = join(base, name);
  const desk = join(directory, 'desk');
  mkdirSync(join(desk, 'harness'), { recursive: true });
  writeFileSync(join(desk, 'harness', 'policy.yaml'), POLICY);
  writeFileSync(join(directory, 'package.json'), '{"private": true, "type": "module"}');
  const flags = ['--no-fund', '--no-audit', '--prefer-offline', '--ignore-scripts'];
  out('npm', ['install', ...flags, tarball, ...packages], directory);
  return { directory, desk };
}

/** Declarations are asked for, too: a type of ours that has no name there could not be exported. */
function checkTypes(directory: string, files: readonly string[]): void {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const strict = ['--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2024'];
  const roots = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules', '@types')];
  const to = ['--declaration', '--emitDeclarationOnly', '--outDir', join(directory, 'types')];
  out(process.execPath, [tsc, ...strict, ...roots, ...to, ...files], directory);
}

interface Tools {
  write: [name: string, path: string];
  run: string;
  read: string;
  /** Where its files are, with a slash. */
  below: string;
}

/** A model that writes a file, runs a command, reads the file, tries what is refused, and speaks. */
async function scripted({ write: [write, path], run, read, below }: Tools): Promise<ModelStandIn> {
  const model = await startModel([
    calls([write, { [path]: `${below}a.txt`, content: 'one\n' }]),
    calls([run, { command: 'cat a.txt; echo two >> a.txt; exit 3' }]),
    calls([read, { [path]: `${below}a.txt` }]),
    calls([write, { [path]: `${below}guarded`, content: 'x' }]),
    says('all done'),
  ]);
  onTestFinished(() => model.close());
  return model;
}

/** What the tools answered, as the model was told. */
function expectAnswers({ requests }: ModelStandIn): void {
  const answers = requests.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? [];
  const [wrote, ran, read, refused, ...more] = answers.map(textOf);
  expect(more).toEqual([]);
  expect(wrote).toBeDefined();
  expect(ran, wrote).toContain('one');
  expect(ran).toMatch(/exit\D*3/i);
  expect(read).toMatch(/one[\s\S]*two/);
  expect(refused).toContain('not there');
}

/** A program's environment: its own home, and a provider that is the scripted model. */
function environment(directory: string, variables: Record<string, string>): NodeJS.ProcessEnv {
  const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;
  return { PATH, HOME: directory, TMPDIR: tmpdir(), ...variables };
}

/** Runs a program to its end, beside this process's own model. @returns its stdout */
async function ran(file: string, directory: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(process.execPath, [file], { cwd: directory, env });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data) => {
    stdout += data;
  });
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  const status = await new Promise((resolve) => child.once('close', resolve));
  expect(status, stdout + stderr).toBe(0);
  return stdout;
}

test("Pi, in a harness of the AI SDK, has a turn in a world, and is refused by the world's rule", async () => {
  // It brings the harness and the AI SDK that it was made for.
  const { directory, desk } = project('ai-sdk', ['@ai-sdk/harness-pi@1']);
  const [program = ''] = examples('dirigent/ai-sdk', { '/home/ana/desk': desk });
  writeFileSync(join(directory, 'use.mts'), program);
  checkTypes(directory, ['use.mts']);
  const model = await scripted({
    write: ['write', 'file_path'],
    run: 'bash',
    read: 'read',
    below: '',
  });
  const env = environment(directory, { GROQ_API_KEY: 'none', GROQ_BASE_URL: model.url });
  expect(await ran('use.mts', directory, env)).toContain('all done');
  expectAnswers(model);
});

test("a deep agent has a turn in a world, and is told the world's rule", async () => {
  const { directory, desk } = project('deepagents', ['deepagents@1', '@langchain/openai@1']);
  const [program = ''] = examples('dirigent/deepagents', { '/home/ana/desk': desk });
  writeFileSync(join(directory, 'use.mts'), program);
  checkTypes(directory, ['use.mts']);
  const model = await scripted({
    write: ['write_file', 'file_path'],
    run: 'execute',
    read: 'read_file',
    below: '/workspace/',
  });
  const env = environment(directory, { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: model.url });
  expect(await ran('use.mts', directory, env)).toContain('all done');
  expectAnswers(model);
});

test("an agent of eve has a turn in a world, and is refused by the world's rule", async () => {
  const packages = ['eve@0.80', 'ai@7', '@ai-sdk/openai-compatible', 'zod@4'];
  const { directory, desk } = project('eve', packages);
  const model = await scripted({
    write: ['write_file', 'filePath'],
    run: 'bash',
    read: 'read_file',
    below: '/workspace/',
  });
  const instead = { '/home/ana/desk': desk, 'http://localhost:11434/v1': model.url };
  const [sandbox = ''] = examples('dirigent/eve', instead);
  const [agent = ''] = examples('defineAgent', instead);
  mkdirSync(join(directory, 'agent'));
  writeFileSync(join(directory, 'agent', 'instructions.md'), 'You work.\n');
  writeFileSync(join(directory, 'agent', 'sandbox.ts'), sandbox);
  writeFileSync(join(directory, 'agent', 'agent.ts'), agent);
  checkTypes(directory, ['agent/sandbox.ts', 'agent/agent.ts']);
  const url = await eveServer(directory);
  const made = await fetch(`${url}/eve/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message: 'go' }),
  });
  const { sessionId } = (await made.json()) as { sessionId: string };
  const stream = await fetch(`${url}/eve/v1/session/${sessionId}/stream`);
  let said = '';
  for await (const text of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    said += text;
    if (said.includes('"turn.completed"') || said.includes('"turn.failed"')) break;
  }
  expect(said).toContain('all done');
  expectAnswers(model);
});

/** Starts eve's own server for an agent. @returns its address */
async function eveServer(directory: string): Promise<string> {
  const eve = join(directory, 'node_modules', 'eve', 'bin', 'eve.js');
  const flags = ['dev', '--no-ui', '--no-default-extensions', '--host', '127.0.0.1', '--port', '0'];
  const env = environment(directory, { EVE_TELEMETRY_DISABLED: '1' });
  const child = spawn(process.execPath, [eve, ...flags], { cwd: directory, env, detached: true });
  onTestFinished(() => ended(child));
  let said = '';
  child.stderr.on('data', (data) => {
    said += data;
  });
  for await (const line of createInterface(child.stdout)) {
    said += `${line}\n`;
    const url = /https?:\/\/[\w.:]+/.exec(line)?.[0];
    if (url !== undefined) return url;
  }
  throw new Error(`eve did not start: ${said}`);
}

/** Ends a server with those that it has started. */
async function ended(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null) return;
  const closed = new Promise((resolve) => child.once('close', resolve));
  process.kill(-pid, 'SIGTERM');
  await closed;
}
