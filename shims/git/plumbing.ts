/** What scripts ask of git: rev-parse, ls-files, ls-tree, cat-file, hash-object, merge-base. */
import type { GitCommand } from './call.ts';
import { pathFilter } from './changes.ts';
import { GitFault } from './fault.ts';
import { quotedName } from './patches.ts';
import { revision, revisionCommit, shortOid, tryRevision } from './revision.ts';

export const revParse: GitCommand = async (call) => {
  const { tool } = call;
  let short = false;
  let abbreviated = false;
  let verify = false;
  let quiet = false;
  for (const arg of call.args) {
    const repo = arg === '--is-inside-work-tree' ? null : await call.repository();
    if (arg === '--show-toplevel') tool.print(`${repo?.dir}\n`);
    else if (arg === '--git-dir' || arg === '--absolute-git-dir')
      tool.print(`${arg === '--git-dir' && repo?.dir === call.cwd ? '.git' : repo?.gitdir}\n`);
    else if (arg === '--is-inside-work-tree') tool.print(`${(await call.repository()) !== null}\n`);
    else if (arg === '--is-bare-repository' || arg === '--is-inside-git-dir') tool.print('false\n');
    else if (arg === '--show-prefix') {
      const here = repo?.relative(call.cwd) ?? '.';
      tool.print(here === '.' ? '\n' : `${here}/\n`);
    } else if (arg === '--show-cdup') {
      const here = repo?.relative(call.cwd) ?? '.';
      tool.print(
        `${
          here === '.'
            ? ''
            : here
                .split('/')
                .map(() => '../')
                .join('')
        }\n`,
      );
    } else if (arg === '--short' || arg.startsWith('--short=')) short = true;
    else if (arg === '--abbrev-ref') abbreviated = true;
    else if (arg === '--verify') verify = true;
    else if (arg === '-q' || arg === '--quiet') quiet = true;
    else if (arg.startsWith('-')) throw new GitFault(`git rev-parse ${arg} is not known here`);
    else if (repo !== null) {
      if (abbreviated) {
        const name = arg === 'HEAD' || arg === '@' ? ((await repo.branch()) ?? 'HEAD') : arg;
        if ((await repo.head()) === null && (arg === 'HEAD' || arg === '@'))
          await revision(repo, arg);
        tool.print(`${name}\n`);
        continue;
      }
      const oid = await tryRevision(repo, arg);
      if (oid === null && verify) {
        if (quiet) tool.status = 1;
        else throw new GitFault('Needed a single revision');
        continue;
      }
      if (oid === null) {
        tool.print(`${arg}\n`);
        await revision(repo, arg);
      } else tool.print(`${short ? await shortOid(repo, oid) : oid}\n`);
    }
  }
};

export const lsFiles: GitCommand = async (call) => {
  const { options, operands, paths } = call.options({
    short: 'comdsz',
    long: {
      cached: 'c',
      others: 'o',
      modified: 'm',
      deleted: 'd',
      stage: 's',
      'exclude-standard': 'exclude',
      'error-unmatch': 'unmatch',
      'full-name': 'full',
    },
  });
  const repo = await call.repository();
  const named = [...operands, ...(paths ?? [])];
  const filter = pathFilter(repo, named.length === 0 ? ['.'].map(() => call.cwd) : named);
  const end = options.has('z') ? '\0' : '\n';
  const name = (path: string): string => {
    const text = options.has('full') ? path : repo.shown(path);
    return options.has('z') ? text : quotedName(text);
  };
  const some = ['o', 'm', 'd'].some((key) => options.has(key));
  const lines: string[] = [];
  for (const { path, index, work } of await repo.states()) {
    if (!filter(path)) continue;
    if (index === null) {
      if (options.has('o') && work !== null) lines.push(name(path));
      continue;
    }
    if (options.has('s')) lines.push(`${index.mode} ${index.oid} 0\t${name(path)}`);
    else if (!some || options.has('c')) lines.push(name(path));
    if (options.has('d') && work === null) lines.push(name(path));
    if (options.has('m') && (work?.oid !== index.oid || work.mode !== index.mode))
      lines.push(name(path));
  }
  for (const line of lines) call.tool.print(`${line}${end}`);
  if (options.has('unmatch') && lines.length === 0)
    throw new GitFault(`pathspec '${named[0]}' did not match any file(s) known to git`, 1, 'error');
};

export const lsTree: GitCommand = async (call) => {
  const { options, operands, paths } = call.options({
    short: 'rdzt',
    long: { 'name-only': 'name', 'name-status': 'name', 'full-tree': 'full', long: 'l' },
  });
  const repo = await call.repository();
  const [name = 'HEAD', ...rest] = operands;
  const oid = await revision(repo, name);
  const filter = pathFilter(repo, [...rest, ...(paths ?? [])]);
  const show = (mode: string, type: string, id: string, path: string): void =>
    call.tool.print(
      `${options.has('name') ? '' : `${mode} ${type} ${id}\t`}${options.has('z') ? `${path}\0` : `${quotedName(path)}\n`}`,
    );
  if (options.has('r')) {
    for (const [path, blob] of await repo.tree(oid))
      if (filter(path)) show(blob.mode, 'blob', blob.oid, path);
    return;
  }
  const { tree } = await repo.git.readTree({ ...repo.at, oid });
  for (const entry of tree)
    if (filter(entry.path)) show(entry.mode.padStart(6, '0'), entry.type, entry.oid, entry.path);
};

export const catFile: GitCommand = async (call) => {
  const { options, operands } = call.options({ short: 'ptse', long: {} });
  const repo = await call.repository();
  const [first, second] = operands;
  const name = second ?? first;
  if (name === undefined)
    throw new GitFault('usage: git cat-file (-p | -t | -s | -e | <type>) <object>', 129, 'usage');
  if (options.has('e')) {
    call.tool.status = (await tryRevision(repo, name)) === null ? 1 : 0;
    return;
  }
  const oid = await tryRevision(repo, name);
  if (oid === null) throw new GitFault(`Not a valid object name ${name}`);
  const { type, object } = await repo.git.readObject({ ...repo.at, oid, format: 'content' });
  const content = Buffer.from(object as Uint8Array);
  if (options.has('t')) call.tool.print(`${type}\n`);
  else if (options.has('s')) call.tool.print(`${content.length}\n`);
  else if (type === 'tree') {
    const { tree } = await repo.git.readTree({ ...repo.at, oid });
    for (const entry of tree)
      call.tool.print(
        `${entry.mode.padStart(6, '0')} ${entry.type} ${entry.oid}\t${quotedName(entry.path)}\n`,
      );
  } else call.tool.write(content.toString('latin1'));
};

export const hashObject: GitCommand = async (call) => {
  const { options, operands } = call.options({ short: 'wt:', long: { stdin: 'stdin' } });
  const inputs = options.has('stdin') ? ['-', ...operands] : operands;
  for (const name of inputs) {
    const object = await call.tool.readBytes(name);
    const oid = options.has('w')
      ? await call.git.writeBlob({ ...(await call.repository()).at, blob: object })
      : (await call.git.hashBlob({ object })).oid;
    call.tool.print(`${oid}\n`);
  }
};

export const mergeBase: GitCommand = async (call) => {
  const { options, operands } = call.options({
    short: 'a',
    long: { 'is-ancestor': 'is', all: 'a' },
  });
  const repo = await call.repository();
  const oids = await Promise.all(operands.map((name) => revisionCommit(repo, name)));
  const bases: string[] = await repo.git.findMergeBase({ ...repo.at, oids });
  if (options.has('is')) {
    call.tool.status = bases.includes(oids[0] ?? '') ? 0 : 1;
    return;
  }
  if (bases.length === 0) call.tool.status = 1;
  for (const base of options.has('a') ? bases : bases.slice(0, 1)) call.tool.print(`${base}\n`);
};
