/**
 * What an attacker tries, as a row of a table. Each row is run through every
 * front end; beside it stands its benign twin, which is of the same kind and
 * has to succeed, so that nothing passes by refusing everything.
 */

export const CLASSES = [
  'escape',
  'confinement',
  'policy',
  'approval',
  'label',
  'terminal',
  'exhaustion',
] as const;
export type AttackClass = (typeof CLASSES)[number];

/** One operation on a file, which a front end without a shell can do, too. `@` is the row's own directory. */
export type FileOperation =
  | { op: 'write' | 'append'; path: string; text: string }
  | { op: 'edit'; path: string; old: string; text: string }
  | { op: 'read' | 'list' | 'remove' | 'mkdir' | 'readlink' | 'touch'; path: string }
  | { op: 'move' | 'copy' | 'symlink' | 'link'; path: string; to: string }
  | { op: 'chmod'; path: string; mode: number };

/** A script of the shell, which begins in the row's own directory with a file `f` of the line `a`; or one operation. */
export type Act = string | FileOperation;

/** What must hold of an attempt, beside what holds of all: nothing that is kept has changed, and no secret is told. */
export type Holds =
  /** It fails with the errno, names the path, and gives the rule. */
  | { refused: string; rule: string; errno?: 'EACCES' | 'EPERM' | 'EINVAL' }
  /** It fails, and says why. */
  | { fails: RegExp }
  /** It succeeds, and does something harmless: what it printed has to match, or to lack. */
  | { harmless: true; prints?: RegExp; lacks?: RegExp }
  /** Its text is said to come from this service. */
  | { from: string }
  /** It is ended, or kept small, and the world goes on. */
  | { bounded: RegExp };

export interface Attempt {
  class: AttackClass;
  name: string;
  /** What is prepared on the host, before the twin and before the attempt. */
  given?: (deployment: string) => void;
  /** What the agent asks for first: it is refused with a request, which a person then allows once. */
  ask?: Act;
  act: Act;
  /** What is done in a later call, or in a session that is begun later: then `holds` is of this. */
  next?: { act: Act; in: 'call' | 'session' };
  holds: Holds;
  twin: Act;
  /** Of the twin's later act, and what it must print. */
  twinNext?: Act;
  /** What the twin leaves behind is put away with this. */
  after?: string;
  /** Takes seconds: in the long suite alone. */
  slow?: true;
  /** Commands of the person's command line, whose text is looked at after the attempt. */
  shown?: readonly string[];
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** An operation as a command of the shell. */
export function scriptOf(act: Act): string {
  if (typeof act === 'string') return act;
  const path = quoted(act.path.replace(/^@\//, '') || '.');
  switch (act.op) {
    case 'write':
    case 'append':
      return `printf %s ${quoted(act.text)} ${act.op === 'write' ? '>' : '>>'} ${path}`;
    case 'edit':
      return `sed -i s/${act.old}/${act.text}/ ${path}`;
    case 'read':
      return `cat ${path}`;
    case 'list':
      return `ls ${path}`;
    case 'remove':
      return `rm ${path}`;
    case 'mkdir':
      return `mkdir ${path}`;
    case 'readlink':
      return `readlink ${path}`;
    case 'touch':
      return `touch -d 2001-01-01 ${path}`;
    case 'chmod':
      return `chmod ${act.mode.toString(8)} ${path}`;
    default: {
      const to = quoted(act.to.replace(/^@\//, ''));
      if (act.op === 'move') return `mv ${path} ${to}`;
      if (act.op === 'copy') return `cp ${path} ${to}`;
      return act.op === 'symlink' ? `ln -s ${to} ${path}` : `ln ${path} ${to}`;
    }
  }
}
