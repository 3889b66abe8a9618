import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { inProcessWorld } from '../../../test/world/in-process.ts';

const OPERATORS = ['-eq', '-ne', '-lt', '-le', '-gt', '-ge'];
const PAIRS = [
  ...['1 2', '2 1', '2 2', '-1 1', '+3 3', '0 -0', '007 7'],
  ...['9007199254740993 9007199254740992', '-9223372036854775808 9223372036854775807'],
];

test.skipIf(spawnSync('bash', ['--version']).status !== 0)(
  'integers compare as in bash, by test, [, [[ and in conditions that run many times',
  async () => {
    const lines = OPERATORS.flatMap((operator) =>
      PAIRS.flatMap((pair) => {
        const [left, right] = pair.split(' ');
        const said = `&& echo '${left} ${operator} ${right}'`;
        return [
          `test ${left} ${operator} ${right} ${said}`,
          `a=${left} b=${right}; [ "$a" ${operator} "$b" ] ${said}`,
          `[[ a ${operator} b ]] ${said}`,
          `for i in 1 2; do if [ $i ${operator} 2 ]; then echo $i; fi; done`,
          `i=0; while [[ $i -lt 3 ]]; do ((i++)); [[ $i ${operator} 2 ]] && echo $i; done`,
        ];
      }),
    );
    // What is no integer is refused, and is no answer.
    lines.push('test 1 -gt x 2>/dev/null; echo $?', '[ "" -lt 1 ] 2>/dev/null; echo $?');
    const script = lines.join('\n');
    const { run } = await inProcessWorld({ roots: ['/w'], cwd: '/w' });
    const bash = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    expect((await run(script)).stdout.split('\n')).toEqual(bash.stdout.split('\n'));
  },
);
