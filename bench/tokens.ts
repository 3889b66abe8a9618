/**
 * What twenty jobs cost a model in tokens, through services' own MCP servers as npm has them and
 * through Dirigent's door for MCP, over stand-ins with the same records. Both sides have to come to
 * the same answer. Prints the table, beside its goal: below 1/15 in sum.
 *
 *   npm run bench:tokens
 *   npm run bench:tokens -- --servers DIRECTORY
 *     keeps the servers and the tokenizer (some 90 MB) there for the next time
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { JOBS, type Job } from './tokens/jobs.ts';
import {
  type Cost,
  type Count,
  openOurs,
  openTheirs,
  type Side,
  startServices,
} from './tokens/sides.ts';

const { values } = parseArgs({ options: { servers: { type: 'string' } } });

const PACKAGES = {
  '@modelcontextprotocol/server-github': '2025.4.8',
  '@notionhq/notion-mcp-server': '2.5.2',
  'gpt-tokenizer': '4.0.0',
};
const GOAL = 1 / 15;

/** @returns their `node_modules` */
function install(directory: string): string {
  mkdirSync(directory, { recursive: true });
  const manifest = join(directory, 'package.json');
  if (!existsSync(manifest)) writeFileSync(manifest, '{"private": true}\n');
  const wanted = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`);
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
  const { status } = spawnSync('npm', [...args, ...wanted], { cwd: directory, stdio: 'inherit' });
  if (status !== 0) throw new Error(`npm could not install ${wanted.join(', ')}`);
  return join(directory, 'node_modules');
}

/** o200k, the encoding of current models of OpenAI; others' come to much the same ratio. */
async function tokenizer(modules: string): Promise<Count> {
  const file = join(modules, 'gpt-tokenizer', 'esm', 'encoding', 'o200k_base.js');
  const { encode } = (await import(pathToFileURL(file).href)) as {
    encode(text: string): number[];
  };
  return (text) => encode(text).length;
}

interface Done {
  answer: string;
  cost: Cost;
}

/** Does a job on a side. */
async function run(side: Side, job: Job): Promise<Done> {
  const conversation = side.converse();
  const { call, cost } = conversation;
  const said =
    side.name === 'dirigent'
      ? await job.ours((command) => call('dirigent', 'bash', { command }))
      : await job.theirs(call);
  if (job.written === undefined) return { answer: said, cost };
  const { read, holds } = job.written;
  const answer = await read(side.services);
  if (!answer.includes(holds))
    throw new Error(`${side.name} did not ${job.name}: ${answer}\n${said}`);
  return { answer, cost };
}

const total = ({ definitions, arguments: asked, results }: Cost): number =>
  definitions + asked + results;
const number = (value: number): string => value.toLocaleString('en').padStart(10);

function print(name: string, theirs: Cost, ours: Cost): void {
  const part = total(theirs) / total(ours);
  console.log(
    `${name.padEnd(48)}${number(theirs.calls).slice(-5)}${number(total(theirs))}${number(ours.calls).slice(-7)}${number(total(ours))}${`1/${part.toFixed(1)}`.padStart(9)}`,
  );
}

const sum = (costs: readonly Cost[]): Cost => {
  const add = (key: keyof Cost): number => costs.reduce((all, cost) => all + cost[key], 0);
  return {
    definitions: add('definitions'),
    calls: add('calls'),
    arguments: add('arguments'),
    results: add('results'),
    sent: add('sent'),
  };
};

async function requestsOf({ services: { github, notion } }: Side): Promise<number> {
  return (await github.requests()).length + (await notion.requests()).length;
}

async function main(scratch: string): Promise<void> {
  const modules = install(
    values.servers === undefined ? join(scratch, 'servers') : resolve(values.servers),
  );
  const count = await tokenizer(modules);
  await using theirServices = await startServices();
  await using ourServices = await startServices();
  await using theirs = await openTheirs(theirServices, modules, count);
  await using ours = await openOurs(ourServices, join(scratch, 'deployment'), count);
  console.log('Tokens (o200k) of a job: definitions of all tools once, calls and results\n');
  for (const { name, definitions } of [theirs, ours])
    console.log(
      `${name}: ${[...definitions].map(([server, tokens]) => `${tokens.toLocaleString('en')} of definitions (${server})`).join(', ')}`,
    );
  console.log(
    `\n${''.padEnd(48)}${'calls'.padStart(5)}${'theirs'.padStart(10)}${'calls'.padStart(7)}${'ours'.padStart(10)}${'part'.padStart(9)}`,
  );
  const costs: { theirs: Cost; ours: Cost }[] = [];
  const differing: string[] = [];
  for (const job of JOBS) {
    const [a, b] = [await run(theirs, job), await run(ours, job)];
    if (a.answer !== b.answer || a.answer === '')
      differing.push(`${job.name}:\n  theirs: ${a.answer}\n  ours:   ${b.answer}`);
    costs.push({ theirs: a.cost, ours: b.cost });
    print(job.name, a.cost, b.cost);
  }
  const [a, b] = [sum(costs.map((each) => each.theirs)), sum(costs.map((each) => each.ours))];
  console.log('');
  print('in sum', a, b);
  const line = (name: string, of: (cost: Cost) => number): void =>
    console.log(`${name.padEnd(48)}${number(of(a)).padStart(15)}${number(of(b)).padStart(17)}`);
  line('  of these: definitions', ({ definitions }) => definitions);
  line('  of these: calls', (cost) => cost.arguments);
  line('  of these: results', ({ results }) => results);
  line('sent to a model, which is told all anew each time', ({ sent }) => sent);
  const [asked, askedByUs] = [await requestsOf(theirs), await requestsOf(ours)];
  console.log(
    `${'requests to the services'.padEnd(48)}${number(asked).padStart(15)}${number(askedByUs).padStart(17)}`,
  );
  const part = total(b) / total(a);
  const isMet = part < GOAL;
  console.log(
    `\n1/${(1 / part).toFixed(1)} in sum; the goal is below 1/${(1 / GOAL).toFixed(0)}: ${isMet ? 'met' : 'missed'}. Without definitions 1/${((a.arguments + a.results) / (b.arguments + b.results)).toFixed(1)}.`,
  );
  console.log(`
Each job is a conversation of its own, in which all tools of a side are defined: both servers', as a
client has them. GitHub's is the reference server in Node.js of npm; the one that GitHub itself
maintains is a program in Go, and no package. Linear's own server is a service at an address of
theirs and was not run; those of others on npm are not counted here.`);
  if (differing.length > 0) {
    console.log(`\nThe two sides differ:\n${differing.join('\n')}`);
    process.exitCode = 1;
  }
}

const scratch = mkdtempSync(join(tmpdir(), 'dirigent-tokens-'));
try {
  await main(scratch);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
