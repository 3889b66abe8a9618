/** The Notion mount through the whole suite, in every mode. */
import { afterAll, beforeAll } from 'vitest';
import { id, named, page, TASKS, Workbench, workspace } from '../../mounts/notion/testing.ts';
import type { Mode } from '../../src/mount/contract/contract.ts';
import { describeMountConformance } from './mount-suite.ts';
import { withoutCost } from './support.ts';

let workbench: Workbench;
beforeAll(async () => {
  workbench = await Workbench.start();
  // A stand-in's first answers are slow, since its schemas are compiled for them.
  const { mount, close } = await make();
  await mount.prefetch?.('/');
  close();
});
afterAll(() => workbench[Symbol.asyncDispose]());

async function make() {
  const pages = [page('Home', { markdown: 'Hello' }), page('Child', { parent: id('Home') })];
  const bench = await workbench.bench(workspace(pages, [page('First')]));
  return { mount: withoutCost(bench.mount()), close: () => bench[Symbol.dispose]() };
}

for (const mode of ['ro', 'rw', 'append', 'stage'] as const satisfies readonly Mode[]) {
  describeMountConformance(`notion ${mode}`, make, {
    mode,
    writable: false,
    links: false,
    attributes: false,
    samples: {
      file: `/${named('Home')}/${named('Child')}.md`,
      directory: TASKS,
      missing: `/${named('Home')}/${named('Nobody')}.md`,
    },
  });
}
