/** What is used of Emscripten's runtime, which brings no types of its own. Source: emscripten.org, "File System API". */

export interface GuestAttributes {
  dev: number;
  ino: number;
  mode: number;
  nlink: number;
  uid: number;
  gid: number;
  rdev: number;
  size: number;
  atime: Date;
  mtime: Date;
  ctime: Date;
  blksize: number;
  blocks: number;
}

/** What may be set of a file; what is absent stays. */
export interface AttributeChange {
  mode?: number;
  size?: number;
  atime?: number;
  mtime?: number;
}

export interface NodeOperations {
  getattr(node: FsNode): GuestAttributes;
  setattr(node: FsNode, change: AttributeChange): void;
  lookup(parent: FsNode, name: string): FsNode;
  mknod(parent: FsNode, name: string, mode: number, dev: number): FsNode;
  rename(node: FsNode, directory: FsNode, name: string): void;
  unlink(parent: FsNode, name: string): void;
  rmdir(parent: FsNode, name: string): void;
  readdir(node: FsNode): string[];
  symlink(parent: FsNode, name: string, target: string): FsNode;
  readlink(node: FsNode): string;
}

/** The memory of the program, of which an operation is given a part. */
export type Heap = Int8Array | Uint8Array;

/** A part of the memory, to be read or written in place. */
export function bytesOf(heap: Heap, offset: number, length: number): Uint8Array {
  return new Uint8Array(heap.buffer, heap.byteOffset + offset, length);
}

export interface StreamOperations {
  open?(stream: FsStream): void;
  close?(stream: FsStream): void;
  read(stream: FsStream, heap: Heap, offset: number, length: number, position: number): number;
  write(stream: FsStream, heap: Heap, offset: number, length: number, position: number): number;
  llseek(stream: FsStream, offset: number, whence: number): number;
  fsync?(stream: FsStream): number;
}

export interface FsNode {
  id: number;
  name: string;
  parent: FsNode;
  mode: number;
  node_ops: NodeOperations;
  stream_ops: StreamOperations;
}

export interface FsStream {
  node: FsNode;
  flags: number;
  position: number;
}

export interface EmscriptenFs {
  ErrnoError: new (errno: number) => Error;
  root: FsNode;
  lookupPath(path: string): { node: FsNode };
  /** Has a name looked up anew. */
  hashRemoveNode(node: FsNode): void;
  /** By their descriptors. */
  streams: (FsStream | null | undefined)[];
  /** Are modes looked at? */
  ignorePermissions: boolean;
  createNode(parent: FsNode, name: string, mode: number, dev: number): FsNode;
  isDir(mode: number): boolean;
  isLink(mode: number): boolean;
  mkdirTree(path: string): void;
  rmdir(path: string): void;
  writeFile(path: string, data: Uint8Array | string): void;
  chdir(path: string): void;
  makedev(major: number, minor: number): number;
  registerDevice(dev: number, operations: StreamOperations): void;
  mkdev(path: string, mode: number, dev: number): void;
}

/** The module while and after it is made. */
export interface EmscriptenModule {
  FS: EmscriptenFs;
  ENV: Record<string, string | undefined>;
  /** Runs `main`, whose status it gives. */
  callMain(args: string[]): number;
}

/** What `createPythonModule` takes. */
export interface ModuleOptions {
  noInitialRun: boolean;
  thisProgram: string;
  wasmBinary: Uint8Array;
  instantiateWasm(
    imports: Record<string, Record<string, unknown>>,
    done: (instance: object, module: object) => void,
  ): object;
  preRun: ((module: EmscriptenModule) => void)[];
  stdin(): number | null;
  stdout(byte: number | null): void;
  stderr(byte: number | null): void;
}
