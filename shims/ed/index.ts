/** ed: the line editor, as scripts use it. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { defineTool, type Tool, toText } from '../support/tool.ts';
import { Editor } from './editor.ts';

async function ed(tool: Tool): Promise<undefined> {
  const args = tool.args.map((arg) => (arg === '-' ? '-s' : arg));
  const options = tool.options(
    {
      short: 'EGhlp:rsvVq',
      long: {
        'extended-regexp': 'E',
        prompt: 'p:',
        quiet: 'q',
        silent: 'q',
        script: 's',
        verbose: 'v',
        'loose-exit-status': 'l',
      },
    },
    args,
  );
  const lines = toText(tool.stdin).split('\n');
  if (lines.at(-1) === '') lines.pop();
  const editor = new Editor(tool, lines, {
    silent: options.has('s'),
    verbose: options.has('v'),
    extended: options.has('E'),
    prompt: options.get('p'),
  });
  const [file] = options.operands;
  if (file !== undefined) await editor.open(file);
  await editor.run();
  if (editor.failed && tool.status === 0 && !options.has('l')) tool.status = 1;
}

/** ed. */
export const edShims: ShimFactory = (host) => [
  defineTool(
    host,
    {
      name: 'ed',
      usage: `Usage: ed [options] [file]
  -s, --script   no counts               -v, --verbose   explain each ?     -p, --prompt=STRING
  a i c d p n l s/RE/TEXT/g g/RE/LIST v/RE/LIST m t j k r w W e E f q Q u z = h H`,
    },
    ed,
  ),
];
