/**
 * A session as it happens: its entries in their order, from the first one on, and what passes between
 * them. One stream brings all of it; after an interruption it goes on behind the last entry that came.
 */

/** What passes and is not kept, of all that does. */
const PASSING = ['text-delta', 'tool-start', 'tool-output', 'tool-end'];
const RETRY_MS = [500, 1_000, 2_000, 5_000];
/** Of what a command prints while it runs: its end, as a terminal shows it. */
const OUTPUT_SHOWN = 20_000;

/** Turns that have not come to their end. */
const UNDER_WAY = new Set(['queued', 'running', 'parked']);

export class SessionFeed {
  /** `{entry, end?, results?, isFork}`: a command has its end with it, a message the results of its calls. */
  rows = [];
  /** What the model says now, and the calls that run: by id `{name, input, output}`. */
  live = { text: '', calls: new Map() };
  /** Messages that have not come to their end, by id. */
  turns = new Map();
  /** `connecting`, `live` or `offline` */
  status = 'connecting';
  #session;
  #onChange;
  #source = null;
  #last = null;
  #tries = 0;
  #timer = 0;
  #frame = 0;
  #byId = new Map();
  #calls = new Map();
  /** Messages that have: what was asked for before may be answered after. */
  #ended = new Set();

  /** @param {() => void} onChange called once for all that came within a frame */
  constructor(session, onChange) {
    this.#session = session;
    this.#onChange = onChange;
  }

  open() {
    addEventListener('online', this.#reopen);
    addEventListener('offline', this.#lost);
    this.#connect();
  }

  close() {
    removeEventListener('online', this.#reopen);
    removeEventListener('offline', this.#lost);
    clearTimeout(this.#timer);
    cancelAnimationFrame(this.#frame);
    this.#source?.close();
  }

  /** The message whose turn runs; undefined where none does. */
  get running() {
    return [...this.turns.values()].find(({ state }) => state === 'running');
  }

  /** Those that came by another way than the stream, which knows better what it has told of. */
  noteTurns(turns) {
    for (const turn of turns) if (!this.turns.has(turn.id)) this.#turn(turn);
  }

  #connect() {
    const after = this.#last ?? 'start';
    const source = new EventSource(`/v1/sessions/${this.#session}/events?after=${after}`);
    this.#source = source;
    source.onopen = () => {
      this.#tries = 0;
      this.#become('live');
    };
    source.onerror = () => this.#lost();
    source.addEventListener('entry', ({ data }) => this.#entry(JSON.parse(data)));
    source.addEventListener('turn', ({ data }) => this.#turn(JSON.parse(data)));
    for (const type of PASSING)
      source.addEventListener(type, ({ data }) => this.#passing(JSON.parse(data)));
  }

  /** A browser tries again by itself after some failures and not after others: here it is always us. */
  #lost = () => {
    this.#source?.close();
    clearTimeout(this.#timer);
    // What passed meanwhile nobody has kept: the entries say how it ended.
    this.live = { text: '', calls: new Map() };
    this.turns.clear();
    this.#become('offline');
    const wait = RETRY_MS[Math.min(this.#tries, RETRY_MS.length - 1)];
    this.#tries += 1;
    this.#timer = setTimeout(this.#reopen, wait);
  };

  #reopen = () => {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#connect();
  };

  #become(status) {
    this.status = status;
    this.#changed();
  }

  #changed() {
    if (this.#frame !== 0) return;
    const tell = () => {
      this.#frame = 0;
      this.#onChange();
    };
    // A page that nobody sees has no frames.
    this.#frame = document.hidden ? setTimeout(tell, 100) : requestAnimationFrame(tell);
  }

  #entry(entry) {
    if (this.#byId.has(entry.id)) return;
    const row = { entry, isFork: this.#last !== null && entry.parentId !== this.#last };
    this.#last = entry.id;
    this.#byId.set(entry.id, row);
    if (!this.#isJoined(entry)) this.rows.push(row);
    if (entry.type === 'message') {
      if (entry.message.role === 'assistant') this.live.text = '';
      for (const part of partsOf(entry.message))
        if (part.type === 'tool-call') this.#calls.set(part.toolCallId, row);
    }
    this.#changed();
  }

  /** Does it belong to a row that is there? */
  #isJoined(entry) {
    if (entry.type === 'bash_end') {
      const row = this.#byId.get(entry.start);
      if (row === undefined) return false;
      row.end = entry;
      return true;
    }
    if (entry.type !== 'message' || entry.message.role !== 'tool') return false;
    const results = partsOf(entry.message).filter(({ type }) => type === 'tool-result');
    for (const result of results) {
      const row = this.#calls.get(result.toolCallId);
      if (row === undefined) return false;
      row.results ??= new Map();
      row.results.set(result.toolCallId, result.output);
    }
    return true;
  }

  #turn(turn) {
    if (!UNDER_WAY.has(turn.state)) {
      this.#ended.add(turn.id);
      this.turns.delete(turn.id);
    } else if (!this.#ended.has(turn.id)) this.turns.set(turn.id, turn);
    if (this.running === undefined) this.live = { text: '', calls: new Map() };
    this.#changed();
  }

  #passing(event) {
    const { live } = this;
    switch (event.type) {
      case 'text-delta':
        live.text += event.text;
        break;
      case 'tool-start':
        live.calls.set(event.callId, {
          name: event.name,
          input: event.input,
          output: '',
          decoder: new TextDecoder(),
        });
        break;
      case 'tool-output': {
        const call = live.calls.get(event.callId);
        if (call === undefined) break;
        const bytes = Uint8Array.from(atob(event.base64), (character) => character.charCodeAt(0));
        const text = call.decoder.decode(bytes, { stream: true });
        call.output = (call.output + text).slice(-OUTPUT_SHOWN);
        break;
      }
      case 'tool-end':
        live.calls.delete(event.callId);
        break;
    }
    this.#changed();
  }
}

/** The parts of a message; a text alone is one part. */
export const partsOf = ({ content }) =>
  Array.isArray(content) ? content : [{ type: 'text', text: content }];
