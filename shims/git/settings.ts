/** The text of git's config files, without includes. */
import type { Tool } from '../support/tool.ts';

export const globalConfigFile = (tool: Tool): string =>
  `${tool.ctx.exportedEnv?.['HOME'] ?? ''}/.gitconfig`;

/** The settings of a config file, as `section.sub.key` and value. */
export function* settingsOf(text: string): Generator<[name: string, value: string]> {
  let section = '';
  for (const line of text.split('\n')) {
    const head = /^\s*\[\s*([^\s\]"]+)(?:\s+"(.*)")?\s*\]/.exec(line);
    if (head !== null) section = [head[1]?.toLowerCase(), head[2]].filter(Boolean).join('.');
    const pair = /^\s*([\w-]+)\s*=\s*(.*?)\s*$/.exec(line);
    if (pair !== null) yield [`${section}.${pair[1]?.toLowerCase()}`, pair[2] ?? ''];
  }
}

/** A setting of the user's own file. */
export async function globalSetting(tool: Tool, name: string): Promise<string | undefined> {
  const file = globalConfigFile(tool);
  if (!(await tool.fs.exists(file))) return undefined;
  let found: string | undefined;
  for (const [each, value] of settingsOf(await tool.fs.readFile(file))) {
    if (each === name.toLowerCase()) found = value.replace(/^"(.*)"$/, '$1');
  }
  return found;
}

/** The text with a setting in its section, which is made where there is none. */
export function withSetting(text: string, name: string, value: string): string {
  const [section = '', ...rest] = name.split('.');
  const key = rest.pop() ?? '';
  const head = rest.length === 0 ? `[${section}]` : `[${section} "${rest.join('.')}"]`;
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.trim().toLowerCase() === head.toLowerCase());
  const setting = `\t${key} = ${/[#;]|^\s|\s$/.test(value) ? JSON.stringify(value) : value}`;
  if (at < 0) return `${text}${head}\n${setting}\n`;
  let end = at + 1;
  for (; end < lines.length && !lines[end]?.trim().startsWith('['); end++) {
    if (lines[end]?.trim().toLowerCase().startsWith(`${key.toLowerCase()} =`)) {
      lines[end] = setting;
      return lines.join('\n');
    }
  }
  lines.splice(at + 1, 0, setting);
  return lines.join('\n');
}
