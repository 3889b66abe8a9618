/** dc: a calculator that takes its operands first. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { defineTool, type Tool, toBytes, toText } from '../support/tool.ts';
import { Machine } from './machine.ts';

async function dc(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'e:f:hV',
    long: { expression: 'e:', file: 'f:' },
  });
  const input = toText(tool.stdin);
  const given = options.seen.length > 0 || options.operands.length > 0;
  const machine = new Machine(
    (text) => tool.write(toBytes(text)),
    (text) => {
      tool.stderr += `dc: ${text}\n`;
    },
    () => tool.pulse(),
    given ? input.split('\n') : [],
  );
  for (const [key, value] of options.seen) {
    const source = key === 'e' ? value : await sourceOf(tool, value);
    if (source === undefined || !(await machine.run(source))) return;
  }
  for (const file of options.operands) {
    const source = await sourceOf(tool, file);
    if (source === undefined || !(await machine.run(source))) return;
  }
  if (!given) await machine.run(input);
}

async function sourceOf(tool: Tool, file: string): Promise<string | undefined> {
  const bytes = await tool.tryRead(file, 0, `Could not open file ${file}`);
  return bytes === undefined ? undefined : toText(bytes);
}

/** dc. */
export const dcShims: ShimFactory = (host) => [
  defineTool(
    host,
    {
      name: 'dc',
      usage: `Usage: dc [OPTION] [FILE]...
  -e, --expression=EXPR    evaluate expression
  -f, --file=FILE          evaluate contents of file
  + - * / % ~ ^ | v   p n P f c d r R z Z X   sR lR SR LR :R ;R   k i o K I O   [..] x ? q Q =R <R >R`,
    },
    dc,
  ),
];
