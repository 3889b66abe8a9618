/** Scripts that gave something else than bash 5.2 and did not say so, each with what bash prints. */
import { describe, expect, test } from 'vitest';
import { testShell } from './test-shell.ts';

type Row = readonly [what: string, script: string, stdout: string];

/** Waits for a file. */
const until = (file: string): string => `until [ -e ${file} ]; do sleep 0.01; done`;

const SIGNALS: readonly Row[] = [
  [
    'a job beside a script that is piped to its shell runs, and can be ended',
    'echo \'sleep 9 & kill $!; wait $!; echo "$? $(cat)"\' > s; echo x | bash s',
    '143 x\n',
  ],
  [
    'a job of a group has what the group reads, that of a whole shell has nothing',
    'echo hi | { cat & wait; }; echo no | bash -c "cat & wait"',
    'hi\n',
  ],
  [
    'the trap of a job runs once its command has ended',
    `{ trap "echo got" TERM; touch up; ${until('go')}; echo end; } & ${until('up')}; kill $!; touch go; wait $!; echo $?`,
    'got\nend\n0\n',
  ],
  [
    'so does that of a shell which is a job, and may end it',
    `bash -c 'trap "echo bye; exit 4" HUP; touch up; ${until('go')}; echo no' & ${until('up')}; kill -HUP $!; touch go; wait $!; echo $?`,
    'bye\n4\n',
  ],
  [
    'a signal that a job ignores does nothing',
    `bash -c 'trap "" INT; touch up; ${until('go')}; echo on' & ${until('up')}; kill -INT $!; touch go; wait $!; echo $?`,
    'on\n0\n',
  ],
  [
    'signals have all their names and numbers',
    'kill -l 10 SIGSEGV 143 64; kill -L nope 2> /dev/null || echo none; kill -l | tail -n 1; trap x 35; trap',
    "USR1\n11\nTERM\nRTMAX\nnone\n63) SIGRTMAX-1\t64) SIGRTMAX\t\ntrap -- 'x' SIGRTMIN+1\n",
  ],
];

describe.each([['signals', SIGNALS]] as const)('%s', (_topic, rows) => {
  test.each(rows)('%s', async (_what, script, stdout) => {
    expect((await testShell().run(script)).stdout).toBe(stdout);
  });
});
