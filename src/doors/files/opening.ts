/** What open(2) finds at a path, or makes there. */
import { constants } from 'node:fs';
import { FsError } from '../../errors.ts';
import type { WriteTerms } from '../../namespace/edits.ts';
import type { Inspection, Location, Made } from '../../namespace/inspect.ts';
import { parentOf } from '../../paths.ts';
import type { FsCall } from '../../world/fs-call.ts';
import type { Attributes } from './attributes.ts';
import { OpenFile } from './open-file.ts';
import type { OpenFiles } from './open-files.ts';
import type { Scratch } from './scratch.ts';

export interface OpeningOptions {
  open: OpenFiles;
  attributes: Attributes;
  scratch: Scratch;
  isOfService(path: string): boolean;
  locate(path: string): Promise<Location>;
  call(call: FsCall): Promise<unknown>;
}

export class Opening {
  readonly #options: OpeningOptions;

  constructor(options: OpeningOptions) {
    this.#options = options;
  }

  /** The file that is there, with one handle more. @throws FsError for what is none */
  async find(path: string): Promise<OpenFile> {
    const { open, scratch } = this.#options;
    const dropping = scratch.get(path);
    if (dropping !== undefined) {
      if (dropping.target !== null) throw new FsError('ELOOP', { path, op: 'open' });
      const file = open.at(path) ?? new OpenFile(dropping.identity, path, 'scratch');
      if (!file.isLoaded) file.load(dropping.bytes);
      open.add(file, path);
      return held(file);
    }
    const own = open.at(path);
    if (own?.isNew === true) return held(own);
    const found = await this.#found(path);
    if (found.type === 'directory') throw new FsError('EISDIR', { path, op: 'open' });
    if (found.type === 'symlink') throw new FsError('ELOOP', { path, op: 'open' });
    open.see(path, found);
    return held(open.open(path, found));
  }

  /** An empty file where nothing was, with its first handle; null where somebody else has made one. */
  async make(path: string, mode: number): Promise<OpenFile | null> {
    const { open, scratch, isOfService, attributes, locate } = this.#options;
    if (isOfService(path) && !(await locate(path)).possible) {
      const above = await attributes.of(parentOf(path));
      if (above === null) throw new FsError('ENOENT', { path, op: 'open' });
      const file = new OpenFile(scratch.make(path, mode).identity, path, 'scratch');
      file.load(new Uint8Array());
      file.mode = mode;
      open.add(file, path);
      return held(file);
    }
    if (!isOfService(path) && attributes.certain.canMake(path)) {
      attributes.forget(path);
      attributes.madeIn(parentOf(path), Date.now());
      attributes.certain.made(path);
      return held(open.make(path, mode));
    }
    const { there, whole, made } = await this.#makeEmpty(path, mode);
    if (there) return null;
    if (!whole) {
      const file = open.open(path, made ?? (await this.#found(path)));
      file.load(new Uint8Array());
      return held(file);
    }
    const file = new OpenFile(`new:${path}`, path, 'world');
    file.isNew = true;
    file.isWhole = true;
    file.mode = mode;
    open.add(file, path);
    file.empty();
    return held(file);
  }

  /** How a write would be made. @throws FsError where it is refused in any case */
  async terms(path: string, flags: number): Promise<WriteTerms> {
    const op = (flags & constants.O_APPEND) !== 0 ? 'append' : 'write';
    return (await this.#options.call(['checkWrite', path, op])) as WriteTerms;
  }

  /** Makes an empty file, where that can be done at once; what is there then is known. */
  async #makeEmpty(path: string, mode: number): Promise<Made> {
    const { attributes, isOfService } = this.#options;
    const changed = isOfService(path) ? [] : [parentOf(path)];
    const lease = attributes.certain.leaseFor(path);
    attributes.forget(path);
    const { calls, learn } = attributes.certain.asks(parentOf(path));
    const { values } = await attributes.after([['make', path, mode], ...calls], changed);
    const made = values[0] as Made;
    if (calls.length > 0) learn(values.slice(1));
    attributes.forget(path);
    if (made.made !== null) attributes.know(path, made.made, lease);
    attributes.certain.made(path);
    return made;
  }

  async #found(path: string): Promise<Inspection> {
    const found = await this.#options.attributes.of(path);
    if (found === null) throw new FsError('ENOENT', { path, op: 'open' });
    return found;
  }
}

/** Counted before anybody else comes: a file whose last handle is closed is another when it is opened next. */
function held(file: OpenFile): OpenFile {
  file.handles += 1;
  return file;
}
