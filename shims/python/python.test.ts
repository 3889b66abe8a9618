/** Python in a world: its files, its streams, what it starts, and what it does not reach. */
import { expect, test } from 'vitest';
import { testWorld } from '../../test/world/harness.ts';

const programs = { python: true };
const quoted = (code: string): string => `'${code.replaceAll("'", "'\\''")}'`;

test('files are read, written, listed, moved and removed as on any disk', async () => {
  const world = testWorld({ programs });
  const code = `
import os, pathlib, shutil, tempfile
p = pathlib.Path('d/e'); p.mkdir(parents=True); (p / 'f.txt').write_text('hé')
print(sorted(map(str, pathlib.Path('.').rglob('*'))))
shutil.copy('d/e/f.txt', 'g.txt'); shutil.move('g.txt', 'h.txt'); shutil.rmtree('d')
with open('h.txt', 'a') as f: f.write('more')
print(open('h.txt').read(), os.stat('h.txt').st_size)
os.symlink('h.txt', 'l'); print(os.readlink('l'), open('l').read())
os.chmod('h.txt', 0o755); os.rename('h.txt', 'i.txt'); os.unlink('l')
with open('i.txt', 'r+b') as f: f.seek(1); f.write(b'Z'); f.truncate(4)
print(open('i.txt', 'rb').read(), os.listdir('.'), os.getcwd())
with tempfile.TemporaryDirectory() as t: open(t + '/x', 'w').write('1'); print(t.startswith('/tmp/'))
fd = os.open('i.txt', os.O_WRONLY); os.lseek(fd, 2, 0); os.write(fd, b'Q'); os.close(fd)
print(open('i.txt', 'rb').read())
with open('i.txt', 'a+b') as f: f.seek(0); print(f.read(2)); f.write(b'!'); f.seek(0); print(f.read())
with open('i.txt', 'ab') as f, open('i.txt', 'rb') as g: f.write(b'?'); f.flush(); print(g.read())
with open('i.txt', 'ab') as f: print(f.tell()); f.write(b'.'); print(f.tell()); f.truncate(3); f.write(b',')
print(open('i.txt', 'rb').read())
with open('i.txt', 'wb') as f, open('i.txt', 'wb') as g: print(g.write(b'new'))
print(open('i.txt').read(), os.truncate('i.txt', 5), open('i.txt', 'rb').read())
os.utime('i.txt', (1000, 2000)); print(int(os.path.getmtime('i.txt')))
`;
  const ran = await world.exec(`python3 -c ${quoted(code)}; stat -c '%a %Y %n' *`);
  expect(ran.stderr).toBe('');
  expect(ran.stdout.split('\n')).toEqual([
    "['d', 'd/e', 'd/e/f.txt']",
    'hémore 7',
    'h.txt hémore',
    String.raw`b'hZ\xa9m' ['i.txt'] /workspace`,
    'True',
    "b'hZQm'",
    "b'hZ'",
    // Its buffer has what was written where it was written; the file has it at the end.
    "b'hZ!m'",
    "b'hZQm!?'",
    '6',
    '7',
    "b'hZQ,'",
    '3',
    String.raw`new None b'new\x00\x00'`,
    '2000',
    '755 2000 i.txt',
    '',
  ]);
});

test('streams carry bytes, arguments and the environment are the command’s, and the status is its own', async () => {
  const world = testWorld({ programs });
  await world.exec(`cat > s.py <<'E'
import os, sys
sys.stdout.buffer.write(sys.stdin.buffer.read()[::-1])
print(sys.argv, __name__, os.environ.get('A'), 'PYTHONHOME' in os.environ, file=sys.stderr)
sys.exit(4)
E`);
  const ran = await world.exec(
    `A=b; export A; printf '\\377\\0a' | python3 s.py x 'y z' > out; echo $?; xxd -p out`,
  );
  expect(ran.stdout).toBe('4\n6100ff\n');
  expect(ran.stderr).toBe("['s.py', 'x', 'y z'] __main__ b False\n");
  const other = await world.exec(
    'echo "print(6 * 7)" | python3; python -m json.tool <<< "{}"; python3 -c "1/0"',
  );
  expect(other.stdout).toBe('42\n{}\n');
  expect(other.stderr).toContain('ZeroDivisionError: division by zero');
  expect(other.exitCode).toBe(1);
});

test('subprocess runs commands of the world', async () => {
  const world = testWorld({ programs });
  const code = `
import os, subprocess as s
print(s.run(['printf', '%s|', 'a b', '$HOME'], capture_output=True, text=True).stdout)
print(s.check_output('echo hi | wc -c', shell=True))
p = s.Popen(['tr', 'a-z', 'A-Z'], stdin=s.PIPE, stdout=s.PIPE, text=True); print(p.communicate('abc'))
print(s.run('echo err >&2; exit 3', shell=True, stderr=s.STDOUT, stdout=s.PIPE))
print(os.system('exit 5') >> 8, os.popen('echo p').read().strip(), s.run(['pwd'], cwd='/tmp').returncode)
print(s.run(['env'], env={'B': '1'}, capture_output=True, text=True).stdout.split())
open('o', 'w').write('in'); print(s.run(['cat'], stdin=open('o'), stdout=open('q', 'w')).returncode, open('q').read())
try: s.run(['nosuchprogram'])
except FileNotFoundError as e: print('none', e.filename)
try: s.run(['false'], check=True)
except s.CalledProcessError as e: print(e)
`;
  const ran = await world.exec(`python3 -c ${quoted(code)}`);
  expect(ran.stderr).toBe('');
  expect(ran.stdout.split('\n')).toEqual([
    'a b|$HOME|',
    "b'3\\n'",
    "('ABC', None)",
    "CompletedProcess(args='echo err >&2; exit 3', returncode=3, stdout=b'err\\n')",
    '/tmp',
    '5 p 0',
    "['B=1']",
    '0 in',
    'none nosuchprogram',
    "Command '['false']' returned non-zero exit status 1.",
    '',
  ]);
});

test('a refused write is an error of Python, with the rule on stderr, and changes nothing', async () => {
  const world = testWorld({ programs, mounts: { '/mnt/ro': 'mem:ro' } });
  const ran = await world.exec(
    `python3 -c ${quoted(`
try:
    with open('/mnt/ro/x', 'w') as f: f.write('a')
except PermissionError: print('refused')
`)}; ls /mnt/ro`,
  );
  expect(ran.stdout).toBe('refused\n');
  expect(ran.stderr).toContain('/mnt/ro is mounted ro');
});

test('nothing of the host is in reach: its files, processes, environment, network', async () => {
  const world = testWorld({ programs });
  const tries = [
    "open('/etc/passwd')",
    "open('/proc/self/environ')",
    'import js',
    'import _posixsubprocess; _posixsubprocess.fork_exec()',
    'import os; os.fork()',
    "import os; os.execv('/bin/sh', ['sh'])",
    "import os; os.posix_spawn('/bin/sh', ['sh'], {})",
    "import socket; socket.create_connection(('127.0.0.1', 80), 1)",
    "import urllib.request; urllib.request.urlopen('http://127.0.0.1/')",
    'import ctypes',
    "import posix; assert posix.system('echo OUT') != 0, 'ran'; raise OSError()",
  ];
  // One interpreter for all: each start of it costs more than what is tried.
  const all = `
import sys
for code in sys.argv[1:]:
    try: exec(code, {})
    except Exception as error: print(type(error).__name__)
    else: print('came through:', code)
`;
  const ran = await world.exec(`python3 -c ${quoted(all)} ${tries.map(quoted).join(' ')}`);
  expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
  const errors = ran.stdout.trimEnd().split('\n');
  expect(errors).toHaveLength(tries.length);
  for (const [place, error] of errors.entries())
    expect([tries[place], error]).toEqual([tries[place], expect.stringMatching(/^\w*Error$/)]);
  const { stdout } = await world.exec(
    `unset OLDPWD; python3 -c 'import os; print(sorted(os.environ))'`,
  );
  expect(stdout).toBe("['HOME', 'LANG', 'PATH', 'PWD', 'USER']\n");
});

test('a run ends with its command: at its deadline, at its limit of memory, of output', async () => {
  const world = testWorld({ programs, timeoutMs: 20_000 });
  const timed = await world.exec("timeout 1 python3 -c 'while True: pass'; echo $?");
  expect(timed).toMatchObject({ stdout: '124\n', exitCode: 0 });
  const hungry = await world.exec(
    `python3 -c ${quoted('x = []\nwhile True: x.append(bytearray(10**7))')}`,
  );
  expect(hungry.stderr).toContain('MemoryError');
  expect((await world.exec('echo on')).stdout).toBe('on\n');
});

test('Python that starts itself again and again comes to an end, and so does a request that is none', async () => {
  const world = testWorld({ programs });
  await world.exec(`cat > again.py << 'END'
import subprocess, sys
n = int(sys.argv[1])
ran = subprocess.run(['python3', 'again.py', str(n + 1)], capture_output=True, text=True)
print(n, ran.stderr.strip()[:40]) if ran.returncode == 126 else print(ran.stdout.strip())
END`);
  const again = await world.exec('python3 again.py 1');
  expect(again.stdout).toBe('4 python3: Resource temporarily unavailabl\n');
  const request = await world.exec(
    `python3 -c ${quoted(`
import os
device = os.open('/dev/world-shell', os.O_RDWR)
os.write(device, b'none')
try: os.read(device, 9)
except OSError as error: print(os.strerror(error.errno))
`)}`,
  );
  expect(request.stdout).toBe('Invalid argument\n');
});

test('a world without it says who turns it on', async () => {
  const world = testWorld();
  const ran = await world.exec('python3 -c 1');
  expect(ran.exitCode).toBe(127);
  expect(ran.stderr).toContain('programs: { python: true }');
  expect((await world.exec('ls /bin')).stdout).not.toContain('python');
});

test('what never ends is no whole: its beginning is read, its end is an error', async () => {
  const world = testWorld({ programs });
  const part = await world.exec(
    'python3 -c "import sys; print(len(sys.stdin.buffer.read(10)))" < /dev/zero',
  );
  expect([part.stdout, part.exitCode, part.stderr]).toEqual(['10\n', 0, '']);
  const whole = await world.exec('yes | python3 -c "import sys; print(len(sys.stdin.read()))"');
  expect([whole.stdout, whole.exitCode]).toEqual(['', 1]);
  expect(whole.stderr).toContain('yes never ends, and this is its beginning alone');
});
