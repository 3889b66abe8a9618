/** Programs of mounts in the shell: called from anywhere a command can be, through one gate. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { WorldConfig } from '../../entry/index.ts';
import { stdioServer } from '../../mounts/mcp/testing.ts';
import { temporaryDirectory, testWorld } from './harness.ts';

const OFFERS = `
tools = ['say', 'look'].map((name) => ({ name, description: 'Says it', inputSchema: { type: 'object', properties: { text: { type: 'string' } } }, annotations: { readOnlyHint: name === 'look' } }));
answers['tools/call'] = ({ name, arguments: args }) => name === 'say' && args.text === 'png'
  ? { content: [{ type: 'image', mimeType: 'image/png', data: 'AQID' }] }
  : args.text === 'fail' ? { isError: true, content: [{ type: 'text', text: 'it is broken' }] }
  : { content: [{ type: 'text', text: name + ':' + args.text }] };
`;

function world(mount: Record<string, unknown> = {}, more: WorldConfig = {}) {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'server.mjs'), stdioServer(OFFERS));
  const source = { source: 'mcp:told', command: [process.execPath, join(directory, 'server.mjs')] };
  const mounts = { '/mnt/t': { ...source, mode: 'rw' as const, ...mount } };
  return testWorld({ mounts, ...more });
}

describe('a tool is run', () => {
  test('by its path, in pipes, by other commands, through links and PATH', async () => {
    const { exec } = world();
    const { stdout, stderr } = await exec(`cd /mnt/t/tools
./say --text a
echo '{"text":"b"}' | ./say | tr a-z A-Z
echo "[$(/mnt/t/tools/say --text=c)]"
printf 'd\\ne\\n' | xargs -n1 ./say --text
find . -name say -exec {} --text f \\;
ln -s /mnt/t/tools/say /workspace/mine; /workspace/mine --text g
PATH=/mnt/t/tools:$PATH; say --text h
while read -r x; do ./say --text "$x"; done <<< "$(printf 'i\\nj')"
env ./say --text k; timeout 20 ./say --text l; bash -c './say --text m'`);
    expect({ stdout, stderr }).toEqual({
      stdout: `${'say:a SAY:B [say:c] say:d say:e say:f say:g say:h say:i say:j say:k say:l say:m'.replaceAll(' ', '\n')}\n`,
      stderr: '',
    });
  });

  test('from Python, with its status and its words', async () => {
    const { exec } = world({}, { programs: { python: true } });
    const { stdout } = await exec(
      `python3 -c "import subprocess; r = subprocess.run(['/mnt/t/tools/say', '--text', 'a'], capture_output=True, text=True); print(r.returncode, r.stdout)"`,
    );
    expect(stdout).toBe('0 say:a\n\n');
  });

  test('its failures are the shell’s', async () => {
    const { exec } = world();
    expect(await exec('/mnt/t/tools/say --text fail')).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: 'it is broken\n',
    });
    expect(await exec('/mnt/t/tools/say --txt a')).toMatchObject({ exitCode: 2 });
    expect((await exec('/mnt/t/tools/none')).exitCode).toBe(127);
  });

  test('what is no text is written where -o says, as any file is', async () => {
    const { exec } = world();
    expect(
      (await exec('cd /workspace; /mnt/t/tools/say --text png -o p.png; xxd -p p.png')).stdout,
    ).toBe('010203\n');
    const refused = await exec('/mnt/t/tools/say --text png -o /bin/p.png');
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('/bin');
  });

  test('a copy, or its text read as a script, calls nothing', async () => {
    const { exec } = world();
    const { stdout, stderr } = await exec(`cp /mnt/t/tools/say /tmp/say; chmod +x /tmp/say
/tmp/say --text a; echo $?
bash /mnt/t/tools/say --text a; echo $?
. /tmp/say; echo $?`);
    expect(stdout).toBe('126\n126\n126\n');
    expect(stderr.match(/calls nothing/g)).toHaveLength(3);
  });
});

describe('the gate', () => {
  test('what is mounted ro calls nothing but what is trusted to read only', async () => {
    const { exec } = world({ mode: 'ro', trustHints: true });
    const { stdout, exitCode, stderr } = await exec(
      '/mnt/t/tools/look --text a; /mnt/t/tools/say --text a',
    );
    expect({ stdout, exitCode }).toEqual({ stdout: 'look:a\n', exitCode: 126 });
    expect(stderr).toContain('/mnt/t is mounted ro');
  });

  test('what says of itself that it only reads is not believed by default', async () => {
    const { exec } = world({ mode: 'ro' });
    expect((await exec('/mnt/t/tools/look --text a')).exitCode).toBe(126);
  });

  test('a dry run stages the call, and sends it when it is applied', async () => {
    const { exec } = world({ mode: 'stage' });
    const staged = await exec(
      '/mnt/t/tools/say --text a; echo $?; cat /session/changes/*/request.json',
    );
    expect(staged.stdout).toMatch(/^1\n[\s\S]*"text": "a"/);
    expect(staged.stderr).toContain('staged as change');
    expect((await exec('cat /session/changes/*/answer')).exitCode).toBe(1);
  });

  test('nothing can be written into it', async () => {
    const { exec } = world();
    const { stdout, stderr } = await exec(`cd /mnt/t/tools
echo x > say; echo $?; echo x > new; echo $?; rm say; echo $?; mv say other; echo $?; mkdir d; echo $?; chmod 777 say; echo $?; ln -s /bin/ls l; echo $?`);
    expect(stdout).toMatch(/^(?:[1-9]\d*\n){7}$/);
    expect(stderr).not.toBe('');
  });

  test('an interrupt ends a call', async () => {
    const { exec } = world();
    await exec('ls /mnt/t/tools');
    const { exitCode } = await exec('/mnt/t/tools/say --text a; sleep 100', { timeoutMs: 2_000 });
    expect(exitCode).toBe(124);
  });
});
