/** The scripted model in a process of its own: what it costs is not what the server costs. */
import { says, startModel, textOf } from '../../test/stand-ins/model/index.ts';

const model = await startModel(({ messages }) => {
  const last = messages.at(-1);
  return says('You said: ', (last === undefined ? '' : textOf(last)).slice(0, 100));
});
process.send?.(model.url);
process.on('message', () => model.endIdle());
process.on('disconnect', () => process.exit(0));
