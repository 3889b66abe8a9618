/**
 * The filter of system calls for programs of the host, in the kernel's own form
 * (seccomp, classic BPF). Namespaces keep a program from what is not its own;
 * this closes what they leave open: memory that no process is charged for, keys
 * of the kernel, and sockets that know no network namespace.
 */
import { endianness } from 'node:os';

/** Of `linux/audit.h`, and the numbers of the calls there. */
interface Architecture {
  audit: number;
  /** Calls that fail. */
  refused: readonly number[];
  socket: number;
  /** Of another table of calls in the same architecture; above it every call fails. */
  ceiling: number;
}

const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    // memfd_create, memfd_secret, shmget, add_key, request_key, keyctl, bpf, perf_event_open,
    // userfaultfd, io_uring_setup, mount, umount2, pivot_root, kexec_load, init_module,
    // open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr, open_tree_attr,
    // kexec_file_load, finit_module
    refused: [
      ...[319, 447, 29, 248, 249, 250, 321, 298, 323, 425, 165, 166, 155, 246, 175],
      ...[428, 429, 430, 431, 432, 433, 442, 467, 320, 313],
    ],
    socket: 41,
    ceiling: 0x40000000,
  },
  arm64: {
    audit: 0xc00000b7,
    refused: [
      ...[279, 447, 194, 217, 218, 219, 280, 241, 282, 425, 40, 39, 41, 104, 105],
      ...[428, 429, 430, 431, 432, 433, 442, 467, 294, 273],
    ],
    socket: 198,
    ceiling: 0x40000000,
  },
};

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. Of another family there is no socket (AF_VSOCK reaches the machine below). */
const FAMILIES = [1, 2, 10, 16];

const EPERM = 1;
const EAFNOSUPPORT = 97;

const LOAD = 0x20;
const EQUAL = 0x15;
const AT_LEAST = 0x35;
const RETURN = 0x06;

const KILL = 0x80000000;
const ALLOW = 0x7fff0000;
const fail = (errno: number): number => 0x00050000 | errno;

/** Where `struct seccomp_data` has the call's number, its architecture and its first argument. */
const CALL = 0;
const ARCHITECTURE = 4;
const FIRST = 16;

type Instruction = readonly [code: number, then: number, otherwise: number, value: number];

/** The filter for the machine that this runs on; null for one that has no table here. */
export function systemCallFilter(architecture: string = process.arch): Buffer | null {
  const table = ARCHITECTURES[architecture];
  if (table === undefined || endianness() !== 'LE') return null;
  const { audit, refused, socket, ceiling } = table;
  const program: Instruction[] = [
    [LOAD, 0, 0, ARCHITECTURE],
    [EQUAL, 1, 0, audit],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, CALL],
    [AT_LEAST, 0, 1, ceiling],
    [RETURN, 0, 0, fail(EPERM)],
    ...refused.flatMap((call): Instruction[] => [
      [EQUAL, 0, 1, call],
      [RETURN, 0, 0, fail(EPERM)],
    ]),
    [EQUAL, 1, 0, socket],
    [RETURN, 0, 0, ALLOW],
    [LOAD, 0, 0, FIRST],
    ...FAMILIES.flatMap((family): Instruction[] => [
      [EQUAL, 0, 1, family],
      [RETURN, 0, 0, ALLOW],
    ]),
    [RETURN, 0, 0, fail(EAFNOSUPPORT)],
  ];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, then, otherwise, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(then, index * 8 + 2);
    bytes.writeUInt8(otherwise, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
