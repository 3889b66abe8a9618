/** git config */
import type { GitCommand } from './call.ts';
import { GitFault } from './fault.ts';
import { globalConfigFile, globalSetting, settingsOf, withSetting } from './settings.ts';

export const config: GitCommand = async (call) => {
  const { options, operands } = call.options({
    short: 'lz',
    long: {
      global: 'global',
      local: 'local',
      system: 'system',
      list: 'l',
      get: 'get',
      unset: 'unset',
      add: 'add',
      bool: 'bool',
      int: 'int',
      type: 'type:',
    },
  });
  const { tool } = call;
  const [name, value] =
    operands[0] === 'get' || operands[0] === 'set' ? operands.slice(1) : operands;
  const file = globalConfigFile(tool);
  if (options.has('l')) {
    const texts = [];
    if (!options.has('local') && (await tool.fs.exists(file)))
      texts.push(await tool.fs.readFile(file));
    if (!options.has('global')) {
      const { gitdir } = await call.repository();
      texts.push(await tool.fs.readFile(`${gitdir}/config`));
    }
    for (const text of texts)
      for (const [key, each] of settingsOf(text)) tool.print(`${key}=${each}\n`);
    return;
  }
  if (name === undefined || !/^[^.]+\..+$/.test(name))
    throw new GitFault(`key does not contain a section: ${name ?? ''}`, 1, 'error');
  if (options.has('unset')) {
    await (await call.repository()).git.setConfig({
      ...(await call.repository()).at,
      path: name,
      value: undefined as never,
    });
    return;
  }
  if (value === undefined) {
    const found = options.has('global')
      ? await globalSetting(tool, name)
      : await settingOf(call, name);
    if (found === undefined) tool.status = 1;
    else tool.print(`${found}\n`);
    return;
  }
  if (!options.has('global')) {
    const repo = await call.repository();
    await repo.git.setConfig({ ...repo.at, path: name, value });
    return;
  }
  const text = (await tool.fs.exists(file)) ? await tool.fs.readFile(file) : '';
  await tool.fs.writeFile(file, withSetting(text, name, value));
};

async function settingOf(
  call: Parameters<GitCommand>[0],
  name: string,
): Promise<string | undefined> {
  const given = call.settings.get(name.toLowerCase());
  if (given !== undefined) return given;
  try {
    return await (await call.repository()).setting(name);
  } catch (error) {
    if (!(error instanceof GitFault)) throw error;
    return globalSetting(call.tool, name);
  }
}
