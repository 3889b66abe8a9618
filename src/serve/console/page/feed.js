/**
 * A session as it happens: its entries in their order, from the first one on, and what passes between
 * them. One stream brings all of it; after an interruption it goes on behind the last entry that came.
 */

/** What passes and is not kept, of all that does. */
const PASSING = ['text-delta', 'tool-start', 'tool-output', 'tool-end'];
const RETRY_MS = [500, 1_000, 2_000, 5_000];
/** Of what a command prints while it runs: its end, as a terminal shows it. */
const OUTPUT_SHOWN = 20_000;

/** Turns that have not come to their end, in the order in which they move on. */
const UNDER_WAY = ['queued', 'running', 'parked'];
/** Ends that are no answer. */
const UNANSWERED = ['failed', 'stopped', 'interrupted', 'expired'];

export class SessionFeed {
  /** `{entry, end?, results?, isFork}`: a command has its end with it, a message the results of its calls. */
  rows = [];
  /** What the model says now, and the calls that run: by id `{name, input, output}`. */
  live = { text: '', calls: new Map() };
  /** Messages that have not come to their end, by id. */
  turns = new Map();
  /** Messages that came to another end than an answer, by id. */
  unanswered = new Map();
  /** `connecting`, `live` or `offline` */
  status = 'connecting';
  #session;
  #api;
  #onChange;
  #onFault;
  #source = null;
  #last = null;
  #tries = 0;
  #timer = 0;
  #frame = 0;
  #byId = new Map();
  #calls = new Map();
  /** Messages that have: what was asked for before may be answered after. */
  #ended = new Set();
  /** Those that went on when the stream broke off, and may have ended since. */
  #unsure = new Set();
  /** By messages, the last entry that is a prompt of theirs. */
  #prompts = new Map();

  /**
   * @param {() => void} onChange called once for all that came within a frame
   * @param {(error: Error) => void} onFault told where the server could not say what goes on
   */
  constructor(session, api, onChange, onFault) {
    this.#session = session;
    this.#api = api;
    this.#onChange = onChange;
    this.#onFault = onFault;
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

  /** What became of the message that a row is the prompt of, where that is no answer. */
  failureOf({ entry }) {
    const id = entry.delivery?.message;
    return this.#prompts.get(id) === entry.id ? this.unanswered.get(id) : undefined;
  }

  /** Messages without an answer of which no row is a prompt. */
  get unsaid() {
    return [...this.unanswered.values()].filter(({ id }) => !this.#prompts.has(id));
  }

  /** One that came by another way than the stream, which knows better what it has told of. */
  noteTurn(turn) {
    if (!this.turns.has(turn.id) || this.#unsure.has(turn.id)) this.#turn(turn);
  }

  /** Asks what goes on, and what came to no answer: the stream tells of what comes. What went on before and is not listed has ended. */
  async #settle(source) {
    const path = `/v1/sessions/${this.#session}/messages`;
    try {
      const states = [...UNDER_WAY, ...UNANSWERED];
      const lists = await Promise.all(states.map((state) => this.#api.get(path, { state })));
      if (source !== this.#source || this.status !== 'live') return;
      for (const turn of lists.flat()) this.noteTurn(turn);
      for (const id of this.#unsure) this.turns.delete(id);
      this.#unsure.clear();
      this.#changed();
    } catch (error) {
      this.#onFault(error);
    }
  }

  #connect() {
    // What passed between two streams nobody has kept: the entries say how it ended.
    this.live = { text: '', calls: new Map() };
    this.#unsure = new Set(this.turns.keys());
    const after = this.#last ?? 'start';
    const source = new EventSource(`/v1/sessions/${this.#session}/events?after=${after}`);
    this.#source = source;
    source.onopen = () => {
      this.#tries = 0;
      this.#become('live');
      this.#settle(source);
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
    if (entry.delivery !== undefined && entry.message?.role === 'user')
      this.#prompts.set(entry.delivery.message, entry.id);
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
    this.#unsure.delete(turn.id);
    if (!UNDER_WAY.includes(turn.state)) {
      this.#ended.add(turn.id);
      this.turns.delete(turn.id);
      if (turn.state !== 'done') this.unanswered.set(turn.id, turn);
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
