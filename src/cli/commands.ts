/** The table of commands. Whatever the command line says of itself is made from it. */
import type { Scheme } from '../sources/scheme.ts';
import {
  AGENT,
  COMMON,
  type CommandSpec,
  DRY_RUN,
  HELP,
  PLACE,
  SESSION,
  type SpecText,
  WORLD,
  YES,
} from './command-spec.ts';
import { DOOR_COMMANDS } from './door-commands.ts';
import { OfferedServices, type ServiceExample } from './init-services.ts';

/** `A, B and C`. */
const both = (names: readonly string[]): string =>
  names.join(', ').replace(/, ([^,]*)$/, ' and $1');

/** A text with an example of a service that can be mounted. */
const withExample =
  (text: (example: ServiceExample, services: OfferedServices) => string) =>
  (schemes: readonly Scheme[]): string => {
    const services = new OfferedServices(schemes);
    return text(services.example, services);
  };

export const COMMANDS = {
  init: {
    summary: 'a deployment in a directory, with what is found here',
    usage: ['[options] [DIR]'],
    about: `Makes a deployment in DIR, the current directory by default: a config, a harness with AGENTS.md, a policy, a skill and a tool, and .gitignore. It asks which services to mount, finds their tokens in the environment and in "gh auth token", and tries each out with one or two requests. What is written to a service then waits until somebody applies it. No file that is there is replaced; where there is a config, it says so, and does nothing.`,
    options: {
      yes: {
        type: 'boolean',
        short: 'y',
        help: 'ask nothing: mount the services whose tokens are found',
      },
      service: {
        type: 'string',
        multiple: true,
        value: 'NAME[=PART]',
        help: (schemes) =>
          `mount this one, and ask nothing; may be repeated: ${new OfferedServices(schemes).forms.join(', ')}`,
      },
      typescript: { type: 'boolean', help: 'a config in TypeScript, dirigent.config.mts' },
      help: HELP,
    },
    operands: 'directory',
    more: withExample(
      ({ name, part }, { addresses }) =>
        `A config of these names is a module beside any package.json. ${both(addresses)} name other servers.

  dirigent init --service ${name}=${part} my-agent`,
    ),
  },
  create: {
    summary: 'a package to begin with: a mount of your own',
    usage: ['mount NAME'],
    about: `Makes a package in a directory called NAME: a mount of one resource, a stand-in of its service, and tests that are green at once, with the trials that every mount should pass. No file that is there is touched.`,
    verbs: {
      mount: { operands: 'NAME', help: 'a mount of a service; NAME is that of the package' },
    },
    options: { help: HELP },
    more: `  dirigent create mount tracker-mount
  cd tracker-mount && npm install && npm test`,
  },
  sh: {
    summary: 'a shell in a world of files',
    usage: ['[options] [-c COMMAND | FILE]'],
    about: `Runs COMMAND, or the script FILE, or the script on stdin; on a terminal, and with none of them, an interactive shell. It exits with the command's status. Without a deployment the world is plain: /workspace in memory, no services.`,
    options: {
      command: { type: 'string', short: 'c', value: 'COMMAND', help: 'run one command' },
      ...COMMON,
      session: SESSION,
      keep: {
        type: 'boolean',
        help: 'with -c: keep the session, which is otherwise removed unless something was written to a service, asked for or scheduled',
      },
      'dry-run': DRY_RUN,
      json: {
        type: 'boolean',
        help: 'print one object: stdout, stderr, exitCode, and for each service mount the requests and bytes that it cost',
      },
    },
    operands: 'file',
    more: withExample(
      ({
        name,
        part,
        token,
      }) => `A pipe or a file on stdin is the stdin of COMMAND or FILE. While a pipe stays open, a command that may read stdin waits for its end; one that cannot runs at once.

  dirigent sh --mount /mnt/docs=./docs:ro -c 'grep -rn TODO /mnt/docs'
  ${token}=… dirigent sh --mount /mnt/it=${name}:${part}:stage`,
    ),
  },
  run: {
    summary: 'an agent does one task',
    usage: ['[options] [PROMPT]'],
    about: `An agent works on PROMPT, or on what is on stdin, and its answer is printed as it comes. On a terminal each call of a tool is a line on stderr. The session is kept: with --session ID the next prompt goes on from there. "$skill …" and "/template …" are expanded. It exits with 0, with 130 when it was interrupted, else with 1.`,
    options: {
      ...AGENT,
      ...COMMON,
      'dry-run': DRY_RUN,
      cite: {
        type: 'boolean',
        help: 'the answer carries citations, which are checked: what is false goes back to the model once, and a certificate ends the answer. It exits with 1 unless all hold',
      },
      json: {
        type: 'boolean',
        help: 'print one object: session, status, text, steps, usage, error, what each mount cost, and with --cite its citations',
      },
    },
    more: `Providers are openai, anthropic, google, openrouter, each with its key in the environment, and ollama; with OPENAI_BASE_URL set, openai/NAME is a model of that server (LM Studio, vLLM …), which needs no key. docs/agent.md has the order.

  dirigent run --mount /mnt/docs=./docs:ro "How is a release made?"`,
  },
  verify: {
    summary: 'do the citations of an answer hold',
    usage: ['[options] [ANSWER]'],
    about: `Finds the citations of ANSWER, a file of Markdown or text, or of what is on stdin, and looks each up in the world: path, line or page, quoted words, and, where the answer has a certificate, what became of the document since. A citation is written [path:line "quoted words"]; a line as grep prints it, a link, and "words" (path:line) are understood, too. It exits with 0 where all hold, 1 where some do not, 2 where some could not be checked, or there is none.`,
    options: {
      certify: {
        type: 'boolean',
        help: 'print the answer with a certificate at its end, and the report on stderr',
      },
      ...COMMON,
    },
    operands: 'file',
    more: `docs/citations.md says what counts as the same words.

  dirigent verify --mount /mnt/docs=./docs:ro answer.md
  dirigent run --cite "How is a release made?" > answer.md && dirigent verify answer.md`,
  },
  chat: {
    summary: 'a conversation with an agent',
    usage: ['[options]'],
    about: `A conversation in the terminal. Esc or Ctrl-C stops the turn and keeps the session; Ctrl-D ends. The line below each answer says what it cost.`,
    options: { ...AGENT, ...WORLD, 'dry-run': DRY_RUN },
  },
  ...DOOR_COMMANDS,
  schedule: {
    summary: 'prompts with a date',
    usage: ['[list | show NAME | run [NAME…] | rm NAME…] [options]'],
    about: `A prompt with a date is a file in /session/schedule of the world: frontmatter with "at: 2026-12-01T09:00:00Z", perhaps "agent:" and "model:", and the prompt below. An agent may write one itself. NAME is the file's, or enough of its beginning or end.`,
    verbs: {
      list: { help: 'what is scheduled, the earliest first (the default)' },
      show: { operands: 'NAME', help: 'the file, and what is known of it' },
      run: {
        operands: '[NAME…]',
        help: 'carry out what is due, each as a turn; call it from cron; with NAME that, due or not',
      },
      rm: { operands: 'NAME…', help: 'remove what waits, or was interrupted' },
    },
    options: { ...COMMON, 'dry-run': DRY_RUN },
    more: `What a killed process had begun is listed as interrupted, and not run again by itself.`,
  },
  memory: {
    summary: 'facts about what is mounted',
    usage: ['refresh [MOUNT [PATH…]] [options]'],
    about: `Facts about a mount are lines of /memory/MOUNT.md (/memory/docs.md for /mnt/docs), each with the file that it came from, a date and the hash of that file's text. Where the text is another one by now, its lines are derived again; so they are after each turn of an agent. Every other line is yours, and is not touched; nor is a derived one that you changed.`,
    verbs: {
      refresh: {
        operands: '[MOUNT [PATH…]]',
        help: 'all mounts that have facts, or MOUNT alone; PATH… are files of MOUNT to derive facts from, for the first time',
      },
    },
    options: {
      model: {
        type: 'string',
        value: 'ID',
        help: 'states the facts; builtin/extract quotes the file instead',
      },
      ...COMMON,
    },
    more: `It needs a mount at /memory. It exits with 1 if a source could not be read.`,
  },
  changes: {
    summary: 'what waits to be written',
    usage: ['[list | show ID | apply ID… | drop ID… | settle ID…] [options]'],
    about: `Acts on the change journal of a deployment: what was written to its services, and what is staged and waits. Without a deployment it is the journal of plain worlds. ID is an id, or enough of its beginning or end.`,
    verbs: {
      list: { help: 'a table, newest first (the default)' },
      show: { operands: 'ID', help: 'one change: its state, its diff, its request and its digest' },
      apply: {
        operands: 'ID…',
        help: 'send pending changes; at a terminal they are shown, and you are asked. Another text for the same file is another change, with an ID of its own',
      },
      drop: { operands: 'ID…', help: 'take pending changes back' },
      settle: {
        operands: 'ID…',
        help: 'ask what came of unknown changes; nothing is sent again',
      },
    },
    options: {
      all: {
        type: 'boolean',
        help: 'of apply and drop: all that are pending, the oldest first; of settle: all that are unknown',
      },
      last: { type: 'boolean', help: 'instead of ID: the newest of them' },
      yes: YES,
      ...COMMON,
    },
    more: `"apply" and "settle" need the mount that the change was made in: give the same --deployment or --mount. It exits with 1 if any change did not go through.`,
  },
  sync: {
    summary: 'fetch what is mounted, ahead of reading',
    usage: ['[options] [PATH]'],
    about: `Fetches what lies at and below PATH, an absolute path in the world ("/" by default), so that reading it waits for nothing; what is fresh is not asked for again. On a terminal a line on stderr shows what is fetched, what it cost, and how long it may take. What an interrupted sync has fetched is kept. It exits with 1 if a mount could not be brought in step.`,
    options: {
      ...COMMON,
      json: { type: 'boolean', help: 'print one object a mount: path, coverage, usage, error' },
    },
    more: withExample(({ name, part }) => `  dirigent sync --deployment . /mnt/${name}/${part}`),
  },
  index: {
    summary: 'index what is mounted, ahead of searching',
    usage: ['[options] [PATH]'],
    about: `Fetches what is mounted at or below PATH (/ by default) as a search there would, and indexes it, so that the first grep by meaning has not to wait. On a terminal it shows how far it is. What it has indexed when it is interrupted is kept, and it goes on from there.`,
    options: {
      ...COMMON,
      json: { type: 'boolean', help: 'print one object: documents, chunks, pending' },
    },
    more: `  dirigent index --mount /mnt/docs=./docs:ro /mnt/docs`,
  },
  approvals: {
    summary: 'what agents ask for, and your answers',
    usage: ['[list | show ID | allow ID… | deny ID…] [options]'],
    about: `What agents asked for and nobody has answered, and the answers. Without a deployment it is the journal of plain worlds. ID is an id, or enough of its beginning or end.`,
    verbs: {
      list: { help: 'what waits, newest first (the default); with --all the rest, too' },
      show: {
        operands: 'ID',
        help: 'one request: what would be done, by which rule it is asked, why',
      },
      allow: {
        operands: 'ID…',
        help: 'allow it once; an operation that waits goes on, one that was refused can be run again',
      },
      deny: { operands: 'ID…', help: 'refuse it' },
    },
    options: {
      scope: {
        type: 'string',
        value: 'SCOPE',
        values: ['once', 'path', 'prefix'],
        help: 'of allow: once (the default), path (for a day, for this path), prefix (for a day, for all below its directory)',
      },
      prefix: { type: 'string', value: 'PATH', help: 'the scope prefix, with another directory' },
      all: { type: 'boolean', help: 'of list: answered ones, too' },
      last: { type: 'boolean', help: 'instead of ID: the newest that waits; of show: the newest' },
      ...COMMON,
    },
  },
  questions: {
    summary: 'what agents ask you, and your answers',
    usage: ['[list | show ID | answer ID ANSWER… | decline ID…] [options]'],
    about: `What agents have asked and nobody has answered, and the answers. No answer allows anything. ID is an id, or enough of its beginning or end.`,
    verbs: {
      list: { help: 'what waits, newest first (the default); with --all the rest, too' },
      show: { operands: 'ID', help: 'one question, and what may be answered' },
      answer: {
        operands: 'ID ANSWER…',
        help: 'answer it: words, yes or no, options by their words or numbers, a number, a date; a turn that waits goes on',
      },
      decline: { operands: 'ID…', help: 'say that you do not want to answer' },
    },
    options: {
      all: { type: 'boolean', help: 'of list: answered ones, too' },
      last: { type: 'boolean', help: 'instead of ID: the newest that waits; of show: the newest' },
      ...COMMON,
    },
  },
  harness: {
    summary: 'what agents propose to change of themselves',
    usage: ['[check | diff [PATH…] | accept PATH… | reject PATH…] [options]'],
    about: `The harness of a deployment, and what agents propose to change in it: the files under /harness/proposals. A PATH is relative to /harness, such as skills/a/SKILL.md; of a proposal, enough of its end or beginning.`,
    verbs: {
      check: { help: 'what is wrong with the harness (the default); status 1 if anything is' },
      diff: { operands: '[PATH…]', help: 'the proposals as patches, each with its digest' },
      accept: {
        operands: 'PATH…',
        help: 'put a proposal in its place as diff showed it, unless it has changed since or the harness would be broken by it; at a terminal it is shown, and you are asked',
      },
      reject: { operands: 'PATH…', help: 'remove a proposal' },
    },
    options: {
      digest: {
        type: 'string',
        value: 'DIGEST',
        help: 'of accept, with one PATH: the digest that you have seen, whatever was shown since',
      },
      yes: YES,
      ...COMMON,
    },
  },
  session: {
    summary: 'what happened, and going back',
    usage: [
      'ls [--all]',
      'show | tree [SESSION]',
      'verify [--key PUBLIC-KEY]… [SESSION | PROOF | --all]',
      'fork --at ENTRY [--in-place]',
      'diff A B',
      'label ENTRY NAME | label ENTRY --remove',
      'export --html [--at ENTRY] [-o FILE] [SESSION]',
      'export --proof [--at ENTRY] -o FILE [SESSION]',
      'key [--rotate]',
      'rm SESSION…',
      'gc [--days N] [--dry-run]',
    ],
    about: `Reads the sessions of a deployment, or of plain worlds where there is none. SESSION is an id, or enough of its beginning or end; the latest one by default. ENTRY, A and B are ids of entries, enough of their beginnings or ends, or labels.`,
    verbs: {
      ls: { help: 'the newest 20 sessions (the default); with --all every one' },
      show: { help: 'what was said and done, whole; with --at up to an entry' },
      tree: { help: 'a line an entry, with its forks' },
      fork: {
        help: `a new session that goes on from ENTRY, with /workspace as it was then; "dirigent sh --session ID" opens it. With --in-place the session itself goes on from there, and the deployment's workspace is put back; what was in it is kept in a snapshot`,
      },
      diff: { help: 'how /workspace changed from entry A to entry B' },
      label: { help: 'names an entry' },
      verify: {
        help: 'checks every byte, and says up to where the log is as it was signed; exit status 1 where something is broken. Of PROOF, a file, it needs --key and no deployment',
      },
      export: {
        help: 'with --html: one page that needs nothing else, for reading and printing; with --proof: the session up to its last signature, for somebody who has the public key and nothing else',
      },
      key: {
        help: 'the public key of the deployment, which signs its sessions; with --rotate a new one is made, and the earlier ones stay known',
      },
      rm: {
        operands: 'SESSION…',
        help: 'removes sessions; one that another goes on from, or that is being written, stays',
      },
      gc: {
        help: 'removes stored output and snapshots that no session refers to, as those of sessions that were removed',
      },
    },
    options: {
      session: { type: 'string', value: 'ID', help: 'of which session: for fork, diff and label' },
      at: {
        type: 'string',
        value: 'ENTRY',
        help: 'of show and export: up to this entry; of fork: from it',
      },
      'in-place': { type: 'boolean', help: 'fork: the session itself goes on from there' },
      all: { type: 'boolean', help: 'ls, verify: all sessions' },
      remove: { type: 'boolean', help: 'label: take the label of ENTRY away' },
      key: {
        type: 'string',
        multiple: true,
        value: 'PUBLIC-KEY',
        help: 'verify: whose signatures count, as "session key" prints it, or a file with it; by default the keys of this deployment',
      },
      rotate: { type: 'boolean', help: 'key: make a new one' },
      html: { type: 'boolean', help: 'export: as one HTML page' },
      proof: { type: 'boolean', help: 'export: as a proof' },
      output: {
        type: 'string',
        short: 'o',
        value: 'FILE',
        completes: 'file',
        help: 'where the proof goes, or the page, which is on stdout by default',
      },
      days: {
        type: 'string',
        value: 'N',
        help: 'gc: only what nobody has asked for in N days; 7 by default',
      },
      'dry-run': { type: 'boolean', help: 'gc: say what would be removed' },
      ...PLACE,
    },
    more: `"label" and "fork --in-place" append to the session, and are refused while another process writes it.`,
  },
  doctor: {
    summary: 'what is there, what can be reached, and what to do',
    usage: ['[options]'],
    about: `Looks at Node and the packages, the config, the state directory, each mount (with one or two cheap requests), the index, the journal, the harness and the model, and says of each whether it works and what to do. Nothing is changed, and no secret is shown. It exits with 1 if anything fails.`,
    options: COMMON,
  },
  completion: {
    summary: 'completes dirigent in bash, zsh or fish',
    usage: ['bash | zsh | fish'],
    about: `Prints a script that makes your shell complete commands, options and their values.`,
    verbs: {
      bash: { help: 'source <(dirigent completion bash), in ~/.bashrc for all times' },
      zsh: { help: 'source <(dirigent completion zsh), in ~/.zshrc after compinit' },
      fish: {
        help: 'dirigent completion fish | source; in ~/.config/fish/completions/dirigent.fish for all times',
      },
    },
    options: { help: HELP },
  },
} as const satisfies Readonly<Record<string, CommandSpec>>;

export type CommandName = keyof typeof COMMANDS;

/** The pages of `--help`. */
export type HelpTopic = 'dirigent' | CommandName;

export const commandNames = (): CommandName[] => Object.keys(COMMANDS) as CommandName[];

export const isCommand = (word: string): word is CommandName => Object.hasOwn(COMMANDS, word);

/** The verbs of a command, as its page lists them. */
export type VerbOf<C extends CommandName> = (typeof COMMANDS)[C] extends { verbs: infer V }
  ? keyof V & string
  : never;

/** A command as its page and completion show it. */
export type CommandPage = CommandSpec<string>;

/** Every command with what is said of it, where these can be mounted. */
export type CommandPages = Readonly<Record<CommandName, CommandPage>>;

/** The table with its texts written out. */
export function commandPages(schemes: readonly Scheme[]): CommandPages {
  const textOf = (text: SpecText): string => (typeof text === 'string' ? text : text(schemes));
  const pageOf = ({ options, more, ...spec }: CommandSpec): CommandPage => ({
    ...spec,
    options: Object.fromEntries(
      Object.entries(options).map(([name, option]) => [
        name,
        { ...option, help: textOf(option.help) },
      ]),
    ),
    ...(more === undefined ? {} : { more: textOf(more) }),
  });
  const pages = commandNames().map((name) => [name, pageOf(COMMANDS[name])]);
  return Object.fromEntries(pages) as CommandPages;
}
