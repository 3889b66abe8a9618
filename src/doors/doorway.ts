/**
 * A doorway: lets the clients of one door in. Whoever is somebody else has a
 * world of their own, since a shell keeps functions, variables and a directory,
 * which would be one client's way to act in the name of another.
 */
import { randomUUID } from 'node:crypto';
import {
  type Agent,
  type AgentHost,
  actingAs,
  clientTurn,
  openAgent,
} from '../agent/open-agent.ts';
import type { BufferedDirectory } from '../disk/buffers.ts';
import { FsError } from '../errors.ts';
import type { PartSpec } from '../parts/config.ts';
import type { Approval } from '../policy/approval.ts';
import type { DoorName } from '../policy/gate.ts';
import type { Question } from '../policy/question.ts';
import type { SessionEvent } from '../session/events.ts';
import type { SessionPlace } from '../session/file.ts';
import { sessionPlace } from '../session/place.ts';
import type { World } from '../world/world.ts';
import type { Doorway, EnterOptions, Visit } from './door.ts';
import { FileLog } from './file-log.ts';
import { entered, requireOwnSession } from './owner.ts';
import { checkPrincipal, isInCharge, type Principal } from './principal.ts';
import { type DoorClient, DoorFile } from './register.ts';
import { createVisit, type VisitedWorld } from './visit.ts';

/** What a doorway is made with. */
export interface DoorwayOptions {
  door: DoorName;
  /** The state directory that the worlds below have. */
  state: string;
  /** The store that their sessions are in, where the deployment has one of its own. */
  store?: PartSpec | undefined;
  /**
   * Makes a world.
   * @param session the id of one to go on with; a new one, if absent
   * @param actor whose world it is; that of the person in charge, if absent
   * @param buffered what the client has files of open, and is to be mounted
   */
  open(session?: string, actor?: string, buffered?: BufferedDirectory): Promise<World> | World;
  /** For agents: where models, keys and modules are found. */
  host: AgentHost;
  /**
   * A client that has the name of its agent is that agent, and acts for the person in charge; by
   * default it is somebody else, whose name happens to be an agent's.
   */
  ownAgents?: boolean;
  /** Worlds that are open at once; 16 by default. */
  worlds?: number;
  /**
   * Worlds that nobody is in are kept for those who come back to their sessions: for so long, in
   * ms, and so many. By default none is. Another process that wants the session waits for so long.
   */
  kept?: { ms: number; most: number };
}

const WORLDS = 16;
/** A session that is nobody else's. */
const NEW = 'new';

/** Makes a doorway. No world is opened before the first client comes in. */
export const openDoorway = (options: DoorwayOptions): Doorway => new OpenDoorway(options);

/** Who is what has one room; from the moment that the first of them comes. */
interface Place {
  opening: Promise<Room>;
  /** Once it is open. */
  room: Room | null;
  /** Clients who wait for it. */
  entering: number;
}

/** A world, and who is in it. */
interface Room {
  visited: VisitedWorld;
  /** Each with how its person is asked, where they can be. */
  visits: Map<Visit, EnterOptions>;
  /** It ends with its last visit, or a while after. */
  passing: boolean;
  usedAt: number;
  /** It is not kept. */
  isEnding: boolean;
  /** What ends it, while nobody is in it. */
  ending: NodeJS.Timeout | undefined;
  /** The same, with the rights that its agent has now. */
  current(): Promise<VisitedWorld>;
  close(): Promise<void>;
}

/** What a person is asked by an entry of the log; null where it asks nothing any more. */
function askedBy(event: SessionEvent): Approval | Question | null {
  if (event.type !== 'approval' && event.type !== 'question') return null;
  const asked = event[event.type] as Approval | Question;
  return asked.state === 'pending' ? asked : null;
}

class OpenDoorway implements Doorway {
  readonly door: DoorName;
  readonly state: string;
  readonly #options: DoorwayOptions;
  #sessions: SessionPlace | null = null;
  readonly #places = new Map<string, Place>();
  /** Sessions whose world is about to end, by their ids: they are gone on with when it has. */
  readonly #ending = new Map<string, Promise<void>>();
  #file: DoorFile | null = null;
  #closed: Promise<void> | undefined;

  constructor(options: DoorwayOptions) {
    this.#options = options;
    this.door = options.door;
    this.state = options.state;
  }

  get sessions(): SessionPlace {
    this.#sessions ??= sessionPlace(this.state, this.#options.store);
    return this.#sessions;
  }

  async enter(given: Principal, options: EnterOptions = {}): Promise<Visit> {
    if (this.#closed !== undefined) throw this.#refused('EBUSY', 'this door was closed');
    const principal = checkPrincipal(given);
    const { actor, session = '' } = principal;
    if (options.anew === true) await this.#endKept(session);
    const key = this.#keyOf(principal);
    if (!this.#places.has(key) && session !== '' && session !== NEW)
      requireOwnSession(this.sessions, session, actor);
    const place = this.#places.get(key) ?? this.#openPlace(key, principal, options.buffered);
    place.entering++;
    try {
      const room = await place.opening;
      const visited = await this.#current(key, place, room);
      const leave = (isEnd: boolean): Promise<void> => this.#leave(key, room, visit, isEnd);
      const visit = createVisit(this.door, visited, options, leave);
      clearTimeout(room.ending);
      room.visits.set(visit, options);
      this.#changed();
      return visit;
    } finally {
      place.entering--;
    }
  }

  /** What somebody finds who comes in; a world that they find nothing in is nobody else's to end. */
  async #current(key: string, place: Place, room: Room): Promise<VisitedWorld> {
    try {
      return await room.current();
    } catch (error) {
      if (room.passing && place.entering === 1 && room.visits.size === 0)
        await this.#closeRoom(key, room);
      throw error;
    }
  }

  /** The place of a principal: where its session is open already, that is where it goes on. */
  #keyOf({ actor, agent = '', session = '' }: Principal): string {
    const isOpen = ({ room }: Place): boolean =>
      room?.visited.world.session.id === session &&
      room.visited.principal.actor === actor &&
      (room.visited.principal.agent ?? '') === agent;
    const open = [...this.#places].find(([, place]) => isOpen(place));
    if (open !== undefined) return open[0];
    return [session === NEW ? randomUUID() : session, actor, agent].join('\n');
  }

  announce(address: string): void {
    this.#file = new DoorFile(this.state, this.door, address, randomUUID());
    this.#changed();
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #end(): Promise<void> {
    this.#file?.remove();
    const openings = [...this.#places.values()].map(async ({ opening }) => {
      // One that could not be opened has told it to whoever wanted in.
      const room = await opening.catch(() => null);
      await room?.close();
    });
    await Promise.all(openings);
    this.#sessions?.store.close?.();
  }

  #openPlace(key: string, principal: Principal, buffered: EnterOptions['buffered']): Place {
    const { session = '' } = principal;
    const ended = Promise.all([this.#makeRoom(), this.#endKept(session)]).then(() =>
      this.#ending.get(session),
    );
    const opening = ended.then(() => this.#world(principal, buffered));
    const place: Place = { opening, room: null, entering: 0 };
    this.#places.set(key, place);
    opening.then(
      (room) => {
        place.room = room;
      },
      () => this.#places.delete(key),
    );
    return place;
  }

  async #world(principal: Principal, buffered: EnterOptions['buffered']): Promise<Room> {
    const { session, actor } = principal;
    const passing = session !== undefined;
    const named = session === NEW ? undefined : session;
    const inCharge = isInCharge(principal, this.#options.ownAgents === true);
    const world = await this.#options.open(named, inCharge ? undefined : actor, buffered);
    let agent: Promise<Agent> | undefined;
    const files = new FileLog(world.session, this.door, principal);
    const ended = new AbortController();
    const close = async (): Promise<void> => {
      ended.abort();
      await (await agent?.catch(() => undefined))?.close();
      files.flush();
      await world.close();
    };
    try {
      const opened = (): Promise<Agent> => {
        agent ??= openAgent(world, this.#options.host, world.agent);
        return agent;
      };
      const { agent: name } = principal;
      const rightsNow = async () => {
        if (name === undefined) return null;
        const now = actingAs(await (await opened()).view(name));
        world.jobBounds.agentsAre(new Map([[name, now]]), false);
        return now;
      };
      const rights = await rightsNow();
      world.session.append(entered(this.door, principal));
      const turn = clientTurn();
      const visited: VisitedWorld = {
        world,
        principal,
        inCharge,
        rights,
        turn,
        files,
        agent: opened,
      };
      const room: Room = {
        visited,
        visits: new Map(),
        passing,
        usedAt: Date.now(),
        isEnding: false,
        ending: undefined,
        current: async () => ({ ...visited, rights: await rightsNow() }),
        close,
      };
      void this.#pass(room, world, ended.signal);
      return room;
    } catch (error) {
      await close();
      throw error;
    }
  }

  /** Passes what people are asked on to those who can have somebody asked. */
  async #pass({ visits }: Room, world: World, signal: AbortSignal): Promise<void> {
    for await (const event of world.session.events({ signal })) {
      const asked = askedBy(event);
      if (asked === null) continue;
      for (const [visit, { onApproval, onQuestion, questionKinds }] of visits) {
        if (!('question' in asked)) onApproval?.(asked, visit);
        // Of another kind it was told that it cannot be put.
        else if (questionKinds?.includes(asked.form.kind) !== false) onQuestion?.(asked, visit);
      }
    }
  }

  /** @param isEnd the world is not kept for whoever comes back */
  async #leave(key: string, room: Room, visit: Visit, isEnd: boolean): Promise<void> {
    const { ms, most } = this.#options.kept ?? { ms: 0, most: 0 };
    room.visits.delete(visit);
    room.usedAt = Date.now();
    room.isEnding ||= isEnd;
    if (room.passing && room.visits.size === 0) {
      if (room.isEnding || most === 0) await this.#closeRoom(key, room);
      else {
        room.ending = setTimeout(() => this.#endIdle(key, room), ms).unref();
        const kept = this.#idle().filter(({ room: each }) => each.passing);
        for (const each of kept.slice(0, -most)) this.#endIdle(each.key, each.room);
      }
    }
    this.#changed();
  }

  /** Ends a world that was kept for nothing: nobody waits for it who could be told that it failed. */
  #endIdle(key: string, room: Room): void {
    const { entering = 0 } = this.#places.get(key) ?? {};
    if (entering > 0 || room.visits.size > 0) return;
    this.#closeRoom(key, room).catch((error: unknown) => process.emitWarning(error as Error));
  }

  /** One who comes to a session in another name finds its world ended that was kept for the first. */
  async #endKept(session: string): Promise<void> {
    const kept = this.#idle().find(({ room }) => room.visited.world.session.id === session);
    if (kept !== undefined) await this.#closeRoom(kept.key, kept.room);
  }

  /** Those that nobody is in, the longest unused first. */
  #idle(): { key: string; room: Room }[] {
    return [...this.#places]
      .flatMap(([key, { room, entering }]) =>
        room === null || entering > 0 || room.visits.size > 0 ? [] : [{ key, room }],
      )
      .sort((a, b) => a.room.usedAt - b.room.usedAt);
  }

  async #closeRoom(key: string, room: Room): Promise<void> {
    this.#places.delete(key);
    clearTimeout(room.ending);
    const { id } = room.visited.world.session;
    const ending = room.close();
    this.#ending.set(
      id,
      ending.catch(() => undefined),
    );
    try {
      await ending;
    } finally {
      this.#ending.delete(id);
    }
  }

  /**
   * Ends the world that nobody has used for longest, where there are as many as there may be.
   * Where that cannot be, it throws at once: whoever comes next is counted with whoever is let in.
   * @throws FsError EAGAIN
   */
  #makeRoom(): Promise<void> {
    const { worlds = WORLDS } = this.#options;
    if (this.#places.size < worlds) return Promise.resolve();
    const [first] = this.#idle();
    if (first === undefined) {
      throw this.#refused(
        'EAGAIN',
        `${worlds} worlds are open through ${this.door}, and no more at once: end a session, or try again later`,
      );
    }
    return this.#closeRoom(first.key, first.room);
  }

  #refused(code: 'EAGAIN' | 'EBUSY', reason: string): FsError {
    return new FsError(code, { path: '/', op: 'enter', rule: `door ${this.door}`, reason });
  }

  #changed(): void {
    if (this.#closed !== undefined) return;
    const clients = [...this.#places.values()].flatMap(({ room }): DoorClient[] => {
      if (room === null) return [];
      const { principal, world } = room.visited;
      const { actor, agent } = principal;
      const who = { actor, ...(agent === undefined ? {} : { agent }) };
      return [{ ...who, session: world.session.id, visits: room.visits.size }];
    });
    this.#file?.write(clients);
  }
}
