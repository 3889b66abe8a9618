import { expect, test } from 'vitest';
import { testWorld } from '../../test/world/harness.ts';

const SCRIPT = String.raw`
import errno, os, stat
def fails(f, *a):
    try: return f(*a)
    except OSError as e: return errno.errorcode[e.errno]
def on(path, flags, mode=0o644): return os.open(path, flags, mode)
R, W, RW, C, T, A, X = os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_TRUNC, os.O_APPEND, os.O_EXCL

# What is open: reads, writes and places in it.
f = on('a', RW | C); print(os.write(f, b'abcdef'), os.fstat(f).st_size, os.lseek(f, 0, 1), os.lseek(f, -2, 2), os.read(f, 9), os.read(f, 1))
print(fails(os.lseek, f, -1, 0), os.lseek(f, 2, 0), os.lseek(f, 1, 1), os.lseek(f, -3, 1), os.lseek(f, 4, 2), os.read(f, 1), os.write(f, b'Z'))
print(os.pread(f, 3, 1), os.pread(f, 5, 99), os.pwrite(f, b'QQ', 2), os.fstat(f).st_size, os.pread(f, 99, 0)); os.close(f); print(os.stat('a').st_size, open('a', 'rb').read())
print(fails(os.read, f, 1), fails(on, 'a', C | X | W), fails(on, 'no', R), fails(on, 'no/no', C | W), fails(on, 'a/b', R))
f = on('a', RW); os.ftruncate(f, 3); os.ftruncate(f, 5); print(os.pread(f, 9, 0), os.fstat(f).st_size); os.ftruncate(f, 0); print(os.write(f, b'x')); os.close(f); print(open('a', 'rb').read())

# Two at once on one file.
f, g = on('a', RW | T), on('a', RW); os.write(f, b'one'); print(os.read(g, 9)); os.write(g, b'two'); print(os.pread(f, 9, 0)); h = on('a', W | T); print(os.fstat(f).st_size, os.read(f, 9)); os.write(h, b'end'); os.close(h); os.close(f); os.close(g); print(open('a', 'rb').read())
f = on('a', W | A); g = on('a', W | A); os.write(f, b'1'); os.write(g, b'2'); print(os.fstat(f).st_size); os.fsync(f); os.fsync(g); print(len(open('a', 'rb').read())); os.close(f); os.close(g)
f = on('a', RW | A); os.lseek(f, 0, 0); print(os.read(f, 2)); os.write(f, b'!'); os.lseek(f, -2, 2); print(os.read(f, 2)); os.close(f)
f = on('ap', RW | A | C); os.write(f, b'n'); os.lseek(f, 0, 0); os.write(f, b'm'); os.lseek(f, 0, 0); print(os.read(f, 9)); os.close(f); print(open('ap').read())
f = on('a', W | A); os.write(f, b'.'); g = on('a', R); os.close(f); print(os.read(g, 1)); os.close(g)

# Modes, times and kinds.
f = on('x', W | C, 0o755); os.close(f); f = on('y', W | C, 0o644); print(oct(os.fstat(f).st_mode), os.fstat(f).st_size); os.close(f); print(oct(os.stat('x').st_mode), oct(os.stat('y').st_mode))
os.chmod('y', 0o700); print(oct(os.stat('y').st_mode)); f = on('y', RW); os.fchmod(f, 0o640); os.close(f); print(oct(os.stat('y').st_mode))
s = os.stat('y'); print(s.st_nlink, s.st_size, s.st_blocks, s.st_blksize, s.st_uid == s.st_gid); os.utime('y', (5, 7)); print(os.stat('y').st_mtime); os.utime('y', ns=(10**9, 3 * 10**9 + 5 * 10**6)); print(os.stat('y').st_mtime)
open('big', 'wb').write(b'z' * 1025); print(os.stat('big').st_size, os.stat('big').st_blocks >= 3)
os.mkdir('d'); os.mkdir('d/e'); open('d/e/f', 'w').write('f'); print(stat.S_ISDIR(os.stat('d').st_mode), fails(os.mkdir, 'd'), fails(os.mkdir, 'p/q'), fails(os.rmdir, 'd'), fails(os.rmdir, 'a'), fails(os.unlink, 'no'), fails(os.listdir, 'no'), fails(os.listdir, 'a'), fails(on, 'd', W))
os.rename('d', 'D'); print(open('D/e/f').read(), os.path.exists('d')); os.chdir('D/e'); os.rename('f', 'g'); print(os.listdir('.'), os.path.basename(os.getcwd())); os.chdir('../..'); os.rename('D/e/g', 'a'); print(open('a').read(), os.listdir('D/e'), fails(os.rename, 'no', 'n'), fails(os.rename, 'D', 'D/e/x'))
os.symlink('a', 'l'); os.symlink('no', 'm'); os.symlink('D', 'n'); print(os.readlink('l'), fails(os.readlink, 'a'), fails(os.readlink, 'D'), fails(os.readlink, 'no'), stat.S_ISLNK(os.lstat('l').st_mode), stat.S_ISREG(os.stat('l').st_mode), fails(os.stat, 'm'), os.listdir('n'), fails(os.symlink, 'a', 'l'))
open('l', 'w').write('through'); print(open('a').read(), os.lstat('l').st_size); os.unlink('l'); print(os.path.exists('a'), os.path.lexists('l')); os.rmdir('D/e'); os.rmdir('D'); print(os.path.exists('n'), os.path.lexists('n'))
f = on('gone', RW | C); os.write(f, b'kept'); os.lseek(f, 0, 0); print(os.read(f, 9)); os.close(f); os.truncate('gone', 2); print(open('gone').read()); os.truncate('gone', 4); print(open('gone', 'rb').read(), fails(os.truncate, 'no', 1))
with open('lines', 'w') as f: f.writelines(['a\n', 'b\n']); f.seek(0); f.write('A')
with open('lines') as f: print(list(f), f.tell()); f.seek(1); print(f.read(1) == '\n')
print(sorted(os.listdir('.')))
left = open('left', 'w'); left.write('unclosed'); left.flush(); late = on('late', W | C); os.write(late, b'late')
`;

/** What CPython 3.11 says to it over a disk of Linux. */
const ANSWER = String.raw`
6 6 6 4 b'ef' b''
EINVAL 2 3 0 10 b'' 1
b'bcd' b'' 2 11 b'abQQef\x00\x00\x00\x00Z'
11 b'abQQef\x00\x00\x00\x00Z'
EBADF EEXIST ENOENT ENOENT ENOTDIR
b'abQ\x00\x00' 5
1
b'x'
b'one'
b'onetwo'
0 b''
b'end'
5
5
b'en'
b'2!'
b'nm'
nm
b'e'
0o100644 0
0o100755 0o100644
0o100700
0o100640
1 0 0 4096 True
7.0
3.005
1025 True
True EEXIST ENOENT ENOTEMPTY ENOTDIR ENOENT ENOENT ENOTDIR EISDIR
f False
['g'] e
f [] ENOENT EINVAL
a EINVAL EINVAL ENOENT True True ENOENT ['e'] EEXIST
through 1
True False
False True
b'kept'
ke
b'ke\x00\x00' ENOENT
['A\n', 'b\n'] 4
True
['a', 'ap', 'big', 'gone', 'lines', 'm', 'n', 'x', 'y']
unclosedlate`;

test('files are to Python what they are over a disk of Linux, down to the places in open ones', async () => {
  const world = testWorld({ programs: { python: true } });
  await world.exec(`cat > /tmp/script.py <<'END'\n${SCRIPT}END`);
  const ran = await world.exec('python3 /tmp/script.py && cat left late');
  expect(ran.stderr).toBe('');
  expect(`\n${ran.stdout}`).toBe(ANSWER);
});
