// `true | grep q` and `grep q` look the same to a just-bash command.
import { describe, expect, test } from 'vitest';
import { testShell } from './test-shell.ts';

describe('A shim can tell what its streams are', () => {
  test.each([
    ['probe', '[v]'],
    ['true | probe', '[vp]'],
    ['probe | cat', '[]'],
    ['true | probe | cat', '[p]'],
    ['probe < a.txt', '[vpf]'],
    ['{ probe; true | probe; probe <<< x; } < a.txt', '[vpf][vp][vp]'],
    ['bash -c probe < a.txt', '[vpf]'],
    ['x=$(probe); echo $x', '[]\n'],
    ['f() { probe; }; f; f | cat; true | f', '[v][][vp]'],
    ['true | { probe; }', '[vp]'],
    ['true | if probe; then :; fi', '[vp]'],
    ['bash -c probe', '[v]'],
    ['true | bash -c probe', '[vp]'],
    ['timeout 1 probe', '[v]'],
    ['echo a | xargs probe', '[]'],
    ['for i in 1 2; do probe; done > o; cat o', '[][]'],
    ['eval probe', '[v]'],
    ['command probe', '[v]'],
  ])('%s', async (script, stdout) => {
    const { run } = testShell();
    expect((await run(script)).stdout).toBe(stdout);
  });

  test('Its variable is nowhere else', async () => {
    const { run } = testShell();
    const everywhere =
      'env; printenv; set; declare -p; export -p; compgen -v; bash -c env; probe > /dev/null';
    const { stdout, stderr } = await run(
      `set -x; { ${everywhere}; }; echo "[$DIRIGENT_IO]"; true | probe`,
    );
    expect(stdout).toContain('[]\n[vp]');
    expect(stdout.replace('DIRIGENT_IO', '')).not.toMatch(/DIRIGENT_IO=/);
    expect(stderr).not.toContain('DIRIGENT_IO=');
  });
});
