"""Does the same random operations in two directories, and prints where an answer differs.

random-operations.py SEED COUNT DIRECTORY DIRECTORY; its status is 1 if anything differed.
"""
import errno, os, random, stat, sys

seed, count, roots = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:5]
draw = random.Random(seed)
NAMES = ['a', 'b', 'c', 'd', 'e', 'd1', 'd2', 'd1/x', 'd1/y', 'd2/x', 'd1/s', 'd1/s/z']
BY_NAME = ['write', 'read', 'append', 'pwrite', 'truncate', 'unlink', 'rename', 'rename', 'mkdir', 'rmdir',
           'stat', 'list', 'chmod', 'symlink', 'readlink', 'exclusive', 'utime']
BY_HANDLE = ['pwrite', 'pwrite', 'pread', 'truncate', 'stat', 'close']
FLAGS = [os.O_RDWR, os.O_RDWR | os.O_CREAT, os.O_RDWR | os.O_CREAT | os.O_TRUNC, os.O_RDWR | os.O_APPEND, os.O_RDONLY]


def shown(found):
    """What two file systems have in common of an entry."""
    isFile, isLink = stat.S_ISREG(found.st_mode), stat.S_ISLNK(found.st_mode)
    return (stat.S_IFMT(found.st_mode), 0 if isLink else found.st_mode & 0o7777,
            found.st_size if isFile or isLink else 0, found.st_nlink if isFile else 0)


def answer(work):
    try:
        return ('ok', work())
    except OSError as error:
        return ('failed', errno.errorcode.get(error.errno, error.errno))


def whole(path, mode, data=b''):
    with open(path, mode) as file:
        return file.read() if mode == 'rb' else file.write(data)


def once(path, flags, work=lambda fd: None):
    fd = os.open(path, flags, 0o640)
    try:
        return work(fd)
    finally:
        os.close(fd)


def utime(path, at):
    os.utime(path, ns=(at, at), follow_symlinks=False)
    return os.lstat(path).st_mtime_ns


def by_name(op, path, other, data, size, mode, at):
    return {
        'write': lambda: whole(path, 'wb', data), 'read': lambda: whole(path, 'rb'),
        'append': lambda: whole(path, 'ab', data),
        'pwrite': lambda: once(path, os.O_WRONLY, lambda fd: os.pwrite(fd, data, size)),
        'truncate': lambda: os.truncate(path, size), 'unlink': lambda: os.unlink(path),
        'rename': lambda: os.rename(path, other), 'mkdir': lambda: os.mkdir(path), 'rmdir': lambda: os.rmdir(path),
        'stat': lambda: shown(os.lstat(path)), 'list': lambda: sorted(os.listdir(path)),
        'chmod': lambda: os.chmod(path, mode), 'symlink': lambda: os.symlink(os.path.basename(other), path),
        'readlink': lambda: os.readlink(path), 'utime': lambda: utime(path, at),
        'exclusive': lambda: once(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY),
    }[op]


def by_handle(op, fd, data, size):
    return {
        'pwrite': lambda: os.pwrite(fd, data, size), 'pread': lambda: os.pread(fd, size, size // 2),
        'truncate': lambda: os.ftruncate(fd, size), 'close': lambda: os.close(fd),
        # A removed directory that is open has no attributes in FUSE, nor has what was removed in it.
        'stat': lambda: None if stat.S_ISDIR(os.fstat(fd).st_mode) else shown(os.fstat(fd)),
    }[op]


def tree(root):
    found = {}
    for directory, directories, files in os.walk(root):
        for name in directories + files:
            path = os.path.join(directory, name)
            entry = os.lstat(path)
            found[os.path.relpath(path, root)] = (shown(entry), whole(path, 'rb') if stat.S_ISREG(entry.st_mode) else None)
    return found


handles, differences = [], 0
for step in range(count):
    path, other = draw.choice(NAMES), draw.choice(NAMES)
    data, size = bytes([draw.randrange(97, 123)]) * draw.randrange(5000), draw.randrange(9000)
    mode, flags, which = draw.choice([0o644, 0o600, 0o755, 0o444]), draw.choice(FLAGS), draw.random()
    if which < 0.1 and len(handles) < 12:
        op = 'open'
        answers = [answer(lambda: os.open(os.path.join(root, path), flags, 0o644)) for root in roots]
        if all(kind == 'ok' for kind, _ in answers):
            handles.append([fd for _, fd in answers])
            continue
    elif which < 0.35 and handles:
        op, pair = 'handle ' + draw.choice(BY_HANDLE), draw.choice(handles)
        answers = [answer(by_handle(op[7:], fd, data, size)) for fd in pair]
        if op == 'handle close':
            handles.remove(pair)
        if op == 'handle stat' and answers[1] == ('failed', 'ESTALE'):
            continue
    else:
        op, at = draw.choice(BY_NAME), 10 ** 18 + step * 7
        answers = [answer(by_name(op, os.path.join(root, path), os.path.join(root, other), data, size, mode, at))
                   for root in roots]
    if answers[0] != answers[1]:
        differences += 1
        print(step, op, path, other, [(kind, value if not isinstance(value, bytes) else len(value)) for kind, value in answers])
for pair in handles:
    for fd in pair:
        os.close(fd)
trees = [tree(root) for root in roots]
for path in sorted(set(trees[0]) | set(trees[1])):
    if trees[0].get(path) != trees[1].get(path):
        differences += 1
        print('afterwards', path, *[each.get(path) and each[path][0] for each in trees])
print(f'seed {seed}: {count} operations, {differences} differences')
sys.exit(1 if differences else 0)
