/** What `--help` prints. */
import type { HelpTopic } from './options.ts';

const MOUNTS = `  --mount PATH=SOURCE[:MODE]
                     mount SOURCE at PATH; may be repeated
                     SOURCE: a directory (./x or /x), mem, github, github:OWNER/REPO,
                     linear, linear:KEY, notion, module:./FILE
                     MODE:   ro, rw, append, stage (for services: writes become
                             pending changes); a service is ro, others rw by default
  --deployment DIR   a directory with dirigent.config.ts (or .js, .mjs), which says
                     what is mounted; its state is kept in DIR/.dirigent`;

const AGENT = `  --agent NAME       an agent of the harness; "assistant" by default
  --model ID         PROVIDER/NAME, such as openai/gpt-5.1, or builtin/extract, which
                     needs no key: it searches and quotes, and concludes nothing.
                     By default what the agent's file or the config says, then
                     DIRIGENT_MODEL, then OpenAI where there is an OPENAI_API_KEY
  --session ID       go on with an earlier session`;

const PAGES: Readonly<Record<HelpTopic, string>> = {
  dirigent: `Dirigent, a sandbox for AI agents in which everything is a file.

usage: dirigent sh [options] [-c COMMAND | FILE]       a shell in a world of files
       dirigent run [options] [PROMPT]                 an agent does one task
       dirigent chat [options]                         a conversation with an agent
       dirigent mcp [options]                          the world, for any MCP client
       dirigent schedule [list | run] [options]        prompts with a date
       dirigent memory refresh [MOUNT [PATH…]]         facts about what is mounted
       dirigent changes [list | show ID | apply ID… | drop ID… | settle ID…] [options]
                                                       what waits to be written
       dirigent sync [options] [PATH]                  fetch what is mounted, ahead of reading
       dirigent index [options] [PATH]                 index it, ahead of searching
       dirigent approvals [list | show ID | allow ID… | deny ID…] [options]
                                                       what agents ask for
       dirigent harness [check | diff [PATH…] | accept PATH… | reject PATH…] [options]
                                                       what agents propose
       dirigent session [ls | show | tree | fork | diff | label | verify | export | gc]
                                                       what happened, and going back
       dirigent --help | --version

"dirigent COMMAND --help" tells more.
`,
  sh: `usage: dirigent sh [options] [-c COMMAND | FILE]

Runs COMMAND, or the script FILE, or the script on stdin; on a terminal, and with
none of them, an interactive shell. It exits with the command's status.
Without a deployment the world is plain: /workspace in memory, no services.

  -c, --command COMMAND
                     run one command
${MOUNTS}
  --session ID       go on with an earlier session, or with a fork
  --dry-run          every service mount only stages what is written;
                     "dirigent changes" shows, applies or drops it
  --json             print one object: stdout, stderr, exitCode, and for each
                     service mount the requests and bytes that it cost
  -h, --help         this page

A pipe or a file on stdin is the stdin of COMMAND or FILE. While a pipe stays open,
a command that may read stdin waits for its end; one that cannot runs at once.

  dirigent sh --mount /mnt/docs=./docs:ro -c 'grep -rn TODO /mnt/docs'
  GITHUB_TOKEN=… dirigent sh --mount /mnt/gh=github:octocat/hello-world:stage
`,
  run: `usage: dirigent run [options] [PROMPT]

An agent works on PROMPT, or on what is on stdin, and its answer is printed as it comes.
On a terminal each call of a tool is a line on stderr. The session is kept: with
--session ID the next prompt goes on from there. "$skill …" and "/template …" are
expanded. It exits with 0, with 130 when it was interrupted, else with 1.

${AGENT}
${MOUNTS}
  --dry-run          every service mount only stages what is written
  --json             print one object: session, status, text, steps, usage, error,
                     and what each mount cost
  -h, --help         this page

With OPENAI_BASE_URL set, openai/NAME is a model of that server (Ollama, LM Studio,
vLLM …), which needs no key.

  dirigent run --mount /mnt/docs=./docs:ro "How is a release made?"
`,
  chat: `usage: dirigent chat [options]

A conversation in the terminal. Esc or Ctrl-C stops the turn and keeps the session;
Ctrl-D ends. The line below each answer says what it cost.

${AGENT}
${MOUNTS}
  --dry-run          every service mount only stages what is written
  -h, --help         this page
`,
  mcp: `usage: dirigent mcp [options]

Serves the world to an MCP client: the tools bash, read, write and edit, with the
session and the policy behind them. On stdio; or on streamable HTTP, for loopback alone.

  --http PORT        listen on http://127.0.0.1:PORT/mcp; 0 takes a free port
  --agent NAME       with the rights of this agent
  --session ID       go on with an earlier session
${MOUNTS}
  --dry-run          every service mount only stages what is written
  -h, --help         this page
`,
  schedule: `usage: dirigent schedule [list | run] [options]

A prompt with a date is a file in /session/schedule of the world: frontmatter with
"at: 2026-12-01T09:00:00Z", perhaps "agent:" and "model:", and the prompt below. An
agent may write one itself.

  list               what is scheduled, the earliest first (the default)
  run                carry out what is due, each as a turn; call it from cron

What a killed process had begun is listed as interrupted, and not run again by itself.

${MOUNTS}
  --dry-run          every service mount only stages what is written
  --json             print JSON
  -h, --help         this page
`,
  index: `usage: dirigent index [options] [PATH]

Fetches what is mounted at or below PATH (/ by default) as a search there would, and
indexes it, so that the first grep by meaning has not to wait. On a terminal it shows
how far it is. What it has indexed when it is interrupted is kept, and it goes on from
there.

${MOUNTS}
  --json             print one object: documents, chunks, pending
  -h, --help         this page

  dirigent index --mount /mnt/docs=./docs:ro /mnt/docs
`,
  sync: `usage: dirigent sync [options] [PATH]

Fetches what lies at and below PATH, an absolute path in the world ("/" by default), so
that reading it waits for nothing; what is fresh is not asked for again. On a terminal a
line on stderr shows what is fetched, what it cost, and how long it may take. What an
interrupted sync has fetched is kept. It exits with 1 if a mount could not be brought in
step.

${MOUNTS}
  --json             print one object a mount: path, coverage, usage, error
  -h, --help         this page

  dirigent sync --deployment . /mnt/github/octocat/hello-world/issues
`,
  memory: `usage: dirigent memory refresh [MOUNT [PATH…]] [options]

Facts about a mount are lines of /memory/MOUNT.md (/memory/docs.md for /mnt/docs), each
with the file that it came from, a date and the hash of that file's text. Where the text
is another one by now, its lines are derived again; so they are after each turn of an
agent. Every other line is yours, and is not touched; nor is a derived one that you changed.

  refresh            all mounts that have facts, or MOUNT alone
  PATH…              files of MOUNT to derive facts from, for the first time
  --model ID         states the facts; builtin/extract quotes the file instead

${MOUNTS}
  --json             print JSON
  -h, --help         this page

It needs a mount at /memory. It exits with 1 if a source could not be read.
`,
  changes: `usage: dirigent changes [list | show ID | apply ID… | drop ID… | settle ID…] [options]

Acts on the change journal of a deployment: what was written to its services, and
what is staged and waits. Without --deployment it is the journal of plain worlds.

  list               a table, newest first (the default)
  show ID            one change: its state, its diff and its request
  apply ID…          send pending changes
  drop ID…           take pending changes back
  settle ID…         ask what came of unknown changes; nothing is sent again

${MOUNTS}
  --json             print JSON
  -h, --help         this page

"apply" and "settle" need the mount that the change was made in: give the same --deployment or
--mount. It exits with 1 if any change did not go through.
`,
  approvals: `usage: dirigent approvals [list | show ID | allow ID… | deny ID…] [options]

What agents asked for and nobody has answered, and the answers. Without --deployment
it is the journal of plain worlds.

  list               what waits, newest first (the default); with --all the rest, too
  show ID            one request: what would be done, by which rule it is asked, why
  allow ID…          allow it once; an operation that waits goes on, one that was
                     refused can be run again
  deny ID…           refuse it

  --scope SCOPE      of allow: once (the default), path (for a day, for this path),
                     prefix (for a day, for all below its directory)
  --prefix PATH      the scope prefix, with another directory
  --deployment DIR   a directory with dirigent.config.ts
  --all              of list: answered ones, too
  --json             print JSON
  -h, --help         this page
`,
  harness: `usage: dirigent harness [check | diff [PATH…] | accept PATH… | reject PATH…] [options]

The harness of a deployment, and what agents propose to change in it: the files
under /harness/proposals. A PATH is relative to /harness, such as skills/a/SKILL.md.

  check              what is wrong with the harness (the default); status 1 if anything is
  diff [PATH…]       the proposals as patches
  accept PATH…       put a proposal in its place, unless the harness would be broken by it
  reject PATH…       remove a proposal

  --deployment DIR   a directory with dirigent.config.ts
  --json             print JSON
  -h, --help         this page
`,
  session: `usage: dirigent session ls
       dirigent session show | tree | verify [SESSION]
       dirigent session fork --at ENTRY [--in-place]
       dirigent session diff A B
       dirigent session label ENTRY NAME | label ENTRY --remove
       dirigent session export --html [-o FILE] [SESSION]
       dirigent session gc [--days N] [--dry-run]

Reads the sessions of a deployment, or of plain worlds without --deployment.
SESSION is an id, or enough of its end; the latest one by default. ENTRY, A and B
are ids of entries, enough of their ends, or labels.

  ls                 the sessions, newest first (the default)
  show               what was said and done, whole; with --at up to an entry
  tree               a line an entry, with its forks
  fork               a new session that goes on from ENTRY, with /workspace as it was
                     then; "dirigent sh --session ID" opens it. With --in-place the
                     session itself goes on from there, and the deployment's
                     workspace is put back; what was in it is kept in a snapshot
  diff               how /workspace changed from entry A to entry B
  label              names an entry
  verify             checks every byte; exit status 1 where something is broken
  export --html      one page that needs nothing else, for reading and printing
  gc                 removes stored output and snapshots that no session refers
                     to, as those of sessions whose directory was deleted

  --session ID       of which session: for fork, diff and label
  --at ENTRY
  --all              verify all sessions
  -o, --output FILE  where the page goes; stdout by default
  --days N           gc: only what nobody has asked for in N days; 7 by default
  --dry-run          gc: say what would be removed
  --deployment DIR   a directory with dirigent.config.ts
  --json             print JSON
  -h, --help         this page

"label" and "fork --in-place" append to the session, and are refused while another
process writes it.
`,
};

/** The page of a topic. */
export const helpPage = (topic: HelpTopic): string => PAGES[topic];
