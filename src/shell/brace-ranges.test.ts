import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

test.each(['echo {1..200000}', 'for i in {1..1000000}; do echo $i; done'])(
  'a range over the limit is refused, not cut: %s',
  async (script) => {
    const world = await inProcessWorld({ roots: ['/work'], files: {}, cwd: '/work' });
    const { stdout, stderr, exitCode } = await world.run(script);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 126 });
    expect(stderr).toContain('brace expansion');
  },
);
