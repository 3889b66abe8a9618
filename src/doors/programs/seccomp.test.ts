/** What the filter of system calls says of each call, run as the kernel runs it. */
import { describe, expect, test } from 'vitest';
import { systemCallFilter } from './seccomp.ts';

const ALLOWED = 'allowed';
const KILLED = 'killed';
const [EPERM, EAFNOSUPPORT] = [1, 97];

/** Of `struct seccomp_data`, what a filter may look at. */
interface Call {
  call: number;
  audit: number;
  first?: number;
}

/** Runs classic BPF, as far as seccomp(2) has it. */
function verdict(filter: Buffer, { call, audit, first = 0 }: Call): string {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call >>> 0, 0);
  data.writeUInt32LE(audit, 4);
  data.writeUInt32LE(first, 16);
  let loaded = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const [code, then, otherwise, value] = [
      filter.readUInt16LE(at),
      filter.readUInt8(at + 2),
      filter.readUInt8(at + 3),
      filter.readUInt32LE(at + 4),
    ];
    const jump = (isSo: boolean): void => {
      at += 8 * (isSo ? then : otherwise);
    };
    // BPF_LD|BPF_W|BPF_ABS, BPF_JMP|BPF_JEQ, BPF_JMP|BPF_JGE, BPF_RET
    if (code === 0x20) loaded = data.readUInt32LE(value);
    else if (code === 0x15) jump(loaded === value);
    else if (code === 0x35) jump(loaded >= value);
    else if (code === 0x06) {
      if (value === 0x7fff0000) return ALLOWED;
      if (value === 0x80000000) return KILLED;
      return (value & 0xffff0000) === 0x00050000 ? `errno ${value & 0xffff}` : `${value}`;
    } else throw new Error(`no code of seccomp: ${code}`);
  }
  throw new Error('the program has no end');
}

/** Of newer calls, which all architectures number alike: mounts made of descriptors. */
const NEWER = {
  ...{ open_tree: 428, move_mount: 429, fsopen: 430, fsconfig: 431, fsmount: 432, fspick: 433 },
  ...{ mount_setattr: 442, open_tree_attr: 467 },
};

/** AUDIT_ARCH_* of `linux/audit.h`, and numbers of `asm/unistd_64.h` and `asm-generic/unistd.h`. */
const TABLES = {
  x64: {
    audit: 0xc000003e,
    refused: {
      ...{ memfd_create: 319, memfd_secret: 447, shmget: 29, add_key: 248, request_key: 249 },
      ...{ keyctl: 250, bpf: 321, perf_event_open: 298, userfaultfd: 323, io_uring_setup: 425 },
      ...{ mount: 165, umount2: 166, pivot_root: 155, kexec_load: 246, init_module: 175 },
      ...{ ...NEWER, kexec_file_load: 320, finit_module: 313 },
    },
    usual: { read: 0, write: 1, openat: 257, clone: 56, execve: 59, mmap: 9, exit_group: 231 },
    socket: 41,
  },
  arm64: {
    audit: 0xc00000b7,
    refused: {
      ...{ memfd_create: 279, memfd_secret: 447, shmget: 194, add_key: 217, request_key: 218 },
      ...{ keyctl: 219, bpf: 280, perf_event_open: 241, userfaultfd: 282, io_uring_setup: 425 },
      ...{ mount: 40, umount2: 39, pivot_root: 41, kexec_load: 104, init_module: 105 },
      ...{ ...NEWER, kexec_file_load: 294, finit_module: 273 },
    },
    usual: { read: 63, write: 64, openat: 56, clone: 220, execve: 221, mmap: 222, exit_group: 94 },
    socket: 198,
  },
} as const;

const AF = { UNIX: 1, INET: 2, AX25: 3, INET6: 10, NETLINK: 16, PACKET: 17, ALG: 38, VSOCK: 40 };

describe.each(Object.entries(TABLES))('on %s', (name, { audit, refused, usual, socket }) => {
  const filter = systemCallFilter(name) ?? Buffer.alloc(0);

  test.each(Object.entries(refused))(
    '%s is refused, and its neighbours are not by that',
    (_, call) => {
      expect(verdict(filter, { call, audit })).toBe(`errno ${EPERM}`);
      const others: number[] = [...Object.values(refused), socket];
      for (const near of [call - 1, call + 1])
        if (!others.includes(near)) expect(verdict(filter, { call: near, audit })).toBe(ALLOWED);
    },
  );

  test.each(Object.entries(usual))('%s is allowed', (_, call) => {
    expect(verdict(filter, { call, audit })).toBe(ALLOWED);
  });

  test('a socket is of this machine or of the network, and of nothing else', () => {
    const families = Object.entries(AF).map(([family, first]) => [
      family,
      verdict(filter, { call: socket, audit, first }),
    ]);
    const other = `errno ${EAFNOSUPPORT}`;
    expect(Object.fromEntries(families)).toEqual({
      ...{ UNIX: ALLOWED, INET: ALLOWED, AX25: other, INET6: ALLOWED, NETLINK: ALLOWED },
      ...{ PACKET: other, ALG: other, VSOCK: other },
    });
  });

  test('whatever is called by another table is refused, or ended', () => {
    // x32, which has the machine's own name for itself.
    for (const call of [0x40000000, 0x40000001, 0xffffffff])
      expect(verdict(filter, { call, audit })).toBe(`errno ${EPERM}`);
    expect(verdict(filter, { call: 0x3fffffff, audit })).toBe(ALLOWED);
    // AUDIT_ARCH_I386 and AUDIT_ARCH_ARM.
    for (const other of [0x40000003, 0x40000028])
      expect(verdict(filter, { call: 0, audit: other })).toBe(KILLED);
  });
});

test('where the calls have no table here there is no filter', () => {
  expect(systemCallFilter('riscv64')).toBeNull();
  expect(systemCallFilter()).toEqual(systemCallFilter(process.arch));
});
