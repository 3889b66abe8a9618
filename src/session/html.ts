/** A session as one page that needs nothing else: no script, no font, no request. */
import { escapeText } from '../visible.ts';
import type { Entry } from './entry.ts';
import type { SessionFile } from './file.ts';
import { type CommandItem, type HumanItem, humanView } from './human-view.ts';

/** Longer texts are folded; printing shows them open as far as they are. */
const FOLD_LINES = 24;
const FOLD_CHARACTERS = 600;
const FOLD_HEAD = 80;

const STYLE = `
:root{color-scheme:light dark;--ink:#1d1f23;--soft:#646a73;--line:#dcdfe4;--paper:#fff;--tint:#f5f6f8;--user:#0b5cad;--bad:#b3261e}
@media (prefers-color-scheme:dark){:root{--ink:#e4e6ea;--soft:#9aa1ab;--line:#353941;--paper:#17191d;--tint:#1f2227;--user:#7db7f5;--bad:#ff8a80}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:54rem;padding:2.5rem 1.25rem 5rem;background:var(--paper);color:var(--ink);font:16px/1.6 system-ui,sans-serif}
h1{font-size:1.5rem;line-height:1.3;margin:0 0 .25rem;overflow-wrap:anywhere}
.facts{color:var(--soft);font-size:.875rem;margin:0 0 2rem;overflow-wrap:anywhere}
article{border-top:1px solid var(--line);padding:1rem 0}
header{display:flex;flex-wrap:wrap;gap:.25rem .75rem;align-items:baseline;font-size:.8125rem;color:var(--soft);margin-bottom:.4rem}
header b{color:var(--ink)}
.user header b{color:var(--user)}
.bad header b{color:var(--bad)}
header a{color:inherit;text-decoration:none;margin-left:auto;font:.75rem ui-monospace,monospace}
header a:hover{text-decoration:underline}
.text{white-space:pre-wrap;overflow-wrap:anywhere;margin:0}
.user{border-left:3px solid var(--user);padding-left:1rem}
.note header b::first-letter{text-transform:uppercase}
.compaction,.branch_summary{background:var(--tint);padding-left:1rem;padding-right:1rem}
.reasoning .text{color:var(--soft);font-style:italic}
pre{margin:.4rem 0;padding:.6rem .8rem;background:var(--tint);border-radius:6px;font:.8125rem/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
pre.command::before{content:"$ ";color:var(--soft)}
pre.stderr{border-left:3px solid var(--bad)}
summary{cursor:pointer;color:var(--soft);font-size:.8125rem}
ul{margin:.4rem 0;padding-left:1.2rem;font-size:.8125rem;color:var(--soft)}
@media print{:root{--ink:#000;--soft:#444;--line:#bbb;--paper:#fff;--tint:#f3f3f3;--user:#000;--bad:#000}body{max-width:none;padding:0;font-size:10.5pt}article header{break-after:avoid}h1{font-size:15pt}.text{orphans:3;widows:3}pre{border:1px solid var(--line);font-size:8pt;orphans:3;widows:3}.given{display:none}details::details-content{content-visibility:visible;height:auto}summary{display:none}}
`;

/** @param branch first to last, with long outputs */
export function htmlPage(file: SessionFile, branch: readonly Entry[]): string {
  const { id, created, parentSession } = file.header;
  const { commands, messages, tokens, requests } = file.tree.usage;
  const items = withoutRepeats(humanView(branch));
  const title = titleOf(items) ?? `Session ${id}`;
  const facts = [
    `Session ${id}`,
    `begun ${time(created)} UTC`,
    parentSession === null ? null : `forked from ${parentSession}`,
    count(messages.user + messages.assistant, 'message'),
    count(commands, 'command'),
    tokens.input + tokens.output === 0 ? null : `${tokens.input} tokens in, ${tokens.output} out`,
    requests === 0 ? null : count(requests, 'request'),
  ].filter((fact) => fact !== null);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
<p class="facts">${facts.map((fact) => escapeHtml(fact)).join(' · ')}</p>
<main>
${items.map((item, index) => article(item, index, file)).join('\n')}
</main>
</body>
</html>
`;
}

/** An item, and whether it only says again, as the model was given it, what a command above shows. */
type Shown = HumanItem & { again?: boolean };

/** A command that the model called for stands for the call; its result is kept, folded. */
function withoutRepeats(items: readonly HumanItem[]): Shown[] {
  const run = new Set(items.filter(isCommand).map(({ toolCallId }) => toolCallId));
  return items
    .filter((item) => item.kind !== 'call' || !run.has(item.toolCallId))
    .map((item) =>
      item.kind === 'result' && run.has(item.toolCallId) ? { ...item, again: true } : item,
    );
}

function titleOf(items: readonly HumanItem[]): string | null {
  const first = items.find(({ kind }) => kind === 'user') ?? items.find(isCommand);
  if (first === undefined) return null;
  const text = first.kind === 'command' ? first.command : 'text' in first ? first.text : '';
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > 90 ? `${line.slice(0, 89)}…` : line || null;
}

const isCommand = (item: HumanItem): item is CommandItem => item.kind === 'command';

/** The number makes the anchor unique: one message may have several parts. */
function article(item: Shown, index: number, file: SessionFile): string {
  const { name, body, bad } = contentOf(item);
  const label = file.tree.label(item.id);
  const mark = label === undefined ? '' : ` <span>[${escapeHtml(label)}]</span>`;
  const anchor = `${item.id}-${index}`;
  return `<article id="${anchor}" class="${escapeHtml(classOf(item))}${bad ? ' bad' : ''}">
<header><b>${escapeHtml(name)}</b>${mark}<time datetime="${escapeHtml(item.timestamp)}">${time(item.timestamp)}</time><a href="#${anchor}">${escapeHtml(item.id)}</a></header>
${body}
</article>`;
}

function classOf(item: Shown): string {
  if (item.again === true) return `${item.kind} given`;
  return item.kind === 'note' ? `note ${item.type}` : item.kind;
}

interface Content {
  name: string;
  body: string;
  bad?: boolean;
}

function contentOf(item: Shown): Content {
  switch (item.kind) {
    case 'user':
      return { name: 'User', body: paragraph(item.text) };
    case 'assistant':
      return { name: item.model ?? 'Assistant', body: paragraph(item.text) };
    case 'reasoning':
      return { name: 'Reasoning', body: prose(item.text) };
    case 'call':
      return { name: `Call of ${item.tool}`, body: block(item.input) };
    case 'result':
      if (item.again === true)
        return {
          name: `Result of ${item.tool}`,
          body: folded('as the model was given it', pre(item.text)),
        };
      return {
        name: `${item.failed ? 'Failure' : 'Result'} of ${item.tool}`,
        body: block(item.text),
        bad: item.failed,
      };
    case 'note':
      return { name: item.title, body: paragraph(item.text) };
    case 'command':
      return commandContent(item);
  }
}

function commandContent(item: CommandItem): Content {
  const { command, cwd, exitCode, requests, stdout, stderr, changed } = item;
  const facts = [
    exitCode === null ? 'interrupted' : `exit ${exitCode}`,
    cwd === null ? null : `in ${cwd}`,
    requests === 0 ? null : count(requests, 'request'),
  ].filter((fact) => fact !== null);
  const files = changed.map(({ path }) => `<li>${escapeHtml(path)}</li>`).join('');
  return {
    name: `Command, ${facts.join(', ')}`,
    bad: exitCode !== 0,
    body: [
      block(command, 'command'),
      stdout === '' ? '' : block(stdout),
      stderr === '' ? '' : block(stderr, 'stderr'),
      files === '' ? '' : folded(count(changed.length, 'changed path'), `<ul>${files}</ul>`),
    ].join(''),
  };
}

const paragraph = (text: string): string => `<p class="text">${escapeHtml(text)}</p>`;

/** Reasoning that is long is folded: it is rarely what a reader came for. */
const prose = (text: string): string =>
  text.length > FOLD_CHARACTERS
    ? folded(`${text.slice(0, FOLD_HEAD).trim()} …`, paragraph(text))
    : paragraph(text);

const pre = (text: string, kind = ''): string =>
  `<pre${kind === '' ? '' : ` class="${kind}"`}>${escapeHtml(text)}</pre>`;

function block(text: string, kind = ''): string {
  const lines = text.replace(/\n$/, '').split('\n').length;
  return lines > FOLD_LINES ? folded(`${lines} lines`, pre(text, kind)) : pre(text, kind);
}

const folded = (summary: string, body: string): string =>
  `<details><summary>${escapeHtml(summary)}</summary>${body}</details>`;

const count = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? '' : 's'}`;

const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** Unicode's picture of a control character. */
const picture = (character: string): string =>
  String.fromCharCode(character === '\u007f' ? 0x2421 : 0x2400 + character.charCodeAt(0));

/** Also of control characters, which HTML does not allow, and of what a browser would not show. */
function escapeHtml(text: string): string {
  return escapeText(text.replace(CONTROLS, picture)).replace(
    /[&<>"']/g,
    (character) => `&#${character.charCodeAt(0)};`,
  );
}

const time = (iso: string): string => escapeHtml(iso.slice(0, 19).replace('T', ' '));
