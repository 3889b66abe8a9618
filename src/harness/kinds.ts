/** The kinds of files that a harness has by name: one row each, and nothing else knows their list. */
import {
  type AgentFile,
  type CommandFile,
  type PromptFile,
  parseAgent,
  parseCommand,
  parsePrompt,
  parseRule,
  parseSkill,
  parseTool,
  type RuleFile,
  type SkillFile,
  type ToolFile,
} from './files.ts';
import { parseTrigger, type TriggerFile } from './triggers.ts';

/** What is known by its name; the filename is the identity. */
interface Named {
  name: string;
}

/** A kind of files. */
interface KindOfFiles<T extends Named> {
  /** Where a file lies in the directory of its kind. */
  place: 'NAME.md' | 'NAME.sh' | 'NAME/SKILL.md';
  /** Reads one from its text alone, and checks it. @throws HarnessFault */
  parse(name: string, text: string): T;
  /** Modules that run in the host may lie among them: the key of the config that names these. */
  modules?: string;
}

/** By directory. The words of {@link HarnessFiles} are these. */
export const KINDS: Kinds = {
  agents: { place: 'NAME.md', parse: parseAgent },
  prompts: { place: 'NAME.md', parse: parsePrompt },
  commands: { place: 'NAME.md', parse: parseCommand },
  rules: { place: 'NAME.md', parse: parseRule },
  tools: { place: 'NAME.sh', parse: parseTool, modules: 'harness.tools' },
  skills: { place: 'NAME/SKILL.md', parse: parseSkill },
  triggers: { place: 'NAME.md', parse: parseTrigger },
};

/** What the files of each kind say. */
interface FilesByKind {
  agents: AgentFile;
  skills: SkillFile;
  prompts: PromptFile;
  commands: CommandFile;
  rules: RuleFile;
  /** Scripts that run inside the sandbox. */
  tools: ToolFile;
  /** Prompts that begin a turn when something happens. */
  triggers: TriggerFile;
}

type Kinds = { readonly [K in Kind]: KindOfFiles<FilesByKind[K]> };

/** A kind of files, by the directory that they lie in. */
export type Kind = keyof FilesByKind;

/** All that is there, by kind and name. */
export type HarnessFiles = { readonly [K in Kind]: ReadonlyMap<string, FilesByKind[K]> };

/** What one file says. */
export type FilePart = { [K in Kind]: { kind: K; value: FilesByKind[K] } }[Kind];

export const kindNames = Object.keys(KINDS) as Kind[];

export const isKind = (directory: string): directory is Kind => Object.hasOwn(KINDS, directory);

export const isFilePart = (part: { kind: string }): part is FilePart => isKind(part.kind);

/** Reads a file of a kind. @throws HarnessFault */
export function parseFile(kind: Kind, name: string, text: string): FilePart {
  const parse: (name: string, text: string) => FilesByKind[Kind] = KINDS[kind].parse;
  // Which type a row's parser gives is what its key says.
  return { kind, value: parse(name, text) } as FilePart;
}

/** Sorts what the files say by kind and name; of two with one name the later one counts. */
export function filesOf(parts: Iterable<FilePart>): HarnessFiles {
  const files = Object.fromEntries(kindNames.map((kind) => [kind, new Map()]));
  for (const { kind, value } of parts) files[kind]?.set(value.name, value);
  return files as unknown as HarnessFiles;
}
