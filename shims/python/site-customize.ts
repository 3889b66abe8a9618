/** What Python runs first: `subprocess`, which this build of CPython has no processes for, runs commands of the world. */

/** The text of `sitecustomize.py`. A command runs to its end when it is waited for, or at once where nothing is piped to it. */
export const SITE_CUSTOMIZE = `
import sys


class _Finder:
    """Mends subprocess when it is first imported: most scripts never do."""

    def find_spec(self, name, path=None, target=None):
        if name != "subprocess":
            return None
        sys.meta_path.remove(self)
        import importlib.util

        spec = importlib.util.find_spec("subprocess")
        execute = spec.loader.exec_module

        class Loader:
            def create_module(self, spec):
                return None

            def exec_module(self, module):
                execute(module)
                _mend(module)

        spec.loader = Loader()
        return spec


def _mend(subprocess):
    import base64, io, json, os

    PIPE, STDOUT, DEVNULL = subprocess.PIPE, subprocess.STDOUT, subprocess.DEVNULL

    class Popen:
        def __init__(self, args, bufsize=-1, executable=None, stdin=None, stdout=None,
                     stderr=None, preexec_fn=None, close_fds=True, shell=False, cwd=None,
                     env=None, universal_newlines=None, startupinfo=None, creationflags=0,
                     restore_signals=True, start_new_session=False, pass_fds=(), *,
                     user=None, group=None, extra_groups=None, encoding=None, errors=None,
                     text=None, umask=-1, pipesize=-1, process_group=None):
            self.args = args
            self.pid = 2
            self.returncode = None
            self._text = bool(text or universal_newlines or encoding or errors)
            self._encoding = encoding or "utf-8"
            self._errors = errors or "strict"
            self._out, self._err = stdout, stderr
            self._cwd = os.path.abspath(os.fspath(cwd)) if cwd is not None else os.getcwd()
            self._env = None if env is None else {os.fsdecode(k): os.fsdecode(v) for k, v in env.items()}
            if shell:
                first = args if isinstance(args, (str, bytes)) else args[0]
                self._run = os.fsdecode(first)
            elif isinstance(args, (str, bytes, os.PathLike)):
                self._run = [os.fsdecode(args)]
            else:
                self._run = [os.fsdecode(each) for each in args]
            self.stdin = self.stdout = self.stderr = None
            if stdin == PIPE:
                raw = io.BytesIO()
                raw.close, self._close = self._start, raw.close
                self._raw = raw
                self.stdin = io.TextIOWrapper(raw, self._encoding, write_through=True) if self._text else raw
                return
            if stdin is None:
                given = b""
            elif stdin == DEVNULL:
                given = b""
            elif isinstance(stdin, int):
                given = _read_all(stdin)
            else:
                given = stdin.read()
                if isinstance(given, str):
                    given = given.encode()
            self._finish(given)

        def _start(self):
            if self.returncode is None:
                if self._text and not self.stdin.closed:
                    self.stdin.flush()
                self._finish(self._raw.getvalue())

        def _finish(self, given):
            sys.stdout.flush()
            sys.stderr.flush()
            request = json.dumps({
                "run": self._run, "cwd": self._cwd, "env": self._env,
                "stdin": base64.b64encode(given).decode(),
            }).encode()
            device = os.open("/dev/world-shell", os.O_RDWR)
            try:
                while request:
                    request = request[os.write(device, request):]
                reply = json.loads(_read_all(device))
            finally:
                os.close(device)
            out, err = (base64.b64decode(reply[key]) for key in ("stdout", "stderr"))
            if self._err == STDOUT:
                out, err = out + err, b""
            self.returncode = reply["status"]
            if self.returncode == 127 and isinstance(self._run, list) and b"command not found" in err:
                raise FileNotFoundError(2, "No such file or directory", self._run[0])
            self.stdout = self._deliver(self._out, out, 1)
            self.stderr = self._deliver(self._err, err, 2) if self._err != STDOUT else None

        def _deliver(self, target, data, stream):
            if target == PIPE:
                raw = io.BytesIO(data)
                return io.TextIOWrapper(raw, self._encoding, self._errors) if self._text else raw
            if target == DEVNULL:
                return None
            if target is None:
                target = stream
            elif not isinstance(target, int):
                target.flush()
                target = target.fileno()
            while data:
                data = data[os.write(target, data):]
            return None

        def communicate(self, input=None, timeout=None):
            if self.returncode is None:
                if input is not None:
                    self.stdin.write(input)
                self._start()
            return tuple(None if each is None else each.read() for each in (self.stdout, self.stderr))

        def wait(self, timeout=None):
            self._start() if self.returncode is None else None
            return self.returncode

        def poll(self):
            return self.wait()

        def send_signal(self, signal):
            pass

        terminate = kill = lambda self: None

        def __enter__(self):
            return self

        def __exit__(self, *ignored):
            self.wait()

        def __class_getitem__(cls, item):
            return cls

    def _read_all(descriptor):
        parts = []
        while part := os.read(descriptor, 65536):
            parts.append(part)
        return b"".join(parts)

    def system(command):
        return Popen(command, shell=True).wait() << 8

    subprocess.Popen = Popen
    subprocess._USE_POSIX_SPAWN = False
    os.system = system


def _system(command):
    import subprocess, os

    return os.system(command)


import os

os.environ.pop("PYTHONHOME", None)
os.system = _system
sys.meta_path.insert(0, _Finder())
`;
