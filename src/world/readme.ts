/** `/README.md` of a world: what lies where, for whoever meets it first. */
import type { MountSpec } from './protocol.ts';

/** Its name, in the root directory. */
export const README = 'README.md';

/** What the directories are that every world has. */
const OWN: Readonly<Record<string, string>> = {
  '/workspace': 'a disk of your own',
  '/memory': 'what is remembered from one session to the next',
  '/harness':
    'agents, skills, tools, prompts, commands, rules, policy; propose changes in `/harness/proposals`',
  '/session':
    'what happened, and what waits: `log.jsonl`, `changes/`, `approvals/`, `questions/`, `plans/`, `schedule/`',
  '/tmp': 'for what need not last',
};

const MODES: Readonly<Record<MountSpec['access']['mode'], string>> = {
  ro: 'read-only',
  rw: 'what is written is sent at once',
  append: 'files can be added, and not changed',
  stage: 'what is written waits in `/session/changes` until it is applied',
};

/** @param first what the deployment says itself, above the rest */
export function renderReadme(mounts: readonly MountSpec[], first: string | undefined): string {
  const own = Object.entries(OWN).filter(([point]) => mounts.some((each) => each.point === point));
  const others = mounts.filter(({ point }) => point.split('/').length > 2 && !isOwn(point));
  const rows = [
    ...own.slice(0, 1),
    ...others.map((mount): [string, string] => [mount.point, describe(mount)]),
    ...own.slice(1),
  ];
  const table = rows.map(([point, text]) => `| \`${point}\` | ${text} |\n`).join('');
  return `${(first ?? '# This world').trimEnd()}

Everything is a file: \`ls\`, \`cat\`, \`grep\` and \`>\` are all that is needed; \`help\` lists the other commands. The \`README.md\` of a service says how its files are read and written. Beside a document such as \`report.pdf\` its text is \`report.pdf.md\`, and page 12 of it \`report.pdf:p12\`.

| path | is |
| --- | --- |
${table}`;
}

const isOwn = (point: string): boolean =>
  /^\/(?:workspace|memory|harness|session|tmp|bin|usr|dev)(?:\/|$)/.test(point);

function describe({ source, access }: MountSpec): string {
  const service = source.kind === 'service' ? source : null;
  const open = source.kind === 'disk' && source.buffers !== undefined;
  const what =
    service?.title ?? (open ? 'the files of the person, as their editor has them' : 'files');
  const mode = service !== null || access.mode !== 'rw' ? MODES[access.mode] : 'read and write';
  const staged = service?.stage === true ? MODES.stage : mode;
  return `${what}: ${access.mode === 'ro' ? MODES.ro : staged}`;
}
